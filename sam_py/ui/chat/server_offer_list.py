"""What a server has to choose from, as rows of a list: name, and below it what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from sam_py.tools.mcp.offer import OfferedPrompt, OfferedResource
from sam_py.ui.chat.attachments_intake import size_text
from sam_py.ui.chat.tool_words import visible_line
from sam_py.ui.widgets.icons import Icons

Index = QModelIndex | QPersistentModelIndex
Offered = OfferedResource | OfferedPrompt

_ROW_PX = 52


@dataclass(frozen=True, slots=True)
class OfferRow:
    offered: Offered
    name: str
    detail: str


class OfferRows(QAbstractListModel):
    """The rows in which every word of the search occurs, in the server's order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[OfferRow] = []
        self._rows: list[OfferRow] = []
        self._words: list[str] = []

    def set_offered(self, offered: Sequence[Offered]) -> None:
        self._all = [_row_of(each) for each in offered]
        self._filter()

    def search(self, words: str) -> None:
        self._words = words.lower().split()
        self._filter()

    def row(self, index: Index) -> OfferRow | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def place_of(self, offered: Offered) -> int:
        """Where it stands; -1 where it does not."""
        return next((place for place, row in enumerate(self._rows) if row.offered == offered), -1)

    def _filter(self) -> None:
        self.beginResetModel()
        self._rows = [row for row in self._all if all(word in _searched(row) for word in self._words)]
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.name}. {row.detail}"
            case _:
                return None


class OfferPainter(QStyledItemDelegate):
    """Both lines of a row, elided; the chosen one on the theme's ground for it."""

    def __init__(self, icons: Icons, parent: QObject) -> None:
        super().__init__(parent)
        self._icons = icons

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(10, round(_ROW_PX * self._icons.themes.current.scale))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        row = model.row(index) if isinstance(model, OfferRows) else None
        if row is None:
            return
        theme = self._icons.themes.current
        scale = theme.scale
        chosen = option.state & QStyle.StateFlag.State_Selected
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.selected if chosen else theme.palette.hover))
            painter.drawRoundedRect(QRectF(option.rect).adjusted(2, 1, -2, -1), 8 * scale, 8 * scale)
        inner = QRectF(option.rect).adjusted(12 * scale, 6 * scale, -12 * scale, -6 * scale)
        half = inner.height() / 2
        for words, top, points, colour in (
            (row.name, inner.top(), theme.body_pt, theme.palette.text),
            (row.detail, inner.top() + half, theme.small_pt, theme.palette.text_muted),
        ):
            font = QFont(painter.font())
            font.setPointSizeF(points)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, round(inner.width()))
            place = QRectF(inner.left(), top, inner.width(), half)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)
        painter.restore()


def _row_of(offered: Offered) -> OfferRow:
    name = visible_line(offered.title or offered.name)
    if isinstance(offered, OfferedPrompt):
        return OfferRow(offered, name, visible_line(offered.description or offered.name))
    facts = [visible_line(offered.uri)]
    if offered.mime_type:
        facts.append(visible_line(offered.mime_type))
    if offered.size is not None and offered.size >= 0:
        facts.append(size_text(offered.size))
    if offered.is_template:
        facts.append(QCoreApplication.translate("ServerOffers", "to be filled in"))
    return OfferRow(offered, name, " · ".join(facts))


def _searched(row: OfferRow) -> str:
    return f"{row.name}\n{row.detail}\n{row.offered.description}".lower()
