"""Fitting: how the events of an import go into a conversation that is here already.

Must always be true:

- What is here stays: a message that says something else in the file comes in as another version, beside it.
- A message that says all that is said here, and more (the whole of a reply that was half there, the picture that was
  only named), takes its place.
- What hangs below a version in the file hangs below it here: what was there, too, comes again there, as a talk that
  reads as in the file.
- The ids of what comes in so are made of the ids and the content: the same file again adds nothing.
- What the person removed here stays removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from sam_py.messages.history import MessageAdded
from sam_py.store.exporters.lossless import canonical
from sam_py.store.importers.content import holds_all_of, mark_of, parts_of, said
from sam_py.store.importers.found import stable_id
from sam_py.store.lines import MessageRecord, Record
from sam_py.store.migrations import SCHEMA

Event = BaseModel | Mapping[str, Any]

_BODY = b',"message":'
_CLOSING = len(b',"crc":"12345678"}')
_STAYS = ("parent_id", "created_at", "pinned", "importance", "context")
"""Of a message that is here, when the file has more of it."""
_UNDECIDED = (None, "aborted")
_OPEN_STATES = ("scheduled", "awaiting_approval", "running")
_CALL = re.compile(rb'"call_id":"([^"\\]+)"')


@dataclass(slots=True)
class Fitted:
    """What is to be written of an import's events."""

    events: list[Event]
    completed: int = 0
    """Messages of which the file has more."""
    versions: int = 0
    """Messages that say something else in the file."""


def fitted(events: Sequence[tuple[Event, Record]], known: Mapping[str, Record]) -> Fitted:
    """The events that a conversation with the lines `known` lacks. Each comes with its record.

    A message that is here as it is in the file costs a comparison of bytes.
    """
    fitting = _Fitting(events, known)
    fitting.place_messages()
    # An event of a newer version has no subject that we know: it is the same again where all of it is.
    unknown = {_content(record) for record in known.values()} - {b""}
    out = Fitted([], fitting.completed, fitting.versions)
    for event, record in events:
        if isinstance(record, MessageRecord):
            put = fitting.put.pop(record.id, None)
            out.events += [put] if put is not None else []
        elif _content(record) not in unknown:
            out.events += fitting.other(event, record)
    return out


