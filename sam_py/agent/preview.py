"""preview: a request as it would go out now, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass

from sam_py.agent.context import Prepared
from sam_py.agent.loop import Desk
from sam_py.agent.prompt import history_of, limits_for, prepare
from sam_py.messages.message import Message
from sam_py.providers.base import Provider
from sam_py.settings.model import ChatSettings


@dataclass(frozen=True, slots=True)
class Preview:
    """`body` is what travels, byte for byte; empty where the provider is no server."""

    prepared: Prepared
    body: bytes


async def preview(
    desk: Desk, provider: Provider, model: str, defaults: ChatSettings, message: Message | None, after: str | None
) -> Preview:
    """What `provider` is sent if `message` comes `after` that one; None: if that is asked again."""
    limits = await limits_for(provider, model)
    history = await history_of(desk.bus, after)
    prepared = await prepare(
        desk.bus,
        [*history, message] if message is not None else history,
        desk.context,
        provider=provider.id,
        model=model,
        limits=limits,
        defaults=defaults,
        read_attachment=desk.read_attachment,
        tools=desk.tools.specs() if desk.tools is not None and limits.tools else (),
    )
    body_of = getattr(provider, "body_of", None)
    return Preview(prepared, await body_of(prepared.request) if body_of is not None else b"")
