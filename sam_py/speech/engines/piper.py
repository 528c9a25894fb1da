"""PiperVoices: neural voices that speak offline, by the Piper program that the person installed. # D-035

One process holds one voice at one speed; another choice starts another process. It takes a line of text and writes a
file, and says so: https://github.com/OHF-Voice/piper1-gpl/blob/main/docs/CLI.md; the older rhasspy/piper does the same.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sam_py import workers
from sam_py.speech.base import Clip, Manner, SpeechError, Voice
from sam_py.speech.engines.piper_files import PiperFile, read_piper_file
from sam_py.speech.engines.process import Done, Failed, Gone, Program, Ready, Said, Sound
from sam_py.speech.engines.relay import Patience, Question, Relay
from sam_py.speech.engines.text import has_words, pieces
from sam_py.speech.engines.wav import clip_of_wav

INSTALL = "pipx install piper-tts"
NAMES = ("piper", "piper-tts")
PATIENCE = Patience(answer_s=15.0, character_s=0.1, dropped_s=8.0)
"""A voice takes a second or more to load, which the first answer waits for."""
_ALSO = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "WINDIR", "PATHEXT", "ESPEAK_DATA_PATH")
_TOLD_LINES = 40
_LARGEST_SCRIPT = 100_000


@dataclass(frozen=True, slots=True)
class _Cast:
    """What a process is started for."""

    file: PiperFile
    speaker: int | None
    rate: float


class PiperVoices:
    """A `SpeechEngine`. `files` are the voice files that the person chose; `usual` is what will be asked first."""

    def __init__(
        self,
        files: Sequence[str],
        usual: Manner | None = None,
        *,
        find: Callable[[], str | None] | None = None,
        patience: Patience = PATIENCE,
    ) -> None:
        self._files = tuple(Path(each) for each in files)
        self._usual = usual or Manner()
        self._find = find or find_piper
        self._patience = patience
        self._cast: _Cast | None = None
        self._relay: Relay | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def name(self) -> str:
        return "Piper"

    @property
    def pids(self) -> list[int]:
        return [] if self._relay is None else self._relay.pids

    async def voices(self) -> Sequence[Voice]:
        """The voices of all files that can be read; raises `SpeechError` where none can."""
        self._program()
        found: list[Voice] = []
        wrong: SpeechError | None = None
        for path in self._files:
            try:
                file = await asyncio.to_thread(read_piper_file, path)
            except SpeechError as error:
                wrong = wrong or error
            else:
                found += file.voices()
        if not found:
            raise wrong or _nothing_chosen()
        return found

    async def synthesise(self, text: str, manner: Manner) -> AsyncGenerator[Clip, None]:
        self._usual = manner
        for piece in pieces(text):
            if not has_words(piece):
                continue  # Piper breaks down where there is nothing to say
            relay = await self._relay_for(manner)
            line = piece.replace("[[", "[ [").encode() + b"\n"  # what stands in these is taken for phonemes
            async with aclosing(relay.ask(Question(_always(line), len(piece)))) as answers:
                async for clip in answers:
                    if isinstance(clip, Clip):
                        yield clip

    def warm_up(self) -> None:
        task = asyncio.ensure_future(self._warm_up())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        self._is_closed = True
        tasks = list(self._tasks)
        if self._relay is not None:
            await self._relay.aclose()
        await asyncio.gather(*tasks)

    async def _warm_up(self) -> None:
        try:
            relay = await self._relay_for(self._usual)
        except SpeechError:
            return  # the first sentence says it
        relay.warm_up()

    async def _relay_for(self, manner: Manner) -> Relay:
        """The relay of a voice at a speed; the one before it ends. Raises `SpeechError`."""
        cast = await self._cast_for(manner)
        if self._is_closed:
            raise SpeechError("The voice was switched off in the middle. Start reading again.")
        if self._relay is not None and cast == self._cast:
            return self._relay
        program = self._program()
        if self._relay is not None:
            task = asyncio.ensure_future(self._relay.aclose())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        run = Program(
            command=lambda folder: _command(program, cast, folder),
            answers=read_answers,
            environ=_environ,
            joins_errors=True,
        )
        self._cast = cast
        self._relay = Relay(run, lambda said: _refusal(said, cast.file), size=1, patience=self._patience)
        return self._relay

    async def _cast_for(self, manner: Manner) -> _Cast:
        path, _, speaker = manner.voice.rpartition("#") if "#" in manner.voice else (manner.voice, "", "")
        if not path and self._files:
            path = str(self._files[0])
        if not path:
            raise _nothing_chosen()
        if self._cast is None or self._cast.file.path != Path(path):
            file = await asyncio.to_thread(read_piper_file, Path(path))
        else:
            file = self._cast.file
        return _Cast(file, int(speaker) if speaker.isdigit() else None, min(2.0, max(0.5, manner.rate)))

    def _program(self) -> str:
        program = self._find()
        if program is None:
            raise SpeechError(f"Piper is not installed. Install it with “{INSTALL}”, then try again.")
        return program


def find_piper(path: str | None = None) -> str | None:
    """The Piper program on `path` (the system's, where not given), or beside our own Python; None where there is none.

    A desktop program for gaming mice has the same name.
    """
    beside = os.pathsep.join((str(Path(sys.executable).parent), str(Path.home() / ".local" / "bin")))
    for place in (path or os.environ.get("PATH", ""), "" if path else beside):
        for name in NAMES:
            found = shutil.which(name, path=place) if place else None
            if found is not None and _speaks(Path(found)):
                return found
    return None


def read_answers(stream: IO[bytes], folder: Path) -> Iterator[Said]:
    """What Piper writes: a line for each file, among lines of its log."""
    yield Ready()
    number = 0
    told: deque[str] = deque(maxlen=_TOLD_LINES)
    for raw in stream:
        line = raw.decode("utf-8", "replace").strip()
        told.append(line)
        if (found := re.search(r"[^/\\]+\.wav$", line)) is None or str(folder) not in line:
            continue
        number += 1
        file = folder / found[0]
        clip = clip_of_wav(file.read_bytes())
        file.unlink()
        if clip.samples:
            yield Sound(number, clip)
        yield Done(number)
    words = "\n".join(told)
    if "Error" in words or "xception" in words or "what():" in words:  # else it was ended from outside
        yield Failed("sentence" if number else "file", words[-2_000:], number + 1)


def _speaks(program: Path) -> bool:
    """Whether it is Piper, without running it: a script that does not load Piper is another program."""
    try:
        with program.open("rb") as file:
            begin = file.read(_LARGEST_SCRIPT)
    except OSError:
        return False
    return not begin.startswith(b"#!") or b"piper.__main__" in begin or b"length" in begin


def _command(program: str, cast: _Cast, folder: Path) -> list[str]:
    scale = cast.file.length_scale / cast.rate
    speaker = [] if cast.speaker is None else ["--speaker", str(cast.speaker)]
    # The spelling with underscores is the one that both Pipers know.
    options = ["--output_dir", str(folder), "--length_scale", f"{scale:.3f}", *speaker]
    return [program, "--model", str(cast.file.path), *options]


def _environ() -> dict[str, str]:
    environ = workers.environ(_ALSO)
    del environ["PYTHONPATH"]  # it has packages of its own
    environ["PYTHONUNBUFFERED"] = "1"
    if getattr(sys, "frozen", False):  # PyInstaller's libraries are not for others
        environ.pop("LD_LIBRARY_PATH", None)
        if before := os.environ.get("LD_LIBRARY_PATH_ORIG"):
            environ["LD_LIBRARY_PATH"] = before
    return environ


def _always(line: bytes) -> Callable[[int], bytes]:
    return lambda _number: line


def _refusal(said: Failed | Gone, file: PiperFile) -> SpeechError:
    detail = said.detail or str(said)
    if isinstance(said, Failed) and said.reason == "sentence":
        text = f"Piper cannot say this sentence with the voice “{file.name}”. Choose another voice in settings."
    elif isinstance(said, Failed):
        text = f"Piper cannot use the voice “{file.name}”: the file may be damaged. Download it again."
    else:
        text = f"Piper does not start. Install it again with “{INSTALL}”, then try again."
    return SpeechError(text, detail=detail)


def _nothing_chosen() -> SpeechError:
    return SpeechError(
        "No voice of Piper is chosen. Add a voice file (.onnx, with its .onnx.json beside it) in settings."
    )
