"""SentBodies: the last requests of each conversation as they travelled, in memory alone; headers are never kept."""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

_REQUESTS = 4
_REQUESTS_BYTES = 4 << 20
"""Of a conversation, in all: the rounds of a tool loop are looked at one after another. The last one is always kept."""
_CONVERSATIONS = 4


@dataclass(frozen=True, slots=True)
class SentBody:
    """`content` is the body of one HTTP request, byte for byte; `address` is where it went, without anything secret."""

    content: bytes = field(repr=False)
    address: str
    label: str
    model: str
    at: datetime
    number: int
    """The how many-th of all that were sent: none has it twice."""


class SentBodies:
    """The bodies of requests that were sent for conversations, the ones sent last."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, deque[SentBody]] = OrderedDict()
        self._numbers = itertools.count(1)

    def note(self, conversation_id: str, content: bytes, *, address: str, label: str, model: str) -> None:
        """A request goes out. One that is sent again, byte for byte the same, is one."""
        sent = self._of.setdefault(conversation_id, deque(maxlen=_REQUESTS))
        self._of.move_to_end(conversation_id)
        if sent and sent[-1].content == content:
            sent.pop()
        sent.append(SentBody(content, _plain(address), label, model, datetime.now(UTC), next(self._numbers)))
        while len(sent) > 1 and sum(len(each.content) for each in sent) > _REQUESTS_BYTES:
            sent.popleft()
        while len(self._of) > _CONVERSATIONS:
            self._of.popitem(last=False)

    def of(self, conversation_id: str) -> tuple[SentBody, ...]:
        """What was sent for a conversation, oldest first; empty where nothing was, or others were asked since."""
        return tuple(self._of.get(conversation_id, ()))

    def forget(self, conversation_id: str) -> None:
        """The conversation is deleted."""
        self._of.pop(conversation_id, None)


def _plain(address: str) -> str:
    """Without query, name and password.

    >>> _plain("https://me:secret@host:8080/v1/chat?key=abc")
    'https://host:8080/v1/chat'
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
