"""A line of a journal: written once from an event, read without parsing more than its head.

``{"v":1,"event":"message_added","rev":7,"dev":"3fa9c1d2","message":{"role":…},"crc":"1a2b3c4d"}`` + line break.
The CRC-32 is that of all bytes before ``,"crc":``. A line without it, or with another one, was edited by a
person or damaged: it counts as long as it parses, but loses to a verified line of the same revision.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from sys import intern
from typing import Any
from zlib import crc32

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    HistoryEvent,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
    event_adapter,
)
from sam_py.messages.message import Message, SystemMessage, message_adapter
from sam_py.messages.parts import TextPart
from sam_py.store.migrations import SCHEMA, migrated

_SUBJECTS = {
    "message_removed": ("message", "message_id"),
    "message_annotated": ("annotation", "message_id"),
    "branch_selected": ("branch", "parent_id"),
    "tool_state_changed": ("call", "call_id"),
    "error_occurred": ("error", "id"),
    "task_recorded": ("task", "id"),
    "settings_changed": ("setting", "key"),
}
"""Which field, the first after `dev`, names what an event is about. As `subject` in `messages.history`."""

_HEAD = re.compile(
    rb'\{"v":1,"event":"(\w+)","rev":(\d{1,12}),"dev":"([\w-]+)","(\w+)":'
    rb'(?:\{"role":"(\w+)","id":"([^"\\]+)","parent_id":(?:null|"([^"\\]+)"),"created_at":"([0-9T:.-]+)Z"'
    rb'|null|"([^"\\]*)")'
)
_HEAD_END = re.compile(rb'\{"v":1,"event":("\w+"),"rev":\d{1,15},"dev":"[\w-]+"')
_CRC_MARK = b',"crc":"'
_CRC_LENGTH = len(_CRC_MARK) + 8 + len('"}')
_TYPES: dict[str, type[Any]] = {
    "message_removed": MessageRemoved,
    "message_annotated": MessageAnnotated,
    "branch_selected": BranchSelected,
    "tool_state_changed": ToolStateChanged,
    "error_occurred": ErrorOccurred,
    "task_recorded": TaskRecorded,
    "settings_changed": SettingsChanged,
}
_MAX_REV = 10**12
"""No conversation comes to so many changes. A line that says so is damaged, or was made to be the last word for
ever: its revision counts as none."""
_NO_DATE = datetime.fromtimestamp(0, UTC)
_BLANK = b" \t\r\0"
_DECODER = json.JSONDecoder()
_UTF8_BOM = b"\xef\xbb\xbf"


class Record:
    """One line as read: its place in the order of changes, and its bytes. The event is parsed when asked for."""

    __slots__ = ("dev", "event_name", "line", "rest_at", "rev", "subject", "sure", "v")

    def __init__(
        self, subject: str, event_name: str, rev: int, dev: str, sure: bool, line: bytes, v: int, rest_at: int = 0
    ) -> None:
        self.subject = subject
        self.event_name = event_name
        self.rev = rev
        self.dev = dev
        self.sure = sure
        self.line = line
        self.v = v
        self.rest_at = rest_at
        """Where the event's own fields begin in a line of ours; 0 where it has to be parsed to know."""

    def beats(self, other: Record) -> bool:
        """True where this line holds and `other`, about the same subject, does not. A total order."""
        return (self.rev, self.sure, self.dev, self.line) > (other.rev, other.sure, other.dev, other.line)

    def event(self) -> HistoryEvent:
        """The event, parsed. Raises ValueError where it does not fit its type."""
        kind = _TYPES.get(self.event_name)
        if self.rest_at and kind is not None:  # by its type: a quarter of the cost of asking the union
            rest = self.line[self.rest_at : -_CRC_LENGTH]
            event: HistoryEvent = kind.model_validate_json(b'{"event":"%b",%b}' % (self.event_name.encode(), rest))
            return event
        return event_adapter.validate_json(_payload(self.line))


