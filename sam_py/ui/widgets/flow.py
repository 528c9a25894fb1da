"""FlowLayout: widgets side by side, in as many rows as the width asks for, each row centred or at the left."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Height follows from width. Items keep their size hints; one wider than the row is narrowed to it."""

    def __init__(self, *, gap_px: int = 8, centred: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap_px = gap_px
        self._centred = centred
        self.setContentsMargins(0, 0, 0, 0)

    def _rows(self, width: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        rows: list[list[tuple[QLayoutItem, QSize]]] = [[]]
        x = 0
        for item in self._items:
            widget = item.widget()
            if widget is not None and widget.isHidden():
                continue
            size = item.sizeHint().boundedTo(QSize(max(1, width), 100_000))
            if rows[-1] and x + size.width() > width:
                rows.append([])
                x = 0
            rows[-1].append((item, size))
            x += size.width() + self._gap_px
        return rows

    def _height(self, width: int) -> int:
        rows = [row for row in self._rows(width) if row]
        return sum(max(size.height() for _item, size in row) for row in rows) + self._gap_px * max(0, len(rows) - 1)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._height(width)

    def sizeHint(self) -> QSize:
        widths = [item.sizeHint().width() for item in self._items]
        return QSize(sum(widths) + self._gap_px * max(0, len(widths) - 1), self._height(100_000))

    def minimumSize(self) -> QSize:
        return QSize(max((item.minimumSize().width() for item in self._items), default=0), 0)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        y = rect.top()
        for row in self._rows(rect.width()):
            if not row:
                continue
            width = sum(size.width() for _item, size in row) + self._gap_px * (len(row) - 1)
            x = rect.left() + ((rect.width() - width) // 2 if self._centred else 0)
            for item, size in row:
                item.setGeometry(QRect(QPoint(x, y), size))
                x += size.width() + self._gap_px
            y += max(size.height() for _item, size in row) + self._gap_px
