"""ChoicePopup: one of many, found by typing: a field above a list, below the button that opened it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from sam_py.ui.library.words import tr
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.fuzzy import rank
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

_SHOWN = 200
_WIDTH_PX, _HEIGHT_PX = 300, 340
_VALUE = Qt.ItemDataRole.UserRole


class ChoicePopup(QFrame):
    """`chosen` brings the value of a line; the first line is the choice of none ("")."""

    chosen = Signal(str)

    def __init__(
        self,
        icons: Icons,
        words: str,
        all_words: str,
        choices: Sequence[tuple[str, str]],
        current: str,
        parent: QWidget,
    ) -> None:
        """`choices` are values with what they are called."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._choices = [("", all_words), *((value, one_line(text)) for value, text in choices)]
        self._current = current
        theme = icons.themes.current
        self.setObjectName("choices")
        colours, pad = theme.palette, round(6 * theme.scale)
        self.setStyleSheet(
            f"#choices {{ background: {colours.raised}; border: 1px solid {colours.border}; }}"
            f"QListWidget {{ background: {colours.raised}; border: none; outline: 0; }}"
            f"QListWidget::item {{ padding: {pad}px; border-radius: 6px; color: {colours.text}; }}"
            f"QListWidget::item:hover {{ background: {colours.hover}; }}"
            f"QListWidget::item:selected {{ background: {colours.selected}; color: {colours.text}; }}"
        )
        self.field = FilterField(icons, words, self)
        self.list = QListWidget(self)
        self.list.setAccessibleName(words)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setUniformItemSizes(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        self.field.textChanged.connect(self._show)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._take)
        self._show("")
        self.resize(round(_WIDTH_PX * theme.scale), round(_HEIGHT_PX * theme.scale))

    def open_below(self, button: QWidget) -> None:
        place = button.mapToGlobal(QPoint(0, button.height() + 4))
        screen = button.screen() or QGuiApplication.primaryScreen()
        room = screen.availableGeometry()
        place.setX(max(room.left(), min(place.x(), room.right() - self.width())))
        if place.y() + self.height() > room.bottom():
            place.setY(max(room.top(), button.mapToGlobal(QPoint(0, 0)).y() - self.height() - 4))
        self.move(place)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _show(self, text: str) -> None:
        found = self._choices
        if text.strip():
            ranked = [(rank(text, words), place) for place, (value, words) in enumerate(self._choices) if value]
            best = sorted(((-score, place) for score, place in ranked if score is not None))
            found = [self._choices[place] for _score, place in best]
        self.list.clear()
        for value, words in found[:_SHOWN]:
            line = QListWidgetItem(words, self.list)
            line.setData(_VALUE, value)
            line.setToolTip("")
            if value == self._current and not text.strip():
                self.list.setCurrentItem(line)
        if self.list.currentRow() < 0 and self.list.count():
            self.list.setCurrentRow(0)
        if not found:
            nothing = QListWidgetItem(tr("Nothing has these words"), self.list)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)

    def _take(self, line: QListWidgetItem | None) -> None:
        if line is not None and line.flags() & Qt.ItemFlag.ItemIsEnabled:
            self.chosen.emit(str(line.data(_VALUE)))
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            row, last = self.list.currentRow(), self.list.count() - 1
            match event.key():
                case Qt.Key.Key_Down:
                    self.list.setCurrentRow(min(last, row + 1))
                    return True
                case Qt.Key.Key_Up:
                    self.list.setCurrentRow(max(0, row - 1))
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._take(self.list.currentItem())
                    return True
                case Qt.Key.Key_Escape:
                    self.close()
                    return True
        return super().eventFilter(watched, event)
