"""Pairing: each tool call with exactly one result. The ledger tells; only where it is silent, the history is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.history import ToolStateChanged
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, ToolStatus
from sam_py.messages.parts import ToolCallPart

LOST = "No result of this call was recorded."
GONE = "The tool ran and succeeded, but its result is no longer kept."
RUNNING = "The tool is still running; its result is not there yet."

_BROKEN = frozenset({"aborted", "error"})
_NO_LEDGER: Mapping[str, ToolStateChanged] = {}


@dataclass(slots=True)
class _Call:
    """A call at its place; `call_id` is unique in the transcript, the part's own may not be."""

    message_index: int
    call_id: str
    part: ToolCallPart
    results: tuple[ToolResultMessage, ...] = ()
    """All that came under its id; one of them is real."""


@dataclass(slots=True)
class Pair:
    """A call under its unique id and name, and what came of it. Without a `result`, `text` says why there is none."""

    call: ToolCallPart
    status: ToolStatus
    result: ToolResultMessage | None = None
    text: str = ""


@dataclass(slots=True)
class Pairs:
    """`calls` holds one entry for each call, in the order of the messages; None where it is left out."""

    calls: list[Pair | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def pair_calls(messages: Sequence[Message], ledger: Mapping[str, ToolStateChanged] | None = None) -> Pairs:
    """Find each call's result. Linear in the messages.

    A result belongs to the nearest call with its id before it that has none yet (servers use ids
    again); failing that, to one after it. What became of a call, and which of several results is
    real, the ledger says. A call that it does not know ran if it has a result; without one it never
    ran where its reply broke off, and is left out, and is answered by a note otherwise.
    """
    pairs = Pairs()
    matching = _matched(messages, pairs.notes)
    deciding = _Deciding(ledger or _NO_LEDGER, matching.latest, pairs.notes)
    for call in matching.calls:
        reply = messages[call.message_index]
        assert isinstance(reply, AssistantMessage)
        pairs.calls.append(deciding.pair(call, reply.stop_reason in _BROKEN))
    if deciding.inferred:
        pairs.notes.append(
            f"What became of {deciding.inferred} tool calls was inferred from the messages: the ledger has no entry."
        )
    return pairs


def owners_of(messages: Sequence[Message]) -> dict[str, int]:
    """The id of each result that has a call → the index of the reply that it belongs to. Linear in the messages."""
    return {result.id: call.message_index for call in _matched(messages, []).calls for result in call.results}


def _matched(messages: Sequence[Message], notes: list[str]) -> _Matching:
    matching = _Matching(notes)
    for index, message in enumerate(messages):
        kind = type(message)
        if kind is AssistantMessage:
            matching.take_calls(index, message)
        elif kind is ToolResultMessage:
            matching.take_result(message)  # type: ignore[arg-type]
    matching.place_leftover()
    return matching


class _Matching:
    """The calls so far, which of them wait for a result, and the results that found none."""

    def __init__(self, notes: list[str]) -> None:
        self.calls: list[_Call] = []
        self.latest: dict[str, _Call] = {}
        self._notes = notes
        self._waiting: dict[str, list[_Call]] = {}
        """Of ids that several calls have: those without a result."""
        self._leftover: list[ToolResultMessage] = []
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}

    def take_calls(self, index: int, reply: Message) -> None:
        for part in reply.parts:
            if type(part) is ToolCallPart:
                call_id = part.call_id
                call = _Call(index, self._unused(mend_surrogates(call_id) or "call"), part)
                self.calls.append(call)
                before = self.latest.get(call_id)
                if before is not None:
                    self._waiting.setdefault(call_id, [] if before.results else [before]).append(call)
                self.latest[call_id] = call

    def take_result(self, result: ToolResultMessage) -> None:
        latest = self.latest.get(result.call_id)
        if latest is None:
            self._leftover.append(result)
            return
        waiting = self._waiting.get(result.call_id)
        if waiting:
            place = len(waiting) - 1  # of the latest reply that waits, the first call
            while place > 0 and waiting[place - 1].message_index == waiting[-1].message_index:
                place -= 1
            waiting.pop(place).results += (result,)
        elif waiting is None and not latest.results:  # the one call with this id
            latest.results = (result,)
        else:
            latest.results += (result,)
            self._notes.append(f"A second result of {result.tool_name or 'a tool'} was left out.")

    def place_leftover(self) -> None:
        """Results that came before their calls."""
        for result in self._leftover:
            name = result.tool_name or "a tool"
            waiting = self._waiting.get(result.call_id)
            call = self.latest.get(result.call_id)
            if waiting:
                call = waiting.pop()
            elif call is None or call.results:
                why = "is gone" if call is None else "has one"
                self._notes.append(f"A result of {name} was left out: its call {why}.")
                continue
            call.results = (result,)
            self._notes.append(f"A result of {name} was moved behind its call.")

    def _unused(self, call_id: str) -> str:
        """`call_id`, or where another call has it, the same with a number that none has."""
        if call_id not in self._used:
            self._used.add(call_id)
            return call_id
        number = self._numbers.get(call_id, 2)
        while (unique := f"{call_id}_{number}") in self._used:
            number += 1
        self._numbers[call_id] = number + 1
        self._used.add(unique)
        return unique


