"""ShelfView: the things of the library below their months, under mouse and keyboard. Only what is seen is drawn."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHoverEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sam_py.store.search_index.results import Item
from sam_py.ui.library.cells import Cells, Mood
from sam_py.ui.library.model import LibraryModel
from sam_py.ui.library.shelf_layout import Shape, ShelfLayout
from sam_py.ui.library.words import month_name
from sam_py.ui.widgets.icons import Icons

Index = QModelIndex | QPersistentModelIndex
_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)
_MARGIN_PX = 20
_NO_SHAPE = Shape(100, 100, 0, 0)
_PICTURES_AFTER_MS = 40
_Move = QAbstractItemView.CursorAction


class ShelfView(QListView):
    """A list for Qt, and so for screen readers, but it lays out by `ShelfLayout` and paints by `Cells` itself.

    The scroll bar is as long as all things there are, fetched or not; `seen` says which rows are on view, so that
    they are fetched and their pictures read.
    """

    opened = Signal(int)
    """A row, by double click or Enter."""
    seen = Signal(int, int)
    """The first row on view, and the first after them."""
    menu_requested = Signal(QPoint)
    typed = Signal(str)
    """Letters: the person looks for something."""

    def __init__(self, model: LibraryModel, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._things = model
        self._icons = icons
        self._cells: Cells | None = None
        self._layout = ShelfLayout(_NO_SHAPE, 100, (), 0)
        self._hovered = -1
        self._ring = False
        self._anchor: tuple[QPersistentModelIndex, int] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_PICTURES_AFTER_MS)
        self._soon.timeout.connect(self._tell_seen)
        self.setItemDelegate(_Dragged(self))
        self.setModel(model)
        model.rowsAboutToBeInserted.connect(self._hold)
        model.rowsAboutToBeRemoved.connect(self._hold)
        for changed in (model.rowsInserted, model.rowsRemoved, model.modelReset, model.layoutChanged):
            changed.connect(self._rows_changed)
        icons.changed.connect(self.lay_out)

    @property
    def arranged(self) -> ShelfLayout:
        return self._layout

    @property
    def selected_rows(self) -> list[int]:
        return sorted(index.row() for index in self.selectionModel().selectedIndexes())

    def show_as(self, cells: Cells, name: str) -> None:
        """Draw by these cells from now on; `name` is what the list is called."""
        self._cells = cells
        self._anchor = None
        self.setAccessibleName(name)
        self.lay_out()
        self.verticalScrollBar().setValue(0)

    def lay_out(self) -> None:
        """Work out anew where everything stands: it costs by months, not by things."""
        if self._cells is None:
            return
        firsts = [first for first, _month in self._things.months]
        count = max(self._things.total, self._things.rowCount()) if firsts else 0
        # The scroll bar stands in the margin: what is laid out is the same with and without it.
        self._layout = ShelfLayout(self._cells.shape(), self.width(), firsts, count)
        self.updateGeometries()
        self.viewport().update()
        self._soon.start()

    def select_row(self, row: int) -> None:
        """Select this one alone, whatever keys are held, and make it seen."""
        index = self._things.index(row)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)

    def rows_on_view(self) -> range:
        top = self.verticalOffset()
        return self._layout.rows_between(top, top + self.viewport().height())

    def repaint_row(self, row: int) -> None:
        self.viewport().update(self.visualRect(self._things.index(row)))

    def _hold(self) -> None:
        """Remember what stands at the top: things that come above it must not push it away."""
        top = self.verticalOffset()
        rows = self.rows_on_view()
        self._anchor = None
        if top > 0 and rows and rows.start < self._things.rowCount():
            row = rows.start
            self._anchor = (QPersistentModelIndex(self._things.index(row)), self._layout.box(row).y - top)

    def _rows_changed(self) -> None:
        self._hovered = -1
        self.lay_out()
        anchor, self._anchor = self._anchor, None
        if anchor is not None and anchor[0].isValid() and anchor[0].row() < self._layout.count:
            self.verticalScrollBar().setValue(self._layout.box(anchor[0].row()).y - anchor[1])

    def _tell_seen(self) -> None:
        rows = self.rows_on_view()
        if self.isVisible():
            self.seen.emit(rows.start, rows.stop)

    def _hover(self, row: int) -> None:
        if row != self._hovered:
            before, self._hovered = self._hovered, row
            for each in (before, row):
                if each >= 0:
                    self.repaint_row(each)

    # Drawing

    def paint_cell(self, painter: QPainter, rect: QRect, row: int) -> None:
        """Draw one thing as it is at rest."""
        item = self._things.item(row)
        if self._cells is not None and item is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._cells.paint(painter, rect, item, Mood(is_missing=self._things.is_missing(item)))

    def _paint_month(self, painter: QPainter, top: int, end: int, row: int) -> None:
        """Its name, which stays in view as long as anything of it is."""
        theme = self._icons.themes.current
        head = self._layout.shape.head
        y = max(top - self.verticalOffset(), 0)
        y = min(y, end - self.verticalOffset() - head)
        line = QRect(0, y, self.viewport().width(), head)
        painter.fillRect(line, QColor(theme.palette.window))
        month = next((month for first, month in reversed(self._things.months) if first <= row), None)
        if month is None:
            return
        font = QFont()
        font.setPointSizeF(theme.body_pt)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.text))
        left = round(_MARGIN_PX * theme.scale)
        words = QFontMetrics(font).elidedText(month_name(month), Qt.TextElideMode.ElideRight, line.width() - 2 * left)
        inner = line.adjusted(left, 0, -left, 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def _mood(self, row: int, item: Item) -> Mood:
        index = self._things.index(row)
        return Mood(
            is_selected=self.selectionModel().isSelected(index),
            is_hovered=row == self._hovered,
            has_ring=self._ring and self.hasFocus() and self.currentIndex().row() == row,
            is_missing=self._things.is_missing(item),
        )

    # Qt: where things are

    def doItemsLayout(self) -> None:
        self.lay_out()

    def updateGeometries(self) -> None:
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        bar.setPageStep(height)
        bar.setSingleStep(max(24, min(80, self._layout.cell_height // 2)))
        bar.setRange(0, max(0, self._layout.height - height))

    def visualRect(self, index: Index) -> QRect:
        if not index.isValid() or index.row() >= self._layout.count:
            return QRect()
        return self._rect_of(index.row())

    def indexAt(self, point: QPoint) -> QModelIndex:
        row = self._row_at(point)
        if row is None or point.y() + self.verticalOffset() < self._sticky_end():
            return QModelIndex()
        return self._things.index(row) if row < self._things.rowCount() else QModelIndex()

    def _rect_of(self, row: int) -> QRect:
        """In the viewport; the first column is where reading begins."""
        box = self._layout.box(row)
        x = self.width() - box.x - box.width - self._bar_px() if self.isRightToLeft() else box.x
        return QRect(x, box.y - self.verticalOffset(), box.width, box.height)

    def _row_at(self, point: QPoint) -> int | None:
        x = self.width() - 1 - point.x() - self._bar_px() if self.isRightToLeft() else point.x()
        return self._layout.row_at(x, point.y() + self.verticalOffset())

    def _bar_px(self) -> int:
        """From right to left the scroll bar stands at the left, and what is laid out begins behind it."""
        return self.width() - self.viewport().width()

    def _sticky_end(self) -> int:
        """Above this, in what is scrolled, the month's name covers the things."""
        top = self.verticalOffset()
        sections = self._layout.sections_between(top, top + 1)
        return min(top + self._layout.shape.head, sections[0][2]) if sections else top

    def scrollTo(self, index: Index, hint: QAbstractItemView.ScrollHint = QListView.ScrollHint.EnsureVisible) -> None:
        if not index.isValid() or index.row() >= self._layout.count:
            return
        box = self._layout.box(index.row())
        top, height = self.verticalOffset(), self.viewport().height()
        bar, head, gap = self.verticalScrollBar(), self._layout.shape.head, self._layout.shape.gap
        if hint == QListView.ScrollHint.PositionAtCenter:
            bar.setValue(box.y - (height - box.height) // 2)
        elif box.y - head < top or hint == QListView.ScrollHint.PositionAtTop:
            bar.setValue(box.y - head)
        elif box.y + box.height + gap > top + height:
            bar.setValue(box.y + box.height + gap - height)

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def horizontalOffset(self) -> int:
        return 0

    def isIndexHidden(self, index: Index) -> bool:
        return False

    def moveCursor(self, action: _Move, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        last = self._things.rowCount() - 1
        row = self.currentIndex().row()
        if last < 0:
            return QModelIndex()
        if row < 0:
            return self._things.index(0)
        page = max(1, self.viewport().height() // (self._layout.cell_height + self._layout.shape.gap) - 1)
        match action:
            case _Move.MoveLeft | _Move.MoveRight:
                row += 1 if (action == _Move.MoveRight) != self.isRightToLeft() else -1
            case _Move.MoveUp:
                row = self._layout.beside(row, -1)
            case _Move.MoveDown:
                row = self._layout.beside(row, 1)
            case _Move.MovePageUp:
                row = self._layout.beside(row, -page)
            case _Move.MovePageDown:
                row = self._layout.beside(row, page)
            case _Move.MoveHome:
                row = 0
            case _Move.MoveEnd:
                row = last
            case _Move.MoveNext | _Move.MovePrevious:
                return QModelIndex()  # Tab leaves the list
        return self._things.index(min(max(0, row), last))

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        """All from the thing at one corner to that at the other; where one is on none, what the rectangle meets."""
        offset, last = self.verticalOffset(), self._things.rowCount() - 1
        corners = (rect.topLeft(), rect.bottomRight())
        ends = [self._row_at(corner) for corner in corners]
        chosen = QItemSelection()
        if ends[0] is not None and ends[1] is not None:
            first, end = sorted((min(ends[0], last), min(ends[1], last)))
            chosen.append(QItemSelectionRange(self._things.index(first), self._things.index(end)))
        else:
            area = rect.normalized()
            for row in self._layout.rows_between(area.top() + offset, area.bottom() + offset + 1):
                index = self._things.index(row)
                if index.isValid() and self.visualRect(index).intersects(area):
                    chosen.append(QItemSelectionRange(index))
        self.selectionModel().select(chosen, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        return QRegion(self.viewport().rect())

    # Qt: events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._icons.themes.current.palette.window))
        if self._cells is None or not self._layout.count:
            painter.end()
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setLayoutDirection(self.layoutDirection())
        offset = self.verticalOffset()
        dirty = event.rect()
        for row in self._layout.rows_between(offset + dirty.top(), offset + dirty.bottom() + 1):
            rect = self._rect_of(row)
            if not rect.intersects(dirty):
                continue
            item = self._things.item(row)
            if item is None:
                self._cells.paint_ghost(painter, rect)
            else:
                self._cells.paint(painter, rect, item, self._mood(row, item))
        for row, top, end in self._layout.sections_between(offset, offset + dirty.bottom() + 1):
            self._paint_month(painter, top, end, row)
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()
        if not self._soon.isActive():
            self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        QAbstractItemView.resizeEvent(self, event)
        self._hold()
        self._rows_changed()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # that is the window's: larger and smaller text
            return
        QAbstractItemView.wheelEvent(self, event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHoverEvent):
            leaves = event.type() == QEvent.Type.HoverLeave
            self._hover(-1 if leaves else self.indexAt(event.position().toPoint()).row())
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._ring = True
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not event.modifiers():
                if self.currentIndex().isValid():
                    self.opened.emit(self.currentIndex().row())
            case Qt.Key.Key_Escape:
                if self.selectionModel().hasSelection():
                    self.clearSelection()
                else:
                    event.ignore()  # who holds the page turns back
            case _:
                super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        self.typed.emit(search)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._ring = False
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.RightButton and self.selectionModel().isSelected(index):
            return  # the menu is for all that is selected
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit(index.row())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.currentIndex()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            index = self.indexAt(event.pos())
        if not index.isValid():
            return
        if not self.selectionModel().isSelected(index):
            self.select_row(index.row())
        place = event.globalPos()
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            place = self.viewport().mapToGlobal(self.visualRect(index).center())
        self.menu_requested.emit(place)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = event.reason() in _KEYBOARD_REASONS
        super().focusInEvent(event)
        if self._ring and not self.currentIndex().isValid() and self._things.rowCount():
            none = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self._things.index(0), none)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()


class _Dragged(QStyledItemDelegate):
    """Qt asks a delegate to draw what hangs at the mouse while it is dragged."""

    def __init__(self, view: ShelfView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        self._view.paint_cell(painter, rect, index.row())
