"""CommandPalette: every command and conversation, found by typing a few letters (Ctrl+K)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from sam_py.store.summary import ConversationSummary
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.fuzzy import rank

Index = QModelIndex | QPersistentModelIndex

_SHOWN = 60
_ROWS_SEEN = 9
_ROW_PX = 36
_WIDTH_PX = 560
_RECENT = 8
_CONVERSATIONS_AT_FIRST = 5


class ListedActions(Protocol):
    """What the palette takes its commands from: `ui.actions.Actions`."""

    def listed(self) -> Iterable[tuple[Any, QAction]]:
        """Each action with what has its `menu`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the palette. `key` names it among the recent ones; `where` is searched too, but counts less."""

    key: str
    text: str
    where: str
    shortcut: str
    run: Callable[[], object]


class CommandPalette(QWidget):
    """Lies over the window until something is chosen, Esc is pressed or a click goes beside it."""

    recent: ClassVar[list[str]] = []
    """Keys of the entries chosen last in this run of the program, the last one first."""

    def __init__(self, window: QWidget, themes: Themes, entries: Sequence[Entry]) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._over = window
        self._themes = themes
        self._entries = entries
        self._return_to = window.focusWidget()
        self.setAccessibleName(self.tr("All commands"))
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Type a command or the title of a conversation"))
        self.field.setAccessibleName(self.field.placeholderText())
        self.field.setStyleSheet("QLineEdit { border: none; background: transparent; }")
        self.field.installEventFilter(self)
        self.model = _EntryModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_EntryDelegate(themes, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName(self.tr("Matches"))
        self.list.viewport().setAutoFillBackground(False)
        self.panel = QWidget(self)
        column = QVBoxLayout(self.panel)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.field.textChanged.connect(self._find)
        self.list.clicked.connect(self._run)
        window.installEventFilter(self)
        self._find("")

    @classmethod
    def open_over(
        cls,
        window: QWidget,
        themes: Themes,
        actions: ListedActions,
        summaries: Sequence[ConversationSummary],
        open_conversation: Callable[[str], object],
    ) -> CommandPalette:
        """Show it over `window`; where one is open already, that one gets the keyboard."""
        for open_one in window.findChildren(cls):
            if open_one.isVisible():
                open_one.field.setFocus()
                return open_one
        entries = [*_commands(actions), *_conversations(summaries, open_conversation)]
        palette = cls(window, themes, entries)
        palette._lay_out()
        palette.show()
        palette.raise_()
        palette.field.setFocus(Qt.FocusReason.PopupFocusReason)
        return palette

    def _find(self, text: str) -> None:
        self.model.show(_found(text, self._entries, self.recent))
        self.list.setCurrentIndex(self.model.index(0))
        self._lay_out()

    def _lay_out(self) -> None:
        scale = self._themes.current.scale
        self.setGeometry(self._over.rect())
        width = min(round(_WIDTH_PX * scale), self.width() - 32)
        rows = min(max(self.model.rowCount(), 1), _ROWS_SEEN)
        most = max(80, round(self.height() * 0.8))
        row_px = round(_ROW_PX * scale)
        height = min(rows * row_px + self.field.sizeHint().height() + 20, most)
        self.panel.setGeometry((self.width() - width) // 2, max(16, self.height() // 8), width, height)
        self.update()

    def _run(self, index: Index) -> None:
        entry = self.model.entry(index.row())
        if entry is None:
            return
        if entry.key in self.recent:
            self.recent.remove(entry.key)
        self.recent.insert(0, entry.key)
        del self.recent[_RECENT:]
        self._leave()
        entry.run()

    def _leave(self) -> None:
        """Give the keyboard back and go."""
        self._over.removeEventFilter(self)
        if self._return_to is not None and self._return_to.isVisible():
            self._return_to.setFocus(Qt.FocusReason.PopupFocusReason)
        self.close()

    def _move(self, step: int) -> None:
        count = self.model.rowCount()
        if count:
            row = (self.list.currentIndex().row() + step) % count
            self.list.setCurrentIndex(self.model.index(row))

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._lay_out()
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Down:
                    self._move(1)
                case Qt.Key.Key_Up:
                    self._move(-1)
                case Qt.Key.Key_PageDown:
                    self._move(min(_ROWS_SEEN, self.model.rowCount() - 1 - self.list.currentIndex().row()))
                case Qt.Key.Key_PageUp:
                    self._move(-min(_ROWS_SEEN, self.list.currentIndex().row()))
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._run(self.list.currentIndex())
                case Qt.Key.Key_Escape:
                    self._leave()
                case Qt.Key.Key_Tab | Qt.Key.Key_Backtab:
                    pass  # the keyboard stays here until it is closed
                case _:
                    return False
            return True
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.panel.geometry().contains(event.position().toPoint()):
            self._leave()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(0, 0, 0, 110 if theme.dark else 50))
        painter.setPen(QColor(theme.palette.border))
        painter.setBrush(QColor(theme.palette.raised))
        painter.drawRoundedRect(self.panel.geometry(), theme.radius_px, theme.radius_px)
        line = self.panel.y() + self.list.y() - 3
        painter.drawLine(self.panel.x() + 1, line, self.panel.geometry().right(), line)
        if not self.model.rowCount():
            painter.setPen(QColor(theme.palette.text_muted))
            place = self.list.geometry().translated(self.panel.pos())
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self.tr("Nothing is called that."))


class _EntryModel(QAbstractListModel):
    """The matches, best first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def show(self, entries: list[Entry]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entry(index.row()) if index.isValid() else None
        if entry is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(word for word in (entry.text, entry.where, entry.shortcut) if word)
            case Qt.ItemDataRole.UserRole:
                return entry
        return None


class _EntryDelegate(QStyledItemDelegate):
    """Name at the left; menu and shortcut, quieter, at the right."""

    def __init__(self, themes: Themes, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._themes.current
        entry: Entry = index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        current = option.state & QStyle.StateFlag.State_Selected
        if current or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.selected if current else theme.palette.hover))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), 8, 8)
        line = rect.adjusted(10, 0, -10, 0)
        small = QFont(painter.font())
        small.setPointSizeF(theme.small_pt)
        quiet = "   ".join(word for word in (entry.where, entry.shortcut) if word)
        quiet_px = min(QFontMetrics(small).horizontalAdvance(quiet), line.width() // 2)
        painter.setPen(QColor(theme.palette.text))
        room_px = line.width() - quiet_px - 16
        name = QFontMetrics(painter.font()).elidedText(entry.text, Qt.TextElideMode.ElideRight, room_px)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.setFont(small)
        painter.setPen(QColor(theme.palette.text_muted))
        quiet = QFontMetrics(small).elidedText(quiet, Qt.TextElideMode.ElideRight, quiet_px + 1)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, quiet)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, round(_ROW_PX * self._themes.current.scale))


