"""Attached documents as a model is shown them: their text, cut to a budget, or the file itself where it is taken. Pure.

The same document and budget give the same text, byte for byte: so the prefix of requests stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.documents import Document, DocumentKind, document_kind
from sam_py.messages.parts import FilePart, TextPart
from sam_py.messages.turn import Limits

MOST_TOKENS = 30_000
"""Of one document in a request; the rest is read by the tool."""
_SHARE = 4
"""One document takes at most such a part of a model's window."""
_LEAST_TOKENS = 500
NATIVE_PAGES = 100
"""Services take PDFs up to so many pages; longer ones go out as their text."""
_FRAME_TOKENS = 40
_LINE = 2_000
"""So far back a cut looks for the end of a line."""
_QUOTES = str.maketrans('"<>', "'()")
_END = re.compile(r"</(?=\s*file\b)", re.IGNORECASE)
KINDS: dict[DocumentKind, str] = {
    "pdf": "PDF",
    "docx": "Word document",
    "xlsx": "Excel workbook",
    "pptx": "PowerPoint presentation",
    "epub": "EPUB book",
    "html": "web page",
    "csv": "table",
}


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What stands in a request for one document: `head` and `body`, about `tokens` of them."""

    head: str
    body: str
    tokens: float
    is_whole: bool = True


DocumentTexts = Mapping[str, DocumentText]
"""By content hash. Documents that are not in it go out as files, or as their names."""


def goes_as_file(part: FilePart, limits: Limits, document: Document | None) -> bool:
    """True where a model is shown the file itself: a PDF that it takes, and that is not too long for that."""
    if not limits.pdfs or document_kind(part.mime_type, part.size) != "pdf":
        return False
    return document is None or document.pages <= NATIVE_PAGES or not document.has_text


def budget_of(window: int | None, together: int = 1) -> int:
    """How many tokens one of the documents that came `together` may take in a window of so many (None: not known).

    They share half of it, so that the question itself, and what came before, have room.

    >>> budget_of(None), budget_of(8_192), budget_of(1_000_000), budget_of(128_000, together=8)
    (30000, 2048, 30000, 8000)
    """
    if window is None:
        return MOST_TOKENS
    return max(_LEAST_TOKENS, min(MOST_TOKENS, window // _SHARE, window // 2 // together))


def text_of(document: Document, budget: int) -> DocumentText:
    """The document's text, or as much of its beginning as `budget` tokens hold, with a word on the rest."""
    from sam_py.transcript.tokens import text_tokens  # which counts documents, too

    text = _END.sub("<\\\\/", mend_surrogates(document.markdown))
    head = f' kind="{KINDS[document.kind]}"'
    if document.pages:
        head += f' parts="{document.pages}"'
    if document.title:
        head += f' title="{_quotable(document.title)}"'
    notes = "".join(f"[{note}]\n" for note in document.notes)
    if not document.has_text:
        return DocumentText(head, f"{notes}[There is no text in this document.]", _FRAME_TOKENS)
    tokens = text_tokens(text)
    if tokens <= budget:
        return DocumentText(head, f"{notes}{text}", tokens + _FRAME_TOKENS)
    end = max(1, int(len(text) * budget / tokens))
    while end > 100 and text_tokens(text[:end]) > budget:
        end = end * 9 // 10
    line = text.rfind("\n", max(0, end - _LINE), end)
    end = line if line > 0 else end
    label = document.label_at(end)
    where = f", from within {label} on," if label else ""
    rest = (
        f"\n[The rest{where} is left out: {len(text) - end:,} of {len(text):,} characters. "
        f"The tool read_document reads it, from offset {end}, and finds words in it.]"
    )
    return DocumentText(head, f"{notes}{text[:end]}{rest}", text_tokens(text[:end]) + 2 * _FRAME_TOKENS, False)


def unreadable(sentence: str) -> DocumentText:
    """What stands for a document whose text cannot be had; `sentence` says why."""
    return DocumentText("", f"[Its text cannot be shown: {sentence}]", _FRAME_TOKENS)


def as_part(part: FilePart, text: DocumentText) -> TextPart:
    """`text` under the name of the file."""
    name = _quotable(part.filename) or "file"
    return TextPart(text=mend_surrogates(f'<file name="{name}"{text.head}>\n{text.body}\n</file>'))


def _quotable(text: str) -> str:
    """
    >>> _quotable('a "b"\\n<c>')
    "a 'b' (c)"
    """
    return " ".join(text.split()).translate(_QUOTES)
