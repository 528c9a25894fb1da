"""Pins of a stored conversation: those that somebody chose, told from those that come with the first messages."""

from __future__ import annotations

import re

from sam_py.bus.loaded import LoadedHistory, StoredMessage
from sam_py.store.lines import MessageRecord

_MAY_BE_PINNED = re.compile(rb'"pinned"\s*:\s*true')


def count_chosen_pins(history: LoadedHistory, auto_pin: int) -> int:
    """How many messages are pinned, on all branches, but for the user's first `auto_pin`, which are so unasked.

    Of those first ones only that counts which was added unpinned and pinned later. D-044
    """
    users: dict[str | None, int] = {None: 0}
    """How many messages of the user stand from the first one to this."""
    count = 0
    for message in history.messages:  # parents before children
        above = users.get(message.parent_id, 0)
        users[message.id] = above + (message.role == "user")
        note = history.annotations.get(message.id)
        said = note.pinned if note is not None else None
        if message.role == "user" and above < auto_pin:
            count += said is True and not _was_added_pinned(message)
        else:
            count += _was_added_pinned(message) if said is None else said
    return count


def _was_added_pinned(message: StoredMessage) -> bool:
    """Parses it only where its line can say so: a tenth of a millisecond each."""
    if isinstance(message, MessageRecord) and not _MAY_BE_PINNED.search(message.line):
        return False
    return message.load().pinned