class _Deciding:
    """What became of each call, by the ledger where it has an entry. Of calls with one id the last is the entry's."""

    def __init__(self, ledger: Mapping[str, ToolStateChanged], latest: Mapping[str, _Call], notes: list[str]) -> None:
        self.inferred = 0
        self._ledger = ledger
        self._latest = latest
        self._notes = notes

    def pair(self, call: _Call, reply_broke: bool) -> Pair | None:
        part = call.part
        entry = self._ledger.get(part.call_id) if self._latest[part.call_id] is call else None
        results = call.results
        name = part.tool_name or (results[0].tool_name if results else "") or (entry.tool_name if entry else "")
        name = mend_surrogates(name) or "unknown"
        if (part.call_id, part.tool_name) != (call.call_id, name):
            part = ToolCallPart(call_id=call.call_id, tool_name=name, arguments_json=part.arguments_json)
        if entry is not None:
            return self._told(part, entry, results)
        self.inferred += 1
        if results:
            real = next((result for result in results if result.status != "aborted"), results[0])
            return Pair(part, real.status, real)
        if reply_broke:
            self._notes.append(f"A call of {name} was left out: the reply broke off before it ran.")
            return None
        self._notes.append(f"A call of {name} has no result; the model is told so.")
        return Pair(part, "error", text=LOST)

    def _told(self, part: ToolCallPart, entry: ToolStateChanged, results: Sequence[ToolResultMessage]) -> Pair:
        """What the ledger knows of a call, in the words of the result that it names or that agrees with it."""
        match entry.state:
            case "success":
                real = _real(results, entry, ("success", "error"))
                if real is not None:
                    return Pair(part, "success", real)
                text = GONE
            case "error":
                real = _real(results, entry, ("error", "success"))
                if real is not None:
                    return Pair(part, "error", real)
                text = _because("The tool failed", entry.reason)
            case "aborted":
                # A result that was kept before the program died is a result; a late one after a cancel is not.
                real = _real(results, entry, ("success", "error", "aborted") if entry.inferred else ("aborted",))
                if real is not None:
                    return Pair(part, real.status if entry.inferred else "aborted", real)
                text = _because("The call was cancelled before it was done", entry.reason)
            case _:
                real = _real(results, entry, ("success", "error", "aborted"))
                if real is not None:
                    return Pair(part, real.status, real)
                text = RUNNING
        self._notes.append(f"A call of {part.tool_name} ({entry.state}) has no result here; the model is told so.")
        status: ToolStatus = entry.state if entry.state in ("success", "aborted") else "error"
        return Pair(part, status, text=text)


def _real(
    results: Sequence[ToolResultMessage], entry: ToolStateChanged, statuses: Sequence[ToolStatus]
) -> ToolResultMessage | None:
    """The result that the ledger names, else the first whose status agrees best (`statuses`, best first)."""
    if entry.result_id:
        for result in results:
            if result.id == entry.result_id:
                return result
    for status in statuses:
        for result in results:
            if result.status == status:
                return result
    return None


def _because(what: str, reason: str) -> str:
    reason = reason.strip().rstrip(".")
    return f"{what}: {reason}." if reason else f"{what}."
