"""Reel: the sound that waits and the sound that is under way, and what becomes news at which point of it. No Qt."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from sam_py.speech.base import SAMPLE_BYTES, Clip, Finished, Started

NEAR_US = 1_000
"""Devices count in whole microseconds or blocks: so near a point is at it."""


@dataclass(frozen=True, slots=True)
class Form:
    """What can follow each other in one stream."""

    rate_hz: int
    channels: int

    @property
    def frame_bytes(self) -> int:
        return self.channels * SAMPLE_BYTES


@dataclass(slots=True)
class _Piece:
    mark: int
    form: Form
    samples: memoryview


class Reel:
    """Invariants: what was taken and not heard is kept, so that another device can go on with it; `_due` rises."""

    def __init__(self) -> None:
        self._waiting: deque[_Piece | int] = deque()
        """Pieces, and after the last piece of a mark the mark itself, once it has ended."""
        self._out: deque[tuple[int, _Piece | int]] = deque()
        """What left `_waiting` in this stream, and where in it it ends, in frames."""
        self._form: Form | None = None
        self._frames = 0
        self._due: deque[tuple[int, Started | Finished]] = deque()
        self._begun = 0
        self._told = 0
        """The last mark that was put into a stream, and the last whose `Started` was told."""

    @property
    def form(self) -> Form | None:
        """Of the stream that is under way."""
        return self._form

    @property
    def next_form(self) -> Form | None:
        """Of the first sound that waits."""
        return next((each.form for each in self._waiting if isinstance(each, _Piece)), None)

    @property
    def is_empty(self) -> bool:
        """Nothing waits, and all news was told."""
        return not self._waiting and not self._due

    @property
    def taken_us(self) -> int:
        return self._us(self._frames)

    def add(self, mark: int, clip: Clip) -> None:
        form = Form(clip.rate_hz, clip.channels)
        whole = len(clip.samples) - len(clip.samples) % form.frame_bytes
        if whole:
            self._waiting.append(_Piece(mark, form, memoryview(clip.samples)[:whole]))

    def end(self, mark: int) -> None:
        self._waiting.append(mark)

    def begin(self, form: Form | None) -> None:
        """A new stream starts at 0. Without a form there is none: what has ended then is over at once."""
        self._form = form
        self._frames = 0
        self._out.clear()
        self._due.clear()

    def take(self, most_frames: int) -> memoryview:
        """The next sound of the stream's form, at most so much; empty where nothing of that form is next."""
        self._settle()
        piece = self._waiting[0] if self._waiting else None
        if not isinstance(piece, _Piece) or piece.form != self._form or most_frames <= 0:
            return memoryview(b"")
        size = min(most_frames * piece.form.frame_bytes, len(piece.samples))
        taken = piece.samples[:size]
        if piece.mark != self._begun:
            self._begun = piece.mark
            self._due.append((self._us(self._frames), Started(piece.mark)))
        self._frames += size // piece.form.frame_bytes
        self._out.append((self._frames, _Piece(piece.mark, piece.form, taken)))
        if size == len(piece.samples):
            self._waiting.popleft()
        else:
            piece.samples = piece.samples[size:]
        self._settle()
        return taken

    def played(self, us: int) -> list[Started | Finished]:
        """What is news now that so much of the stream was heard."""
        news: list[Started | Finished] = []
        self._settle()
        while self._form is None and self._waiting and isinstance(mark := self._waiting[0], int):
            self._waiting.popleft()
            news.append(Finished(mark))
        while self._due and self._is_past(self._due[0], us):
            news.append(self._due.popleft()[1])
            if isinstance(news[-1], Started):
                self._told = news[-1].mark
        while self._out and self._us(self._out[0][0]) <= us + NEAR_US:
            self._out.popleft()
        return news

    def rewind(self, us: int) -> None:
        """End the stream; what was not heard of it (`played` knows) waits again. No mark is `Started` twice."""
        back: list[_Piece | int] = []
        for end, each in self._out:
            if isinstance(each, _Piece):
                begin = end - len(each.samples) // each.form.frame_bytes
                heard = max(0, us * each.form.rate_hz // 1_000_000 - begin)
                each.samples = each.samples[heard * each.form.frame_bytes :]
            back.append(each)
        self._begun = self._told
        self._waiting.extendleft(reversed(back))
        self.begin(None)

    def clear(self) -> None:
        """Forget all that waits and is under way."""
        self._waiting.clear()
        self._begun = self._told = 0
        self.begin(None)

    def _settle(self) -> None:
        """Marks that ended and have nothing left to take are over when what was taken was heard."""
        while self._form is not None and self._waiting and isinstance(mark := self._waiting[0], int):
            self._waiting.popleft()
            self._due.append((self._us(self._frames), Finished(mark)))
            self._out.append((self._frames, mark))

    @staticmethod
    def _is_past(due: tuple[int, Started | Finished], us: int) -> bool:
        at, news = due
        if isinstance(news, Started):
            return us > at
        return us + NEAR_US >= at

    def _us(self, frames: int) -> int:
        return frames * 1_000_000 // self._form.rate_hz if self._form is not None else 0
