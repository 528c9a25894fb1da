"""The model picker: a popup with every model of every provider, found by typing, chosen by Enter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QKeyEvent, QPainter, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
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

from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.ui.chat.model_names import GUIDE, model_name
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import tooltip

SEARCH_FROM = 9
_RECENT_SHOWN = 3
_WIDTH_PX = 360
_MOST_HEIGHT_PX = 420
_ROW_PX = 34
_HEADER_PX = 28

Index = QModelIndex | QPersistentModelIndex


class PickerRow:
    """A line of the list: a provider's name, a model, or a note that there is none yet."""

    __slots__ = ("choice", "current", "detail", "kind", "label")

    def __init__(
        self,
        kind: Literal["header", "model", "note"],
        label: str,
        choice: ModelChoice | None = None,
        detail: str = "",
        current: bool = False,
    ) -> None:
        self.kind = kind
        self.label = label
        self.choice = choice
        self.detail = detail
        self.current = current


class ModelRows(QAbstractListModel):
    """The rows that match what was typed; every word must occur in the model's or its provider's name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._providers: tuple[ProviderSettings, ...] = ()
        self._current: ModelChoice | None = None
        self._recent: tuple[ModelChoice, ...] = ()
        self._rows: list[PickerRow] = []

    def set_models(
        self, providers: Sequence[ProviderSettings], current: ModelChoice | None, recent: Sequence[ModelChoice]
    ) -> None:
        self._providers = tuple(provider for provider in providers if provider.enabled and provider.id != GUIDE)
        self._current = current
        self._recent = tuple(recent)
        self.search("")

    @property
    def model_count(self) -> int:
        return sum(len(models_of(provider)) for provider in self._providers) + 1

    def search(self, words: str) -> None:
        self.beginResetModel()
        self._rows = self._matching(words.lower().split())
        self.endResetModel()

    def row(self, index: Index | int) -> PickerRow:
        return self._rows[index if isinstance(index, int) else index.row()]

    def first_choice(self) -> int:
        """The row to begin at: the current model, otherwise the first."""
        rows = [at for at, row in enumerate(self._rows) if row.choice is not None]
        return next((at for at in rows if self._rows[at].current), rows[0] if rows else -1)

    def _matching(self, words: list[str]) -> list[PickerRow]:
        rows: list[PickerRow] = []
        if not words:
            rows += self._recent_rows()
        for provider in self._providers:
            models = [model for model in models_of(provider) if _has_all(words, f"{model} {provider.label}")]
            if models:
                rows.append(PickerRow("header", provider.label))
                rows += [self._model_row(provider.id, model) for model in models]
            elif not words:
                rows.append(PickerRow("header", provider.label))
                rows.append(PickerRow("note", self.tr("No models listed yet. Refresh asks for them.")))
        guide = self.tr("Offline guide")
        if _has_all(words, guide):
            choice = ModelChoice(provider=GUIDE, model=GUIDE)
            rows.append(PickerRow("header", self.tr("Built in")))
            detail = self.tr("the handbook, no model")
            current = self._current is not None and self._current.provider == GUIDE
            rows.append(PickerRow("model", guide, choice, detail, current))
        return rows or [PickerRow("note", self.tr("No model has that name."))]

    def _recent_rows(self) -> list[PickerRow]:
        """Recently used ones come first, where there is more than a screen to choose from."""
        known = {(provider.id, model): provider for provider in self._providers for model in models_of(provider)}
        recent = [choice for choice in self._recent if (choice.provider, choice.model) in known][:_RECENT_SHOWN]
        if not recent or self.model_count < SEARCH_FROM:
            return []
        rows = [PickerRow("header", self.tr("Recently used"))]
        for choice in recent:
            row = self._model_row(choice.provider, choice.model)
            row.detail = known[choice.provider, choice.model].label
            rows.append(row)
        return rows

    def _model_row(self, provider_id: str, model: str) -> PickerRow:
        choice = ModelChoice(provider=provider_id, model=model)
        return PickerRow("model", model_name(model), choice, current=choice == self._current)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.row(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.label
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(row.choice.model) if row.choice else None
            case Qt.ItemDataRole.AccessibleTextRole:
                state = self.tr("chosen") if row.current else ""
                return ", ".join(words for words in (row.label, row.detail, state) if words)
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.row(index).choice is not None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemNeverHasChildren


def models_of(provider: ProviderSettings) -> tuple[str, ...]:
    """What is known of a provider's models: the list, with the last chosen one in it."""
    if provider.model and provider.model not in provider.models:
        return (provider.model, *provider.models)
    return provider.models


