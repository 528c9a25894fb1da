"""Pairing: each tool call with exactly one result, as far as the history tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage
from sam_py.messages.parts import ToolCallPart
from sam_py.messages.turn import ToolResultPart

LOST = "No result of this call was recorded."
_BROKEN = frozenset({"aborted", "error"})


@dataclass(slots=True)
class _Call:
    """A call at its place; `call_id` is unique in the transcript, the part's own may not be."""

    message_index: int
    call_id: str
    part: ToolCallPart
    result: ToolResultMessage | None = None


@dataclass(slots=True)
class Pairs:
    """`calls[message index][n]` is the n-th call of that message with its result; None where the call is left out."""

    calls: dict[int, list[tuple[ToolCallPart, ToolResultPart, ToolResultMessage | None] | None]] = field(
        default_factory=dict
    )
    notes: list[str] = field(default_factory=list)


def pair_calls(messages: Sequence[Message]) -> Pairs:
    """Find each call's result. Linear in the messages.

    A result belongs to the nearest call with its id before it that has none yet (servers use ids
    again); failing that, to one after it. Of two results of a call the first holds, unless it only
    says that the call was aborted. Without a result, a call of a broken reply never ran and is left
    out; any other gets a result that says so.
    """
    pairs = Pairs()
    calls, leftover = _match(messages, pairs.notes)
    for result in leftover:
        late = next((call for call in calls.get(result.call_id, ()) if call.result is None), None)
        if late is None:
            pairs.notes.append(f"A result of {result.tool_name or 'a tool'} was left out: its call is gone.")
        else:
            late.result = result
            pairs.notes.append(f"A result of {result.tool_name or 'a tool'} was moved behind its call.")
    for call in sorted((call for same in calls.values() for call in same), key=lambda call: call.message_index):
        reply = messages[call.message_index]
        assert isinstance(reply, AssistantMessage)
        pairs.calls.setdefault(call.message_index, []).append(_pair(call, reply, pairs.notes))
    return pairs


def _match(messages: Sequence[Message], notes: list[str]) -> tuple[dict[str, list[_Call]], list[ToolResultMessage]]:
    calls: dict[str, list[_Call]] = {}
    used: set[str] = set()
    leftover: list[ToolResultMessage] = []
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            for part in message.tool_calls:
                call = _Call(index, _unused(part.call_id or "call", used), part)
                calls.setdefault(part.call_id, []).append(call)
        elif isinstance(message, ToolResultMessage):
            same = calls.get(message.call_id, [])
            waiting = _waiting(same)
            if waiting is not None:
                waiting.result = message
            elif not same:
                leftover.append(message)
            else:
                first = same[-1]
                if first.result is not None and first.result.status == "aborted" and message.status != "aborted":
                    first.result = message
                notes.append(f"A second result of {message.tool_name or 'a tool'} was left out.")
    return calls, leftover


def _waiting(same: list[_Call]) -> _Call | None:
    """The call without a result in the latest message that has one; the first of them there."""
    found: _Call | None = None
    for call in reversed(same):
        if found is not None and call.message_index != found.message_index:
            break
        if call.result is None:
            found = call
    return found


def _pair(
    call: _Call, reply: AssistantMessage, notes: list[str]
) -> tuple[ToolCallPart, ToolResultPart, ToolResultMessage | None] | None:
    name = call.part.tool_name or (call.result.tool_name if call.result is not None else "") or "unknown"
    part = ToolCallPart(call_id=call.call_id, tool_name=name, arguments_json=call.part.arguments_json)
    if call.result is not None:
        result = ToolResultPart(
            call_id=call.call_id, tool_name=name, status=call.result.status, text=call.result.output_text
        )
        return part, result, call.result
    if reply.stop_reason in _BROKEN:
        notes.append(f"A call of {name} was left out: the reply broke off before it ran.")
        return None
    notes.append(f"A call of {name} has no result; the model is told so.")
    return part, ToolResultPart(call_id=call.call_id, tool_name=name, status="error", text=LOST), None


def _unused(call_id: str, used: set[str]) -> str:
    """`call_id`, or where another call has it, the same with a number that none has."""
    unique, number = call_id, 2
    while unique in used:
        unique, number = f"{call_id}_{number}", number + 1
    used.add(unique)
    return unique
