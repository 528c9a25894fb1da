"""Approvals: which calls a person is asked about, what they answered, and for how long the answer holds.

Only `answer` grants anything, and only the window calls it: nothing that a model or a tool writes can.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from sam_py.messages.parts import Frozen
from sam_py.tools.base import NEVER_GRANTED, Tool, Touch

log = logging.getLogger(__name__)

Answer = Literal["once", "conversation", "always", "deny"]
ANSWERS: tuple[Answer, ...] = ("once", "conversation", "always", "deny")


class Grant(Frozen):
    """That one tool may run without being asked about, for what `effects` name."""

    tool_name: str
    fingerprint: str
    effects: tuple[str, ...] = ()
    """As `Touch.granted` names them."""
    conversation_id: str = Field(default="")
    """Empty: in all conversations."""


@dataclass(frozen=True, slots=True)
class Question:
    """A call that waits for a person's answer: exactly what would run."""

    call_id: str
    conversation_id: str
    tool_name: str
    label: str
    doing: str
    arguments_json: str
    touches: tuple[Touch, ...]
    after_strangers: bool = False
    """Text of strangers came in during this turn: earlier grants do not cover what changes or leaves this machine."""

    @property
    def may_be_granted(self) -> bool:
        """Whether an answer can hold for later calls, too."""
        return not any(touch.effect in NEVER_GRANTED for touch in self.touches)


@dataclass(slots=True)
class _Asked:
    question: Question
    fingerprint: str
    answered: asyncio.Future[Answer]


Listener = Callable[[], None]


class Approvals:
    """Holds the grants and the open questions. `keep` stores the lasting grants (those for all conversations).

    Invariants: a call without a question is either free or covered by a grant of the tool's present
    fingerprint and of all that it would touch; each question is answered once.
    """

    def __init__(self, grants: tuple[Grant, ...] = (), keep: Callable[[tuple[Grant, ...]], None] | None = None) -> None:
        self._grants = list(grants)
        self._keep = keep
        self._open: dict[tuple[str, str], _Asked] = {}
        """By conversation and call: servers count calls anew in each conversation."""
        self._listeners: list[Listener] = []

    @property
    def grants(self) -> tuple[Grant, ...]:
        """All that hold now, to be listed and revoked."""
        return tuple(self._grants)

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those that wait for an answer, in the order in which they came."""
        return tuple(asked.question for asked in self._open.values())

    def question_of(self, call_id: str, conversation_id: str) -> Question | None:
        asked = self._open.get((conversation_id, call_id))
        return asked.question if asked is not None else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each change of questions or grants; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def is_free(
        self, tool: Tool, touches: tuple[Touch, ...], conversation_id: str, *, after_strangers: bool = False
    ) -> bool:
        """Whether the call may run without asking."""
        asked = [touch for touch in touches if not touch.free]
        if not asked:
            return True
        if any(touch.effect in NEVER_GRANTED for touch in asked):
            return False
        if after_strangers and any(touch.effect != "read" for touch in asked):
            return False
        wanted = {touch.granted for touch in asked}
        return any(
            grant.tool_name == tool.name
            and grant.fingerprint == tool.fingerprint
            and grant.conversation_id in ("", conversation_id)
            and wanted <= set(grant.effects)
            for grant in self._grants
        )

    async def ask(self, question: Question, fingerprint: str) -> Answer:
        """Wait for the person's answer. Cancelled, the question is withdrawn."""
        key = (question.conversation_id, question.call_id)
        if key in self._open:
            raise ValueError(f"the call {question.call_id} is asked about already")
        asked = _Asked(question, fingerprint, asyncio.get_running_loop().create_future())
        self._open[key] = asked
        self._tell()
        try:
            return await asked.answered
        finally:
            self._open.pop(key, None)
            self._tell()

    def answer(self, call_id: str, conversation_id: str, answer: Answer) -> bool:
        """What the person chose, in the window. False where the question is no longer open."""
        asked = self._open.get((conversation_id, call_id))
        if asked is None or asked.answered.done():
            return False
        question = asked.question
        if answer in ("conversation", "always") and question.may_be_granted:
            effects = tuple(sorted({touch.granted for touch in question.touches if not touch.free}))
            self._add(
                Grant(
                    tool_name=question.tool_name,
                    fingerprint=asked.fingerprint,
                    effects=effects,
                    conversation_id=question.conversation_id if answer == "conversation" else "",
                )
            )
        log.info("the call of %s was answered: %s", question.tool_name, answer)
        asked.answered.set_result(answer)
        return True

    def revoke(self, grant: Grant) -> None:
        """From now on the person is asked again."""
        if grant in self._grants:
            self._grants.remove(grant)
            self._store()
            self._tell()

    def forget_conversation(self, conversation_id: str) -> None:
        """The conversation is deleted: what was granted for it ends."""
        left = [grant for grant in self._grants if grant.conversation_id != conversation_id]
        if len(left) != len(self._grants):
            self._grants = left
            self._tell()

    def _add(self, grant: Grant) -> None:
        if grant not in self._grants:
            self._grants.append(grant)
            self._store()

    def _store(self) -> None:
        if self._keep is not None:
            self._keep(tuple(grant for grant in self._grants if not grant.conversation_id))

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
