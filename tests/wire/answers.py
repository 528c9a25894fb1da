"""Replies as the decoders of all wires make them from streams that we wrote: with real signatures, calls, pictures."""

from __future__ import annotations

from functools import cache

from sam_py.messages.message import AssistantMessage
from sam_py.providers.accumulate import fold
from tests.wire.streams import STREAMS, Answer
from tests.wire.wires import NAMES, wire_of

_CALLS = [("read_file", {"path": "foo.ts"}), ("search", {"q": "ünï"}), ("search", {})]
_SAID = [
    Answer(1, "I look.", calls=_CALLS[:1]),
    Answer(2, "I look twice.", text="Looking.", calls=_CALLS),
    Answer(3, "Done.", text="Here it is. 🎉"),
    Answer(4, "Only thinking."),
]


@cache
def own_replies() -> tuple[AssistantMessage, ...]:
    """Replies of every wire that there is."""
    replies = []
    for (name, service), stream in STREAMS.items():
        if name not in NAMES:
            continue
        for answer in _SAID:
            decoder = wire_of(name, service).decoder()
            events = decoder.feed(stream(answer)) + decoder.close()
            replies.append(fold(events, provider=f"{name}/{service}", model="m"))
    return tuple(replies)
