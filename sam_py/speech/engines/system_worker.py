"""The process that speaks with pyttsx3: told its folder by its argument, it reads questions and writes answers.

{"number": 1, "text": "Hello.", "voice": "", "words_per_minute": 200}      {"number": 2, "voices": true}
{"ready": true}                       first, or {"failed": "missing", "detail": "…"} and the end
{"number": 1, "size": 35274, "rate_hz": 22050, "channels": 1}  and so many bytes of samples
{"number": 2, "voices": […]}
{"number": 1, "done": true}           or {"number": 1, "failed": "voice" | "silent", "detail": "…"}

pyttsx3 wants the main thread (macOS) and one engine for its whole life: a second one crashes espeak.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from sam_py.speech.base import Clip
from sam_py.speech.engines.aiff import clip_of_aiff
from sam_py.speech.engines.languages import language_tag, voice_of_language
from sam_py.speech.engines.text import has_words
from sam_py.speech.engines.wav import WavError, clip_of_wav

log = logging.getLogger(__name__)

TRIES = 4
"""Of 1,000 files that pyttsx3 2.99 writes with espeak-ng, up to 8 are only a header or are not there."""
_RATE_S = 0.1
_PLACES = ("LC_ALL", "LC_MESSAGES", "LANG")
_MB = 1 << 20
_MEMORY_BYTES = 2048 * _MB
_FILE_BYTES = 256 * _MB


class Unspoken(Exception):
    """`reason` is for the parent."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail)
        self.reason = reason


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # pyttsx3 prints there
    questions: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read_questions, args=(questions, folder), daemon=True).start()
    _enter_walls()
    try:
        speaker = Speaker(folder)
    except Exception:  # whatever a driver raises where its library is missing or does not work
        log.info("pyttsx3 does not start", exc_info=True)
        _say(out, {"failed": "missing", "detail": traceback.format_exc(limit=-3)[-2_000:]})
        return 1
    _say(out, {"ready": True})
    while True:
        question = questions.get()
        for line, samples in _answer(speaker, question):
            _say(out, {"number": question["number"], **line}, samples)


class Speaker:
    """pyttsx3's one engine."""

    def __init__(self, folder: Path) -> None:
        import pyttsx3

        self._engine = pyttsx3.init()
        self._engine.connect("error", self._note)
        self._engine.runAndWait()  # before its first run it only queues what is set
        self._errors: list[str] = []
        self._voice: str | None = self._engine.getProperty("voice")
        self._usual = self._voice_at_home() or self._voice
        self._path = folder / f"spoken{'.aiff' if sys.platform == 'darwin' else '.wav'}"

    def voices(self) -> list[dict[str, Any]]:
        return [
            {
                "id": each.id,
                "name": each.name or each.id,
                "languages": [_word(tag) for tag in each.languages or () if tag],
            }
            for each in self._engine.getProperty("voices")
        ]

    def speak(self, text: str, voice: str, words_per_minute: int) -> Clip:
        """The sound of `text`; without samples where there is nothing to say. Raises `Unspoken`."""
        self._errors.clear()
        wanted = voice or self._usual
        if wanted != self._voice:
            self._engine.setProperty("voice", wanted)
        detail = ""
        for _ in range(TRIES):
            self._path.unlink(missing_ok=True)
            self._set_rate(words_per_minute)
            self._engine.save_to_file(harmless(text), str(self._path))
            self._engine.runAndWait()
            if self._errors and wanted != self._voice:
                self._voice = None  # nobody knows which one it has now
                raise Unspoken("voice", "; ".join(self._errors))
            self._voice = wanted
            try:
                clip = clip_of_file(self._path.read_bytes())
            except (OSError, WavError) as error:
                detail = f"{type(error).__name__}: {error}"
                continue
            if clip.samples or not has_words(text):
                return clip
            detail = "only a header"
        raise Unspoken("silent", "; ".join((detail, *self._errors)))

    def _voice_at_home(self) -> str:
        """espeak begins with English wherever it is; macOS and Windows know the person's language."""
        place = next((value for name in _PLACES if (value := os.environ.get(name))), "")
        language = language_tag(place.partition(".")[0].partition("@")[0])
        if not language or sys.platform in ("win32", "darwin"):
            return ""
        voices = ((each["id"], language_tag(tag)) for each in self.voices() for tag in each["languages"])
        return voice_of_language(language, voices)

    def _set_rate(self, words_per_minute: int) -> None:
        """Set it and see it set: espeak does so on a thread of its own, and each run of pyttsx3 2.99 begins with a
        cancel that drops what that thread has not done yet. Without the look, half of all changes are lost.
        """
        self._engine.setProperty("rate", words_per_minute)
        until_s = time.monotonic() + _RATE_S
        while self._engine.getProperty("rate") != words_per_minute and time.monotonic() < until_s:
            time.sleep(0.001)

    def _note(self, name: object = None, exception: object = None) -> None:
        self._errors.append(f"{type(exception).__name__}: {exception}")


def clip_of_file(data: bytes) -> Clip:
    return clip_of_aiff(data) if data[:4] == b"FORM" else clip_of_wav(data)


def harmless(text: str, platform: str = sys.platform) -> str:
    """`text` without what a system's voices take for orders: XML at the start (Windows), ``[[…]]`` (macOS).

    >>> harmless("<b>", "win32"), harmless("[[rate 9]]", "darwin"), harmless("[[x]] < y", "linux")
    ('. <b>', '[ [rate 9] ]', '[[x]] < y')
    """
    if platform == "win32" and text.lstrip().startswith("<"):
        return f". {text}"
    return text.replace("[[", "[ [").replace("]]", "] ]") if platform == "darwin" else text


def _answer(speaker: Speaker, question: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bytes]]:
    if question.get("voices"):
        yield {"voices": speaker.voices()}, b""
        yield {"done": True}, b""
        return
    try:
        clip = speaker.speak(question["text"], question["voice"], question["words_per_minute"])
    except Unspoken as error:
        yield {"failed": error.reason, "detail": str(error)}, b""
        return
    if clip.samples:
        yield {"size": len(clip.samples), "rate_hz": clip.rate_hz, "channels": clip.channels}, clip.samples
    yield {"done": True}, b""


def _say(out: IO[bytes], line: dict[str, Any], samples: bytes = b"") -> None:
    out.write(json.dumps(line).encode() + b"\n" + samples)
    out.flush()


def _read_questions(questions: queue.SimpleQueue[dict[str, Any]], folder: Path) -> None:
    """Read them beside the engine, to die with the program that started us."""
    with os.fdopen(0, "rb", closefd=False) as told:
        for line in told:
            questions.put(json.loads(line))
    shutil.rmtree(folder, ignore_errors=True)  # nobody else is left to do it
    os._exit(0)


def _enter_walls() -> None:
    """A voice that runs wild fills neither memory nor disk, and leaves no picture of its memory behind."""
    if sys.platform == "win32":
        return
    import resource

    walls = [(resource.RLIMIT_FSIZE, _FILE_BYTES), (resource.RLIMIT_CORE, 0)]
    if sys.platform == "linux":  # macOS maps more than that into each process
        walls.append((resource.RLIMIT_AS, _MEMORY_BYTES))
    for wall, size in walls:
        _soft, hard = resource.getrlimit(wall)
        resource.setrlimit(wall, (size if hard < 0 else min(size, hard), hard))


def _word(tag: str | bytes) -> str:
    return tag.decode("utf-8", "replace") if isinstance(tag, bytes) else str(tag)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
