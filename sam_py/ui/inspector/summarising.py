"""Summarising: the summary that a person asks for; how it goes is told by the session's state, never raised."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from sam_py.agent.session import ChatSession
from sam_py.agent.state import SessionState
from sam_py.errors import SamError
from sam_py.ui.inspector.watch import Spawn

log = logging.getLogger(__name__)


class Summarising(QObject):
    """Follows one session. `changed` says that `is_busy` or `trouble` have another value, `done` that there is one."""

    changed = Signal()
    done = Signal()

    def __init__(self, spawn: Spawn, parent: QObject) -> None:
        super().__init__(parent)
        self._spawn = spawn
        self._session: ChatSession | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self.is_busy = False
        self.trouble = ""
        """Why there is no summary: a sentence."""

    def attach(self, session: ChatSession | None) -> None:
        """Follow another one, or none. A summary that is being made goes on."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._session = session
        if session is not None:
            self._unsubscribe = session.subscribe(self._take)
        state = session.state if session is not None else SessionState()
        self.is_busy, self.trouble = state.is_summarising, ""
        self.changed.emit()

    def start(self) -> None:
        """Have everything before the last turns summed up. Nothing while one is under way."""
        if self._session is not None and not self.is_busy:
            self._spawn(self._run(self._session), "summarise")

    def cancel(self) -> None:
        """Stop it; what the model said so far is dropped, and nothing is changed."""
        if self._session is not None:
            self._session.stop_summarising()

    async def _run(self, session: ChatSession) -> None:
        try:
            await session.summarise()
        except SamError as error:  # it is in the state, and shown from there
            log.info("no summary: %s", error)
        else:
            if session is self._session:
                self.done.emit()

    def _take(self, state: SessionState) -> None:
        told = state.is_summarising, state.summary_trouble
        if told != (self.is_busy, self.trouble):
            self.is_busy, self.trouble = told
            self.changed.emit()
