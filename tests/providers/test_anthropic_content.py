"""Calls, results, pictures and documents have the form that Messages want, and nothing blank is sent."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sam_py.errors import SamError
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    UnknownPart,
)
from sam_py.messages.turn import Limits
from sam_py.providers.base import ToolSpec
from sam_py.providers.ids import wire_id
from tests.wire.anthropic_turns import (
    PNG,
    SEES,
    TOOL,
    blocks,
    body_of,
    call,
    claude,
    result,
    user,
)

# Calls and results


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"path": "a"}', {"path": "a"}),
        ("", {}),
        ("null", {}),
        ('{"path": "un', {"invalid_arguments": '{"path": "un'}),
        ("[1]", {"invalid_arguments": [1]}),
    ],
)
def test_arguments_are_always_an_object(arguments: str, sent: dict[str, Any]) -> None:
    body = body_of(user("Q"), claude(call("a", arguments)), user(result()), tools=(TOOL,))
    assert blocks(body, 1)[0]["input"] == sent


def test_results_come_first_and_say_when_they_are_errors() -> None:
    turns = (user("Q"), claude(call("a"), call("b")), user("By the way", result("a"), result("b", "", status="error")))
    assert blocks(body_of(*turns, tools=(TOOL,))) == [
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "out"}]},
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "content": [{"type": "text", "text": "(no output)"}],
            "is_error": True,
        },
        {"type": "text", "text": "By the way"},
    ]


def test_pictures_stand_in_the_result_they_came_with() -> None:
    picture = ImagePart(attachment="h", mime_type="image/png")
    turns = (user("Q"), claude(call()), user(result("a", "(no output)", picture)))
    content = blocks(body_of(*turns, tools=(TOOL,), attachments={"h": PNG}))[0]["content"]
    assert [block["type"] for block in content] == ["image"]


@pytest.mark.parametrize("call_id", ["toolu_01AbC", "call-1", "", "fc|rs:with/signs", "x" * 200, "日本"])
def test_ids_of_any_service_fit_and_pairs_stay_pairs(call_id: str) -> None:
    body = body_of(user("Q"), claude(call(call_id)), user(result(call_id)), tools=(TOOL,))
    sent = blocks(body, 1)[0]["id"]
    assert sent == blocks(body)[0]["tool_use_id"] == wire_id(call_id, "anthropic")
    assert sent
    assert len(sent) <= 64
    assert sent.isascii()
    assert sent.replace("-", "").replace("_", "").isalnum()


def test_tools_of_one_name_are_sent_once_with_an_object_for_a_schema() -> None:
    odd = ToolSpec("read", "", {"anyOf": [{"type": "string"}]})
    bare = ToolSpec("no schema", " ", {})
    tools = body_of(tools=(TOOL, odd, bare))["tools"]
    assert tools[0] == {"name": "read", "description": "Reads.", "input_schema": dict(TOOL.parameters)}
    assert tools[1]["input_schema"] == {"type": "object", "properties": {}}
    assert tools[1]["name"].startswith("no_schema")
    assert len(tools) == 2


# What a person says


def test_a_picture_says_what_its_bytes_are() -> None:
    part = ImagePart(attachment="h", mime_type="image/jpeg")
    source = blocks(body_of(user(part), attachments={"h": PNG}))[0]["source"]
    assert source == {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}


@pytest.mark.parametrize(
    ("part", "limits", "sent"),
    [
        (
            ImagePart(url="https://x/y.png"),
            SEES,
            {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
        ),
        (ImagePart(url="http://x/y.png", alt="a cat"), SEES, {"type": "text", "text": "[Image: a cat]"}),
        (ImagePart(attachment="h"), Limits(), {"type": "text", "text": "[Image]"}),
        (ImagePart(attachment="tiff", mime_type="image/tiff"), SEES, {"type": "text", "text": "[Image]"}),
        (CodePart(code="x = 1", language="python"), SEES, {"type": "text", "text": "```python\nx = 1\n```\n"}),
        (
            FilePart(attachment="pdf", filename="a.pdf", mime_type="application/pdf"),
            SEES,
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="},
                "title": "a.pdf",
            },
        ),
        (
            FilePart(attachment="text", filename="a.md", mime_type="text/markdown"),
            SEES,
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": "Grüße"},
                "title": "a.md",
            },
        ),
    ],
)
def test_what_is_attached_has_its_form(part: Part, limits: Limits, sent: dict[str, Any]) -> None:
    attachments = {"h": PNG, "tiff": b"II*\x00", "pdf": b"%PDF", "text": "Grüße".encode()}
    assert blocks(body_of(user(part), limits=limits, attachments=attachments)) == [sent]


def test_a_file_that_cannot_be_read_is_named() -> None:
    part = FilePart(attachment="z", filename="a.zip", mime_type="application/zip", size=3)
    assert "a.zip" in blocks(body_of(user(part)))[0]["text"]


def test_a_lost_attachment_is_named() -> None:
    with pytest.raises(SamError, match=r"“a\.pdf” is missing"):
        body_of(user(FilePart(attachment="h", filename="a.pdf", mime_type="application/pdf")))


def test_a_part_that_has_no_form_here_is_refused() -> None:
    with pytest.raises(ValueError, match="hologram"):
        body_of(user(UnknownPart(kind="hologram")))


def test_blank_texts_are_never_sent() -> None:
    body = body_of(user("Q", " ", "\n"), claude("", "A", "\n\n"), user("Q2"), system="  ")
    assert [len(message["content"]) for message in body["messages"]] == [1, 1, 1]
    assert "system" not in body


def test_half_a_character_is_mended() -> None:
    body = body_of(user("a\ud83c"), system="\ud83c\udf89")
    assert blocks(body)[0]["text"] == "a\ufffd"
    assert body["system"][0]["text"] == "\N{PARTY POPPER}"
