"""What stands in the lines of a printed text without being text: pictures, and formulas as shapes.

A formula's source lies over it, invisible, so that it is found and copied.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QImageReader,
    QPainter,
    QPainterPath,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTransform,
)

from sam_py.store.exporters.html_paper import latex_of
from sam_py.store.exporters.pictures import kind_of_picture
from sam_py.ui.export.grounds import INK
from sam_py.ui.export.shapes import on_grid, outline
from sam_py.ui.markdown.maths import draw

_KEPT = 500
_LEAST_SHARE = 0.5
"""Of its size: a formula that would have to be smaller for the page's width stands there as its source."""
_MOST_PIXELS = 1800
"""Of a picture's longer side: sharp at 300 dots to the inch over the width of the text."""
_NAMED = re.compile(r'<img src="((?:attachment:[0-9a-f]{64})|(?:maths:[\w:=-]+))">')

Find = Callable[[str], Path | None]


@dataclass(slots=True)
class Formula:
    """A drawn formula, at the size of the body's text. `depth` of its height lies below the line."""

    latex: str
    outline: QPainterPath
    size: QSizeF
    depth: float
    is_inline: bool


class Drawn(QPyTextObject):
    """Draws the pictures of documents, which it completes before they are set. Lengths in dots of the printer.

    It stands for Qt's own handler of images, so nothing is ever looked for by its name, in files or elsewhere.
    """

    def __init__(self, font: QFont, em: float, dots_per_px: float) -> None:
        super().__init__()
        self._em = em
        self._body_pt = font.pointSizeF()
        self._dots_per_px = dots_per_px
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._scale = em / (self._body_pt * self._metrics.fontDpi() / 72)
        self._formulas: OrderedDict[str, Formula | None] = OrderedDict()
        self._pictures: Mapping[str, QImage] = {}
        self._sizes: dict[str, QSizeF] = {}

    def complete(self, html: str, pictures: tuple[str, ...], find: Find, room: QSizeF) -> str:
        """`html` with the vertical place of its formulas; words for what cannot be drawn. Nothing exceeds `room`."""
        self._pictures = {f"attachment:{hash}": _picture(find(hash)) for hash in pictures}
        self._sizes.clear()
        return _NAMED.sub(lambda found: self._completed(found[1], room), html)

    def take_over(self, document: QTextDocument) -> None:
        document.documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject.value, self)

    def _completed(self, name: str, room: QSizeF) -> str:
        if name.startswith("attachment:"):
            image = self._pictures.get(name, QImage())
            if image.isNull():
                return "[picture: its file is missing]"
            self._sizes[name] = _within(QSizeF(image.size()) * self._dots_per_px, room)
            return f'<img src="{name}">'
        formula = self._formula(name)
        if formula is None or formula.size.width() * _LEAST_SHARE > room.width():
            latex, display = latex_of(name) or ("?", False)
            marks = ("$$", "$$") if display else ("$", "$")
            return f"<code>{escape(marks[0] + latex + marks[1])}</code>"
        self._sizes[name] = _within(formula.size, room)
        hangs = formula.is_inline and formula.depth > self._metrics.descent() * self._scale * 1.1
        return f'<img src="{name}" style="vertical-align:middle">' if hangs else f'<img src="{name}">'

    def _formula(self, name: str) -> Formula | None:
        """The formula of this name; None where it cannot be drawn."""
        if name in self._formulas:
            self._formulas.move_to_end(name)
            return self._formulas[name]
        latex, display = latex_of(name) or ("", False)
        svg, width, height, depth = draw((latex, round(self._em, 1), INK, not display))
        shapes = outline(svg) if svg else None
        drawn = None
        if shapes is not None:
            drawn = Formula(latex, shapes, QSizeF(width, height), depth, not display)
        self._formulas[name] = drawn
        if len(self._formulas) > _KEPT:
            self._formulas.popitem(last=False)
        return drawn

    def _look(self, format: QTextFormat) -> tuple[str, QTextCharFormat, float]:
        """Name, format, and how much larger than in the body's text: a formula in a heading is as large as that."""
        look = format.toCharFormat()
        points = look.fontPointSize()
        return format.toImageFormat().name(), look, points / self._body_pt if points > 0 else 1.0

    # Qt

    def intrinsicSize(self, document: QTextDocument, position: int, format: QTextFormat) -> QSizeF:
        name, look, larger = self._look(format)
        size = self._sizes.get(name, QSizeF())
        formula = self._formulas.get(name)
        if formula is None:
            return size
        share = size.width() / formula.size.width() * larger
        above, below = (formula.size.height() - formula.depth) * share, formula.depth * share
        if look.verticalAlignment() != QTextCharFormat.VerticalAlignment.AlignMiddle:
            # Alone in a cell of a table it stands as high as text beside it would.
            least = self._metrics.ascent() * self._scale * larger
            return QSizeF(size.width() * larger, max(above, least) if formula.is_inline else above + below)
        # Centred about a quarter of an x above the line (QTextDocumentLayout::resizeInlineObject): room on both sides.
        quarter = self._metrics.xHeight() * self._scale / 2
        return QSizeF(size.width() * larger, max(2 * above - quarter, 2 * below + quarter))

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, position: int, format: QTextFormat
    ) -> None:
        rect = QRectF(rect)
        name, look, larger = self._look(format)
        formula = self._formulas.get(name)
        if formula is None:
            image = self._pictures.get(name)
            if image is not None:
                painter.drawImage(rect, image)
            return
        share = self._sizes[name].width() / formula.size.width() * larger
        height = formula.size.height() * share
        above = height - formula.depth * share
        top = rect.bottom() - (above if formula.is_inline else height)
        if look.verticalAlignment() == QTextCharFormat.VerticalAlignment.AlignMiddle:
            quarter = self._metrics.xHeight() * self._scale / 2
            top = rect.top() + (rect.height() + quarter) / 2 - above
        place = QRectF(rect.left(), top, rect.width(), height)
        has_colour = look.foreground().style() != Qt.BrushStyle.NoBrush
        painter.save()
        origin = painter.combinedTransform().map(QPointF(place.left(), top + above))
        painter.setWorldTransform(QTransform(share, 0, 0, share, on_grid(origin.x()), on_grid(origin.y())))
        painter.fillPath(formula.outline, look.foreground().color() if has_colour else QColor(INK))
        painter.restore()
        self._lay_over(painter, formula.latex, place, top + above)

    def _lay_over(self, painter: QPainter, latex: str, place: QRectF, baseline: float) -> None:
        """The source, as wide as the formula and without colour."""
        text = " ".join(latex.split())
        painter.save()
        painter.setFont(self._font)
        width = QFontMetricsF(self._font, painter.device()).horizontalAdvance(text)
        if width > 0:
            painter.translate(QPointF(place.left(), baseline))
            painter.scale(place.width() / width, 1)
            painter.setPen(QColor(0, 0, 0, 0))
            painter.drawText(QPointF(0, 0), text)
        painter.restore()


def _within(size: QSizeF, room: QSizeF) -> QSizeF:
    if size.width() > room.width() or size.height() > room.height():
        return size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
    return size


def _picture(path: Path | None) -> QImage:
    """A picture, no larger than paper can show. None of it where it is no picture that every program shows."""
    if path is None:
        return QImage()
    with path.open("rb") as file:
        if not kind_of_picture(file.read(64)):
            return QImage()
    reader: Any = QImageReader(str(path))
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    size: QSize = reader.size()
    if size.isValid() and max(size.width(), size.height()) > _MOST_PIXELS:
        reader.setScaledSize(size.scaled(_MOST_PIXELS, _MOST_PIXELS, Qt.AspectRatioMode.KeepAspectRatio))
    image: QImage = reader.read()
    return image
