"""Tables: a header row, alignment, hairlines; too wide ones scroll sideways.

Up to `RICH_CELLS` cells are set as Markdown and wrap. A larger table shows its cells as plain text, one line each:
its layout only measures, and its cells are drawn where they are seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QFont, QFontMetricsF, QPainter, QPen, QTextOption

from sam_py.ui.chat.parts.base import Part, Surroundings, Target, TextSpan
from sam_py.ui.markdown.decorations import Decorations, boxes_between, paint_decorations, span_rects, utf16_at
from sam_py.ui.markdown.documents import ClosedDocument, fill
from sam_py.ui.markdown.lines import split_row
from sam_py.ui.markdown.segments import Segment

RICH_CELLS = 240
MAX_CELLS = 20_000
"""Rows beyond are left out; the copy has them all."""
PAD_X = 12
PAD_Y = 7
MAX_PLAIN_PX = 320
MAX_COLUMNS = 200
MAX_CELL_CHARS = 2_000
MIN_WRAPPED_PX = 110.0
"""A column is not made narrower than this; the table scrolls instead."""
_RICH = re.compile(r"[*_`~\[<\\$&!]|https?:|www\.")
_CENTRE = Qt.AlignmentFlag.AlignHCenter
_ALIGN = {
    (False, False): Qt.AlignmentFlag.AlignLeft,
    (True, False): Qt.AlignmentFlag.AlignLeft,
    (False, True): Qt.AlignmentFlag.AlignRight,
    (True, True): _CENTRE,
}


class _Cell:
    """One cell's document."""

    __slots__ = ("decorations", "document", "natural_px")

    def __init__(self, part: TablePart, text: str, align: Qt.AlignmentFlag, *, header: bool) -> None:
        self.document = ClosedDocument()
        option = QTextOption(align)
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        self.document.setDefaultTextOption(option)
        if header:
            font = QFont(part.style.body)
            font.setWeight(QFont.Weight.DemiBold)
            self.document.setDefaultFont(font)
        if _RICH.search(text) and not header:
            self.decorations = fill(self.document, text, Segment("prose"), part.style, part.around.references)
        else:
            if not header:
                self.document.setDefaultFont(part.style.body)
            self.document.setPlainText(text.replace("\0", "\ufffd"))
            self.decorations = Decorations()
        self.natural_px = self.document.idealWidth() + 2

    def baseline_px(self) -> float:
        """From the top of a cell that is laid out to what its first line stands on."""
        block = self.document.begin()
        line = block.layout().lineAt(0)
        top = self.document.documentLayout().blockBoundingRect(block).top()
        return top + line.y() + line.ascent() if line.isValid() else top

    def move_down(self, by_px: float) -> None:
        """Make room at the top, so that a line of code alone stands where its neighbours' words stand."""
        if by_px >= 0.5:
            frame = self.document.rootFrame()
            form = frame.frameFormat()
            form.setTopMargin(form.topMargin() + by_px)
            frame.setFrameFormat(form)


