"""pydantic-ai's message JSON, and lists of legacy dictionaries (``{"role": …, "content": …}``), as JSON or one a line.

Source: https://ai.pydantic.dev/api/messages/; `sam_py.messages.adapters` reads both forms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sam_py.messages.adapters.legacy import from_any
from sam_py.messages.adapters.pydantic_ai import side_in
from sam_py.messages.adapters.side import SIDE
from sam_py.messages.history import HistoryEvent, MessageAdded, SettingsChanged
from sam_py.messages.message import Message
from sam_py.store.exporters.lossless import canonical, mended
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import Aside, Found, Head, Importer, Source, fields_of, stable_id, taken
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
    for name in source.bundle.ending_in(".json", ".jsonl") or source.bundle.names:
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
    messages: list[Message] = []
    for number, form in enumerate(forms):
        try:
            read_forms = from_any([form], lambda content, _mime: source.keep(content))
        except ValueError as error:
            yield Aside(f"message {number + 1} of {name}", f"it is none: {str(error)[:200]}", canonical(form))
            continue
        is_ours = side_in(form) is not None or SIDE in form
        for place, message in enumerate(read_forms):
            before = messages[-1] if messages else None
            messages.append(message if is_ours else _placed(message, form, before, id, f"{number}.{place}", source))
    if not messages:
        return
    events: list[HistoryEvent] = [
        SettingsChanged(key="created_at", value=messages[0].created_at.isoformat().replace("+00:00", "Z")),
        SettingsChanged(key="imported", value={"from": KEY, "id": name}),
    ]
    yield Found(id, "", [*events, *(MessageAdded(message=message) for message in messages)])


def _placed(
    message: Message, form: Mapping[str, Any], before: Message | None, id: str, place: str, source: Source
) -> Message:
    """A message without an id of its own: below the one before, with its date, or a moment after that one's."""
    dated = "timestamp" in form or any("timestamp" in fields_of(part) for part in form.get("parts") or ())
    at: datetime = message.created_at
    if before is not None and (not dated or at < before.created_at):
        at = before.created_at + timedelta(milliseconds=1)
    elif not dated:
        at = source.bundle.changed_at
    update = {"id": stable_id(id, place), "parent_id": before.id if before else None, "created_at": at}
    return message.model_copy(update=update)


IMPORTER = Importer(KEY, "pydantic-ai", detect, read)
