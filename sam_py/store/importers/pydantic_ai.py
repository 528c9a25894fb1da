"""pydantic-ai's message JSON, and lists of legacy dictionaries (``{"role": …, "content": …}``), as JSON or one a line.

Source: https://ai.pydantic.dev/api/messages/; `sam_py.messages.adapters` reads both forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sam_py.messages.adapters.legacy import from_any
from sam_py.messages.adapters.pydantic_ai import side_in
from sam_py.messages.adapters.side import SIDE
from sam_py.messages.history import HistoryEvent, MessageAdded, SettingsChanged
from sam_py.messages.message import Message, utc_now
from sam_py.store.exporters.lossless import canonical, mended
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import (
    UNFIT,
    Aside,
    Found,
    Head,
    Importer,
    Source,
    fields_of,
    first_words,
    stable_id,
    taken,
    titled,
)
from sam_py.store.importers.json_stream import DamagedItem
from sam_py.store.importers.talks import talk_of

KEY = "pydantic-ai"
_LONGEST_LINE = 256 * 1024 * 1024


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(_is_message(fields_of(head.first)) or _is_message(head.members) for head in heads)


def _is_message(form: Mapping[str, Any]) -> bool:
    if form.get("kind") in ("request", "response"):
        return "parts" in form
    return "content" in form and form.get("role") in ("user", "assistant", "system", "tool", "human", "ai", "model")


def read(source: Source) -> Iterator[Found | Aside]:
    files = [*source.files, *source.others]
    yield from source.each_file(sorted(files, key=source.bundle.size), _run_in)  # the same talk, longer, comes later


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
    """One conversation: the one that it goes on with, where it does."""
    came: list[_Came] = []
    for number, form in enumerate(forms):
        began = utc_now()
        try:
            messages = from_any([form], lambda content, _mime: source.keep(content))
        except UNFIT as error:
            yield Aside(f"message {number + 1} of {name}", f"it is none: {str(error)[:200]}", canonical(form))
            continue
        is_ours = side_in(form) is not None or SIDE in form
        for message in messages:
            # A message without a date was given the moment at which it was read.
            came.append(_Came(message, is_ours, message.created_at < began))
    if not came:
        return
    talk = talk_of(KEY, [each.message for each in came], source.known, source.conversation)
    if came[0].is_ours:  # ids of their own say which are the same
        talk = replace(talk, id=stable_id(KEY, came[0].message.id))
    placed = _placed(came, talk.messages, source.bundle.changed_at)
    title = first_words(placed)
    events: list[HistoryEvent] = [
        SettingsChanged(key="created_at", value=placed[0].created_at.isoformat().replace("+00:00", "Z")),
        SettingsChanged(key="imported", value={"from": KEY, "id": name}),
    ]
    if title:
        events += [SettingsChanged(key=key, value=value) for key, value in titled(title).items()]
    yield Found(talk.id, title, [*events, *(MessageAdded(message=message) for message in placed)])


@dataclass(frozen=True, slots=True)
class _Came:
    """A message as its form has it: `is_ours` with an id and parent of its own, `is_dated` with a date."""

    message: Message
    is_ours: bool
    is_dated: bool


def _placed(came: list[_Came], ids: Sequence[str], fallback: datetime) -> list[Message]:
    """The messages, those without an id of their own one below the other, each not before the one above."""
    at = next((each.message.created_at for each in came if each.is_dated), fallback)
    placed: list[Message] = []
    for each, id in zip(came, ids, strict=True):
        message = each.message
        if not each.is_ours:
            before = placed[-1] if placed else None
            if before is not None:
                at = before.created_at + timedelta(milliseconds=1)
            if each.is_dated:
                at = max(at, message.created_at)
            parent = before.id if before is not None else None
            update = {"id": id, "parent_id": parent, "created_at": at}
            message = message.model_copy(update=update)
        placed.append(message)
    return placed


IMPORTER = Importer(KEY, "pydantic-ai", detect, read)
