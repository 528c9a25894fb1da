"""Engines: from the voice's settings to the engine in use, made when first needed and closed when changed."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sam_py.providers.audio_service import AudioService, audio_service
from sam_py.settings.model import ModelChoice, Settings, VoiceSettings
from sam_py.speech.base import Manner, SpeechEngine, SpeechError

if TYPE_CHECKING:
    from sam_py.providers.http import Http

log = logging.getLogger(__name__)

NAMES = {"system": "System voices", "piper": "Piper", "server": "A server", "qt": "Qt's voices"}
"""Key, as in `VoiceSettings.engine` → what a person calls it, in the order in which they are offered."""
ALOUD = frozenset({"qt"})
"""They speak by themselves and hand over no sound: `TextClip`. # D-036"""
_NO_WINDOW = "Qt's voices speak only where there is a window. Choose the system voices."
_NO_SERVER = "No account here can speak: add one of a service or server that knows OpenAI's /audio/speech."
_LIBRARIES = ("libespeak-ng.so.1", "libespeak.so.1")
_PLACES = ("/usr/lib", "/usr/lib64", "/lib", "/usr/local/lib", "/app/lib")


@dataclass(frozen=True, slots=True)
class Offer:
    """An engine of the list. `missing` says why it cannot speak here, and what helps; empty where it can."""

    key: str
    name: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Guest:
    """An engine that is not of this package. `missing` is `Offer`'s, and as quick."""

    make: Callable[[], SpeechEngine]
    missing: Callable[[], str]


class Engines:
    """Owns the engines; used on the loop's thread. What it reads, it reads anew each time: settings may change.

    An engine whose settings did not change stays the same object; what it speaks is not interrupted by others.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        http: Callable[[], Http],
        key_of: Callable[[str], Awaitable[str | None]],
        *,
        qt: Guest | None = None,
    ) -> None:
        """`qt` makes the engine of that key, which needs what only the window has."""
        self._settings = settings
        self._http = http
        self._key_of = key_of
        self._qt = qt
        self._made: dict[str, tuple[object, SpeechEngine]] = {}
        """Key → what it was made of, and the engine."""
        self._closing: set[asyncio.Task[None]] = set()

    def current(self) -> SpeechEngine:
        """The engine that the settings name; the others are closed. Raises `SpeechError` where it cannot be made."""
        key = self._settings().voice.engine
        engine = self.engine(key)
        for other in [each for each in self._made if each != key]:
            self._close(self._made.pop(other)[1])
        return engine

    def engine(self, key: str) -> SpeechEngine:
        """The engine of that key, also where another one is chosen. Raises `SpeechError`."""
        wanted = self._wanted(key)
        made = self._made.get(key)
        if made is not None and made[0] == wanted:
            return made[1]
        if made is not None:
            del self._made[key]
            self._close(made[1])
        engine = self._make(key, wanted)
        self._made[key] = (wanted, engine)
        return engine

    def manner(self) -> Manner:
        """How the current engine is to speak."""
        return _manner(self._settings().voice)

    def warm_up(self) -> None:
        """Begin to start the current engine, where it can be."""
        try:
            engine = self.current()
        except SpeechError as error:
            log.info("the voice is not warmed up: %s", error)
        else:
            engine.warm_up()

    def offered(self) -> Sequence[Offer]:
        """All engines, with what is in the way of those that cannot speak. Quick: looks at files, starts nothing."""
        return [Offer(key, name, self._missing(key)) for key, name in NAMES.items()]

    async def aclose(self) -> None:
        """Close all of them. One that is asked for later is made anew."""
        made, self._made = self._made, {}
        for _wanted, engine in made.values():
            self._close(engine)
        await asyncio.gather(*self._closing)

    def _wanted(self, key: str) -> object:
        """What the engine of that key is made of: where it changes, so does the engine."""
        settings = self._settings()
        if key == "piper":
            return settings.voice.piper_voices
        return audio_service(settings, settings.voice.server) if key == "server" else None

    def _make(self, key: str, wanted: object) -> SpeechEngine:
        match key:
            case "system":
                from sam_py.speech.engines.system import SystemVoices

                return SystemVoices()
            case "piper":
                from sam_py.speech.engines.piper import PiperVoices

                voice = self._settings().voice
                return PiperVoices(voice.piper_voices, _manner(voice, "piper"))
            case "server":
                if not isinstance(wanted, AudioService):
                    raise SpeechError("No server is chosen that speaks. Choose an account and its model in settings.")
                from sam_py.speech.engines.server import ServerVoice

                return ServerVoice(self._http(), self._key_of, wanted)
            case "qt":
                if self._qt is None:
                    raise SpeechError(_NO_WINDOW)
                return self._qt.make()
        raise SpeechError(f"There is no speech engine “{key}”. Choose another one in settings.")

    def _missing(self, key: str) -> str:
        match key:
            case "system":
                return no_system_voices()
            case "piper":
                from sam_py.speech.engines.piper import INSTALL, find_piper

                return "" if find_piper() else f"Piper is not installed. Install it with “{INSTALL}”."
            case "server":
                settings = self._settings()
                choices = (ModelChoice(provider=each.id, model="any") for each in settings.providers)
                return "" if any(audio_service(settings, choice) for choice in choices) else _NO_SERVER
        return self._qt.missing() if self._qt is not None else _NO_WINDOW

    def _close(self, engine: SpeechEngine) -> None:
        task = asyncio.ensure_future(engine.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def no_system_voices(platform: str = sys.platform, places: Sequence[str] = _PLACES) -> str:
    """Why the system has no voices, and what helps; empty where it has. Only Linux may lack them."""
    if platform in ("win32", "darwin") or shutil.which("espeak-ng"):
        return ""
    folders = [Path(each) for each in (*places, *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)) if each]
    for name in _LIBRARIES:
        if any((folder / name).exists() or any(folder.glob(f"*-linux-*/{name}")) for folder in folders):
            return ""
    from sam_py.speech.engines.system import install_command

    return f"The system's voices need eSpeak NG. Install it with “{install_command()}”."


def _manner(voice: VoiceSettings, engine: str = "") -> Manner:
    return Manner(voice.voices.get(engine or voice.engine, ""), voice.rate)
