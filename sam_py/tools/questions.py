"""PersonQuestions: what models have asked the person and still wait to hear.

An answer is words for a model and nothing else: no approval looks at it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PersonQuestion:
    """What the window shows. The answer is one of `choices`, `several` of them, or with `own_words` other words."""

    call_id: str
    conversation_id: str
    question: str
    choices: tuple[str, ...] = ()
    several: bool = False
    own_words: bool = True


class PersonQuestions:
    """The open questions of all conversations, in the order in which they came; each is answered at most once."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], tuple[PersonQuestion, asyncio.Future[str | None]]] = {}
        """By conversation and call: servers count calls anew in each conversation."""
        self._listeners: list[Callable[[], None]] = []

    @property
    def questions(self) -> tuple[PersonQuestion, ...]:
        return tuple(question for question, _answered in self._open.values())

    def question_of(self, call_id: str, conversation_id: str) -> PersonQuestion | None:
        asked = self._open.get((conversation_id, call_id))
        return asked[0] if asked is not None else None

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after a question came or went; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def ask(self, question: PersonQuestion) -> str | None:
        """Wait for the person's words; None where they skipped it. Cancelled, the question is withdrawn."""
        key = (question.conversation_id, question.call_id)
        if key in self._open:
            raise ValueError(f"the call {question.call_id} asks already")
        answered: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[key] = (question, answered)
        self._tell()
        try:
            return await answered
        finally:
            self._drop(key)

    def answer(self, call_id: str, conversation_id: str, words: str | None) -> bool:
        """What the person said, in the window; None: nothing. False where the question is no longer open."""
        key = (conversation_id, call_id)
        asked = self._open.get(key)
        if asked is None or asked[1].done():
            return False
        asked[1].set_result(words)
        self._drop(key)
        return True

    def withdraw(self, conversation_id: str) -> None:
        """The conversation is closed: nobody answers its questions any more."""
        for question in self.questions:
            if question.conversation_id == conversation_id:
                self.answer(question.call_id, conversation_id, None)

    def _drop(self, key: tuple[str, str]) -> None:
        if self._open.pop(key, None) is not None:
            self._tell()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
