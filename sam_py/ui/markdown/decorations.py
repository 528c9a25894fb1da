"""What is drawn beside and behind the text of a document: markers, quote bars, rules, pills, formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF, QTextDocument, QTextLine

from sam_py.ui.markdown.maths import Key, Picture
from sam_py.ui.markdown.typography import Typography

_CHECK_BOX_PX = 14


@dataclass(slots=True)
class Marker:
    """What stands before a list's item: its number, a bullet, or a check box."""

    block: int
    text: str
    checked: bool | None = None
    level: int = 1


@dataclass(slots=True)
class Decorations:
    """Where the things stand that are drawn beside the text. Blocks by number, spans by position and length."""

    markers: list[Marker] = field(default_factory=list)
    quotes: list[tuple[int, int, int]] = field(default_factory=list)
    """first block, last block, level"""
    rules: list[int] = field(default_factory=list)
    code_blocks: list[tuple[int, int]] = field(default_factory=list)
    code_spans: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int, str]] = field(default_factory=list)
    maths: list[tuple[int, str, Picture]] = field(default_factory=list)
    """Position, source and picture of each formula; a blank image keeps its place in the text."""
    pending_maths: set[Key] = field(default_factory=set)
    """Formulas that are still being drawn."""
    top_px: int = 0
    """Room that its first block wants above; the document itself has none."""
    bottom_px: int = 0
    pills: dict[tuple[int, int], list[QRectF]] = field(default_factory=dict)
    """Where the pills of `code_spans` lie in the layout of now; found when they are first painted."""

    @property
    def any(self) -> bool:
        """Whether there is anything to draw."""
        return bool(self.code_spans or self.markers or self.quotes or self.rules or self.code_blocks or self.maths)


def paint_decorations(
    painter: QPainter, document: QTextDocument, decorations: Decorations, style: Typography, clip: QRectF
) -> None:
    """Draw what stands beside and behind the text of `document`, as far as it lies in `clip`."""
    if not decorations.any:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    layout = document.documentLayout()
    width = document.textWidth()

    def rect_of(first: int, last: int) -> QRectF:
        top = layout.blockBoundingRect(document.findBlockByNumber(first))
        return top.united(layout.blockBoundingRect(document.findBlockByNumber(last))) if last != first else top

    for first, last, level in decorations.quotes:
        box = rect_of(first, last)
        if box.intersects(clip):
            painter.setBrush(style.colour("border").darker(108))
            painter.drawRoundedRect(QRectF((level - 1) * 16.0, box.top(), 3, box.height()), 1.5, 1.5)
    for first, last in decorations.code_blocks:
        box = rect_of(first, last)
        if box.intersects(clip):
            painter.setBrush(style.colour("code"))
            painter.drawRoundedRect(
                QRectF(box.left() - 10, box.top() - 5, width - box.left() + 10, box.height() + 10), 6, 6
            )
    for number in decorations.rules:
        box = rect_of(number, number)
        painter.fillRect(QRectF(0, round(box.center().y()), width, 1), style.colour("border"))
    if decorations.code_spans:
        _paint_pills(painter, document, decorations, style, clip)
    for position, _latex, picture in decorations.maths:
        _paint_formula(painter, document, position, picture)
    for marker in decorations.markers:
        _paint_marker(painter, document, marker, style, clip)
    painter.restore()


def _paint_pills(
    painter: QPainter, document: QTextDocument, decorations: Decorations, style: Typography, clip: QRectF
) -> None:
    colour = style.colour("border")
    colour.setAlphaF(0.62)
    painter.setBrush(colour)
    known = decorations.pills
    for span in decorations.code_spans:
        boxes = known.get(span)
        if boxes is None:
            boxes = known[span] = span_rects(document, *span)
        for box in boxes:
            if box.intersects(clip):
                painter.drawRoundedRect(box.adjusted(-2, 1, 2, -1), 4, 4)


