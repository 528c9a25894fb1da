"""What messages say: whether two say the same, and whether one says all that the other does, and more."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sam_py.store.exporters.lossless import canonical
from sam_py.store.importers.found import text_of

NO_RESULT = "The export holds no result of this call."
"""Stands in for a tool's result that an export does not have."""
_GROWING = ("assistant", "tool")
"""Roles whose text may have been taken while it was being written. What a person said and changed is said anew."""


def said(message: Mapping[str, Any]) -> list[Any]:
    """What a message says, without when, where and by whom: equal where a reader sees no difference.

    `message` is in the form in which it is written (JSON).
    """
    parts = [part for part in parts_of(message) if _kind(part) != "thinking_signature"]
    return [message.get("role"), message.get("call_id"), text_of(message.get("output_text")), parts]


def parts_of(message: Mapping[str, Any]) -> list[Any]:
    """The parts of a message, as a file has them that anybody may have written."""
    parts = message.get("parts")
    return parts if isinstance(parts, list) else []


def _kind(part: object) -> str:
    return text_of(part.get("kind")) if isinstance(part, dict) else ""


def mark_of(message: Mapping[str, Any]) -> str:
    """A few letters for what a message says: the same for the same.

    >>> mark_of({"role": "user", "id": "1"}) == mark_of({"role": "user", "id": "2"})
    True
    """
    return hashlib.sha256(canonical(said(message))).hexdigest()


def holds_all_of(message: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether `message` says all that `other` says: a whole reply and its beginning, a picture and its name.

    >>> half, whole = [{"role": "assistant", "parts": [{"kind": "text", "text": text}]} for text in ("Yes", "Yes.")]
    >>> holds_all_of(whole, half), holds_all_of(half, whole)
    (True, False)
    """
    role, call, output, parts = said(message)
    other_role, other_call, other_output, other_parts = said(other)
    if (role, call) != (other_role, other_call):
        return False
    if other_output != NO_RESULT and not (
        output == other_output or (output != NO_RESULT and output.startswith(other_output))
    ):
        return False
    return _are_among(other_parts, parts, may_grow=role in _GROWING)


def _are_among(few: Sequence[Any], many: Sequence[Any], *, may_grow: bool) -> bool:
    """Whether each part of `few` is among `many`, in the same order."""
    rest = iter(many)
    return all(any(_holds(each, part, may_grow=may_grow) for each in rest) for part in few)


def _holds(part: Any, other: Any, *, may_grow: bool) -> bool:
    kind, other_kind = _kind(part), _kind(other)
    if not kind or not other_kind:
        return bool(part == other)
    if other_kind.startswith("imported_"):
        value = other.get("value")
        if kind in ("image", "file"):
            return True  # what was named then is there now
        if kind in ("text", "thinking_text"):
            return isinstance(value, dict) and bool(part.get("text")) and part.get("text") in value.values()
        return kind.startswith("imported_") and part.get("value") == value
    if kind != other_kind:
        return False
    match kind:
        case "text" | "thinking_text":
            return _reaches(part.get("text"), other.get("text"), may_grow=may_grow)
        case "tool_call":
            keys = ("call_id", "tool_name")
            return all(part.get(key) == other.get(key) for key in keys) and (
                part.get("arguments_json") == other.get("arguments_json")
                or other.get("arguments_json") in ("", "{}", None)
            )
        case "image" if not other.get("attachment"):
            return bool(part.get("attachment")) or part.get("url") == other.get("url")
        case "image" | "file":
            return bool(part.get("attachment") == other.get("attachment"))
        case _:
            return bool(part == other)


def _reaches(text: object, other: object, *, may_grow: bool) -> bool:
    whole, beginning = text_of(text), text_of(other)
    return whole.startswith(beginning) if may_grow else whole == beginning
