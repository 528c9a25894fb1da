"""A message's text as a column of parts: one light widget that paints them, however long the message is.

While text streams in, `append_text` only buffers. `flush` cuts what came into segments, lays the last one out again
and asks for the repaint of its rectangle: parts above it are not touched, so a flush costs what the open block costs.
A column is reused for another message by `set_text`; parts go to a pool by kind and come back from it.

Model output is hostile until shown otherwise: nothing is loaded, links and pictures only become signals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from sam_py.messages.parts import FilePart, ImagePart
from sam_py.ui.chat.parts.base import Part, Surroundings
from sam_py.ui.chat.parts.code import CodePart
from sam_py.ui.chat.parts.file_chip import FileChipPart
from sam_py.ui.chat.parts.image import PicturePart
from sam_py.ui.chat.parts.maths import MathsPart
from sam_py.ui.chat.parts.parts_view import PartsView
from sam_py.ui.chat.parts.prose import ProsePart
from sam_py.ui.chat.parts.table import TablePart
from sam_py.ui.markdown.lines import fold_label
from sam_py.ui.markdown.segments import Segment, Segmenter
from sam_py.ui.markdown.typography import Typography, typography
from sam_py.ui.theme import Themes

PART_TYPES: dict[str, type[Part]] = {
    "prose": ProsePart,
    "code": CodePart,
    "table": TablePart,
    "math": MathsPart,
    "image": PicturePart,
    "file": FileChipPart,
}
POOL_SIZE = 12
"""How many parts of a kind a column keeps for its next message."""
FEED_MS = 40
"""So long one call cuts a text into segments; the rest of a very long one follows in the next frames."""
FEED_CHARS = 8_000
LAYOUT_MS = 25
"""So long one call lays out; parts that then remain get estimated heights and their turn in the next frames."""


class MarkdownColumn(PartsView):
    """Shows one Markdown text. `layout_for(width)` says how high it is; whoever owns it gives it that geometry."""

    height_changed = Signal()
    """Something came later than its text (a decoded picture): lay the column out again."""

    def __init__(
        self, themes: Themes, attachments_path: Callable[[str], Path | None], parent: QWidget | None = None
    ) -> None:
        self._segmenter = Segmenter()
        around = Surroundings(
            typography(themes.current),
            attachments_path,
            self._part_changed,
            self._segmenter.references,
            self.devicePixelRatioF,
        )
        super().__init__(around, parent)
        self._themes = themes
        self._text: list[str] = []
        self._pending: list[str] = []
        self._pool: dict[str, list[Part]] = {kind: [] for kind in PART_TYPES}
        self._settled = 0  # so many parts at the start will not change any more
        self._lead = 0  # so many parts stand above the text
        self._references_seen = 0
        self._finished = True
        self._rest = QTimer(self)  # lays out what a long text did not get at once
        self._rest.setSingleShot(True)
        self._rest.setInterval(0)
        self._rest.timeout.connect(self._lay_out_rest)
        self._unfed = ""
        self._fed = 0
        themes.changed.connect(self.set_theme)

    # Text

    def set_attachments(self, attachments: Sequence[ImagePart | FilePart]) -> None:
        """Show pictures and files above the text. Call it after `clear` (or on a new column), before any text."""
        for attachment in attachments:
            match attachment:
                case ImagePart():
                    url = f"attach:{attachment.attachment}" if attachment.attachment else attachment.url or ""
                    segment = Segment("image", url=url, info=attachment.alt, closed=True)
                case FilePart():
                    segment = Segment("file", url=attachment.attachment, info=attachment.filename, closed=True)
                    segment.size = attachment.size
            self._part_for(len(self._parts), segment.kind).show(segment)
        self._lead = len(self._parts)

    def set_text(self, text: str) -> None:
        """Show another, complete text. Parts of the one before are used again; attachments set just before stay."""
        if len(self._parts) > self._lead or self._text:
            self.clear()
        self._text.append(text)
        if not text:
            return
        self._unfed, self._fed = text, 0
        self._finished = False
        self._feed_for(FEED_MS)
        self._sync()
        if self._unfed:
            self._rest.start()

    def append_text(self, text: str) -> None:
        """Take the next piece of a text that streams in; `flush` shows it."""
        self._pending.append(text)
        self._finished = False
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # what grows at its end is painted there alone

    def flush(self) -> bool:
        """Show what was appended since the last time. Returns whether the height has changed."""
        self._feed_rest(len(self._unfed))
        if self._pending:
            chunk = "".join(self._pending)
            self._pending.clear()
            self._text.append(chunk)
            self._segmenter.feed(chunk)
        return self._sync()

    def finish(self) -> bool:
        """The text is complete. Returns whether the height has changed."""
        self._feed_rest(len(self._unfed))
        if self._pending:
            chunk = "".join(self._pending)
            self._pending.clear()
            self._text.append(chunk)
            self._segmenter.feed(chunk)
        self._segmenter.finish()
        self._finished = True
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents, False)
        self._text[:] = ["".join(self._text)]
        return self._sync()

    def clear(self) -> None:
        """Forget the text; keep the parts for the next one."""
        for part in self._parts:
            self._release(part)
        self._parts.clear()
        self._bottoms.clear()
        self._text.clear()
        self._pending.clear()
        self._unfed = ""
        self._rest.stop()
        self._segmenter = Segmenter()
        self._around.references = self._segmenter.references
        self._settled = self._references_seen = self._lead = 0
        self._hovered = self.spoken = self.found = None
        self._focus_at = -1
        self._finished = True
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents, False)

    def _feed_for(self, budget_ms: float) -> None:
        stop = time.perf_counter() + budget_ms / 1000
        while self._unfed and time.perf_counter() < stop:
            self._feed_rest(FEED_CHARS)

    def _feed_rest(self, size: int) -> None:
        """Feed the next `size` characters of a text that was too long to be cut at once."""
        if self._unfed:
            self._segmenter.feed(self._unfed[self._fed : self._fed + size])
            self._fed += size
            if self._fed >= len(self._unfed):
                self._unfed = ""
                self._segmenter.finish()
                self._finished = True

    def plain_text(self) -> str:
        """Return the text as a person reads it, without markup."""
        self._feed_rest(len(self._unfed))
        self._sync()
        return self.selected_text((0, 0), self.end_position())

    def markdown(self) -> str:
        """Return the text as it came."""
        return "".join(self._text) + "".join(self._pending)

    def set_theme(self) -> None:
        self._around.style = typography(self._themes.current)
        for parts in (self._parts, *self._pool.values()):
            for part in parts:
                part.restyle()
        if self._width:
            self._place(0)
        self.height_changed.emit()
        self.update()

    # Layout

    def layout_for(self, width_px: int) -> int:
        """Lay out for `width_px` and return the height, shown or not. Nothing is done where nothing has changed."""
        if width_px != self._width:
            self._width = width_px
            self._place(0)
        return self.content_height()

    def content_height(self) -> int:
        """The height of what is laid out now."""
        return self._bottoms[-1] if self._bottoms else 0

    def parts(self) -> list[Part]:
        return self._parts

    @property
    def text_style(self) -> Typography:
        return self._around.style

    def parts_between(self, start: int, end: int, known: tuple[int, int]) -> list[tuple[int, Part, int]]:
        """The parts that show these characters of the text, each with its number and where it begins in the text.

        `known` is a number and a beginning that were returned before: what lies above is not walked through again.
        """
        found: list[tuple[int, Part, int]] = []
        segments = self._segmenter.segments
        index, at = known
        while at < end and self._lead + index < len(self._parts):
            part = self._parts[self._lead + index]
            is_last = index >= len(segments) - 1  # it shows what is still unfinished, too
            size = segments[index].size if index < len(segments) else 0
            if is_last or at + size > start:
                found.append((index, part, at))
            at += size + (part.kind == "plain")  # the line break at which a typed text was cut
            index += 1
        return found

    def _sync(self) -> bool:
        """Bring the parts up to date with the segments; only those that may have changed are looked at."""
        segmenter = self._segmenter
        segments = list(segmenter.segments[self._settled :])
        extra = segmenter.provisional
        open_prose = bool(segments) and segments[-1].kind == "prose" and not segments[-1].closed
        if extra and not open_prose and not segmenter.in_open_block:
            segments.append(Segment("prose"))  # for as long as the line is unfinished
            open_prose = True
        first = self._lead + self._settled
        for offset, segment in enumerate(segments):
            index = first + offset
            part = self._part_for(index, segment.kind)
            part.show(segment, extra if open_prose and offset == len(segments) - 1 else "")
        while len(self._parts) > first + len(segments):
            self._release(self._parts.pop())
        self._settled = max(self._settled, len(segmenter.segments) - (0 if self._finished else 1), 0)
        if len(segmenter.references) != self._references_seen:
            first = min(first, self._apply_references())
        before = self.content_height()
        if self._width:
            self._place(first)
        return self.content_height() != before

    def _part_for(self, index: int, kind: str) -> Part:
        if index < len(self._parts):
            part = self._parts[index]
            if part.kind == kind:
                return part
            self._release(part)
            self._parts[index] = self._take(kind)
        else:
            self._parts.append(self._take(kind))
        return self._parts[index]

    def _take(self, kind: str) -> Part:
        pool = self._pool[kind]
        return pool.pop() if pool else PART_TYPES[kind](self._around)

    def _release(self, part: Part) -> None:
        if part is self._hovered:
            self._hovered = None
        part.hovered = False
        part.selection = None
        part.clear()
        self._unlaid.discard(part)
        if len(self._pool[part.kind]) < POOL_SIZE:
            self._pool[part.kind].append(part)

    def _apply_references(self) -> int:
        """Set prose again that uses a link reference which was defined only now; return the first part that did."""
        new = set(list(self._segmenter.references)[self._references_seen :])
        self._references_seen = len(self._segmenter.references)
        first = len(self._parts)
        for index, part in enumerate(self._parts):
            if isinstance(part, ProsePart) and new & {fold_label(label) for label in part.labels()}:
                part.restyle()
                first = min(first, index)
        return first

    def _place(self, first: int) -> None:
        """Lay out the parts from `first` on and put them below each other."""
        y = self._bottoms[first - 1] if first and first <= len(self._bottoms) else 0
        above = self._parts[first - 1] if first else None
        del self._bottoms[first:]
        dirty_from = -1
        stop = time.perf_counter() + LAYOUT_MS / 1000
        for part in self._parts[first:]:
            before = (part.top, part.height)
            part.changed_px = 0
            part.x = self._around.style.indent(part.depth)
            height = self._lay_out(part, stop)
            if height:
                if above is not None:
                    y += self._gap(above, part)
                above = part
            part.top = y
            if dirty_from < 0:
                if before[0] != y:
                    dirty_from = min(before[0], y)
                elif part.changed_px < height or before[1] != height:
                    dirty_from = y + min(part.changed_px, before[1], height)
            y += height
            self._bottoms.append(y)
        if dirty_from >= 0:
            self.repaint_from(max(0, dirty_from))
        if self._unlaid and not self._rest.isActive():
            self._rest.start()

    def _lay_out(self, part: Part, stop: float) -> int:
        """Lay `part` out and return its height, or only guess it when it is later than `stop`."""
        width = max(40, self._width - part.x)
        if time.perf_counter() > stop and (guess := part.estimate(width)) is not None:
            part.height = guess
            self._unlaid.add(part)
            return guess
        self._unlaid.discard(part)
        return part.layout_for(width)

    def _lay_out_rest(self) -> None:
        before = self.content_height()
        if self._unfed:
            self._feed_for(FEED_MS // 2)
            self._sync()
            if self._unfed or self._unlaid:
                self._rest.start()
        first = next((at for at, part in enumerate(self._parts) if part in self._unlaid), None)
        if first is not None:
            self._place(first)
        if self.content_height() != before:
            self.height_changed.emit()

    def _gap(self, above: Part, part: Part) -> int:
        style = self._around.style
        if part.continues and part.kind == above.kind == "prose":
            return style.item_px if part.gap_above <= style.item_px else 0
        return max(above.gap_below, part.gap_above)

    def _part_changed(self, part: Part, height_may_differ: bool) -> None:
        if part not in self._parts:
            return
        if height_may_differ and self._width:
            before = self.content_height()
            self._place(self._parts.index(part))
            if self.content_height() != before:
                self.height_changed.emit()
        self._repaint(part)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.width() != self._width:
            self.layout_for(self.width())
        if event.size().width() != event.oldSize().width():
            self.update()
        super().resizeEvent(event)
