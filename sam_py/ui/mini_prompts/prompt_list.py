"""PromptList: the list of mini prompts: ticked by a click or Space, ordered by dragging or Alt+arrows."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFocusEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from sam_py.ui.mini_prompts.painter import PromptPainter
from sam_py.ui.mini_prompts.rows import PromptRows
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.icons import Icons

_KEYPAD = Qt.KeyboardModifier.KeypadModifier


class PromptList(QListView):
    """Says by signals what a person wants; a row that is dragged moves at once and is a wish when it is let go."""

    edit_wanted = Signal(str)
    menu_wanted = Signal(str, QPoint)
    """id, a place on the screen"""
    remove_wanted = Signal(str)
    left_upwards = Signal()

    def __init__(self, icons: Icons, rows: PromptRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.rows = rows
        self._painter = PromptPainter(icons, self)
        self._pressed: QPoint | None = None
        self._dragged = ""
        """The id of the prompt that is being dragged."""
        self.setModel(rows)
        self.setItemDelegate(self._painter)
        self.setAccessibleName(self.tr("Mini prompts"))
        self.setAccessibleDescription(
            self.tr("Space switches a prompt on or off, Enter edits it, Alt with an arrow moves it, Delete removes it.")
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        icons.changed.connect(self._take_theme)
        self._take_theme()

    def select(self, row: int) -> None:
        row = min(row, self.rows.rowCount() - 1)
        if row >= 0:
            self.setCurrentIndex(self.rows.index(row))
            self.scrollTo(self.rows.index(row))

    def select_id(self, prompt_id: str) -> None:
        self.select(self.rows.row_of(prompt_id))

    @property
    def current_id(self) -> str:
        prompt = self.rows.prompt(self.currentIndex().row())
        return prompt.id if prompt is not None else ""

    def whole_height(self) -> int:
        """How high the list is with all its rows, in px."""
        return self.rows.rowCount() * max(0, self.sizeHintForRow(0))

    def move_current(self, step: int) -> None:
        """Take the current prompt one place up (-1) or down (1)."""
        row = self.currentIndex().row()
        if self.rows.move(row, row + step):
            self.select(row + step)
            self.rows.settle()
            words = self.tr("Place %1 of %2").replace("%1", str(row + step + 1))
            announce(self, words.replace("%2", str(self.rows.rowCount())))

    def toggle(self, row: int) -> None:
        self.rows.toggle(row)
        announce(self, self.tr("On") if self.rows.is_on(row) else self.tr("Off"))

    def open_menu(self) -> None:
        """The menu of the current prompt, below its button."""
        index = self.currentIndex()
        if self.current_id:
            corner = self._painter.more_rect(self.visualRect(index)).bottomLeft()
            self.menu_wanted.emit(self.current_id, self.viewport().mapToGlobal(corner))

    def _is_on_more(self, index: QModelIndex, point: QPoint) -> bool:
        return index.isValid() and self._painter.more_rect(self.visualRect(index)).contains(point)

    def _drag(self, point: QPoint) -> None:
        """The dragged prompt goes where the pointer is; beyond an end it stays at that end."""
        row = self.rows.row_of(self._dragged)
        first, last = self.visualRect(self.rows.index(0)), self.visualRect(self.rows.index(self.rows.rowCount() - 1))
        at = max(first.center().y(), min(point.y(), last.center().y()))
        over = self.indexAt(QPoint(self.viewport().width() // 2, at)).row()
        if over < 0 and row >= 0:  # beside what is in sight: scroll on
            over = row + (1 if at > 0 else -1)
        if self.rows.move(row, over):
            self.select(over)

    def _take_theme(self) -> None:
        theme = self._icons.themes.current
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.palette.raised))
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.palette.raised))
        self.setPalette(palette)
        self.scheduleDelayedItemsLayout()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self._pressed = event.position().toPoint()
            self.setCurrentIndex(index)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            super().mouseMoveEvent(event)
            return
        far = (point - self._pressed).manhattanLength() >= QGuiApplication.styleHints().startDragDistance()
        if not self._dragged and far and not self.rows.is_searched and self.rows.rowCount() > 1:
            self._dragged = self.current_id
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragged:
            self._drag(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, dragged = self._pressed, self._dragged
        self._pressed, self._dragged = None, ""
        if dragged:
            self.viewport().unsetCursor()
            self.rows.settle()
        elif pressed is not None:
            point = event.position().toPoint()
            index = self.indexAt(point)
            if index != self.currentIndex():
                return
            if self._is_on_more(index, point):
                self.open_menu()
            elif index.isValid():
                self.toggle(index.row())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)  # two quick clicks are two clicks

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.open_menu()
        elif index.isValid():
            self.setCurrentIndex(index)
            self.menu_wanted.emit(self.current_id, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & ~_KEYPAD
        row = self.currentIndex().row()
        match event.key():
            case Qt.Key.Key_Up if held == Qt.KeyboardModifier.AltModifier:
                self.move_current(-1)
            case Qt.Key.Key_Down if held == Qt.KeyboardModifier.AltModifier:
                self.move_current(1)
            case Qt.Key.Key_Up if row <= 0 and not held:
                self.left_upwards.emit()
            case Qt.Key.Key_Space if row >= 0:
                self.toggle(row)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F2 if row >= 0 and not held:
                self.edit_wanted.emit(self.current_id)
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace if row >= 0 and not held:
                self.remove_wanted.emit(self.current_id)
            case Qt.Key.Key_Escape:
                event.ignore()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.selectionModel().hasSelection():  # Qt makes the first row current, but does not show that
            self.select(max(0, self.currentIndex().row()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, max(0, self.sizeHintForRow(0)))
