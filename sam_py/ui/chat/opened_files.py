"""Opening a file of a message: its text is fetched, then shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from sam_py.errors import SamError
from sam_py.messages.documents import Document
from sam_py.messages.parts import FilePart
from sam_py.store.library import Library
from sam_py.transcript.attached import is_text_file
from sam_py.ui.chat.attachments_sniff import text_encoding
from sam_py.ui.chat.row_context import RowContext

if TYPE_CHECKING:
    from sam_py.ui.library.passages import Passage

_AIR_CHARACTERS = 10_000
"""So much is to be seen behind a passage."""


async def open_file(
    part: FilePart,
    library: Library,
    context: RowContext,
    parent: QWidget,
    tell: Callable[[str], None],
    passage: Passage | None = None,
) -> None:
    """Show the text of `part`, which was taken out when it was attached. `tell` brings a trouble as a sentence.

    `passage`: what a search found in it is in view, and marked.
    """
    from sam_py.ui.chat.document_viewer import DocumentViewer

    document: Document | None = None
    text = ""
    try:
        document = await library.documents.of(part)
        if document is not None:
            text = document.markdown
        elif is_text_file(part):
            data = await library.attachments.read(part.attachment)
            text = data.decode(text_encoding(data) or "utf-8", "replace")
    except SamError as error:
        tell(str(error))
    path = library.attachments.path(part.attachment)
    if path is None and not text:
        return  # that it is missing was said
    begins_at = await asyncio.to_thread(_beginning, text, passage) if passage is not None else 0
    viewer = DocumentViewer(part, text, path, context, parent, document=document, begins_at=begins_at)
    viewer.failed.connect(tell)
    if passage is not None:
        viewer.text.setFocus()  # before it is on screen: the field would keep its caret
    viewer.open()
    if passage is not None:
        viewer.show_passage(passage)


def _beginning(text: str, passage: Passage) -> int:
    """From which character on a text is shown that is too long to be shown whole, for the passage to be in it."""
    from sam_py.ui.chat.document_viewer import SHOWN_CHARACTERS
    from sam_py.ui.library.passages import place_in

    place = place_in(text, passage) if len(text) > SHOWN_CHARACTERS else None
    if place is None or place < SHOWN_CHARACTERS - _AIR_CHARACTERS:
        return 0
    return text.rfind("\n", 0, place - SHOWN_CHARACTERS // 2) + 1