def _has_all(words: list[str], text: str) -> bool:
    text = text.lower()
    return all(word in text for word in words)


class _RowPainter(QStyledItemDelegate):
    def __init__(self, icons: Icons, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        scale = self._icons.themes.current.scale
        return QSize(10, round((_HEADER_PX if _row_of(index).kind == "header" else _ROW_PX) * scale))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._icons.themes.current
        row = _row_of(index)
        rect = QRect(option.rect)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.choice is not None and state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            chosen = state & QStyle.StateFlag.State_Selected
            painter.setBrush(QColor(theme.palette.selected if chosen else theme.palette.hover))
            painter.drawRoundedRect(QRectF(rect).adjusted(2, 1, -2, -1), 8 * theme.scale, 8 * theme.scale)
        left = rect.left() + round(12 * theme.scale)
        right = rect.right() - round(12 * theme.scale)
        if row.current:
            side = round(16 * theme.scale)
            place = QRectF(right - side, rect.center().y() - side / 2 + 1, side, side)
            self._icons.paint(painter, "check", "accent", place)
            right -= side + round(8 * theme.scale)
        if row.detail:
            right = self._words(painter, row.detail, left, right, rect, small=True, at_right=True)
        self._words(painter, row.label, left, right, rect, small=row.kind != "model", at_right=False)
        painter.restore()

    def _words(
        self, painter: QPainter, words: str, left: int, right: int, rect: QRect, *, small: bool, at_right: bool
    ) -> int:
        """Draw `words`, and return where what stands before them has to end."""
        theme = self._icons.themes.current
        font = QFont(painter.font())
        font.setPointSizeF(theme.small_pt if small else theme.body_pt)
        if small and not at_right:
            font.setWeight(QFont.Weight.Medium)
        metrics = QFontMetrics(font)
        room = (right - left) // 2 if at_right else right - left
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
        width = metrics.horizontalAdvance(shown)
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.text_muted if small else theme.palette.text))
        x = right - width if at_right else left
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(x, rect.top(), width + 2, rect.height()), align, shown)
        return x - round(8 * theme.scale)


def _row_of(index: Index) -> PickerRow:
    model = index.model()
    assert isinstance(model, ModelRows)
    return model.row(index)


