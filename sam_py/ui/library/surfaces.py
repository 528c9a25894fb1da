"""What of a row can be marked: its columns of text, and the texts on its open cards; and how cards are opened."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from sam_py.messages.message import Message
from sam_py.messages.parts import FilePart, ImagePart, ThinkingTextPart, ToolCallPart
from sam_py.ui.chat.blocks import CallBlock, ThoughtBlock
from sam_py.ui.chat.parts.found import FoundMarks
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.row import MessageRow
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.row_note import NoteCard
from sam_py.ui.chat.thinking_block import ThinkingBlock
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.library.seen_words import Place
from sam_py.ui.library.tool_marks import ToolMarks

Surface = MarkdownColumn | ToolText


def surfaces_of(row: MessageRow) -> Iterator[tuple[Place, Surface]]:
    """What is drawn now of that which is looked through, from top to bottom."""
    message = row.message
    if message is None:
        return
    indexes = [index for index, part in enumerate(message.parts) if not isinstance(part, ImagePart | FilePart)]
    for index in (-1, *indexes):
        block = row.block_of(index)
        if block is None:
            continue
        if isinstance(block, CallBlock) and block.card.details is not None:
            for number, text in enumerate(block.card.details.texts):
                yield Place(index, True, number), text
        for number, column in enumerate(block.columns):
            yield Place(index, False, number), column


def mark(surface: Surface, pattern: re.Pattern[str] | None, context: RowContext) -> None:
    """Mark where `pattern` stands in it; None: nothing any more."""
    found = surface.found
    if pattern is None:
        if found is None:
            return
        surface.found = None
        if isinstance(found, ToolMarks):
            found.remove()
    elif found is not None and found.pattern is pattern:
        return
    elif isinstance(surface, ToolText):
        surface.found = ToolMarks(surface, pattern, context.themes.current.palette)
    else:
        surface.found = FoundMarks(surface, pattern)
    surface.update()


def choose(surface: Surface, number: int | None, viewport: QWidget) -> QRect:
    """Mark one place strongly (None: no place), and return where it is in `viewport`; empty where it is not."""
    marks = surface.found
    if marks is None:
        return QRect()
    rect = _chosen(marks, number)
    if number is not None and rect.isEmpty() and (count := marks.count()):  # counted otherwise than drawn: the last one
        rect = _chosen(marks, count - 1)
    if rect.isEmpty():
        return QRect()
    inside = surface.viewport() if isinstance(surface, ToolText) else surface
    return QRect(inside.mapTo(viewport, QPoint(rect.topLeft())), rect.size())


def _chosen(marks: FoundMarks | ToolMarks, number: int | None) -> QRect:
    if isinstance(marks, ToolMarks):
        return marks.choose(number)
    whole = marks.choose(number)
    return whole.toAlignedRect() if not whole.isEmpty() else QRect()


def unfold(row: MessageRow, place: Place, opened: bool = True) -> bool:
    """Open the card that holds a place, or close it. False where nothing of it was to be done."""
    block = row.block_of(place.part_index)
    match block:
        case ThoughtBlock():
            inner = block.findChild(ThinkingBlock)
            if inner is None or bool(inner.columns) == opened:
                return False
            inner.unfold(opened)
        case CallBlock() if place.is_card:
            if (block.card.details is not None) == opened:
                return False
            block.card.unfold(opened)
        case NoteCard():
            if block.is_open == opened:
                return False
            block.head.setChecked(opened)
        case _:
            return False
    return True


def fold_unseen(context: RowContext, message: Message, place: Place) -> None:
    """Close the card of a row that is not on screen: it is closed when it comes back."""
    part = message.parts[place.part_index] if 0 <= place.part_index < len(message.parts) else None
    match part:
        case ToolCallPart():
            context.calls.set_open(part.call_id, False)
        case ThinkingTextPart():
            before = sum(isinstance(each, ThinkingTextPart) for each in message.parts[: place.part_index])
            context.folds.set(f"{message.id}:{before}", False)
        case None:
            context.folds.set(message.id, False)
        case _:
            pass
