"""GalleryViewer: a picture of the library large, with the next and the one before at hand."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPaintEvent, QShortcut
from PySide6.QtWidgets import QWidget

from sam_py.ui.chat.image_viewer import ImageViewer
from sam_py.ui.library.words import tr
from sam_py.ui.theme import DARK
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons

_EDGE_PX = 12


class GalleryViewer(ImageViewer):
    """`step_wanted` asks for another picture, 1 for the next; who hears it calls `show_picture` and `set_ends`.

    Page Down and Page Up, Space and Backspace step: the arrows look around in a picture that is enlarged.
    """

    step_wanted = Signal(int)

    def __init__(self, icons: Icons, path: Path, name: str, parent: QWidget) -> None:
        super().__init__(icons, path, name, parent)
        self.previous = _Step(icons, "chevron-left", tr("Previous picture"), "PgUp", self.canvas)
        self.next = _Step(icons, "chevron-right", tr("Next picture"), "PgDown", self.canvas)
        for button, step, keys in (
            (self.previous, -1, (Qt.Key.Key_PageUp, Qt.Key.Key_Backspace)),
            (self.next, 1, (Qt.Key.Key_PageDown, Qt.Key.Key_Space)),
        ):
            button.clicked.connect(lambda _on=False, step=step: self.step_wanted.emit(step))
            for key in keys:
                QShortcut(QKeySequence(key), self).activated.connect(lambda step=step: self.step_wanted.emit(step))
        self.canvas.installEventFilter(self)
        self._place()

    def set_ends(self, *, is_first: bool, is_last: bool) -> None:
        """Where there is nothing further, there is no button."""
        self.previous.setVisible(not is_first)
        self.next.setVisible(not is_last)

    def _place(self) -> None:
        middle = (self.canvas.height() - self.next.height()) // 2
        self.previous.move(_EDGE_PX, middle)
        self.next.move(self.canvas.width() - self.next.width() - _EDGE_PX, middle)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.canvas and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


class _Step(IconButton):
    """A disc over the picture: dark in every theme, as the ground is."""

    def __init__(self, icons: Icons, name: str, label: str, shortcut: str, parent: QWidget) -> None:
        super().__init__(icons, name, label, shortcut=shortcut, role="on_accent", size_px=40, icon_px=20, parent=parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.resize(self.sizeHint())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(DARK.raised)
        ground.setAlpha(235 if self._hovered or self.hasFocus() else 150)
        painter.setPen(QColor(DARK.accent) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(self.rect().adjusted(1, 1, -1, -1))
        pen = painter.pen()
        pen.setColor(QColor(DARK.text))
        pen.setWidthF(2.0)
        pen.setStyle(Qt.PenStyle.SolidLine)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        middle, side = self.rect().center(), self.width() // 8
        turn = side // 2 if self.icon_name == "chevron-left" else -(side // 2)
        tip = QPoint(middle.x() - turn, middle.y())
        painter.drawLine(QPoint(middle.x() + turn, middle.y() - side), tip)
        painter.drawLine(tip, QPoint(middle.x() + turn, middle.y() + side))
