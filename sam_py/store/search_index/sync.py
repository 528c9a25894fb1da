"""Bringing one conversation up to date in the index, in steps between which anything else may happen."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.tree import MessageTree, Node
from sam_py.messages.history import MessageAnnotated
from sam_py.messages.importance import score
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError
from sam_py.store.journal import Journal, is_journal
from sam_py.store.lines import MessageRecord
from sam_py.store.search_index.extract import Extracted, extract, said_in
from sam_py.store.search_index.narrowing import ms_of
from sam_py.store.search_index.tail import ENDS_WITH, JournalRow, ms_of_created, read_tail
from sam_py.store.search_index.words import storable
from sam_py.store.search_index.writer import IndexWriter, MessageRow

log = logging.getLogger(__name__)

BY_HAND = "set by hand"
_STEP = 16
"""Messages between two pauses."""
_MOST_PROMPT = 8_000
_ABOVE = 40
"""How far up the words are looked for that a picture was made from."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the index has of a message."""

    key: int
    parent: str | None
    version: tuple[int, bool, str, int, int]
    on_path: bool
    prompt: int
    has_image: bool


class _NotingDisk(Disk):
    """Remembers of each journal how far it was read, and what stood there."""

    def __init__(self) -> None:
        super().__init__()
        self.journal: list[JournalRow] = []

    def read(self, path: str) -> bytes:
        name = os.path.basename(path)
        size, mtime_ns = self.stat(path)
        content = super().read(path)
        if is_journal(name):
            read_to = content.rfind(b"\n") + 1
            self.journal.append((name, size, mtime_ns, read_to, content[max(0, read_to - ENDS_WITH) : read_to]))
        return content


def sync(writer: IndexWriter, folder: str, id: str, disk: Disk) -> Iterator[int]:
    """Make the index say what the files of conversation `id` in `folder` say; yields how many messages a step wrote.

    What was written may be committed between any two steps: the next call goes on where this one was left. A
    conversation whose files hold nothing, or cannot be read, is taken out. Raises sqlite3.Error.
    """
    writer.begin()
    found = writer.connection.execute("SELECT key FROM conversation WHERE id = ?", (id,)).fetchone()
    try:
        tail = read_tail(writer.connection, found[0], folder, disk) if found is not None else None
        if found is not None and tail is not None:
            new = [(record, record.load()) for record in tail.records]
            if not any(message.has_images for _record, message in new):  # theirs is a look at what stands above
                yield from _add(writer, found[0], new)
                writer.set_journal(found[0], tail.journal)
                return
        noting = _NotingDisk()
        journal = Journal(folder, "", noting)
        history = journal.load(mend=False)
    except (OSError, StorageError) as error:
        log.info("conversation %s is not in the index: %s", id, error)
        writer.forget_conversation(id)
        return
    if not history.messages and not history.settings:
        writer.forget_conversation(id)
        return
    conversation = writer.conversation(id)
    yield from _compare(writer, conversation, journal, history)
    writer.set_removed(conversation, _removed(journal))
    writer.set_journal(conversation, noting.journal)


def _add(writer: IndexWriter, conversation: int, new: list[tuple[MessageRecord, Message]]) -> Iterator[int]:
    """Write messages that hang one below the other from the tip of the shown path."""
    for number, (record, message) in enumerate(new, 1):
        row = writer.connection.execute(
            "SELECT key FROM message WHERE conversation = ? AND id = ?", (conversation, record.id)
        ).fetchone()
        _put(writer, conversation, record, message, 0, True, "", row[0] if row is not None else None)
        at_ms = ms_of_created(record) or 0
        writer.connection.execute(
            "UPDATE conversation SET tip = ?, updated = max(updated, ?), created = iif(created, created, ?) "
            "WHERE key = ?",
            (record.id, at_ms, at_ms, conversation),
        )
        if number % _STEP == 0:
            yield _STEP
    yield len(new) % _STEP


def _compare(writer: IndexWriter, conversation: int, journal: Journal, history: LoadedHistory) -> Iterator[int]:
    """Write what differs between the index and the whole history."""
    tree = MessageTree(history.selected)
    records: dict[str, MessageRecord] = {}
    is_loose = False
    for stored in history.messages:
        assert isinstance(stored, MessageRecord)
        if storable(stored.id) == stored.id:  # else written by hand, or by nobody: it could not be opened either
            records[stored.id] = stored
        tree.link(Node(stored.id, stored.parent_id, stored.role, None, stored))
        said = journal.winners[stored.subject]
        is_loose = is_loose or not isinstance(said, MessageRecord) or said.parent_id != stored.parent_id
    tree.walk()
    known = _known(writer, conversation)
    for id, before in known.items():
        if id not in records:
            writer.remove_message(before.key)
    written = 0
    above = _StoredAbove(tree, records)
    for id, record in records.items():
        note = history.annotations.get(id)
        version = (record.rev, record.sure, storable(record.dev), crc32(record.line), _crc_of(note))
        on_path = id in tree.index
        stored_row = known.get(id)
        prompt = ""
        if stored_row is not None and stored_row.version == version:
            if stored_row.has_image:
                prompt = _prompt_of(record.load(), above)
            if not stored_row.has_image or crc32(prompt.encode("utf-8", "replace")) == stored_row.prompt:
                if (stored_row.parent, stored_row.on_path) != (_stored_parent(record), on_path):
                    writer.place_message(stored_row.key, _stored_parent(record), on_path)
                continue
        message = _annotated(record.load(), note)
        if message.has_images and not prompt:
            prompt = _prompt_of(message, above)
        key = stored_row.key if stored_row is not None else None
        _put(writer, conversation, record, message, version[4], on_path, prompt, key)
        written += 1
        if written % _STEP == 0:
            yield _STEP
    dates = writer.connection.execute(
        "SELECT min(created), max(created) FROM message WHERE conversation = ?", (conversation,)
    ).fetchone()
    title = history.settings.get("title")
    created = _setting_ms(history.settings.get("created_at")) or dates[0] or 0
    writer.describe(
        conversation,
        title=storable(title) if isinstance(title, str) else "",
        created_ms=created,
        updated_ms=dates[1] or created,
        tip=storable(tree.path[-1]) if tree.path else None,
        is_loose=is_loose,
    )
    yield written % _STEP


