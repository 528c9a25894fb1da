"""PDF by Qt's own printing, piece by piece: each message is set, cut into pages where no line is hurt, and painted.

Runs on any thread: QTextDocument, QPdfWriter and QImage may (https://doc.qt.io/qt-6/threads-modules.html), and a
document outside the window's thread paints its pictures as QImage. Nothing but the given pictures is ever loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEventLoop,
    QIODevice,
    QLocale,
    QMarginsF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QUrl,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QImage,
    QImageReader,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextBlock,
    QTextDocument,
    QTextTable,
)

from sam_py.store.exporters.background import Task
from sam_py.store.exporters.pictures import kind_of_picture
from sam_py.store.exporters.printable import Piece, on_paper
from sam_py.ui.export.paper import Band, cuts, merged

_DPI = 300
_MARGINS_MM = QMarginsF(20, 18, 20, 20)
_BODY_PT = 10.0
_CODE_PT = 8.5
_FOOT_PT = 8.0
_MOST_PIXELS = 1800
"""Of a picture's longer side: sharp at 300 dots to the inch over the width of the text."""
_GAP_MM = 4.5
"""Between messages."""
_HIGHEST_PICTURE = 0.6
"""Of a page's height."""
_HIGHEST_ROW = 0.5
"""Of a page's height: a higher row of a table is cut between its lines."""
_CELL = 4.9 * _DPI / 96
"""A cell's padding and line around its text."""
_IMAGE = re.compile(r'<img src="attachment:([0-9a-f]{64})">')
_STYLE = f"""
body {{ font-size: {_BODY_PT}pt; }}
h1 {{ font-size: 17pt; margin-top: 14px; margin-bottom: 8px; }}
h2 {{ font-size: 13.5pt; margin-top: 14px; margin-bottom: 6px; }}
h3 {{ font-size: 11.5pt; margin-top: 12px; margin-bottom: 5px; }}
h4, h5, h6 {{ font-size: {_BODY_PT}pt; margin-top: 10px; margin-bottom: 3px; }}
p {{ margin-top: 0px; margin-bottom: 7px; }}
ul, ol {{ margin-top: 0px; margin-bottom: 7px; }}
li {{ margin-bottom: 3px; }}
blockquote {{ margin-top: 4px; margin-bottom: 7px; }}
pre {{ margin-top: 4px; margin-bottom: 10px; }}
a {{ color: #1a5fb4; }}
table {{ border-width: 0px; margin-top: 4px; margin-bottom: 10px; border-collapse: collapse; }}
td, th {{ border: 1px solid #c8c8c4; }}
th {{ background-color: #f0f0ed; }}
"""
"""Qt knows margins in pixels alone."""

Find = Callable[[str], Path | None]


class Printer:
    """One PDF. Made on the window's thread, where fonts are asked for; `write` may run on another."""

    def __init__(self) -> None:
        self._font = QFont(QGuiApplication.font())
        self._font.setPointSizeF(_BODY_PT)
        self._fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        metric = QLocale().measurementSystem() == QLocale.MeasurementSystem.MetricSystem
        self._size = QPageSize.PageSizeId.A4 if metric else QPageSize.PageSizeId.Letter

    def write(self, title: str, pieces: Iterator[Piece], find: Find, task: Task) -> bytes:
        """The PDF's bytes. Raises `Cancelled` where `task` was stopped."""
        # A document's layout starts timers; a thread that Qt did not start has a dispatcher for them only with this.
        loop = QEventLoop()
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        writer = QPdfWriter(buffer)
        writer.setTitle(title)
        writer.setCreator("SAM for Python")
        writer.setResolution(_DPI)
        writer.setPageLayout(
            QPageLayout(
                QPageSize(self._size), QPageLayout.Orientation.Portrait, _MARGINS_MM, QPageLayout.Unit.Millimeter
            )
        )
        painter = QPainter(writer)
        try:
            pages = _Pages(writer, painter, title, self._font)
            for piece in pieces:
                task.check()
                document = self._set(piece, find, pages)
                try:
                    pages.add(document, task, continues=piece.continues)
                finally:
                    shiboken6.delete(document)  # here: its timers are this thread's, and an error's frames keep it
            pages.end()
        finally:
            painter.end()
            buffer.close()
            del loop
        return bytes(content.data())

    def _set(self, piece: Piece, find: Find, pages: _Pages) -> QTextDocument:
        """A piece as a document of the page's width and without an end."""
        document = _Closed()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(self._font)
        fixed = f"pre, code {{ font-family: '{self._fixed}'; font-size: {_CODE_PT}pt; }}"
        document.setDefaultStyleSheet(_STYLE + fixed)
        document.documentLayout().setPaintDevice(pages.writer)
        sizes: dict[str, QSize] = {}
        for hash in piece.pictures:
            image = _picture(find(hash))
            if not image.isNull():
                document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(f"attachment:{hash}"), image)
                sizes[hash] = image.size()
        html = _IMAGE.sub(lambda found: _sized(found.group(1), sizes, pages.picture_room), piece.html)
        document.setTextWidth(pages.width)
        document.setHtml(on_paper(html))
        return document


class _Closed(QTextDocument):
    """A document that loads nothing: neither files nor addresses. Without a picture Qt would look for a file itself."""

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        nothing = QImage(1, 1, QImage.Format.Format_ARGB32)
        nothing.fill(Qt.GlobalColor.transparent)
        return nothing


