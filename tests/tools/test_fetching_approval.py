"""What the person is asked about before a page is fetched, and which addresses are refused without asking."""

from __future__ import annotations

import asyncio
import json

import pytest

from sam_py.tools.approval import Approvals, Grant, Question
from sam_py.tools.base import ToolError
from sam_py.tools.builtin.fetch_page import FetchPageTool
from sam_py.tools.builtin.fetching import Fetcher


def test_a_page_of_the_own_network_is_asked_about_whatever_was_allowed() -> None:
    async def main() -> None:
        tool = FetchPageTool(Fetcher(may_reach_private=lambda host: host == "localhost"))
        approvals = Approvals(
            (Grant(tool_name=tool.name, fingerprint=tool.fingerprint, effects=("network", "own network")),)
        )
        outside, inside = (
            tool.touches(tool.parse(json.dumps({"url": url})))
            for url in ("https://example.org/", "http://localhost:8978/admin")
        )
        assert approvals.is_free(tool, outside, "c")
        assert not approvals.is_free(tool, inside, "c")
        question = Question("1", "c", tool.name, tool.label, "Fetch", "{}", inside)
        answer = asyncio.ensure_future(approvals.ask(question, tool.fingerprint))
        await asyncio.sleep(0)
        held = approvals.grants
        approvals.answer("1", "c", "always")
        assert await answer == "always"
        assert approvals.grants == held

    asyncio.run(main())


@pytest.mark.parametrize("url", ["http://xn--/", "http://xn--a.example/x"])
def test_a_host_whose_name_cannot_be_decoded_is_refused_in_words(url: str) -> None:
    tool = FetchPageTool(Fetcher())
    arguments = tool.parse(json.dumps({"url": url}))
    for judge in (tool.doing, tool.touches):
        with pytest.raises(ToolError, match="not the address of a page"):
            judge(arguments)
