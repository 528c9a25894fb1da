"""What the settings page asks of the program's voice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from sam_py.speech.base import Voice
from sam_py.speech.engines.catalogue import Offer
from sam_py.ui.audio.devices import SoundDevice


class VoiceOffers(Protocol):
    """What there is to choose from, and a way to hear it."""

    @property
    def is_testing(self) -> bool:
        """Whether `test` is under way: what goes wrong is said there."""

    def engines(self) -> Sequence[Offer]:
        """All engines, in the order in which they are offered."""

    async def voices(self, engine: str) -> Sequence[Voice]:
        """The voices of an engine. Raises `SpeechError`."""

    async def test(self, text: str) -> None:
        """Speak `text` with what is chosen now, and return when it was heard. Raises `SpeechError`."""

    def end_test(self) -> None:
        """Fall silent, if a test is being heard."""

    def outputs(self) -> Sequence[SoundDevice]: ...

    def inputs(self) -> Sequence[SoundDevice]: ...

    def watch_devices(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when loudspeakers or microphones come or go. Returns the function that ends it."""
