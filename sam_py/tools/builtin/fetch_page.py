"""The tool that reads a page of the internet. It asks, and what it brings was written by strangers."""

from __future__ import annotations

from pydantic import Field

from sam_py.tools.base import Arguments, BuiltinTool, Effect, Running, ToolOutput, Touch
from sam_py.tools.builtin.fetching import LONGEST_S, Fetcher
from sam_py.tools.builtin.page_text import text_of
from sam_py.tools.builtin.threads import on_thread


class FetchPage(Arguments):
    url: str = Field(description="The full address of the page, beginning with https:// or http://.")


class FetchPageTool(BuiltinTool[FetchPage]):
    name = "fetch_page"
    label = "Fetch a web page"
    icon = "link"
    description = (
        "Read one page of the internet as text: headings, paragraphs, lists, tables and links, without menus. Use it "
        "when the person names an address, or to follow a link of a page you read. It is no search engine: do not "
        "guess addresses. The person is asked first. Scripts do not run; PDF and pictures are not read. A long page "
        "is cut: read the rest with read_result."
    )
    takes = FetchPage
    untrusted = True
    deadline_s = LONGEST_S + 15

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    def doing(self, arguments: FetchPage) -> str:
        return f"Fetch {self._fetcher.check_url(arguments.url)}"

    def touches(self, arguments: FetchPage) -> tuple[Touch, ...]:
        url = self._fetcher.check_url(arguments.url)
        effect: Effect = "own network" if self._fetcher.is_private(url) else "network"
        return (Touch(effect, f"{url.raw_host.decode('ascii')}: {url}"),)

    async def run(self, arguments: FetchPage, running: Running) -> ToolOutput:
        page = await self._fetcher.fetch(arguments.url, running.report)
        running.report("Reading the page")
        text = await on_thread(lambda _stop: text_of(page))
        cut = " Only its first 5 MB were read." if page.is_cut else ""
        head = f"{page.url} ({page.content_type or 'no type'}, {len(page.body):,} bytes).{cut}"
        return ToolOutput(f"{head}\n\n{text}", details=(head,))