def _put(
    writer: IndexWriter,
    conversation: int,
    record: MessageRecord,
    message: Message,
    note: int,
    on_path: bool,
    prompt: str,
    key: int | None,
) -> None:
    try:
        found = extract(message, prompt=prompt)
    except (ValueError, RecursionError):  # hostile text must not keep the others out
        log.exception("the words of message %s cannot be taken out", record.id)
        found = Extracted()
    row = MessageRow(
        id=record.id,
        parent=_stored_parent(record),
        role=message.role,
        created_ms=ms_of_created(record) or 0,
        rev=record.rev,
        sure=record.sure,
        dev=storable(record.dev),
        crc=crc32(record.line),
        note=note,
        on_path=on_path,
        pinned=message.pinned,
        importance=message.importance,
        rule=_rule(message) if message.pinned else "",
        model=storable(getattr(message, "model", "")),
        prompt=crc32(prompt.encode("utf-8", "replace")),
        has_image=message.has_images,
    )
    writer.put_message(conversation, row, found, key)


def _known(writer: IndexWriter, conversation: int) -> dict[str, _Stored]:
    rows = writer.connection.execute(
        "SELECT id, key, parent, rev, sure, dev, crc, note, on_path, prompt, has_image FROM message "
        "WHERE conversation = ?",
        (conversation,),
    )
    return {
        id: _Stored(key, parent, (rev, bool(sure), dev, crc, note), bool(on_path), prompt, bool(has_image))
        for id, key, parent, rev, sure, dev, crc, note, on_path, prompt, has_image in rows
    }


def _removed(journal: Journal) -> list[str]:
    """The ids of removed messages: what they said may still come from another device, and then stays away."""
    return [
        storable(subject.removeprefix("message:"))
        for subject, record in journal.winners.items()
        if record.event_name == "message_removed"
    ]


# What a picture was made from


class _StoredAbove:
    """The messages above another, from the journals."""

    def __init__(self, tree: MessageTree, records: dict[str, MessageRecord]) -> None:
        self._tree = tree
        self._records = records

    def __call__(self, message: Message) -> Iterator[Message]:
        step = self._tree.nodes.get(message.id)
        parent = step.parent_id if step is not None else None
        for _ in range(_ABOVE):
            if parent is None:
                return
            yield self._records[parent].load()
            parent = self._tree.nodes[parent].parent_id


def _prompt_of(message: Message, above: _StoredAbove) -> str:
    """What its pictures were made from: what its call asked for, or what the person said before a model drew."""
    match message:
        case ToolResultMessage():
            for upper in above(message):
                for call in upper.tool_calls:
                    if call.call_id == message.call_id:
                        return said_in(call.arguments_json)[:_MOST_PROMPT]
        case AssistantMessage():
            for upper in above(message):
                if isinstance(upper, UserMessage):
                    return upper.text[:_MOST_PROMPT]
        case _:
            pass
    return ""


# Small things


def _annotated(message: Message, note: MessageAnnotated | None) -> Message:
    if note is None:
        return message
    update: dict[str, Any] = {}
    if note.pinned is not None:
        update["pinned"] = note.pinned
    if note.importance is not None:
        update["importance"] = note.importance
    return message.model_copy(update=update)


def _stored_parent(record: MessageRecord) -> str | None:
    return None if record.parent_id is None else storable(record.parent_id)


def _crc_of(note: MessageAnnotated | None) -> int:
    return 0 if note is None else crc32(repr((note.pinned, note.importance)).encode()) | 1


def _rule(message: Message) -> str:
    """By which rule it is as important as it is; empty for what is not scored. About a millisecond."""
    if not isinstance(message, UserMessage | AssistantMessage):
        return ""
    value, rule = score(message.text, role=message.role)
    return rule if abs(value - message.importance) <= 0.005 else BY_HAND


def _setting_ms(value: object) -> int:
    try:
        moment = datetime.fromisoformat(str(value))
        return ms_of(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return 0
