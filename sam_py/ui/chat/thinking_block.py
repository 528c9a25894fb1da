"""ThinkingBlock: a model's reasoning, folded to one line until somebody opens it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.row_context import RowContext

_INDENT_PX = 14
_GAP_PX = 6


class FoldLine(QAbstractButton):
    """One muted line with a chevron that opens what is below it."""

    def __init__(self, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._context.themes.current.small_pt)
        return font

    # Qt

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self.text()) + 52, metrics.height() + 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._context.themes.current
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self.height()
        icon = min(16, height - 4)
        self._context.icons.paint(painter, "thinking", "muted", QRectF(0, (height - icon) / 2, icon, icon))
        painter.setFont(self._font())
        lit = self.underMouse() or self.hasFocus()
        painter.setPen(QColor(theme.palette.text if lit else theme.palette.text_muted))
        width = painter.fontMetrics().horizontalAdvance(self.text())
        painter.drawText(
            QRectF(icon + 8, 0, width + 4, height),
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
            self.text(),
        )
        chevron = "chevron-down" if self.isChecked() else "chevron-right"
        self._context.icons.paint(painter, chevron, "muted", QRectF(icon + 12 + width, (height - 14) / 2, 14, 14))
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)


class ThinkingBlock(QWidget):
    """The line, and below it, once opened, the reasoning itself behind a thin rule."""

    height_changed = Signal()
    column_made = Signal(object)
    """The `MarkdownColumn`, when it was opened for the first time."""

    def __init__(self, context: RowContext, fold: str, parent: QWidget) -> None:
        """`fold` is what its being open is remembered by."""
        super().__init__(parent)
        self._context = context
        self._fold = fold
        self._pieces: list[str] = []
        self._live = False
        self._column: MarkdownColumn | None = None
        self._unfed = 0
        self._line = FoldLine(context, self)
        self._line.toggled.connect(self._toggled)
        self._name_line()

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    @property
    def has_words(self) -> bool:
        """Whether there is more than white space. It looks no further than the first word."""
        return any(piece.strip() for piece in self._pieces)

    @property
    def columns(self) -> list[MarkdownColumn]:
        return [self._column] if self._column is not None and self._line.isChecked() else []

    def unfold(self, opened: bool = True) -> None:
        """Open it, or fold it, as the person does."""
        self._line.setChecked(opened)

    def set_text(self, text: str, *, live: bool) -> None:
        self._pieces = [text] if text else []
        self._unfed = 0
        self._live = live
        if self._column is not None:
            self._column.clear()
        self._feed()
        self._name_line()

    def restore_fold(self) -> None:
        """Be open if the person left it so."""
        self._line.setChecked(self._context.folds.is_open(self._fold))

    def append(self, text: str) -> None:
        self._pieces.append(text)

    def flush(self) -> bool:
        if not self._line.isChecked() or self._column is None:
            return False
        self._feed()
        return self._column.flush()

    def finish(self) -> None:
        self._live = False
        if self._column is not None:
            self._feed()
            self._column.finish()
        self._name_line()

    def layout_for(self, width_px: int) -> int:
        line = self._line.sizeHint()
        self._line.setGeometry(0, 0, min(width_px, line.width()), line.height())
        if self._column is None or not self._line.isChecked():
            return line.height()
        height = self._column.layout_for(max(80, width_px - _INDENT_PX))
        self._column.setGeometry(_INDENT_PX, line.height() + _GAP_PX, width_px - _INDENT_PX, height)
        return line.height() + _GAP_PX + height + _GAP_PX

    def _feed(self) -> None:
        if self._column is None or not self._line.isChecked():
            return
        fresh = "".join(self._pieces[self._unfed :])
        self._unfed = len(self._pieces)
        if fresh:
            self._column.append_text(fresh)
        if not self._live:
            self._column.finish()

    def _toggled(self, opened: bool) -> None:
        self._context.folds.set(self._fold, opened)
        if opened and self._column is None:
            self._column = MarkdownColumn(self._context.themes, self._context.attachment_path, parent=self)
            self.column_made.emit(self._column)
        if self._column is not None:
            self._column.setVisible(opened)
        self._feed()
        if self._column is not None and opened:
            self._column.flush()
        self.height_changed.emit()

    def _name_line(self) -> None:
        words = len(self.text.split()) if not self._live else 0
        if self._live:
            text = self.tr("Thinking…")
        else:
            text = self.tr("Thought about it ({words} words)").replace("{words}", self.locale().toString(words))
        self._line.setText(text)
        self._line.setAccessibleName(text)
        self._line.update()

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._column is None or not self._line.isChecked():
            return
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        top = self._line.height() + _GAP_PX
        painter.fillRect(4, top, 2, self.height() - top - _GAP_PX, QColor(self._context.themes.current.palette.border))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()
