"""outlook: what the next request would hold, message by message and in shares of the window, without building it."""

from __future__ import annotations

from dataclasses import dataclass

from sam_py.agent.context import reminders_tokens
from sam_py.agent.loop import Desk
from sam_py.agent.prompt import history_of, limits_for, system_prompt
from sam_py.messages.message import Message
from sam_py.providers.base import Provider
from sam_py.settings.model import ChatSettings
from sam_py.transcript.plan import Plan, Room
from sam_py.transcript.tokens import text_tokens, tools_tokens


@dataclass(frozen=True, slots=True)
class Shares:
    """Estimated tokens of a request, by what they are for. All but `left_out`, `reserve` and `free` are sent.

    `pinned` counts what the person pinned or always keeps, `kept` all other messages; `system` also what the service
    adds by itself. With a known window, everything but `left_out` is together the window, unless it is exceeded.
    """

    system: int = 0
    tools: int = 0
    reminders: int = 0
    pinned: int = 0
    kept: int = 0
    left_out: int = 0
    reserve: int = 0
    free: int = 0
    window: int | None = None

    @property
    def sent(self) -> int:
        return self.system + self.tools + self.reminders + self.pinned + self.kept


@dataclass(frozen=True, slots=True)
class Outlook:
    """`plan` has a fate for each message of the path and, last, for `draft`: what stands ready to be said."""

    plan: Plan
    shares: Shares
    draft: Message | None = None
    pinned: tuple[str, ...] = ()
    """The ids of pinned messages, in their order, without the draft."""


async def outlook(
    desk: Desk, provider: Provider, model: str, defaults: ChatSettings, draft: Message | None, after: str | None
) -> Outlook:
    """What `provider` would be sent if `draft` came `after` that message. Looks at the history in slices."""
    limits = await limits_for(provider, model)
    history = await history_of(desk.bus, after)
    messages = [*history, draft] if draft is not None else history
    system = system_prompt(desk.bus, defaults)
    reminders = desk.context.reminders_of(messages)
    tools = desk.tools.specs() if desk.tools is not None and limits.tools else ()
    await desk.context.documents_of(messages, provider=provider.id, model=model, limits=limits, defaults=defaults)
    room = desk.context.room_for(
        provider=provider.id,
        model=model,
        limits=limits,
        defaults=defaults,
        system=system,
        reminders=reminders,
        tools=tools,
    )
    await desk.context.weigh(messages, limits)
    planned = desk.context.plan_in(messages, room, limits)
    fixed = text_tokens(system), tools_tokens(tools), reminders_tokens(reminders)
    pinned = tuple(message.id for message in history if message.pinned)
    return Outlook(planned, _shares(planned, room, *fixed), draft, pinned)


def _shares(plan: Plan, room: Room, system: float, tools: float, reminders: float) -> Shares:
    """`kept` is what is left of the whole, so that rounding loses no token.

    What a service adds or takes beside the words is on the tools' account where there are some: it depends on them.
    """
    own = pinned = left_out = 0
    for _id, fate, reason, tokens, whole in plan.fates:
        if fate in ("left_out", "summarised"):
            left_out += whole
        elif reason in ("pinned", "always_keep"):
            pinned += tokens
        elif reason == "system":
            own += tokens
    frame = room.offset if tools else 0.0
    said = max(0, round(system * room.factor + room.offset - frame)) + own
    offered, reminded = max(0, round(tools * room.factor + frame)), round(reminders * room.factor)
    kept = max(0, plan.tokens - said - offered - reminded - pinned)
    sent = said + offered + reminded + pinned + kept
    free = max(0, room.window - room.reserve - sent) if room.window is not None else 0
    return Shares(said, offered, reminded, pinned, kept, left_out, room.reserve, free, room.window)
