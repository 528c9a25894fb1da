"""ErrorBox: what went wrong at a message, in words, with what can be done about it."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QWidget

from sam_py.messages.history import ErrorOccurred
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.widgets.buttons import PillButton

_PAD_PX = 12
_ICON_PX = 18
Missing = Literal["", "unanswered", "unfinished"]
"""What should come below the last message: a reply to the person, or the rest of a work with tools."""
_CALM = ("unanswered", "unfinished")
_GOES_ON = ("unfinished", "too_many_rounds")
"""To ask again does nothing again here."""


def not_there(message_id: str, missing: Missing) -> ErrorOccurred:
    """What stands below a message to which nothing came; it is shown, not kept."""
    if missing == "unanswered":
        text = _tr("This message has no reply: it was stopped, the program ended, or it is in a damaged file.")
    else:
        text = _tr("The reply ends here, among its tools: it was stopped, or the program ended.")
    return ErrorOccurred(message_id=message_id, code=missing, text=text)


class ErrorBox(QWidget):
    """Text (selectable, never rich), Retry and what else may help, and technical detail one click deeper."""

    chosen = Signal(str)
    """``retry``, ``continue``, ``model`` (choose another one), ``settings``"""
    height_changed = Signal()

    def __init__(self, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._error: ErrorOccurred | None = None
        self._text = self._label()
        self._detail = self._label()
        self._detail.hide()
        self._retry = PillButton(context.icons, self.tr("Retry"), icon="regenerate", kind="outline", parent=self)
        self._continue = PillButton(context.icons, self.tr("Continue"), icon="continue", kind="outline", parent=self)
        self._model = PillButton(context.icons, self.tr("Choose a model"), kind="outline", parent=self)
        self._settings = PillButton(context.icons, self.tr("Open settings"), kind="outline", parent=self)
        self._more = PillButton(context.icons, self.tr("Details"), parent=self)
        self._copy = PillButton(context.icons, self.tr("Copy details"), parent=self)
        self._retry.clicked.connect(lambda: self.chosen.emit("retry"))
        self._continue.clicked.connect(lambda: self.chosen.emit("continue"))
        self._model.clicked.connect(lambda: self.chosen.emit("model"))
        self._settings.clicked.connect(lambda: self.chosen.emit("settings"))
        self._more.clicked.connect(self._toggle_detail)
        self._copy.clicked.connect(self._copy_detail)

    def show_error(self, error: ErrorOccurred, *, can_retry: bool, can_continue: bool = False) -> None:
        """`can_continue`: there is text that the model can go on from."""
        self._error = error
        self._text.setText(error.text)
        self._detail.setText(error.detail)
        goes_on = error.code in _GOES_ON
        words = self.tr("Go on") if goes_on else self.tr("Retry")
        self._retry.set_words(words, icon="continue" if goes_on else "regenerate")
        self._retry.setVisible(can_retry)  # a person may know better than `retryable`, which is for the program
        self._continue.setVisible(can_continue)
        self._model.setVisible(can_retry and error.code == "no_model")
        self._settings.setVisible(error.action == "settings")
        self._more.setVisible(bool(error.detail))
        self._show_detail(bool(error.detail) and self._context.folds.is_open(error.id))
        name = error.text if self._is_calm else self.tr("Error: {text}").replace("{text}", error.text)
        self.setAccessibleName(name)
        self.update()

    @property
    def _is_calm(self) -> bool:
        return self._error is not None and self._error.code in _CALM

    def layout_for(self, width_px: int) -> int:
        theme = self._context.themes.current
        for label, points, colour in (
            (self._text, theme.body_pt, theme.palette.text),
            (self._detail, theme.small_pt, theme.palette.text_muted),
        ):
            font = QFont(self.font())
            font.setPointSizeF(points)
            label.setFont(font)
            label.setStyleSheet(f"color: {colour}; background: transparent;")
        left = _PAD_PX + _ICON_PX + 10
        inner = max(80, width_px - left - _PAD_PX)
        y = _PAD_PX
        for label in (self._text, self._detail):
            if label is self._detail and label.isHidden():
                continue
            height = label.heightForWidth(inner)
            label.setGeometry(left, y, inner, height)
            y += height + 6
        alone = self._continue.isHidden() and self._retry.isHidden() and self._settings.isHidden()
        x, row_height = left - (_PAD_PX if alone else 0), 0  # the words of a plain button stand below the text
        for button in (self._continue, self._retry, self._model, self._settings, self._more, self._copy):
            if button.isHidden():
                continue
            size = button.sizeHint()
            if x > left and x + size.width() > left + inner:
                x, y = left, y + row_height
            width = min(size.width(), inner)
            button.setGeometry(x, y + 2, width, size.height())
            x += width + 8
            row_height = size.height() + 4
        return y + row_height + _PAD_PX - (0 if row_height else 6)

    def _label(self) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _toggle_detail(self) -> None:
        shown = self._detail.isHidden()
        self._show_detail(shown)
        if self._error is not None:
            self._context.folds.set(self._error.id, shown)
        self.height_changed.emit()

    def _show_detail(self, shown: bool) -> None:
        self._detail.setVisible(shown)
        self._copy.setVisible(shown)
        self._more.set_words(self.tr("Hide details") if shown else self.tr("Details"))

    def _copy_detail(self) -> None:
        if self._error is not None:
            QApplication.clipboard().setText(f"{self._error.text}\n\n{self._error.detail}")

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._context.themes.current.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.code if self._is_calm else palette.error_surface))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        place = QRectF(_PAD_PX, _PAD_PX, _ICON_PX, _ICON_PX)
        if self._is_calm:
            self._context.icons.paint(painter, "info", "muted", place)
        else:
            self._context.icons.paint(painter, "error", "error", place)
        painter.end()


def _tr(text: str) -> str:
    return QCoreApplication.translate("ErrorBox", text)
