"""Talks without ids: which conversation a list of messages goes on with, and what its messages are called.

The same talk, longer, adds what is new to the conversation that it came in as; another talk stays apart, also one
that begins alike (a system prompt, a greeting). So a conversation is called after all that was in it when it came
in, and a message after all that was said up to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from sam_py.bus.tree import MessageTree
from sam_py.messages.message import Message
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.lossless import canonical
from sam_py.store.importers.content import said
from sam_py.store.importers.found import stable_id


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation's id, and those of its messages, one for each that was given."""

    id: str
    messages: tuple[str, ...]


def talk_of(
    key: str, messages: Sequence[Message], known: Container[str], read: Callable[[str], StoredConversation]
) -> Talk:
    """What messages are called, one below the other: at least one.

    `known` are the ids of the conversations that are here, `read` gives one of them. Cost: one look-up a message, and
    the reading of a conversation that the talk goes on with.
    """
    marks: list[str] = []
    for message in messages:
        marks.append(_mark(marks[-1] if marks else "", message))
    for number in range(len(marks), 0, -1):
        id = stable_id(key, "talk", marks[number - 1])
        if id not in known or all(message.role in ("system", "developer") for message in messages[:number]):
            continue
        names = tuple(stable_id(id, mark) for mark in marks)
        if number == len(marks) or not _went_elsewhere(read(id), names, marks):
            return Talk(id, names)
    id = stable_id(key, "talk", marks[-1])
    return Talk(id, tuple(stable_id(id, mark) for mark in marks))


def _went_elsewhere(conversation: StoredConversation, names: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether another talk goes on in `conversation` where this one does otherwise. What was said here is none."""
    tree: MessageTree = conversation.tree
    shared = 0
    while shared < len(names) and names[shared] in tree.nodes:
        shared += 1
    if shared in (0, len(names)):
        return False
    below = tree.children(names[shared - 1])
    return any(
        child == stable_id(conversation.id, _mark(marks[shared - 1], conversation.message(child))) for child in below
    )


def _mark(before: str, message: Message) -> str:
    """What stands for all that was said up to `message`. Ids of calls may be made anew at each reading."""
    role, _call, output, parts = said(message.model_dump(mode="json"))
    content = [{key: value for key, value in part.items() if key != "call_id"} for part in parts]
    return hashlib.sha256(canonical([before, role, output, content])).hexdigest()