class MessageRecord(Record):
    """A `message_added` line, and the `StoredMessage` that the bus reads."""

    __slots__ = ("created", "id", "parent_id", "role")

    def __init__(
        self,
        rev: int,
        dev: str,
        sure: bool,
        line: bytes,
        v: int,
        role: str,
        id: str,
        parent_id: str | None,
        created: bytes,
    ) -> None:
        self.subject = "message:" + id
        self.event_name = "message_added"
        self.rev = rev
        self.dev = dev
        self.sure = sure
        self.line = line
        self.v = v
        self.rest_at = 0
        self.role = role
        self.id = id
        self.parent_id = parent_id
        self.created = created
        """UTC, ISO 8601 without zone: sorts as text."""

    @property
    def size(self) -> int:
        return len(self.line)

    def under(self, parent_id: str | None) -> MessageRecord:
        """The same message below another parent (its own was removed)."""
        return MessageRecord(
            self.rev, self.dev, self.sure, self.line, self.v, self.role, self.id, parent_id, self.created
        )

    def load(self) -> Message:
        try:
            message = MessageAdded.model_validate_json(_payload(self.line)).message
        except ValueError:
            message = _unreadable(self)
        if message.parent_id != self.parent_id:
            message = message.model_copy(update={"parent_id": self.parent_id})
        if not self.created:  # written by hand without a date: the same one each time it is read
            message = message.model_copy(update={"created_at": _NO_DATE})
        return message


@dataclass(slots=True)
class Reading:
    """What a journal's bytes say. Offsets are bytes of the file."""

    records: list[Record] = field(default_factory=list)
    bad: list[bytes] = field(default_factory=list)
    """Lines that were written to their end and say nothing (whole records inside them are among `records`)."""
    torn_at: int | None = None
    """Where a last line begins that has no end: it was being written, or the file was cut."""
    torn: list[Record] = field(default_factory=list)
    """Whole records inside that line; they are among `records` too."""
    edited: int = 0
    """Lines that parse but fail their check sum."""


def write_line(event: BaseModel, rev: int, dev: str) -> bytes:
    """The line of `event`, with its line break."""
    try:
        body = event.model_dump_json().encode()
    except (PydanticSerializationError, UnicodeEncodeError):  # a lone surrogate, from a paste
        fields = _mended(event.model_dump(mode="python", warnings=False))
        body = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=_plain).encode()
    name = json.dumps(getattr(event, "event", "")).encode()
    rest = body[len(b'{"event":') + len(name) : -1]
    return _closed(b'{"v":%d,"event":%b,"rev":%d,"dev":"%b"%b' % (SCHEMA, name, rev, dev.encode(), rest))


def read_line(line: bytes, dev: str = "") -> Record | None:
    """The record of one line without its break, or None where it is none. `dev` stands in for a missing one."""
    sure = line[-_CRC_LENGTH:] == b'%b%08x"}' % (_CRC_MARK, crc32(line[:-_CRC_LENGTH]))
    if sure and (head := _HEAD.match(line)) is not None:
        event, rev, by, name, role, id, parent, created, value = head.groups()
        if role is not None:
            if event == b"message_added" and name == b"message":
                above = None if parent is None else parent.decode()
                by_name, role_name = intern(by.decode()), intern(role.decode())
                return MessageRecord(int(rev), by_name, True, line, 1, role_name, id.decode(), above, created)
        else:
            kind = _SUBJECTS.get(event.decode())
            if kind is not None and kind[1] == name.decode():
                subject = f"{kind[0]}:{'' if value is None else value.decode()}"
                by_name = intern(by.decode())
                return Record(subject, event.decode(), int(rev), by_name, True, line, 1, head.start(4) - 1)
    return _read_slowly(line, dev, sure)


def read_lines(raw: bytes, dev: str = "") -> Reading:
    """Every record in a journal's bytes, whatever happened to them. About 4 µs a line of ours."""
    found = Reading()
    records = found.records
    start = len(_UTF8_BOM) if raw.startswith(_UTF8_BOM) else 0
    position = start
    for piece in raw[start:].split(b"\n") if start else raw.split(b"\n"):
        end = position + len(piece) + 1
        line = piece.strip(_BLANK)
        if not line and not piece.strip(b" \t\r"):
            position = end
            continue
        record = read_line(line, dev) if line else None
        if record is not None:
            records.append(record)
            found.edited += not record.sure
        else:
            salvaged = _salvage(piece, dev)
            records += salvaged
            if end > len(raw):
                found.torn_at, found.torn = position, salvaged
            else:
                found.bad.append(piece)
        position = end
    return found


def _closed(body: bytes) -> bytes:
    return b'%b%b%08x"}\n' % (body, _CRC_MARK, crc32(body))


def _is_verified(line: bytes) -> bool:
    body = line[:-_CRC_LENGTH]
    return line[-_CRC_LENGTH:] == b'%b%08x"}' % (_CRC_MARK, crc32(body))


