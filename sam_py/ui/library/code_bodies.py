"""CodeBodies: the first lines of code as pictures: drawn once, plain at first, in colours when they stay on view."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, QPointF, QSize, Signal
from PySide6.QtGui import QColor, QFontDatabase, QFontMetrics, QImage, QPainter

from sam_py.store.search_index.results import Item
from sam_py.ui.library.model import Key, key_of
from sam_py.ui.widgets.icons import Icons

Spawn = Callable[[Coroutine[Any, Any, None]], object]
Spans = list[list[tuple[int, int, str]]]

LINES = 6
_LINE_CHARACTERS = 160
_MOST_HELD = 120
_SMALLER = 0.92
_LEADING = 1.08


class CodeBodies(QObject):
    """Made and asked on the window's thread; languages are read on another one."""

    ready = Signal()
    """Some have their colours now."""

    def __init__(self, icons: Icons, spawn: Spawn, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._spawn = spawn
        self._held: OrderedDict[tuple[Key, int, int, str], QImage] = OrderedDict()
        self._spans: OrderedDict[Key, Spans] = OrderedDict()
        self._waiting: list[Item] = []
        self._is_reading = False
        self.line_px = 0
        """The height of a line."""
        self._measure()
        icons.changed.connect(self._forget)

    def image(self, item: Item, size: QSize, ratio: float, ground: str) -> QImage:
        """The lines of `item` in this size (in logical pixels), on `ground`: what is opaque is painted in no time."""
        key = (key_of(item), size.width(), round(size.height() * ratio), ground)
        image = self._held.get(key)
        if image is None:
            image = self._held[key] = self._draw(item, size, ratio, ground)
            while len(self._held) > _MOST_HELD:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(key)
        return image

    def want(self, items: Sequence[Item]) -> None:
        """These are on view, and stay there: give them their colours."""
        self._waiting = [item for item in items if item.detail and key_of(item) not in self._spans]
        if self._waiting and not self._is_reading:
            self._is_reading = True
            self._spawn(self._colour())

    async def _colour(self) -> None:
        try:
            while self._waiting:
                items, self._waiting = self._waiting, []
                found = await asyncio.to_thread(_all_spans, items)
                self._spans.update(found)
                while len(self._spans) > 4 * _MOST_HELD:
                    self._spans.popitem(last=False)
                for key in [key for key in self._held if key[0] in found]:
                    del self._held[key]
                self.ready.emit()
        finally:
            self._is_reading = False

    def _draw(self, item: Item, size: QSize, ratio: float, ground: str) -> QImage:
        from sam_py.ui.markdown.highlight import DARK_CODE, LIGHT_CODE

        theme = self._icons.themes.current
        image = QImage(size * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor(ground))
        painter = QPainter(image)
        painter.setFont(self._font)
        metrics = self._metrics
        plain = QColor(theme.palette.text)
        colours = DARK_CODE if theme.dark else LIGHT_CODE
        spans = self._spans.get(key_of(item), [])
        y = metrics.ascent() + (self.line_px - metrics.height()) / 2
        for number, line in enumerate(first_lines(item.text)):
            x, at = 0.0, 0
            of_line = spans[number] if number < len(spans) else []
            for start, length, role in (*of_line, (len(line), 0, "")):
                for piece, colour in ((line[at:start], plain), (line[start : start + length], colours.get(role))):
                    if piece:
                        painter.setPen(QColor(colour) if colour is not None else plain)
                        painter.drawText(QPointF(x, y), piece)
                        x += metrics.horizontalAdvance(piece) if of_line else 0
                at = start + length
            y += self.line_px
        painter.end()
        return image

    def _measure(self) -> None:
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._font.setPointSizeF(self._icons.themes.current.code_pt * _SMALLER)
        self._metrics = QFontMetrics(self._font)
        self.line_px = round(self._metrics.lineSpacing() * _LEADING)

    def _forget(self) -> None:
        self._held.clear()
        self._measure()


def first_lines(text: str) -> list[str]:
    """The first lines that say something, without what no font draws, and without their common indentation.

    >>> first_lines("\\n    if x:\\n\\tgo()\\n")
    ['if x:', 'go()']
    """
    lines = [line.expandtabs(4)[:_LINE_CHARACTERS].rstrip() for line in text.strip("\n").split("\n", LINES)[:LINES]]
    lines = [
        line if line.isprintable() else "".join(char if char.isprintable() else " " for char in line) for line in lines
    ]
    while lines and not lines[-1]:
        lines.pop()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return [line[min(indents, default=0) :] for line in lines]


def _all_spans(items: Sequence[Item]) -> dict[Key, Spans]:
    """On a worker thread, where Pygments is imported, too."""
    from sam_py.ui.markdown.highlight import Highlighter

    found: dict[Key, Spans] = {}
    for item in items:
        lines = first_lines(item.text)
        highlighter = Highlighter(item.detail)
        highlighter.update(lines, len(lines))
        found[key_of(item)] = list(highlighter.spans)
    return found
