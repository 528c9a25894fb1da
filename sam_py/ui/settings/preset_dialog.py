"""PresetDialog: the list of services and servers to choose a new provider from, found by typing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from sam_py.providers.presets import PRESETS, Group, Preset
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

Index = QModelIndex | QPersistentModelIndex

_SIZE_PX = (460, 520)
_ROW_PX = 36
_TALL_PX = 52
_HEADER_PX = 32
_PAGE = 7


class PresetRows(QAbstractListModel):
    """Headings (text) and presets that match what was typed."""

    def __init__(self, presets: Sequence[Preset] = PRESETS, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._presets = presets
        self._rows: list[str | Preset] = []
        self.search("")

    def search(self, words: str) -> None:
        """Keep the presets in whose name, hint or address every word occurs; those whose name begins so come first."""
        wanted = words.lower().split()
        self.beginResetModel()
        self._rows = []
        for group in ("service", "local", "other"):
            found = [each for each in self._presets if each.group == group and _matches(each, wanted)]
            if wanted:
                found.sort(key=lambda each: not each.label.lower().startswith(wanted[0]))
            if found:
                self._rows += [group_words(group), *found]
        self.endResetModel()

    def preset(self, index: Index | int) -> Preset | None:
        at = index if isinstance(index, int) else index.row()
        row = self._rows[at] if 0 <= at < len(self._rows) else None
        return row if isinstance(row, Preset) else None

    def words(self, index: Index) -> str:
        row = self._rows[index.row()]
        return row.label if isinstance(row, Preset) else row

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        preset = self.preset(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.words(index)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{preset.label}. {hint_of(preset)}".strip() if preset is not None else self.words(index)
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.preset(index) is None:
            return Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


def group_words(group: Group) -> str:
    match group:
        case "service":
            return _("Services, with a key")
        case "local":
            return _("On this computer")
        case "other":
            return _("Any other server, by its address")
        case _:
            assert_never(group)


def hint_of(preset: Preset) -> str:
    return QCoreApplication.translate("Presets", preset.hint) if preset.hint else ""


class PresetDialog(QDialog):
    """Open it with ``open()``. Typing searches, arrows walk, Enter or a click chooses, Esc leaves."""

    preset_chosen = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Add a provider"))
        self._icons = icons
        self.rows = PresetRows(parent=self)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Find a service or a server"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.search.installEventFilter(self)
        self.list = QListView()
        self.list.setAccessibleName(self.tr("Services and servers"))
        self.list.setModel(self.rows)
        self.list.setItemDelegate(_PresetPainter(icons, self))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setMouseTracking(True)
        self.list.viewport().setAutoFillBackground(False)
        self.list.clicked.connect(self._choose)
        self.list.installEventFilter(self)
        self.add = PillButton(icons, self.tr("Add"), kind="accent")
        self.add.clicked.connect(lambda: self._choose(self.list.currentIndex()))
        self.cancel = PillButton(icons, self.tr("Cancel"), kind="outline")
        self.cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addLayout(buttons)
        scale = icons.themes.current.scale
        room = self.screen().availableSize()
        self.resize(
            min(round(_SIZE_PX[0] * scale), room.width() - 40), min(round(_SIZE_PX[1] * scale), room.height() - 60)
        )
        self._search("")
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _search(self, words: str) -> None:
        self.rows.search(words)
        first = next((at for at in range(self.rows.rowCount()) if self.rows.preset(at)), -1)
        self.list.setCurrentIndex(self.rows.index(first, 0) if first >= 0 else QModelIndex())
        self.list.scrollToTop()
        self.add.setEnabled(first >= 0)

    def _step(self, step: int, times: int = 1) -> None:
        at = found = self.list.currentIndex().row()
        while times and 0 <= at + step < self.rows.rowCount():
            at += step
            if self.rows.preset(at) is not None:
                found = at
                times -= 1
        self.list.setCurrentIndex(self.rows.index(found, 0))

    def _choose(self, index: QModelIndex) -> None:
        preset = self.rows.preset(index) if index.isValid() else None
        if preset is not None:
            self.accept()
            self.preset_chosen.emit(preset)  # afterwards: what it opens takes the keyboard

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {
                Qt.Key.Key_Down: (1, 1),
                Qt.Key.Key_Up: (-1, 1),
                Qt.Key.Key_PageDown: (1, _PAGE),
                Qt.Key.Key_PageUp: (-1, _PAGE),
            }
            if event.key() in steps:
                self._step(*steps[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)


class _PresetPainter(QStyledItemDelegate):
    """Name, and below it what to know before choosing."""

    def __init__(self, icons: Icons, parent: QObject) -> None:
        super().__init__(parent)
        self._icons = icons

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        preset = _rows_of(index).preset(index)
        return QSize(10, self._px(_HEADER_PX if preset is None else _TALL_PX if preset.hint else _ROW_PX))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._icons.themes.current
        rows = _rows_of(index)
        preset = rows.preset(index)
        rect = QRect(option.rect)
        chosen = option.state & QStyle.StateFlag.State_Selected
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if preset is not None and (chosen or option.state & QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.selected if chosen else theme.palette.hover))
            painter.drawRoundedRect(QRectF(rect).adjusted(2, 1, -2, -1), 8 * theme.scale, 8 * theme.scale)
        line = rect.adjusted(self._px(12), 0, -self._px(12), 0)
        if preset is None:
            line.setTop(line.top() + self._px(6))
            self._words(painter, rows.words(index), line, theme.small_pt, theme.palette.text_muted, heavy=True)
        elif preset.hint:
            upper, lower = QRect(line), QRect(line)
            upper.setBottom(line.center().y() + self._px(1))
            upper.setTop(line.top() + self._px(5))
            lower.setTop(line.center().y())
            lower.setBottom(line.bottom() - self._px(5))
            self._words(painter, preset.label, upper, theme.body_pt, theme.palette.text)
            self._words(painter, hint_of(preset), lower, theme.small_pt, theme.palette.text_muted)
        else:
            self._words(painter, preset.label, line, theme.body_pt, theme.palette.text)
        painter.restore()

    def _words(
        self, painter: QPainter, words: str, rect: QRect, points: float, colour: str, *, heavy: bool = False
    ) -> None:
        font = QFont(painter.font())
        font.setPointSizeF(points)
        font.setWeight(QFont.Weight.Medium if heavy else QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)


def _rows_of(index: Index) -> PresetRows:
    model = index.model()
    assert isinstance(model, PresetRows)
    return model


def _matches(preset: Preset, words: list[str]) -> bool:
    text = f"{preset.label} {preset.preset} {preset.hint} {preset.base_url}".lower()
    return all(word in text for word in words)


def _(text: str) -> str:
    return QCoreApplication.translate("PresetDialog", text)
