"""KindBar: the kinds of things in the library as tabs, each with how many there are."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from sam_py.store.search_index.extract import ITEM_KINDS, ItemKind
from sam_py.ui.library.words import KIND_ICONS, filled, kind_name, number, tr
from sam_py.ui.widgets.icons import Icons, Role
from sam_py.ui.widgets.tab_bar import DrawnTabs

_PAD_PX = 12
_ICON_PX = 16
_HEIGHT_PX = 40


class KindBar(DrawnTabs):
    """Where the width does not do, counts go first, then the names of the kinds that are not shown."""

    chosen = Signal(str)
    """An `ItemKind`."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(icons, tr("What to show"), parent)
        self._counts: dict[str, int] = {}
        self._detail = 2
        for kind in ITEM_KINDS:
            self.addTab(kind_name(kind))
        self.currentChanged.connect(lambda place: self.chosen.emit(ITEM_KINDS[place]))
        icons.changed.connect(self._retheme)
        self._retheme()
        self.set_counts({})

    @property
    def kind(self) -> ItemKind:
        return ITEM_KINDS[self.currentIndex()]

    def show_kind(self, kind: ItemKind) -> None:
        self.setCurrentIndex(ITEM_KINDS.index(kind))

    def set_counts(self, counts: dict[str, int]) -> None:
        self._counts = counts
        for place, kind in enumerate(ITEM_KINDS):
            words = kind_name(kind)
            if counts:
                words = filled(tr("%1 (%2)"), words, number(counts.get(kind, 0)))
            self.setAccessibleTabName(place, words)
            self.setTabToolTip(place, words)
        self._fit()

    def _count(self, place: int) -> str:
        return number(self._counts[ITEM_KINDS[place]]) if ITEM_KINDS[place] in self._counts else ""

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.97)
        self.setFont(font)
        self._small = QFont(font)
        self._small.setPointSizeF(theme.small_pt)
        self._fit()

    def _fit(self) -> None:
        """As much of each tab as there is room for."""
        for detail in (2, 1, 0):
            self._detail = detail
            if sum(self._width_of(place) for place in range(self.count())) <= self.width():
                break
        self.updateGeometry()
        self.setIconSize(self.iconSize())  # has the tabs laid out anew
        font = self.font()
        self.setFont(font)
        self.update()

    def _width_of(self, place: int) -> int:
        width = self._px(_ICON_PX) + 2 * self._px(_PAD_PX)
        if self._detail or place == self.currentIndex():
            width += self._px(7) + QFontMetrics(self.font()).horizontalAdvance(self.tabText(place))
        if self._detail == 2 and self._count(place):
            width += self._px(7) + QFontMetrics(self._small).horizontalAdvance(self._count(place))
        return width

    # Qt

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(self._width_of(index), self._px(_HEIGHT_PX))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return QSize(self._px(24), self._px(_HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._px(200), self._px(_HEIGHT_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def tabLayoutChange(self) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(self.layoutDirection())
        palette = self._icons.themes.current.palette
        painter.fillRect(QRect(0, self.height() - 1, self.width(), 1), QColor(palette.border))
        for place in range(self.count()):
            self._paint_tab(painter, place, self.tabRect(place))

    def _paint_tab(self, painter: QPainter, place: int, rect: QRect) -> None:
        palette = self._icons.themes.current.palette
        is_chosen = place == self.currentIndex()
        lively = is_chosen or place == self._hovered
        role: Role = "accent" if is_chosen else ("text" if lively else "muted")
        side, left = self._px(_ICON_PX), rect.left() + self._px(_PAD_PX)
        top = rect.center().y() - side // 2
        sign = self._turned(rect, QRect(left, top, side, side))
        self._icons.paint(painter, KIND_ICONS[ITEM_KINDS[place]], role, QRectF(sign))
        left += side + self._px(7)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        if self._detail or is_chosen:
            room = rect.right() - left
            painter.setFont(self.font())
            painter.setPen(QColor(palette.text if lively else palette.text_muted))
            words = painter.fontMetrics().elidedText(self.tabText(place), Qt.TextElideMode.ElideRight, room)
            painter.drawText(self._turned(rect, QRect(left, rect.top(), room, rect.height())), align, words)
            left += painter.fontMetrics().horizontalAdvance(words) + self._px(7)
        if self._detail == 2 and self._count(place):
            painter.setFont(self._small)
            painter.setPen(QColor(palette.text_muted))
            line = self._turned(rect, QRect(left, rect.top(), rect.right() - left + 1, rect.height()))
            painter.drawText(line, align, self._count(place))
        if is_chosen:
            thick = max(2, self._px(2))
            below = QRectF(rect.left() + self._px(8), self.height() - thick, rect.width() - 2 * self._px(8), thick)
            self._underline(painter, below)
            self._draw_ring(painter, QRectF(rect).adjusted(2, 4, -2, -5))

    def _turned(self, tab: QRect, rect: QRect) -> QRect:
        """Where `rect` of a tab stands for who reads from right to left."""
        if not self.isRightToLeft():
            return rect
        return rect.translated(tab.left() + tab.right() - rect.left() - rect.right(), 0)