class _Pages:
    """Puts documents below each other on pages, each with its number at the foot."""

    def __init__(self, writer: QPdfWriter, painter: QPainter, title: str, font: QFont) -> None:
        self.writer = writer
        self._painter = painter
        self._title = title
        self._foot_font = QFont(font)
        self._foot_font.setPointSizeF(_FOOT_PT)
        paint = writer.pageLayout().paintRectPixels(_DPI)
        self.width = float(paint.width())
        self.height = float(paint.height()) - _FOOT_PT * 3 * _DPI / 72
        self._foot_top = float(paint.height()) - _FOOT_PT * 1.6 * _DPI / 72
        self._used = 0.0
        self._number = 1

    @property
    def picture_room(self) -> QSizeF:
        """The most that a picture may take, in pixels of a document (96 to the inch)."""
        return QSizeF(self.width, self.height * _HIGHEST_PICTURE) * (96 / _DPI)

    def add(self, document: QTextDocument, task: Task, *, continues: bool = False) -> None:
        bands = merged(_bands(document, self.height, is_headed=not continues))
        gap_mm = _GAP_MM / 2 if continues else _GAP_MM
        before = gap_mm / 25.4 * _DPI if bands and self._used else 0.0
        for start, end in cuts(bands, self.height - self._used - before, self.height):
            task.check()
            if start < end:
                if self._used:
                    self._used += before
                self._paint(document, start, end)
                self._used += end - start
            if end < bands[-1].bottom - 0.01:
                self._turn()

    def end(self) -> None:
        self._number_page()

    def _turn(self) -> None:
        self._number_page()
        self.writer.newPage()
        self._number += 1
        self._used = 0.0

    def _paint(self, document: QTextDocument, start: float, end: float) -> None:
        painter = self._painter
        clip = QRectF(0, start, self.width, end - start)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, QColor("#1d1d1f"))
        context.clip = clip.adjusted(0, 1, 0, -1)  # else a line that only touches the cut is in the text of both pages
        painter.save()
        painter.translate(0, self._used - start)
        painter.setClipRect(clip)
        document.documentLayout().draw(painter, context)
        painter.restore()

    def _number_page(self) -> None:
        painter = self._painter
        painter.save()
        painter.setFont(self._foot_font)
        painter.setPen(QColor("#77777c"))
        place = QRectF(0, self._foot_top, self.width, _FOOT_PT * 1.6 * _DPI / 72)
        number = str(self._number)
        metrics = painter.fontMetrics()
        room = int(self.width - metrics.horizontalAdvance(number) - _DPI / 4)
        title = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, room)
        bottom = Qt.AlignmentFlag.AlignBottom
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | bottom, title)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | bottom, number)
        painter.restore()


def _bands(document: QTextDocument, page: float, *, is_headed: bool) -> Iterator[Band]:
    """What of a document must not be cut, in its own measure. `is_headed`: its first line stands over the others."""
    layout = document.documentLayout()
    rows: dict[tuple[int, int], tuple[float, float]] = {}
    block, is_first = document.begin(), is_headed
    while block.isValid():
        text, rect = block.layout(), layout.blockBoundingRect(block)
        above = rect.top() - text.boundingRect().top()
        count = text.lineCount()
        is_heading = is_first or bool(block.blockFormat().headingLevel()) or _names_a_box(block)
        is_heading = is_heading or _is_end_of_box(block)
        row = _row_of(block)
        for number in range(count):
            line = text.lineAt(number)
            top = above + line.y()
            bottom = top + line.height()
            if row is not None:
                known = rows.get(row, (top, bottom))
                rows[row] = (min(known[0], top), max(known[1], bottom))
            held = is_heading or (count > 2 and number in (0, count - 2))
            yield Band(top, bottom, held)
        is_first = False
        block = block.next()
    for (_table, number), (top, bottom) in rows.items():
        if bottom - top <= page * _HIGHEST_ROW:
            yield Band(top - _CELL, bottom + _CELL, number == 0)  # a table's head is not left alone


def _names_a_box(block: QTextBlock) -> bool:
    """Whether a line stands over a box of code or of a tool's result."""
    following = block.next()
    if not following.isValid() or block.layout().lineCount() > 1:
        return False
    return _is_boxed(following) and not _is_boxed(block)


def _is_end_of_box(block: QTextBlock) -> bool:
    """Whether the first or the last line of a box would be left alone by a cut behind this one."""
    if not _is_boxed(block) or not _is_boxed(block.next()):
        return False
    return not _is_boxed(block.previous()) or not _is_boxed(block.next().next())


def _is_boxed(block: QTextBlock) -> bool:
    if not block.isValid():
        return False
    brush: QBrush = block.blockFormat().background()
    return brush.style() != Qt.BrushStyle.NoBrush


def _row_of(block: QTextBlock) -> tuple[int, int] | None:
    """The table that a block stands in, and its row there."""
    table = block.document().frameAt(block.position())
    if not isinstance(table, QTextTable):
        return None
    return table.firstPosition(), table.cellAt(block.position()).row()


def _picture(path: Path | None) -> QImage:
    """A picture, no larger than paper can show. None of it where it is no picture that every program shows."""
    if path is None:
        return QImage()
    with path.open("rb") as file:
        if not kind_of_picture(file.read(64)):
            return QImage()
    reader = QImageReader(str(path))
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > _MOST_PIXELS:
        reader.setScaledSize(size.scaled(_MOST_PIXELS, _MOST_PIXELS, Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


def _sized(hash: str, sizes: dict[str, QSize], room: QSizeF) -> str:
    """The picture, as large as it is but no larger than the page has room for; nothing where it is not here."""
    size = sizes.get(hash)
    if size is None:
        return "[picture: its file is missing]"
    shown = QSizeF(size)
    if shown.width() > room.width() or shown.height() > room.height():
        shown.scale(room, Qt.AspectRatioMode.KeepAspectRatio)
    return f'<img src="attachment:{hash}" width="{round(shown.width())}" height="{round(shown.height())}">'
