"""StoredConversation: one conversation as the data folder has it, for reading only."""

from __future__ import annotations

import json
import logging
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sam_py.bus.parsed import ParsedMessages
from sam_py.bus.stored_settings import settings_from
from sam_py.bus.tree import MessageTree, Node
from sam_py.messages.history import ConversationSettings, ErrorOccurred
from sam_py.messages.message import Message
from sam_py.messages.parts import Part, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.store.disk import Disk
from sam_py.store.exporters.errors import TransferError
from sam_py.store.folders import is_conversation_id
from sam_py.store.journal import Journal
from sam_py.store.lines import Record

log = logging.getLogger(__name__)

_HASH = re.compile(r"[0-9a-f]{64}\Z")
_OF_THE_LINE = ("v", "rev", "dev", "crc")
_NOBODY = "reader"


class StoredConversation:
    """The merged log of all devices, its tree, and its messages as they are read. Nothing is written or mended."""

    def __init__(self, conversations: Path, id: str, disk: Disk | None = None) -> None:
        """Raises StorageError where it cannot be read, TransferError where it is not there."""
        journal = Journal(conversations / id if is_conversation_id(id) else conversations, _NOBODY, disk)
        history = journal.load(mend=False) if is_conversation_id(id) else None
        if history is None or not journal.winners:
            raise TransferError(
                "This conversation is not in the data folder any more: choose another one.", kind="missing", detail=id
            )
        self.id = id
        self.settings: ConversationSettings = settings_from(history.settings)
        self.calls = history.calls
        self.damaged_lines = journal.report.damaged_lines
        self._records = journal.winners
        self._parsed = ParsedMessages(history.annotations)
        self.tree = MessageTree(history.selected)
        for stored in history.messages:
            self.tree.link(Node(stored.id, stored.parent_id, stored.role, None, stored))
        self.tree.walk()
        self.has_details = True
        """Whether `message` has thinking and tool calls in it: what is for reading may do without."""
        self._errors: dict[str, ErrorOccurred] = {}
        for error in sorted(history.errors, key=lambda error: error.at):
            self._errors[error.message_id or ""] = error

    @property
    def title(self) -> str:
        return self.settings.title or "Untitled conversation"

    @property
    def path(self) -> list[str]:
        """The ids of the messages that are shown, in order."""
        return self.tree.path

    def message(self, id: str) -> Message:
        message = self._parsed.read(self.tree.nodes[id])
        if self.has_details:
            return message
        return message.model_copy(update={"parts": tuple(part for part in message.parts if not _is_detail(part))})

    def error_below(self, message_id: str) -> ErrorOccurred | None:
        """What went wrong at a message and is not over."""
        error = self._errors.get(message_id)
        return error if error is not None and not error.resolved else None

    def branches(self) -> Iterator[list[str]]:
        """The shown path, then every other way through the tree from where it leaves one already told.

        Each message is in exactly one of them. O(n) in all.
        """
        if self.tree.path:
            yield list(self.tree.path)
        waiting: deque[str | None] = deque([None, *self.tree.path])
        while waiting:
            parent = waiting.popleft()
            shown = self.tree.choice(parent)
            for child in self.tree.children(parent):
                if child == shown:
                    continue
                way: list[str] = []
                step: str | None = child
                while step is not None:
                    way.append(step)
                    step = self.tree.choice(step)
                yield way
                waiting.extend(way)

    def events(self) -> Iterator[dict[str, Any]]:
        """The lines that hold, as JSON objects, in the order in which they came to hold."""
        for record in sorted(self._records.values(), key=lambda record: (record.rev, record.dev, record.line)):
            try:
                yield fields_of(record)
            except RecursionError:  # a line of ours is not parsed to be read; this one nests beyond all reason
                log.warning("a %s line of conversation %s nests too deep to be exported", record.event_name, self.id)
                self.damaged_lines += 1


def fields_of(record: Record) -> dict[str, Any]:
    """An event as its line has it, without what belongs to the file (revision, device, check sum).

    The version of the schema stays where it is not the first.
    """
    fields: dict[str, Any] = json.loads(record.line.decode(errors="replace"))
    version = fields.get("v", 1)
    for key in _OF_THE_LINE:
        fields.pop(key, None)
    return fields if version == 1 else {"v": version, **fields}


def attachments_in(value: object) -> Iterator[str]:
    """The hashes of attachments that a JSON value speaks of, each as often as it does."""
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            for key, inner in each.items():
                if isinstance(inner, str):
                    if key in ("attachment", "whole") and _HASH.match(inner):
                        yield inner
                else:
                    stack.append(inner)
        elif isinstance(each, list):
            stack.extend(each)


def _is_detail(part: Part) -> bool:
    return isinstance(part, ThinkingTextPart | ThinkingSignaturePart | ToolCallPart)
