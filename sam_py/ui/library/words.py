"""Words of the library: what kinds and things are called, and what is said of them."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from sam_py.store.search_index.extract import ITEM_KINDS, ItemKind
from sam_py.store.search_index.results import Item
from sam_py.ui.widgets.plain import one_line, tooltip

KIND_ICONS: dict[ItemKind, str] = {
    "image": "image", "code": "code", "file": "file", "link": "link", "document": "text", "tool": "tool",
}  # fmt: skip
assert tuple(KIND_ICONS) == ITEM_KINDS


def number(value: int) -> str:
    return QLocale().toString(value)


def filled(words: str, *values: str) -> str:
    """`words` with ``%1``, ``%2`` … replaced, in one pass: a value may hold such a sign itself.

    >>> filled("%1 of %2", "%2", "9")
    '%2 of 9'
    """
    pieces = words.split("%")
    told = [pieces[0]]
    for piece in pieces[1:]:
        place = int(piece[0]) - 1 if piece[:1].isdigit() else -1
        told.append(values[place] + piece[1:] if 0 <= place < len(values) else f"%{piece}")
    return "".join(told)


def kind_name(kind: ItemKind) -> str:
    names: dict[ItemKind, str] = {
        "image": tr("Images"), "code": tr("Code"), "file": tr("Files"), "link": tr("Links"),
        "document": tr("Documents"), "tool": tr("Tool results"),
    }  # fmt: skip
    return names[kind]


def kind_of_one(kind: ItemKind) -> str:
    names: dict[ItemKind, str] = {
        "image": tr("Image"), "code": tr("Code"), "file": tr("File"), "link": tr("Link"),
        "document": tr("Document"), "tool": tr("Tool result"),
    }  # fmt: skip
    return names[kind]


def nothing_yet(kind: ItemKind) -> tuple[str, str]:
    """What is said where no conversation has such a thing: that, and how it comes to be."""
    words: dict[ItemKind, tuple[str, str]] = {
        "image": (
            tr("No images yet"),
            tr("Pictures that you attach, and those that a model or a tool makes, are gathered here."),
        ),
        "code": (tr("No code yet"), tr("Every block of code in a conversation is gathered here, to be found again.")),
        "file": (
            tr("No files yet"),
            tr("Text files that you attach are gathered here. Drop one on the text box of a conversation."),
        ),
        "link": (tr("No links yet"), tr("Addresses that you or a model write in a conversation are gathered here.")),
        "document": (
            tr("No documents yet"),
            tr("PDF, Word, Excel, PowerPoint and EPUB files that you attach are gathered here."),
        ),
        "tool": (
            tr("No tool results yet"),
            tr("What tools find out for a model is gathered here: pages read, files searched, sums done."),
        ),
    }
    return words[kind]


def shown_name(item: Item) -> str:
    """What a thing is called, in one line."""
    return one_line(item.name[:300]) or kind_of_one(item.kind)


def described(item: Item, *, is_missing: bool = False) -> str:
    """All that is said of it, for who hears it."""
    said = [shown_name(item), kind_of_one(item.kind), *facts(item)]
    if is_missing:
        said.append(not_here())
    said += [conversation(item), day(item.place.at)]
    return ", ".join(filter(None, said))


def tip(item: Item, *, is_missing: bool = False) -> str:
    lines = [shown_name(item), " · ".join(facts(item)), filled("%1 · %2", conversation(item), day(item.place.at))]
    if item.kind == "link":
        lines.insert(1, item.url)
    if is_missing:
        lines.append(not_here())
    return tooltip("\n".join(filter(None, lines)))


def facts(item: Item) -> list[str]:
    """What is known of it beside its name: language, size, host …"""
    match item.kind:
        case "image":
            return [filled("%1 × %2", str(item.width), str(item.height))] if item.width and item.height else []
        case "code":
            return [item.detail] if item.detail else []
        case "link":
            return [item.detail] if item.detail and item.detail != item.name else []
        case "tool":
            return [status(item.detail)]
        case "file" | "document":
            return [each for each in (type_of(item), size_of(item)) if each]


def type_of(item: Item) -> str:
    """What kind of file it is, as its ending says: "PDF"."""
    suffix = PurePath(one_line(item.name)).suffix[1:9]
    return suffix.upper() if suffix.isalnum() else item.mime_type.partition(";")[0].rpartition("/")[2][:24]


def size_of(item: Item) -> str:
    how = QLocale.DataSizeFormat.DataSizeTraditionalFormat
    return QLocale().formattedDataSize(item.size, 1, how) if item.size else ""


def status(said: str) -> str:
    words = {"success": tr("done"), "error": tr("failed"), "aborted": tr("stopped")}
    return words.get(said, said)


def conversation(item: Item) -> str:
    return one_line(item.place.conversation_title[:200]) or tr("New chat")


def not_here() -> str:
    return tr("Not on this computer yet")


def month_of(at: datetime) -> tuple[int, int]:
    """Year and month by the clock on the wall."""
    here = at.astimezone()
    return here.year, here.month


def month_name(month: tuple[int, int]) -> str:
    return QLocale().toString(QDate(month[0], month[1], 1), "MMMM yyyy")


def day(at: datetime) -> str:
    here = at.astimezone()
    return _day(here.year, here.month, here.day, QLocale().name())


@lru_cache(1_000)
def _day(year: int, month: int, day: int, _locale: str) -> str:
    return QLocale().toString(QDate(year, month, day), "d MMM yyyy")


def tr(text: str) -> str:
    return QCoreApplication.translate("Library", text)
