"""The process that speaks aloud with Qt TextToSpeech: reads orders, one JSON object a line, tells what comes of them.

{"voices": true}
{"say": 1, "text": "Hello.", "voice": "en-GB/Anne", "rate": 1.5, "volume": 0.8}
{"pause": true}  {"resume": true}  {"stop": true}  {"volume": 0.5}

{"ready": true, "pauses": true}       first, or {"failed": 0, "why": "missing", "detail": "…"} and the end
{"voices": [{"id": "en-GB/Anne", "name": "Anne", "language": "en-GB"}]}
{"began": 1}  {"ended": 1}            or {"failed": 1, "why": "voice" | "engine", "detail": "…"}

A process, because Qt's engine for Speech Dispatcher takes two seconds to list its voices, and blocks for good where the
dispatcher hangs. # D-036
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale, QObject, QTimer, Signal
from PySide6.QtTextToSpeech import QTextToSpeech, QVoice

Tell = Callable[[dict[str, Any]], None]

PREFERRED = ("darwin", "winrt", "sapi", "speechd")
"""Then any other but "mock", which makes no sound."""
UNPAUSABLE = ("speechd",)
"""It says that it pauses, but Speech Dispatcher 0.11.4 never goes on and is mute from then on, for all programs."""
SILENT_MS = 300
"""An engine that was stopped before it began may tell of beginning and end a little later, or of nothing at all."""


def main(arguments: list[str]) -> int:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some engines print there
    lock = threading.Lock()

    def tell(line: dict[str, Any]) -> None:
        with lock:
            out.write(json.dumps(line).encode() + b"\n")
            out.flush()

    app = QCoreApplication(sys.argv[:1])
    engine = arguments[0] if arguments else best_engine(QTextToSpeech.availableEngines())
    speech = QTextToSpeech(engine) if engine else None
    if speech is None or speech.state() == QTextToSpeech.State.Error:
        tell({"failed": 0, "why": "missing", "detail": speech.errorString() if speech is not None else "no engine"})
        return 1
    speaker = Speaker(speech, engine, tell)
    threading.Thread(target=_read_orders, args=(speaker,), daemon=True).start()
    tell({"ready": True, "pauses": speaker.pauses})
    return app.exec()  # the one loop of this process: what decision 8 forbids is a loop within a loop


class Speaker(QObject):
    """One sentence at a time. Invariant: what the engine tells while it `_is_leaving` is of what was stopped."""

    ordered = Signal(str)
    """A line, from any thread."""

    def __init__(self, speech: QTextToSpeech, engine: str, tell: Tell) -> None:
        super().__init__()
        self._engine = engine
        self._tell = tell
        self._number = 0
        """Of what is being said."""
        self._has_begun = False
        self._next: dict[str, Any] | None = None
        self._is_leaving = False
        self._wants_pause = False
        self._silence = QTimer(self)
        self._silence.setSingleShot(True)
        self._silence.setInterval(SILENT_MS)
        self._silence.timeout.connect(self._leave)
        self._take(speech)
        self.ordered.connect(self._obey)

    @property
    def pauses(self) -> bool:
        can = self._speech.engineCapabilities() & QTextToSpeech.Capability.PauseResume
        return bool(can) and self._engine not in UNPAUSABLE

    def _take(self, speech: QTextToSpeech) -> None:
        self._speech = speech
        speech.setParent(self)
        speech.stateChanged.connect(self._state_changed)
        speech.errorOccurred.connect(self._failed)
        self._voice = ""
        self._rate = 1.0
        if QLocale.system().language() == QLocale.Language.C and "mock" not in self._engine:
            speech.setLocale(QLocale("en"))  # else the first voice of all
        self._voices: dict[str, QVoice] = {}

    def _obey(self, line: str) -> None:
        order = json.loads(line)
        if "say" in order:
            self._next = order
            if not self._is_leaving:
                self._say()
        elif "voices" in order:
            found = sorted(self._found().items(), key=lambda each: each[1].name())
            told = [{"id": id_, "name": each.name(), "language": _language(each)} for id_, each in found]
            self._tell({"voices": told})
        elif "volume" in order:
            self._speech.setVolume(order["volume"])
        elif "stop" in order:
            self._stop()
        elif self._number and self.pauses:
            self._wants_pause = "pause" in order
            if self._wants_pause:
                self._speech.pause(QTextToSpeech.BoundaryHint.Immediate)
            else:
                self._speech.resume()

    def _say(self) -> None:
        order, self._next = self._next, None
        if order is None:
            return
        self._number, self._has_begun, self._wants_pause = order["say"], False, False
        if order["voice"] != self._voice and not self._choose(order["voice"]):
            self._fail("voice", order["voice"])
            return
        if order["rate"] != self._rate:
            self._rate = order["rate"]
            self._speech.setRate(qt_rate(self._rate, self._engine))
        self._speech.setVolume(order["volume"])
        self._speech.say(harmless(order["text"], self._engine))

    def _stop(self) -> None:
        self._next = None
        if not self._number:
            return
        self._number = 0
        self._is_leaving = True
        self._speech.stop(QTextToSpeech.BoundaryHint.Immediate)
        if self._is_leaving:
            self._silence.start()

    def _leave(self) -> None:
        self._is_leaving = False
        self._silence.stop()
        self._say()

    def _state_changed(self, state: QTextToSpeech.State) -> None:
        if self._is_leaving:
            if state == QTextToSpeech.State.Ready:
                self._leave()
        elif state == QTextToSpeech.State.Speaking:
            self._begin()
        elif state == QTextToSpeech.State.Paused and not self._wants_pause:
            self._speech.resume()  # a pause that came too late for the sentence that was meant
        elif state == QTextToSpeech.State.Ready and self._number:
            self._begin()
            number, self._number = self._number, 0
            self._tell({"ended": number})

    def _begin(self) -> None:
        if self._number and not self._has_begun:
            self._has_begun = True
            self._tell({"began": self._number})

    def _failed(self, _reason: QTextToSpeech.ErrorReason, words: str) -> None:
        if self._number:
            self._fail("engine", words)

    def _fail(self, why: str, detail: str) -> None:
        number, self._number = self._number, 0
        self._tell({"failed": number, "why": why, "detail": detail})

    def _choose(self, voice: str) -> bool:
        """Whether there is such a voice; "" is the engine's own, which a new engine begins with."""
        if not voice:
            old = self._speech
            old.stateChanged.disconnect(self._state_changed)
            old.deleteLater()
            self._take(QTextToSpeech(self._engine))
            return True
        found = self._found().get(voice)
        if found is None:
            return False
        self._speech.setVoice(found)
        self._voice = voice
        return True

    def _found(self) -> dict[str, QVoice]:
        """Id → voice. Speech Dispatcher offers each of its voices in a hundred variants, "English+Alex": left out."""
        if not self._voices:
            for each in self._speech.allVoices(None):  # type: ignore[arg-type]  # None: of all languages
                if self._engine != "speechd" or "+" not in each.name():
                    self._voices.setdefault(f"{_language(each)}/{each.name()}", each)
        return self._voices


