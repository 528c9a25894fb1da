"""QtVoices: the voices of Qt TextToSpeech as an engine. It makes no sound: it hands on what is to be spoken aloud."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncGenerator, Callable, Sequence

from sam_py.speech.base import Clip, Manner, TextClip, Voice
from sam_py.speech.engines.text import pieces
from sam_py.ui.audio.aloud_process import AloudProcess

_CHARACTER_S = 1 / 15
_WIDE_S = 0.2
_DIGIT_S = 0.3
_SIGN_S = 0.5


class QtVoices:
    """A `SpeechEngine`; what it yields only `AloudPlayer` can play. # D-036"""

    def __init__(self, process: Callable[[], AloudProcess]) -> None:
        self._process = process

    @property
    def name(self) -> str:
        return "Qt's voices"

    async def voices(self) -> Sequence[Voice]:
        return await self._process().voices()

    async def synthesise(self, text: str, manner: Manner) -> AsyncGenerator[Clip, None]:
        for piece in pieces(text):
            yield TextClip(b"", 1, text=piece, manner=manner, seconds=about_s(piece) / manner.rate)

    def warm_up(self) -> None:
        self._process().start()

    async def aclose(self) -> None:
        """Nothing: what is being said when another engine is chosen is said to its end."""


def about_s(text: str) -> float:
    """How long `text` is heard at normal speed, in seconds, about: 15 characters in a second.

    >>> about_s("Three and more words."), round(about_s("四是四"), 1)
    (1.4, 0.6)
    """
    return sum(_about_s(each) for each in text)


def _about_s(character: str) -> float:
    if character.isdecimal():
        return _DIGIT_S
    if unicodedata.category(character).startswith("S"):
        return _SIGN_S
    return _WIDE_S if unicodedata.east_asian_width(character) in "WF" else _CHARACTER_S
