"""pydantic-ai's message JSON, and lists of legacy dictionaries (``{"role": …, "content": …}``), as JSON or one a line.

Source: https://ai.pydantic.dev/api/messages/; `sam_py.messages.adapters` reads both forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sam_py.messages.adapters.legacy import from_any
from sam_py.messages.adapters.pydantic_ai import side_in
from sam_py.messages.adapters.side import SIDE
from sam_py.messages.history import HistoryEvent, MessageAdded, SettingsChanged
from sam_py.messages.message import Message, utc_now
from sam_py.store.exporters.lossless import canonical, mended
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import UNFIT, Aside, Found, Head, Importer, Source, fields_of, stable_id, taken
from sam_py.store.importers.json_stream import DamagedItem

KEY = "pydantic-ai"
_LONGEST_LINE = 256 * 1024 * 1024


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(_is_message(fields_of(head.first)) or _is_message(head.members) for head in heads)


def _is_message(form: Mapping[str, Any]) -> bool:
    if form.get("kind") in ("request", "response"):
        return "parts" in form
    return "content" in form and form.get("role") in ("user", "assistant", "system", "tool", "human", "ai", "model")


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file([*source.files, *source.others], _run_in)


def _run_in(source: Source, name: str) -> Iterator[Found | Aside]:
    forms: list[Mapping[str, Any]] = []
    for value in _values(source, name):
        if isinstance(value, Aside):
            yield value
        else:
            forms.append(fields_of(value))
    yield from _taken(source, name, forms)


def _values(source: Source, name: str) -> Iterator[Any]:
    with source.bundle.stream(name) as stream:
        root = stream.root
        if root == "[":
            for item in stream.items():
                if isinstance(item, DamagedItem):
                    yield Aside(f"a message in {name}", item.why, item.text.encode("utf-8", "replace"))
                else:
                    yield item.value
            return
    with source.bundle.open(name) as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            try:
                if line.strip():
                    yield mended(json.loads(line.decode("utf-8-sig", "replace")))
            except (ValueError, RecursionError):
                yield Aside(f"line {number} of {name}", "it is damaged", line)


def _taken(source: Source, name: str, forms: list[Mapping[str, Any]]) -> Iterator[Found | Aside]:
    return taken(name, forms, lambda: _conversation(source, name, forms))


def _conversation(source: Source, name: str, forms: list[Mapping[str, Any]]) -> Iterator[Found | Aside]:
    """One conversation. Its id is that of its first message: the same run, longer, adds what is new."""
    if not forms:
        return
    id = stable_id(KEY, canonical(forms[0]).decode("utf-8", "replace"))
    came: list[_Came] = []
    for number, form in enumerate(forms):
        began = utc_now()
        try:
            messages = from_any([form], lambda content, _mime: source.keep(content))
        except UNFIT as error:
            yield Aside(f"message {number + 1} of {name}", f"it is none: {str(error)[:200]}", canonical(form))
            continue
        is_ours = side_in(form) is not None or SIDE in form
        for place, message in enumerate(messages):
            # A message without a date was given the moment at which it was read.
            came.append(_Came(message, f"{number}.{place}", is_ours, message.created_at < began))
    if not came:
        return
    placed = _placed(came, id, source.bundle.changed_at)
    events: list[HistoryEvent] = [
        SettingsChanged(key="created_at", value=placed[0].created_at.isoformat().replace("+00:00", "Z")),
        SettingsChanged(key="imported", value={"from": KEY, "id": name}),
    ]
    yield Found(id, "", [*events, *(MessageAdded(message=message) for message in placed)])


@dataclass(frozen=True, slots=True)
class _Came:
    """A message as its form has it: `is_ours` with an id and parent of its own, `is_dated` with a date."""

    message: Message
    place: str
    is_ours: bool
    is_dated: bool


def _placed(came: list[_Came], id: str, fallback: datetime) -> list[Message]:
    """The messages, those without an id of their own one below the other, each not before the one above."""
    at = next((each.message.created_at for each in came if each.is_dated), fallback)
    placed: list[Message] = []
    for each in came:
        message = each.message
        if not each.is_ours:
            before = placed[-1] if placed else None
            if before is not None:
                at = before.created_at + timedelta(milliseconds=1)
            if each.is_dated:
                at = max(at, message.created_at)
            parent = before.id if before is not None else None
            update = {"id": stable_id(id, each.place), "parent_id": parent, "created_at": at}
            message = message.model_copy(update=update)
        placed.append(message)
    return placed


IMPORTER = Importer(KEY, "pydantic-ai", detect, read)
