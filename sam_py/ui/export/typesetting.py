"""A piece of a conversation as a document of the page's width: type, code in colour, pictures and formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QGuiApplication,
    QImage,
    QPagedPaintDevice,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
)

from sam_py.store.exporters.printable import Piece, on_paper
from sam_py.ui.export.drawn import Drawn, Find
from sam_py.ui.export.grounds import (
    CODE_MARGIN_PX,
    PAD_PX,
    QUOTE_PX,
    Grounds,
    language_of,
    quote_level,
)
from sam_py.ui.markdown.decorations import utf16_at
from sam_py.ui.markdown.highlight import LIGHT_CODE, Highlighter
from sam_py.ui.markdown.typography import EMOJI_FAMILIES, MONO_FAMILIES
from sam_py.ui.theme import LIGHT

BODY_PT = 10.0
_CODE_PT = 8.5
_INDENT_PX = 22
_BUBBLE_PX = 11.0
"""Between what the person said and the edge of its ground."""
_STYLE = f"""
body {{ font-size: {BODY_PT}pt; }}
h1 {{ font-size: 15pt; margin-top: 15px; margin-bottom: 7px; }}
h2 {{ font-size: 13pt; margin-top: 15px; margin-bottom: 6px; }}
h3 {{ font-size: 11.5pt; margin-top: 13px; margin-bottom: 5px; }}
h4, h5, h6 {{ font-size: {BODY_PT}pt; margin-top: 11px; margin-bottom: 4px; }}
p {{ margin-top: 0px; margin-bottom: 7px; }}
ul, ol {{ margin-top: 0px; margin-bottom: 7px; }}
li {{ margin-bottom: 3px; }}
blockquote {{ margin-top: 4px; margin-bottom: 9px; margin-left: [{QUOTE_PX}]; margin-right: [0]; }}
pre {{ margin-top: {PAD_PX + 5:g}px; margin-bottom: {2 * PAD_PX + 4:g}px;
 margin-left: [{CODE_MARGIN_PX}]; margin-right: [{CODE_MARGIN_PX}]; }}
code {{ background-color: #f0f0ed; }}
a {{ color: {LIGHT.link}; }}
table {{ border-width: 0px; margin-top: 5px; margin-bottom: 10px; border-collapse: collapse; }}
td, th {{ border: 1px solid #c8c8c4; }}
th {{ background-color: #f0f0ed; }}
"""
_LENGTH = re.compile(r"\[(\d+(?:\.\d+)?)\]")
"""Pixels, 96 to the inch, that become dots: Qt scales what stands above and below a paragraph, but not its sides."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A set piece. `inset`: dots that it is set in from both sides, for the ground that it lies on."""

    document: QTextDocument
    grounds: Grounds
    inset: float


class Typesetter:
    """Made on the window's thread, where fonts are asked for; `set` may be called on another, after `open` there."""

    def __init__(self) -> None:
        self.font = QFont(QGuiApplication.font())
        self.font.setPointSizeF(BODY_PT)
        # Named by itself, or the fonts of emoji would also give the digits.
        self.font.setFamilies([QFontInfo(self.font).family(), *EMOJI_FAMILIES])
        have = set(QFontDatabase.families())
        system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        self._fixed = [*[name for name in MONO_FAMILIES if name in have][:1], system]
        self._formats = {role: _coloured(colour) for role, colour in LIGHT_CODE.items()}

    def open(self, device: QPagedPaintDevice, width: float, room: QSizeF) -> None:
        """Set for `device`, whose text is so wide; a picture takes `room` at most."""
        self._device = device
        self._width = width
        self._room = room
        self.px = device.logicalDpiX() / 96
        fixed = ", ".join(f"'{name}'" for name in self._fixed)
        style = f"{_STYLE}pre, code {{ font-family: {fixed}; font-size: {_CODE_PT}pt; }}"
        self._style = _LENGTH.sub(lambda found: f"{float(found[1]) * self.px:.0f}px", style)
        self._drawn = Drawn(self.font, BODY_PT * device.logicalDpiY() / 72, self.px)

    def close(self) -> None:
        """Let go of what belongs to the thread that `open` was called on."""
        del self._drawn, self._device

    def set(self, piece: Piece, find: Find) -> Sheet:
        """A piece as a document without an end. Its owner deletes it on the thread that made it."""
        inset = _BUBBLE_PX * self.px if piece.is_persons else 0.0
        width = self._width - 2 * inset
        document = _Closed()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setIndentWidth(_INDENT_PX)
        document.setDefaultFont(self.font)
        document.setDefaultStyleSheet(self._style)
        document.documentLayout().setPaintDevice(self._device)
        self._drawn.take_over(document)
        html = self._drawn.complete(piece.html, piece.pictures, find, QSizeF(width, self._room.height()))
        document.setTextWidth(width)
        document.setLayoutEnabled(False)  # once at the end is enough
        document.setHtml(on_paper(html))
        grounds = self._looked_over(document)
        document.setLayoutEnabled(True)
        return Sheet(document, grounds, inset)

    def _looked_over(self, document: QTextDocument) -> Grounds:
        """Colours the code, and tells what lies behind the text."""
        grounds = Grounds()
        block, run = document.begin(), list[QTextBlock]()
        while block.isValid():
            if level := quote_level(block, self.px):
                grounds.note_quote(block, level)
                if block.textDirection() == Qt.LayoutDirection.RightToLeft:
                    _turn_over(block)
            grounds.note_item(block)
            if language_of(block) is not None:
                grounds.note_box(block)
                if block.blockNumber() in grounds.box_starts and run:
                    self._colour(run)
                    run = []
                run.append(block)
            elif run:
                self._colour(run)
                run = []
            block = block.next()
        if run:
            self._colour(run)
        return grounds

    def _colour(self, blocks: list[QTextBlock]) -> None:
        lines = [block.text() for block in blocks]
        highlighter = Highlighter(language_of(blocks[0]) or "")
        if not highlighter.active:
            return
        highlighter.update(lines, len(lines))
        for block, line, spans in zip(blocks, lines, highlighter.spans, strict=False):
            ranges = []
            for start, length, role in spans:
                span = QTextLayout.FormatRange()
                begin, end = utf16_at(line, start), utf16_at(line, start + length)
                span.start, span.length = begin, end - begin
                span.format = self._formats[role]
                ranges.append(span)
            block.layout().setFormats(ranges)


class _Closed(QTextDocument):
    """A document that loads nothing: neither files nor addresses. Without a picture Qt would look for a file itself."""

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        nothing = QImage(1, 1, QImage.Format.Format_ARGB32)
        nothing.fill(Qt.GlobalColor.transparent)
        return nothing


def _coloured(colour: str) -> QTextCharFormat:
    format = QTextCharFormat()
    format.setForeground(QColor(colour))
    return format


def _turn_over(block: QTextBlock) -> None:
    """A quotation that is read from the right is set in from there."""
    look = block.blockFormat()
    left, right = look.leftMargin(), look.rightMargin()
    look.setLeftMargin(right)
    look.setRightMargin(left)
    QTextCursor(block).setBlockFormat(look)
