"""PartsView: laid-out parts as one widget: painted, pointed at, walked by keyboard, selected."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from sam_py.ui.chat.parts.base import Part, Surroundings, Target
from sam_py.ui.chat.parts.code import CodePart
from sam_py.ui.chat.parts.table import TablePart
from sam_py.ui.links import describe_target
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.plain import tooltip

if TYPE_CHECKING:
    from sam_py.ui.chat.parts.found import FoundMarks
    from sam_py.ui.chat.parts.spoken import SpokenMark

COPIED_MS = 1_600

Position = tuple[int, int]
"""A place in the text: number of the part, position in it. Positions compare in reading order."""


class PartsView(QWidget):
    """Shows `_parts`, which stand below each other with their lower edges at `_bottoms`.

    Model output is hostile until shown otherwise: nothing is loaded, links and pictures only become signals.
    """

    link_clicked = Signal(str)
    """The target as it stands in the text; ask `ui.links.safe_target` before it is opened."""
    copy_requested = Signal(str)
    image_clicked = Signal(object)
    """The path of an attachment's file."""
    file_clicked = Signal(object)
    """The id of an attached file."""
    image_requested = Signal(str)
    """A person pressed "Open in the browser" on the card of a remote picture."""
    link_hovered = Signal(str)
    """Where the link under the mouse leads; empty when there is none."""
    target_focused = Signal(QWidget, QRect)
    """The keyboard is on a link or a button: this column and where in it."""

    def __init__(self, around: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._around = around
        self._parts: list[Part] = []
        self._bottoms: list[int] = []
        self._unlaid: set[Part] = set()  # parts whose height is an estimate so far
        self._width = 0
        self.spoken: SpokenMark | None = None
        """What is read aloud of it; painted behind the text."""
        self.found: FoundMarks | None = None
        """What a search found in it."""
        self._hovered: Part | None = None
        self._focus_at = -1
        self._pressed: Target | None = None
        self._press_point = QPoint()
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(COPIED_MS)
        self._copied.timeout.connect(self._forget_copied)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Message text"))

    def repaint_from(self, top_px: int) -> None:
        """Ask for the repaint of all that lies below a height."""
        self.update(0, top_px, self.width(), self.height())

    def lay_out_now(self, part: Part) -> None:
        """Lay out a part of which only an estimate was known so far; its place is put right later."""
        if part in self._unlaid:
            part.layout_for(max(40, self._width - part.x))

    def _repaint(self, part: Part) -> None:
        self.update(QRect(0, part.top - 4, self.width(), part.height + 8))

    # Text positions, for the selection

    def end_position(self) -> Position:
        return (len(self._parts) - 1, self._parts[-1].length()) if self._parts else (0, 0)

    def position_at(self, point: QPoint) -> Position:
        """Return the text position nearest to `point` (in the column's coordinates)."""
        if not self._parts:
            return (0, 0)
        index = min(bisect_right(self._bottoms, point.y()), len(self._parts) - 1)
        part = self._parts[index]
        if point.y() < part.top and index and not part.height:
            return (index, 0)
        return (index, min(part.hit(self._local(part, point)), part.length()))

    def select(self, start: Position, end: Position) -> None:
        """Show the text between two positions as selected."""
        for index, part in enumerate(self._parts):
            if start[0] <= index <= end[0] and start < end:
                low = start[1] if index == start[0] else 0
                high = end[1] if index == end[0] else part.length()
                selection = (low, high) if low < high else None
            else:
                selection = None
            if selection != part.selection:
                part.selection = selection
                self._repaint(part)

    def clear_selection(self) -> None:
        self.select((0, 0), (0, 0))

    def selected_text(self, start: Position, end: Position) -> str:
        """Return the plain text between two positions."""
        texts: list[str] = []
        for index in range(start[0], min(end[0], len(self._parts) - 1) + 1):
            part = self._parts[index]
            low = start[1] if index == start[0] else 0
            high = end[1] if index == end[0] else part.length()
            text = part.text(low, high)
            if text:
                texts.append(("\n" if part.continues else "\n\n") * bool(texts) + text)
        return "".join(texts)

    def word_at(self, position: Position) -> tuple[Position, Position]:
        start, end = self._parts[position[0]].word_at(position[1]) if self._parts else (0, 0)
        return (position[0], start), (position[0], end)

    def paragraph_at(self, position: Position) -> tuple[Position, Position]:
        start, end = self._parts[position[0]].paragraph_at(position[1]) if self._parts else (0, 0)
        return (position[0], start), (position[0], end)

    def is_text_at(self, point: QPoint) -> bool:
        part = self._part_at(point)
        return part is not None and part.is_text_at(self._local(part, point))

    def target_at(self, point: QPoint) -> Target | None:
        part = self._part_at(point)
        return part.target_at(self._local(part, point)) if part is not None else None

    def activate(self, target: Target) -> None:
        """Do what a press on `target` does."""
        match target.kind:
            case "link":
                self.link_clicked.emit(str(target.value))
            case "file":
                self.file_clicked.emit(target.value)
            case "image":
                self.image_clicked.emit(target.value)
            case "load_image":
                self.image_requested.emit(str(target.value))
            case "copy":
                part = target.value
                if isinstance(part, CodePart):
                    self.copy_requested.emit(part.code())
                    part.copied = True
                elif isinstance(part, TablePart):
                    self.copy_requested.emit(part.tsv())
                    part.copied = True
                self._copied.start()
                self.update()

    def _forget_copied(self) -> None:
        for part in self._parts:
            if isinstance(part, CodePart | TablePart):
                part.copied = False
        self.update()

    def _part_at(self, point: QPoint) -> Part | None:
        index = bisect_right(self._bottoms, point.y())
        if index >= len(self._parts):
            return None
        part = self._parts[index]
        return part if part.top <= point.y() else None

    @staticmethod
    def _local(part: Part, point: QPoint) -> QPointF:
        return QPointF(point.x() - part.x, point.y() - part.top)

    # Keyboard

    def has_targets(self) -> bool:
        """Whether there is a link or a button for the keyboard to go to."""
        return any(part.height and part.targets() for part in self._parts)

    def _all_targets(self) -> list[tuple[Part, Target]]:
        return [(part, target) for part in self._parts if part.height for target in part.targets()]

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        clip = event.rect()
        if self.spoken is not None:
            self.spoken.paint(painter, QRectF(clip))
        if self.found is not None:
            self.found.paint(painter, QRectF(clip))
        index = bisect_right(self._bottoms, clip.top())
        while index < len(self._parts) and self._parts[index].top <= clip.bottom() + 1:
            part = self._parts[index]
            self.lay_out_now(part)
            if part.height:
                painter.save()
                painter.translate(part.x, part.top)
                part.paint(painter, QRectF(clip.translated(-part.x, -part.top)))
                painter.restore()
            index += 1
        if self.spoken is not None:
            self.spoken.paint_over(painter, QRectF(clip))
        if self.found is not None:
            self.found.paint_over(painter, QRectF(clip))
        if self.hasFocus() and self._focus_at >= 0:
            self._paint_focus(painter)
        painter.end()

    def _paint_focus(self, painter: QPainter) -> None:
        targets = self._all_targets()
        if self._focus_at < len(targets):
            part, target = targets[self._focus_at]
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._around.style.colour("accent"), 2))
            painter.drawRoundedRect(target.rect.translated(part.x, part.top).adjusted(-2, -1, 2, 1), 4, 4)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        part = self._part_at(point)
        if part is not self._hovered:
            for other in (self._hovered, part):
                if other is not None:
                    other.hovered = other is part
                    self._repaint(other)
            self._hovered = part
        target = part.target_at(self._local(part, point)) if part is not None else None
        if target is not None:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif part is not None and part.is_text_at(self._local(part, point)):
            self.setCursor(Qt.CursorShape.IBeamCursor)
        else:
            self.unsetCursor()
        shown = describe_target(str(target.value)) if target is not None and target.kind == "link" else ""
        if shown != self.property("linkShown"):
            self.setProperty("linkShown", shown)
            self.link_hovered.emit(shown)
        event.ignore()  # a drag belongs to the selection

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = (
            self.target_at(event.position().toPoint()) if event.button() == Qt.MouseButton.LeftButton else None
        )
        self._press_point = event.position().toPoint()
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        moved = (event.position().toPoint() - self._press_point).manhattanLength() >= QApplication.startDragDistance()
        if pressed is not None and event.button() == Qt.MouseButton.LeftButton and not moved:
            released = self.target_at(event.position().toPoint())
            if released is not None and (released.kind, released.value) == (pressed.kind, pressed.value):
                self.activate(released)
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        if self._hovered is not None:
            self._hovered.hovered = False
            self._repaint(self._hovered)
            self._hovered = None
        if self.property("linkShown"):
            self.setProperty("linkShown", "")
            self.link_hovered.emit("")
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        part = self._part_at(event.position().toPoint())
        delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        dx = delta.y() if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not delta.x() else delta.x()
        if (
            part is not None
            and abs(dx) > abs(0 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else delta.y())
            and part.scroll_by(-dx)
        ):
            self._repaint(part)
            event.accept()
            return
        event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            point = event.pos()  # type: ignore[attr-defined]
            target = self.target_at(point)
            if target is not None and target.kind == "link":
                QToolTip.showText(event.globalPos(), tooltip(describe_target(str(target.value))), self)  # type: ignore[attr-defined]
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        count = len(self._all_targets())
        at = self._focus_at + (1 if next else -1)
        if 0 <= at < count:
            self._focus_at = at
            self._announce()
            self.update()
            return True
        self._focus_at = -1
        self.update()
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        count = len(self._all_targets())
        if event.reason() == Qt.FocusReason.TabFocusReason:
            self._focus_at = 0 if count else -1
        elif event.reason() == Qt.FocusReason.BacktabFocusReason:
            self._focus_at = count - 1
        self._announce()
        self.update()
        super().focusInEvent(event)

    def _announce(self) -> None:
        targets = self._all_targets()
        if 0 <= self._focus_at < len(targets):
            part, target = targets[self._focus_at]
            self.setAccessibleDescription(target.label)
            announce(self, target.label)
            self.target_focused.emit(self, target.rect.translated(part.x, part.top).toAlignedRect())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._focus_at >= 0:
            targets = self._all_targets()
            if self._focus_at < len(targets):
                self.activate(targets[self._focus_at][1])
                return
        super().keyPressEvent(event)
