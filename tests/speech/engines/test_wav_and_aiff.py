"""Samples out of files and streams, in every kind that a system or a server writes."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.speech.base import Clip
from sam_py.speech.engines.aiff import clip_of_aiff
from sam_py.speech.engines.wav import WavError, WavReader, clip_of_wav

VALUES = (0, 1000, -1000, 32767, -32768)


def wav(body: bytes, *, kind: int = 1, bits: int = 16, channels: int = 1, size: int | None = None) -> bytes:
    frame = channels * bits // 8
    told = struct.pack("<HHIIHH", kind, channels, 24000, 24000 * frame, frame, bits)
    if kind == 0xFFFE:
        told += struct.pack("<HHI", 22, bits, 0) + struct.pack("<H", 1) + bytes(14)
    parts = b"WAVE" + b"LIST" + struct.pack("<I", 3) + b"abc\0" + b"fmt " + struct.pack("<I", len(told)) + told
    parts += b"data" + struct.pack("<I", len(body) if size is None else size) + body
    return b"RIFF" + struct.pack("<I", len(parts)) + parts


def packed(bits: int, order: str = "<") -> bytes:
    match bits:
        case 8:
            return bytes((value >> 8) + 128 for value in VALUES)
        case 16:
            return struct.pack(f"{order}5h", *VALUES)
        case 24:
            whole = [struct.pack(f"{order}i", value << 16) for value in VALUES]
            return b"".join(each[1:] if order == "<" else each[:3] for each in whole)
    return struct.pack(f"{order}5i", *(value << 16 for value in VALUES))


def values(clip: Clip) -> list[int]:
    return list(struct.unpack(f"<{len(clip.samples) // 2}h", clip.samples))


@given(st.lists(st.integers(1, 40)), st.sampled_from([None, 0, 0xFFFFFFFF]), st.sampled_from([1, 0xFFFE]))
def test_it_does_not_matter_how_a_stream_was_cut(cuts: list[int], size: int | None, kind: int) -> None:
    sound = bytes(range(200))
    file = wav(sound, size=size, kind=kind, channels=2)
    reader, made = WavReader(), b""
    for cut in cuts:
        made += reader.feed(file[:cut])
        file = file[cut:]
    made += reader.feed(file)
    assert made == sound
    assert (reader.rate_hz, reader.channels) == (24000, 2)


@pytest.mark.parametrize("bits", [8, 16, 24, 32])
def test_samples_of_any_width_become_16_bits(bits: int) -> None:
    made = values(clip_of_wav(wav(packed(bits), bits=bits)))
    assert made == (list(VALUES) if bits > 8 else [0, 768, -1024, 32512, -32768])


def test_floats_become_whole_numbers_and_do_not_overflow() -> None:
    clip = clip_of_wav(wav(struct.pack("<4f", 0.0, 0.5, -3.0, float("nan")), kind=3, bits=32))
    assert values(clip) == [0, 16383, -32767, 0]


def test_what_follows_the_samples_is_no_sound() -> None:
    assert clip_of_wav(wav(b"abcd") + b"LIST\2\0\0\0xy").samples == b"abcd"


@pytest.mark.parametrize(
    "file",
    [b"ID3\4 an mp3 with a tag", wav(b"", kind=7, bits=8), wav(b"", bits=20), wav(b"", channels=90), b"RIFF"],
)
def test_what_is_no_readable_wav_is_refused(file: bytes) -> None:
    with pytest.raises(WavError):
        clip_of_wav(file)


def aiff(body: bytes, bits: int, packing: bytes = b"") -> bytes:
    rate = bytes.fromhex("400dac44000000000000")
    told = struct.pack(">HIH", 1, len(VALUES), bits) + rate + (packing + b"\0\0" if packing else b"")
    parts = (b"AIFC" if packing else b"AIFF") + b"COMM" + struct.pack(">I", len(told)) + told
    parts += b"SSND" + struct.pack(">III", len(body) + 8, 0, 0) + body
    return b"FORM" + struct.pack(">I", len(parts)) + parts


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (aiff(packed(16, ">"), 16), list(VALUES)),
        (aiff(packed(16), 16, b"sowt"), list(VALUES)),
        (aiff(packed(24, ">"), 24, b"NONE"), list(VALUES)),
        (aiff(packed(32, ">"), 32), list(VALUES)),
        (aiff(bytes([0, 3, 0xFC, 127, 128]), 8), [0, 768, -1024, 32512, -32768]),
        (aiff(struct.pack(">2f", 0.5, -1.0), 32, b"fl32"), [16383, -32767]),
    ],
)
def test_the_files_of_macos_are_read(file: bytes, expected: list[int]) -> None:
    clip = clip_of_aiff(file)
    assert (values(clip), clip.rate_hz, clip.channels) == (expected, 22050, 1)


@pytest.mark.parametrize("file", [b"", b"FORM\0\0\0\4AIFF", aiff(b"", 16, b"ima4"), aiff(b"", 13)])
def test_what_is_no_readable_aiff_is_refused(file: bytes) -> None:
    with pytest.raises(WavError):
        clip_of_aiff(file)
