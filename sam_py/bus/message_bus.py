"""MessageBus: one conversation as a tree of messages, its active path, and the only way to change either."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import JsonValue

from sam_py.bus.absorber import Absorber, open_errors
from sam_py.bus.deltas import (
    Appended,
    ErrorShown,
    Inserted,
    Recorded,
    Removed,
    Reset,
    SettingChanged,
    Subscriber,
    Updated,
)
from sam_py.bus.live import LiveReply
from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.metrics import BusMetrics
from sam_py.bus.parsed import ParsedMessages, hung
from sam_py.bus.publisher import Publisher
from sam_py.bus.stored_settings import settings_from
from sam_py.bus.tool_ledger import ToolLedger
from sam_py.bus.tree import MessageTree, Node
from sam_py.errors import SamError, UnknownMessageError
from sam_py.messages.builder import PartsBuilder, TextKind
from sam_py.messages.history import (
    BranchSelected,
    ConversationSettings,
    ErrorOccurred,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
)
from sam_py.messages.importance import score
from sam_py.messages.message import AssistantMessage, Message, StopReason, UserMessage
from sam_py.messages.parts import Part, TextPart
from sam_py.messages.usage import ReminderReceipt, Usage

log = logging.getLogger(__name__)

AUTO_PIN = 3


class MessageBus(Absorber):
    """The one writer of a conversation.

    Invariants: a streaming message is in `_live` and in the tree; nothing empty is kept; what
    `Recorded` carried, replayed, is this conversation again.
    """

    def __init__(
        self,
        conversation_id: str = "",
        *,
        auto_pin: int = AUTO_PIN,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(conversation_id)
        self.auto_pin = auto_pin
        self.metrics = BusMetrics()
        self._now = monotonic
        self._publisher = Publisher()
        self._publish = self._publisher.publish
        self.ledger = ToolLedger(self._record)

    # Listening

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each delta from now on; returns the function that ends it."""
        return self._publisher.subscribe(subscriber)

    # Writing: whole messages

    def load(self, history: LoadedHistory) -> None:
        """Become the conversation that `history` holds. Publishes ``Reset(0)``."""
        self._tree = MessageTree(history.selected)
        self._live.clear()
        self._parsed = ParsedMessages(history.annotations)
        self._errors = open_errors(history.errors)
        self._stored_tasks = history.tasks
        self._tasks = []
        for stored in history.messages:
            self._tree.link(Node(stored.id, stored.parent_id, stored.role, None, stored))
        self.settings = settings_from(history.settings)
        self.ledger.load(history.calls)
        self._tree.walk()
        self._publish(Reset(0))

    def add_user_message(
        self,
        text: str = "",
        parts: Iterable[Part] = (),
        *,
        pinned: bool | None = None,
        parent_id: str | _Unset | None = None,
        turns: bool = True,
    ) -> UserMessage:
        """Add what the person said below the tip, or below `parent_id` (an edit: a sibling); `turns`: see `add`.

        Strips `text`; refuses a message with neither text nor part (`SamError`). The first `auto_pin`
        user messages of a path are pinned unless `pinned` says otherwise.
        """
        message = self.user_message(text, parts, pinned=pinned, parent_id=parent_id)
        self.add(message, turns=turns)
        return message

    def user_message(
        self,
        text: str = "",
        parts: Iterable[Part] = (),
        *,
        pinned: bool | None = None,
        parent_id: str | _Unset | None = None,
    ) -> UserMessage:
        """The message that `add_user_message` would add."""
        text = text.strip()
        content = (*([TextPart(text=text)] if text else []), *parts)
        if UserMessage(parts=content).is_empty:
            raise SamError("Write something or attach a file first: an empty message is not sent.")
        parent = self._parent(parent_id)
        if pinned is None:
            pinned = self._tree.users_above(parent, self.auto_pin) < self.auto_pin
        importance, _rule = score(text, role="user")
        moment = self._moment_below(parent)
        return UserMessage(parent_id=parent, created_at=moment, parts=content, pinned=pinned, importance=importance)

    def add(self, message: Message, *, turns: bool = True) -> None:
        """Add a finished message of any role at its `parent_id`, and make its branch the active one.

        Unless it `turns` to it, nothing that is shown changes where the parent is on a branch that is not shown.
        Raises UnknownMessageError where the parent is not here.
        """
        self._check_new(message)
        started = self._now()
        self._record(MessageAdded(message=message))
        self._insert(message, turns=turns)
        self._took(started)

    def insert(self, message: Message) -> None:  # D-030
        """Put a finished message between its parent and all that stands below that. O(n).

        Raises UnknownMessageError where the parent is not here, ValueError while a reply streams right below it.
        """
        self._check_new(message)
        parent_id = message.parent_id
        below, shown = self._tree.children(parent_id), self._tree.choice(parent_id)
        if shown is None:
            self.add(message)
            return
        if any(child in self._live for child in below):
            raise ValueError("nothing can be put above a reply that streams")
        # A log that ends after any one of these events still shows what is on the path.
        self._record(BranchSelected(parent_id=parent_id, message_id=shown))
        self._record(MessageAdded(message=message))
        for child in below:
            lower = hung(self.get(child), message.id)
            self._put(child, lower)
            self._record(MessageAdded(message=lower))
        if len(below) > 1:
            self._record(BranchSelected(parent_id=message.id, message_id=shown))
        self._tree.slip_in(Node(message.id, parent_id, message.role, message))
        self._tree.walk()
        self.metrics.messages_added += 1
        place = self.index_of(message.id)
        if place is not None:
            self._publish(Inserted(place, message))

    def annotate(
        self,
        message_id: str,
        *,
        pinned: bool | None = None,
        importance: float | None = None,
        context: str | None = None,
    ) -> None:
        """Pin, unpin or re-score a message, or say whether it is sent (`context`: ``keep``, ``never``, or empty)."""
        message = self.get(message_id)
        update: dict[str, Any] = {}
        if pinned is not None:
            update["pinned"] = pinned
        if importance is not None:
            update["importance"] = importance
        if context is not None:
            update["context"] = context
        changed = message.model_copy(update=update)
        if changed == message:
            return
        self._put(message_id, changed)
        self._note(changed)
        self._updated(changed)

    def replace(self, message: Message) -> None:
        """Put `message` where the message with its id is (text edited in place). Its place cannot change."""
        if message.id in self._live:
            raise ValueError("a streaming message cannot be replaced")
        before = self.get(message.id)
        if before == message:
            return
        if (before.parent_id, before.role) != (message.parent_id, message.role):
            raise ValueError("a message keeps its role and its parent")
        self._put(message.id, message)
        self._record(MessageAdded(message=message))
        if message.id in self._parsed.annotations:  # what was annotated before would hold again after a restart
            self._note(message)
        self._updated(message)

    def remove(self, message_id: str) -> None:
        """Take a message out; its children move up to its parent. O(n)."""
        parent_id = self._node(message_id).parent_id
        was_live = self._live.pop(message_id, None) is not None
        self._parsed.forget(message_id)
        self._parsed.annotations.pop(message_id, None)
        self._errors.pop(message_id, None)
        place = self._tree.index.get(message_id)
        left = [path_id for path_id in self._tree.path if path_id != message_id]
        self._record(MessageRemoved(message_id=message_id, parent_id=parent_id))
        moved, choices = self._tree.unlink(message_id)
        for choice in choices:
            self._record(choice)
        for child in moved:
            node = self._tree.nodes[child]
            self._parsed.forget(child)
            if node.message is not None:
                node.message = hung(node.message, parent_id)
            if was_live and child not in self._live:  # the parent that was recorded with it never was itself
                self._record(MessageAdded(message=self.get(child)))
        if place is None:
            return
        same = self._tree.walk()
        if self._tree.path != left:  # another branch came into its place
            self._publish(Reset(same))
            return
        self._publish(Removed(place, message_id))
        if place < len(left) and left[place] in moved:
            self._publish(Updated(place, self.get(left[place])))

    def select_branch(self, message_id: str) -> None:
        """Make the active path run through `message_id`, then on through what was last chosen below it."""
        self._node(message_id)
        for choice in self._tree.choose(message_id):
            self._record(choice)
        self._rewalk()

    # Writing: a reply that streams

    def begin_assistant(
        self,
        *,
        provider: str = "",
        model: str = "",
        parent_id: str | _Unset | None = None,
        reminders: tuple[ReminderReceipt, ...] = (),
        turns: bool = True,
    ) -> str:
        """Open a reply below the tip (or below `parent_id`: a sibling of what is there) and return its id.

        `turns`: see `add`.
        """
        parent = self._parent(parent_id)
        if parent is not None:
            self._node(parent)
        at = self._moment_below(parent)
        message = AssistantMessage(parent_id=parent, created_at=at, provider=provider, model=model, reminders=reminders)
        self._live[message.id] = LiveReply(PartsBuilder(), self._now())
        self._insert(message, turns=turns)
        return message.id

    def resume_assistant(self, message_id: str) -> None:
        """Open a finished reply again, to go on where it stopped."""
        message = self.get(message_id)
        if not isinstance(message, AssistantMessage):
            raise ValueError("only a reply can go on")
        message = message.model_copy(update={"stop_reason": None})
        self._live[message_id] = LiveReply(PartsBuilder(message.parts), self._now())
        self._put(message_id, message)
        self.resolve_error(message_id)
        self._updated(message)

    def append_delta(self, message_id: str, text: str, kind: TextKind = "text") -> None:
        """Append streamed text. Costs what `text` costs."""
        started = self._now()
        live = self._live_of(message_id)
        text = live.whole(text)
        if not text:
            return
        if live.first_token_s is None:
            live.first_token_s = started
        live.characters += len(text)
        part_index = live.builder.append(kind, text)
        self._publish(Appended(self.index_of(message_id), message_id, part_index, kind, text))
        self.metrics.streaming_updates += 1
        self._took(started)

    def append_part(self, message_id: str, part: Part) -> None:
        """Add a whole part (image, signature, code) to a streaming reply."""
        live = self._live_of(message_id)
        if live.first_token_s is None:
            live.first_token_s = self._now()
        part_index = live.builder.add(part)
        self._publish(Appended(self.index_of(message_id), message_id, part_index, part.kind, ""))

    def begin_call(self, message_id: str, key: str, call_id: str, tool_name: str) -> None:
        """Open a tool call in a streaming reply, or name one that is open; `key` is the provider's."""
        live = self._live_of(message_id)
        part_index = live.builder.begin_call(key, call_id, tool_name)
        self._publish(Appended(self.index_of(message_id), message_id, part_index, "tool_call", ""))

    def append_arguments(self, message_id: str, key: str, text: str) -> None:
        live = self._live_of(message_id)
        live.characters += len(text)
        part_index = live.builder.append_arguments(key, text)
        self._publish(Appended(self.index_of(message_id), message_id, part_index, "tool_call", text))

    def complete(
        self,
        message_id: str,
        stop_reason: StopReason = "stop",
        *,
        usage: Usage | None = None,
        response_id: str | None = None,
        model: str = "",
    ) -> AssistantMessage | None:
        """End a streaming reply: trimmed, scored, with usage and metrics. None where it was empty: it is gone then."""
        started = self._now()
        live = self._live_of(message_id)
        base = self._node(message_id).message
        assert isinstance(base, AssistantMessage)
        parts = live.builder.freeze(trim=True)
        so_far = base.usage  # of the requests before this one, where the reply was resumed
        message = base.model_copy(
            update={
                "parts": parts,
                "stop_reason": stop_reason,
                "usage": so_far.and_then(usage) if so_far is not None and usage is not None else (usage or so_far),
                "response_id": response_id or base.response_id,
                "model": model or base.model,
                "metrics": live.measured(usage, started),
            }
        )
        if message.is_empty:
            self.remove(message_id)
            return None
        if message_id not in self._parsed.annotations:
            importance, _rule = score(message.text, role="assistant")
            message = message.model_copy(update={"importance": importance})
        del self._live[message_id]
        self._put(message_id, message)
        self._record(MessageAdded(message=message))
        self._updated(message)
        self._took(started)
        return message

    def abort(self, message_id: str, *, usage: Usage | None = None) -> AssistantMessage | None:
        """End a reply that the person stopped: what came is kept. Tool calls that did not arrive whole go when sent."""
        return self.complete(message_id, "aborted", usage=usage)

    # Writing: what belongs to the conversation

    def record_error(self, error: ErrorOccurred) -> None:
        """Keep and show what went wrong at a message (or, with no `message_id`, in the conversation)."""
        self._errors[error.message_id or ""] = error
        self._record(error)
        self._publish(ErrorShown(self.index_of(error.message_id or ""), error))

    def resolve_error(self, message_id: str) -> None:
        """The error at a message is over: what failed was asked again. Nothing where there is none."""
        error = self._errors.pop(message_id, None)
        if error is not None:
            error = error.model_copy(update={"resolved": True})
            self._record(error)
            self._publish(ErrorShown(self.index_of(message_id), error))

    def record_task(self, task: TaskRecorded) -> None:
        self._tasks.append(task)
        self._record(task)

    def change_setting(self, key: str, value: JsonValue) -> None:
        """Set one of `ConversationSettings`. Unknown keys are kept. An equal value is not news.

        Raises ValueError where a known key cannot have the value.
        """
        values = self.settings.model_dump(mode="json")
        if key in values and values[key] == value:
            return
        chosen = self.settings.model_dump(mode="json", exclude_unset=True)
        self.settings = ConversationSettings.model_validate({**chosen, key: value})
        self._record(SettingsChanged(key=key, value=value))
        self._publish(SettingChanged(key))

    # Inside

    def _check_new(self, message: Message) -> None:
        if message.id in self._tree.nodes:
            raise ValueError(f"the message {message.id!r} is in this conversation already")
        if isinstance(message, AssistantMessage) and message.is_empty:
            raise ValueError("an empty assistant message is never kept")
        if message.parent_id is not None:
            self._node(message.parent_id)

    def _live_of(self, message_id: str) -> LiveReply:
        live = self._live.get(message_id)
        if live is not None:
            return live
        # Recovery as the flow prescribes: log, rebuild the lookup, try once more, then say so.
        self.metrics.lookup_misses += 1
        log.error("streaming to message %s, which is not open; rebuilding the lookup", message_id)
        self._tree.walk()
        node = self._tree.nodes.get(message_id)
        if node is not None and isinstance(node.message, AssistantMessage) and node.message.stop_reason is None:
            live = LiveReply(PartsBuilder(node.message.parts), self._now())
            self._live[message_id] = live
            return live
        self.record_error(
            ErrorOccurred(
                message_id=message_id if node is not None else None,
                code="internal",
                text="A part of the reply could not be placed in this conversation. Regenerate the reply.",
                detail=f"no open message {message_id}",
            )
        )
        raise UnknownMessageError(message_id)

    def _put(self, message_id: str, message: Message) -> None:
        node = self._tree.nodes[message_id]
        node.message = message
        node.stored = None
        self._parsed.forget(message_id)

    def _note(self, message: Message) -> None:
        """Keep pin and importance of `message` as its latest annotation."""
        event = MessageAnnotated(
            message_id=message.id,
            pinned=message.pinned,
            importance=message.importance,
            context=message.context if "context" in message.model_fields_set else None,
        )
        self._parsed.annotations[message.id] = event
        self._record(event)

    def _parent(self, parent_id: str | _Unset | None) -> str | None:
        if isinstance(parent_id, _Unset):
            return None
        return self.tip if parent_id is None else parent_id

    def _rewalk(self) -> None:
        """Rebuild the path and announce from where on it is another one, if it is."""
        length = len(self._tree.path)
        same = self._tree.walk()
        if same < max(length, len(self._tree.path)):
            self._publish(Reset(same))

    def _insert(self, message: Message, *, turns: bool) -> None:
        """Put `message` into the tree and on the path, and announce it. O(1) below the tip, otherwise O(n).

        Unless it `turns`, one whose parent is not on the path only joins the tree: O(1), and nobody is told.
        """
        self.metrics.messages_added += 1
        node = Node(message.id, message.parent_id, message.role, message)
        if node.parent_id == self.tip:
            self._tree.append(node)
            self._publish(Inserted(len(self._tree.path) - 1, message))
            return
        self._tree.link(node)
        if not turns and node.parent_id is not None and node.parent_id not in self._tree.index:
            return
        for choice in self._tree.choose(node.id):
            self._record(choice)
        self._publish(Reset(self._tree.walk()))

    def _record(self, event: Any) -> None:
        self._publish(Recorded(event))

    def _updated(self, message: Message) -> None:
        self.metrics.messages_updated += 1
        index = self.index_of(message.id)
        if index is not None:
            self._publish(Updated(index, message))

    def _took(self, started_s: float) -> None:
        seconds = self._now() - started_s
        if self.metrics.timed(seconds):
            log.warning("a bus update took %.1f ms", seconds * 1000)


class _Unset:
    """The type of `ROOT`."""


ROOT = _Unset()
"""As `parent_id` of `add_user_message`: a first message, beside those that there are."""
