"""SearchPage: words looked for in all conversations, with what was found while one types."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QFont, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.messages.message import utc_now
from sam_py.store.search_index.errors import SearchError
from sam_py.store.search_index.results import BY_DEFAULT, Cursor, Filters, Hit, HitKind, IndexState, Order, Results
from sam_py.store.search_index.service import PAGE, SearchService
from sam_py.ui.chat.header import ElidedText
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.library.filter_bar import FilterBar
from sam_py.ui.library.filter_pill import FilterPill
from sam_py.ui.library.index_page import IndexPage
from sam_py.ui.library.nothing_here import NothingHere
from sam_py.ui.library.passages import passage_of
from sam_py.ui.library.place_list import PlaceList, PlaceRow, PlaceRows, notes_of
from sam_py.ui.library.place_words import found_in
from sam_py.ui.library.status_line import StatusLine
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton

_TYPING_MS = 5
"""What comes at once, as a pasted word or a held key, is looked for once. The search before is ended in any case."""
_REFRESH_MS = 400
_MEANING_S = 0.35
"""A model is asked what the words mean when no letter came for so long."""
_FIELD_PX = 40
_COLUMN_PX = 780
ICONS: dict[HitKind, str] = {
    "title": "chat", "text": "", "code": "code", "tool": "tool", "thinking": "thinking", "image": "image",
    "file": "file", "link": "link", "document": "text",
}  # fmt: skip


class SearchPage(IndexPage):
    """`opened(conversation, message, words, stays, passage)`: the person wants to see a message, perhaps stay here.

    The `passage` (`passages.Passage`, or None) is where in an attached file of it the words are.
    """

    opened = Signal(str, str, str, bool, object)
    closed = Signal()
    is_typed_into = True

    def __init__(self, services: Services, search: SearchService, parent: QWidget | None = None) -> None:
        super().__init__(search, parent)
        icons = services.icons
        self._services = services
        self._icons = icons
        self._task: asyncio.Task[None] | None = None
        self._next: Cursor | None = None
        self._similar_task: asyncio.Task[None] | None = None
        self._similar_of: tuple[str, Filters] | None = None
        self._similar: list[Hit] = []
        self._shown = ""
        """The words whose hits are on screen."""
        self._revision = -1
        self._results: Results | None = None
        self.kind: str = ""
        self.order: Order = "best"
        self.groups = False
        """What was found in one conversation stands together, where the best of it would stand."""
        self.setAccessibleName(self.tr("Search"))
        self.title = ElidedText(icons.themes, bold=True, parent=self)
        self.title.set_text(self.tr("Search"))
        self.close_button = IconButton(icons, "close", self.tr("Back to the conversation"), shortcut="Esc", parent=self)
        self.field = FilterField(icons, self.tr("Search all conversations"), self)
        self.field.installEventFilter(self)
        self.kinds = FilterPill(icons, "text", self.tr("Everything"), self)
        self.orders = FilterPill(icons, "sliders", self.tr("Best first"), self)
        self.filters = FilterBar(icons, services.library.summaries, utc_now, self, first=self.kinds)
        self.filters.field.hide()
        self.status = StatusLine(icons, self)
        self.count = Words(icons, role="muted", small=True)
        self.rows = PlaceRows(self)
        self.list = PlaceList(self.rows, icons, self.tr("What was found"), self)
        self.nothing = NothingHere(icons, self)
        self._lay_out()
        self._typing = _once(self, _TYPING_MS, self._look)
        self._refresh = _once(self, _REFRESH_MS, self._look_again)
        self._connect()
        self._retheme()
        self._show_emptiness()

    # For the window

    def arrive(self) -> None:
        self.filters.look_at_folders()
        self.status.tell("")
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def look_for(self, words: str) -> None:
        """Search for these words."""
        self.field.setText(words)
        self._typing.stop()
        self._look()

    @property
    def is_looking(self) -> bool:
        """Whether an answer is still to come."""
        return self._task is not None or self._typing.isActive()

    # Making

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        pills = QHBoxLayout()
        pills.setContentsMargins(0, 0, 0, 0)
        pills.setSpacing(6)
        pills.addWidget(self.filters, 1)
        counted = QHBoxLayout()
        counted.setContentsMargins(0, 0, 0, 0)
        counted.addWidget(self.count, 1)
        counted.addWidget(self.orders, 0, Qt.AlignmentFlag.AlignRight)
        self._top = QWidget(self)
        top = QVBoxLayout(self._top)
        top.setSpacing(8)
        top.addLayout(head)
        top.addWidget(self.field)
        top.addLayout(pills)
        top.addWidget(self.status)
        top.addLayout(counted)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._top)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._typing.start)
        self.filters.changed.connect(self._look)
        self.kinds.clicked.connect(self._choose_kind)
        self.orders.clicked.connect(self._choose_order)
        self.close_button.clicked.connect(self.closed)
        self.rows.more_wanted.connect(lambda: self._ask(self._next))
        self.list.opened.connect(lambda row: self._open(row, stays=False))
        self.list.peeked.connect(lambda row: self._open(row, stays=True))
        self.nothing.pressed.connect(self._widen)
        self.status.retry_wanted.connect(self._look)
        self._icons.changed.connect(self._retheme)

    # Searching

    def _asked(self) -> Filters:
        kinds = frozenset({self.kind}) if self.kind and self.kind != "all" else frozenset[str]()
        if self.kind == "all":
            kinds = frozenset({*BY_DEFAULT, "thinking"})
        return replace(self.filters.asked, kinds=kinds, text="")

    def _look(self) -> None:
        """Ask anew, from the first page on."""
        self._typing.stop()
        self._refresh.stop()
        self._next = None
        self._end_similar()
        if not self.field.text().strip():
            self._end_task()
            self._results = None
            self._shown = ""
            self.rows.show(())
            self._show_emptiness()
            return
        self._ask(None)

    def _ask(self, after: Cursor | None) -> None:
        self._end_task()
        text = self.field.text()
        work = self._fetch(text, self._asked(), self.order, after)
        self._task = self._services.tasks.spawn(work, "search")

    def _end_task(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()

    async def _fetch(self, text: str, filters: Filters, order: Order, after: Cursor | None) -> None:
        mine = self._task
        revision = self._search.state.revision
        try:
            results = await self._search.search(text, filters, order=order, after=after)
        except SearchError as error:
            self.status.show_error(str(error))
            return
        finally:
            if self._task is mine:
                self._task = None
        self.status.show_error("")
        self._next, self._shown, self._revision = results.next, text, revision
        if after is not None:
            seen = self._results.hits if self._results is not None and self._similar else ()
            shown = {(hit.place.conversation_id, hit.place.message_id) for hit in seen if hit.kind != "document"}
            new = [
                hit
                for hit in results.hits
                if hit.kind == "document" or (hit.place.conversation_id, hit.place.message_id) not in shown
            ]
            self.rows.add(self._rows_of(new), has_more=results.next is not None)
            return
        by_words = results
        wants_similar = order == "best" and self._services.settings.current.search.semantic
        if not wants_similar or self._similar_of != (text, filters):
            self._similar_of, self._similar = None, []
        elif self._similar:  # the same list, brought up to date
            results = self._mixed(results, self._similar)
        self._show(results)
        if wants_similar:
            self._end_similar()
            self._similar_task = self._services.tasks.spawn(self._add_similar(text, filters, by_words), "search")

    def _show(self, results: Results) -> None:
        """The first page."""
        rows = self._rows_of(results.hits)
        self._results = results
        self.rows.show(rows, has_more=results.next is not None)
        if rows and self.list.current is None:
            self.list.choose(0)
        elif not rows:
            self._show_emptiness()
        if rows:
            self._stack.setCurrentWidget(self.list)
        self._say_count(results)

    def _rows_of(self, hits: Sequence[Hit]) -> list[PlaceRow]:
        """The rows of one page, grouped by itself: what is on screen stays where it is when the next page comes."""
        rows = [_row(hit) for hit in hits]
        if self.groups:
            first: dict[str, int] = {}
            rows.sort(key=lambda row: first.setdefault(row.place.conversation_id, len(first)))
        return rows

    async def _add_similar(self, text: str, filters: Filters, results: Results) -> None:
        """What means the same, among what has the words: it is asked when nobody types any more."""
        await asyncio.sleep(_MEANING_S)
        try:
            similar = await self._services.meaning().service.similar(text, filters)
        except SamError as error:
            self.status.tell(str(error))
            return
        has_more_pages = self._results is None or len(self.rows.rows) > len(self._results.hits)
        if has_more_pages or (self._similar_of == (text, filters) and similar == self._similar):
            return
        self._similar_of, self._similar = (text, filters), similar
        self._show(self._mixed(results, similar))

    def _mixed(self, words: Results, similar: Sequence[Hit]) -> Results:
        from sam_py.store.semantic.fusion import mixed

        return mixed(words, similar, PAGE)

    def _end_similar(self) -> None:
        task, self._similar_task = self._similar_task, None
        if task is not None:
            task.cancel()

    def _say_count(self, results: Results) -> None:
        self.orders.setVisible(bool(results.hits))
        if not results.hits:
            self.count.say("")
            return
        many = filled(self.tr("%1 places found"), number(results.total))
        if results.is_total_least:
            many = filled(self.tr("%1 places found, or more"), number(results.total))
        words = self.tr("One place found") if results.total == 1 and not results.is_total_least else many
        if words != self.count.text():
            self.count.say(words)
            announce(self.field, words)

    def _hear(self, state: IndexState) -> None:
        """The index goes on: what it has learnt since may belong to what is on screen."""
        self.status.follow(state)
        is_first_page = len(self.rows.rows) <= len(self._results.hits) if self._results is not None else True
        if state.revision != self._revision and self._shown and is_first_page and not self._refresh.isActive():
            self._refresh.start()

    def _look_again(self) -> None:
        if self.isVisible() and self._task is None and self.field.text().strip():
            self._ask(None)

    # What is chosen

    def _open(self, row: PlaceRow, *, stays: bool) -> None:
        passage = passage_of(row.hit, self._shown) if row.hit is not None else None
        self.opened.emit(row.place.conversation_id, row.place.message_id, self._shown, stays, passage)

    def _choose_kind(self) -> None:
        choices = (
            ("", self.tr("Everything")), ("all", self.tr("Everything, thinking too")), ("text", self.tr("Messages")),
            ("code", self.tr("Code")), ("tool", self.tr("Tool calls and results")), ("thinking", self.tr("Thinking")),
            ("document", self.tr("Attached documents")), ("file", self.tr("Files")), ("image", self.tr("Images")),
            ("link", self.tr("Links")), ("title", self.tr("Titles")),
        )  # fmt: skip
        _pop_up(self._menu_of(choices, self.kind, self._take_kind), self.kinds)

    def _take_kind(self, kind: str, words: str) -> None:
        self.kind = kind
        self.kinds.show_choice(words if kind else "")
        self._look()

    def _choose_order(self) -> None:
        choices = (
            ("best", self.tr("Best first")),
            ("newest", self.tr("Newest first")),
            ("oldest", self.tr("Oldest first")),
        )
        menu = self._menu_of(choices, self.order, self._take_order)
        menu.addSeparator()
        together = menu.addAction(self.tr("Group by conversation"))
        together.setCheckable(True)
        together.setChecked(self.groups)
        together.toggled.connect(self._take_groups)
        _pop_up(menu, self.orders)

    def _take_groups(self, groups: bool) -> None:
        self.groups = groups
        self._look()

    def _take_order(self, order: str, words: str) -> None:
        orders: dict[str, Order] = {"best": "best", "newest": "newest", "oldest": "oldest"}
        self.order = orders[order]
        self.orders.show_choice(words if order != "best" else "")
        self._look()

    def _menu_of(self, choices: tuple[tuple[str, str], ...], chosen: str, take: Callable[[str, str], None]) -> QMenu:
        menu = QMenu(self)
        group = QActionGroup(menu)
        for value, words in choices:
            action = QAction(words, menu)
            action.setCheckable(True)
            action.setChecked(value == chosen)
            action.triggered.connect(lambda _on=False, value=value, words=words: take(value, words))
            group.addAction(action)
            menu.addAction(action)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _widen(self) -> None:
        """Nothing was found: look everywhere."""
        self._take_kind("all", self.tr("Everything, thinking too"))
        self.filters.clear()

    def _show_emptiness(self) -> None:
        if self.rows.rowCount():
            return
        typed = self.field.text().strip()
        if not typed:
            self.count.say("")
            self.orders.hide()
            self.nothing.say(
                "search",
                self.tr("Search everything that was said"),
                self.tr(
                    "All words must occur, in any order.\n"
                    "“In quotes” they stand together, -without leaves out.\n"
                    "Code, tool results and attached files are searched, too."
                ),
            )
        else:
            is_wide = self.kind == "all" and not self.filters.is_narrow
            self.nothing.say(
                "search",
                self.tr("Nothing found"),
                self.tr("No conversation has all these words. Fewer words, or the beginning of one, find more."),
                "" if is_wide else self.tr("Search everywhere, in thinking too"),
            )
        self._stack.setCurrentWidget(self.nothing)

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        scale = theme.scale
        self.field.setMinimumHeight(round(_FIELD_PX * scale))
        font = QFont(self.field.font())
        font.setPointSizeF(theme.body_pt * 1.05)
        self.field.setFont(font)
        self._set_margins()

    def _set_margins(self) -> None:
        scale = self._icons.themes.current.scale
        side = max(round(16 * scale), (self.width() - round(_COLUMN_PX * scale)) // 2 + round(4 * scale))
        layout = self._top.layout()
        assert layout is not None
        layout.setContentsMargins(side, round(8 * scale), side, round(6 * scale))

    async def _learn_models(self) -> None:
        try:
            counts = await self._search.counts()
        except SearchError as error:
            self.status.show_error(str(error))
            return
        self.filters.set_models(counts.models)

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The field keeps the keyboard while its arrow keys walk through what was found."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = event.key()
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 5, Qt.Key.Key_PageUp: -5}
            if key in steps:
                self.list.step(steps[Qt.Key(key)])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                current = self.list.current
                if current is not None and not self.is_looking:
                    self._open(current, stays=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
                return True
            if key == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._services.tasks.spawn(self._learn_models(), "the models that wrote replies")
        self._hear(self._search.state)


def _once(parent: QObject, after_ms: int, then: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(after_ms)
    timer.timeout.connect(then)
    return timer


def _pop_up(menu: QMenu, pill: FilterPill) -> None:
    menu.popup(pill.mapToGlobal(pill.rect().bottomLeft()))


def _row(hit: Hit) -> PlaceRow:
    return PlaceRow(hit.place, hit.snippet, hit.marks, ICONS[hit.kind], notes_of(hit.place, found_in(hit)), hit)