def span_rects(document: QTextDocument, position: int, length: int) -> list[QRectF]:
    """Return the rectangles, one a line, that `length` characters from `position` cover."""
    block = document.findBlock(position)
    layout = block.layout()
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    start, end = position - block.position(), position - block.position() + length
    metrics_height = QFontMetricsF(document.defaultFont()).height()
    boxes = []
    while start < end:
        line = layout.lineForTextPosition(start)
        if not line.isValid():
            break
        stop = min(end, line.textStart() + line.textLength())
        if stop <= start:
            break
        x1, x2 = _x_of(line, start), _x_of(line, stop)
        bottom = line.y() + line.height()
        top = bottom - metrics_height if line.height() > metrics_height else line.y()
        boxes.append(QRectF(origin.x() + min(x1, x2), origin.y() + top, abs(x2 - x1), bottom - top))
        start = stop
    return boxes


def boxes_between(document: QTextDocument, start: int, end: int) -> Iterator[QRectF]:
    """The rectangles, one a line, of what stands between two positions, whichever paragraphs that is in."""
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        low = max(start, block.position())
        high = min(end, block.position() + block.length() - 1)
        if low < high:
            yield from span_rects(document, low, high - low)
        block = block.next()


def utf16_at(text: str, position: int) -> int:
    """The position in a document of a character of its text: those beyond the basic plane (emoji) count twice.

    >>> utf16_at("a🙂b", 2)
    3
    """
    return position if text.isascii() else position + sum(char > "\uffff" for char in text[:position])


def _x_of(line: QTextLine, position: int) -> float:
    x: Any = line.cursorToX(position)  # PySide returns (x, position) where its stubs say float
    return float(x[0] if isinstance(x, tuple) else x)


def _paint_formula(painter: QPainter, document: QTextDocument, position: int, picture: Picture) -> None:
    block = document.findBlock(position)
    line = block.layout().lineForTextPosition(position - block.position())
    if line.isValid():
        origin = document.documentLayout().blockBoundingRect(block).topLeft()
        left = min(_x_of(line, position - block.position()), _x_of(line, position - block.position() + 1))
        top = line.y() + line.ascent() - (picture.size.height() - picture.depth_px)
        picture.paint(painter, origin + QPointF(left, top))


def _paint_marker(painter: QPainter, document: QTextDocument, marker: Marker, style: Typography, clip: QRectF) -> None:
    block = document.findBlockByNumber(marker.block)
    layout = block.layout()
    if not layout.lineCount():
        return
    line = layout.lineAt(0)
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    metrics = QFontMetricsF(style.body)
    baseline = origin.y() + line.y() + line.ascent()
    if not clip.adjusted(0, -40, 0, 40).contains(QPointF(clip.center().x(), baseline)):
        return
    right_to_left = block.textDirection() == Qt.LayoutDirection.RightToLeft
    edge = origin.x() + (line.x() + line.width() if right_to_left else line.x())
    away = 1.0 if right_to_left else -1.0
    gap = style.indent_px * 0.36
    middle = baseline - metrics.xHeight() / 2
    if marker.checked is not None:
        half = _CHECK_BOX_PX / 2 * style.theme.scale
        _paint_check_box(painter, QPointF(edge + away * (gap + half), middle), marker.checked, style)
    elif marker.text:
        painter.setPen(style.colour("text_muted"))
        painter.setFont(style.body)
        width = metrics.horizontalAdvance(marker.text)
        left = edge + gap if right_to_left else edge - gap - width
        painter.drawText(QPointF(left, baseline), marker.text)
    else:
        radius = max(2.2, metrics.xHeight() * 0.3)
        painter.setPen(Qt.PenStyle.NoPen if marker.level % 2 else QPen(style.colour("text_muted"), 1.2))
        painter.setBrush(style.colour("text_muted") if marker.level % 2 else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(edge + away * (gap + radius), middle), radius, radius)


def _paint_check_box(painter: QPainter, centre: QPointF, checked: bool, style: Typography) -> None:
    """Drawn in pixels of text at 100 %, and scaled with it."""
    painter.save()
    painter.translate(centre)
    painter.scale(style.theme.scale, style.theme.scale)
    box = QRectF(-_CHECK_BOX_PX / 2, -_CHECK_BOX_PX / 2, _CHECK_BOX_PX, _CHECK_BOX_PX)
    painter.setBrush(style.colour("accent") if checked else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style.colour("accent" if checked else "text_muted"), 1.3))
    painter.drawRoundedRect(box, 3.5, 3.5)
    if checked:
        pen = QPen(style.colour("on_accent"), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([box.topLeft() + QPointF(x, y) for x, y in ((3.4, 7.3), (6, 9.8), (10.6, 4.4))]))
    painter.restore()
