"""What a request is made of: system prompt, transcript, parameters, and the bytes of what is attached."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import get_args

from sam_py.agent.context import Context, Prepared
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError, UnknownMessageError
from sam_py.messages.message import Message, UserMessage
from sam_py.messages.parts import CodePart, FilePart, ImagePart, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import Limits, ToolResultPart, Transcript
from sam_py.providers.base import ChatRequest, Effort, Provider, ToolSpec
from sam_py.settings.model import ChatSettings
from sam_py.transcript.attached import put_in_files, without_attachments
from sam_py.transcript.build import build

log = logging.getLogger(__name__)

ReadAttachment = Callable[[str], Awaitable[bytes]]
"""Returns the bytes of a content hash. Raises SamError or OSError where they are gone."""

_PARSE_SLICE_S = 0.004
_PARSED_AT_ONCE = 16

CONTINUE = (
    "Your last message was cut off. Go on from exactly where it ends, with the very next character: "
    "repeat nothing, announce nothing, and keep its language and formatting."
)


async def limits_for(provider: Provider, model: str) -> Limits:
    """What `model` takes, as far as `provider` knows it or its server tells when it is asked."""
    learn = getattr(provider, "learn", None)
    if learn is not None:
        await learn(model)
    return provider.limits_of(model)


async def history_of(bus: MessageBus, last_id: str | None) -> list[Message]:
    """The messages from the first to `last_id`, parsed without stopping the window for longer than a frame."""
    if last_id == bus.tip:
        ids = bus.path
    else:
        above = [last_id] if last_id is not None else []
        while above and (parent := bus.parent_of(above[-1])) is not None:
            above.append(parent)
        ids = tuple(reversed(above))
    messages: list[Message] = []
    paused_s = time.monotonic()
    for start in range(0, len(ids), _PARSED_AT_ONCE):
        some = ids[start : start + _PARSED_AT_ONCE]
        try:
            messages += [bus.get(message_id) for message_id in some]
        except UnknownMessageError:  # removed while others were parsed
            messages += [bus.get(message_id) for message_id in some if message_id in bus]
        if time.monotonic() - paused_s > _PARSE_SLICE_S:
            await asyncio.sleep(0)
            paused_s = time.monotonic()
    return messages


def system_prompt(bus: MessageBus, defaults: ChatSettings) -> str:
    """The conversation's own prompt, or the program's where it has none."""
    own = bus.settings.system_prompt
    return (defaults.system_prompt if own is None else own).strip()


async def prepare(
    bus: MessageBus,
    messages: Sequence[Message],
    context: Context,
    *,
    provider: str,
    model: str,
    limits: Limits,
    defaults: ChatSettings,
    read_attachment: ReadAttachment,
    tools: tuple[ToolSpec, ...] = (),
    go_on: bool = False,
) -> Prepared:
    """The request for the reply to `messages`, or with `go_on` for the rest of the last of them.

    It holds what fits, and opens the last question with what is to be remembered. Nothing is changed by it.
    Raises SamError where there is nothing to answer.
    """
    if go_on:  # for this request only: never in the history
        messages = (*messages, UserMessage(parts=(TextPart(text=CONTINUE),)))
    system = system_prompt(bus, defaults)
    reminders = context.reminders_of(messages)
    documents = await context.documents_of(messages, provider=provider, model=model, limits=limits, defaults=defaults)
    await context.weigh(messages, limits)
    room = context.room_for(
        provider=provider,
        model=model,
        limits=limits,
        defaults=defaults,
        system=system,
        reminders=reminders,
        tools=tools,
    )
    planned = context.plan_in(messages, room, limits)
    transcript = build(
        messages,
        bus.ledger,
        [reminder.text for reminder in reminders],
        limits,
        system=system,
        provider=provider,
        model=model,
        plan=planned,
        documents=documents,
    )
    for note in transcript.notes:
        log.info("transcript of %s: %s", bus.conversation_id, note)
    transcript, attachments = await _with_attachments(transcript, read_attachment)
    if not transcript.turns or transcript.turns[-1].role == "assistant":  # some services refuse that
        raise SamError("There is nothing to answer yet: write a message first.")
    settings = bus.settings
    request = ChatRequest(
        model=model,
        turns=transcript.turns,
        provider=provider,
        tools=tools,
        system=transcript.system,
        temperature=settings.temperature if settings.temperature is not None else defaults.temperature,
        top_p=settings.top_p if settings.top_p is not None else defaults.top_p,
        reasoning_effort=_effort(settings.reasoning_effort) or defaults.reasoning_effort,
        max_tokens=settings.max_tokens if settings.max_tokens is not None else defaults.max_tokens,
        limits=limits,
        attachments=attachments,
        conversation_id=bus.conversation_id,
    )
    return Prepared(request, planned, reminders)


def characters_of(request: ChatRequest) -> int:
    """How long the words of a request are: what its tokens are estimated from. O(length)."""
    length = len(request.system)
    for turn in request.turns:
        for part in turn.parts:
            match part:
                case TextPart() | ThinkingTextPart() | ToolResultPart():
                    length += len(part.text)
                case CodePart():
                    length += len(part.code)
                case ToolCallPart():
                    length += len(part.arguments_json)
                case _:
                    pass  # pictures and files: no two models count them alike
    return length


def _effort(name: str | None) -> Effort | None:
    """The effort of that name; a word of a newer version counts as none set."""
    return next((effort for effort in get_args(Effort) if effort == name), None)


async def _with_attachments(
    transcript: Transcript, read_attachment: ReadAttachment
) -> tuple[Transcript, dict[str, bytes]]:
    """Read what the turns name; text files become text, what is gone becomes a note in its place."""
    contents: dict[str, bytes] = {}
    lost: set[str] = set()
    for attachment in _named(transcript):
        try:
            contents[attachment] = await read_attachment(attachment)
        except (SamError, OSError) as error:
            log.warning("the attachment %s cannot be read: %s", attachment, error)
            lost.add(attachment)
    if lost:
        transcript = without_attachments(transcript, lost)
    return put_in_files(transcript, contents), contents


def _named(transcript: Transcript) -> list[str]:
    """The content hashes that the turns name, each once, in order."""
    named: dict[str, None] = {}
    for turn in transcript.turns:
        for part in turn.parts:
            inner = (part, *part.parts) if isinstance(part, ToolResultPart) else (part,)
            for piece in inner:
                if isinstance(piece, FilePart | ImagePart) and piece.attachment:
                    named[piece.attachment] = None
    return list(named)
