"""Call ids of our own: a server may use an id again in a later reply, the ledger knows each call by its id."""

from __future__ import annotations

from collections.abc import Container, Iterable

from sam_py.messages.message import Message


def known_calls(messages: Iterable[Message], recorded: Iterable[str]) -> frozenset[str]:
    """The ids that the calls of `messages` and the ledger's have."""
    called = (part.call_id for message in messages if message.role == "assistant" for part in message.tool_calls)
    return frozenset((*called, *recorded))


class CallIds:
    """The ids of the calls of one reply. The server's own where it is free, else with a number that is.

    >>> ids = CallIds({"call_0"})
    >>> ids.named("0", "call_0"), ids.named("1", "call_1"), ids.named("0", "call_0")
    ('call_0_2', 'call_1', 'call_0_2')
    """

    def __init__(self, taken: Container[str] = ()) -> None:
        self._taken = taken
        self._given: dict[str, tuple[str, str]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._given

    def named(self, key: str, call_id: str) -> str:
        """Our id of the call `key` that the server calls `call_id`; "" as long as it has not named it."""
        theirs, ours = self._given.get(key, ("", ""))
        if not call_id or call_id == theirs:
            self._given[key] = (theirs, ours)
            return ours
        used = {ours for other, (_theirs, ours) in self._given.items() if other != key}
        ours, number = call_id, 2
        while ours in self._taken or ours in used:
            ours, number = f"{call_id}_{number}", number + 1
        self._given[key] = (call_id, ours)
        return ours
