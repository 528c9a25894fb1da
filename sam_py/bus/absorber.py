"""Absorber: what other devices said of a conversation, taken in while it is open here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta

from sam_py.bus.deltas import Delta, ErrorShown, Inserted, Reset, SettingChanged, Updated
from sam_py.bus.loaded import LoadedHistory, StoredMessage
from sam_py.bus.parsed import hung
from sam_py.bus.reader import ConversationReader
from sam_py.bus.stored_settings import settings_from
from sam_py.bus.tool_ledger import ToolLedger
from sam_py.bus.tree import MessageTree, Node
from sam_py.messages.history import ConversationSettings, ErrorOccurred
from sam_py.messages.message import utc_now

_ONE_BY_ONE = 20
"""Up to so many new messages at the end are told of one after the other."""
_MOMENT = timedelta(microseconds=1)
_LAST = datetime.max.replace(tzinfo=UTC) - _MOMENT
_CALLS_WITHIN = 200
"""How many messages from the end are looked through for calls that moved on elsewhere."""


class Absorber(ConversationReader):
    """The part of `MessageBus` that takes in a merged history without letting go of what happens here.

    Invariants: the last message that is shown stays shown, as long as it exists, and the path goes on below it; a
    reply that streams here is touched by nobody else; nothing is `Recorded`: devices that take in each other's words
    never answer each other.
    """

    ledger: ToolLedger
    _publish: Callable[[Delta], None]

    def absorb(self, history: LoadedHistory, changed: Collection[str]) -> None:
        """Become what `history` merges of all devices, everything said here among it. O(messages).

        `changed` are the messages whose words or annotations another device changed. Whoever calls has saved what
        was said here, and calls before anything else is said; replies that stream are the exception.
        """
        before, brothers = self.path, self._brothers()
        errors, settings = self._errors, self.settings
        self._tree = self._merged(history.messages, changed, MessageTree(history.selected), before)
        self._parsed.annotations = dict(history.annotations)
        for message_id in changed:
            self._parsed.forget(message_id)
        self._stored_tasks, self._tasks = history.tasks, []
        self._errors = open_errors(history.errors)
        self.settings = settings_from(history.settings)
        moved = self.ledger.absorb(history.calls)
        same = self._tell_path(before)
        told = self._holding(moved) | {
            message_id
            for message_id in self._tree.path[:same]
            if message_id in changed or len(self.siblings(message_id)) != brothers[message_id]
        }
        for message_id in sorted(told, key=lambda each: self._tree.index.get(each, -1)):
            index = self.index_of(message_id)
            if index is not None and index < same and not self.is_streaming(message_id):
                self._publish(Updated(index, self.get(message_id)))
        self._tell_errors(errors)
        for key in _differing(settings, self.settings):
            self._publish(SettingChanged(key))

    def _moment_below(self, parent_id: str | None) -> datetime:
        """When what is said now below `parent_id` was said: after what stands there, also where a clock was put back.

        Versions stand in the order of their times, whenever and wherever they are read again.
        """
        now, brothers = utc_now(), self._tree.children(parent_id)
        last = self.get(brothers[-1]).created_at if brothers else now
        return max(now, min(last, _LAST) + _MOMENT) if brothers else now

    def _brothers(self) -> dict[str, int]:
        return {message_id: len(self.siblings(message_id)) for message_id in self._tree.path}

    def _merged(
        self, messages: Iterable[StoredMessage], changed: Collection[str], tree: MessageTree, shown: Sequence[str]
    ) -> MessageTree:
        """The tree of `messages`, with what is in memory where nobody changed it, and what streams here."""
        for stored in messages:
            node = self._tree.nodes.get(stored.id)
            if node is None or node.message is None or (stored.id in changed and stored.id not in self._live):
                self._parsed.forget(stored.id)
                tree.link(Node(stored.id, stored.parent_id, stored.role, None, stored))
            else:
                tree.link(Node(stored.id, stored.parent_id, node.role, hung(node.message, stored.parent_id)))
        for message_id in self._live:
            if message_id not in tree.nodes:
                node = self._tree.nodes[message_id]
                parent_id = node.parent_id
                while parent_id is not None and parent_id not in tree.nodes:
                    parent_id = self._tree.nodes[parent_id].parent_id
                assert node.message is not None
                tree.link(Node(message_id, parent_id, node.role, hung(node.message, parent_id)))
        tree.keep_shown(shown)
        tree.walk()
        return tree

    def _tell_path(self, before: tuple[str, ...]) -> int:
        """Announce the new path; returns how many places at its start are as before."""
        path = self._tree.path
        same = next((n for n, (old, new) in enumerate(zip(before, path, strict=False)) if old != new), None)
        if same is None:
            same = min(len(before), len(path))
        if same == len(before) and len(path) - same <= _ONE_BY_ONE:
            for index in range(same, len(path)):
                self._publish(Inserted(index, self.get(path[index])))
        elif same < max(len(before), len(path)):
            self._publish(Reset(same))
        return same

    def _holding(self, call_ids: Collection[str]) -> set[str]:
        """The messages near the end that hold these calls."""
        if not call_ids:
            return set()
        return {
            message_id
            for message_id in self._tree.path[-_CALLS_WITHIN:]
            if any(call.call_id in call_ids for call in getattr(self.get(message_id), "tool_calls", ()))
        }

    def _tell_errors(self, before: dict[str, ErrorOccurred]) -> None:
        for at, error in self._errors.items():
            if before.get(at) != error:
                self._publish(ErrorShown(self.index_of(at), error))
        for at, error in before.items():
            if at not in self._errors:
                self._publish(ErrorShown(self.index_of(at), error.model_copy(update={"resolved": True})))


def open_errors(errors: Iterable[ErrorOccurred]) -> dict[str, ErrorOccurred]:
    """The last error at each message ("": of the conversation), where it is not over."""
    latest = {error.message_id or "": error for error in sorted(errors, key=lambda error: error.at)}
    return {at: error for at, error in latest.items() if not error.resolved}


def _differing(before: ConversationSettings, after: ConversationSettings) -> list[str]:
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    return [key for key in {**old, **new} if old.get(key) != new.get(key)]