class ModelPicker(QFrame):
    """Opens above or below its button; arrows, Enter, Esc and typing do everything that the mouse does."""

    model_chosen = Signal(str, str)
    """provider id, model id"""
    refresh_requested = Signal()
    add_provider_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._icons = icons
        self.setObjectName("modelPicker")
        self.setAccessibleName(self.tr("Models"))
        self.rows = ModelRows(self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a model"))
        self.search.setAccessibleName(self.tr("Find a model"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.search.installEventFilter(self)
        self.list = QListView(self)
        self.list.setAccessibleName(self.tr("Models"))
        self.list.setModel(self.rows)
        self.list.setItemDelegate(_RowPainter(icons, self))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setMouseTracking(True)
        self.list.clicked.connect(self._choose)
        self.list.installEventFilter(self)
        self.refresh = PillButton(icons, self.tr("Refresh"), icon="regenerate", height_px=30, parent=self)
        self.refresh.clicked.connect(self.refresh_requested)
        self.add = PillButton(icons, self.tr("Add a provider…"), icon="plus", height_px=30, parent=self)
        self.add.clicked.connect(self._add_provider)
        column = QVBoxLayout(self)
        column.setContentsMargins(7, 7, 7, 7)
        column.setSpacing(4)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.add)
        foot.addStretch(1)
        foot.addWidget(self.refresh)
        column.addLayout(foot)

    def set_models(
        self,
        providers: Sequence[ProviderSettings],
        current: ModelChoice | None,
        recent: Sequence[ModelChoice] = (),
    ) -> None:
        """Offer these; while the picker is open it shows them at once and keeps what was typed."""
        self.rows.set_models(providers, current, recent)
        if self.isVisible():
            self._search(self.search.text())
            self._fit()

    def popup(self, anchor: QWidget) -> None:
        """Open at `anchor`: above it where there is more room, within its screen."""
        self._anchor = anchor
        self.search.clear()
        self.rows.search("")
        self._take_theme()
        self.search.setVisible(self.rows.model_count >= SEARCH_FROM)
        self._fit()
        self.show()

    def _fit(self) -> None:
        scale = self._icons.themes.current.scale
        rows = sum(self.list.sizeHintForRow(at) for at in range(self.rows.rowCount()))
        around = 14 + 8 + self.add.sizeHint().height()
        around += self.search.sizeHint().height() + 4 if self.rows.model_count >= SEARCH_FROM else 0
        size = QSize(round(_WIDTH_PX * scale), min(rows + around + 4, round(_MOST_HEIGHT_PX * scale)))
        corner = self._anchor.mapToGlobal(QPoint(0, 0))
        screen = QGuiApplication.screenAt(corner) or self._anchor.screen()
        free = screen.availableGeometry()
        size = size.boundedTo(free.size())
        place = QRect(QPoint(corner.x(), corner.y() - size.height() - 6), size)
        below = corner.y() + self._anchor.height() + 6
        if place.top() < free.top() and free.bottom() - below > corner.y() - free.top():
            place.moveTop(below)
        place.moveLeft(max(free.left(), min(place.left(), free.right() - size.width())))
        place.moveTop(max(free.top(), min(place.top(), free.bottom() - size.height())))
        self.setGeometry(place)

    def _take_theme(self) -> None:
        theme = self._icons.themes.current
        colours = theme.palette
        palette = QPalette(self.palette())
        for role, colour in (
            (QPalette.ColorRole.Window, colours.raised),
            (QPalette.ColorRole.Base, colours.raised),
            (QPalette.ColorRole.Text, colours.text),
            (QPalette.ColorRole.PlaceholderText, colours.text_muted),
        ):
            palette.setColor(role, QColor(colour))
        self.setPalette(palette)
        self.list.setPalette(palette)
        self.search.setPalette(palette)
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        self.search.setFont(font)
        self.setStyleSheet(f"#modelPicker {{ background: {colours.raised}; border: 1px solid {colours.border}; }}")

    def _search(self, words: str) -> None:
        self.rows.search(words)
        self._select(self.rows.first_choice())

    def _select(self, row: int) -> None:
        if row >= 0:
            self.list.setCurrentIndex(self.rows.index(row, 0))

    def _step(self, step: int) -> None:
        at = self.list.currentIndex().row()
        while 0 <= at + step < self.rows.rowCount():
            at += step
            if self.rows.row(at).choice is not None:
                self._select(at)
                return

    def _choose(self, index: QModelIndex) -> None:
        choice = self.rows.row(index).choice if index.isValid() else None
        if choice is not None:
            self.close()
            self.model_chosen.emit(choice.provider, choice.model)

    def _add_provider(self) -> None:
        self.close()
        self.add_provider_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Down:
                    self._step(1)
                    return True
                case Qt.Key.Key_Up:
                    self._step(-1)
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._choose(self.list.currentIndex())
                    return True
                case Qt.Key.Key_Escape:
                    self.close()
                    return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        focus = self.list if self.search.isHidden() else self.search
        focus.setFocus(Qt.FocusReason.PopupFocusReason)
        self._select(self.rows.first_choice())
