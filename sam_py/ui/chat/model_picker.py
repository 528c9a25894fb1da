"""The model picker: a popup with every model of every provider, found by typing, chosen by Enter."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHBoxLayout, QLineEdit, QListView, QVBoxLayout, QWidget

from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.ui.chat.model_facts import ModelKnowledge
from sam_py.ui.chat.model_row_painter import ModelRowPainter
from sam_py.ui.chat.model_rows import SEARCH_FROM, ModelRows
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_WIDTH_PX = 440
_MOST_HEIGHT_PX = 480
_PAGE = 7
"""Models that Page Up and Page Down go over."""


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
        self.list.setAccessibleDescription(self.tr("Ctrl+D makes a favourite of a model, or ends that."))
        self._painter = ModelRowPainter(icons, self)
        self._painter.star_clicked.connect(self._toggle_favourite)
        self.list.setItemDelegate(self._painter)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setMouseTracking(True)
        self.list.clicked.connect(self._clicked)
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
        known: ModelKnowledge | None = None,
    ) -> None:
        """Offer these; while the picker is open it shows them at once and keeps what was typed and where one is."""
        at = self.list.currentIndex().row()
        here = self.rows.row(at).choice if 0 <= at < self.rows.rowCount() else None
        self.rows.set_models(providers, current, recent, known)
        if self.isVisible():
            top = self.list.verticalScrollBar().value()
            self._search(self.search.text())
            self._fit()
            if here is not None and (place := self.rows.place_of(here, at)) >= 0:
                self._select(place)
                self.list.verticalScrollBar().setValue(top)

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
        rows, most = 0, round(_MOST_HEIGHT_PX * scale)
        for at in range(self.rows.rowCount()):
            if rows > most:  # of hundreds, the first dozen tell
                break
            rows += self.list.sizeHintForRow(at)
        around = 14 + 8 + self.add.sizeHint().height()
        around += self.search.sizeHint().height() + 4 if self.rows.model_count >= SEARCH_FROM else 0
        size = QSize(round(_WIDTH_PX * scale), min(rows + around + 4, most))
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

    def _step(self, step: int, times: int = 1) -> None:
        """Go to the next model in a direction, or so many further; at the end it stays."""
        at = found = self.list.currentIndex().row()
        while times and 0 <= at + step < self.rows.rowCount():
            at += step
            if self.rows.row(at).choice is not None:
                found = at
                times -= 1
        self._select(found)

    def _toggle_favourite(self, choice: ModelChoice) -> None:
        self.rows.toggle_favourite(choice)
        row = self.list.currentIndex().row()
        if 0 <= row < self.rows.rowCount() and self.rows.row(row).choice == choice:
            is_favourite = self.rows.row(row).favourite
            announce(self, self.tr("Favourite") if is_favourite else self.tr("No favourite any more"))

    def _clicked(self, index: QModelIndex) -> None:
        """A click on the star was the painter's."""
        if not self._painter.took_click:
            self._choose(index)

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
                case Qt.Key.Key_PageDown:
                    self._step(1, _PAGE)
                    return True
                case Qt.Key.Key_PageUp:
                    self._step(-1, _PAGE)
                    return True
                case Qt.Key.Key_D if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                    index = self.list.currentIndex()
                    choice = self.rows.row(index).choice if index.isValid() else None
                    if choice is not None:
                        self._toggle_favourite(choice)
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