def best_engine(offered: list[str]) -> str:
    """
    >>> best_engine(["mock", "speechd"]), best_engine(["mock", "flite"]), best_engine(["mock"])
    ('speechd', 'flite', '')
    """
    real = [*(each for each in PREFERRED if each in offered), *(each for each in offered if each != "mock")]
    return real[0] if real else ""


def qt_rate(rate: float, engine: str) -> float:
    """Qt's -1 to 1 for half to twice the normal speed: what it makes of it differs from engine to engine.

    `winrt` by its documented range, 0.5 to 6 times; `speechd` measured with espeak-ng; `sapi`'s ends are a third and
    three times; `darwin` is twice as fast long before 1.

    >>> [round(qt_rate(rate, "winrt"), 2) for rate in (0.5, 1, 2)], qt_rate(2, "mock"), qt_rate(0.5, "speechd")
    ([-1.0, 0.0, 0.2], 1.0, -1.0)
    """
    rate = min(2.0, max(0.5, rate))
    slower = {"sapi": 0.63 * 2, "darwin": 0.8}.get(engine, 2.0)
    faster = {"winrt": 0.2, "speechd": 0.6, "sapi": 0.63, "darwin": 0.3}.get(engine, 1.0)
    return (rate - 1) * (slower if rate < 1 else faster)


def harmless(text: str, engine: str) -> str:
    """`text` without what an engine takes for orders: Qt hands it to SAPI as XML.

    >>> harmless("a < b & c", "sapi"), harmless("a < b", "speechd"), harmless("[[rate 9]]", "macos")
    ('a &lt; b &amp; c', 'a < b', '[ [rate 9] ]')
    """
    if engine == "sapi":
        return text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace("[[", "[ [").replace("]]", "] ]") if engine in ("darwin", "macos") else text


def _language(voice: QVoice) -> str:
    """Empty for one that Qt does not know."""
    locale = voice.locale()
    return "" if locale.language() == QLocale.Language.C else locale.bcp47Name()


def _read_orders(speaker: Speaker) -> None:
    """Read them beside the engine, to die with the program that started us."""
    with os.fdopen(0, "rb", closefd=False) as told:
        for line in told:
            speaker.ordered.emit(line.decode("utf-8", "replace"))
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
