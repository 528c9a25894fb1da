"""Fates: what becomes of the messages on screen in requests, as the last plan says."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from sam_py.transcript.plan import MessageFate, Plan


class Fates(QObject):
    """Holds what is not simply sent, by message id. A plan costs O(its length) once, a row O(1)."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._fates: dict[str, MessageFate] = {}

    def show_plan(self, plan: Plan | None) -> None:
        """Go by another plan; None: by none. An equal one is not news."""
        fates = {} if plan is None else {fate.message_id: fate for fate in plan.fates if fate.fate != "sent"}
        if fates != self._fates:
            self._fates = fates
            self.changed.emit()

    def of(self, message_id: str) -> MessageFate | None:
        """What becomes of a message that is not sent as it is; None for all others."""
        return self._fates.get(message_id)

    @property
    def count(self) -> int:
        """How many messages are not sent as they are."""
        return len(self._fates)
