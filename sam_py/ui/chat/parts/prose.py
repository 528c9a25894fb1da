"""Prose: paragraphs, headings, lists and quotes in one small QTextDocument."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QTextCharFormat, QTextCursor

from sam_py.ui.chat.parts.base import Part, Surroundings, Target, TextSpan
from sam_py.ui.markdown.decorations import Decorations, Marker, boxes_between, paint_decorations, span_rects, utf16_at
from sam_py.ui.markdown.documents import ClosedDocument, append_words, fill, reference_labels
from sam_py.ui.markdown.growth import words_behind
from sam_py.ui.markdown.looks import Looks
from sam_py.ui.markdown.maths import Key, shared_formulas
from sam_py.ui.markdown.segments import Segment


class ProsePart(Part):
    kind = "prose"

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._document: ClosedDocument | None = None
        self.decorations = Decorations()
        self._segment: Segment | None = None
        self._source = ""
        self._dirty = False
        self._empty = True
        self._listening = False
        self._looks: Looks | None = None
        self._parsed: tuple[str, int, int | None] | None = None
        """What the document holds: source, column and number."""

    @property
    def document(self) -> ClosedDocument:
        """Made when it is first needed: a part far down in a long text may never be seen."""
        if self._document is None:
            self._document = ClosedDocument()
        return self._document

    @property
    def source(self) -> str:
        """The Markdown that it shows, with what of it is still unfinished."""
        return self._source

    def shown_text(self) -> str:
        """What stands in the document, a character for each of its positions (but two for an emoji)."""
        return self.document.toPlainText()

    def found(self, find: Callable[[str], list[TextSpan]]) -> list[list[QRectF]]:
        shown = self.shown_text()
        is_wide = not shown.isascii() and max(shown, default="") > "\uffff"
        places = [(utf16_at(shown, a), utf16_at(shown, b)) if is_wide else (a, b) for a, b in find(shown)]
        return [list(boxes_between(self.document, *place)) for place in places]

    def found_key(self) -> object:
        return self._source, self.width, self.height

    def show(self, segment: Segment, provisional: str = "") -> None:
        source = segment.source + provisional
        if segment is self._segment and source == self._source:
            return
        self._segment, self._source = segment, source
        self.depth, self.continues = segment.depth, segment.continues
        self._dirty = True

    def restyle(self) -> None:
        super().restyle()
        self._looks = self._parsed = None
        self._dirty = self._segment is not None

    def estimate(self, width: int) -> int | None:
        if not self._dirty and width == self.width:
            return None
        style = self.style
        columns = max(8.0, width / (style.body_line_px * 0.36))
        lines = self._source.count("\n") + len(self._source) / columns
        return round(lines * style.body_line_px)

    def layout_for(self, width: int) -> int:
        if not self._dirty and width == self.width:
            self.changed_px = self.height
            return self.height
        before = self._looks if self._dirty and width == self.width else None
        pills = self.decorations.pills
        if self._dirty and width == self.width and self._grow():
            self._dirty = False
        elif self._dirty:
            self.document.setLayoutEnabled(False)
            self.document.setTextWidth(width)
            self._fill()
            self.width = width
        if width != self.width:
            self.document.setTextWidth(width)
        self.width = width
        if self._empty:
            self.gap_above = self.gap_below = self.height = 0
        else:
            self.height = round(self.document.size().height())
        self._looks = Looks.of(self.document)
        self.changed_px, line_px = self._looks.changed_from(before) if before is not None else (0, 0)
        kept = {span: boxes for span, boxes in pills.items() if boxes and boxes[-1].bottom() <= line_px}
        self.decorations.pills = kept
        return self.height

    def _fill(self) -> None:
        """Parse the text, if that was not done yet."""
        if self._dirty and self._segment is not None:
            self._dirty = False
            self.decorations = fill(self.document, self._source, self._segment, self.style, self.around.references)
            self.gap_above, self.gap_below = self.decorations.top_px, self.decorations.bottom_px
            if self.continues and any(marker.block == 0 for marker in self.decorations.markers):
                self.gap_above = self.style.item_px  # the document takes it for the first item of a list
            self._parsed = self._source, self._segment.column, self._segment.number
            self._empty = not self._source.strip() or (self.document.isEmpty() and not self.decorations.rules)
            self.width = -1
            if self.decorations.pending_maths and not self._listening:
                self._listening = True
                shared_formulas().ready.connect(self._formula_ready)

    def _grow(self) -> bool:
        """Put plain words behind the document as it is. False where it has to be parsed again."""
        segment = self._segment
        if self._parsed is None or segment is None or self._parsed[1:] != (segment.column, segment.number):
            return False
        before = self._parsed[0]
        if self._source != before:
            words = words_behind(before, self._source)
            if words is None or not append_words(self.document, self.decorations, words):
                return False
        self._parsed = self._source, segment.column, segment.number
        return True

    def _formula_ready(self, key: Key) -> None:
        if key in self.decorations.pending_maths:
            self._unlisten()
            self._parsed = None
            self._dirty = True
            self.around.changed(self, True)

    def _unlisten(self) -> None:
        if self._listening:
            self._listening = False
            shared_formulas().ready.disconnect(self._formula_ready)

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        paint_decorations(painter, self.document, self.decorations, self.style, clip)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = self.style.qt_palette
        context.clip = clip
        if self.selection is not None:
            selected = QAbstractTextDocumentLayout.Selection()
            cursor = QTextCursor(self.document)
            cursor.setPosition(self.selection[0])
            cursor.setPosition(min(self.selection[1], self.length()), QTextCursor.MoveMode.KeepAnchor)
            selected.cursor = cursor
            fmt = QTextCharFormat()
            fmt.setBackground(self.style.colour("selection"))
            selected.format = fmt
            context.selections = [selected]
        self.document.documentLayout().draw(painter, context)

    def clear(self) -> None:
        self._unlisten()
        self._segment = None
        self._source = ""
        self._dirty = False
        self.selection = None
        self.decorations = Decorations()
        self._looks = self._parsed = None
        if self._document is not None:
            self._document.clear()
        self.width = -1

    def labels(self) -> list[str]:
        """Return what stands in square brackets and may be the label of a link reference."""
        return reference_labels(self._source)

    def length(self) -> int:
        self._fill()
        return self.document.characterCount() - 1

    def hit(self, point: QPointF) -> int:
        return max(0, self.document.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit))

    def text(self, start: int, end: int) -> str:
        self._fill()
        markers = {marker.block: marker for marker in self.decorations.markers}
        block = self.document.findBlock(start)
        formulas = {position: latex for position, latex, _picture in self.decorations.maths}
        pieces: list[str] = []
        before: Marker | None = None
        code = [range(first, last + 1) for first, last in self.decorations.code_blocks]
        while block.isValid() and block.position() <= end:
            at = block.position()
            line = block.text()[max(0, start - at) : max(0, end - at)].replace("\u2028", "\n")
            if formulas:
                low = max(start, at)
                line = "".join(f"${formulas[low + n]}$" if low + n in formulas else char for n, char in enumerate(line))
            marker = markers.get(block.blockNumber())
            if marker is not None and start <= at:
                box = "" if marker.checked is None else "[x] " if marker.checked else "[ ] "
                line = "  " * (marker.level - 1) + (marker.text or "-") + " " + box + line
            if pieces:
                together = before is not None and marker is not None
                together = together or any(block.blockNumber() in r and block.blockNumber() - 1 in r for r in code)
                pieces.append("\n" if together else "\n\n")
            pieces.append(line)
            before = marker
            block = block.next()
        return "".join(pieces)

    def word_at(self, position: int) -> tuple[int, int]:
        cursor = QTextCursor(self.document)
        cursor.setPosition(min(position, self.length()))
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def paragraph_at(self, position: int) -> tuple[int, int]:
        block = self.document.findBlock(min(position, self.length()))
        return block.position(), block.position() + block.length() - 1

    def targets(self) -> list[Target]:
        found = []
        for position, length, href in self.decorations.links:
            boxes = span_rects(self.document, position, length)
            cursor = QTextCursor(self.document)
            cursor.setPosition(position)
            cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
            box = boxes[0] if boxes else QRectF()
            found.append(Target("link", box, href, cursor.selectedText()))
        return found

    def target_at(self, point: QPointF) -> Target | None:
        if not self.decorations.links:
            return None
        href = self.document.documentLayout().anchorAt(point)
        return Target("link", QRectF(), href, href) if href else None
