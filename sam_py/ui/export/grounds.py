"""What lies behind a printed text: boxes of code, bars of quotations, the ground of what the person said.

Found in a document once it is filled; painted slice by slice, so that a box goes on over the end of a page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QPainter,
    QPen,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextListFormat,
)

from sam_py.ui.theme import LIGHT

INK = "#1d1d1f"
PAD_PX = 7.0
"""Between code and the edge of its box; to the sides as `CODE_MARGIN_PX` says."""
CODE_MARGIN_PX = 10
QUOTE_PX = 16
"""How far a quotation is set in, for each level."""
_BAR_PX = 2.5
_ROUND_PX = 4.0
_TASK_PX = 9.5
_TASK_GAP_PX = 5.0
_LANGUAGE = QTextFormat.Property.BlockCodeLanguage


@dataclass(slots=True)
class Grounds:
    """Runs of blocks by their numbers, first and last: boxes of code; quotations with their level."""

    boxes: list[tuple[int, int]] = field(default_factory=list)
    quotes: list[tuple[int, int, int]] = field(default_factory=list)
    boxed: set[int] = field(default_factory=set)
    box_ends: set[int] = field(default_factory=set)
    """The last blocks of boxes."""
    box_starts: set[int] = field(default_factory=set)
    items: list[tuple[int, int, bool | None]] = field(default_factory=list)
    """Items of lists: block, list, and of a task whether it is done."""
    task_lists: set[int] = field(default_factory=set)
    """The lists whose markers are drawn here and not by Qt."""

    def note_box(self, block: QTextBlock) -> None:
        number, begins = block.blockNumber(), block.blockFormat().topMargin() > 0
        if self.boxes and self.boxes[-1][1] == number - 1 and not begins:
            self.box_ends.discard(number - 1)
            self.boxes[-1] = (self.boxes[-1][0], number)
        else:
            self.boxes.append((number, number))
            self.box_starts.add(number)
        self.box_ends.add(number)
        self.boxed.add(number)

    def note_item(self, block: QTextBlock) -> None:
        """Take the boxes of tasks over from Qt, which crosses out those that are done."""
        items = block.textList()
        if items is None:
            return
        look = block.blockFormat()
        marker, list_index = look.marker(), look.objectIndex()
        is_task = marker != QTextBlockFormat.MarkerType.NoMarker
        is_done = marker == QTextBlockFormat.MarkerType.Checked if is_task else None
        self.items.append((block.blockNumber(), list_index, is_done))
        if not is_task:
            return
        look.setMarker(QTextBlockFormat.MarkerType.NoMarker)
        QTextCursor(block).setBlockFormat(look)
        if list_index not in self.task_lists:
            self.task_lists.add(list_index)
            form = items.format()
            form.setStyle(QTextListFormat.Style.ListStyleUndefined)
            items.setFormat(form)

    def note_quote(self, block: QTextBlock, level: int) -> None:
        number = block.blockNumber()
        for each in range(1, level + 1):
            for at in range(len(self.quotes) - 1, max(-1, len(self.quotes) - 1 - 2 * level), -1):
                if self.quotes[at][1:] == (number - 1, each):
                    self.quotes[at] = (self.quotes[at][0], number, each)
                    break
            else:
                self.quotes.append((number, number, each))


def language_of(block: QTextBlock) -> str | None:
    """The language of a line of code; None where it is no code."""
    look = block.blockFormat()
    return str(look.property(_LANGUAGE)) if look.hasProperty(_LANGUAGE) else None


def quote_level(block: QTextBlock, px: float) -> int:
    """How many quotations a block stands in: each sets it in by `QUOTE_PX`."""
    look = block.blockFormat()
    return int(max(look.leftMargin(), look.rightMargin()) // (QUOTE_PX * px))


class GroundPainter:
    """Paints the grounds of one document that is laid out. `px`: dots of the printer."""

    def __init__(self, document: QTextDocument, grounds: Grounds, width: float, px: float) -> None:
        self._width = width
        self._px = px
        self._boxes = [rect for box in grounds.boxes if (rect := self._box(document, *box)) is not None]
        self._bars = list(self._bars_of(document, grounds))
        self._tasks = list(self._tasks_of(document, grounds))

    def paint(self, painter: QPainter, start: float, end: float) -> None:
        """What lies behind the slice from `start` to `end`, in the document's own measure."""
        over = PAD_PX * self._px
        painter.save()
        painter.setPen(QPen(QColor(LIGHT.border), 0.8 * self._px))
        painter.setBrush(QColor(LIGHT.code))
        for box in self._boxes:
            if box.top() < end - 1 and box.bottom() > start + 1:
                painter.save()
                painter.setClipRect(QRectF(-over, start - over, self._width + 2 * over, end - start + 2 * over))
                painter.drawRoundedRect(box, _ROUND_PX * self._px, _ROUND_PX * self._px)
                painter.restore()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(QColor("#cfcfca")))
        for bar in self._bars:
            piece = bar.intersected(QRectF(bar.left(), start, bar.width(), end - start))
            if piece.height() > 1:
                painter.drawRect(piece)
        for box, is_done in self._tasks:
            if start <= box.top() < end:
                self._paint_task(painter, box, is_done)
        painter.restore()

    def _paint_task(self, painter: QPainter, box: QRectF, is_done: bool | None) -> None:
        if is_done is None:  # an item without a box, among tasks
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(INK))
            painter.drawEllipse(box.center(), 2.2 * self._px, 2.2 * self._px)
            return
        painter.setPen(QPen(QColor(LIGHT.accent if is_done else LIGHT.text_muted), self._px))
        painter.setBrush(QColor(LIGHT.accent) if is_done else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 2 * self._px, 2 * self._px)
        if is_done:
            pen = QPen(QColor(LIGHT.on_accent), 1.3 * self._px)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            points = ((0.25, 0.52), (0.43, 0.7), (0.76, 0.31))
            painter.drawPolyline([box.topLeft() + QPointF(x, y) * box.width() for x, y in points])

    def _box(self, document: QTextDocument, first: int, last: int) -> QRectF | None:
        edges = _edges(document, first, last)
        if edges is None:
            return None
        left, width = edges.left(), edges.width()
        side, over = CODE_MARGIN_PX * self._px, PAD_PX * self._px
        return QRectF(left - side, edges.top() - over, width + 2 * side, edges.height() + 2 * over)

    def _tasks_of(self, document: QTextDocument, grounds: Grounds) -> Iterator[tuple[QRectF, bool | None]]:
        side, away = _TASK_PX * self._px, _TASK_GAP_PX * self._px
        for number, list_index, is_done in grounds.items:
            edges = _edges(document, number, number) if list_index in grounds.task_lists else None
            if edges is None:
                continue
            block = document.findBlockByNumber(number)
            line = block.layout().lineAt(0)
            left = edges.left() - away - side
            if block.textDirection() == Qt.LayoutDirection.RightToLeft:
                left = edges.right() + away
            middle = edges.top() + line.ascent() - side * 0.42
            yield QRectF(left, middle - side / 2, side, side), is_done

    def _bars_of(self, document: QTextDocument, grounds: Grounds) -> Iterator[QRectF]:
        for first, last, level in grounds.quotes:
            edges = _edges(document, first, last)
            if edges is None:
                continue
            block = document.findBlockByNumber(first)
            top, bottom = edges.top(), edges.bottom()
            if first in grounds.box_starts:
                top -= PAD_PX * self._px
            if last in grounds.box_ends:
                bottom += PAD_PX * self._px
            left = (level - 1) * QUOTE_PX * self._px
            if block.textDirection() == Qt.LayoutDirection.RightToLeft:
                left = self._width - left - _BAR_PX * self._px
            yield QRectF(left, top, _BAR_PX * self._px, bottom - top)


def paint_bubble(painter: QPainter, rect: QRectF, px: float) -> None:
    """The ground of what the person said."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(LIGHT.bubble))
    painter.drawRoundedRect(rect, 6 * px, 6 * px)
    painter.restore()


def _edges(document: QTextDocument, first: int, last: int) -> QRectF | None:
    """The lines of these blocks; None where they have none."""
    layout = document.documentLayout()
    one, other = document.findBlockByNumber(first), document.findBlockByNumber(last)
    above, below = one.layout(), other.layout()
    if not above.lineCount() or not below.lineCount():
        return None
    begins, ends = above.lineAt(0), below.lineAt(below.lineCount() - 1)
    place, place_below = layout.blockBoundingRect(one), layout.blockBoundingRect(other)
    top = place.top() - above.boundingRect().top() + begins.y()
    bottom = place_below.top() - below.boundingRect().top() + ends.y() + ends.height()
    return QRectF(place.left() + begins.x(), top, begins.width(), bottom - top)
