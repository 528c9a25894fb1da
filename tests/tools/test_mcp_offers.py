"""What a server has besides tools: resources and prompts as they are, proposals, and requests that are refused."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace as Block

import pytest

from sam_py.tools.base import ToolError
from sam_py.tools.mcp.content import prompt_messages, read_contents
from sam_py.tools.mcp.offer import ReadContent
from sam_py.tools.mcp.templates import TemplateError, filled, places
from tests.fakes.mcp_host import Host, fake, run_on_asyncio

PIXEL = base64.b64encode(b"\x89PNG...").decode()


def test_a_resource_is_read_as_it_is_with_a_name_that_says_its_kind() -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake())
        one, blob = await host.servers.read("fake", "note:///one")
        assert (one.name, one.text) == ("one", "One.")
        assert (blob.name, blob.mime_type, blob.text) == ("one.bin", "application/x-note", None)
        assert blob.data.startswith(b"\x89PNG")
        with pytest.raises(ToolError, match="no such note"):
            await host.servers.read("fake", "note:///two")
        await host.servers.aclose()

    run_on_asyncio(work())


def test_values_are_proposed_by_servers_that_can() -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake("fake", "proposes"), fake("mute"))
        assert await host.servers.complete("fake", "prompt", "greet", "tone", "k", {"to": "Ann"}) == [
            *("kind", "kinder"),
            "to",
        ]
        assert await host.servers.complete("fake", "template", "note:///{name}", "name", "c", {}) == ["cold"]
        assert await host.servers.complete("mute", "prompt", "greet", "tone", "k", {}) == []
        await host.servers.aclose()

    run_on_asyncio(work())


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage", "roots/list"])
def test_what_a_server_asks_of_us_is_refused_in_words_and_the_call_goes_on(method: str) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake("fake", "asks-back"))
        answer = json.loads((await host.call("ask-back", method=method)).text)
        assert "not supported" in answer["message"]
        await host.servers.aclose()

    run_on_asyncio(work())


def test_what_comes_with_a_prompt_stays_apart_from_its_words() -> None:
    messages = [
        Block(role="user", content=Block(type="text", text="Look at this:")),
        Block(role="user", content=Block(type="image", data=PIXEL, mime_type="image/png")),
        Block(
            role="user",
            content=Block(type="resource", resource=Block(uri="demo://notes/1", mime_type="text/plain", text="One.")),
        ),
        Block(role="assistant", content=Block(type="resource_link", name="far", uri="demo://far")),
    ]
    assert [(each.role, each.text, each.attached) for each in prompt_messages(messages)] == [
        ("user", "Look at this:", None),
        ("user", "", ReadContent("image.png", "image/png", data=b"\x89PNG...")),
        ("user", "", ReadContent("1.txt", "text/plain", "One.")),
        ("assistant", "[far: demo://far]", None),
    ]


def test_damaged_bytes_are_said_and_not_taken() -> None:
    with pytest.raises(ToolError, match="came damaged"):
        read_contents([Block(uri="demo:///a.png", mime_type="image/png", blob="!!")], "")


def test_places_of_an_address_are_filled_in_without_breaking_out_of_them() -> None:
    assert places("demo://{kind}/{id}") == ("kind", "id")
    assert filled("demo://{kind}/{id}", {"kind": "text", "id": "../x?y"}) == "demo://text/..%2Fx%3Fy"
    with pytest.raises(TemplateError, match="not known here"):
        places("demo://x{?page}")
