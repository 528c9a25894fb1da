"""Estimates of tokens: of text by its scripts, of messages and requests by what they are made of. Pure.

No tokenizer: the services have dozens, most of them unpublished. `calibration` corrects the estimates for one model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sam_py.messages.message import Message, ToolResultMessage
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.messages.turn import Limits, ToolResultPart, TurnPart
from sam_py.transcript.attached import LONGEST_FILE, is_text_file
from sam_py.transcript.documents import DocumentTexts

PER_MESSAGE = 4
"""What the frame of a message costs."""
PER_CALL = 10
"""What the frame of a call, or of a result, costs."""
_PER_TOOL = 8

_LETTERS = bytes(range(65, 91)) + bytes(range(97, 123))
_DIGITS = b"0123456789"
_SPACES = b" \t\r\n"
_LATIN = bytes(range(0xC3, 0xC6))
_CYRILLIC = bytes(range(0xCD, 0xD5))
_SEMITIC = bytes(range(0xD6, 0xE0))
_INDIC = b"\xe0\xe1"
_SIGNS = b"\xc2\xe2\xef"
_HAN = bytes(range(0xE3, 0xEA))
_HANGUL = bytes(range(0xEA, 0xEE))
_ASTRAL = bytes(range(0xF0, 0xF8))
_LEADS = (
    (_LATIN, 0.45),
    (_CYRILLIC, 0.38),
    (_SEMITIC, 0.42),
    (_INDIC, 0.6),
    (_SIGNS, 0.8),
    (_HAN, 0.85),
    (_HANGUL, 0.75),
    (_ASTRAL, 2.0),
)
"""First bytes of characters in UTF-8, and how many tokens a character is."""
_WHOLE = 200_000
"""Of longer text a part is looked at."""

_PIXELS_PER_TOKEN = 750
_PICTURE_MOST, _PICTURE_LEAST, _PICTURE = 1600, 80, 1000
_PDF_BYTES_PER_TOKEN, _PDF_LEAST, _PDF_MOST = 20, 1500, 200_000
_SEALED_PER_TOKEN = 8
"""Characters of an encrypted thought for one token of it."""
_NAMED = 20
"""The words in the place of something that a model does not take."""


def text_tokens(text: str) -> float:
    """About how many tokens `text` is. A few microseconds, whatever the length.

    >>> round(text_tokens("The quick brown fox jumps over the lazy dog."))
    9
    >>> round(text_tokens("敏捷的棕色狐狸"))
    6
    """
    if len(text) > _WHOLE:
        third = _WHOLE // 3
        middle = len(text) // 2
        shown = text[:third] + text[middle : middle + third] + text[-third:]
        return text_tokens(shown) * (len(text) / len(shown))
    data = text.encode("utf-8", "replace")
    size = len(data)
    rest = data.translate(None, _LETTERS)
    letters = size - len(rest)
    others = rest.translate(None, _SPACES)
    digits_and_signs = others if text.isascii() else others.translate(None, _NOT_ASCII)
    signs = len(digits_and_signs.translate(None, _DIGITS))
    digits = len(digits_and_signs) - signs
    breaks = data.count(b"\n")
    per_letter = 0.235
    foreign = 0.0
    if digits_and_signs is not others:
        for leads, tokens in _LEADS:
            count = len(others) - len(others.translate(None, leads))
            if count:
                foreign += count * tokens
                if leads is _LATIN and count > letters // 200:
                    per_letter = 0.28  # a language with accents: its words are cut into more pieces than English ones
    return letters * per_letter + digits * 0.42 + signs * 0.5 + breaks * 0.3 + foreign


_NOT_ASCII = bytes(range(128, 256))


def parts_tokens(parts: Iterable[TurnPart]) -> float:
    """About how many tokens `parts` are, without the frame around them."""
    return sum(map(part_tokens, parts))


def part_tokens(part: TurnPart) -> float:
    kind = type(part)
    if kind is TextPart:
        return text_tokens(part.text)  # type: ignore[union-attr]
    match part:
        case ToolCallPart():
            return PER_CALL + text_tokens(part.tool_name) + text_tokens(part.arguments_json)
        case ToolResultPart():
            return PER_CALL + text_tokens(part.text) + parts_tokens(part.parts)
        case CodePart():
            return 4 + text_tokens(part.filename) + text_tokens(part.code)
        case ThinkingTextPart() | ThinkingSignaturePart():
            return 0.0  # see `thinking_tokens`
        case ImagePart():
            return picture_tokens(part.width, part.height)
        case FilePart():
            return file_tokens(part)
        case _:
            return 8.0


def picture_tokens(width: int | None, height: int | None) -> float:
    """What a picture costs: by its pixels where they are known. Services shrink what is larger than they look at."""
    if not width or not height:
        return _PICTURE
    return max(_PICTURE_LEAST, min(_PICTURE_MOST, width * height / _PIXELS_PER_TOKEN))


def file_tokens(part: FilePart) -> float:
    """What an attached file costs: a text its length, a PDF by its bytes, anything else its name."""
    if is_text_file(part):
        return 12 + min(part.size, LONGEST_FILE) / 4
    if part.mime_type == "application/pdf":
        return max(_PDF_LEAST, min(_PDF_MOST, part.size / _PDF_BYTES_PER_TOKEN))
    return _NAMED + text_tokens(part.filename)


def message_tokens(message: Message, limits: Limits | None = None, documents: DocumentTexts | None = None) -> float:
    """About how many tokens `message` is in a request, without thinking: see `thinking_tokens`.

    What a model with these `limits` does not take costs the few words that are sent in its place, a file whose hash
    is in `documents` what stands for it there.
    """
    parts: Sequence[Part] = message.parts
    if type(message) is ToolResultMessage:
        tokens = PER_CALL + text_tokens(message.output_text)
        return tokens + sum(_taken(part, limits, documents) for part in parts) if parts else tokens
    tokens = float(PER_MESSAGE)
    for part in parts:
        kind = type(part)
        if kind is TextPart:
            tokens += text_tokens(part.text)  # type: ignore[union-attr]
        elif kind is not ThinkingTextPart and kind is not ThinkingSignaturePart:
            tokens += _taken(part, limits, documents)
    return tokens


def _taken(part: Part, limits: Limits | None, documents: DocumentTexts | None) -> float:
    if documents and type(part) is FilePart and (text := documents.get(part.attachment)) is not None:
        return text.tokens
    if limits is not None:
        if type(part) is ImagePart and not limits.images:
            return _NAMED + text_tokens(part.alt)
        if type(part) is FilePart and not limits.pdfs and part.mime_type == "application/pdf":
            return _NAMED + text_tokens(part.filename)
    return part_tokens(part)


def tools_tokens(tools: Iterable[Any]) -> float:
    """About how many tokens the `tools` (each with name, description and parameters) are."""
    tokens = 0.0
    for tool in tools:
        tokens += _PER_TOOL + text_tokens(tool.name) + text_tokens(tool.description)
        tokens += _schema_tokens(tool.parameters)
    return tokens


def thinking_tokens(parts: Iterable[TurnPart]) -> float:
    """What the thinking among `parts` costs where a model is shown it again: in the tool loop that goes on.

    What can be read counts, else what is sealed: the one is the other.
    """
    read = sealed = 0.0
    for part in parts:
        match part:
            case ThinkingTextPart():
                read += text_tokens(part.text)
            case ThinkingSignaturePart():
                sealed += len(part.signature) / _SEALED_PER_TOKEN
            case _:
                pass
    return read or sealed


def _schema_tokens(schema: Mapping[str, Any]) -> float:
    """Services write schemas more tersely than JSON is."""
    return 0.8 * text_tokens(json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
