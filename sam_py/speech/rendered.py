"""Rendered: the speech of a text as one sound, and as a WAV file."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import struct
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from sam_py.messages.message import Message
from sam_py.speech.base import SAMPLE_BYTES, Clip, Manner, Readout, SpeechEngine, SpeechError, TextClip, Utterance
from sam_py.speech.making import make_sound
from sam_py.speech.queue import ATTEMPTS
from sam_py.speech.reading import Reading, Spoken, spoken_text
from sam_py.speech.silence import pause_s, silent_clip

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
"""RIFF, one format chunk for PCM, one data chunk (Microsoft and IBM, Multimedia Programming Interface, 1991)."""
_MOST_BYTES = 2**32 - 1024
"""A WAV file states its length in 32 bits."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def utterances_of(
    message: Message, readout: Readout, spoken: Callable[[Readout], Spoken] = spoken_text
) -> list[Utterance]:
    """What is read of a whole message. Costs what the message costs."""
    reading = Reading(message.id, lambda: spoken(readout))
    reading.begin(message)
    reading.settle(message, {})
    utterances = []
    while reading.has_more:
        utterances += reading.more()
    return utterances


async def render(utterances: Iterable[Utterance], engine: SpeechEngine, manner: Manner) -> AsyncIterator[Clip]:
    """The sound of each utterance in turn, with the pause before it: one clip each, empty where nothing is to be said.

    Raises `SpeechError` where the engine fails twice: nothing is left out without a word.
    """
    before: Utterance | None = None
    for utterance in utterances:
        clips = await _sound_of(utterance, engine, manner)
        if not clips:
            yield Clip(b"", 1)
            continue
        like = clips[0]
        if isinstance(like, TextClip):
            raise only_aloud(engine.name)
        if any((each.rate_hz, each.channels) != (like.rate_hz, like.channels) for each in clips):
            raise SpeechError(f"{engine.name} changed its format within a sentence: choose another voice.")
        if before is not None:
            clips.insert(0, silent_clip(pause_s(before, utterance, manner.rate), like))
        before = utterance
        yield Clip(b"".join(each.samples for each in clips), like.rate_hz, like.channels)


async def save_speech(
    path: Path,
    utterances: Sequence[Utterance],
    engine: SpeechEngine,
    manner: Manner,
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> float:
    """Write the speech as a WAV file and return its length in seconds; `on_progress` hears of each sentence.

    The file has its old content, or none, until it is whole; a failure or a cancelled task leaves it so. Raises
    `SpeechError` where nothing is to be said, the engine fails, or the file cannot be written.
    """
    file = _WaveFile(path)
    sounds = render(utterances, engine, manner)
    try:
        done = 0
        async for clip in sounds:
            if clip.samples:
                await file.write(clip)
            done += 1
            on_progress(done, len(utterances))
        return await file.complete()
    except OSError as error:
        raise _cannot_write(error, path) from error
    finally:
        await file.aclose()


def only_aloud(name: str) -> SpeechError:
    """What is said where the speech of a voice that hands over no sound is to be saved."""
    return SpeechError(
        f"{name} only speak aloud: what they say cannot be saved. For this, choose the system voices, Piper or a "
        "server in Settings > Voice."
    )


async def _sound_of(utterance: Utterance, engine: SpeechEngine, manner: Manner) -> list[Clip]:
    for attempt in range(ATTEMPTS):
        clips: list[Clip] = []
        try:
            await make_sound(engine, utterance.text, manner, clips.append)
        except SpeechError:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            break
    return clips


class _WaveFile:
    """Written beside its place and moved there when it is whole.

    A network drive may be slow: the disk has a thread of its own, in which each step ends before the next one begins,
    also where the task that asked for it was cancelled.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".speech-{uuid.uuid4().hex}.part")
        self._disk = ThreadPoolExecutor(1, "speech file")
        self._file: BinaryIO | None = None
        self._like: Clip | None = None
        self._length = 0

    async def write(self, clip: Clip) -> None:
        self._like = self._like or clip
        if (clip.rate_hz, clip.channels) != (self._like.rate_hz, self._like.channels):
            raise SpeechError("The voice changed its sound format between two sentences: choose another voice.")
        self._length += len(clip.samples)
        if self._length > _MOST_BYTES:
            raise SpeechError("This is too long for one WAV file (4 GB): save it in parts.")
        await self._in_thread(self._append, clip.samples)

    async def complete(self) -> float:
        """Put the file in its place; return its length in seconds."""
        if self._like is None:
            raise SpeechError("There is nothing to read aloud here: choose a message with text.")
        await self._in_thread(self._place)
        return self._length / (SAMPLE_BYTES * self._like.channels * self._like.rate_hz)

    async def aclose(self) -> None:
        """Leave nothing half done behind."""
        try:
            await self._in_thread(self._discard)
        finally:
            self._disk.shutdown(wait=False)

    async def _in_thread(self, work: Callable[..., None], *arguments: object) -> None:
        await asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments)

    def _append(self, samples: bytes) -> None:
        if self._file is None:
            self._file = self._temporary.open("xb")
            self._file.write(bytes(_HEADER.size))
        self._file.write(samples)

    def _place(self) -> None:
        assert self._file is not None
        assert self._like is not None
        frame = SAMPLE_BYTES * self._like.channels
        rate = self._like.rate_hz
        self._file.seek(0)
        self._file.write(
            _HEADER.pack(
                b"RIFF", self._length + _HEADER.size - 8, b"WAVE",
                b"fmt ", 16, 1, self._like.channels, rate, rate * frame, frame, SAMPLE_BYTES * 8,
                b"data", self._length,
            )
        )  # fmt: skip
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._temporary.replace(self._path)

    def _discard(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):  # a full disk says so again; after `complete` there is no such file
                self._file.close()
            with contextlib.suppress(OSError):
                self._temporary.unlink()


def _cannot_write(error: OSError, path: Path) -> SpeechError:
    if error.errno in _FULL:
        text = f"The disk is full: free some space on the disk that holds {path.parent}, or choose another folder."
    elif error.errno in _REFUSED:
        text = f"{path} cannot be written: choose another folder, or another name."
    elif error.errno == errno.ENOENT:
        text = f"The folder {path.parent} is not there any more: choose another one."
    else:
        text = f"{path} could not be written ({error.strerror or error}): choose another folder."
    return SpeechError(text, detail=str(error))
