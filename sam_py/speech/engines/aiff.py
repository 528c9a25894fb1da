"""The sound of an AIFF file, which is what the voices of macOS write. Pure.

Apple, "Audio Interchange File Format: AIFF 1.3" and "AIFF-C" (draft 08/26/91); Python's own reader is gone since 3.13.
"""

from __future__ import annotations

import struct

from sam_py.speech.base import Clip
from sam_py.speech.engines.wav import WavError, as_16_bits

_BIG = (b"NONE", b"twos", b"in24", b"in32")
_FLOATS = (b"fl32", b"FL32")


def clip_of_aiff(data: bytes) -> Clip:
    """The sound of a whole file; without samples where it has none. Raises `WavError`."""
    if data[:4] != b"FORM" or data[8:12] not in (b"AIFF", b"AIFC"):
        raise WavError("it does not begin like an AIFF")
    channels, bits, rate_hz, packed, raw = 0, 0, 0, b"NONE", b""
    at = 12
    while at + 8 <= len(data):
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "big")
        body = data[at + 8 : at + 8 + size]
        if name == b"COMM":
            if len(body) < 18:
                raise WavError("its format is damaged")
            channels, _frames, bits = struct.unpack_from(">HIH", body)
            rate_hz = round(_extended(body[8:18]))
            packed = body[18:22] if data[8:12] == b"AIFC" and len(body) >= 22 else b"NONE"
        elif name == b"SSND":
            raw = body[8 + int.from_bytes(body[:4], "big") :]
        at += 8 + size + size % 2
    if not 1 <= channels <= 8 or not 4_000 <= rate_hz <= 384_000 or bits not in (8, 16, 24, 32):
        raise WavError(f"its format is damaged ({channels} channels, {rate_hz} Hz, {bits} bits)")
    if packed not in (*_BIG, *_FLOATS, b"sowt"):
        raise WavError(f"its samples are packed in a way that is not read here ({packed!r})")
    width = bits // 8
    raw = raw[: len(raw) - len(raw) % (width * channels)]
    if packed != b"sowt":
        raw = _turned(raw, width)
    if width == 1:
        raw = bytes(each ^ 0x80 for each in raw)  # signed here, unsigned in a WAV
    return Clip(as_16_bits(raw, bits, is_float=packed in _FLOATS), rate_hz, channels)


def _extended(ten: bytes) -> float:
    """An 80-bit number of IEEE 754.

    >>> _extended(bytes.fromhex("400dac44000000000000"))
    22050.0
    """
    exponent, mantissa = struct.unpack(">HQ", ten)
    if exponent >= 0x401E:  # no rate is so high, and no float either
        return 0.0
    return float(mantissa * 2.0 ** ((exponent & 0x7FFF) - 16383 - 63))


def _turned(raw: bytes, width: int) -> bytes:
    """The other byte order."""
    made = bytearray(len(raw))
    for place in range(width):
        made[place::width] = raw[width - 1 - place :: width]
    return bytes(made)
