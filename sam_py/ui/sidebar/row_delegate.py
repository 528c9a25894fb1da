"""RowDelegate: draws a row of the conversation list and lends the line edit that renames it."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sam_py.store.summary import ConversationSummary
from sam_py.ui.sidebar.conversation_list_model import SECTION_ROLE, STATE_ROLE, SUMMARY_ROLE
from sam_py.ui.sidebar.sections import Section
from sam_py.ui.theme import Theme
from sam_py.ui.widgets.icons import Icons, Role

Index = QModelIndex | QPersistentModelIndex

ROW_PX = 32
_SIDE_PX = 8
_TITLE_LIMIT = 200


class RowDelegate(QStyledItemDelegate):
    """Rows are one line, of one height, with a rounded ground when hovered, chosen or dropped on."""

    def __init__(self, icons: Icons, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._icons = icons
        self.open_id = ""
        """The conversation that the window shows."""
        self.drop_key = ""
        """The section that something is being dragged over."""
        self.ring = False
        """Whether the keyboard is in the list: its row gets a ring."""

    @property
    def _theme(self) -> Theme:
        return self._icons.themes.current

    def px(self, length_px: float) -> int:
        return round(length_px * self._theme.scale)

    def ground_of(self, row: QRect) -> QRect:
        """The rounded rectangle in a row."""
        beside_bar = self._view.verticalScrollBar().isVisible()  # whose empty part is margin enough
        return row.adjusted(_SIDE_PX, 1, 0 if beside_bar else -_SIDE_PX, -1)

    def more_of(self, row: QRect) -> QRect:
        """Where the "more" button of a row is."""
        ground = self.ground_of(row)
        side = ground.height()
        return QRect(ground.right() + 1 - side, ground.top(), side, side)

    # Drawing

    def _paint_section(self, painter: QPainter, rect: QRect, section: Section, hovered: bool) -> None:
        palette = self._theme.palette
        ground = self.ground_of(rect)
        left = ground.left() + self.px(8)
        role: Role = "text" if hovered else "muted"
        icon = {"folder": "folder-open", "archived": "archive", "pinned": "pin"}.get(section.kind, "")
        if section.kind == "folder" and section.collapsed:
            icon = "folder"
        if icon:
            side = self.px(14)
            place = QRectF(left, rect.center().y() - side / 2 + self.px(3), side, side)
            self._icons.paint(painter, icon, role, place)
            left += self.px(20)
        right = ground.right() - self.px(8)
        if hovered or section.collapsed:
            side = self.px(14)
            place = QRectF(right - side, rect.center().y() - side / 2 + self.px(3), side, side)
            self._icons.paint(painter, "chevron-right" if section.collapsed else "chevron-down", "muted", place)
        right -= self.px(18)
        painter.setFont(self._font(small=True))
        painter.setPen(QColor(palette.text if hovered else palette.text_muted))
        metrics = QFontMetrics(painter.font())
        words = metrics.elidedText(section.label, Qt.TextElideMode.ElideRight, right - left)
        line = QRect(left, rect.top() + self.px(6), right - left, rect.height() - self.px(6))
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_conversation(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        palette = self._theme.palette
        state = option.state
        rect: QRect = option.rect
        summary: ConversationSummary = index.data(SUMMARY_ROLE)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        chosen = summary.id == self.open_id
        selected = bool(state & QStyle.StateFlag.State_Selected)
        ground = QRectF(self.ground_of(rect))
        radius = self.px(8)
        if chosen or selected or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selected if chosen or selected else palette.hover))
            painter.drawRoundedRect(ground, radius, radius)
        if self.ring and state & QStyle.StateFlag.State_HasFocus:
            self._paint_ring(painter, ground)
        line = self._title_rect(rect, summary, index.data(STATE_ROLE), hovered)
        mark = index.data(STATE_ROLE)
        right = ground.right() - self.px(8)
        if hovered:
            side = self.px(16)
            place = QRectF(self.more_of(rect))
            icon = QRectF(place.center().x() - side / 2, place.center().y() - side / 2, side, side)
            self._icons.paint(painter, "more", "text", icon)
        elif mark:
            self._paint_mark(painter, QPointF(right - self.px(4), ground.center().y()), mark)
        elif summary.pinned and summary.archived:
            side = self.px(12)
            self._icons.paint(
                painter, "pin-filled", "muted", QRectF(right - side, ground.center().y() - side / 2, side, side)
            )
        painter.setFont(self._font(heavy=mark == "unread"))
        painter.setPen(QColor(palette.text))
        words = QFontMetrics(painter.font()).elidedText(index.data(), Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _title_rect(self, rect: QRect, summary: ConversationSummary, mark: str, hovered: bool) -> QRect:
        ground = self.ground_of(rect)
        side_mark = hovered or mark or (summary.pinned and summary.archived)
        right = self.px(28) if side_mark else self.px(8)
        return ground.adjusted(self.px(8), 0, -right, 0)

    def _paint_mark(self, painter: QPainter, centre: QPointF, mark: str) -> None:
        """A warning where it asks, a ring while it is answered, a dot when that was not seen: told without colour."""
        accent = QColor(self._theme.palette.accent)
        if mark == "asking":
            side = self.px(14)
            place = QRectF(centre.x() - side / 2, centre.y() - side / 2, side, side)
            self._icons.paint(painter, "warning", "warning", place)
            return
        if mark == "busy":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(accent, max(1.5, self.px(2))))
            painter.drawEllipse(centre, self.px(4), self.px(4))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawEllipse(centre, self.px(4), self.px(4))

    def _paint_ring(self, painter: QPainter, ground: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._theme.palette.accent), 2))
        painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), self.px(8), self.px(8))

    def _font(self, *, small: bool = False, heavy: bool = False) -> QFont:
        font = QFont()
        font.setPointSizeF(self._theme.small_pt if small else self._theme.body_pt * 0.97)
        if small or heavy:
            font.setWeight(QFont.Weight.DemiBold if heavy else QFont.Weight.Medium)
        return font

    # Qt

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        section = index.data(SECTION_ROLE)
        rect: QRect = option.rect
        state = option.state
        if isinstance(section, Section):
            ground = QRectF(self.ground_of(rect))
            if section.key == self.drop_key:
                painter.setPen(QPen(QColor(self._theme.palette.accent), 1.5))
                painter.setBrush(QColor(self._theme.palette.selected))
                painter.drawRoundedRect(ground, self.px(8), self.px(8))
            self._paint_section(painter, rect, section, bool(state & QStyle.StateFlag.State_MouseOver))
            if self.ring and state & QStyle.StateFlag.State_HasFocus:
                self._paint_ring(painter, ground)
        else:
            self._paint_conversation(painter, option, index)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.px(120), max(self.px(ROW_PX), QFontMetrics(self._font()).height() + self.px(12)))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("Title"))
        editor.setMaxLength(_TITLE_LIMIT)
        editor.setFont(self._font())
        palette = self._theme.palette
        editor.setStyleSheet(
            f"QLineEdit {{ background: {palette.raised}; color: {palette.text}; border: 2px solid {palette.accent};"
            f" border-radius: {self.px(8)}px; padding: 0 {self.px(5)}px; }}"
        )
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        editor.setText(index.data(Qt.ItemDataRole.EditRole))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(self.ground_of(option.rect))

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        """A tooltip only where the title does not fit."""
        summary = index.data(SUMMARY_ROLE)
        if event.type() == QEvent.Type.ToolTip and isinstance(summary, ConversationSummary):
            width = self._title_rect(option.rect, summary, index.data(STATE_ROLE), True).width()
            if QFontMetrics(self._font()).horizontalAdvance(index.data()) <= width:
                return False
        return super().helpEvent(event, view, option, index)
