"""ReplyStream: one provider stream folded into one reply on the bus."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Sequence
from typing import assert_never

from sam_py.agent.call_ids import CallIds
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.parts import CodePart, ImagePart, Part, ThinkingSignaturePart
from sam_py.messages.usage import Usage, estimated_usage
from sam_py.providers.base import (
    CodeProduced,
    Finished,
    ImageProduced,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSigned,
    ToolCallDelta,
    ToolCallStarted,
    UsageReported,
    Waiting,
)
from sam_py.providers.errors import ProviderError
from sam_py.reminders.echo import EchoStripper

PutAttachment = Callable[[bytes, str], Awaitable[str]]
"""Keeps bytes of a MIME type and returns their content hash."""

YIELD_AFTER_S = 0.005
"""Data that is buffered already never suspends the reader: let the window paint at least this often."""


class ReplyStream:
    """Reads a stream to its end; what it learned on the way stays readable when it breaks off.

    `stopped` is set by whoever ended the reply meanwhile: from then on nothing is written any more.
    """

    def __init__(
        self,
        bus: MessageBus,
        reply_id: str,
        *,
        provider: str,
        model: str,
        put_attachment: PutAttachment | None,
        on_waiting: Callable[[str], None],
        on_content: Callable[[], None],
        joins: str = "",
        known_calls: Container[str] = (),
        asked_characters: Callable[[], int] = lambda: 0,
        reminded_of: Sequence[str] = (),
    ) -> None:
        """`known_calls` are the ids that calls of this conversation have: some servers use theirs again.

        `asked_characters` says how long the request is: tokens are estimated from it where nobody counts them.
        `reminded_of` are the reminders in it: what the model repeats of them is taken out.
        """
        self.usage: Usage | None = None
        self.response_id: str | None = None
        self.model = model
        self.finished: Finished | None = None
        self.stopped = False
        self._bus = bus
        self._reply_id = reply_id
        self.provider = provider
        self._put_attachment = put_attachment
        self._on_waiting = on_waiting
        self._on_content = on_content
        self._joins = joins
        self._ids = CallIds(known_calls)
        self._asked_characters = asked_characters
        self._characters = 0
        self._echo = EchoStripper(reminded_of)
        self._writing: tuple[bytes, str] | None = None

    @property
    def spent(self) -> Usage | None:
        """The tokens so far: as reported, or our estimate once something came; None where nothing did."""
        if self.usage is not None or not self._characters:
            return self.usage
        return estimated_usage(self._asked_characters(), self._characters)

    @property
    def is_over(self) -> bool:
        """True once nobody waits for the rest: it was stopped, or the message was deleted."""
        return self.stopped or not self._bus.is_streaming(self._reply_id)

    async def read(self, events: AsyncIterator[StreamEvent]) -> None:
        """Apply all events. Raises what the provider raises, and `ProviderError` where the end is missing."""
        yielded_s = time.monotonic()
        try:
            async for event in events:
                if self.is_over:
                    return
                await self._apply(event)
                if self.finished is not None:
                    return
                if time.monotonic() - yielded_s > YIELD_AFTER_S:
                    await asyncio.sleep(0)
                    yielded_s = time.monotonic()
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()
        raise ProviderError("The reply broke off before its end. Try again.", code="cut_off")

    async def _apply(self, event: StreamEvent) -> None:
        bus, reply_id = self._bus, self._reply_id
        match event:
            case TextDelta(text):
                if text:
                    self._came(text)
                    self._say(self._echo.feed(text))
            case ThinkingDelta(text):
                if text:
                    self._came(text)
                    bus.append_delta(reply_id, text, "thinking_text")
            case ThinkingSigned() | CodeProduced():
                self.say_rest()
                self._keep_whole(event)
            case ToolCallStarted(key, call_id, tool_name):
                self._on_content()
                self.say_rest()
                bus.begin_call(reply_id, key, self._ids.named(key, call_id), tool_name)
            case ToolCallDelta(key, arguments):
                if key not in self._ids:
                    bus.begin_call(reply_id, key, self._ids.named(key, ""), "")
                self._characters += len(arguments)
                bus.append_arguments(reply_id, key, arguments)
            case ImageProduced(data, mime_type):
                self.say_rest()
                await self._keep_image(data, mime_type)
            case UsageReported(usage):
                self.usage = usage
            case Started(response_id, model):
                self.response_id = response_id or self.response_id
                self.model = self.model or model
            case Waiting(text):
                self._on_waiting(text)
            case Finished():
                self.say_rest()
                self.finished = event
            case _:
                assert_never(event)

    def say_rest(self) -> None:
        """Show what came and is not shown: a picture that is still being written, text that looked like an echo."""
        if self.is_over:
            return
        if self._writing is not None:
            (data, mime_type), self._writing = self._writing, None
            attachment = hashlib.sha256(data).hexdigest()  # as the store will name it
            self._bus.append_part(self._reply_id, ImagePart(attachment=attachment, mime_type=mime_type))
        self._say(self._echo.close())

    def _say(self, text: str) -> None:
        if text:
            self._bus.append_delta(self._reply_id, self._joined(text))

    def _came(self, text: str) -> None:
        self._characters += len(text)
        self._on_content()

    def _keep_whole(self, event: ThinkingSigned | CodeProduced) -> None:
        if isinstance(event, ThinkingSigned):
            part: Part = ThinkingSignaturePart(signature=event.signature, provider=self.provider, model=self.model)
        else:
            self._on_content()
            part = CodePart(code=event.code, language=event.language)
        self._bus.append_part(self._reply_id, part)

    async def _keep_image(self, data: bytes, mime_type: str) -> None:
        if self._put_attachment is None:
            return
        self._on_content()
        self._writing = (data, mime_type)
        try:
            attachment = await self._put_attachment(data, mime_type)
        finally:
            self._writing = None
        if not self.is_over:
            self._bus.append_part(self._reply_id, ImagePart(attachment=attachment, mime_type=mime_type))

    def _joined(self, text: str) -> str:
        """The first text of a continued reply: models begin with a word, and the space before it was trimmed away."""
        before, self._joins = self._joins, ""
        return f" {text}" if before and _is_word(before) and _is_word(text[0]) else text


def _is_word(character: str) -> bool:
    """True for a letter or digit of a script that puts spaces between words."""
    return character.isalnum() and ord(character) < 0x2E80
