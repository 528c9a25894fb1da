"""Relay: voice processes of one kind, of which one works and a warm spare takes over when it ends or hangs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from sam_py.speech.base import Clip, SpeechError
from sam_py.speech.engines.process import Done, Failed, Gone, Program, Ready, Said, Sound, Told, VoiceProcess

log = logging.getLogger(__name__)

STARTS = 3
"""So many in a row that fail are enough to tell the person."""
ATTEMPTS = 3
"""So often a sentence is tried before it is given up."""
_END_LIMIT_S = 3.0
_HASTE_S, _HASTE, _FORGETS = 1.0, 3.0, 0.98
"""With a spare at hand, an answer may take a second and three times the slowest one, which is forgotten by and by."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long what may take, in seconds."""

    start_s: float = 15.0
    hurry_s: float = 2.0
    """After this another one is started beside one that is not ready yet."""
    answer_s: float = 2.0
    """For any answer; a longer text may take `character_s` more for each character."""
    character_s: float = 0.02
    dropped_s: float = 0.5
    """For an answer that nobody waits for any more, until the process is ended."""
    idle_s: float = 180.0
    """After so long without a question the processes are ended."""


@dataclass(frozen=True, slots=True)
class Question:
    """`encode` gets the question's number. `length` in characters."""

    encode: Callable[[int], bytes]
    length: int = 0


class Relay:
    """Used on the loop's thread alone. `refusal` makes the error of a process that does not start or cannot answer.

    A sentence whose process ends or hangs is given to the next one; whoever asked notices only the time.
    """

    def __init__(
        self,
        program: Program,
        refusal: Callable[[Failed | Gone], SpeechError],
        *,
        size: int = 2,
        patience: Patience | None = None,
    ) -> None:
        self._program = program
        self._refusal = refusal
        self._size = size
        self._patience = patience or Patience()
        self._processes: list[VoiceProcess] = []
        self._counted: set[VoiceProcess] = set()
        """Those whose start succeeded or was counted as failed."""
        self._failures = 0
        self._slowest_s = 0.0
        """How long an answer took at most, of late."""
        self._wrong: SpeechError | None = None
        self._changed = asyncio.Event()
        self._idle: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def pids(self) -> list[int]:
        """The processes that run now."""
        return [each.pid for each in self._processes if each.ended is None and each.pid is not None]

    @property
    def idle(self) -> int:
        """How many processes wait to be asked."""
        return sum(each.is_idle for each in self._processes)

    def warm_up(self) -> None:
        """Start one process, where none runs."""
        if not self._is_closed and not self._alive():
            self._start()
            self._rest_later()

    async def ask(self, question: Question) -> AsyncGenerator[Clip | Told, None]:
        """The answer, asked again where a process fails in the middle: nothing comes twice. Raises `SpeechError`."""
        given = 0
        said: Said = Gone(None)
        for _ in range(ATTEMPTS):
            process = await self._idle_one()
            queue = process.ask(question.encode)
            came = 0
            try:
                while not isinstance(said := await self._next(process, queue, question), Done | Failed | Gone):
                    came += 1
                    if came > given and not isinstance(said, Ready):
                        given = came
                        yield said.clip if isinstance(said, Sound) else said
            finally:
                self._leave(process)
            match said:
                case Done():
                    self._after_success()
                    return
                case Failed():
                    raise self._refusal(said)
                case _:
                    log.warning("a voice process ended in the middle of a sentence: %s", said)
        raise SpeechError(
            "The voice failed three times at the same sentence, which is left out. Choose another voice in settings "
            "if this happens again.",
            detail=str(said),
        )

    async def aclose(self) -> None:
        self._is_closed = True
        processes = list(self._processes)
        self._end_all()
        self._changed.set()
        try:
            async with asyncio.timeout(_END_LIMIT_S):
                for process in processes:
                    await process.gone.wait()
        except TimeoutError:
            log.warning("a voice process does not end")

    async def _next(self, process: VoiceProcess, queue: asyncio.Queue[Said], question: Question) -> Said:
        limit_s = self._limit_s(question)
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        try:
            async with asyncio.timeout(limit_s):
                said = await queue.get()
            if isinstance(said, Sound):
                self._slowest_s = max(loop.time() - began_s, self._slowest_s * _FORGETS)
            return said
        except TimeoutError:
            process.end()
            return Gone(None, f"no answer within {limit_s:g} s")

    def _limit_s(self, question: Question) -> float:
        """With a spare at hand, who takes far longer than anyone before hangs; else there is nothing to hurry for."""
        limit_s = self._patience.answer_s + question.length * self._patience.character_s
        if self.idle and self._slowest_s:
            return min(limit_s, _HASTE_S + _HASTE * self._slowest_s)
        return limit_s

    def _alive(self) -> list[VoiceProcess]:
        self._processes = [each for each in self._processes if each.ended is None]
        return self._processes

    async def _idle_one(self) -> VoiceProcess:
        """A process that can be asked, started where there is none. Raises `SpeechError`."""
        if self._idle is not None:
            self._idle.cancel()
        while True:
            if self._is_closed:
                raise SpeechError("The voice was switched off in the middle. Start reading again.")
            self._changed.clear()
            alive = self._alive()
            for process in alive:
                if process.is_idle:
                    return process
            if self._wrong is not None and not any(each.is_ready for each in alive):
                wrong, self._wrong, self._failures = self._wrong, None, 0
                raise wrong
            if len(alive) < self._size and all(each.is_ready for each in alive):
                self._start()
            try:
                async with asyncio.timeout(self._patience.hurry_s):
                    await self._changed.wait()
            except TimeoutError:
                if len(self._alive()) < self._size:
                    self._start()

    def _start(self) -> None:
        process = VoiceProcess(self._program, lambda: self._look_at(process))
        self._processes.append(process)
        asyncio.get_running_loop().call_later(self._patience.start_s, _end_unready, process)

    def _look_at(self, process: VoiceProcess) -> None:
        """Take note of how a start went, and wake who waits."""
        if process not in self._counted and (process.is_ready or process.ended is not None):
            self._counted.add(process)
            if process.is_ready:
                self._failures = 0
            elif not self._is_closed and process.ended is not None:
                self._failures += 1
                if process.refused is not None or self._failures >= STARTS:
                    self._wrong = self._refusal(process.refused or process.ended)
        if process.ended is not None:
            self._counted.discard(process)
        self._changed.set()

    def _leave(self, process: VoiceProcess) -> None:
        """Nobody waits for `process` any more; it may finish what it does, but not for long."""
        if process.is_busy and process.ended is None:
            process.drop()
            asyncio.get_running_loop().call_later(self._patience.dropped_s, _end_busy, process, process.number)
        self._rest_later()

    def _after_success(self) -> None:
        self._wrong = None
        if not self._is_closed and not self._failures and len(self._alive()) < self._size:
            self._start()  # the spare

    def _rest_later(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if not self._is_closed:
            self._idle = asyncio.get_running_loop().call_later(self._patience.idle_s, self._rest)

    def _rest(self) -> None:
        if any(each.is_busy for each in self._alive()):
            self._rest_later()
        else:
            self._end_all()

    def _end_all(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        for process in self._processes:
            self._counted.add(process)  # one that has not begun yet did not fail
            process.end()


def _end_unready(process: VoiceProcess) -> None:
    if not process.is_ready:
        process.end()


def _end_busy(process: VoiceProcess, number: int) -> None:
    if process.is_busy and process.number == number:
        process.end()
