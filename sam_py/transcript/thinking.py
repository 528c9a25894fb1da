"""Whose thinking goes back: that of the provider and the model family that is asked, and nobody else's."""

from __future__ import annotations

from collections.abc import Sequence

from sam_py.messages.family import same_family
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart, ThinkingTextPart
from sam_py.messages.turn import TurnPart

FOREIGN = "The thinking of replies by other models is not sent: nobody else can read it."
NOT_TAKEN = "The thinking of earlier replies is not sent: this model does not take it."

_THINKING = frozenset({ThinkingTextPart, ThinkingSignaturePart})


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

    def sent(self, said: list[TurnPart], message: AssistantMessage) -> tuple[list[TurnPart], str]:
        """What of the parts `said` of `message` is sent to the one that is asked, and why the rest is not.

        A model that takes no thinking text still gets its own signatures, and the text that they sign:
        some services refuse a call without the one, and a signature whose text was changed.
        """
        if not self._provider:
            return (said, "") if self._takes_thinking else (without_thinking(said), NOT_TAKEN)
        kept: list[TurnPart] = []
        has_foreign = has_text = is_signed = False
        for part in said:
            kind = type(part)
            if kind not in _THINKING:
                kept.append(part)
            elif not self._is_own(part, message):
                has_foreign = True
            else:
                kept.append(part)
                is_signed = is_signed or kind is ThinkingSignaturePart
                has_text = True
        if has_text and not is_signed and not self._takes_thinking:
            return without_thinking(kept), NOT_TAKEN
        return kept, FOREIGN if has_foreign else ""

    def _is_own(self, part: TurnPart, message: AssistantMessage) -> bool:
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