class _Fitting:
    """`place` says where each message of the file is here; `put`, what is to be written of it."""

    def __init__(self, events: Sequence[tuple[Event, Record]], known: Mapping[str, Record]) -> None:
        self._known = known
        self._new = {record.id: (event, record) for event, record in events if isinstance(record, MessageRecord)}
        self._stand_ins = _stand_ins(self._new.values())
        self._results: dict[str, str] | None = None
        self._calls: dict[str, str] = {}
        self._is_titled = any(
            record.subject == "setting:title_source" and _fields(record).get("value") == "person"
            for _, record in events
        )
        self.place: dict[str, str | None] = {}
        self.put: dict[str, Event] = {}
        self._beside: set[str] = set()
        """Ids here of versions, and of what hangs below them."""
        self.completed = self.versions = 0

    def place_messages(self) -> None:
        """Place each, parents before children; a circle is opened where it is met."""
        for id in self._new:
            line: list[str] = []
            step: str | None = id
            while step is not None and step in self._new and step not in self.place:
                self.place[step] = step
                line.append(step)
                step = self._new[step][1].parent_id
            for each in reversed(line):
                self.place[each] = self._placed(*self._new[each])

    def other(self, event: Event, record: Record) -> list[Event]:
        """What of an event that is no message is to be written."""
        fields = _fields(record)
        known = self._known.get(record.subject)
        match record.event_name:
            case "message_annotated" | "error_occurred":
                about = fields.get("message_id")
                here = self.place.get(about, about) if isinstance(about, str) else None
                if here is not None and here != about:
                    return self._about(fields, here)
                is_over = fields.get("resolved") is True and known is not None and not _fields(known).get("resolved")
                return [event] if known is None or is_over else []
            case "branch_selected":
                return self._selected(event, fields)
            case "tool_state_changed":
                call = str(fields.get("call_id"))
                if call in self._calls:
                    here = self.place.get(str(fields.get("result_id")), fields.get("result_id"))
                    moved = {**fields, "call_id": self._calls[call], "result_id": here or ""}
                    return [] if f"call:{self._calls[call]}" in self._known else [moved]
                return [event] if known is None or _goes_on(_fields(known), fields) else []
            case "settings_changed" if fields.get("key") in ("title", "title_source"):
                return [event] if known is None or self._is_to_be_named(fields) else []
            case _:
                return [event] if known is None else []

    def _placed(self, event: Event, record: MessageRecord) -> str | None:
        """The id here of what stands for a message of the file."""
        above = self.place.get(record.parent_id, record.parent_id) if record.parent_id is not None else None
        is_beside = above in self._beside
        place = self._placed_below(event, record, above, is_beside=is_beside)
        if place is not None and is_beside:
            self._beside.add(place)
        return place

    def _placed_below(self, event: Event, record: MessageRecord, above: str | None, *, is_beside: bool) -> str | None:
        id = record.id
        known = self._known.get(f"message:{id}")
        if known is None and (stand_in := self._standing_in(id, record)) is not None:
            id, known = stand_in, self._known[f"message:{stand_in}"]
        if known is None:
            is_as_it_is = above == record.parent_id and not is_beside
            self.put[record.id] = event if is_as_it_is else self._renamed(_fields(record), id, above)
            return id
        if is_beside and (not isinstance(known, MessageRecord) or known.parent_id != above):
            if not isinstance(known, MessageRecord):
                return above  # removed here
            again = stable_id(id, above or "")
            twin = self._known.get(f"message:{again}")
            if twin is None:
                self.put[record.id] = self._renamed(_fields(record), again, above)
                return again
            id, known = again, twin
        if not isinstance(known, MessageRecord):
            return above if is_beside else id  # removed here
        if id == record.id and _body(known) == _body(record) != b"":
            return id
        return self._compared(_fields(record), record, id, known, above)

    def _compared(
        self, plain: dict[str, Any], record: MessageRecord, id: str, known: MessageRecord, above: str | None
    ) -> str:
        here = _message(known)
        calls = dict(self._calls)
        new = self._renamed(plain, id, above)["message"]
        if said(new) == said(here):
            is_done = here.get("stop_reason") in _UNDECIDED and new.get("stop_reason") not in (*_UNDECIDED, "error")
            if not is_done or new.get("role") != "assistant":
                return id
        elif holds_all_of(here, new):
            return id
        elif not holds_all_of(new, here):
            self._calls = calls
            return self._version(plain, record, id, here, above)
        stays = {key: here[key] for key in _STAYS if key in here}
        self.put[record.id] = {**plain, "message": {**new, **stays}}
        self.completed += 1
        return id

    def _version(
        self, plain: dict[str, Any], record: MessageRecord, id: str, here: dict[str, Any], above: str | None
    ) -> str:
        """Another version of the message `id`, after it in time: the later of two is shown."""
        own = stable_id(id, mark_of(plain["message"]))
        self._beside.add(own)
        put = self._renamed(plain, own, above)
        if f"message:{own}" not in self._known:
            put["message"]["created_at"] = _after(put["message"].get("created_at"), here.get("created_at"))
            self.put[record.id] = put
            self.versions += 1
        return own

    def _renamed(self, plain: dict[str, Any], id: str, above: str | None) -> dict[str, Any]:
        """The message under another id: its calls get other names, and results are those of calls that did."""
        message = {**plain["message"], "id": id, "parent_id": above}
        if id != plain["message"]["id"]:
            message["parts"] = [self._called(part, id) for part in parts_of(message)]
        if isinstance(call := message.get("call_id"), str):
            message["call_id"] = self._calls.get(call, call)
        return {**plain, "message": message}

    def _called(self, part: Any, id: str) -> Any:
        call = part.get("call_id") if isinstance(part, dict) and part.get("kind") == "tool_call" else None
        if not isinstance(call, str):
            return part
        self._calls[call] = f"{call}_{id[:6]}"
        return {**part, "call_id": self._calls[call]}

    def _standing_in(self, id: str, record: MessageRecord) -> str | None:
        """The message here that has the place of a result which the file has otherwise: another export lacked it."""
        if record.role != "tool":
            return None
        call = str(_fields(record)["message"].get("call_id"))
        stand_in = self._stand_ins.get(call)
        if stand_in is None:
            return None
        if stand_in != id:
            return stand_in if f"message:{stand_in}" in self._known else None
        if self._results is None:
            tools = (each for each in self._known.values() if isinstance(each, MessageRecord) and each.role == "tool")
            self._results = {
                found[1].decode(): each.id for each in tools if (found := _CALL.search(each.line)) is not None
            }
        return self._results.get(call)

    def _about(self, fields: dict[str, Any], here: str) -> list[Event]:
        moved = {**fields, "message_id": here}
        subject = f"annotation:{here}"
        if "id" in fields:
            moved["id"] = stable_id(str(fields["id"]), here)
            subject = f"error:{moved['id']}"
        return [] if subject in self._known else [moved]

    def _selected(self, event: Event, fields: dict[str, Any]) -> list[Event]:
        parent, chosen = fields.get("parent_id"), fields.get("message_id")
        above = self.place.get(parent, parent) if isinstance(parent, str) else None
        child = self.place.get(chosen, chosen) if isinstance(chosen, str) else None
        known = self._known.get(f"branch:{above or ''}")
        is_same = (above, child) == (parent, chosen)
        if known is not None and (child == chosen or _fields(known).get("message_id") != chosen):
            return []  # another was chosen here, or this one already
        return [event if is_same else {**fields, "parent_id": above, "message_id": child}]

    def _is_to_be_named(self, fields: Mapping[str, Any]) -> bool:
        """Whether the conversation has only its first words for a title here, and the file has a title."""
        source, title = self._known.get("setting:title_source"), self._known.get("setting:title")
        if source is None or title is None or _fields(source).get("value") != "first_words":
            return False
        return self._is_titled and _fields(self._known[f"setting:{fields['key']}"]).get("value") != fields.get("value")


