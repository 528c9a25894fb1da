"""Whose thinking goes back: that of the provider and the model family that is asked, and nobody else's."""

from __future__ import annotations

from collections.abc import Sequence

from sam_py.messages.family import same_family
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import Part, ThinkingSignaturePart, ThinkingTextPart
from sam_py.messages.turn import TurnPart

FOREIGN = "The thinking of replies by other models is not sent: nobody else can read it."
NOT_TAKEN = "The thinking of earlier replies is not sent: this model does not take it."

_THINKING = frozenset({ThinkingTextPart, ThinkingSignaturePart})
_NOTHING: frozenset[int] = frozenset()


class Asker:
    """Who is asked. Without a provider nobody in particular is: then all thinking is kept for the mapper to judge."""

    def __init__(self, provider: str, model: str, *, takes_thinking: bool) -> None:
        self._provider = provider
        self._model = model
        self._takes_thinking = takes_thinking
        self._known: dict[tuple[str, str], bool] = {}

    def is_author(self, provider: str, model: str) -> bool:
        """Whether what `provider`'s `model` thought is the asked one's own."""
        own = self._known.get((provider, model))
        if own is None:
            own = provider == self._provider and same_family(model, self._model)
            self._known[provider, model] = own
        return own

    def withheld(self, message: AssistantMessage) -> tuple[frozenset[int], str]:
        """The places in `message` of the thinking that is not sent, and why.

        A model that takes no thinking text still gets its own signatures, and the text that they sign:
        some services refuse a call without the one, and a signature whose text was changed.
        """
        places = [(place, part) for place, part in enumerate(message.parts) if type(part) in _THINKING]
        if not places:
            return _NOTHING, ""
        if not self._provider:
            return (_NOTHING, "") if self._takes_thinking else (frozenset(place for place, _ in places), NOT_TAKEN)
        foreign = frozenset(place for place, part in places if not self._is_own(part, message))
        own = [part for place, part in places if place not in foreign]
        if self._takes_thinking or any(isinstance(part, ThinkingSignaturePart) for part in own):
            return foreign, FOREIGN if foreign else ""
        return frozenset(place for place, _ in places), NOT_TAKEN if own else FOREIGN

    def _is_own(self, part: Part, message: AssistantMessage) -> bool:
        if isinstance(part, ThinkingSignaturePart):
            return self.is_author(part.provider, part.model)
        return self.is_author(message.provider, message.model)  # text carries no author of its own


def without_idle_thinking(said: list[TurnPart]) -> list[TurnPart]:
    """`said` less thinking that led to nothing: all of it where there is nothing else, and text at the end.

    Signatures at the end stay: there services keep what they want back after the last word.
    """
    if not said or type(said[-1]) not in _THINKING:
        return said
    if all(type(part) in _THINKING for part in said):
        return []
    end = len(said)
    while end and type(said[end - 1]) is ThinkingTextPart:
        end -= 1
    return said[:end]


def without_thinking(parts: Sequence[TurnPart]) -> list[TurnPart]:
    return [part for part in parts if type(part) not in _THINKING]
