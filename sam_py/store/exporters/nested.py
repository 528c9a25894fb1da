"""JSON that nests deeper than Python's own reader and writer go: read and written without recursion.

Real files need it: LibreChat's nested export of a talk of 500 messages is a thousand levels deep.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def parse(text: str, at: int = 0) -> tuple[Any, int]:
    """The value that begins at `at`, and where it ends. As `json.JSONDecoder.raw_decode`, several times slower.

    Raises json.JSONDecodeError, ValueError for a number of more digits than Python takes.

    >>> parse('[{"a": [1, "b"]}, []] rest')
    ([{'a': [1, 'b']}, []], 21)
    """
    root: list[Any] = []
    stack: list[tuple[Any, str | None]] = [(root, None)]
    while True:
        holder, key = stack[-1]
        at = _blank(text, at)
        sign = text[at : at + 1]
        if sign and sign in "[{":
            value: Any = [] if sign == "[" else {}
            _put(holder, key, value)
            at = _blank(text, at + 1)
            if text[at : at + 1] != ("]" if sign == "[" else "}"):
                stack.append((value, None))
                if sign == "{":
                    at = _key(text, at, stack)
                continue
            at += 1
        else:
            value, at = _DECODER.raw_decode(text, at)
            _put(holder, key, value)
        while len(stack) > 1:  # what comes behind a value: the next one, or the end of what holds it
            at = _blank(text, at)
            sign, holder = text[at : at + 1], stack[-1][0]
            if sign == ",":
                at = _key(text, at + 1, stack) if isinstance(holder, dict) else at + 1
                break
            if sign != ("}" if isinstance(holder, dict) else "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            stack.pop()
            at += 1
        else:
            return root[0], at


def written(value: object, fields: Callable[[object], object] = str) -> str:
    """`value` as our exports write it, however deep; `fields` says what stands for what JSON does not know.

    >>> written({"a": [1, {"ü": None}]})
    '{"a":[1,{"ü":null}]}'
    """
    pieces: list[str] = []
    waiting: list[tuple[bool, object]] = [(False, value)]
    while waiting:
        is_text, each = waiting.pop()
        if is_text:
            pieces.append(str(each))
        elif isinstance(each, dict):
            pieces.append("{")
            inner: list[tuple[bool, object]] = []
            for name, member in each.items():
                inner += [(True, f"{',' if inner else ''}{_dumped(str(name))}:"), (False, member)]
            waiting += [(True, "}"), *reversed(inner)]
        elif isinstance(each, list | tuple):
            pieces.append("[")
            inner = []
            for member in each:
                inner += [(True, ","), (False, member)] if inner else [(False, member)]
            waiting += [(True, "]"), *reversed(inner)]
        elif each is None or isinstance(each, str | int | float):
            pieces.append(_dumped(each))
        else:
            waiting.append((False, fields(each)))
    return "".join(pieces)


def is_deeper_than(value: object, levels: int) -> bool:
    """Whether lists and objects nest in `value` more than `levels` deep.

    >>> is_deeper_than([[1]], 2), is_deeper_than({"a": [[1]]}, 2)
    (False, True)
    """
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        if not level:
            return False
        level = [inner for each in level for inner in _inner(each) if isinstance(inner, dict | list)]
    return bool(level)


def _inner(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _key(text: str, at: int, stack: list[tuple[Any, str | None]]) -> int:
    """Read a member's name and its colon; its value is what comes next."""
    at = _blank(text, at)
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    name, at = _DECODER.raw_decode(text, at)
    at = _blank(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    stack[-1] = (stack[-1][0], name)
    return at + 1


def _put(holder: Any, key: str | None, value: Any) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    else:
        holder.append(value)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
