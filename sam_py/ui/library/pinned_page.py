"""PinnedPage: what is pinned in this conversation or in all, and what is important and might be."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.messages.message import Message
from sam_py.store.search_index.errors import SearchError
from sam_py.store.search_index.results import Cursor, Filters, IndexState, Pin, Pins
from sam_py.store.search_index.service import SearchService
from sam_py.ui.chat.header import ElidedText
from sam_py.ui.library.choice_popup import ChoicePopup
from sam_py.ui.library.filter_pill import FilterPill
from sam_py.ui.library.index_page import IndexPage
from sam_py.ui.library.nothing_here import NothingHere
from sam_py.ui.library.place_list import PlaceList, PlaceRow, PlaceRows
from sam_py.ui.library.place_words import IMPORTANT, scored
from sam_py.ui.library.status_line import StatusLine
from sam_py.ui.open_conversations import OpenConversation
from sam_py.ui.services import Services
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.flow import FlowLayout

_PAGE = 60
_REFRESH_MS = 400
_COLUMN_PX = 780
Open = Callable[[str], Awaitable[OpenConversation]]


class PinnedPage(IndexPage):
    """`opened(conversation, message, words, stays)` as of `SearchPage`. `open_conversation` opens one unseen, to act on
    its messages; what is done there is kept as if it was done on screen."""

    opened = Signal(str, str, str, bool)
    closed = Signal()
    undo_offered = Signal(str, object)
    noticed = Signal(str)

    def __init__(
        self,
        services: Services,
        search: SearchService,
        shown: Callable[[], OpenConversation | None],
        open_conversation: Open,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(search, parent)
        icons = services.icons
        self._services = services
        self._icons = icons
        self._shown = shown
        self._open_conversation = open_conversation
        self._task: asyncio.Task[None] | None = None
        self._next: Cursor | None = None
        self._revision = -1
        self.is_all = True
        """What is pinned in all conversations is shown, not only in the one that is open."""
        self._in = ""
        """The folder that it is listed of; "" for all."""
        self.suggests = False
        """What is important and not pinned is shown instead."""
        self.setAccessibleName(self.tr("Pinned"))
        self.title = ElidedText(icons.themes, bold=True, parent=self)
        self.title.set_text(self.tr("Pinned"))
        self.close_button = IconButton(icons, "close", self.tr("Back to the conversation"), shortcut="Esc", parent=self)
        self.all_button = PillButton(icons, self.tr("All conversations"), height_px=30, parent=self)
        self.here_button = PillButton(icons, self.tr("This conversation"), height_px=30, parent=self)
        self.suggest_button = PillButton(
            icons, self.tr("Important, not pinned"), icon="star", height_px=30, parent=self
        )
        for button in (self.all_button, self.here_button, self.suggest_button):
            button.setCheckable(True)
        self.folder = FilterPill(icons, "folder", self.tr("Folder"), self)
        self.field = FilterField(icons, self.tr("Find in what is listed"), self)
        self.status = StatusLine(icons, self)
        self.rows = PlaceRows(self)
        self.list = PlaceList(self.rows, icons, self.tr("Pinned messages"), self)
        self.list.opens_by_click = False
        self.nothing = NothingHere(icons, self)
        self.jump_button = PillButton(icons, self.tr("Show it"), icon="chat", height_px=30, parent=self)
        self.copy_button = PillButton(icons, self.tr("Copy"), icon="copy", height_px=30, parent=self)
        self.pin_button = PillButton(icons, self.tr("Unpin"), icon="pin", height_px=30, parent=self)
        self._lay_out()
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._look)
        self._connect()
        self._show_choice()
        self._set_margins()

    # For the window

    def arrive(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        self.status.tell("")
        self._show_choice()
        self._look()

    # Making

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        scope = QWidget(self)
        flow = FlowLayout(gap_px=4, parent=scope)
        for button in (self.all_button, self.here_button, self.folder, self.suggest_button):
            flow.addWidget(button)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        scope.setSizePolicy(policy)
        self._top = QWidget(self)
        top = QVBoxLayout(self._top)
        top.setSpacing(8)
        top.addLayout(head)
        top.addWidget(self.field)
        top.addWidget(scope)
        top.addWidget(self.status)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(self.list)
        self._strip = QWidget(self)
        strip = QHBoxLayout(self._strip)
        strip.setSpacing(4)
        for button in (self.jump_button, self.copy_button, self.pin_button):
            strip.addWidget(button)
        strip.addStretch(1)
        self._strip.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._top)
        column.addWidget(self._stack, 1)
        column.addWidget(self._strip)

    def _connect(self) -> None:
        self.close_button.clicked.connect(self.closed)
        self.all_button.clicked.connect(lambda: self.choose(is_all=True))
        self.here_button.clicked.connect(lambda: self.choose(is_all=False))
        self.folder.clicked.connect(self._choose_folder)
        self.suggest_button.clicked.connect(lambda: self.choose(suggests=not self.suggests))
        self.field.textChanged.connect(lambda _text: self._look())
        self.rows.more_wanted.connect(lambda: self._ask(self._next))
        self.list.opened.connect(self._jump)
        self.list.peeked.connect(partial(self._jump, stays=True))
        self.list.menu_wanted.connect(self._open_menu)
        self.list.selectionModel().currentChanged.connect(lambda _now, _before: self._show_strip())
        self.rows.modelReset.connect(self._show_strip)
        self.jump_button.clicked.connect(lambda: self._with_current(self._jump))
        self.copy_button.clicked.connect(lambda: self._with_current(self._copy))
        self.pin_button.clicked.connect(lambda: self._with_current(self._turn_pin))
        self.status.retry_wanted.connect(self._look)
        self._icons.changed.connect(self._set_margins)

    # What is listed

    def choose(self, *, is_all: bool | None = None, suggests: bool | None = None) -> None:
        """List other messages: of all conversations or this one, pinned ones or suggestions."""
        self.is_all = self.is_all if is_all is None else is_all
        self.suggests = self.suggests if suggests is None else suggests
        self._show_choice()
        self._look()

    def _show_choice(self) -> None:
        self.all_button.setChecked(self.is_all)
        self.here_button.setChecked(not self.is_all)
        self.suggest_button.setChecked(self.suggests)
        self.folder.show_choice(self._in)
        self.folder.setVisible(self.is_all and bool(self._in or self._folders()))
        self.suggest_button.set_words(self.suggest_button.text(), icon="star-filled" if self.suggests else "star")

    def _folders(self) -> list[str]:
        return sorted({each.folder for each in self._services.library.summaries() if each.folder}, key=str.casefold)

    def _choose_folder(self) -> None:
        choices = [(each, each) for each in self._folders()]
        popup = ChoicePopup(
            self._icons, self.tr("Find a folder"), self.tr("All folders"), choices, self._in, self.folder
        )
        popup.chosen.connect(self.choose_folder)
        popup.open_below(self.folder)

    def choose_folder(self, folder: str) -> None:
        """List what is pinned in the conversations of one folder; "" for all."""
        self._in = folder
        self.choose()

    def _filters(self) -> Filters | None:
        shown = self._shown()
        if not self.is_all and shown is None:
            return None
        folder = self._in if self.is_all else ""
        summaries = self._services.library.summaries() if folder else ()
        return Filters(
            folder=folder,
            among=frozenset(each.id for each in summaries if each.folder == folder),
            conversation_id="" if self.is_all or shown is None else shown.id,
            min_importance=IMPORTANT if self.suggests else 0.0,
            text=self.field.text().strip(),
        )

    def _look(self) -> None:
        self._refresh.stop()
        if self.isVisible():
            self._ask(None)

    def _ask(self, after: Cursor | None) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = self._services.tasks.spawn(self._fetch(after), "list what is pinned")

    async def _fetch(self, after: Cursor | None) -> None:
        filters = self._filters()
        revision = self._search.state.revision
        ask = self._search.important if self.suggests else self._search.pinned
        try:
            pins = await ask(filters, limit=_PAGE, after=after) if filters is not None else Pins()
        except SearchError as error:
            self.status.show_error(str(error))
            return
        self.status.show_error("")
        self._next, self._revision = pins.next, revision
        rows = [_row(pin) for pin in pins.pins]
        if after is not None:
            self.rows.add(rows, has_more=pins.next is not None)
            return
        if rows != list(self.rows.rows):
            self.rows.show(rows, has_more=pins.next is not None)
        self._choose_one()
        self._show_emptiness()

    def _choose_one(self, place: int = 0) -> None:
        """A row is chosen whenever there is one: the keys and the buttons below act on what is seen to be chosen."""
        if self.list.current is None or not self.list.selectionModel().hasSelection():
            self.list.choose(self.list.currentIndex().row() if self.list.current is not None else place)

    def _show_emptiness(self) -> None:
        if self.rows.rowCount():
            self._stack.setCurrentWidget(self.list)
            return
        if self.field.text().strip():
            title, words = self.tr("Nothing fits"), self.tr("No message that is listed here has all these words.")
        elif self.suggests:
            title = self.tr("Nothing to suggest")
            words = self.tr("Messages that state requirements or decisions and are not pinned are suggested here.")
        else:
            title = self.tr("Nothing is pinned")
            words = self.tr(
                "Pin a message by the button below it: the model is sent it with every request, and it is found here."
            )
        self.nothing.say("star" if self.suggests else "pin", title, words)
        self._stack.setCurrentWidget(self.nothing)

    def _hear(self, state: IndexState) -> None:
        self.status.follow(state)
        if state.revision != self._revision and not self._refresh.isActive():
            self._refresh.start()

    # What is done

    def _with_current(self, act: Callable[[PlaceRow], None]) -> None:
        row = self.list.current
        if row is not None:
            act(row)

    def _jump(self, row: PlaceRow, *, stays: bool = False) -> None:
        self.opened.emit(row.place.conversation_id, row.place.message_id, "", stays)

    def _copy(self, row: PlaceRow) -> None:
        self._services.tasks.spawn(self._copy_whole(row), "copy a pinned message")

    async def _copy_whole(self, row: PlaceRow) -> None:
        message, _conversation = await self._message(row)
        if message is not None:
            QGuiApplication.clipboard().setText(message.plain_text)
            self.noticed.emit(self.tr("Copied"))

    def _turn_pin(self, row: PlaceRow) -> None:
        self._services.tasks.spawn(self._set_pin(row, pinned=not row.place.is_pinned), "pin or unpin a message")

    async def _set_pin(self, row: PlaceRow, *, pinned: bool, is_undo: bool = False) -> None:
        message, conversation = await self._message(row)
        if message is None or conversation is None:
            return
        conversation.bus.annotate(message.id, pinned=pinned)
        if not is_undo:
            keys = [each.key for each in self.rows.rows]
            place = keys.index(row.key) if row.key in keys else 0
            self.rows.show([each for each in self.rows.rows if each.key != row.key], has_more=self._next is not None)
            self._choose_one(place)
            self._show_emptiness()
            undo = partial(self._undo, row, pinned=not pinned)
            self.undo_offered.emit(self.tr("Pinned.") if pinned else self.tr("Unpinned."), undo)

    def _undo(self, row: PlaceRow, *, pinned: bool) -> None:
        self._services.tasks.spawn(self._set_pin(row, pinned=pinned, is_undo=True), "undo a pin")

    async def _message(self, row: PlaceRow) -> tuple[Message | None, OpenConversation | None]:
        """The message as it is now. Says so where it is gone."""
        try:
            conversation = await self._open_conversation(row.place.conversation_id)
        except SamError as error:
            self.status.tell(str(error))
            return None, None
        if row.place.message_id not in conversation.bus:
            self.status.tell(self.tr("This message is no longer in its conversation."))
            return None, None
        return conversation.bus.get(row.place.message_id), conversation

    def _open_menu(self, row: PlaceRow, place: QPoint) -> None:
        menu = QMenu(self)
        pin = self.tr("Unpin") if row.place.is_pinned else self.tr("Pin")
        for icon, words, act in (
            ("chat", self.tr("Show it in the conversation"), self._jump),
            ("copy", self.tr("Copy"), self._copy),
            ("pin", pin, self._turn_pin),
        ):
            action = QAction(self._icons.icon(icon), words, menu)
            action.triggered.connect(partial(_do, act, row))
            menu.addAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _show_strip(self) -> None:
        row = self.list.current
        self._strip.setVisible(row is not None)
        if row is not None:
            self.pin_button.set_words(self.tr("Unpin") if row.place.is_pinned else self.tr("Pin"))

    def _set_margins(self) -> None:
        scale = self._icons.themes.current.scale
        side = max(round(16 * scale), (self.width() - round(_COLUMN_PX * scale)) // 2 + round(4 * scale))
        for widget, above, below in ((self._top, 8, 6), (self._strip, 6, 8)):
            layout = widget.layout()
            assert layout is not None
            layout.setContentsMargins(side, round(above * scale), side, round(below * scale))

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(760, 600)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._with_current(self._copy)
        elif event.key() == Qt.Key.Key_Delete:
            self._with_current(self._turn_pin)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.status.follow(self._search.state)


def _do(act: Callable[[PlaceRow], None], row: PlaceRow, _checked: bool = False) -> None:
    act(row)


def _row(pin: Pin) -> PlaceRow:
    words = " ".join(pin.text.split()) or QCoreApplication.translate("PinnedPage", "A message without words")
    return PlaceRow(pin.place, words, (), "", (scored(pin),))
