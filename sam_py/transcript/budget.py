"""plan: which messages fit into a request. Pure: the same input gives the same plan, byte for byte.

Never left out: system messages, summaries, what is pinned or marked to be kept, the last turns. Then tool results and
texts that are very long are shortened, and whole messages go: the lowest importance first, the oldest first among
equals, a reply always with all results of its calls. All that happens in steps: once a request is over its limit, so
much goes that the next ones fit for a while, and until then they begin with the same words (a provider's cache holds).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import CodePart, Part, TextPart, ToolCallPart
from sam_py.transcript.pairing import owners_of
from sam_py.transcript.plan import Fate, MessageFate, Plan, Reason, Room, shortened_text
from sam_py.transcript.tokens import message_tokens, thinking_tokens
from sam_py.transcript.uncollected import uncollected

STEP = 0.75
"""A step leaves so much of the limit in use."""
LAST_TURNS = 3
"""So many turns at the end, each from what the user wrote on, are not touched as long as the rest can give way."""
SHORT_CHARACTERS = 2_000
"""What is kept of a text that is shortened."""
_WORTH_SHORTENING = 500
"""Tokens that shortening a message must save."""

SizeOf = Callable[[Message], float]


def plan(
    messages: Sequence[Message],
    room: Room,
    *,
    previous: Plan | None = None,
    size_of: SizeOf = message_tokens,
) -> Plan:
    """What of `messages` (the active path, in order) is sent where there is `room`. Linear, but for one sort in a step.

    `previous` is continued: what it left out or shortened stays so until the next step, unless its limit was another
    one, or all would fit again with a step's room to spare. Without a known window all is sent.
    """
    with uncollected():
        return _Planning(messages, room, size_of).planned(previous)


def shortened_message(message: Message, characters: int) -> Message:
    """`message` with head and tail of each text alone."""
    if isinstance(message, ToolResultMessage):
        return message.model_copy(update={"output_text": shortened_text(message.output_text, characters)})
    return message.model_copy(update={"parts": tuple(_shortened_part(part, characters) for part in message.parts)})


def _shortened_part(part: Part, characters: int) -> Part:
    match part:
        case TextPart() if len(part.text) > characters:
            return TextPart(text=shortened_text(part.text, characters))
        case CodePart() if len(part.code) > characters:
            return part.model_copy(update={"code": shortened_text(part.code, characters)})
        case _:
            return part


class _Planning:
    """Sizes are raw estimates; `_limit` and `_target` are the room's in the same measure."""

    def __init__(
        self,
        messages: Sequence[Message],
        room: Room,
        size_of: SizeOf,
    ) -> None:
        self._messages = messages
        self._room = room
        self._size_of = size_of
        self._ids = [message.id for message in messages]
        self._whole = [size_of(message) for message in messages]
        self._sizes = list(self._whole)
        self._results_of: dict[int, list[int]] = {}
        self._owner: dict[int, int] = {}
        """Index of a result → index of its reply."""
        self._out: dict[int, Reason] = {}
        self._kept: dict[int, Reason] = {}
        self._stand_ins: dict[str, str] = {}
        self._dropped: set[int] = set()
        self._shortened: dict[int, int] = {}
        self._total = 0.0
        self._pair()
        self._mark()
        self._add_thinking()

    def planned(self, previous: Plan | None) -> Plan:
        self._total = self._room.fixed + sum(self._whole) - sum(self._whole[index] for index in self._out)
        limit = self._room.limit
        if limit is None:
            return self._result("")
        most = (limit - self._room.offset) / self._room.factor
        target = (STEP * limit - self._room.offset) / self._room.factor
        last = self._last_turns()
        if previous is not None and previous.limit == limit and self._total > target:
            self._continue(previous, last[0] if last else len(self._messages))
        if self._total > most:
            for start in last:  # the fewer turns are kept, the later the first of them starts
                self._make_room(target, range(start))
                if self._total <= most:
                    break
            else:
                self._make_room_in_the_last_turn(target, most, last[-1] if last else 0)
        over = self._total > most
        return self._result(_TOO_MUCH.format(tokens=self._tokens(), limit=limit) if over else "")

    # What there is

    def _pair(self) -> None:
        """Find the reply of each result."""
        calls: dict[str, int] = {}
        for index, message in enumerate(self._messages):
            kind = type(message)
            if kind is AssistantMessage:
                for part in message.parts:
                    if type(part) is ToolCallPart:
                        if part.call_id in calls:
                            return self._pair_by(owners_of(self._messages))
                        calls[part.call_id] = index
            elif kind is ToolResultMessage:
                reply = calls.get(message.call_id)  # type: ignore[union-attr]
                if reply is None:
                    return self._pair_by(owners_of(self._messages))
                self._owner[index] = reply
                self._results_of.setdefault(reply, []).append(index)
        return None

    def _pair_by(self, owners: Mapping[str, int]) -> None:
        """The same where ids are used again, or results stand before their calls or have none."""
        self._owner.clear()
        self._results_of.clear()
        for index, message in enumerate(self._messages):
            if type(message) is not ToolResultMessage:
                continue
            reply = owners.get(message.id)
            if reply is None:
                self._out[index] = "without_call"
            else:
                self._owner[index] = reply
                self._results_of.setdefault(reply, []).append(index)

    def _add_thinking(self) -> None:
        """In the tool loop that goes on, services read the thinking again."""
        for index in range(len(self._messages) - 1, -1, -1):
            message = self._messages[index]
            if type(message) is UserMessage:
                return
            if type(message) is AssistantMessage:
                self._whole[index] += thinking_tokens(message.parts)
                self._sizes[index] = self._whole[index]

    def _mark(self) -> None:
        """Say of each message that must be sent, or must not, why."""
        plain = (UserMessage, AssistantMessage, ToolResultMessage)
        special = [
            index
            for index, message in enumerate(self._messages)
            if message.pinned or message.context or type(message) not in plain
        ]
        covered = self._covered(special)
        never = []
        for index in range(len(self._messages)) if covered else special:
            message = self._messages[index]
            if message.context == "never":
                never.append(index)
            elif message.context == "keep":
                self._kept[index] = "always_keep"
            elif message.pinned:
                self._kept[index] = "pinned"
            elif type(message) is SystemMessage:
                self._kept[index] = "system"
            elif covered and message.id in covered:
                self._out[index] = "covered"
            elif type(message) is DeveloperMessage and message.covers:
                self._kept[index] = "summary"
        for index in list(self._kept):
            if index in self._owner or index in self._results_of:
                self._keep_together(index)
        if covered:
            self._cover_together()
        for index in never:
            for member in self._members(index):
                self._kept.pop(member, None)
                self._out[member] = "never_send"

    def _cover_together(self) -> None:
        """A result goes where its reply does."""
        for index in [index for index, why in self._out.items() if why == "covered"]:
            if index in self._owner and self._owner[index] not in self._out:
                del self._out[index]
            for result in self._results_of.get(index, ()):
                self._out[result] = "covered"

    def _keep_together(self, index: int) -> None:
        why = self._kept[index]
        for member in self._members(index):
            self._kept.setdefault(member, why)
            self._out.pop(member, None)

    def _covered(self, special: Sequence[int]) -> frozenset[str]:
        """The ids that summaries stand for; notes where each of those is sent."""
        summaries = [
            message
            for message in map(self._messages.__getitem__, special)
            if type(message) is DeveloperMessage and message.covers and message.context != "never"
        ]
        if not summaries:
            return frozenset()
        place = {message.id: index for index, message in enumerate(self._messages)}
        covered = _told_by(summaries)
        for summary in summaries:
            there = [place[covers] for covers in summary.covers if covers in place]
            if there and summary.id not in covered:
                first = min(there)
                self._stand_ins.setdefault(self._messages[first].id, summary.id)
        return frozenset(covered)

    def _members(self, index: int) -> list[int]:
        reply = self._owner.get(index, index)
        return [reply, *self._results_of.get(reply, ())]

    def _last_turns(self) -> list[int]:
        """Where the user began to write, the last times."""
        starts: list[int] = []
        start = None
        for index in range(len(self._messages) - 1, -1, -1):
            kind = type(self._messages[index])
            if kind is UserMessage and index not in self._out:
                start = index
            elif kind is AssistantMessage and start is not None:
                starts.append(start)
                start = None
                if len(starts) == LAST_TURNS:
                    return starts[::-1]
        return [start, *starts[::-1]] if start is not None else starts[::-1]

    # What gives way

    def _continue(self, previous: Plan, protected_from: int) -> None:
        dropped = previous.dropped
        for index in [index for index, each in enumerate(self._ids[:protected_from]) if each in dropped]:
            if index not in self._out and index not in self._kept and index not in self._owner:
                self._drop(index)
        if previous.shortened:
            for index, each in enumerate(self._ids):
                characters = previous.shortened.get(each)
                if characters is not None and index not in self._out and index not in self._kept:
                    self._shorten(index, characters)

    def _make_room(self, target: float, among: range) -> None:
        """Shorten, then leave out, of the messages `among` what may go, until no more than `target` is left."""
        for index in [index for index in among if self._whole[index] > _WORTH_SHORTENING]:
            if self._total <= target:
                return
            self._shorten_if_long(index)
        units = self._units(among)
        for importance in sorted(units):
            for index in units[importance]:
                if self._total <= target:
                    return
                self._drop(index)

    def _make_room_in_the_last_turn(self, target: float, most: float, start: int) -> None:
        """The last question and the last round stay; earlier rounds of it go, then the last results are shortened."""
        rounds = [
            index for index in range(start, len(self._messages)) if type(self._messages[index]) is AssistantMessage
        ]
        if len(rounds) > 1:
            self._make_room(target, range(start + 1, rounds[-1]))
        for index in range(rounds[-1] if rounds else len(self._messages), len(self._messages)):
            if self._total <= most:
                return
            self._shorten_if_long(index)

    def _shorten_if_long(self, index: int) -> None:
        message = self._messages[index]
        if self._whole[index] <= _WORTH_SHORTENING or type(message) is AssistantMessage:
            return
        if index not in self._kept and index not in self._out and index not in self._shortened:
            self._shorten(index, SHORT_CHARACTERS)

    def _shorten(self, index: int, characters: int) -> None:
        size = self._size_of(shortened_message(self._messages[index], characters))
        saved = self._sizes[index] - size
        if saved >= _WORTH_SHORTENING:
            self._shortened[index] = characters
            self._sizes[index] = size
            self._total -= saved

    def _units(self, among: range) -> dict[float, list[int]]:
        """What of `among` may be left out: by how important it is, where it begins, in order.

        Messages go together or not at all where one is a reply and the others are the results of its calls.
        """
        messages, out, kept, owner = self._messages, self._out, self._kept, self._owner
        units: dict[float, list[int]] = {}
        for index in among:
            if index in out or index in kept or index in owner:
                continue
            importance = messages[index].importance
            results = self._results_of.get(index)
            if results is not None:
                if results[-1] >= among.stop:
                    continue  # a result of it belongs to what stays
                importance = max(importance, *(messages[result].importance for result in results))
            units.setdefault(importance, []).append(index)
        return units

    def _drop(self, index: int) -> None:
        for member in (index, *self._results_of.get(index, ())):
            if member not in self._out:
                self._total -= self._sizes[member]
                self._out[member] = "least_important"
                self._dropped.add(member)

    # What comes of it

    def _tokens(self) -> int:
        return max(0, round(self._total * self._room.factor + self._room.offset))

    def _result(self, warning: str) -> Plan:
        messages, out, factor = self._messages, self._out, self._room.factor
        shortened = {index: kept for index, kept in self._shortened.items() if index not in out}
        last = self._last_turns()
        recent = last[0] if last and self._dropped else len(messages)
        wholes = [round(raw * factor) for raw in self._whole]
        tokens = wholes.copy()
        fates: list[Fate] = ["sent"] * len(messages)
        reasons: list[Reason] = ["fits"] * recent
        reasons += ["last_turns"] * (len(messages) - recent)
        for index, why in self._kept.items():
            reasons[index] = why
        for index in shortened:
            fates[index], reasons[index], tokens[index] = "shortened", "too_large", round(self._sizes[index] * factor)
        for index, why in out.items():
            fates[index], reasons[index], tokens[index] = "summarised" if why == "covered" else "left_out", why, 0
        return Plan(
            # As `MessageFate._make` does it, without a call in Python for each.
            fates=tuple(map(_FATE, zip(self._ids, fates, reasons, tokens, wholes, strict=True))),
            tokens=self._tokens(),
            raw=self._total,
            limit=self._room.limit,
            warning=warning,
            left_out=frozenset(self._ids[index] for index in out),
            shortened={self._ids[index]: kept for index, kept in sorted(shortened.items())},
            stand_ins=self._stand_ins,
            dropped=frozenset(self._ids[index] for index in self._dropped),
        )


def _told_by(summaries: Sequence[DeveloperMessage]) -> set[str]:
    """What `summaries` cover, in order; also those of them whose messages another one, the later of equals, covers."""
    covers = [frozenset(summary.covers) for summary in summaries]
    told = set().union(*covers)
    for index, (summary, own) in enumerate(zip(summaries, covers, strict=True)):
        if any(own < other for other in covers) or own in covers[index + 1 :]:
            told.add(summary.id)
    return told


_FATE = partial(tuple.__new__, MessageFate)
_TOO_MUCH = (
    "What must be sent is about {tokens:,} tokens, more than the {limit:,} that this model takes. "
    "Unpin messages, shorten the last one, or choose a model with a larger window."
)
