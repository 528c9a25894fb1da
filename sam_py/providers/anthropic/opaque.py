"""Opaque blocks: how what only Anthropic understands travels through our messages, and how it is read again.

A `ThinkingSignaturePart.signature` of this wire holds one of three things:

- a plain text: the signature of the thinking text right before it (or of thinking that was not shown);
- a JSON object: a whole block at its place (redacted thinking, what a server tool did, blocks of a newer
  version). One of type ``tool_use`` holds what the next call has beyond id, name and input;
- a JSON list: how the text right before it was cut into blocks, with their citations. Each has its text, or
  where nothing is cited its length alone.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sam_py.messages.builder import mend_surrogates

Block = dict[str, Any]

THINKING = frozenset({"thinking", "redacted_thinking"})
_MOST_TRIMMED = 16
_SIGNATURE = re.compile(r"[!-~]+\Z")


def pack(value: Block | list[Block]) -> str:
    """`value` as the signature of an opaque part."""
    return mend_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def unpack(signature: str) -> str | Block | list[Block] | None:
    """What `signature` holds; None where it is damaged or of another wire.

    >>> unpack("EpQCsig=="), unpack('{"type":"redacted_thinking","data":"x"}'), unpack("{damaged"), unpack("[3]")
    ('EpQCsig==', {'type': 'redacted_thinking', 'data': 'x'}, None, None)
    """
    if not signature.startswith(("{", "[")):
        return signature if _SIGNATURE.match(signature) else None
    try:
        value = json.loads(signature)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return value if _is_block(value) else None
    if all(_is_cut(block) for block in value):
        return list(value)
    return None


def cut_text(text: str, cuts: list[Block]) -> list[Block]:
    """`text` in the blocks that it came in; none where it is no longer what `cuts` cut.

    Line breaks at its beginning and white space at its end may have been trimmed since.

    >>> cuts = [{"type": "text", "length": 8}, {"type": "text", "text": "Quack", "citations": [{}]}]
    >>> [block["text"] for block in cut_text("It is Quack", cuts)], cut_text("It is a duck", cuts)
    (['It is ', 'Quack'], [])
    """
    return next((blocks for lead in range(_MOST_TRIMMED) if (blocks := _cut_behind(lead, text, cuts))), [])


def _cut_behind(lead: int, text: str, cuts: list[Block]) -> list[Block]:
    """`text` cut, of which `lead` characters are missing at its beginning; none where the cuts do not fit."""
    blocks: list[Block] = []
    end = -lead
    for cut in cuts:
        start, end = end, end + (len(cut["text"]) if "text" in cut else cut["length"])
        piece = text[max(start, 0) : max(end, 0)]
        if "text" in cut and piece.strip() != cut["text"].strip():
            return []
        blocks.append({**{key: value for key, value in cut.items() if key != "length"}, "text": piece})
    return blocks if 0 <= end - len(text) < _MOST_TRIMMED else []


def as_input(block: Block) -> Block:
    """A block of an answer as requests take it: what answers say beyond that is refused.

    Keys that are null are left out, but for citations, whose titles may be; there `file_id` stands in
    answers alone ("Extra inputs are not permitted").
    """
    kept: Block = _without_nulls({key: value for key, value in block.items() if key != "citations"})
    citations = block.get("citations")
    told = [
        {key: value for key, value in each.items() if key != "file_id"}
        for each in (citations if isinstance(citations, list) else ())
        if isinstance(each, dict)
    ]
    return {**kept, "citations": told} if told else kept


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def _is_block(value: Block) -> bool:
    """Whether a request could take it: what is wrong with it otherwise is the server's to say."""
    match value.get("type"):
        case "thinking":
            return isinstance(value.get("thinking"), str) and _is_text(value.get("signature"))
        case "redacted_thinking":
            return _is_text(value.get("data"))
        case "text" | "image" | "document" | "tool_result":
            return False  # these have parts of their own
        case kind:
            return _is_text(kind)


def _is_cut(cut: Any) -> bool:
    if not isinstance(cut, dict) or cut.get("type") != "text":
        return False
    return isinstance(cut["text"], str) if "text" in cut else isinstance(cut.get("length"), int) and cut["length"] >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
