"""Call ids on the wire: what a service refuses is translated, always the same way, so that pairs stay pairs."""

from __future__ import annotations

import hashlib
import re
import uuid
from typing import Literal

IdForm = Literal["any", "openai", "responses", "mistral", "anthropic"]

_OPENAI = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")
_UP_TO_64 = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_RESPONSES = re.compile(r"[!-~]{1,64}\Z")  # its specification names no letters
_MISTRAL = re.compile(r"[A-Za-z0-9]{9}\Z")
_OWN = "call_sam_"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def wire_id(call_id: str, form: IdForm) -> str:
    """Return `call_id` as a service takes it: unchanged where it fits, else a digest of it.

    OpenAI takes at most 40 characters, 64 on Responses; Anthropic 64 (Bedrock says so; Anthropic names no
    limit); Mistral exactly nine letters or digits.

    >>> wire_id("call_1", "openai"), wire_id("a1B2c3D4e", "mistral")
    ('call_1', 'a1B2c3D4e')
    >>> len(wire_id("call_1", "mistral")), wire_id("call_1", "mistral") == wire_id("call_1", "mistral")
    (9, True)
    """
    match form:
        case "any":
            return call_id
        case "openai":
            return call_id if _OPENAI.match(call_id) else "call_" + _digest(call_id, 24)
        case "anthropic":
            return call_id if _UP_TO_64.match(call_id) else "toolu_" + _digest(call_id, 24)
        case "responses":
            return call_id if _RESPONSES.match(call_id) else "call_" + _digest(call_id, 24)
        case "mistral":
            return call_id if _MISTRAL.match(call_id) else _digest(call_id, 9)


def new_own_id() -> str:
    """An id for a call that the service gave none."""
    return _OWN + uuid.uuid4().hex[:20]


def is_own_id(call_id: str) -> bool:
    """Whether `call_id` was made here, so that the service that wrote the call knows nothing of it.

    >>> is_own_id(new_own_id()), is_own_id("call_1")
    (True, False)
    """
    return call_id.startswith(_OWN)


def _digest(text: str, length: int) -> str:
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest(), "big")
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)
