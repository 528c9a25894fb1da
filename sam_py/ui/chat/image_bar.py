"""ImageBar: the buttons below a picture that is shown large."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from sam_py.ui.chat.header import ElidedText
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons

_COPIED_MS = 1_500


class ImageBar(QWidget):
    """What the picture measures, how large it is shown, and what can be done with it. It changes nothing itself."""

    zoom_out_requested = Signal()
    per_cent_clicked = Signal()
    zoom_in_requested = Signal()
    copy_requested = Signal()
    save_requested = Signal()
    close_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = icons.themes
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.facts = ElidedText(icons.themes, muted=True, parent=self)
        self.zoom_out = IconButton(icons, "minus", self.tr("Zoom out"), shortcut="-", parent=self)
        self.per_cent = _PerCent(icons, "100 %", label=self.tr("Original size"), parent=self)
        self.zoom_in = IconButton(icons, "plus", self.tr("Zoom in"), shortcut="+", parent=self)
        self.copy = IconButton(icons, "copy", self.tr("Copy"), shortcut="Ctrl+C", parent=self)
        self.save = IconButton(icons, "download", self.tr("Save as…"), shortcut="Ctrl+S", parent=self)
        self.close_button = IconButton(icons, "close", self.tr("Close"), shortcut="Esc", parent=self)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(self._show_copy)
        for button, asked in (
            (self.zoom_out, self.zoom_out_requested),
            (self.per_cent, self.per_cent_clicked),
            (self.zoom_in, self.zoom_in_requested),
            (self.copy, self.copy_requested),
            (self.save, self.save_requested),
            (self.close_button, self.close_requested),
        ):
            button.clicked.connect(asked)
        self._lay_out()

    def set_zoom(self, per_cent: int, *, fits: bool) -> None:
        """Show `per_cent`; a click on it will show the original size where the picture `fits`, else fit it again."""
        words = self.tr("{per_cent} %").format(per_cent=per_cent)
        self.per_cent.set_words(words)
        does = self.tr("original size") if fits else self.tr("fit to the window")
        self.per_cent.set_label(self.tr("{zoom}: {does}").format(zoom=words, does=does))

    def set_has_picture(self, has_picture: bool) -> None:
        """Without one there is nothing to enlarge or copy."""
        for button in (self.zoom_out, self.per_cent, self.zoom_in, self.copy):
            button.setEnabled(has_picture)

    def show_copied(self) -> None:
        self.copy.set_icon("check", "success")
        self.copy.set_label(self.tr("Copied"))
        self._copied.start()

    def _show_copy(self) -> None:
        self.copy.set_icon("copy", "muted")
        self.copy.set_label(self.tr("Copy"))

    def _lay_out(self) -> None:
        layout = QGridLayout(self)
        layout.setContentsMargins(16, 8, 10, 7)
        layout.setHorizontalSpacing(12)
        layout.addWidget(self.facts, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        for column, buttons in (
            (1, (self.zoom_out, self.per_cent, self.zoom_in)),
            (2, (self.copy, self.save, self.close_button)),
        ):
            row = QHBoxLayout()
            row.setSpacing(4)
            if column == 2:
                row.addStretch(1)
            for button in buttons:
                row.addWidget(button)
            layout.addLayout(row, 0, column)
        layout.setColumnStretch(0, 1)
        layout.setColumnStretch(2, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._themes.current.palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(palette.window))
        painter.fillRect(0, 0, self.width(), 1, QColor(palette.border))
        painter.end()


class _PerCent(PillButton):
    """As wide as its longest number, so that its neighbours stay where they are under the mouse."""

    def sizeHint(self) -> QSize:
        widest = QFontMetrics(self._font()).horizontalAdvance("8888 %") + 2
        return QSize(self._width_px(widest), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
