"""Words for places: who said it, where, when, and how much it matters."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime

from sam_py.store.search_index.results import Hit, HitKind, Pin, Place
from sam_py.ui.inspector.words import filled
from sam_py.ui.widgets.plain import one_line

IMPORTANT = 0.85
"""From here on a message is told to be important."""


def who(place: Place) -> str:
    """Who speaks; "" for a conversation as a whole."""
    match place.role:
        case "user":
            return tr("You")
        case "assistant":
            return filled(tr("Assistant, %1"), one_line(place.model)) if place.model else tr("Assistant")
        case "tool":
            return tr("Tool")
        case "developer":
            return tr("Summary")
        case "system":
            return tr("System prompt")
        case _:
            return ""


def found_in(hit: Hit) -> str:
    """In what the words were found, where that is not simply what was said."""
    name = one_line(hit.name)
    if hit.is_similar:
        return ", ".join(filter(None, (tr("Similar in meaning"), kind_of_one("title") if hit.kind == "title" else "")))
    match hit.kind:
        case "title":
            return tr("Title of the conversation")
        case "text":
            return ""
        case "document":
            return ", ".join(filter(None, (name or tr("Attached file"), one_line(hit.label))))
        case _:
            return ", ".join(filter(None, (kind_of_one(hit.kind), name)))


def kind_of_one(kind: HitKind) -> str:
    names: dict[HitKind, str] = {
        "title": tr("Title"), "text": tr("Message"), "code": tr("Code"), "tool": tr("Tool"), "thinking": tr("Thinking"),
        "image": tr("Image"), "file": tr("File"), "link": tr("Link"), "document": tr("Document"),
    }  # fmt: skip
    return names[kind]


def title_of(place: Place) -> str:
    return one_line(place.conversation_title) or tr("New chat")


def importance(place: Place) -> str:
    """How important it is; "" where that is nothing special."""
    if not place.message_id or place.importance < IMPORTANT:
        return ""
    return filled(tr("Importance %1"), QLocale().toString(place.importance, "f", 2))


def scored(pin: Pin) -> str:
    """How important a pinned message is, and the rule that said so."""
    figure = QLocale().toString(pin.place.importance, "f", 2)
    if not pin.rule:
        return filled(tr("Importance %1"), figure)
    return filled(tr("Importance %1 (%2)"), figure, QCoreApplication.translate("Importance", pin.rule))


def when(at: datetime, now: datetime | None = None) -> str:
    """The time of today, the day of this year, or the whole date. `now` is for tests."""
    local = at.astimezone()
    today = (now or datetime.now().astimezone()).astimezone()
    if local.date() == today.date():
        return QLocale().toString(QTime(local.hour, local.minute), QLocale.FormatType.ShortFormat)
    day = QDate(local.year, local.month, local.day)
    if local.year == today.year:
        return QLocale().toString(day, "d MMM")
    return QLocale().toString(day, "d MMM yyyy")


def tr(text: str) -> str:
    return QCoreApplication.translate("Places", text)
