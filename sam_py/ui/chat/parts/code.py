"""Code: a header with the language and a copy button, and lines that are laid out only where they are seen.

Lines have one height and are never wrapped, so a block of any length is laid out in O(new lines); a wide one
scrolls sideways.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTextCharFormat, QTextLayout, QTextLine, QTextOption

from sam_py.ui.chat.parts.base import Part, Surroundings, Target, TextSpan, word_bounds
from sam_py.ui.markdown.decorations import utf16_at
from sam_py.ui.markdown.highlight import DARK_CODE, LIGHT_CODE, Highlighter, Span, is_loaded, load
from sam_py.ui.markdown.segments import Segment

FOLD_CHARS = 10_000
"""A line longer than this goes on in the next."""
PAD_PX = 14
HEADER_PX = 34
_CACHED_LINES = 400
COLOUR_MS = 5
"""How long one repaint may spend on colours."""


class CodePart(Part):
    kind = "code"
    has_ground = True

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.language = ""
        self.scroll_x = 0.0
        self.copied = False
        self._segment: Segment | None = None
        self._taken = 0  # characters of the segment's content
        self._lines: list[str] = [""]
        self._starts: list[int] = [0]
        self._natural_px = 0.0
        self._widest = 0
        self._scroll_known = 0.0
        self._layouts: dict[int, QTextLayout] = {}
        self._plain: set[int] = set()  # lines laid out before they had their colours
        self._new_from = 0  # lines from here on came since the last `layout_for`
        self._highlighter: Highlighter | None = None
        self._coloured = 0  # so many lines have their colours
        self._formats: dict[str, QTextCharFormat] = {}
        self._more = QTimer()
        self._more.setSingleShot(True)
        self._more.setInterval(0)
        self._more.timeout.connect(self._repaint)

    def show(self, segment: Segment, provisional: str = "") -> None:
        if segment is not self._segment:
            self.clear()
            self._segment = segment
            self.language = segment.language
            self._highlighter = None
            self.depth = segment.depth
        if segment.content_size > self._taken:
            new = segment.content_from(self._taken)
            self._taken = segment.content_size
            self._append(new)
        self.gap_above = self.gap_below = self.style.paragraph_px

    def restyle(self) -> None:
        super().restyle()
        self._layouts.clear()
        self._plain.clear()
        self._formats.clear()
        self._widest = 0
        for line in sorted(self._lines, key=len)[-20:]:
            self._measure(line)

    def layout_for(self, width: int) -> int:
        kept = width == self.width and self._max_scroll() == self._scroll_known
        self.changed_px = round(HEADER_PX + self._new_from * self.style.mono_line_px) if kept else 0
        self._new_from = len(self._lines)
        self.width = width
        self._scroll_known = self._max_scroll()
        self.scroll_x = min(self.scroll_x, self._max_scroll())
        bar = 8 if self._max_scroll() else 0
        self.height = round(HEADER_PX + self._line_count() * self.style.mono_line_px + PAD_PX + bar)
        return self.height

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        style = self.style
        box = QRectF(0.5, 0.5, self.width - 1, self.height - 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.colour("border"), 1))
        painter.setBrush(style.colour("code"))
        painter.drawRoundedRect(box, 10, 10)
        self._paint_header(painter)
        painter.save()
        painter.setClipRect(
            QRectF(1, HEADER_PX - 4, self.width - 2, self.height - HEADER_PX + 4), Qt.ClipOperation.IntersectClip
        )
        line_px = style.mono_line_px
        first = max(0, int((clip.top() - HEADER_PX) // line_px))
        last = min(self._line_count(), int((clip.bottom() - HEADER_PX) // line_px) + 1)
        painter.setPen(style.colour("text"))
        self._colour_up_to(last, first)
        x = PAD_PX - self.scroll_x
        offset = (line_px - QFontMetricsF(style.mono).height()) / 2
        for number in range(first, last):
            y = HEADER_PX + number * line_px
            if self.selection is not None:
                self._paint_selection(painter, number, x, y)
            self._layout(number).draw(painter, QPointF(x, y + offset))
        painter.restore()
        if most := self._max_scroll():
            self._paint_bar(painter, most)

    def _paint_header(self, painter: QPainter) -> None:
        style = self.style
        painter.setFont(style.small)
        painter.setPen(style.colour("text_muted"))
        area = QRectF(PAD_PX, 2, self.width - 2 * PAD_PX, HEADER_PX - 4)
        label = self.language or QCoreApplication.translate("CodePart", "text")
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, label)
        if self.hovered or self.copied:
            painter.setPen(style.colour("success" if self.copied else "text"))
        copy = self._copy_label()
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, copy)

    def _copy_label(self) -> str:
        if self.copied:
            return QCoreApplication.translate("CodePart", "Copied")
        return QCoreApplication.translate("CodePart", "Copy")

    def _paint_selection(self, painter: QPainter, number: int, x: float, y: float) -> None:
        assert self.selection is not None
        start, end = self.selection
        at = self._starts[number]
        length = len(self._lines[number])
        if end <= at or start > at + length:
            return
        line = self._layout(number).lineAt(0)
        left = _cursor_x(line, max(0, start - at))
        right = _cursor_x(line, min(length, end - at)) + (6 if end > at + length else 0)
        painter.fillRect(QRectF(x + left, y, right - left, self.style.mono_line_px), self.style.colour("selection"))

    def _paint_bar(self, painter: QPainter, most: float) -> None:
        track = self.width - 2 * PAD_PX
        thumb = max(24.0, track * track / (track + most))
        colour = self.style.colour("text_muted")
        colour.setAlphaF(0.55 if self.hovered else 0.3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        left = PAD_PX + (track - thumb) * self.scroll_x / most
        painter.drawRoundedRect(QRectF(left, self.height - 9, thumb, 4), 2, 2)

    def clear(self) -> None:
        self._segment = None
        self._taken = 0
        self._lines = [""]
        self._starts = [0]
        self._natural_px = 0.0
        self._widest = 0
        self._layouts.clear()
        self._plain.clear()
        self._new_from = 0
        self._highlighter = None
        self._coloured = 0
        self._more.stop()
        self.scroll_x = 0.0
        self.copied = False
        self.selection = None
        self.width = -1

    def length(self) -> int:
        return self._starts[-1] + len(self._lines[-1]) - (1 if len(self._lines) > 1 and not self._lines[-1] else 0)

    def hit(self, point: QPointF) -> int:
        number = min(max(0, int((point.y() - HEADER_PX) // self.style.mono_line_px)), self._line_count() - 1)
        if point.y() < 0:
            return 0
        line = self._layout(number).lineAt(0)
        return self._starts[number] + line.xToCursor(point.x() - PAD_PX + self.scroll_x)

    def text(self, start: int, end: int) -> str:
        first, last = self._line_of(start), self._line_of(end)
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: end - self._starts[last]]
        lines[0] = lines[0][start - self._starts[first] :]
        return "\n".join(lines)

    def code(self) -> str:
        """Return all the code, as the copy button puts it on the clipboard."""
        return self._segment.body.rstrip("\n") if self._segment is not None else ""

    def found(self, find: Callable[[str], list[TextSpan]]) -> list[list[QRectF]]:
        """Line by line: what stands on two lines is not found."""
        places: list[list[QRectF]] = []
        line_px = self.style.mono_line_px
        for number in range(self._line_count()):
            for start, end in find(self._lines[number]) if self._lines[number] else ():
                line = self._layout(number).lineAt(0)
                left, right = (_cursor_x(line, utf16_at(self._lines[number], at)) for at in (start, end))
                x = PAD_PX - self.scroll_x + min(left, right)
                places.append([QRectF(x, HEADER_PX + number * line_px, abs(right - left), line_px)])
        return places

    def found_key(self) -> object:
        return id(self._segment), self._taken, self.width, self.scroll_x

    def word_at(self, position: int) -> tuple[int, int]:
        number = self._line_of(position)
        start, end = word_bounds(self._lines[number], position - self._starts[number])
        return self._starts[number] + start, self._starts[number] + end

    def paragraph_at(self, position: int) -> tuple[int, int]:
        number = self._line_of(position)
        return self._starts[number], self._starts[number] + len(self._lines[number])

    def targets(self) -> list[Target]:
        width = QFontMetricsF(self.style.small).horizontalAdvance(self._copy_label()) + 2 * PAD_PX
        label = QCoreApplication.translate("CodePart", "Copy this code")
        return [Target("copy", QRectF(self.width - width, 0, width, HEADER_PX), self, label)]

    def scroll_by(self, dx: float) -> bool:
        before = self.scroll_x
        self.scroll_x = min(max(0.0, before + dx), self._max_scroll())
        return self.scroll_x != before

    def is_text_at(self, point: QPointF) -> bool:
        return point.y() >= HEADER_PX - 4

    def _colour_up_to(self, last: int, top: int) -> None:
        """Colour the lines before `last`, for `COLOUR_MS` at most; the rest follows in the next frame.

        Those from `top` on are about to be painted.
        """
        if self._coloured >= last or not self.language:
            return
        if self._highlighter is None:
            if not is_loaded(self.language):
                self._more.start()  # loading a lexer takes longer than a frame: the text comes first
                return
            self._highlighter = Highlighter(self.language)
        stop = time.perf_counter() + COLOUR_MS / 1000
        while self._coloured < last and self._highlighter.active:
            upto = min(last, self._coloured + 16)
            first = self._highlighter.next_line
            before = self._highlighter.spans[first:]
            self._highlighter.update(self._lines, upto)
            for number, spans in enumerate(self._highlighter.spans[first:upto], first):
                same = number - first < len(before) and spans == before[number - first]
                if not same or number in self._plain:
                    self._layouts.pop(number, None)
                    self._plain.discard(number)
                    if number < top:  # above what is painted now, as the start of a long string that only now ended
                        self._more.start()
            self._coloured = upto
            if time.perf_counter() > stop:
                self._more.start()
                break

    def _repaint(self) -> None:
        load(self.language)
        self.around.changed(self, False)

    def _format(self, role: str) -> QTextCharFormat:
        fmt = self._formats.get(role)
        if fmt is None:
            fmt = self._formats[role] = QTextCharFormat()
            fmt.setForeground(QColor((DARK_CODE if self.style.theme.dark else LIGHT_CODE)[role]))
            fmt.setFontItalic(role == "comment")
        return fmt

    def _append(self, text: str) -> None:
        lines = text.expandtabs(4).replace("\0", "\ufffd").split("\n")
        self._new_from = min(self._new_from, len(self._lines) - 1)
        self._layouts.pop(len(self._lines) - 1, None)
        self._coloured = min(self._coloured, len(self._lines) - 1)
        self._put(self._lines[-1] + lines[0])
        for line in lines[1:]:
            self._starts.append(self._starts[-1] + len(self._lines[-1]) + 1)
            self._lines.append("")
            self._put(line)

    def _put(self, line: str) -> None:
        """Set the last line, folded where it is too long."""
        while len(line) > FOLD_CHARS:
            self._lines[-1], line = line[:FOLD_CHARS], line[FOLD_CHARS:]
            self._measure(self._lines[-1])
            self._starts.append(self._starts[-1] + FOLD_CHARS)
            self._lines.append("")
        self._lines[-1] = line
        self._measure(line)

    def _measure(self, line: str) -> None:
        columns = len(line) if line.isascii() else 2 * len(line)  # a character may be two columns wide
        if columns > self._widest:
            self._natural_px = max(self._natural_px, QFontMetricsF(self.style.mono).horizontalAdvance(line))
            self._widest = max(self._widest, len(line))

    def _line_count(self) -> int:
        return len(self._lines) - (1 if len(self._lines) > 1 and not self._lines[-1] else 0)

    def _max_scroll(self) -> float:
        return max(0.0, self._natural_px - (self.width - 2 * PAD_PX))

    def _line_of(self, position: int) -> int:
        return max(0, bisect_right(self._starts, position) - 1)

    def _layout(self, number: int) -> QTextLayout:
        layout = self._layouts.get(number)
        if layout is None:
            if len(self._layouts) >= _CACHED_LINES:
                self._layouts.clear()
                self._plain.clear()
            layout = QTextLayout(self._lines[number], self.style.mono)
            option = QTextOption()
            option.setWrapMode(QTextOption.WrapMode.NoWrap)
            layout.setTextOption(option)
            layout.setCacheEnabled(True)
            coloured = self._highlighter.spans if self._highlighter is not None else []
            if number < min(self._coloured, len(coloured)):
                layout.setFormats([self._range(span) for span in coloured[number]])
            else:
                self._plain.add(number)
            layout.beginLayout()
            line = layout.createLine()
            line.setLineWidth(1e7)
            line.setPosition(QPointF(0, 0))
            layout.endLayout()
            self._layouts[number] = layout
        return layout

    def _range(self, span: Span) -> QTextLayout.FormatRange:
        what = QTextLayout.FormatRange()
        what.start, what.length = span[0], span[1]
        what.format = self._format(span[2])
        return what


def _cursor_x(line: QTextLine, position: int) -> float:
    x: Any = line.cursorToX(position)  # PySide returns (x, position) where its stubs say float
    return float(x[0] if isinstance(x, tuple) else x)
