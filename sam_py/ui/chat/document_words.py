"""What a document holds, in words: "12 pages", "3,450 words"."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.messages.documents import Document


def document_facts(document: Document) -> tuple[str, ...]:
    """How many pages (or sheets, slides, chapters) and words there are; what is none is not named."""
    facts = []
    if document.pages:
        one, many = _parts_of(document)
        facts.append(_counted(document.pages, one, many))
    if document.has_text:
        facts.append(_counted(document.words, _tr("%1 word"), _tr("%1 words")))
    return tuple(facts)


def _parts_of(document: Document) -> tuple[str, str]:
    match document.kind:
        case "xlsx":
            return _tr("%1 sheet"), _tr("%1 sheets")
        case "pptx":
            return _tr("%1 slide"), _tr("%1 slides")
        case "epub":
            return _tr("%1 chapter"), _tr("%1 chapters")
        case _:
            return _tr("%1 page"), _tr("%1 pages")


def _counted(number: int, one: str, many: str) -> str:
    return (one if number == 1 else many).replace("%1", QLocale().toString(number))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Document", text)
