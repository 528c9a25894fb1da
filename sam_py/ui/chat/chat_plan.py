"""ChatPlan: keeps what rows say of their place in requests in step with one conversation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from sam_py.bus.deltas import Appended, Delta, Inserted, Recorded, Reset, SettingChanged, Updated
from sam_py.errors import SamError
from sam_py.messages.history import MessageAnnotated, MessageRemoved
from sam_py.messages.message import DeveloperMessage
from sam_py.transcript.plan import Plan
from sam_py.ui.chat.row_fates import Fates
from sam_py.ui.open_conversations import OpenConversation

log = logging.getLogger(__name__)

_SETTINGS = frozenset({"provider", "model", "system_prompt", "max_tokens", "context_tokens"})
"""Settings of a conversation that change how much of it fits."""


class ChatPlan(QObject):
    """Shows the plan of the last request, and once something was changed that bears on it, that of the next one.

    A plan is made at most once per turn of the loop, and never for text that streams: a chunk costs one comparison.
    """

    shown = Signal(object)
    """The `Plan` that rows go by now, or None."""

    def __init__(
        self, fates: Fates, spawn: Callable[[Coroutine[Any, Any, None], str], object], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._fates = fates
        self._spawn = spawn
        self._conversation: OpenConversation | None = None
        self._off: Callable[[], None] | None = None
        self._sent: Plan | None = None
        """That of the last request, as far as it was seen."""
        self._is_planning = False
        self._is_outdated = False
        """Something changed again while a plan was made."""
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._look)
        self.plan: Plan | None = None

    def attach(self, conversation: OpenConversation) -> None:
        """Follow another conversation."""
        self.detach()
        self._conversation = conversation
        self._off = conversation.bus.subscribe(self._on_delta)
        self._sent = conversation.session.context.plan
        known, shown = conversation.plans
        if self._sent is not None and self._sent is known:
            self._show(shown)
        else:
            self._show(self._sent)
            if self._sent is None:
                self.look_soon()

    def detach(self) -> None:
        if self._conversation is not None:
            self._conversation.plans = self._sent, self.plan
        if self._off is not None:
            self._off()
            self._off = None
        self._soon.stop()
        self._conversation = None

    def hear_state(self) -> None:
        """The session says something: perhaps a request went out. O(1) where none did."""
        sent = self._conversation.session.context.plan if self._conversation is not None else None
        if sent is not None and sent is not self._sent:
            self._sent = sent
            self._show(sent)

    def look_soon(self) -> None:
        """Something changed that bears on what fits."""
        if self._conversation is not None:
            self._soon.start()

    # Inside

    def _on_delta(self, delta: Delta) -> None:
        match delta:
            case Appended():
                pass
            case Recorded(event=MessageAnnotated() | MessageRemoved()) | Reset():
                self.look_soon()
            case Inserted(message=DeveloperMessage()) | Updated(message=DeveloperMessage()):
                self.look_soon()
            case SettingChanged(key=key) if key in _SETTINGS:
                self.look_soon()
            case _:
                pass

    def _look(self) -> None:
        conversation = self._conversation
        if conversation is None:
            return
        if self._is_planning:
            self._is_outdated = True
        elif self._may_leave_out(conversation):
            self._is_planning, self._is_outdated = True, False
            self._spawn(self._planned(conversation), "plan")
        else:
            self._show(None)

    async def _planned(self, conversation: OpenConversation) -> None:
        plan: Plan | None = None
        try:
            plan = (await conversation.session.outlook()).plan
        except SamError as error:  # there is nobody to ask: whoever sends hears of it
            log.info("no plan: %s", error)
        finally:
            self._is_planning = False
        if self._is_outdated or conversation is not self._conversation:
            self.look_soon()
        else:
            self._show(plan)

    def _may_leave_out(self, conversation: OpenConversation) -> bool:
        """Whether it is worth a look: of what is short, with no summary in it, all is sent."""
        session, bus = conversation.session, conversation.bus
        try:
            window = session.window
        except SamError:
            return False
        sent = session.context.plan
        if sent is not None and (sent.left_out or sent.shortened):
            return True
        size = 0
        for index in range(len(bus)):
            if bus.role_at(index) == "developer":
                return True
            if window is not None:
                size += bus.size_at(index)
                if size > window:  # a token is seldom less than a byte
                    return True
        return False

    def _show(self, plan: Plan | None) -> None:
        self.plan = plan
        self._fates.show_plan(plan)
        self.shown.emit(plan)
