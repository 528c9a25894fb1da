"""Opening a file of a message: its text is fetched, then shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from sam_py.errors import SamError
from sam_py.messages.documents import Document
from sam_py.messages.parts import FilePart
from sam_py.store.library import Library
from sam_py.transcript.attached import is_text_file
from sam_py.ui.chat.attachments_sniff import text_encoding
from sam_py.ui.chat.row_context import RowContext


async def open_file(
    part: FilePart, library: Library, context: RowContext, parent: QWidget, tell: Callable[[str], None]
) -> None:
    """Show the text of `part`, which was taken out when it was attached. `tell` brings a trouble as a sentence."""
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
    viewer = DocumentViewer(part, text, path, context, parent, document=document)
    viewer.failed.connect(tell)
    viewer.open()
