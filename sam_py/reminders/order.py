"""compose: all reminders of a request, in their one order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sam_py.bus.reader import ConversationReader
from sam_py.messages.message import Message
from sam_py.messages.usage import ReminderReceipt
from sam_py.transcript.tokens import text_tokens

Source = Callable[[ConversationReader, Sequence[Message]], str]
"""(conversation, the messages that are sent) → the reminder's text with its own tag, or "" where there is nothing."""

ORDER = ("mini_prompts", "todo_list", "documents")
"""What stands first in a request. What is named here alone is composed."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """One piece of a request; `kind` is one of `ORDER`. Never stored."""

    kind: str
    text: str

    @property
    def receipt(self) -> ReminderReceipt:
        """That it was sent: which, a hash of it, and about how many tokens it was."""
        digest = hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()[:16]
        return ReminderReceipt(kind=self.kind, hash=digest, tokens=round(text_tokens(self.text)))


class Reminders:
    """Composes from `sources`, by kind. One object serves all conversations."""

    def __init__(self, **sources: Source) -> None:
        unknown = set(sources) - set(ORDER)
        if unknown:
            raise ValueError(f"there is no place in the order for {', '.join(sorted(unknown))}")
        self._sources = sources

    def compose(self, conversation: ConversationReader, messages: Sequence[Message]) -> tuple[Reminder, ...]:
        """What the next request of `conversation` reminds of; those with nothing to say are not there."""
        composed = []
        for kind in ORDER:
            source = self._sources.get(kind)
            text = source(conversation, messages).strip() if source is not None else ""
            if text:
                composed.append(Reminder(kind, text))
        return tuple(composed)
