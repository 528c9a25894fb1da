"""Reasoning as services stream it, and how they want it back: plain text, or `reasoning_details`, which are opaque."""

from __future__ import annotations

import json
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.family import same_family
from sam_py.messages.parts import TextPart, ThinkingSignaturePart, ThinkingTextPart
from sam_py.messages.turn import Turn, TurnPart
from sam_py.providers.base import ChatRequest, ThinkingSigned
from sam_py.providers.openai_chat.dialect import Dialect, ReasoningField, reasoning_field

_GROWING = ("text", "summary", "data")
_REPEATS_FROM = 24
"""A text that begins with so many characters of what came before is the whole again, not a further piece of it."""


def reasoning_text(delta: dict[str, Any]) -> tuple[str, ReasoningField]:
    """The visible reasoning of a delta and the field that it came in; both empty where there is none.

    `reasoning` (OpenRouter, Groq, vLLM, Ollama …) and `reasoning_content` (DeepSeek, llama.cpp …) hold the
    same text where both come, and so do the details beside them.
    """
    if isinstance(value := delta.get("reasoning_content"), str) and value:
        return value, "reasoning_content"
    if isinstance(value := delta.get("reasoning"), str) and value:
        return value, "reasoning"
    return "", ""


class DetailsAssembly:
    """Merges the fragments of `reasoning_details` by index and type: texts grow, the rest is kept as it came last.

    The service wants the merged objects back as they were, so that they become one opaque signature.
    `size` is how many characters are held.
    """

    def __init__(self) -> None:
        self.size = 0
        self._details: list[dict[str, Any]] = []
        self._open: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, fragments: Any) -> str:
        """Take the fragments of one delta in and return the readable text that they add."""
        added = []
        for fragment in fragments if isinstance(fragments, list) else ():
            if not isinstance(fragment, dict):
                continue
            place = (repr(fragment.get("index")), repr(fragment.get("type")))
            detail = self._open.get(place) if fragment.get("index") is not None else None
            if detail is None or _is_other(detail, fragment):
                detail = {}
                self._details.append(detail)
                self._open[place] = detail
                self.size += 1
            for name, value in fragment.items():
                if name in _GROWING and isinstance(value, str):
                    grown, new = _grown(detail.get(name), value)
                    detail[name] = grown
                    self.size += len(new)
                    if name != "data":
                        added.append(new)
                elif value is not None:
                    detail[name] = value
                    self.size += len(value) if isinstance(value, str) else 1
        return "".join(added)

    def signature(self) -> ThinkingSigned | None:
        """The details since the last signature as JSON text; None where none came."""
        if not self._details:
            return None
        details, self._details = self._details, []
        self._open.clear()
        for detail in details:
            for name, value in detail.items():
                if isinstance(value, str):
                    detail[name] = mend_surrogates(value)
        return ThinkingSigned(mend_surrogates(json.dumps(details, ensure_ascii=False)))


def is_own(turn: Turn, request: ChatRequest) -> bool:
    """Whether the provider and the model that are asked wrote `turn` themselves."""
    return turn.provider == request.provider and same_family(turn.model, request.model)


def missing_reasoning(request: ChatRequest, dialect: Dialect) -> str | None:
    """What a message with calls has to hold instead of reasoning that we do not have; None: nothing has to."""
    if dialect.reasoning_back != "by_model":
        return dialect.missing_reasoning
    # Not every server knows the field; this one does where the model's reasoning came.
    came = any(is_own(turn, request) and any(map(_is_thinking, turn.parts)) for turn in request.turns)
    return "" if came else None


def give_reasoning_back(
    message: dict[str, Any], turn: Turn, request: ChatRequest, dialect: Dialect, missing: str | None
) -> None:
    """Add the model's own reasoning to its message, in the field that it came in; another's stays away.

    What cannot be read (a signature of another wire, a damaged one) is left out; `missing` is `missing_reasoning`.
    """
    where = reasoning_field(dialect, request.model)
    own = is_own(turn, request)
    if own:
        _give_signed_back(message, turn, request)
    if where in ("reasoning", "reasoning_content"):
        text = mend_surrogates("".join(part.text for part in turn.parts if isinstance(part, ThinkingTextPart)))
        if own and text.strip() and "reasoning_details" not in message:
            message[where] = text
        elif "tool_calls" in message and missing is not None:
            message[where] = missing
    elif where == "thinking_list" and own and any(isinstance(part, ThinkingTextPart) for part in turn.parts):
        _list_thinking(message, turn)


def _give_signed_back(message: dict[str, Any], turn: Turn, request: ChatRequest) -> None:
    """Details as they came; and what the server hung on a call (Google's thought signature) onto that call."""
    details: list[dict[str, Any]] = []
    for part in turn.parts:
        if not isinstance(part, ThinkingSignaturePart) or part.provider != request.provider:
            continue
        if not same_family(part.model, request.model):
            continue
        value = _json_of(part.signature)
        if isinstance(value, list) and all(isinstance(each, dict) and each.get("type") for each in value):
            details += value
        elif isinstance(value, dict) and isinstance(value.get("call"), int) and "extra_content" in value:
            calls = message.get("tool_calls", [])
            if 0 <= value["call"] < len(calls):
                calls[value["call"]]["extra_content"] = value["extra_content"]
    if details:
        message["reasoning_details"] = details


def _list_thinking(message: dict[str, Any], turn: Turn) -> None:
    """Mistral's form: thinking and text as a list, in the order in which they came."""
    content: list[dict[str, Any]] = []
    for part in turn.parts:
        if isinstance(part, ThinkingTextPart) and part.text.strip():
            content.append({"type": "thinking", "thinking": [{"type": "text", "text": mend_surrogates(part.text)}]})
        elif isinstance(part, TextPart) and part.text.strip():
            content.append({"type": "text", "text": mend_surrogates(part.text)})
    if any(part["type"] == "thinking" for part in content):
        message["content"] = content


def _grown(before: Any, piece: str) -> tuple[str, str]:
    """A text with the next piece, and what of that is new. MiniMax sends the whole text so far each time."""
    if not isinstance(before, str):
        return piece, piece
    if len(before) >= _REPEATS_FROM and piece.startswith(before):
        return piece, piece[len(before) :]
    return before + piece, piece


def _is_other(detail: dict[str, Any], fragment: dict[str, Any]) -> bool:
    """Whether `fragment` has an id that says it belongs to another detail of the same index."""
    return bool(fragment.get("id")) and bool(detail.get("id")) and fragment["id"] != detail["id"]


def _is_thinking(part: TurnPart) -> bool:
    return isinstance(part, ThinkingTextPart)


def _json_of(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
