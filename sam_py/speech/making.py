"""Making: the sound of one sentence, from any engine, within a time, without the silence around it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from sam_py.speech.base import Clip, Manner, SpeechEngine, SpeechError, TextClip, Utterance
from sam_py.speech.silence import Trimmer, without_first

log = logging.getLogger(__name__)


def time_limit_s(text: str) -> float:
    """How long an engine may take for `text`: a neural voice on a slow machine needs as long as it is heard."""
    return 8.0 + len(text) / 20


async def make_sound(engine: SpeechEngine, text: str, manner: Manner, take: Callable[[Clip], None]) -> None:
    """Call `take` with each piece of the sound of `text`, as it comes. Raises `SpeechError`, whatever happens.

    When it returns, fails or is cancelled, the engine is done with it.
    """
    trimmer = Trimmer()
    sound = engine.synthesise(text, manner)
    try:
        async with asyncio.timeout(time_limit_s(text)):
            async for clip in sound:
                if (piece := clip if isinstance(clip, TextClip) else trimmer.take(clip)) is not None:
                    take(piece)
        if (piece := trimmer.end()) is not None:
            take(piece)
    except SpeechError:
        raise
    except TimeoutError as error:
        raise SpeechError(
            f"{engine.name} took too long for one sentence: try again, or choose another voice in the settings."
        ) from error
    except Exception as error:  # an engine's bug must end neither the reading nor the chat
        log.exception("a speech engine failed")
        raise SpeechError(
            f"{engine.name} failed in a way that was not foreseen: choose another voice in the settings.",
            detail=repr(error),
        ) from error
    finally:
        close = getattr(sound, "aclose", None)
        if close is not None:
            await close()


@dataclass(slots=True, eq=False)
class Line:
    """One sentence from when it is made into sound until it was heard."""

    utterance: Utterance
    engine: SpeechEngine | None = None
    manner: Manner = Manner()  # noqa: RUF009 - frozen
    clips: list[Clip] = field(default_factory=list)
    is_whole: bool = False
    """No more clips come."""
    mark: int = 0
    """What the player knows it by; 0 while it has nothing of it."""
    given: int = 0
    """So many of the clips the player has."""
    is_ended: bool = False
    """The player knows that it is whole."""
    heard_at: float | None = None
    """When its first sample was heard, on the loop's clock; moved on by the time for which it was paused."""

    @property
    def duration_s(self) -> float:
        return sum(clip.duration_s for clip in self.clips)

    def take_back(self) -> None:
        """The player has nothing of it any more."""
        self.mark, self.given, self.is_ended, self.heard_at = 0, 0, False, None

    async def make(self, engine: SpeechEngine, manner: Manner, on_sound: Callable[[], None]) -> None:
        """One attempt to fill it; `on_sound` is called after each clip. Raises `SpeechError`.

        What the player has of an earlier attempt is not made again: the sound goes on where it broke off.
        """
        self.engine, self.manner = engine, manner
        del self.clips[self.given :]
        there_s = self.duration_s

        def take(clip: Clip) -> None:
            nonlocal there_s
            rest = without_first(clip, there_s)
            there_s = max(0.0, there_s - clip.duration_s)
            if rest.duration_s:
                self.clips.append(rest)
                on_sound()

        await make_sound(engine, self.utterance.text, manner, take)
        self.is_whole = True
