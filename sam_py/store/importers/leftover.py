"""What is left of a block: what it says beside what its part holds is kept with the message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sam_py.store.importers.found import fields_of, text_of, without


def left_of(blocks: Iterable[Any], read: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """What of each block is in none of its parts, with the block's place.

    `read` says for each type that is known which fields are; a block of another type comes in whole.

    >>> left_of([{"type": "text", "text": "Yes", "citations": [1]}, {"type": "new", "x": 1}], {"text": ("text",)})
    [{'block': 0, 'type': 'text', 'citations': [1]}]
    """
    left: list[dict[str, Any]] = []
    for place, block in enumerate(map(fields_of, blocks)):
        kind = text_of(block.get("type"))
        if kind in read and (rest := without(block, "type", *read[kind])):
            left.append({"block": place, "type": kind, **rest})
    return left


def left_of_call(call: Mapping[str, Any], function: Mapping[str, Any], *read: str) -> dict[str, Any]:
    """What of a tool's call is in none of its parts; `function` is the member that holds its name and arguments."""
    names = ("id", "type", "name", "arguments", "args", "input", *read)
    rest = without({key: value for key, value in call.items() if value is not function}, *names)
    asked = without(function, *names) if function is not call else {}
    return rest | ({"asked": asked} if asked else {})


def plain(pieces: Any) -> Any:
    """The text of what is a list of texts and says no more; all else as it is.

    >>> plain([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])
    'a\\nb'
    """
    each = [fields_of(piece) for piece in pieces] if isinstance(pieces, list) else []
    is_text = each and all(text_of(piece.get("text")) and not without(piece, "type", "text") for piece in each)
    return "\n".join(piece["text"] for piece in each) if is_text else pieces
