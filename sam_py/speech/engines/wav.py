"""WavReader: the samples of a WAV that comes in pieces, as signed 16-bit little-endian. Pure.

"Multimedia Programming Interface and Data Specifications 1.0" (RIFF), and Microsoft's "Multiple Channel Audio Data
and WAVE Files" for the extensible format. Servers that stream write a length of 0 or 0xFFFFFFFF: until the end.
"""

from __future__ import annotations

import struct
from array import array

from sam_py.speech.base import Clip

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_ENDLESS = 0xFFFFFF00
_LONGEST_HEADER = 1 << 20
_XOR_80 = bytes(each ^ 0x80 for each in range(256))


class WavError(ValueError):
    """What was fed is no WAV, or one of a kind that is not read here."""


class WavReader:
    """`rate_hz` and `channels` are known (not 0) before the first samples come."""

    def __init__(self) -> None:
        self.rate_hz = 0
        self.channels = 0
        self._kind = 0
        self._bits = 0
        self._waiting = bytearray()
        self._skip = 0
        self._left: int | None = None
        """Bytes of samples that are still to come; None: until the end."""
        self._in_data = False
        self._begun = False

    def feed(self, data: bytes) -> bytes:
        """The samples of all whole frames so far that were not returned yet. Raises `WavError`."""
        self._waiting += data
        while not self._in_data and self._next_chunk():
            pass
        if not self._in_data:
            if len(self._waiting) > _LONGEST_HEADER:
                raise WavError("the header does not end")
            return b""
        frame = self.channels * self._bits // 8
        size = len(self._waiting) if self._left is None else min(self._left, len(self._waiting))
        size -= size % frame
        raw = bytes(self._waiting[:size])
        del self._waiting[:size]
        if self._left is not None:
            self._left -= size
            if self._left < frame:  # what follows is no sound
                self._waiting.clear()
        return as_16_bits(raw, self._bits, is_float=self._kind == _FLOAT)

    def _next_chunk(self) -> bool:
        """Read one step of the header. False where more bytes are needed."""
        waiting = self._waiting
        if self._skip:
            size = min(self._skip, len(waiting))
            del waiting[:size]
            self._skip -= size
            return self._skip == 0 and len(waiting) > 0
        if not self._begun:
            if len(waiting) < 12:
                return False
            if waiting[:4] != b"RIFF" or waiting[8:12] != b"WAVE":
                raise WavError("it does not begin like a WAV")
            del waiting[:12]
            self._begun = True
            return True
        if len(waiting) < 8:
            return False
        name, size = bytes(waiting[:4]), int.from_bytes(waiting[4:8], "little")
        if name == b"data":
            if not self.channels:
                raise WavError("the samples come before their format")
            del waiting[:8]
            self._left = None if size == 0 or size >= _ENDLESS else size
            self._in_data = True
            return True
        padded = size + size % 2
        if name != b"fmt ":
            del waiting[:8]
            self._skip = padded
            return True
        if not 16 <= size <= 1000:
            raise WavError("its format is damaged")
        if len(waiting) < 8 + padded:
            return False
        self._read_format(bytes(waiting[8 : 8 + size]))
        del waiting[: 8 + padded]
        return True

    def _read_format(self, body: bytes) -> None:
        kind, channels, rate_hz, _bytes_per_s, _frame, bits = struct.unpack_from("<HHIIHH", body)
        if kind == _EXTENSIBLE and len(body) >= 26:
            kind = int.from_bytes(body[24:26], "little")
        if kind not in (_PCM, _FLOAT) or bits not in ((8, 16, 24, 32) if kind == _PCM else (32,)):
            raise WavError(f"its samples are of a kind that is not read here (format {kind}, {bits} bits)")
        if not 1 <= channels <= 8 or not 4_000 <= rate_hz <= 384_000:
            raise WavError(f"its format is damaged ({channels} channels, {rate_hz} Hz)")
        self._kind, self.channels, self.rate_hz, self._bits = kind, channels, rate_hz, bits


def clip_of_wav(data: bytes) -> Clip:
    """The sound of a whole file; without samples where it has none. Raises `WavError`."""
    reader = WavReader()
    samples = reader.feed(data)
    if not reader.channels:
        raise WavError("it has no format")
    return Clip(samples, reader.rate_hz, reader.channels)


def as_16_bits(raw: bytes, bits: int, *, is_float: bool = False) -> bytes:
    """Little-endian samples of `bits` (8: unsigned, as in a WAV) as signed 16-bit ones, cut, not rounded.

    >>> as_16_bits(bytes([0x80, 0xFF]), 8).hex(), as_16_bits(bytes([9, 1, 2]), 24).hex()
    ('0000007f', '0102')
    """
    if is_float:
        values = array("f", raw)
        if struct.pack("=H", 1) != b"\1\0":
            values.byteswap()
        whole = array("h", (int(max(-1.0, min(1.0, value)) * 32767) if value == value else 0 for value in values))
        if struct.pack("=H", 1) != b"\1\0":
            whole.byteswap()
        return whole.tobytes()
    width = bits // 8
    if width == 2:
        return raw
    made = bytearray(len(raw) // width * 2)
    if width == 1:
        made[1::2] = raw.translate(_XOR_80)
    else:
        made[0::2] = raw[width - 2 :: width]
        made[1::2] = raw[width - 1 :: width]
    return bytes(made)
