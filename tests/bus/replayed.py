"""A naive reader of recorded events, for tests: what a store would hand to a bus after a restart."""

from __future__ import annotations

from collections.abc import Iterable

from sam_py.bus.loaded import LoadedHistory
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
)
from sam_py.messages.message import Message


class Stored:
    """A message as a store would hold it; counts how often it was parsed."""

    def __init__(self, message: Message, parent_id: str | None) -> None:
        self.id = message.id
        self.parent_id = parent_id
        self.role = message.role
        self.size = len(message.text)
        self.parsed = 0
        self._json = message.model_dump_json()
        self._type = type(message)

    def load(self) -> Message:
        self.parsed += 1
        return self._type.model_validate_json(self._json)


def history_of(events: Iterable[HistoryEvent]) -> LoadedHistory:
    """The log, merged: the latest of each subject, removed messages' children with the nearest ancestor left."""
    history = LoadedHistory()
    messages: dict[str, Message] = {}
    parents: dict[str, str | None] = {}
    removed: set[str] = set()
    errors: dict[str, ErrorOccurred] = {}
    for event in events:
        match event:
            case MessageAdded(message=message):
                messages[message.id] = message
                parents[message.id] = message.parent_id
            case MessageRemoved(message_id=message_id):
                removed.add(message_id)
            case MessageAnnotated(message_id=message_id):
                history.annotations[message_id] = event
            case BranchSelected(parent_id=parent_id, message_id=message_id):
                history.selected[parent_id or ""] = message_id
            case ErrorOccurred(id=error_id):
                errors[error_id] = event
            case SettingsChanged(key=key, value=value):
                history.settings[key] = value
            case ToolStateChanged(call_id=call_id):
                history.calls[call_id] = event
            case TaskRecorded():
                history.tasks.append(event)
            case _:
                raise AssertionError(event)
    left = sorted(messages.values(), key=lambda message: message.created_at)
    left = [message for message in left if message.id not in removed]
    placed: set[str | None] = {None}
    while left:  # parents before children, whenever they were made
        for message in left:
            parent = message.parent_id
            while parent is not None and parent in removed:
                parent = parents.get(parent)
            if parent in placed or parent not in messages:
                history.messages.append(Stored(message, parent))
                placed.add(message.id)
                left.remove(message)
                break
        else:
            raise AssertionError(f"no parent: {left}")
    history.errors = list(errors.values())
    return history
