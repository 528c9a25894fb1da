"""Streams as no server should send them: cut, flipped, reordered, huge, of wrong types, no UTF-8. Seeded."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

_LINE = b"\n"
_DEEP = "[" * 3000
_STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1.5,
    10**30,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\ud83c",
    "\udf89 half",
    "\x00\u2028\ufffe",
    "x" * 5_000,
    [],
    {},
    [[]],
    [None],
    [1, "a", {}],
    {"text": 1},
    {"": {}},
    {"type": "x" * 300},
)
_RAW = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n\r\n",
    b"\n\n",
    b":\n",
    b"data:\n\n",
    b"data: [DONE]\n\n",
    b"event: error\n",
    b"<html>",
    b"{",
    b"}",
    b"]",
    b'"',
    b"\\",
    b"null\n",
    b"data: null\n\n",
    b'data: {"error": null}\n\n',
    b'data: {"error": {"message": {"a": 1}, "code": [1]}}\n\n',
    b'{"error": "no"}\n',
    b"data: " + _DEEP.encode() + b"\n\n",
    _DEEP.encode() + b"\n",
)


def mutated(stream: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """`stream` after one to four accidents."""
    for _ in range(chance.randint(1, 4)):
        stream = chance.choice(_ACCIDENTS)(stream, chance, others)
    return stream[:3_000_000]


def pieces(stream: bytes, chance: Random) -> list[bytes]:
    """`stream` as a network might cut it: in one, in some, or byte by byte at its end."""
    match chance.randrange(3):
        case 0:
            return [stream]
        case 1:
            head = max(0, len(stream) - 200)
            return [stream[:head], *(stream[at : at + 1] for at in range(head, len(stream)))]
    cuts = sorted(chance.randrange(len(stream) + 1) for _ in range(12))
    return [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


_Accident = Callable[[bytes, Random, Sequence[bytes]], bytes]


def _cut(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    return stream[: chance.randrange(len(stream) + 1)]


def _flip(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    changed = bytearray(stream)
    for _ in range(chance.randint(1, 8) if changed else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _insert(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    place = chance.choice([0, len(stream), chance.randrange(len(stream) + 1)])
    return stream[:place] + chance.choice(_RAW) + stream[place:]


def _reorder(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    blocks = stream.split(b"\n\n") if b"\n\n" in stream else stream.split(_LINE)
    glue = b"\n\n" if b"\n\n" in stream else _LINE
    match chance.randrange(4):
        case 0:
            chance.shuffle(blocks)
        case 1:
            del blocks[chance.randrange(len(blocks))]
        case 2:
            blocks.insert(chance.randrange(len(blocks) + 1), chance.choice(blocks))
        case _:
            blocks.reverse()
    return glue.join(blocks)


def _splice(stream: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    other = chance.choice(others)
    return stream[: chance.randrange(len(stream) + 1)] + other[chance.randrange(len(other) + 1) :]


def _repeat(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    if not stream:
        return stream
    start = chance.randrange(len(stream))
    piece = stream[start : start + chance.choice([1, 50, 2_000])]
    return stream[:start] + piece * chance.choice([2, 20, 200_000 // len(piece) + 1]) + stream[start:]


def _line_ends(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    return stream.replace(b"\r\n", b"\n").replace(b"\n", chance.choice([b"\r", b"\r\n", b"\n\r", b"\n\n"]))


def _retype(stream: bytes, chance: Random, _others: Sequence[bytes]) -> bytes:
    """Something inside of one JSON value becomes another type, goes, moves up or gets very long."""
    lines = stream.split(_LINE)
    places = [place for place, line in enumerate(lines) if b"{" in line]
    if not places:
        return stream
    place = chance.choice(places)
    head, brace, tail = lines[place].partition(b"{")
    try:
        value = json.loads(brace + tail)
    except (ValueError, RecursionError):
        return stream
    lines[place] = head + json.dumps(_changed(value, chance)).encode()
    return _LINE.join(lines)


def _changed(value: Any, chance: Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        match chance.randrange(8):
            case 0:
                return {name: each for name, each in value.items() if name != key}
            case 1:
                return {**value, chance.choice(["type", "index", "id", "error", "usage", "content"]): value[key]}
            case _:
                return {**value, key: _changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        match chance.randrange(5):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return value + value[place:] * 3
            case _:
                return [*value[:place], _changed(value[place], chance), *value[place + 1 :]]
    if isinstance(value, str) and chance.random() < 0.2:
        return value * chance.choice([2, 5_000])
    return chance.choice(_STRANGE)


_ACCIDENTS: tuple[_Accident, ...] = (
    _cut,
    _flip,
    _insert,
    _reorder,
    _splice,
    _repeat,
    _line_ends,
    _retype,
    _retype,
    _retype,
    _retype,
)
