"""ParsedMessages: messages from the disk as they were last read, with what was annotated since they were written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from sam_py.bus.tree import Node
from sam_py.messages.history import MessageAnnotated
from sam_py.messages.message import Message

_KEPT = 512
"""Messages of a long conversation that stay parsed; the others are read again from their line."""


class ParsedMessages:
    """Parses a stored message when it is read, and keeps the ones used last."""

    def __init__(self, annotations: Mapping[str, MessageAnnotated] | None = None) -> None:
        self.annotations = dict(annotations or {})
        self._messages: OrderedDict[str, Message] = OrderedDict()

    def read(self, node: Node) -> Message:
        """The message of a node that is on disk only."""
        message = self._messages.get(node.id)
        if message is not None:
            self._messages.move_to_end(node.id)
            return message
        assert node.stored is not None
        message = self._annotated(hung(node.stored.load(), node.parent_id))
        self._messages[node.id] = message
        if len(self._messages) > _KEPT:
            self._messages.popitem(last=False)
        return message

    def forget(self, message_id: str) -> None:
        """It is in memory now, or its place has changed."""
        self._messages.pop(message_id, None)

    def _annotated(self, message: Message) -> Message:
        note = self.annotations.get(message.id)
        if note is None:
            return message
        update: dict[str, Any] = {}
        if note.pinned is not None:
            update["pinned"] = note.pinned
        if note.importance is not None:
            update["importance"] = note.importance
        if note.context is not None:
            update["context"] = note.context
        return message.model_copy(update=update)


def hung(message: Message, parent_id: str | None) -> Message:
    """`message` below `parent_id`: where its own parent was removed, the nearest that is left."""
    return message if message.parent_id == parent_id else message.model_copy(update={"parent_id": parent_id})
