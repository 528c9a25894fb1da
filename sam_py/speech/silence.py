"""Silence: what an engine leaves around a sentence is taken off, and the pause that a speaker would make is put there.

Engines differ: espeak-ng ends a sentence with 0.3 s of silence (0.8 s at half speed), others with none.
"""

from __future__ import annotations

import array
import sys

from sam_py.speech.base import SAMPLE_BYTES, Clip, TextClip, Utterance

QUIET = 160
"""Samples up to here are silence: 46 dB below the loudest that there can be."""
_BLOCK_S = 0.005
_KEPT_BLOCKS = 4
"""Of the silence beside the sound, so that soft consonants keep their edge."""

SOFT_PAUSE_S = 0.12
"""After a part of a long sentence that was cut at a comma."""
SENTENCE_PAUSE_S = 0.25
PARAGRAPH_PAUSE_S = 0.5
_ENDS = tuple(".!?…:。！？｡।۔؟")
_CLOSERS = "\"'”’»)]}」』）"
_RUNNING = ("prose", "quote", "text")


def pause_s(before: Utterance, after: Utterance, rate: float) -> float:
    """How long a speaker pauses between two utterances, in seconds.

    >>> first, second = Utterance("Hello.", 0, 6), Utterance("How are you?", 7, 19)
    >>> pause_s(first, second, 1.0), pause_s(first, second, 2.0)
    (0.25, 0.125)
    """
    is_near = after.start - before.end < 2  # a blank line is two characters at least
    is_same = (before.message_id, before.part_index, before.kind) == (after.message_id, after.part_index, after.kind)
    if not is_same or before.kind not in _RUNNING or not is_near:
        return PARAGRAPH_PAUSE_S / rate
    return (SENTENCE_PAUSE_S if before.text.rstrip(_CLOSERS).endswith(_ENDS) else SOFT_PAUSE_S) / rate


def silent_clip(seconds: float, like: Clip) -> Clip:
    """Silence in the format of `like`."""
    if isinstance(like, TextClip):
        return TextClip(b"", like.rate_hz, seconds=seconds)
    return Clip(bytes(round(seconds * like.rate_hz) * like.channels * SAMPLE_BYTES), like.rate_hz, like.channels)


def without_first(clip: Clip, seconds: float) -> Clip:
    """What is left of `clip` after its first `seconds`; a text is left whole.

    >>> without_first(Clip(bytes(8), 4), 0.75).duration_s
    0.25
    """
    if isinstance(clip, TextClip):
        return clip
    frames = round(seconds * clip.rate_hz)
    return Clip(clip.samples[frames * clip.channels * SAMPLE_BYTES :], clip.rate_hz, clip.channels)


class Trimmer:
    """Takes the silence off both ends of one utterance, whose sound comes in one or more clips."""

    def __init__(self) -> None:
        self._begun = False
        self._tail = b""
        """Silence that may be the last: it is given with the next sound, if any comes."""
        self._like = Clip(b"", 1)

    def take(self, clip: Clip) -> Clip | None:
        """The part of the sound so far that is sure to belong to the utterance and was not returned yet."""
        self._like = clip
        samples = self._tail + clip.samples
        block = max(1, round(clip.rate_hz * _BLOCK_S)) * clip.channels * SAMPLE_BYTES
        keep = block * _KEPT_BLOCKS
        loud = _loud(samples, block)
        if loud is None:
            self._tail = samples if self._begun else samples[len(samples) % (clip.channels * SAMPLE_BYTES) :][-keep:]
            return None
        first, last = loud
        start = 0 if self._begun else max(0, first - keep)
        self._begun = True
        self._tail = samples[last:]
        return Clip(samples[start:last], clip.rate_hz, clip.channels)

    def end(self) -> Clip | None:
        """The soft end of the last sound; None where there was no sound at all."""
        if not self._begun or not self._tail:
            return None
        like = self._like
        keep = max(1, round(like.rate_hz * _BLOCK_S)) * like.channels * SAMPLE_BYTES * _KEPT_BLOCKS
        return Clip(self._tail[:keep], like.rate_hz, like.channels)


def _loud(samples: bytes, block: int) -> tuple[int, int] | None:
    """Where sound begins and ends in `samples`, in bytes, to a block; None where there is none.

    Looks from both ends, so that it costs what the silence costs.
    """
    first = next((at for at in range(0, len(samples), block) if _is_loud(samples[at : at + block])), None)
    if first is None:
        return None
    start = (len(samples) - 1) // block * block
    last = next(at for at in range(start, -1, -block) if _is_loud(samples[at : at + block]))
    return first, min(len(samples), last + block)


def _is_loud(samples: bytes) -> bool:
    values = array.array("h", samples[: len(samples) // SAMPLE_BYTES * SAMPLE_BYTES])
    if sys.byteorder == "big":
        values.byteswap()
    return bool(values) and (max(values) > QUIET or min(values) < -QUIET)
