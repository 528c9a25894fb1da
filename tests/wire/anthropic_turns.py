"""Turns and bodies for tests of Messages requests."""

from __future__ import annotations

from typing import Any

from sam_py.messages.parts import Part, TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import Limits, ToolResultPart, Turn, TurnPart
from sam_py.providers.anthropic.request import build_body
from sam_py.providers.base import ChatRequest, ToolSpec

OLD, NEW = "claude-sonnet-4-5-20250929", "claude-opus-4-8"
PNG = b"\x89PNG\r\n\x1a\n rest"
TOOL = ToolSpec("read", "Reads.", {"type": "object", "properties": {"path": {"type": "string"}}})
SEES = Limits(images=True, pdfs=True, tools=True, thinking=True)


def user(*parts: TurnPart | str) -> Turn:
    return Turn("user", tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def claude(*parts: TurnPart | str, model: str = OLD, provider: str = "p") -> Turn:
    said = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn("assistant", said, provider=provider, model=model)


def call(call_id: str = "a", arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="read", arguments_json=arguments)


def result(call_id: str = "a", text: str = "out", *parts: Part, status: Any = "success") -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name="read", status=status, text=text, parts=parts)


def opaque(signature: str, model: str = OLD, provider: str = "p") -> ThinkingSignaturePart:
    return ThinkingSignaturePart(signature=signature, provider=provider, model=model)


def body_of(*turns: Turn, model: str = OLD, limits: Limits = SEES, **request: Any) -> dict[str, Any]:
    return build_body(ChatRequest(model=model, turns=turns or (user("Hi"),), provider="p", limits=limits, **request))


def blocks(body: dict[str, Any], number: int = -1) -> list[dict[str, Any]]:
    """The blocks of a message, without cache markers."""
    content = body["messages"][number]["content"]
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in content]


def marked(body: dict[str, Any]) -> list[str]:
    """Where cache markers stand: ``tools``, ``system``, or message and block."""
    found = [name for name in ("tools", "system") for block in body.get(name, ()) if "cache_control" in block]
    for number, message in enumerate(body["messages"]):
        found += [f"{number}.{place}" for place, block in enumerate(message["content"]) if "cache_control" in block]
    return found


SIGNED = (ThinkingTextPart(text="Hm."), opaque("sig"))
