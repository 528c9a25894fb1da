"""PDF by Qt's own printing, piece by piece: each message is set, cut into pages where no line is hurt, and painted.

Runs on any thread: QTextDocument, QPdfWriter and QImage may (https://doc.qt.io/qt-6/threads-modules.html). Addresses
become links of the PDF by themselves: Qt's engine makes them of the anchors in a text (QPdfEngine::drawTextItem).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import shiboken6
from PySide6.QtCore import QBuffer, QByteArray, QEventLoop, QIODevice, QLocale, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
)

from sam_py.store.exporters.background import Task
from sam_py.store.exporters.printable import Piece
from sam_py.ui.export.bands import bands, repeated
from sam_py.ui.export.drawn import Find
from sam_py.ui.export.grounds import INK, GroundPainter, paint_bubble
from sam_py.ui.export.paper import cuts, merged
from sam_py.ui.export.typesetting import Sheet, Typesetter

_DPI = 300
_MARGINS_MM = QMarginsF(20, 18, 20, 20)
_FOOT_PT = 8.0
_GAP_MM = 5.5
"""Between messages."""
_HIGHEST_PICTURE = 0.6
"""Of a page's height."""
_BUBBLE_PX = 9.0
"""Above and below what the person said, to the edge of its ground."""


class Printer:
    """One PDF. Made on the window's thread, where fonts are asked for; `write` may run on another."""

    def __init__(self) -> None:
        self._typesetter = Typesetter()
        metric = QLocale().measurementSystem() == QLocale.MeasurementSystem.MetricSystem
        self._size = QPageSize.PageSizeId.A4 if metric else QPageSize.PageSizeId.Letter

    def write(
        self, title: str, pieces: Iterator[Piece], find: Find, task: Task, told: Callable[[int], None] | None = None
    ) -> bytes:
        """The PDF's bytes; `told` hears how many messages are set. Raises `Cancelled` where `task` was stopped."""
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
        typesetter, messages = self._typesetter, 0
        try:
            pages = _Pages(writer, painter, title, typesetter.font)
            typesetter.open(writer, pages.width, QSizeF(pages.width, pages.height * _HIGHEST_PICTURE))
            for piece in pieces:
                task.check()
                if piece.is_message and not piece.continues:
                    messages += 1
                    if told is not None:
                        told(messages)
                sheet = typesetter.set(piece, find)
                try:
                    pages.add(sheet, task, continues=piece.continues)
                finally:
                    shiboken6.delete(
                        sheet.document
                    )  # here: its timers are this thread's, and an error's frames keep it
            pages.end()
        finally:
            painter.end()
            buffer.close()
            typesetter.close()
            del loop
        return bytes(content.data())


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
        self._px = _DPI / 96
        self._used = 0.0
        self._number = 1

    def add(self, sheet: Sheet, task: Task, *, continues: bool = False) -> None:
        document = sheet.document
        found, heads = bands(document, sheet.grounds, self.height, self._px, is_headed=not continues)
        lines = merged(found)
        if not lines:
            return
        around = _BUBBLE_PX * self._px if sheet.inset else 0.0
        page = self.height - 2 * around
        before = _GAP_MM / (2 if continues else 1) / 25.4 * _DPI if self._used else 0.0
        grounds = GroundPainter(document, sheet.grounds, self.width - 2 * sheet.inset, self._px)
        head_at = repeated(heads)

        def again(start: float) -> float:
            head = head_at(start)
            return head.bottom - head.top if head is not None else 0.0

        for start, end in cuts(lines, page - self._used - before, page, again):
            task.check()
            if start < end:
                if self._used:
                    self._used += before
                if sheet.inset:
                    place = QRectF(0, self._used, self.width, end - start + 2 * around)
                    paint_bubble(self._painter, place, self._px)
                self._used += around
                head = head_at(start)
                if head is not None and start > lines[0].top:
                    self._paint(sheet, grounds, head.top, head.bottom)
                self._paint(sheet, grounds, start, end)
                self._used += around
            if end < lines[-1].bottom - 0.01:
                self._turn()

    def end(self) -> None:
        self._number_page()

    def _turn(self) -> None:
        self._number_page()
        self.writer.newPage()
        self._number += 1
        self._used = 0.0

    def _paint(self, sheet: Sheet, grounds: GroundPainter, start: float, end: float) -> None:
        painter = self._painter
        clip = QRectF(0, start, self.width, end - start)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, QColor(INK))
        context.clip = clip.adjusted(0, 1, 0, -1)  # else a line that only touches the cut is in the text of both pages
        painter.save()
        painter.translate(sheet.inset, self._used - start)
        grounds.paint(painter, start, end)
        painter.setClipRect(clip)
        sheet.document.documentLayout().draw(painter, context)
        painter.restore()
        self._used += end - start

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
