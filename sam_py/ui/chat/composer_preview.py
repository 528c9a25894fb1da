"""The preview of an attachment: a popup that shows its text or picture, with what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from sam_py.ui.chat.composer_attachments import Item
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

SHOWN_CHARACTERS = 20_000
INTO_BOX_CHARACTERS = 50_000
"""More would make typing in the box slow, so it stays an attachment."""


class AttachmentPreview(QFrame):
    """Opens above its chip and closes by Esc or a click elsewhere. Signals carry the item's id."""

    text_wanted_in_message = Signal(int)
    removed = Signal(int)

    def __init__(self, icons: Icons, item: Item, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._item = item
        theme = icons.themes.current
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.palette.raised))
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text))
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.palette.code))
        palette.setColor(QPalette.ColorRole.Text, QColor(theme.palette.text))
        self.setPalette(palette)
        self.setFrameShape(QFrame.Shape.Box)
        self.setStyleSheet(f"AttachmentPreview {{ border: 1px solid {theme.palette.border}; }}")
        self.setAccessibleName(self.tr("Preview of {name}").format(name=item.name))

        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 10)
        column.setSpacing(8)
        title = QLabel(item.name, self)
        title.setTextFormat(Qt.TextFormat.PlainText)
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        column.addWidget(title)
        column.addWidget(self._body(theme.code_pt), 1)
        if item.note:
            note = QLabel(item.note, self)
            note.setTextFormat(Qt.TextFormat.PlainText)
            note.setWordWrap(True)
            column.addWidget(note)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        remove = PillButton(icons, self.tr("Remove"), icon="trash", parent=self)
        remove.clicked.connect(self._remove)
        row.addWidget(remove)
        self.into_message = PillButton(icons, self.tr("Put into the message"), kind="accent", parent=self)
        self.into_message.clicked.connect(self._put_into_message)
        self.into_message.setVisible(0 < len(item.text) <= INTO_BOX_CHARACTERS)
        row.addWidget(self.into_message)
        column.addLayout(row)
        self.resize(round(480 * theme.scale), round(320 * theme.scale))

    def show_above(self, chip: QWidget) -> None:
        """Open over `chip`, within its screen."""
        corner = chip.mapToGlobal(QPoint(0, 0))
        place = QRect(corner.x(), corner.y() - self.height() - 6, self.width(), self.height())
        screen = QGuiApplication.screenAt(corner) or chip.screen()
        free = screen.availableGeometry()
        place.moveLeft(max(free.left(), min(place.left(), free.right() - place.width())))
        place.moveTop(max(free.top(), place.top()))
        self.setGeometry(place)
        self.show()

    def _body(self, code_pt: float) -> QWidget:
        document = self._item.document
        whole = self._item.text or (document.markdown if document is not None else "")
        if whole:
            text = QPlainTextEdit(self)
            shown = whole[:SHOWN_CHARACTERS]
            left_out = len(whole) - len(shown)
            if left_out:
                shown += "\n… " + self.tr("{n} more characters are not shown here").format(n=left_out)
            text.setPlainText(shown)
            text.setReadOnly(True)
            text.setFrameShape(QFrame.Shape.NoFrame)
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            font.setPointSizeF(code_pt)
            text.setFont(font)
            return text
        label = QLabel(self)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setTextFormat(Qt.TextFormat.PlainText)
        if self._item.thumbnail is not None:
            label.setPixmap(QPixmap.fromImage(self._item.thumbnail))
        else:
            label.setText(self.tr("No preview for this kind of file."))
        return label

    def _put_into_message(self) -> None:
        self.text_wanted_in_message.emit(self._item.id)
        self.close()

    def _remove(self) -> None:
        self.removed.emit(self._item.id)
        self.close()
