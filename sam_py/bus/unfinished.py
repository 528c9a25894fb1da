"""Unfinished: whether a conversation ends where only the model can go on: after calls of tools, before its answer."""

from __future__ import annotations

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage

_BROKEN = ("aborted", "error")


def is_unfinished(bus: MessageBus, message_id: str) -> bool:
    """Whether `message_id` ends the path and is a tool's result, or a reply whose calls never ran.

    A reply that was itself broken off is not: what can be done with it is offered at the reply.
    """
    if message_id != bus.tip or bus.is_streaming(message_id):
        return False
    role = bus.role_at(len(bus) - 1)
    if role != "assistant":
        return role == "tool"
    reply = bus.get(message_id)
    return isinstance(reply, AssistantMessage) and bool(reply.tool_calls) and reply.stop_reason not in _BROKEN