def _stand_ins(messages: Iterable[tuple[Event, MessageRecord]]) -> dict[str, str]:
    """The id that a call's result has when an export lacks it, by the call."""
    replies = [event.message for event, _record in messages if isinstance(event, MessageAdded)]
    return {call.call_id: stable_id(reply.id, call.call_id) for reply in replies for call in reply.tool_calls}


def _goes_on(here: Mapping[str, Any], fields: Mapping[str, Any]) -> bool:
    """Whether a call was not over when it was written here, and is in the file."""
    was_open = here.get("state") in _OPEN_STATES or here.get("inferred") is True
    return was_open and fields.get("state") not in _OPEN_STATES and fields.get("inferred") is not True


def _body(record: MessageRecord) -> bytes:
    """What of a line is the message; b"" of one that somebody wrote in another way."""
    at = record.line.find(_BODY, 0, 120)
    return record.line[at:-_CLOSING] if at >= 0 and record.sure else b""


def _message(record: MessageRecord) -> dict[str, Any]:
    """The message of a line, as JSON."""
    if record.v != SCHEMA:
        return record.load().model_dump(mode="json")
    message: dict[str, Any] = _fields(record)["message"]
    return message


def _fields(record: Record) -> dict[str, Any]:
    """What a line says, without what belongs to the file."""
    fields: dict[str, Any] = json.loads(record.line.decode(errors="replace"))
    return {key: value for key, value in fields.items() if key not in ("rev", "dev", "crc")}


def _content(record: Record) -> bytes:
    """What an event of a kind that we do not know says; b"" of any other."""
    if not record.subject.startswith("unknown:"):
        return b""
    return canonical({key: value for key, value in _fields(record).items() if key != "v"})


def _after(at: object, before: object) -> object:
    """A date, or what comes right after `before` where it is not later."""
    try:
        date, least = (datetime.fromisoformat(str(each)) for each in (at, before))
        return at if date > least else (least + timedelta(milliseconds=1)).isoformat().replace("+00:00", "Z")
    except (ValueError, TypeError, OverflowError):
        return at
