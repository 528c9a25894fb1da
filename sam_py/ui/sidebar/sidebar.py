"""Sidebar: new chat, filter, the list of conversations, settings; it keeps the list as the library says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import assert_never

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from sam_py.store.library import LibraryChange
from sam_py.ui.sidebar.conversation_commands import ConversationCommands, ConversationLibrary, Spawn
from sam_py.ui.sidebar.conversation_list_model import ConversationListModel
from sam_py.ui.sidebar.conversation_list_view import ConversationListView
from sam_py.ui.sidebar.conversation_menu import Act, ConversationMenus
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.sidebar.page_entries import PageEntries
from sam_py.ui.sidebar.sections import next_midnight
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons

_LONGEST_WAIT_MS = 30 * 60 * 1000
"""A machine that slept through midnight regroups its list at most this much later."""


def local_now() -> datetime:
    return datetime.now().astimezone()


_LEAST_PX = 200
_HEAD_ROOM_PX = 24
"""Margins and gap beside the head's two buttons."""


class Sidebar(QWidget):
    """The window's left column. Call `refresh` when the library has started and `detach` before it goes."""

    conversation_chosen = Signal(str)
    new_requested = Signal()
    settings_requested = Signal()
    page_requested = Signal(str)
    search_requested = Signal(str)
    """The text that nothing in the list matched: the person wants it looked for inside the conversations."""
    hide_requested = Signal()
    deleted = Signal(str)
    export_requested = Signal(list, str)
    """ids, and the folder whose conversations they are, or "" where they were chosen one by one"""
    import_requested = Signal(list)
    """Files of other programs that were dropped here, when the person said that they shall come in."""
    notice_requested = Signal(str, str, object)
    """text, the words of its button, what the button does"""

    def __init__(
        self,
        library: ConversationLibrary,
        themes: Themes,
        icons: Icons,
        spawn: Spawn,
        *,
        now: Callable[[], datetime] = local_now,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._spawn = spawn
        self._drop_words: QWidget | None = None
        self._themes = themes
        self._icons = icons
        self._now = now
        self._current = ""
        self._pending: set[str] = set()
        self._stale = False
        self.model = ConversationListModel(now, self)
        self.commands = ConversationCommands(library, spawn, self)
        self.list = ConversationListView(self.model, icons)
        self._menus = ConversationMenus(self.commands, self.model, self.list, icons)
        self._build(icons)
        self._connect()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._take_changes)
        self._midnight = QTimer(self)
        self._midnight.setSingleShot(True)
        self._midnight.timeout.connect(self._day_may_have_changed)
        self._midnight.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self._wait_for_midnight()
        self._retheme()
        self._show_emptiness()
        self._unsubscribe = library.subscribe(self._library_changed)

    # For the window

    def refresh(self, folded: Mapping[str, bool] | None = None) -> None:
        """Read the whole list from the library. `folded`: which sections stand closed, from an earlier run."""
        self._pending.clear()
        self._stale = False
        self.model.reset(self._library.summaries(), folded)
        self.list.select_only(self._current)
        self._show_emptiness()

    def detach(self) -> None:
        """Listen to the library no more."""
        self._unsubscribe()
        self._soon.stop()
        self._midnight.stop()

    def set_current(self, id: str) -> None:
        """The window shows this conversation now; it may be one that is not in the list yet."""
        self._current = id
        self.model.mark_read(id)
        self.list.set_open(id)
        self.list.select_only(id)

    def set_busy(self, id: str, busy: bool) -> None:
        """A conversation is being answered, or not any more."""
        self.model.set_busy(id, busy, seen=id == self._current)

    def neighbour(self, step: int) -> str | None:
        """The conversation `step` places below the current one (negative: above); None at the ends."""
        ids = self.model.ids_shown()
        if not ids:
            return None
        if self._current not in ids:
            return ids[0]
        place = ids.index(self._current) + step
        return ids[place] if 0 <= place < len(ids) else None

    def act(self, what: Act) -> None:
        """Do something to the current conversation, or to all that are selected while the list has the keyboard."""
        ids = self.list.selected_ids() if self.list.hasFocus() else []
        self._do(what, ids or [self._current])

    def focus_filter(self) -> None:
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    # Inside

    def _build(self, icons: Icons) -> None:
        self.setAutoFillBackground(True)
        self.setAcceptDrops(True)
        self.new_button = PillButton(icons, self.tr("New chat"), icon="new", shortcut="Ctrl+N", height_px=36)
        self.new_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide_button = IconButton(icons, "sidebar", self.tr("Hide the sidebar"), shortcut="Ctrl+B")
        self.settings_button = PillButton(icons, self.tr("Settings"), icon="settings", shortcut="Ctrl+,", height_px=36)
        self.settings_button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        entries = (
            ("search", "search", self.tr("Search"), "Ctrl+Shift+F"),
            ("pinned", "pin", self.tr("Pinned"), "Ctrl+Shift+B"),
            ("library", "library", self.tr("Library"), "Ctrl+Shift+Y"),
        )
        self.entries = PageEntries(icons, entries, self)
        self.filter = FilterField(icons, self.tr("Find a conversation"))
        self.filter.installEventFilter(self)
        self.empty = QLabel()
        self.empty.setTextFormat(Qt.TextFormat.PlainText)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)

        head = QHBoxLayout()
        head.setContentsMargins(8, 8, 8, 0)
        head.setSpacing(4)
        head.addWidget(self.new_button)
        head.addWidget(self.hide_button)
        find = QHBoxLayout()
        find.setContentsMargins(8, 8, 8, 8)
        find.addWidget(self.filter)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 4, 8, 8)
        foot.addWidget(self.settings_button)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.entries)
        column.addLayout(find)
        column.addLayout(self._stack, 1)
        column.addLayout(foot)
        for before, after in (
            (self.new_button, self.hide_button),
            (self.hide_button, self.filter),
            (self.filter, self.list),
            (self.list, self.settings_button),
        ):
            QWidget.setTabOrder(before, after)

    def _connect(self) -> None:
        self.new_button.clicked.connect(self.new_requested)
        self.hide_button.clicked.connect(self.hide_requested)
        self.entries.chosen.connect(self.page_requested)
        self.settings_button.clicked.connect(self.settings_requested)
        self.filter.textChanged.connect(self._filter_changed)
        self.filter.returnPressed.connect(self._open_first)
        self.list.opened.connect(self.conversation_chosen)
        self.list.delete_requested.connect(self._delete_selected)
        self.list.menu_requested.connect(self._open_menu)
        self.list.folder_menu_requested.connect(self._menus.open_folder_menu)
        self._menus.chosen.connect(self._do)
        self._menus.folder_export_chosen.connect(self._export_folder)
        self.model.rename_requested.connect(self.commands.rename)
        self.model.move_requested.connect(self.commands.move)
        self.model.pin_requested.connect(self._pin_dropped)
        self.commands.deleted.connect(self.deleted)
        self.commands.opened.connect(self.conversation_chosen)
        self.commands.notice_requested.connect(self.notice_requested)
        self.commands.pins_at_stake.connect(self._ask_about_pins)
        self._themes.changed.connect(self._retheme)

    def _do(self, what: Act, ids: list[str]) -> None:
        summaries = [summary for summary in map(self._library.summary, ids) if summary is not None]
        ids = [summary.id for summary in summaries]
        if not ids:
            return
        match what:
            case "rename":
                self.list.rename(ids[0])
            case "pin":
                self.commands.pin(ids, not all(summary.pinned for summary in summaries))
            case "archive":
                self.commands.archive(ids, not all(summary.archived for summary in summaries))
            case "duplicate":
                self.commands.duplicate(ids)
            case "export":
                self.export_requested.emit(ids, "")
            case "delete":
                self.commands.delete(ids)
            case _:
                assert_never(what)

    def _export_folder(self, folder: str) -> None:
        self.export_requested.emit(self.commands.ids_in(folder), folder)

    def _open_menu(self, place: QPoint) -> None:
        self._menus.open_menu(self.list.selected_ids(), place)

    def _delete_selected(self) -> None:
        self._do("delete", self.list.selected_ids())

    def _ask_about_pins(self, ids: list[str], pins: dict[str, int], title: str) -> None:
        from sam_py.ui.sidebar.pins_question import ask_about_pins

        remove = self.commands.remove
        ask_about_pins(
            self.window(), self._icons, title, len(ids), pins, lambda: remove(ids), lambda: remove(ids, kept=pins)
        )

    def _pin_dropped(self, ids: list[str]) -> None:
        self.commands.pin(ids, True)

    # The filter

    def _filter_changed(self, text: str) -> None:
        self.model.set_filter(text)
        self.list.select_only(self._current)
        if text:
            self.list.scrollToTop()
        self._show_emptiness()

    def _open_first(self) -> None:
        ids = self.model.ids_shown()
        if ids:
            self.conversation_chosen.emit(ids[0])
        elif self.filter.text().strip():
            self.search_requested.emit(self.filter.text().strip())

    def _show_emptiness(self) -> None:
        if self.model.rowCount():
            self._stack.setCurrentWidget(self.list)
            return
        self.empty.setText(
            self.tr("No conversation has these words in its title or its last message.")
            if self.model.total()
            else self.tr("Your conversations will be listed here.")
        )
        self._stack.setCurrentWidget(self.empty)

    # News

    def _library_changed(self, change: LibraryChange) -> None:
        if change.kind == "reset":
            self._stale = True
        else:
            self._pending.add(change.id)
        if not self._soon.isActive():
            # Each pass over the list costs in proportion to it, so a long list takes more changes together.
            self._soon.start(min(250, self.model.total() // 40))

    def _take_changes(self) -> None:
        if self._stale:
            self.refresh()
            return
        changes = {id: self._library.summary(id) for id in self._pending}
        self._pending.clear()
        self.model.apply(changes)
        if self._current in changes:
            self.list.select_only(self._current)
        self._show_emptiness()

    def _wait_for_midnight(self) -> None:
        now = self._now()
        left_ms = int((next_midnight(now) - now).total_seconds() * 1000) + 50
        self._midnight.start(min(left_ms, _LONGEST_WAIT_MS))

    def _day_may_have_changed(self) -> None:
        self.model.regroup()
        self._wait_for_midnight()

    def _retheme(self) -> None:
        theme = self._themes.current
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.palette.sidebar))
        self.setPalette(palette)
        quiet = QPalette(self.empty.palette())
        quiet.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text_muted))
        self.empty.setPalette(quiet)
        self.empty.setContentsMargins(24, round(32 * theme.scale), 24, 0)
        self.list.scheduleDelayedItemsLayout()
        words, hide = self.new_button.sizeHint().width(), self.hide_button.sizeHint().width()
        self.setMinimumWidth(max(_LEAST_PX, words + hide + _HEAD_ROOM_PX))

    # Files that are dropped

    def _show_drop(self, shown: bool) -> None:
        from sam_py.ui.sidebar.dropped_files import DropWords

        if shown and self._drop_words is None:
            self._drop_words = DropWords(self._themes, self)
        elif not shown and self._drop_words is not None:
            self._drop_words.hide()
            self._drop_words.deleteLater()
            self._drop_words = None

    # Qt

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        from sam_py.ui.sidebar.dropped_files import exports_in

        event.setDropAction(Qt.DropAction.CopyAction)
        event.setAccepted(bool(exports_in(event.mimeData())))
        self._show_drop(event.isAccepted())

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_drop(False)

    def dropEvent(self, event: QDropEvent) -> None:
        from sam_py.ui.sidebar.dropped_files import exports_in, offer_import

        self._show_drop(False)
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        files = exports_in(event.mimeData())
        self._spawn(offer_import(files, self.notice_requested.emit, self.import_requested.emit))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.filter and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape and self.filter.text():
                self.filter.clear()
                return True
            if event.key() == Qt.Key.Key_Down and self.model.rowCount():
                self._enter_list()
                return True
        return super().eventFilter(watched, event)

    def _enter_list(self) -> None:
        ids = self.model.ids_shown()
        if ids and not self.list.selected_ids():
            self.list.select_only(ids[0])
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
