"""The queue: messages that wait until the reply which streams now has ended, each to be edited or removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from sam_py.messages.parts import Parts
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons


class Queued(Protocol):
    """What the session calls a queued message."""

    @property
    def text(self) -> str: ...
    @property
    def parts(self) -> Parts: ...
    @property
    def held(self) -> bool:
        """Not sent by itself any more: the reply before it was stopped or failed."""


class QueueRow(QWidget):
    """One waiting message in one line."""

    def __init__(self, icons: Icons, message: Queued, index: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._text = self._line(message)
        name = self.tr("Held message {n}: {text}") if message.held else self.tr("Queued message {n}: {text}")
        self.setAccessibleName(name.format(n=index + 1, text=self._text))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.edit = IconButton(icons, "edit", self.tr("Edit queued message"), size_px=26, icon_px=15, parent=self)
        self.remove = IconButton(icons, "close", self.tr("Remove queued message"), size_px=26, icon_px=13, parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 6, 0)
        row.setSpacing(2)
        row.addStretch(1)
        self.send: PillButton | None = None
        if message.held and index == 0:
            self.send = PillButton(icons, self.tr("Send now"), height_px=26, parent=self)
            row.addWidget(self.send)
        row.addWidget(self.edit)
        row.addWidget(self.remove)

    def _line(self, message: Queued) -> str:
        line = " ".join(message.text[:400].split())
        if message.parts:
            count = len(message.parts)
            attached = self.tr("1 attachment") if count == 1 else self.tr("{n} attachments").format(n=count)
            line = f"{line} · {attached}" if line else attached
        return line

    def sizeHint(self) -> QSize:
        return QSize(300, round(34 * self._icons.themes.current.scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        side = round(15 * theme.scale)
        left = round(14 * theme.scale)
        self._icons.paint(painter, "queue", "muted", QRectF(left, (self.height() - side) / 2, side, side))
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt * 1.05)
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.text_muted))
        left += side + round(8 * theme.scale)
        width = (self.send or self.edit).x() - left - 8
        words = QFontMetrics(font).elidedText(self._text, Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRectF(left, 0, width, self.height()), Qt.AlignmentFlag.AlignVCenter, words)


class QueueList(QWidget):
    """All waiting messages, oldest first; hidden when there is none."""

    removed = Signal(int)
    edited = Signal(int)
    send_wanted = Signal()
    """Send what a stop or an error held back."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._rows: list[QueueRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._column.setSpacing(0)
        self.setAccessibleName(self.tr("Queued messages"))
        self.hide()

    @property
    def rows(self) -> tuple[QueueRow, ...]:
        return tuple(self._rows)

    def set_messages(self, messages: Sequence[Queued]) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [QueueRow(self._icons, message, index, self) for index, message in enumerate(messages)]
        for row in self._rows:
            row.edit.clicked.connect(self._edit_clicked)
            row.remove.clicked.connect(self._remove_clicked)
            if row.send is not None:
                row.send.clicked.connect(self.send_wanted)
            self._column.addWidget(row)
        self.setVisible(bool(self._rows))

    def _edit_clicked(self) -> None:
        self.edited.emit(self._index_of_sender())

    def _remove_clicked(self) -> None:
        self.removed.emit(self._index_of_sender())

    def _index_of_sender(self) -> int:
        sender = self.sender()
        return next(index for index, row in enumerate(self._rows) if sender in (row.edit, row.remove))
