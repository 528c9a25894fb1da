"""The documents of a conversation, made ready for a request: read before it is planned, so that their tokens count."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence

from sam_py.errors import SamError
from sam_py.messages.documents import Document, document_kind
from sam_py.messages.message import Message
from sam_py.messages.parts import FilePart
from sam_py.messages.turn import Limits
from sam_py.transcript.documents import DocumentText, DocumentTexts, budget_of, goes_as_file, text_of, unreadable

log = logging.getLogger(__name__)

ReadDocument = Callable[[FilePart], Awaitable[Document | None]]
"""Returns the document that an attached file is; None where it is none. Raises SamError where it cannot be read."""

_REMEMBERED = 64


class ConversationDocuments:
    """Remembers the texts that were sent: a document is cut once, and then again only for another budget."""

    def __init__(self, read: ReadDocument | None = None) -> None:
        self._read = read
        self._texts: dict[tuple[str, int], DocumentText] = {}

    async def texts(self, messages: Sequence[Message], limits: Limits, window: int | None) -> DocumentTexts:
        """What stands for each document in `messages` that the model is not shown as a file."""
        if self._read is None:
            return {}
        texts: dict[str, DocumentText] = {}
        for message in messages:
            parts = _documents(message)
            budget = budget_of(window, len(parts)) if parts else 0
            for part in parts:
                if part.attachment not in texts and (text := await self._text(part, limits, budget)) is not None:
                    texts[part.attachment] = text
        return texts

    async def _text(self, part: FilePart, limits: Limits, budget: int) -> DocumentText | None:
        assert self._read is not None
        try:
            document = await self._read(part)
        except SamError as error:
            log.info("a document is sent without its text: %s", error)
            return None if goes_as_file(part, limits, None) else unreadable(str(error))
        if document is None or goes_as_file(part, limits, document):
            return None
        key = part.attachment, budget
        if key not in self._texts:
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            self._texts[key] = text_of(document, budget)
        return self._texts[key]


def _documents(message: Message) -> list[FilePart]:
    return [
        part
        for part in message.parts
        if type(part) is FilePart and part.attachment and document_kind(part.mime_type, part.size) is not None
    ]
