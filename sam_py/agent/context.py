"""Context: what a conversation's requests hold. It remembers the last plan, and learns from what models report."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

from sam_py.agent.documents import ConversationDocuments, ReadDocument
from sam_py.agent.remembered import Remembered
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import Message
from sam_py.messages.parts import FilePart
from sam_py.messages.turn import Limits
from sam_py.messages.usage import ReminderReceipt, Usage
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.errors import ProviderError
from sam_py.reminders.order import Reminder, Reminders
from sam_py.settings.model import ChatSettings
from sam_py.transcript.budget import plan
from sam_py.transcript.calibration import Calibrations
from sam_py.transcript.documents import DocumentTexts
from sam_py.transcript.plan import Plan, Room
from sam_py.transcript.tokens import PER_MESSAGE, message_tokens, text_tokens, tools_tokens

_UNKNOWN_REPLY, _LONGEST_RESERVE = 4_096, 32_000
_WEIGH_SLICE_S = 0.004
_NARROWER = 0.85
"""Of a request that was refused without a number, so much is tried next."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request, and why it holds what it does."""

    request: ChatRequest
    plan: Plan
    reminders: tuple[Reminder, ...] = ()

    @property
    def receipts(self) -> tuple[ReminderReceipt, ...]:
        return tuple(reminder.receipt for reminder in self.reminders)


