"""What the store hands to the bus: a conversation as merged from its journals, messages not yet parsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from sam_py.messages.history import ErrorOccurred, MessageAnnotated, TaskRecorded, ToolStateChanged
from sam_py.messages.message import Message


class StoredMessage(Protocol):
    """A message on disk. Its place in the tree is known; the rest is parsed when first read."""

    @property
    def id(self) -> str: ...
    @property
    def parent_id(self) -> str | None:
        """The nearest ancestor that was not removed."""

    @property
    def role(self) -> str: ...
    @property
    def size(self) -> int:
        """About as many bytes as its text has: for estimates of its height."""

    def load(self) -> Message:
        """Parse it. What cannot be parsed comes back as a system message that says so: never an exception."""


@dataclass(slots=True)
class LoadedHistory:
    """A conversation's merged log. Messages are in order of creation, parents before children."""

    messages: list[StoredMessage] = field(default_factory=list)
    annotations: dict[str, MessageAnnotated] = field(default_factory=dict)
    selected: dict[str, str] = field(default_factory=dict)
    """parent id (``""`` for the first messages) → the child on the active path"""
    errors: list[ErrorOccurred] = field(default_factory=list)
    settings: dict[str, JsonValue] = field(default_factory=dict)
    calls: dict[str, ToolStateChanged] = field(default_factory=dict)
    tasks: Sequence[TaskRecorded] = field(default_factory=list)
    """Parsed as they are read: nothing on the way to the first paint needs them."""
