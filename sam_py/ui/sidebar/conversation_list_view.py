"""ConversationListView: the list under mouse and keyboard. It says what is wanted; the sidebar does it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from sam_py.ui.sidebar.conversation_list_model import SECTION_ROLE, SUMMARY_ROLE, ConversationListModel
from sam_py.ui.sidebar.row_delegate import RowDelegate
from sam_py.ui.sidebar.sections import Section
from sam_py.ui.widgets.icons import Icons

_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)
_MOVE = Qt.DropAction.MoveAction


class ConversationListView(QListView):
    """A click or Enter opens; Ctrl and Shift select several; Del deletes; F2 renames; letters search."""

    opened = Signal(str)
    menu_requested = Signal(QPoint)
    """A menu for `selected_ids()`, at this place of the screen."""
    folder_menu_requested = Signal(str, QPoint)
    delete_requested = Signal()

    def __init__(self, model: ConversationListModel, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._conversations = model
        self.rows = RowDelegate(icons, self)
        self.setItemDelegate(self.rows)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Measured with 10,000 rows: laying them out in batches shows the first in 5 ms, at once in 46.
        self.setUniformItemSizes(True)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(200)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)  # the sidebar is its ground
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(self.tr("Conversations"))
        self.setModel(model)

    def selected_ids(self) -> list[str]:
        """The selected conversations from top to bottom."""
        rows = sorted(index.row() for index in self.selectedIndexes())
        summaries = [self._conversations.index(row).data(SUMMARY_ROLE) for row in rows]
        return [summary.id for summary in summaries if summary is not None]

    def select_only(self, id: str) -> None:
        """Select a conversation and make it seen; with an id that is not on view, select nothing."""
        row = self._conversations.row_of(id)
        if row is None:
            self.clearSelection()
            return
        index = self._conversations.index(row)
        if index != self.currentIndex() or not self.selectionModel().isSelected(index):
            # Not the view's own method: with Ctrl held, as in Ctrl+Tab, that keeps what was selected before.
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(index, how)
        self.scrollTo(index)

    def rename(self, id: str) -> None:
        """Open the line edit on a conversation's title."""
        row = self._conversations.row_of(id)
        if row is not None:
            self.edit(self._conversations.index(row))

    def set_open(self, id: str) -> None:
        self.rows.open_id = id
        self.viewport().update()

    def _activate(self, index: QModelIndex) -> None:
        section = index.data(SECTION_ROLE)
        if isinstance(section, Section):
            self._conversations.toggle(section.key)
            row = self._conversations.row_of(section.key)
            if row is not None:
                self.selectionModel().setCurrentIndex(
                    self._conversations.index(row), self.selectionModel().SelectionFlag.NoUpdate
                )
            return
        summary = index.data(SUMMARY_ROLE)
        if summary is not None:
            self.opened.emit(summary.id)

    def _is_on_more(self, position: QPoint) -> bool:
        index = self.indexAt(position)
        return index.data(SUMMARY_ROLE) is not None and self.rows.more_of(self.visualRect(index)).contains(position)

    def _menu_for(self, index: QModelIndex, place: QPoint) -> None:
        section = index.data(SECTION_ROLE)
        if isinstance(section, Section):
            if section.kind == "folder":
                self.folder_menu_requested.emit(section.folder, place)
            return
        if not index.isValid():
            return
        if not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
        self.menu_requested.emit(place)

    def _mark_drop(self, position: QPoint | None) -> None:
        section = self._conversations.section_at(self.indexAt(position)) if position is not None else None
        key = section.key if section is not None and section.kind != "archived" else ""
        if key != self.rows.drop_key:
            self.rows.drop_key = key
            self.viewport().update()

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        section = index.data(SECTION_ROLE) if index.isValid() else None
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._activate(index)
            case Qt.Key.Key_Delete:
                self.delete_requested.emit()
            case Qt.Key.Key_F2:
                if index.data(SUMMARY_ROLE) is not None:
                    self.edit(index)
            case Qt.Key.Key_Left | Qt.Key.Key_Right | Qt.Key.Key_Space if isinstance(section, Section):
                closing = event.key() == Qt.Key.Key_Left
                if event.key() == Qt.Key.Key_Space or closing != section.collapsed:
                    self._activate(index)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.rows.ring = False
        position = event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and self._is_on_more(position):
            self._menu_for(self.indexAt(position), event.globalPosition().toPoint())
            return
        if event.button() == Qt.MouseButton.RightButton and self.selectionModel().isSelected(self.indexAt(position)):
            return  # the menu is for all that is selected
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        position = event.position().toPoint()
        was_dragging = self.state() == QAbstractItemView.State.DragSelectingState
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or event.modifiers() or self._is_on_more(position):
            return
        index = self.indexAt(position)
        if index.isValid() and index == self.currentIndex() and (not was_dragging or len(self.selectedIndexes()) < 2):
            self._activate(index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            self._menu_for(self.indexAt(event.pos()), event.globalPos())
            return
        index = self.currentIndex()
        place = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft() + QPoint(self.rows.px(24), 0))
        self._menu_for(index, place)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.rows.ring = event.reason() in _KEYBOARD_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.rows.ring = False
        super().focusOutEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)  # scrolls near the edges; near a row's edge it would aim between two rows
        position = event.position().toPoint()
        if self._conversations.canDropMimeData(event.mimeData(), _MOVE, -1, -1, self.indexAt(position)):
            event.setDropAction(_MOVE)
            event.accept()
            self._mark_drop(position)
        else:
            event.ignore()
            self._mark_drop(None)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._mark_drop(None)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._mark_drop(None)
        self.setState(QAbstractItemView.State.NoState)
        target = self.indexAt(event.position().toPoint())
        if self._conversations.dropMimeData(event.mimeData(), _MOVE, -1, -1, target):
            event.setDropAction(_MOVE)
            event.accept()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "rows"):
            self.scheduleDelayedItemsLayout()
