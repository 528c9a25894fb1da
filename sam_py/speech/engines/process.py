"""VoiceProcess: one process that makes sound, asked one thing at a time, and ended without asking."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from sam_py.speech.base import Clip

log = logging.getLogger(__name__)

_FOLDER = "sam-py-voice-"
_ORPHANED_S = 86_400.0
"""A folder in which nothing changed for so long was left by a program that was killed."""


@dataclass(frozen=True, slots=True)
class Ready:
    """It can be asked."""


@dataclass(frozen=True, slots=True)
class Sound:
    number: int
    clip: Clip


@dataclass(frozen=True, slots=True)
class Told:
    """An answer that is no sound."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more comes of this question."""

    number: int


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot do it; asking again would not help. With `number` 0 it cannot do anything, and ends."""

    reason: str
    detail: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Gone:
    """The process has ended. `code` is None where it could not be started at all."""

    code: int | None
    detail: str = ""


Said = Ready | Sound | Told | Done | Failed | Gone


@dataclass(frozen=True, slots=True)
class Program:
    """What is run, and how it talks.

    `answers` reads what it writes, on a thread, until the end; questions are numbered from 1 in each process. The
    folder is empty, for this process alone and private to the user; it goes when the process has ended.
    """

    command: Callable[[Path], list[str]]
    answers: Callable[[IO[bytes], Path], Iterator[Said]]
    environ: Callable[[], dict[str, str]] = field(repr=False)
    joins_errors: bool = False
    """Whether what it writes to standard error is read together with the rest; else it is thrown away."""


class VoiceProcess:
    """Methods are called on the loop's thread; `changed` is called there when it became idle or ended.

    It is `is_busy` from a question to the answer's end, also where nobody waits for it any more (`drop`).
    """

    def __init__(self, program: Program, changed: Callable[[], None]) -> None:
        self.is_ready = False
        self.is_busy = False
        self.ended: Gone | None = None
        self.refused: Failed | None = None
        """Why it ended by itself, in its own words."""
        self.gone = asyncio.Event()
        self._program = program
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._number = 0
        self._listener: asyncio.Queue[Said] | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="voice process", daemon=True)
        self._thread.start()  # starting a process takes up to 30 ms on Windows: not on the loop's thread

    @property
    def is_idle(self) -> bool:
        return self.is_ready and not self.is_busy and not self._is_over and self.ended is None

    @property
    def number(self) -> int:
        """Of the last question."""
        return self._number

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def ask(self, question: Callable[[int], bytes]) -> asyncio.Queue[Said]:
        """Ask an idle process; `question` gets its number. The queue gets the answer up to `Done`, `Failed`, `Gone`."""
        assert self.is_idle
        self.is_busy = True
        self._number += 1
        self._listener = asyncio.Queue()
        with self._lock:
            stdin = None if self._process is None else self._process.stdin
            # One question is smaller than the pipe and the process has none: this does not block. If it has ended,
            # the thread is about to say so.
            with contextlib.suppress(OSError, ValueError):
                if stdin is not None:
                    stdin.write(question(self._number))
                    stdin.flush()
        return self._listener

    def drop(self) -> None:
        """Nobody waits for the answer any more; the process is busy until it came."""
        self._listener = None

    def end(self) -> None:
        """Kill it. `gone` is set when it is not there any more."""
        with self._lock:
            self._is_over = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()

    def _run(self) -> None:
        """The thread's whole life: start, read, clean up."""
        gone = Gone(None)
        folder = None
        try:
            _sweep()
            folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
            process = self._started(folder)
            if process is not None:
                gone = self._read(process, folder)
        except OSError as error:
            gone = Gone(None, f"{type(error).__name__}: {error}")
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            self._tell(gone)

    def _started(self, folder: Path) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._is_over:
                return None
            self._process = subprocess.Popen(  # noqa: S603 - our own worker, or the program that an engine found
                self._program.command(folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if self._program.joins_errors else subprocess.DEVNULL,
                env=self._program.environ(),
                cwd=folder,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            return self._process

    def _read(self, process: subprocess.Popen[bytes], folder: Path) -> Gone:
        assert process.stdin is not None
        assert process.stdout is not None
        detail = ""
        try:
            for said in self._program.answers(process.stdout, folder):
                self._tell(said)
        except (ValueError, KeyError, TypeError, OSError) as error:  # cut off, or not what was agreed
            detail = f"{type(error).__name__}: {error}"
        finally:
            with self._lock:
                self._is_over = True
                process.kill()
                with contextlib.suppress(OSError):  # what it was not told any more
                    process.stdin.close()
            process.stdout.close()
            code = process.wait()
        return Gone(code, detail)

    def _tell(self, said: Said) -> None:
        try:
            self._loop.call_soon_threadsafe(self._hear, said)
        except RuntimeError:  # the loop is closed: nobody is left to hear it
            log.debug("the loop was closed before a voice process was")
            self.end()

    def _hear(self, said: Said) -> None:
        match said:
            case Ready():
                self.is_ready = True
                self._changed()
                return
            case Gone():
                self.ended = said
                self.is_busy = False
                self.gone.set()
            case Failed(number=0):
                self.refused = said
                return  # `Gone` follows
            case _ if said.number != self._number or not self.is_busy:
                log.warning("a voice process answered what it was not asked")
                self.end()
                return
            case Done() | Failed():
                self.is_busy = False
        if self._listener is not None:
            self._listener.put_nowait(said)
        if not self.is_busy:
            self._listener = None
            self._changed()


def _sweep() -> None:
    """Remove what killed programs left: the sound of what was read is nobody else's business."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError):  # another person's, or just being removed
            if time.time() - folder.stat().st_mtime > _ORPHANED_S:
                shutil.rmtree(folder, ignore_errors=True)
