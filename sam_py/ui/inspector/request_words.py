"""Request words: a request as a person reads it, piece by piece, before it is written for any provider. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication

from sam_py.messages.parts import CodePart, FilePart, ImagePart, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest
from sam_py.ui.inspector.words import filled, number

MOST_TURNS = 120
"""So many of the last turns are written out; the raw form has all of them."""
_LONGEST = 20_000
_UNBROKEN = 2_000
"""A text of more characters without a space is no text: a picture, most likely."""
_REMINDER = "<system-reminder>"


class Piece(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    text: str


def request_pieces(request: ChatRequest) -> list[Piece]:
    """Instructions, tools and turns in the order in which the model reads them; reminders apart from what was said."""
    pieces = []
    if request.system:
        pieces.append(Piece(_tr("Instructions"), _cut(request.system)))
    if request.tools:
        names = ", ".join(tool.name for tool in request.tools)
        words = filled(_tr("%1, each with its description and arguments: the other form shows them."), names)
        pieces.append(Piece(filled(_tr("Tools (%1)"), number(len(request.tools))), words))
    skipped = max(0, len(request.turns) - MOST_TURNS)
    if skipped:
        words = _tr("%1 earlier turns are sent, too: the other form shows all of them.")
        pieces.append(Piece(_tr("Earlier turns"), filled(words, number(skipped))))
    for turn in request.turns[skipped:]:
        pieces += _turn_pieces(turn)
    return pieces


def _turn_pieces(turn: Turn) -> Iterator[Piece]:
    said: list[str] = []
    name = _tr("You") if turn.role == "user" else _tr("Assistant")
    for part in turn.parts:
        if isinstance(part, TextPart) and part.text.startswith(_REMINDER):
            if said:
                yield Piece(name, _cut("\n\n".join(said)))
                said = []
            yield Piece(_tr("Reminder"), _cut(part.text))
        elif isinstance(part, ToolResultPart):
            held = "".join(f"\n{_part_words(each)}" for each in part.parts)
            heading = filled(_tr("Result of %1 (%2)"), part.tool_name, part.status)
            yield Piece(heading, _cut(part.text + held))
        else:
            said.append(_part_words(part))
    if said:
        yield Piece(name, _cut("\n\n".join(said)))


def _part_words(part: TurnPart) -> str:
    match part:
        case TextPart():
            return part.text
        case CodePart():
            return part.code
        case ThinkingTextPart():
            return filled(_tr("[thinking: %1]"), part.text)
        case ToolCallPart():
            return filled(_tr("[calls %1 with %2]"), part.tool_name, part.arguments_json or "{}")
        case ImagePart():
            return filled(_tr("[picture: %1]"), part.alt or part.mime_type)
        case FilePart():
            return filled(_tr("[file: %1, %2 bytes]"), part.filename, number(part.size))
        case _:
            return filled(_tr("[%1]"), part.kind)


def body_lines(body: bytes) -> str:
    """The JSON of `body` in lines, without its quotation marks; as it is where it is no JSON.

    >>> print(body_lines(b'{"model":"m","messages":[{"role":"user","content":"a\\\\nb"}],"stream":true}'))
    model: m
    messages:
      - role: user
        content:
          a
          b
    stream: true
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")
    return "\n".join(_lines(value, 0))


def _lines(value: Any, depth: int) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(value, dict):
        for key, inner in value.items():
            if _is_plain(inner):
                yield f"{pad}{key}: {_plain(inner)}"
            else:
                yield f"{pad}{key}:"
                yield from _lines(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            lines = list(_lines(inner, depth + 1))
            first = lines[0].strip() if lines else "{}" if isinstance(inner, dict) else "[]"
            yield f"{pad}- {first}"
            yield from lines[1:]
    elif isinstance(value, str):
        for line in _shown(value).splitlines():
            yield f"{pad}{line}"
    else:
        yield f"{pad}{_plain(value)}"


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" not in value
    return not isinstance(value, dict | list) or not value


def _plain(value: Any) -> str:
    return _shown(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(text: str) -> str:
    """`text`, or what it is where nobody could read it."""
    if len(text) > _UNBROKEN and " " not in text[:_UNBROKEN]:
        return filled(_tr("[%1 characters of data, beginning with %2…]"), number(len(text)), text[:40])
    return _cut(text)


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    more = filled(_tr("[… %1 more characters]"), number(len(text) - _LONGEST))
    return f"{text[:_LONGEST]}\n{more}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inspector", text)