def _payload(line: bytes) -> bytes:
    """The event's own JSON: the line without v, rev, dev and crc, brought up to today's schema."""
    if (head := _HEAD_END.match(line)) is not None and line[-_CRC_LENGTH : -_CRC_LENGTH + len(_CRC_MARK)] == _CRC_MARK:
        return b'{"event":%b%b}' % (head.group(1), line[head.end() : -_CRC_LENGTH])
    fields = json.loads(line.decode(errors="replace"))
    version = _version(fields)
    for key in ("v", "rev", "dev", "crc"):
        fields.pop(key, None)
    return json.dumps(_mended(migrated(fields, version))).encode()


def _read_slowly(line: bytes, dev: str, sure: bool) -> Record | None:
    try:
        fields = json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return _record_of(fields, line, dev, sure)


def _record_of(fields: Any, line: bytes, dev: str, sure: bool) -> Record | None:
    if not isinstance(fields, dict):
        return None
    name, rev, by = fields.get("event"), fields.get("rev", 0), fields.get("dev", dev)
    if not isinstance(name, str) or type(rev) is not int or rev < 0 or not isinstance(by, str):
        return None
    rev = rev if rev < _MAX_REV else 0
    version = _version(fields)
    try:
        fields = migrated(fields, version)
    except (ValueError, KeyError, TypeError):
        return None
    unknown = Record(f"unknown:{name}:{rev}:{by}:{crc32(line):08x}", name, rev, by, sure, line, version)
    if name == "message_added":
        message = _message_record(fields, line, rev, by, sure, version)
        return unknown if message is None and version > SCHEMA else message
    if name in _SUBJECTS:
        kind, key = _SUBJECTS[name]
        value = fields.get(key)
        if isinstance(value, str) or (value is None and key == "parent_id"):
            return Record(f"{kind}:{value or ''}", name, rev, by, sure, line, version)
        return unknown if version > SCHEMA else None
    is_damaged = "crc" in fields and not sure and version <= SCHEMA  # its kind was one of ours, by its look
    return None if is_damaged else unknown


def _message_record(
    fields: dict[str, Any], line: bytes, rev: int, by: str, sure: bool, version: int
) -> MessageRecord | None:
    message = fields.get("message")
    if not isinstance(message, dict):
        return None
    id, parent, role = message.get("id"), message.get("parent_id"), message.get("role")
    if not isinstance(id, str) or not id or not isinstance(role, str):
        return None
    if not isinstance(parent, str) or not parent:
        parent = None
    return MessageRecord(rev, by, sure, line, version, role, id, parent, _created(message.get("created_at")))


def _version(fields: dict[str, Any]) -> int:
    version = fields.get("v", SCHEMA)
    return version if type(version) is int else SCHEMA


def _created(value: object) -> bytes:
    try:
        moment = datetime.fromisoformat(str(value))
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return b""
    return moment.replace(tzinfo=None).isoformat().encode()


def _salvage(piece: bytes, dev: str) -> list[Record]:
    """Whole records inside a damaged line (a lost line break, bytes spliced in).

    In a JSON string the mark would read ``{\\"v\\"``: the text of a message cannot pass for a record.
    """
    found: list[Record] = []
    text = piece.decode(errors="replace")
    at = text.find('{"v":')
    while at >= 0:
        end = at + 1
        try:
            fields, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict) and "rev" in fields and "dev" in fields:
            line = text[at:end].encode(errors="replace")
            record = _record_of(fields, line, dev, _is_verified(line))
            if record is not None:
                found.append(record)
        at = text.find('{"v":', end)
    return found


def _unreadable(record: MessageRecord) -> Message:
    """A note in the place of a message that does not fit its type, with the text that it had."""
    pieces: list[str] = []
    try:
        message = json.loads(_payload(record.line)).get("message", {})
        parts = message.get("parts", ())
        try:
            return message_adapter.validate_python({**message, "parts": [p for p in parts if _fits(p)]})
        except ValueError:
            pieces = [str(p["text"]) for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)]
    except (ValueError, RecursionError, AttributeError, TypeError):
        pieces = []
    text = "\n\n".join(["This message could not be read; it is kept in its file as it is.", *pieces])
    return SystemMessage(id=record.id, parent_id=record.parent_id, parts=(TextPart(text=text),))


def _fits(part: object) -> bool:
    """True where a part of a damaged message can be read by itself."""
    try:
        message_adapter.validate_python({"role": "assistant", "parts": [part]})
    except ValueError:
        try:
            message_adapter.validate_python({"role": "user", "parts": [part]})
        except ValueError:
            return False
    return True


def _mended(value: Any) -> Any:
    match value:
        case str():
            return mend_surrogates(value)
        case dict():
            return {mend_surrogates(str(key)): _mended(item) for key, item in value.items()}
        case list() | tuple():
            return [_mended(item) for item in value]
        case _:
            return value


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return str(value)