def _commands(actions: ListedActions) -> list[Entry]:
    entries = []
    for spec, action in actions.listed():
        if action.isEnabled() and action.isVisible() and action.objectName() != "palette":
            shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            menu = str(spec.menu).replace("&", "")
            entries.append(Entry(action.objectName(), action.iconText(), menu, shortcut, action.trigger))
    return entries


def _conversations(summaries: Sequence[ConversationSummary], run: Callable[[str], object]) -> list[Entry]:
    def opener(id: str) -> Callable[[], object]:
        return lambda: run(id)

    return [
        Entry(f"conversation/{each.id}", " ".join(each.title.split()), each.folder, "", opener(each.id))
        for each in summaries
        if each.title.strip()
    ]


def _found(text: str, entries: Sequence[Entry], recent: Sequence[str]) -> list[Entry]:
    """The best entries for `text`; for none, the recent ones, then commands, then the newest conversations."""
    places = {key: place for place, key in enumerate(recent)}
    if not text.strip():
        first = sorted((entry for entry in entries if entry.key in places), key=lambda entry: places[entry.key])
        rest = [entry for entry in entries if entry.key not in places]
        commands = [entry for entry in rest if not entry.key.startswith("conversation/")]
        conversations = [entry for entry in rest if entry.key.startswith("conversation/")]
        return [*first, *commands, *conversations[:_CONVERSATIONS_AT_FIRST]][:_SHOWN]
    ranked: list[tuple[float, int, Entry]] = []
    for place, entry in enumerate(entries):
        score = rank(text, entry.text)
        if score is None and (weak := rank(text, f"{entry.where} {entry.text}")) is not None:
            score = weak - 30
        if score is not None:
            score += 5 if entry.key in places else 0
            ranked.append((-score, place, entry))
    ranked.sort(key=lambda item: item[:2])
    return [entry for _score, _place, entry in ranked[:_SHOWN]]
