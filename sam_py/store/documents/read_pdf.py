"""PDF: the text of each page, in the order in which it is drawn; lines of aligned cells become tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sam_py.store.documents.limits import MOST_PAGES, Gathering, Unreadable
from sam_py.store.documents.pdf_tables import with_tables

# PDFium writes a hyphen that only breaks a word at the end of a line as U+FFFE or U+0002.
_BROKEN_WORD = re.compile("[\ufffe\x02]\n?")
_LEADERS = re.compile(r"(?: ?[.·]){5,}")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_WRONG_PASSWORD = 4
"""FPDF_ERR_PASSWORD, public/fpdfview.h of PDFium."""


def read(path: Path, gathering: Gathering) -> None:
    """Gather the pages. A page that is damaged, or holds only pictures, is counted in a note."""
    # PDFium reads what Chrome reads, 20 to 50 times faster than the readers written in Python.  # D-027
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        locked = getattr(error, "err_code", None) == _WRONG_PASSWORD
        raise Unreadable("password" if locked else "damaged", str(error)) from error
    gathering.title = pdf.get_metadata_value("Title")[:300]
    gathering.pages = len(pdf)
    if gathering.pages > MOST_PAGES:
        gathering.note(f"It has {gathering.pages:,} pages; only the first {MOST_PAGES:,} are read.")
    pictures: list[int] = []
    damaged: list[int] = []
    try:
        for number in range(1, min(gathering.pages, MOST_PAGES) + 1):
            gathering.progress(number - 1, gathering.pages)
            try:
                text = _page_text(pdf, number - 1)
            except pypdfium2.PdfiumError:
                damaged.append(number)
                continue
            if not text.strip():
                pictures.append(number)
            gathering.add(f"Page {number}", text)
    finally:  # also where a limit ends it
        _tell_of(gathering, pictures, "holds no text: it may be a picture", "hold no text: they may be pictures")
        _tell_of(gathering, damaged, "is damaged", "are damaged")


def _page_text(pdf: Any, index: int) -> str:
    page = pdf[index]
    try:
        words = page.get_textpage()
        try:
            text: str = with_tables(words)
        finally:
            words.close()
    finally:
        page.close()
    text = _LEADERS.sub(" …", text)
    text = _BROKEN_WORD.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROLS.sub("", text)


def _tell_of(gathering: Gathering, pages: list[int], one: str, many: str) -> None:
    if len(pages) == 1:
        gathering.note(f"Page {pages[0]} {one}.")
    elif pages and len(pages) == gathering.pages:
        gathering.note(f"All {len(pages):,} pages {many}.")
    elif pages:
        gathering.note(f"{len(pages):,} pages {many}: {_listed(pages)}.")


def _listed(pages: list[int]) -> str:
    """
    >>> _listed([3, 4, 5, 9]), _listed(list(range(1, 100, 2)))
    ('3–5, 9', '1, 3, 5, 7, 9, 11, 13, 15 and others')
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and runs[-1][-1] == page - 1:
            runs[-1] = [runs[-1][0], page]
        else:
            runs.append([page])
    shown = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs[:8]]
    return ", ".join(shown) + (" and others" if len(runs) > 8 else "")
