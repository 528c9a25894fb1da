"""Deltas: what changed in a conversation. The window mirrors them; the store keeps what `Recorded` carries.

Indexes are places on the active path, counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sam_py.messages.history import ErrorOccurred, HistoryEvent
from sam_py.messages.message import Message


@dataclass(frozen=True, slots=True)
class Inserted:
    """A message now stands at `index`; what stood there and after moved down by one."""

    index: int
    message: Message


@dataclass(frozen=True, slots=True)
class Updated:
    """The message at `index` was replaced by `message` (same id): completed, pinned, edited in place."""

    index: int
    message: Message


@dataclass(frozen=True, slots=True)
class Appended:
    """A streaming message grew: `text` was added to part `part_index` of `kind`.

    `index` is None while the message streams on a branch that is not shown. `kind` is ``text``,
    ``thinking_text``, ``tool_call`` (its arguments) or, with empty `text`, the kind of a whole part
    that was added.
    """

    index: int | None
    message_id: str
    part_index: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Removed:
    index: int
    message_id: str


@dataclass(frozen=True, slots=True)
class Reset:
    """The path from `first` on is another one (branch, load, deletion of several): read it anew."""

    first: int


@dataclass(frozen=True, slots=True)
class ErrorShown:
    """An error now belongs to the message at `index` (None: to the conversation as a whole, or off the path)."""

    index: int | None
    error: ErrorOccurred


@dataclass(frozen=True, slots=True)
class SettingChanged:
    """A setting of the conversation has a new value (`MessageBus.settings`)."""

    key: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """`event` is to be kept. Published before the delta that shows the same change."""

    event: HistoryEvent


Delta = Inserted | Updated | Appended | Removed | Reset | ErrorShown | SettingChanged | Recorded
Subscriber = Callable[[Delta], None]
