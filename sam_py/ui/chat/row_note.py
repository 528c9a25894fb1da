"""NoteCard: a message of the program in the conversation: a summary of earlier messages, or a note for the model."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from sam_py.agent.summaries import originals_of, words_of
from sam_py.messages.message import DeveloperMessage, Message, SystemMessage
from sam_py.ui.chat.blocks import Block
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.widgets.buttons import PillButton

Note = DeveloperMessage | SystemMessage

_HEAD_PX = 38
_PAD_PX = 14
_FOLDED_LINES = 3
_FOOT_PX = 36


def is_summary(message: Message | None) -> bool:
    """Whether a message stands for others."""
    return isinstance(message, DeveloperMessage) and bool(message.covers)


def title_of(note: Note) -> str:
    """What a note is, in words."""
    if isinstance(note, SystemMessage):
        return _tr("Instructions to the model")
    if not note.covers:
        return _tr("Note to the model")
    count = originals_of(note)
    if count == 1:
        return _tr("Summary of an earlier message")
    return _tr("Summary of {count} earlier messages").replace("{count}", QLocale().toString(count))


def said_in(note: Note) -> str:
    """The words of a note as a person reads them."""
    return words_of(note) if isinstance(note, DeveloperMessage) and note.covers else note.text


class NoteCard(Block):
    """Its first lines, until somebody opens it. `chosen` is an action of the message (``covered``: go there)."""

    kind = "note"
    chosen = Signal(str)

    def __init__(self, context: RowContext, note: Note, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._id = note.id
        self._text = said_in(note)
        self._is_long = False
        by = context.label_of(note.provider, note.model) if isinstance(note, DeveloperMessage) and note.model else ""
        self.head = NoteHead(context, "text" if is_summary(note) else "info", title_of(note), by, self)
        self.head.setChecked(context.folds.is_open(note.id))
        self.head.toggled.connect(self._toggled)
        self._window = QWidget(self)
        self._column = MarkdownColumn(context.themes, context.attachment_path, parent=self._window)
        self._listen_to(self._column)
        self._column.target_focused.connect(lambda *_: self.head.setChecked(True))
        self._column.set_text(self._text)
        self._fade = Fade(context, self._window)
        self.jump: PillButton | None = None
        if is_summary(note):
            words = self.tr("Go to the first of them")
            self.jump = PillButton(context.icons, words, icon="chevron-up", height_px=28, parent=self)
            self.jump.clicked.connect(lambda: self.chosen.emit("covered"))
        self.setAccessibleName(self.head.accessibleName())

    @property
    def is_open(self) -> bool:
        return self.head.isChecked()

    @property
    def source(self) -> str | None:
        return self._text

    @property
    def columns(self) -> list[MarkdownColumn]:
        return [self._column] if self.is_open or not self._is_long else []

    def release(self) -> None:
        self._column.clear()  # folded or not
        super().release()

    def layout_for(self, width_px: int) -> int:
        head, pad = self._px(_HEAD_PX), self._px(_PAD_PX)
        inner = max(80, width_px - 2 * pad)
        whole = self._column.layout_for(inner)
        few = self._folded_px()
        self._is_long = whole > few + self._px(12)
        opened = self.is_open or not self._is_long
        seen = whole if opened else few
        self.head.set_foldable(self._is_long or self.jump is not None)
        self.head.setGeometry(0, 0, width_px, head)
        self._window.setGeometry(pad, head, inner, seen)
        self._column.setGeometry(0, 0, inner, whole)
        self._fade.setGeometry(0, max(0, seen - few // 2), inner, few // 2)
        self._fade.setVisible(not opened)
        y = head + seen
        if self.jump is not None:
            self.jump.setVisible(self.is_open)
            if self.is_open:
                size = self.jump.sizeHint()
                self.jump.setGeometry(pad - self._px(8), y + self._px(4), min(size.width(), inner), size.height())
                y += self._px(_FOOT_PX)
        return y + self._px(10)

    def _toggled(self, opened: bool) -> None:
        self._context.folds.set(self._id, opened)
        self.unfolded.emit()

    def _folded_px(self) -> int:
        theme = self._context.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        return round(QFontMetrics(font).lineSpacing() * theme.line_height * _FOLDED_LINES * 0.86)

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._context.themes.current.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.code))
        painter.drawRoundedRect(QRectF(self.rect()), self._px(10), self._px(10))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()


class NoteHead(QAbstractButton):
    """Icon, title, who wrote it, and a chevron where there is more to see."""

    def __init__(self, context: RowContext, icon: str, title: str, by: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._icon = icon
        self._by = self.tr("by {model}").replace("{model}", by) if by else ""
        self.setText(title)
        self.setCheckable(True)
        self.setAccessibleName(", ".join(filter(None, (title, self._by))))
        self.set_foldable(True)

    def set_foldable(self, foldable: bool) -> None:
        self.setEnabled(foldable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if foldable else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if foldable else Qt.CursorShape.ArrowCursor)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._context.themes.current
        palette, scale = theme.palette, theme.scale
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height, pad = self.height(), round(_PAD_PX * scale)
        if self.isEnabled() and (self.underMouse() or self.hasFocus()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.hover))
            painter.drawRoundedRect(QRectF(self.rect()), 10 * scale, 10 * scale)
        side = round(16 * scale)
        self._context.icons.paint(painter, self._icon, "muted", QRectF(pad, (height - side) / 2, side, side))
        left: float = pad + side + round(8 * scale)
        right = self.width() - pad
        if self.isEnabled():
            small = round(13 * scale)
            chevron = "chevron-down" if self.isChecked() else "chevron-right"
            place = QRectF(right - small, (height - small) / 2, small, small)
            self._context.icons.paint(painter, chevron, "muted", place)
            right -= small + round(8 * scale)
        left = self._words(painter, left, right, self.text(), heavy=True)
        self._words(painter, left + round(8 * scale), right, self._by, heavy=False)
        painter.end()

    def _words(self, painter: QPainter, left: float, right: float, words: str, *, heavy: bool) -> float:
        """Paint as many of the words as fit, and return where they end."""
        theme = self._context.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt)
        if heavy:
            font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.text if heavy else theme.palette.text_muted))
        text = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, max(0, int(right - left)))
        rect = QRectF(left, 0, right - left, self.height())
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
        return left + painter.fontMetrics().horizontalAdvance(text)


class Fade(QWidget):
    """Lets text that goes on run out into the ground of its card."""

    def __init__(self, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        ground = QColor(self._context.themes.current.palette.code)
        clear = QColor(ground)
        clear.setAlpha(0)
        shade = QLinearGradient(QPointF(0, 0), QPointF(0, self.height()))
        shade.setColorAt(0, clear)
        shade.setColorAt(1, ground)
        painter = QPainter(self)
        painter.fillRect(self.rect(), shade)
        painter.end()


def _tr(text: str) -> str:
    return QCoreApplication.translate("NoteCard", text)
