"""Converter: sound of one form as a device wants it: another rate, more or fewer channels, other samples."""

from __future__ import annotations

import array
import sys
from typing import Any, Literal

SampleForm = Literal["uint8", "int16", "int32", "float"]

_CODES = {"uint8": "B", "int16": "h", "int32": "i", "float": "f"}
_DELAY = 2


class Converter:
    """Takes signed 16-bit samples piece by piece; the pieces' ends are not heard.

    Between two samples runs a cubic through four of them (Catmull and Rom): enough for speech, and for the few devices
    that cannot do it themselves. What comes out is two samples late, and as long as what went in.
    """

    def __init__(self, rate_hz: int, channels: int, to_rate_hz: int, to_channels: int, form: SampleForm) -> None:
        self._rate_hz, self._to_rate_hz = rate_hz, to_rate_hz
        self._channels, self._to_channels = channels, to_channels
        self._form = form
        self._tails = [[0, 0, 0] for _ in range(min(channels, to_channels))]
        """The last three samples of each channel that came in."""
        self._taken = 0
        self._made = 0

    @property
    def frame_bytes(self) -> int:
        """Of what comes out."""
        return self._to_channels * array.array(_CODES[self._form]).itemsize

    def most_frames(self, room_frames: int) -> int:
        """How many frames may be fed so that at most `room_frames` come out."""
        return max(0, (self._made + room_frames) * self._rate_hz // self._to_rate_hz - self._taken)

    def feed(self, samples: bytes | memoryview) -> bytes:
        """
        >>> doubled = Converter(1000, 1, 2000, 2, "int16").feed(array.array("h", [100] * 6).tobytes())
        >>> array.array("h", doubled).tolist()[-4:]
        [100, 100, 100, 100]
        """
        came = array.array("h", bytes(samples))
        if sys.byteorder == "big":
            came.byteswap()
        frames = len(came) // self._channels
        made = (self._taken + frames) * self._to_rate_hz // self._rate_hz - self._made
        channels = [
            self._resampled(index, came[index :: self._channels].tolist(), made)
            for index in range(min(self._channels, self._to_channels))
        ]
        self._taken += frames
        self._made += made
        return self._laid_out(channels, made)

    def _resampled(self, channel: int, came: list[int], made: int) -> list[int]:
        known = self._tails[channel] + came
        self._tails[channel] = known[-3:]
        if self._rate_hz == self._to_rate_hz:
            return known[1 : 1 + made]
        step = self._to_rate_hz
        at = self._made * self._rate_hz - self._taken * step
        found = []
        for _ in range(made):
            index, rest = divmod(at, step)
            index = max(0, index + 3 - _DELAY - 1)
            a, b, c, d = known[index], known[index + 1], known[index + 2], known[min(index + 3, len(known) - 1)]
            x = rest / step
            value = b + 0.5 * x * (c - a + x * (2 * a - 5 * b + 4 * c - d + x * (3 * (b - c) + d - a)))
            found.append(max(-32768, min(32767, round(value))))
            at += self._rate_hz
        return found

    def _laid_out(self, channels: list[list[int]], frames: int) -> bytes:
        laid_out: list[array.array[Any]]
        match self._form:
            case "int16":
                laid_out = [array.array("h", each) for each in channels]
            case "int32":
                laid_out = [array.array("i", [value << 16 for value in each]) for each in channels]
            case "float":
                laid_out = [array.array("f", [value / 32768 for value in each]) for each in channels]
            case "uint8":
                laid_out = [array.array("B", [(value >> 8) + 128 for value in each]) for each in channels]
        laid = array.array(_CODES[self._form], bytes(frames * self.frame_bytes))
        for index in range(self._to_channels):
            laid[index :: self._to_channels] = laid_out[index % len(laid_out)]
        return laid.tobytes()
