"""What a window shows of its conversation, as values that can be compared: words, names, states, sizes, pixels."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPlainTextEdit, QTextEdit, QWidget

from sam_py.messages.message import Message, ToolResultMessage
from sam_py.ui.chat.blocks import CallBlock
from sam_py.ui.chat.error_box import ErrorBox
from sam_py.ui.chat.row import MessageRow
from sam_py.ui.chat.row_note import NoteCard
from sam_py.ui.chat.thinking_block import FoldLine
from tests.fakes.sitting import Sitting


async def laid_out(sam: Sitting) -> None:
    """Wait until every row in view has its height and the scroll bar is there: Qt shows it a turn later."""
    bar, timeline = sam.chat.timeline.verticalScrollBar(), sam.chat.timeline
    size = QSize()

    def is_done() -> bool:
        nonlocal size
        before, size = size, timeline.viewport().size()
        rows = [row for row in timeline.rows_in_order() if row.isVisible()]
        waits = any(column._rest.isActive() or column._unlaid for row in rows for column in row.columns)
        return (
            before == size and not waits and not timeline._settle.isActive() and bar.isVisible() == (bar.maximum() > 0)
        )

    await sam.answered()
    await sam.until(is_done, "the layout")


async def rows_of(sam: Sitting) -> dict[str, Any]:
    """Message id → what its row shows, for each message of the conversation, one after the other on screen."""
    await laid_out(sam)
    shown: dict[str, Any] = {}
    for message in sam.messages:
        row = await _row(sam, message)
        shown[message.id] = said_of(row) if row is not None and row.isVisible() else "nothing"
    return shown


async def picture_of(sam: Sitting, message_id: str = "") -> QImage:
    """The conversation as it is painted, at the message or where it stands, without what follows the mouse."""
    if message_id:
        sam.chat.timeline.show_message(message_id, mark=False)
    await laid_out(sam)
    return sam.chat.timeline.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def around(sam: Sitting) -> dict[str, Any]:
    """What stands around the conversation: title, model, draft, the line above the composer, the list."""
    strip = sam.chat.chat_context.strip
    return {
        "title": sam.window.windowTitle(),
        "draft": sam.chat.composer.draft(),
        "strip": strip.note.words if strip.isVisible() and strip.note is not None else "",
        "branch": sam.bus.path,
        "list": [(each.title, each.preview) for each in sam.program._library.summaries()],
    }


def differing(one: QImage, other: QImage) -> int:
    """How many pixels differ; all of them where the sizes do."""
    if one.size() != other.size():
        return max(one.width() * one.height(), other.width() * other.height())
    if bytes(one.constBits()) == bytes(other.constBits()):
        return 0
    places = ((x, y) for y in range(one.height()) for x in range(one.width()))
    return sum(one.pixel(x, y) != other.pixel(x, y) for x, y in places)


async def _row(sam: Sitting, message: Message) -> MessageRow | None:
    reply = sam.chat.context.calls.reply_of(message) if isinstance(message, ToolResultMessage) else None
    sam.chat.timeline.show_message(reply or message.id, mark=False)  # to jump to a result would open its card
    await laid_out(sam)
    row = sam.chat.timeline.row_of(message.id)
    assert row is None or isinstance(row, MessageRow)
    return row


def turn_all_over(sam: Sitting) -> set[str]:
    """Open what is closed in the rows on screen and close what is open; the kinds of what was."""
    turned: set[str] = set()
    for row in sam.chat.timeline.rows_in_order():
        for fold in row.findChildren(FoldLine):
            fold.click()
            turned.add("thinking")
        for block in row.blocks:
            if isinstance(block, CallBlock):
                turned.add("closed" if block.card.details is not None else "opened")
                QTest.mouseClick(block.card._line, Qt.MouseButton.LeftButton)
            if isinstance(block, NoteCard):
                block.head.click()
                turned.add("note")
        for box in row.findChildren(ErrorBox):
            if box._more.isVisible():
                box._more.click()
                turned.add("details")
    return turned


def said_of(row: MessageRow) -> dict[str, Any]:
    """What one row shows, and where."""
    parts = [part for column in row.columns for part in column.parts()]
    return {
        "spoken": row.accessible_text(),
        "name": row.accessibleName(),
        "texts": [column.plain_text() for column in row.columns],
        "parts": [(type(part).__name__, [_target(target.value) for target in part.targets()]) for part in parts],
        "blocks": [(block.kind, block.accessibleName()) for block in row.blocks],
        "facts": row.foot.facts,
        "sign": row.foot.sign,
        "notes": row._notes,
        "height": row.height(),
        "widgets": [_widget(each, row) for each in row.findChildren(QWidget) if each.isVisibleTo(row)],
    }


def _target(value: object) -> str:
    return value if isinstance(value, str) else type(value).__name__


def _widget(widget: QWidget, row: QWidget) -> tuple[Any, ...]:
    words = ""
    if isinstance(widget, QLabel | QAbstractButton):
        words = widget.text()
    elif isinstance(widget, QPlainTextEdit | QTextEdit):
        words = widget.toPlainText()
    at = widget.mapTo(row, widget.rect().topLeft())
    place = (at.x(), at.y(), widget.width(), widget.height())
    return type(widget).__name__, widget.accessibleName(), words, widget.isEnabled(), place
