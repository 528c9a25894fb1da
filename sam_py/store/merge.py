"""From the lines of all devices to one `LoadedHistory`: the same result in whatever order they were read."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import overload

from pydantic import JsonValue

from sam_py.bus.loaded import LoadedHistory
from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
)
from sam_py.store.lines import MessageRecord, Record

log = logging.getLogger(__name__)


class StoredTasks(Sequence[TaskRecorded]):
    """The runs of the loop, parsed as they are read."""

    def __init__(self, records: list[Record]) -> None:
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> TaskRecorded: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TaskRecorded]: ...
    def __getitem__(self, index: int | slice) -> TaskRecorded | Sequence[TaskRecorded]:
        if isinstance(index, slice):
            return StoredTasks(self._records[index])
        try:
            event = self._records[index].event()
        except (ValueError, RecursionError):
            log.warning("a task_recorded line could not be read and is kept as it is")
            return TaskRecorded(id="")
        assert isinstance(event, TaskRecorded)
        return event


def take(winners: dict[str, Record], record: Record) -> bool:
    """Put `record` among the lines that hold, if it does. True where it did."""
    known = winners.get(record.subject)
    if known is not None and not record.beats(known):
        return False
    winners[record.subject] = record
    return True


def history_of(winners: Mapping[str, Record]) -> LoadedHistory:
    """The conversation that these lines tell. Lines that cannot be parsed are logged and left out."""
    history = LoadedHistory()
    messages: list[MessageRecord] = []
    removed: dict[str, str | None] = {}
    others: list[Record] = []
    for record in winners.values():
        if isinstance(record, MessageRecord):
            messages.append(record)
        else:
            others.append(record)
    others.sort(key=lambda record: (record.rev, record.dev, record.line))
    tasks: list[Record] = []
    for record in others:
        if record.event_name == "task_recorded":
            tasks.append(record)
        else:
            _sort_in(record, history, removed)
    history.tasks = StoredTasks(tasks)
    history.messages.extend(in_order(messages, removed))
    _forget_removed(history, removed)
    return history


def in_order(messages: Iterable[MessageRecord], removed: Mapping[str, str | None]) -> list[MessageRecord]:
    """Messages by time of creation, each below its nearest living ancestor, parents before children.

    What hung from a message that is lost hangs from the one before: nothing above it is hidden, and versions of the
    same stay side by side. A circle of parents is opened at its oldest message.
    """
    found = sorted(messages, key=lambda message: (message.created, message.id))
    alive = {message.id for message in found}
    before: str | None = None
    in_place_of: dict[str, str | None] = {}
    ordered: list[MessageRecord] = []
    placed: set[str | None] = {None}
    waiting: dict[str | None, list[MessageRecord]] = {}
    for message in found:
        parent = message.parent_id
        if parent is not None and parent not in alive:
            parent, lost = _living(parent, alive, removed)
            if lost is not None:
                parent = in_place_of.setdefault(lost, before)
            message = message.under(parent)
        before = message.id
        if parent in placed:
            _place(message, ordered, placed, waiting)
        else:
            waiting.setdefault(parent, []).append(message)
    if waiting:
        for message in found:  # what still waits stands on a circle or hangs from one
            if message.id not in placed:
                log.warning("the parents of message %s lead round in a circle; it becomes a first message", message.id)
                _place(message.under(None), ordered, placed, waiting)
    return ordered


def _place(
    message: MessageRecord,
    ordered: list[MessageRecord],
    placed: set[str | None],
    waiting: dict[str | None, list[MessageRecord]],
) -> None:
    stack = [message]
    while stack:
        step = stack.pop()
        if step.id in placed:
            continue
        ordered.append(step)
        placed.add(step.id)
        if waiting and step.id in waiting:
            stack.extend(reversed(waiting.pop(step.id)))


def _living(parent: str, alive: set[str], removed: Mapping[str, str | None]) -> tuple[str | None, str | None]:
    """The nearest living message above, and the one that is lost on the way to it, if one is."""
    seen: set[str] = set()
    step: str | None = parent
    while step is not None and step not in alive:
        if step in seen:
            return None, None
        if step not in removed:
            return None, step
        seen.add(step)
        step = removed[step]
    return step, None


def _sort_in(record: Record, history: LoadedHistory, removed: dict[str, str | None]) -> None:
    try:
        event = record.event()
    except (ValueError, RecursionError):
        log.warning("a %s line could not be read and is kept as it is", record.event_name)
        return
    match event:
        case MessageRemoved():
            removed[event.message_id] = event.parent_id
        case MessageAnnotated():
            history.annotations[event.message_id] = event
        case BranchSelected():
            history.selected[event.parent_id or ""] = event.message_id
        case ErrorOccurred():
            history.errors.append(event)
        case SettingsChanged():
            value: JsonValue = event.value
            history.settings[event.key] = value
        case ToolStateChanged():
            history.calls[event.call_id] = event
        case _:
            pass


def _forget_removed(history: LoadedHistory, removed: Mapping[str, str | None]) -> None:
    """What was said about a removed message goes with it; whoever removed it recorded what is shown instead."""
    for gone in removed:
        history.annotations.pop(gone, None)
        history.selected.pop(gone, None)
    for parent, child in list(history.selected.items()):
        if child in removed:
            del history.selected[parent]
