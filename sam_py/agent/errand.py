"""Errand: a request beside the conversation, for a title or a summary; what comes is text, read to its end."""

from __future__ import annotations

from sam_py.messages.usage import Usage
from sam_py.providers.base import ChatRequest, Finished, Provider, TextDelta, UsageReported


async def text_of_reply(
    provider: Provider, request: ChatRequest, *, most: int | None = None
) -> tuple[str, Usage | None]:
    """The words of the reply, and what it cost. Beyond `most` characters the rest is not waited for.

    Raises what the provider raises. The stream is closed in any case.
    """
    pieces: list[str] = []
    length = 0
    usage: Usage | None = None
    events = provider.stream(request)
    try:
        async for event in events:
            match event:
                case TextDelta(piece):
                    pieces.append(piece)
                    length += len(piece)
                case UsageReported(reported):
                    usage = reported
                case Finished():
                    break
                case _:
                    pass
            if most is not None and length > most:
                break
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
    return "".join(pieces), usage
