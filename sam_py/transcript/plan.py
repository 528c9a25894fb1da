"""Plan: which messages a request holds, and why. What `budget.plan` returns, `build` follows and a person is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Fate = Literal["sent", "shortened", "summarised", "left_out"]
Reason = Literal[
    "fits",  # there is room
    "pinned",
    "always_keep",
    "system",
    "summary",  # it stands for others
    "last_turns",
    "never_send",
    "covered",  # a summary stands for it
    "least_important",  # what was left out had the lowest scores, the oldest first
    "too_large",  # shortened: its head and tail are sent
    "without_call",  # a result whose call is gone
]
CUT = "\n[… {left} characters are left out here to save room …]\n"


class MessageFate(NamedTuple):
    """What becomes of one message. `tokens` are sent of `whole_tokens`, both estimated."""

    message_id: str
    fate: Fate
    reason: Reason
    tokens: int
    whole_tokens: int


@dataclass(frozen=True, slots=True)
class Room:
    """What a request may hold, in tokens: the model's window less the `reserve` for its reply; None: not known.

    `fixed` is what is sent besides the messages: system prompt, tools, reminders. `factor` and `offset` turn raw
    estimates into those of the model (see `calibration`): ``tokens = factor * (fixed + messages) + offset``.
    """

    window: int | None = None
    reserve: int = 0
    fixed: float = 0.0
    factor: float = 1.0
    offset: float = 0.0

    @property
    def limit(self) -> int | None:
        return None if self.window is None else max(1, self.window - self.reserve)


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a conversation is sent. A later plan that is given this one continues it: see `budget.plan`."""

    fates: tuple[MessageFate, ...] = ()
    """One for each message, in their order."""
    tokens: int = 0
    """The whole request, estimated."""
    raw: float = 0.0
    """The same before calibration: what is compared with the provider's count."""
    limit: int | None = None
    warning: str = ""
    """For a person: what must be sent is more than the model takes."""
    left_out: frozenset[str] = frozenset()
    """The ids of messages that are not sent, whatever the reason."""
    shortened: Mapping[str, int] = field(default_factory=dict)
    """Of messages of which head and tail are sent: how many characters of each text are kept."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """The id of a covered message → that of the summary that is sent in its place."""
    dropped: frozenset[str] = frozenset()
    """Of `left_out`, what did not fit: it stays out in plans that continue this one."""

    def fate_of(self, message_id: str) -> MessageFate | None:
        """What becomes of a message; None where it is not in this plan. O(n)."""
        return next((fate for fate in self.fates if fate.message_id == message_id), None)


def shortened_text(text: str, characters: int) -> str:
    """Head and tail of `text`, together so many characters, and a note of what is missing between them.

    >>> shortened_text("a" * 50 + "b" * 50, 30)
    'aaaaaaaaaaaaaaaaaaaa\\n[… 70 characters are left out here to save room …]\\nbbbbbbbbbb'
    """
    if len(text) <= characters:
        return text
    tail = characters // 3
    head = characters - tail
    return f"{text[:head]}{CUT.format(left=len(text) - characters)}{text[-tail:] if tail else ''}"
