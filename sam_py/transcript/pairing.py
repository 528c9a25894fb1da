"""Pairing: each tool call with exactly one result, as far as the history tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage
from sam_py.messages.parts import ToolCallPart

_BROKEN = frozenset({"aborted", "error"})


@dataclass(slots=True)
class _Call:
    """A call at its place; `call_id` is unique in the transcript, the part's own may not be."""

    message_index: int
    call_id: str
    part: ToolCallPart
    result: ToolResultMessage | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A call under its unique id and name, and its result; None where none is known and the model is told so."""

    call: ToolCallPart
    result: ToolResultMessage | None


@dataclass(slots=True)
class Pairs:
    """`calls[message index][n]` is the n-th call of that message; None where it is left out."""

    calls: dict[int, list[Pair | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def pair_calls(messages: Sequence[Message]) -> Pairs:
    """Find each call's result. Linear in the messages.

    A result belongs to the nearest call with its id before it that has none yet (servers use ids
    again); failing that, to one after it. Of two results of a call the first holds, unless it only
    says that the call was aborted. Without a result, a call of a broken reply never ran and is left
    out; any other gets a result that says so.
    """
    pairs = Pairs()
    matching = _Matching(pairs.notes)
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            matching.take_calls(index, message)
        elif isinstance(message, ToolResultMessage):
            matching.take_result(message)
    matching.place_leftover()
    for call in matching.calls:
        reply = messages[call.message_index]
        assert isinstance(reply, AssistantMessage)
        pairs.calls.setdefault(call.message_index, []).append(_pair(call, reply, pairs.notes))
    return pairs


class _Matching:
    """The calls so far, which of them wait for a result, and the results that found none."""

    def __init__(self, notes: list[str]) -> None:
        self.calls: list[_Call] = []
        self._notes = notes
        self._latest: dict[str, _Call] = {}
        self._waiting: dict[str, list[_Call]] = {}
        self._leftover: list[ToolResultMessage] = []
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}

    def take_calls(self, index: int, reply: AssistantMessage) -> None:
        for part in reply.tool_calls:
            call = _Call(index, self._unused(part.call_id or "call"), part)
            self.calls.append(call)
            self._latest[part.call_id] = call
            self._waiting.setdefault(part.call_id, []).append(call)

    def take_result(self, result: ToolResultMessage) -> None:
        waiting = self._waiting.get(result.call_id)
        latest = self._latest.get(result.call_id)
        if waiting:
            place = len(waiting) - 1  # of the latest reply that waits, the first call
            while place > 0 and waiting[place - 1].message_index == waiting[-1].message_index:
                place -= 1
            waiting.pop(place).result = result
        elif latest is None:
            self._leftover.append(result)
        else:
            if latest.result is not None and latest.result.status == "aborted" and result.status != "aborted":
                latest.result = result
            self._notes.append(f"A second result of {result.tool_name or 'a tool'} was left out.")

    def place_leftover(self) -> None:
        for result in self._leftover:
            waiting = self._waiting.get(result.call_id)
            if waiting:
                waiting.pop().result = result
                self._notes.append(f"A result of {result.tool_name or 'a tool'} was moved behind its call.")
            else:
                self._notes.append(f"A result of {result.tool_name or 'a tool'} was left out: its call is gone.")

    def _unused(self, call_id: str) -> str:
        """`call_id`, or where another call has it, the same with a number that none has."""
        unique, number = call_id, self._numbers.get(call_id, 2)
        while unique in self._used:
            unique, number = f"{call_id}_{number}", number + 1
        self._numbers[call_id] = number
        self._used.add(unique)
        return unique


def _pair(call: _Call, reply: AssistantMessage, notes: list[str]) -> Pair | None:
    result, part = call.result, call.part
    name = part.tool_name or (result.tool_name if result is not None else "") or "unknown"
    if (part.call_id, part.tool_name) != (call.call_id, name):
        part = ToolCallPart(call_id=call.call_id, tool_name=name, arguments_json=part.arguments_json)
    if result is None and reply.stop_reason in _BROKEN:
        notes.append(f"A call of {name} was left out: the reply broke off before it ran.")
        return None
    if result is None:
        notes.append(f"A call of {name} has no result; the model is told so.")
    return Pair(part, result)
