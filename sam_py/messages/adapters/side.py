"""The side field of foreign forms: what they cannot hold, and nothing that they can."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from sam_py.messages.message import Message, message_adapter

log = logging.getLogger(__name__)

SIDE = "sam"
"""The key of the side field: fields of the message, by name, that the foreign form alone would read otherwise."""


def side_of(message: Message, read_back: Message) -> dict[str, Any]:
    """The fields of `message` that are lost in `read_back`, which was made of the foreign form alone."""
    own = message.model_dump(mode="json")
    if message.role != read_back.role:
        return own
    other = read_back.model_dump(mode="json")
    return {field: value for field, value in own.items() if field not in other or other[field] != value}


def restored(read_back: Message, side: object, says_the_same: Callable[[Message], bool]) -> Message:
    """`read_back` with what `side` holds.

    Where somebody changed the foreign form meanwhile, `says_the_same` is false of the result, and the
    form's own content holds: only the rest of `side` is taken.
    """
    if not isinstance(side, dict):
        return read_back
    try:
        message = _merged(read_back, side)
        if says_the_same(message):
            return message
        return _merged(read_back, {field: side[field] for field in side if field != "parts"})
    except ValueError as error:
        log.warning("the side field of a foreign message is unusable: %s", error)
        return read_back


def _merged(read_back: Message, side: dict[str, Any]) -> Message:
    if side.get("role", read_back.role) != read_back.role:
        return message_adapter.validate_python(side if "parts" in side else {**side, "parts": read_back.parts})
    return message_adapter.validate_python({**read_back.model_dump(mode="json"), **side})