class TablePart(Part):
    kind = "table"
    has_ground = True

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.copied = False
        self.scroll_x = 0.0
        self.rows: list[list[str]] = []
        self._segment: Segment | None = None
        self._taken = 0
        self._aligns: list[Qt.AlignmentFlag] = []
        self._cells: list[list[_Cell]] = []
        self._natural: list[float] = []
        self._lefts: list[float] = [0.0]
        self._tops: list[float] = [0.0]
        self._starts: list[int] = []  # text position of each row
        self._left_out = 0
        self._laid = 0

    @property
    def rich(self) -> bool:
        return len(self.rows) * max(1, len(self._aligns)) <= RICH_CELLS

    def show(self, segment: Segment, provisional: str = "") -> None:
        if segment is not self._segment:
            self.clear()
            self._segment = segment
            self.depth = segment.depth
        if segment.size > self._taken:
            new = segment.source_from(self._taken)
            self._taken = segment.size
            for line in new.splitlines():
                self._take_row(line)
            self.width = -1
        self.gap_above = self.gap_below = self.style.paragraph_px

    def rows_rect(self, start: int, end: int) -> QRectF:
        """The rows that these characters of the segment's Markdown stand in. Empty where they are not laid out yet."""
        if self._segment is None or not self.rows or len(self._tops) <= len(self.rows):
            return QRectF()
        source = self._segment.source
        lines = (source.count("\n", 0, max(0, place)) for place in (start, end - 1))
        first, last = (min(max(0, line - 1), len(self.rows) - 1) for line in lines)  # the second line is no row
        width = min(float(self.width), self._lefts[-1])
        return QRectF(0, self._tops[first], width, self._tops[last + 1] - self._tops[first])

    def _take_row(self, line: str) -> None:
        if not line.strip():
            return
        cells = [text if len(text) <= MAX_CELL_CHARS else text[:MAX_CELL_CHARS] + "…" for text in split_row(line)]
        del cells[MAX_COLUMNS:]
        if self.rows and not self._aligns:
            self._aligns = [_ALIGN[cell.startswith(":"), cell.endswith(":")] for cell in cells]
            self._aligns += [Qt.AlignmentFlag.AlignLeft] * (len(self.rows[0]) - len(cells))
            return
        if self._aligns:
            count = len(self._aligns)
            if (len(self.rows) + 1) * count > MAX_CELLS:
                self._left_out += 1
                return
            cells = (cells + [""] * count)[:count]
        self._starts.append(self.length() + 1 if self.rows else 0)
        self.rows.append(cells)

    def restyle(self) -> None:
        super().restyle()
        self._cells.clear()
        self._natural.clear()
        self._laid = 0

    def layout_for(self, width: int) -> int:
        if width == self.width:
            return self.height
        self.width = width
        if len(self.rows) > 0 and self._aligns:
            self._measure()
            self._place_columns(width)
            self._place_rows()
        bar = 10 if self._max_scroll() else 0
        note = self.style.body_line_px if self._left_out else 0
        self.height = round(self._tops[-1] + 1 + bar + note)
        self.scroll_x = min(self.scroll_x, self._max_scroll())
        return self.height

    def _measure(self) -> None:
        if not self._natural:
            self._natural = [24.0] * len(self._aligns)
            self._laid = 0
        if self.rich:
            for number in range(len(self._cells), len(self.rows)):
                cells = [
                    _Cell(self, text, align, header=number == 0)
                    for text, align in zip(self.rows[number], self._aligns, strict=False)
                ]
                self._cells.append(cells)
                self._natural = [max(a, cell.natural_px) for a, cell in zip(self._natural, cells, strict=False)]
            self._laid = len(self.rows)
            return
        self._cells.clear()
        metrics = QFontMetricsF(self.style.body)
        average = metrics.averageCharWidth()
        for row in self.rows[self._laid :]:
            for column, text in enumerate(row[: len(self._natural)]):
                if self._natural[column] < MAX_PLAIN_PX and len(text) * average * 1.6 > self._natural[column]:
                    measured = metrics.horizontalAdvance(text[:80]) + 2
                    self._natural[column] = min(MAX_PLAIN_PX, max(self._natural[column], measured))
        self._laid = len(self.rows)

    def _place_columns(self, width: int) -> None:
        pads = 2 * PAD_X * len(self._natural)
        room = max(0.0, width - pads)
        widths = list(self._natural)
        if sum(widths) > room and self.rich:
            left = set(range(len(widths)))
            while left:  # columns that need less than their share keep what they need, the others share the rest
                share = room / len(left)
                modest = {column for column in left if self._natural[column] <= share}
                if not modest:
                    break
                room -= sum(self._natural[column] for column in modest)
                left -= modest
            for column in left:
                widths[column] = max(min(self._natural[column], MIN_WRAPPED_PX), room / len(left))
        self._lefts = [0.0]
        for column_width in widths:
            self._lefts.append(self._lefts[-1] + column_width + 2 * PAD_X)

    def _place_rows(self) -> None:
        tops = [0.0]
        if self.rich:
            for row in self._cells:
                tallest = self.style.body_line_px
                for column, cell in enumerate(row):
                    cell.document.setTextWidth(self._lefts[column + 1] - self._lefts[column] - 2 * PAD_X)
                baseline = max((cell.baseline_px() for cell in row), default=0.0)
                for cell in row:
                    cell.move_down(baseline - cell.baseline_px())
                    tallest = max(tallest, cell.document.size().height())
                tops.append(round(tops[-1] + tallest + 2 * PAD_Y))
        else:
            row_px = round(self.style.body_line_px + 2 * PAD_Y)
            tops = [float(number * row_px) for number in range(len(self.rows) + 1)]
        self._tops = tops

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        style = self.style
        table_width = min(float(self.width), self._lefts[-1])
        painter.save()
        painter.setClipRect(QRectF(0, 0, self.width, self.height), Qt.ClipOperation.IntersectClip)
        first = max(0, bisect_right(self._tops, clip.top()) - 1)
        line = style.colour("border")
        for number in range(first, len(self.rows)):
            top = self._tops[number]
            if top > clip.bottom():
                break
            bottom = self._tops[number + 1]
            self._paint_row(painter, number, top, bottom)
            painter.fillRect(QRectF(0, bottom - 1, table_width, 1), line.darker(115) if number == 0 else line)
        if self._left_out:
            painter.setFont(style.small)
            painter.setPen(style.colour("text_muted"))
            text = QCoreApplication.translate("TablePart", "{rows} more rows. Copy the message to see them all.")
            painter.drawText(QPointF(0, self.height - 6), text.format(rows=self._left_out))
        if most := self._max_scroll():
            track = float(self.width)
            thumb = max(24.0, track * track / (track + most))
            colour = style.colour("text_muted")
            colour.setAlphaF(0.55 if self.hovered else 0.3)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF((track - thumb) * self.scroll_x / most, self._tops[-1] + 4, thumb, 4), 2, 2)
        painter.restore()
        if self.hovered or self.copied:
            self._paint_copy(painter)

    def _paint_row(self, painter: QPainter, number: int, top: float, bottom: float) -> None:
        style = self.style
        start = self._starts[number]
        for column, text in enumerate(self.rows[number]):
            left = self._lefts[column] - self.scroll_x
            right = self._lefts[column + 1] - self.scroll_x
            end = start + len(text)
            if right >= 0 and left <= self.width:
                if self.selection is not None and self.selection[0] <= start and end <= self.selection[1]:
                    painter.fillRect(QRectF(left, top, right - left, bottom - top - 1), style.colour("selection"))
                if self.rich:
                    self._paint_cell(painter, self._cells[number][column], left + PAD_X, top + PAD_Y)
                else:
                    self._paint_plain(
                        painter, text, QRectF(left + PAD_X, top, right - left - 2 * PAD_X, bottom - top), column, number
                    )
            start = end + 1

    def _paint_cell(self, painter: QPainter, cell: _Cell, x: float, y: float) -> None:
        painter.save()
        painter.translate(x, y)
        if cell.decorations.code_spans:
            paint_decorations(painter, cell.document, cell.decorations, self.style, QRectF(0, 0, 1e5, 1e5))
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = self.style.qt_palette
        cell.document.documentLayout().draw(painter, context)
        painter.restore()

    def _paint_plain(self, painter: QPainter, text: str, box: QRectF, column: int, number: int) -> None:
        font = QFont(self.style.body)
        if number == 0:
            font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(self.style.colour("text"))
        shown = QFontMetricsF(font).elidedText(text[:400], Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, self._aligns[column] | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)

    def _copy_box(self) -> QRectF:
        label = self._copy_label()
        width = QFontMetricsF(self.style.small).horizontalAdvance(label) + 20
        return QRectF(min(float(self.width), max(self._lefts[-1], width)) - width, 5, width, 26)

    def _copy_label(self) -> str:
        return QCoreApplication.translate("TablePart", "Copied" if self.copied else "Copy table")

    def _paint_copy(self, painter: QPainter) -> None:
        style = self.style
        box = self._copy_box()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.colour("border"), 1))
        painter.setBrush(style.colour("raised"))
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(style.small)
        painter.setPen(style.colour("success" if self.copied else "text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._copy_label())

    def clear(self) -> None:
        self._segment = None
        self._taken = self._left_out = self._laid = 0
        self.rows = []
        self._aligns = []
        self._cells = []
        self._natural = []
        self._lefts = [0.0]
        self._tops = [0.0]
        self._starts = []
        self.scroll_x = 0.0
        self.copied = False
        self.selection = None
        self.width = -1

    def length(self) -> int:
        if not self.rows:
            return 0
        return self._starts[-1] + sum(map(len, self.rows[-1])) + len(self.rows[-1]) - 1

    def hit(self, point: QPointF) -> int:
        if not self.rows:
            return 0
        number = min(max(0, bisect_right(self._tops, point.y()) - 1), len(self.rows) - 1)
        position = self._starts[number]
        x = point.x() + self.scroll_x
        for column, text in enumerate(self.rows[number]):
            left, right = self._lefts[column], self._lefts[column + 1]
            if x < (left + right) / 2:
                return position
            if x < right or column == len(self.rows[number]) - 1:
                return position + len(text)
            position += len(text) + 1
        return position

    def text(self, start: int, end: int) -> str:
        """Cells with tabs between them, rows on lines: what a spreadsheet takes."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = max(0, bisect_right(self._starts, end) - 1)
        joined = "\n".join("\t".join(row) for row in self.rows[first : last + 1])
        base = self._starts[first] if self._starts else 0
        return joined[start - base : end - base]

    def tsv(self) -> str:
        """Return all rows, also those beyond what is shown, for a spreadsheet."""
        lines = self._segment.source.strip().splitlines() if self._segment is not None else []
        return "\n".join("\t".join(split_row(line)) for number, line in enumerate(lines) if number != 1)

    def found(self, find: Callable[[str], list[TextSpan]]) -> list[list[QRectF]]:
        """In each cell; of a large table the cells that have it are the places."""
        places: list[list[QRectF]] = []
        for number, row in enumerate(self.rows if len(self._tops) > len(self.rows) else ()):
            for column, text in enumerate(row[: len(self._lefts) - 1]):
                x, y = self._lefts[column] - self.scroll_x, self._tops[number]
                if not self.rich:
                    box = QRectF(x, y, self._lefts[column + 1] - self._lefts[column], self._tops[number + 1] - y)
                    places += [[box]] * len(find(text))
                    continue
                document = self._cells[number][column].document
                shown = document.toPlainText()
                for start, end in find(shown):
                    boxes = boxes_between(document, utf16_at(shown, start), utf16_at(shown, end))
                    places.append([box.translated(x + PAD_X, y + PAD_Y) for box in boxes])
        return places

    def found_key(self) -> object:
        return id(self._segment), self._taken, self.width, self.scroll_x

    def word_at(self, position: int) -> tuple[int, int]:
        number = max(0, bisect_right(self._starts, position) - 1)
        at = self._starts[number]
        for text in self.rows[number]:
            if position <= at + len(text):
                return at, at + len(text)
            at += len(text) + 1
        return at, at

    def paragraph_at(self, position: int) -> tuple[int, int]:
        number = max(0, bisect_right(self._starts, position) - 1)
        return self._starts[number], self._starts[number] + sum(map(len, self.rows[number])) + len(
            self.rows[number]
        ) - 1

    def targets(self) -> list[Target]:
        found = [Target("copy", self._copy_box(), self, QCoreApplication.translate("TablePart", "Copy this table"))]
        for number, row in enumerate(self._cells):
            for column, cell in enumerate(row):
                for position, length, href in cell.decorations.links:
                    for box in span_rects(cell.document, position, length)[:1]:
                        x = self._lefts[column] + PAD_X - self.scroll_x
                        label = self.rows[number][column]
                        found.append(Target("link", box.translated(x, self._tops[number] + PAD_Y), href, label))
        return found

    def scroll_by(self, dx: float) -> bool:
        before = self.scroll_x
        self.scroll_x = min(max(0.0, before + dx), self._max_scroll())
        return self.scroll_x != before

    def _max_scroll(self) -> float:
        return max(0.0, self._lefts[-1] - self.width)
