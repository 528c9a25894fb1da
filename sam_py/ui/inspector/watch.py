"""Watch: a look at the next request of the conversation on screen, kept up to date while somebody sees it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from sam_py.agent.session import ChatSession
from sam_py.bus.deltas import Appended, Delta, ErrorShown, Recorded
from sam_py.errors import SamError
from sam_py.messages.parts import Parts
from sam_py.store.drafts import Draft

_SOON_MS = 120
"""After a change, so that the changes of one moment are one look."""
_TYPING_MS, _TYPING_MOST_MS = 400, 2_000
"""After the last key: what stands in the composer is part of the next request."""
_PAUSE = 4
"""A look that takes long, at a very long conversation, is followed by a pause of so many times as long."""


class Spawn(Protocol):
    def __call__(self, work: Coroutine[Any, Any, Any], name: str = "") -> asyncio.Task[Any]: ...


class Look(Protocol):
    """What is worked out: `ChatSession.outlook`, or `ChatSession.preview`."""

    def __call__(
        self, session: ChatSession, /, text: str, parts: Parts, *, instead_of: str | None
    ) -> Coroutine[Any, Any, Any]: ...


class Watch(QObject):
    """Looks anew when the conversation, its settings or the draft change, while `see` says that somebody sees it.

    `draft_of` tells what stands in the composer. What streams is not looked at until it is over.
    """

    looked = Signal(object)
    """What `look` returned."""
    failed = Signal(str)
    """Why there is none: a sentence."""

    def __init__(self, spawn: Spawn, draft_of: Callable[[], Draft], look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._spawn = spawn
        self._look_at = look
        self._draft_of = draft_of
        self._session: ChatSession | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._is_seen = False
        self._is_stale = True
        self._took_ms = 0.0
        self._task: asyncio.Task[Any] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._start)

    @property
    def session(self) -> ChatSession | None:
        return self._session

    def attach(self, session: ChatSession | None) -> None:
        """Watch another conversation, or none."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._stop()
        self._session = session
        if session is not None:
            self._unsubscribe = session.bus.subscribe(self._on_delta)
            self.refresh(0)

    def see(self, seen: bool) -> None:
        """Whether somebody sees what is told here: else nothing is worked out."""
        if seen == self._is_seen:
            return
        self._is_seen = seen
        if not seen:
            self._stop()
        elif self._is_stale:
            self.refresh(0)

    def refresh(self, after_ms: int = _SOON_MS) -> None:
        """Something has changed that the outlook depends on."""
        self._is_stale = True
        if self._is_seen and self._session is not None and not self._soon.isActive():
            self._soon.start(after_ms)

    def draft_changed(self) -> None:
        """A key in the composer: wait for the last one."""
        self._is_stale = True
        if self._is_seen and self._session is not None:
            self._soon.start(round(max(_TYPING_MS, min(_PAUSE * self._took_ms, _TYPING_MOST_MS))))

    def _on_delta(self, delta: Delta) -> None:
        if not isinstance(delta, Appended | Recorded | ErrorShown):
            self.refresh()

    def _start(self) -> None:
        if self._task is None and self._session is not None:
            self._is_stale = False
            self._task = self._spawn(self._look(self._session), "look at the context")

    def _stop(self) -> None:
        self._soon.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._is_stale = True

    async def _look(self, session: ChatSession) -> None:
        task = asyncio.current_task()
        began_s = time.monotonic()
        try:
            text, parts, instead_of = said_next(self._draft_of())
            found = await self._look_at(session, text, parts, instead_of=instead_of)
        except SamError as error:
            if session is self._session:
                self.failed.emit(str(error))
        else:
            if session is self._session:
                self.looked.emit(found)
        finally:
            self._took_ms = 1000 * (time.monotonic() - began_s)
            if self._task is task:
                self._task = None
                if self._is_stale:
                    self.refresh()


def said_next(draft: Draft) -> tuple[str, Parts, str | None]:
    """What the composer would send now: text, parts, and the message that it stands for where one is edited."""
    if draft.edit is not None:
        return draft.edit.text, draft.edit.parts, draft.edit.message_id
    return draft.text, draft.parts, None
