"""A call's arguments on the wire: always a JSON object, whatever the model once wrote. The same for every wire."""

from __future__ import annotations

import json
import math
from typing import Any

from sam_py.messages.builder import mend_surrogates

UNREADABLE = "invalid_arguments"
"""The key under which arguments go back that were no JSON object: servers refuse them, the model may read them."""


def arguments_object(text: str) -> dict[str, Any]:
    """Return the object that `text` holds; what is none stands whole under `UNREADABLE`.

    Python reads more than JSON is (``NaN``, numbers that are infinite); that counts as no JSON, too.

    >>> arguments_object('{"a": 1}'), arguments_object(""), arguments_object("null"), arguments_object('{"a": NaN}')
    ({'a': 1}, {}, {}, {'invalid_arguments': '{"a": NaN}'})
    >>> arguments_object('{"path": "fo'), arguments_object("[1]")
    ({'invalid_arguments': '{"path": "fo'}, {'invalid_arguments': [1]})
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return {UNREADABLE: mend_surrogates(text)}
    if value is None:
        return {}
    value = _mended(value)
    return value if isinstance(value, dict) else {UNREADABLE: value}


def arguments_text(text: str) -> str:
    """Return the object as JSON text: `text` itself, character by character, where it holds one.

    >>> arguments_text('{ "a": 1 }'), arguments_text(""), arguments_text("oops")
    ('{ "a": 1 }', '{}', '{"invalid_arguments": "oops"}')
    """
    value = arguments_object(text)
    is_sound = bool(value) and UNREADABLE not in value and not ("\\u" in text and _has_half_characters(text))
    if is_sound or text.strip() == "{}":
        return mend_surrogates(text)
    return json.dumps(value, ensure_ascii=False)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} has no place in a number")
    return value


def _has_half_characters(text: str) -> bool:
    """Whether escapes in `text` make half a character (a lone surrogate)."""
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _mended(value: Any) -> Any:
    match value:
        case str():
            return mend_surrogates(value)
        case dict():
            return {mend_surrogates(key): _mended(inner) for key, inner in value.items()}
        case list():
            return [_mended(inner) for inner in value]
        case _:
            return value
