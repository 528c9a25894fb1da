"""ToolLedger: what became of each tool call of a conversation, recorded as it happens and never inferred."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping

from sam_py.messages.history import CallState, ToolStateChanged

log = logging.getLogger(__name__)

ENDED_WITH_THE_PROGRAM = "the program ended before the tool did"

_ORDER: Mapping[CallState, int] = {
    "scheduled": 0,
    "awaiting_approval": 1,
    "running": 2,
    "success": 3,
    "error": 3,
    "aborted": 3,
}
_TERMINAL = 3


def is_terminal(state: CallState) -> bool:
    """True once nothing can become of the call any more: it succeeded, failed or was cancelled."""
    return _ORDER[state] == _TERMINAL


class ToolLedger(Mapping[str, ToolStateChanged]):
    """The last known state of each call, by call id. Everyone may read; `writer()` alone may write.

    Invariants: a call only moves on, from ``scheduled`` over ``awaiting_approval`` and ``running`` to
    ``success``, ``error`` or ``aborted``; what is terminal stays as it is; each move is announced once.
    """

    def __init__(self, announce: Callable[[ToolStateChanged], None]) -> None:
        """`announce` is called with each transition, after the ledger shows it."""
        self._announce = announce
        self._states: dict[str, ToolStateChanged] = {}
        self._has_writer = False

    def __getitem__(self, call_id: str) -> ToolStateChanged:
        return self._states[call_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)

    @property
    def open_calls(self) -> tuple[str, ...]:
        """The ids of the calls that wait, ask or run."""
        return tuple(call_id for call_id, entry in self._states.items() if not is_terminal(entry.state))

    def writer(self) -> LedgerWriter:
        """The one door for writing, for the tool scheduler. Raises RuntimeError where it was handed out before."""
        if self._has_writer:
            raise RuntimeError("the ledger of this conversation has a writer already, and only one may write")
        self._has_writer = True
        return LedgerWriter(self)

    def load(self, entries: Mapping[str, ToolStateChanged]) -> None:
        """Become what was recorded. What was not terminal when the program died is aborted now, and says so.

        Nothing is announced: read again, the record gives the same, and opening a conversation writes nothing.
        """
        self._states = {
            call_id: entry
            if is_terminal(entry.state)
            else entry.model_copy(update={"state": "aborted", "reason": ENDED_WITH_THE_PROGRAM, "inferred": True})
            for call_id, entry in entries.items()
        }

    def absorb(self, entries: Mapping[str, ToolStateChanged]) -> tuple[str, ...]:
        """Take in what other devices recorded, where it goes further; returns the calls that are news.

        Nothing is announced. What runs on another device is shown as running; what this device saw with its own eyes
        holds against what was only inferred.
        """
        news: list[str] = []
        for call_id, entry in entries.items():
            before = self._states.get(call_id)
            if before is None or _goes_further(before, entry):
                self._states[call_id] = entry
                news.append(call_id)
        return tuple(news)

    def _move(self, entry: ToolStateChanged) -> bool:
        before = self._states.get(entry.call_id)
        if before is not None:
            if is_terminal(before.state):
                if before.state != entry.state:
                    log.warning("the call %s is %s and stays so, not %s", entry.call_id, before.state, entry.state)
                return False
            if _ORDER[entry.state] <= _ORDER[before.state]:
                return False
            entry = entry.model_copy(update={"tool_name": entry.tool_name or before.tool_name})
        self._states[entry.call_id] = entry
        self._announce(entry)
        return True


def _goes_further(before: ToolStateChanged, entry: ToolStateChanged) -> bool:
    if is_terminal(before.state):
        return before.inferred and is_terminal(entry.state) and not entry.inferred
    return _ORDER[entry.state] > _ORDER[before.state]


class LedgerWriter:
    """Writes one ledger. Writing the same again, or an earlier state late, changes nothing."""

    def __init__(self, ledger: ToolLedger) -> None:
        self._ledger = ledger

    def record(
        self, call_id: str, state: CallState, *, tool_name: str = "", reason: str = "", result_id: str = ""
    ) -> bool:
        """Note that the call has reached `state`. True where that was news.

        `reason` tells a model and a person why (of an error or an abort). `result_id` is the message that
        holds the call's result: of several with its id, that one is real. Raises ValueError without an id.
        """
        if not call_id:
            raise ValueError("a call without an id cannot be recorded")
        return self._ledger._move(
            ToolStateChanged(call_id=call_id, state=state, tool_name=tool_name, reason=reason, result_id=result_id)
        )

    def abort_open(self, reason: str) -> tuple[str, ...]:
        """Record each call that is not over as aborted (the person stopped the run); returns their ids."""
        return tuple(call_id for call_id in self._ledger.open_calls if self.record(call_id, "aborted", reason=reason))
