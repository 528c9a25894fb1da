"""A fetched document as text that a model can read."""

from __future__ import annotations

import logging
import re

from sam_py.tools.base import ToolError
from sam_py.tools.builtin.fetching import Fetched

log = logging.getLogger(__name__)

LARGEST_PAGE = 2_000_000
"""Characters of HTML that are looked at."""
_MOST_TAGS = 40_000
"""Of a page whose main text is looked for: the search takes about a tenth of a millisecond each."""
_MARKUP = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS = frozenset({"application/json", "application/xml", "application/javascript", "application/x-javascript",
                    "application/yaml", "application/x-yaml", "application/toml", "application/sql"})  # fmt: skip
_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>(.{0,1000}?)</title", re.IGNORECASE | re.DOTALL)
_BLANK_LINES = re.compile(r"\n{3,}")


def text_of(page: Fetched) -> str:
    """The page's title and main text in Markdown, or the document as it is where it is plain text.

    Blocks for up to some seconds: for a thread. Raises `ToolError` where it is no text.
    """
    kind = page.content_type
    if kind in _MARKUP or (not kind and page.body.lstrip()[:1] == b"<"):
        return _readable(_decoded(page), page.url)
    if kind.startswith("text/") or kind in _TEXTS or kind.endswith(("+json", "+xml")) or not kind:
        if b"\x00" in page.body[:1000]:
            raise ToolError(f"{page.url} is binary data, although the server calls it {kind or 'nothing'}.")
        return _decoded(page)
    raise ToolError(f"{page.url} is of type {kind} ({len(page.body):,} bytes), which cannot be read as text.")


def _decoded(page: Fetched) -> str:
    said = page.charset
    if not said and (found := _META.search(page.body[:4096])):
        said = found.group(1).decode("ascii")
    for encoding in (said, "utf-8"):
        try:
            if encoding:
                return page.body.decode(encoding).removeprefix("\ufeff")
        except (LookupError, UnicodeError, ValueError):  # an unknown name, or one that is not that of a text
            continue
    return page.body.decode("utf-8" if page.is_cut or said else "cp1252", errors="replace").removeprefix("\ufeff")


def _readable(markup: str, url: str) -> str:
    # trafilatura takes 0.2 s to import. It finds the article among menus and adverts, keeps headings, lists,
    # tables and links, and is kept up; readability-lxml gives HTML back, html2text is under the GPL.
    import trafilatura
    from lxml.etree import LxmlError

    markup = markup[:LARGEST_PAGE]
    title = _title(markup)
    text: str | None = None
    try:
        if markup.count("<") <= _MOST_TAGS:
            text = trafilatura.extract(
                markup,
                url=url,
                output_format="markdown",
                include_links=True,
                include_tables=True,
                include_comments=False,
                favor_recall=True,
                fast=True,
            )
    except (LxmlError, RecursionError) as error:  # damaged markup: all of its text is better than nothing
        log.info("the main text of %s was not found: %s", url, error)
    plain = "" if text and len(text) > 200 else _all_text(markup)
    best = text if text and len(text) * 4 > len(plain) else plain
    if not best.strip():
        raise ToolError(f"{url} holds no text: it may be drawn by a script, or be a picture. Try another page.")
    return f"# {title}\n\n{best.strip()}" if title and title not in best[: len(title) + 10] else best.strip()


def _title(markup: str) -> str:
    import html

    found = _TITLE.search(markup[:100_000])
    return " ".join(html.unescape(found.group(1)).split())[:300] if found else ""


def _all_text(markup: str) -> str:
    """Every text of the page in order: for pages without an article, such as lists of links."""
    import lxml.html
    from lxml.etree import LxmlError, strip_elements

    try:
        tree = lxml.html.document_fromstring(
            markup.encode("utf-8", "replace"), parser=lxml.html.HTMLParser(encoding="utf-8")
        )
    except (LxmlError, ValueError):
        return ""
    strip_elements(tree, "script", "style", "noscript", "template", "svg", "head", "iframe", with_tail=False)
    lines = (" ".join(line.split()) for line in "\n".join(tree.itertext()).split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(line for line in lines if line))
