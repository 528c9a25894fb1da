"""Kept items: what only the service understands of its reply, and in what form it goes back.

A `ThinkingSignaturePart.signature` of this wire is a JSON object with one or both of

- ``item``: a reasoning item, or that of a tool which the service ran itself, as it came;
- ``leads_to``: what came right behind it, and the ``phase`` where that is a message. A reasoning item is
  refused without the item that it led to, so that it goes back in front of such a one or not at all.

``late`` stands in one whose item came complete only after what it led to: it replaces the one before it
with the same id.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.openai_responses.server_items import ItemJson, server_item

# What OpenRouter's reasoning items say of those of other makers, which check them.
_OPENROUTER = ("signature", "format")
_PHASES = frozenset({"commentary", "final_answer"})


@dataclass(frozen=True, slots=True)
class Follower:
    """What an item leads to: its type, a call's name, a message's phase; each but the type may be empty."""

    type: str
    name: str = ""
    phase: str = ""

    def is_met_by(self, item: ItemJson) -> bool:
        return self.type == item["type"] and self.name in ("", item.get("name", ""))


@dataclass(frozen=True, slots=True)
class Kept:
    """One unpacked signature; `item` is in the form that a request takes."""

    item: ItemJson | None
    leads_to: Follower | None
    late: bool = False

    @property
    def id(self) -> str:
        """Tells which one a late one replaces."""
        return _text(self.item.get("id")) if self.item is not None else ""


def pack(item: ItemJson | None, leads_to: Follower | None = None, *, late: bool = False) -> str:
    """A signature that keeps `item` as it came."""
    value: dict[str, Any] = {}
    if item is not None:
        value["item"] = item
    if leads_to is not None:
        told = {"type": leads_to.type, "name": leads_to.name, "phase": leads_to.phase}
        value["leads_to"] = {key: text for key, text in told.items() if text}
    if late:
        value["late"] = True
    return mend_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def unpack(signature: str) -> Kept | None:
    """What `signature` keeps; None where it is damaged, of another wire, or of no use to a request.

    >>> unpack("EpQCsig=="), unpack('[{"type": "reasoning.text"}]'), unpack('{"item": {"type": "reasoning"}}')
    (None, None, None)
    >>> unpack('{"item": {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}}').item
    {'type': 'reasoning', 'id': 'rs_1', 'summary': [], 'encrypted_content': 'x'}
    """
    try:
        value = json.loads(signature, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    raw, leads_to = value.get("item"), _follower(value.get("leads_to"))
    if not isinstance(raw, dict):
        return Kept(None, leads_to) if leads_to is not None else None
    item = as_input(raw)
    if item is None:
        return None
    return Kept(item, leads_to, late=value.get("late") is True)


def as_input(raw: ItemJson) -> ItemJson | None:
    """An item of a reply as a request takes it; None where it says nothing or a request cannot take it."""
    return _reasoning(raw) if raw.get("type") == "reasoning" else server_item(raw)


def _reasoning(raw: ItemJson) -> ItemJson | None:
    encrypted = _text(raw.get("encrypted_content"))
    content = _texts(raw.get("content"), "reasoning_text")
    if not encrypted and not content:
        return None  # a summary alone stands for an item that the server forgot
    item: ItemJson = {"type": "reasoning"}
    if _text(raw.get("id")):
        item["id"] = raw["id"]
    item["summary"] = _texts(raw.get("summary"), "summary_text")
    if content:
        item["content"] = content
    if encrypted:
        item["encrypted_content"] = encrypted
    for key in _OPENROUTER:
        if _text(raw.get(key)):
            item[key] = raw[key]
    return item


def _texts(parts: Any, kind: str) -> list[ItemJson]:
    return [
        {"type": kind, "text": part["text"]}
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and isinstance(part.get("text"), str) and part["text"]
    ]


def _follower(value: Any) -> Follower | None:
    if not isinstance(value, dict) or not _text(value.get("type")):
        return None
    phase = _text(value.get("phase"))
    return Follower(_text(value["type"]), _text(value.get("name")), phase if phase in _PHASES else "")


def _refused(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else float(_refused(number))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