class Context:
    """One conversation's. `calibrations` and `reminders` are shared by all conversations.

    `plan` is that of the last request, for a person to look at; None before the first. What was sent alone changes
    anything here: a request that is only looked at leaves no trace.
    """

    def __init__(
        self,
        bus: MessageBus,
        *,
        calibrations: Calibrations | None = None,
        reminders: Reminders | None = None,
        read_document: ReadDocument | None = None,
        remembered: Remembered | None = None,
    ) -> None:
        self.plan: Plan | None = None
        self._remembered = remembered or Remembered()
        self.calibrations = calibrations or self._remembered.calibrations
        self._bus = bus
        self._reminders = reminders or Reminders()
        self._documents = ConversationDocuments(read_document)
        self._texts: DocumentTexts = {}
        """The last ones: the sizes of messages count them."""
        self._assumed: dict[tuple[str, str], int] = {}
        """What models are taken to take that refused a request without a number."""
        self._weighed: tuple[tuple[ToolSpec, ...], float] = ((), 0.0)
        self._sizes: dict[tuple[str, bool, bool], float] = {}
        self._measured: WeakValueDictionary[str, Message] = WeakValueDictionary()

    def reminders_of(self, messages: Sequence[Message]) -> tuple[Reminder, ...]:
        return self._reminders.compose(self._bus, messages)

    async def documents_of(
        self, messages: Sequence[Message], *, provider: str, model: str, limits: Limits, defaults: ChatSettings
    ) -> DocumentTexts:
        """What stands for the documents in `messages` that `model` is not shown as files."""
        window = self.window_of(provider, model, limits, defaults)
        self._texts = await self._documents.texts(messages, limits, window)
        return self._texts

    async def weigh(self, messages: Sequence[Message], limits: Limits) -> None:
        """Estimate all `messages` without stopping the window for longer than a frame: a plan is quick after that."""
        paused_s = time.monotonic()
        for message in messages:
            self._size(message, limits)
            if time.monotonic() - paused_s > _WEIGH_SLICE_S:
                await asyncio.sleep(0)
                paused_s = time.monotonic()

    def plan_in(self, messages: Sequence[Message], room: Room, limits: Limits) -> Plan:
        """What of `messages` is sent where there is `room`, to a model that takes what `limits` say."""
        before = self.plan or self._remembered.plan_of(self._bus.conversation_id)
        return plan(messages, room, previous=before, size_of=lambda message: self._size(message, limits))

    def room_for(
        self,
        *,
        provider: str,
        model: str,
        limits: Limits,
        defaults: ChatSettings,
        system: str,
        reminders: Sequence[Reminder],
        tools: Sequence[ToolSpec],
    ) -> Room:
        """What the next request to `model` may hold beside `system`, `reminders` and `tools`."""
        of_tools = self._tokens_of(tools)
        fixed = text_tokens(system) + of_tools + reminders_tokens(reminders)
        measure = self.calibrations.measure_of(provider, model, tools=of_tools)
        window = self.window_of(provider, model, limits, defaults)
        most = self._bus.settings.max_tokens or defaults.max_tokens
        return Room(window, _reserve(window, most, limits), fixed, measure.factor, measure.offset)

    def sent(self, prepared: Prepared) -> None:
        """This request goes out: later plans continue its own."""
        self.plan = prepared.plan
        self._remembered.keep(self._bus.conversation_id, prepared.plan)

    def learn(self, prepared: Prepared, usage: Usage | None) -> None:
        """Take what the provider counted."""
        if usage is None or usage.estimated or not usage.input_tokens:
            return
        request = prepared.request
        self.calibrations.learn(
            request.provider, request.model, prepared.plan.raw, usage.input_tokens, tools=self._tokens_of(request.tools)
        )
        self._remembered.changed()

    def refused(self, prepared: Prepared, error: ProviderError) -> None:
        """The request was too long: take the server's numbers, or where it says none, assume less than was sent."""
        self._remembered.changed()
        request = prepared.request
        who = request.provider, request.model
        raw, tools = prepared.plan.raw, self._tokens_of(request.tools)
        if error.prompt_tokens:
            self.calibrations.learn_too_long(*who, raw, error.prompt_tokens, tools=tools)
        limit = error.window_tokens or prepared.plan.limit
        tokens = error.prompt_tokens or self.calibrations.measure_of(*who, tools=tools).tokens(raw)
        if error.window_tokens:
            self.calibrations.learn_window(*who, error.window_tokens)
        if limit is None or tokens <= limit - (request.max_tokens or 0) or not error.prompt_tokens:
            # By the numbers that we have it should have fitted, or we have none.
            self._assumed[who] = round(_NARROWER * min(tokens, limit or tokens))

    def nothing_shorter(self, prepared: Prepared) -> None:
        """There was nothing to leave out: what was assumed of the window says nothing."""
        self._assumed.pop((prepared.request.provider, prepared.request.model), None)

    def window_of(self, provider: str, model: str, limits: Limits, defaults: ChatSettings) -> int | None:
        """At most so many tokens make a request and its reply; None: not known, and no limit was set."""
        known = (
            limits.context_tokens,
            self._bus.settings.context_tokens or defaults.context_tokens,
            self.calibrations.window_of(provider, model),
            self._assumed.get((provider, model)),
        )
        return min((tokens for tokens in known if tokens), default=None)

    def _tokens_of(self, tools: Sequence[ToolSpec]) -> float:
        """Their estimate; they are mostly the ones of the request before."""
        if self._weighed[0] != tools:
            self._weighed = (tuple(tools), tools_tokens(tools))
        return self._weighed[1]

    def _size(self, message: Message, limits: Limits) -> float:
        """Its estimate, remembered as long as the very same message is in memory, and holds no document."""
        texts = self._texts
        if texts and any(type(part) is FilePart and part.attachment in texts for part in message.parts):
            return message_tokens(message, limits, texts)
        key = (message.id, limits.images, limits.pdfs)
        if self._measured.get(message.id) is not message:
            for images in (False, True):
                for pdfs in (False, True):
                    self._sizes.pop((message.id, images, pdfs), None)
            self._measured[message.id] = message
        size = self._sizes.get(key)
        if size is None:
            size = self._sizes[key] = message_tokens(message, limits)
        return size


def reminders_tokens(reminders: Sequence[Reminder]) -> float:
    """About how many tokens `reminders` are, each in its frame."""
    return sum(PER_MESSAGE + text_tokens(reminder.text) for reminder in reminders)


def _reserve(window: int | None, most: int | None, limits: Limits) -> int:
    """What is kept free for the reply: what the person allows it, or what such a model may write."""
    if window is None:
        return 0
    wanted = most or min(limits.output_tokens or _UNKNOWN_REPLY, _LONGEST_RESERVE)
    return min(wanted, window // 2 if most else window // 4)
