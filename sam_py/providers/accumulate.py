"""fold: the events of one reply as one `AssistantMessage`, the same for every provider."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import assert_never

from sam_py.messages.builder import PartsBuilder
from sam_py.messages.message import AssistantMessage, StopReason
from sam_py.messages.parts import CodePart, ImagePart, ThinkingSignaturePart
from sam_py.messages.usage import Usage
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


def content_hash(data: bytes) -> str:
    """The name of an attachment: SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def fold(
    events: Iterable[StreamEvent],
    *,
    provider: str = "",
    model: str = "",
    keep_image: Callable[[bytes], str] = content_hash,
) -> AssistantMessage:
    """Return the reply that `events` make. Without a `Finished` its `stop_reason` is None.

    `model` is what was asked for; the reply carries it unless it is empty, then what the server said.
    `keep_image` stores a picture and returns its attachment.
    """
    builder = PartsBuilder()
    usage: Usage | None = None
    stop_reason: StopReason | None = None
    response_id, reported_model = "", ""
    for event in events:
        match event:
            case Started():
                response_id, reported_model = event.response_id, event.model
            case TextDelta():
                builder.append("text", event.text)
            case ThinkingDelta():
                builder.append("thinking_text", event.text)
            case ThinkingSigned():
                builder.add(
                    ThinkingSignaturePart(signature=event.signature, provider=provider, model=model or reported_model)
                )
            case ToolCallStarted():
                builder.begin_call(event.key, event.call_id, event.tool_name)
            case ToolCallDelta():
                builder.append_arguments(event.key, event.arguments_json)
            case ImageProduced():
                builder.add(ImagePart(attachment=keep_image(event.data), mime_type=event.mime_type))
            case CodeProduced():
                builder.add(CodePart(code=event.code, language=event.language))
            case UsageReported():
                usage = event.usage
            case Waiting():
                pass
            case Finished():
                stop_reason = event.stop_reason
            case _:
                assert_never(event)
    return AssistantMessage(
        parts=builder.freeze(),
        stop_reason=stop_reason,
        usage=usage,
        provider=provider,
        model=model or reported_model,
        response_id=response_id or None,
    )
