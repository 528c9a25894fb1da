"""FilterBar: what narrows the library and the search: words, conversation, folder, time, who, model, importance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QVBoxLayout, QWidget

from sam_py.store.search_index.results import Filters
from sam_py.store.summary import ConversationSummary
from sam_py.ui.library.choice_popup import ChoicePopup
from sam_py.ui.library.filter_pill import FilterPill
from sam_py.ui.library.place_words import IMPORTANT
from sam_py.ui.library.words import filled, tr
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.flow import FlowLayout
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import menu_text, one_line

_TYPING_MS = 120
Span = tuple[datetime | None, datetime | None]


class FilterBar(QWidget):
    """`changed` tells that `filters` are other ones; while a person types it waits a moment."""

    changed = Signal()

    def __init__(
        self,
        icons: Icons,
        conversations: Callable[[], Sequence[ConversationSummary]],
        now: Callable[[], datetime],
        parent: QWidget | None = None,
        *,
        first: FilterPill | None = None,
    ) -> None:
        """`first` stands before the others and is its maker's."""
        super().__init__(parent)
        self._icons = icons
        self._conversations = conversations
        self._now = now
        self.filters = Filters()
        self._models: tuple[tuple[str, int], ...] = ()
        self.field = FilterField(icons, tr("Find by name or text"), self)
        self.conversation = FilterPill(icons, "chat", tr("Conversation"), self)
        self.folder = FilterPill(icons, "folder", tr("Folder"), self)
        self.role = FilterPill(icons, "person", tr("Who"), self)
        self.time = FilterPill(icons, "calendar", tr("Any time"), self)
        self.model = FilterPill(icons, "model", tr("Model"), self)
        self.importance = FilterPill(icons, "star", tr("Importance"), self)
        self.clear_button = PillButton(icons, tr("Clear filters"), icon="close", parent=self)
        self.clear_button.hide()
        pills = QWidget(self)
        flow = FlowLayout(gap_px=6, parent=pills)
        narrowing = (self.conversation, self.folder, self.time, self.role, self.model, self.importance)
        for widget in (*([first] if first is not None else []), *narrowing, self.clear_button):
            flow.addWidget(widget)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        pills.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(pills)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._take_text)
        self.field.textChanged.connect(self._typing.start)
        self.field.returnPressed.connect(self._take_text)
        self.conversation.clicked.connect(self._choose_conversation)
        self.folder.clicked.connect(self._choose_folder)
        self.role.clicked.connect(self._choose_role)
        self.model.clicked.connect(self._choose_model)
        self.time.clicked.connect(self._choose_time)
        self.importance.clicked.connect(self._choose_importance)
        self.clear_button.clicked.connect(self.clear)
        self.look_at_folders()

    @property
    def asked(self) -> Filters:
        """The filters with what is in the folder now."""
        folder = self.filters.folder
        among = frozenset(each.id for each in self._conversations() if folder and each.folder == folder)
        return replace(self.filters, among=among)

    def look_at_folders(self) -> None:
        """Offer folders where there are any."""
        self.folder.setVisible(bool(self.filters.folder) or any(each.folder for each in self._conversations()))

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out."""
        return self.filters != Filters()

    def set_models(self, models: tuple[tuple[str, int], ...]) -> None:
        """The models that wrote replies, the most first."""
        self._models = models
        self.model.setVisible(len(models) > 1 or bool(self.filters.model))

    def clear(self) -> None:
        self.field.clear()
        self._typing.stop()
        self.use(Filters())

    def use(self, filters: Filters) -> None:
        """Narrow by these from now on."""
        if filters == self.filters:
            return
        self.filters = filters
        self._show()
        self.changed.emit()

    def _take_text(self) -> None:
        self._typing.stop()
        self.use(replace(self.filters, text=self.field.text().strip()))

    def _show(self) -> None:
        filters = self.filters
        if filters.text != self.field.text().strip():
            self.field.setText(filters.text)
            self._typing.stop()
        titles = (
            {each.id: one_line(each.title or each.preview) for each in self._conversations()}
            if filters.conversation_id
            else {}
        )
        untitled = tr("New chat")
        self.conversation.show_choice(
            titles.get(filters.conversation_id, untitled) or untitled if filters.conversation_id else ""
        )
        self.folder.show_choice(filters.folder)
        self.role.show_choice(dict(_roles()).get(filters.role, "") if filters.role else "")
        self.model.show_choice(filters.model)
        self.time.show_choice(span_words((filters.since, filters.until), self._now()))
        important = tr("Pinned") if filters.pinned_only else (tr("Important") if filters.min_importance else "")
        self.importance.show_choice(important)
        self.model.setVisible(len(self._models) > 1 or bool(filters.model))
        self.clear_button.setVisible(self.is_narrow)
        self.updateGeometry()

    # Choosing

    def _choose_conversation(self) -> None:
        choices = [(each.id, each.title or each.preview or tr("New chat")) for each in self._conversations()]
        popup = ChoicePopup(
            self._icons, tr("Find a conversation"), tr("All conversations"), choices, self.filters.conversation_id, self
        )
        popup.chosen.connect(lambda id: self.use(replace(self.filters, conversation_id=id)))
        popup.open_below(self.conversation)

    def _choose_folder(self) -> None:
        folders = sorted({each.folder for each in self._conversations() if each.folder}, key=str.casefold)
        popup = ChoicePopup(
            self._icons,
            tr("Find a folder"),
            tr("All folders"),
            [(each, each) for each in folders],
            self.filters.folder,
            self,
        )
        popup.chosen.connect(lambda folder: self.use(replace(self.filters, folder=folder)))
        popup.open_below(self.folder)

    def _choose_role(self) -> None:
        menu = self._menu(self.role)
        for role, words in _roles():
            new = replace(self.filters, role=role)
            self._add(menu, words, self.filters.role == role, partial(self.use, new))
        self._open(menu, self.role)

    def _choose_model(self) -> None:
        choices = [(model, model) for model, _count in self._models]
        popup = ChoicePopup(self._icons, tr("Find a model"), tr("All models"), choices, self.filters.model, self)
        popup.chosen.connect(lambda model: self.use(replace(self.filters, model=model)))
        popup.open_below(self.model)

    def _choose_time(self) -> None:
        now = self._now()
        shown = span_words((self.filters.since, self.filters.until), now)
        menu = self._menu(self.time)
        for words, span in spans(now):
            self._add(
                menu, words, words == shown or (not shown and span == (None, None)), partial(self._use_span, span)
            )
        menu.addSeparator()
        menu.addAction(tr("From … to …")).triggered.connect(self._choose_days)
        self._open(menu, self.time)

    def _choose_days(self) -> None:
        from sam_py.ui.library.days_dialog import DaysDialog

        dialog = DaysDialog(self._icons, self.filters.since, self.filters.until, self._now(), self)
        dialog.chosen.connect(lambda since, until: self._use_span((since, until)))
        dialog.open()

    def _choose_importance(self) -> None:
        menu = self._menu(self.importance)
        filters = self.filters
        for words, least, pinned in (
            (tr("Any importance"), 0.0, False),
            (tr("Important"), IMPORTANT, False),
            (tr("Pinned"), 0.0, True),
        ):
            is_on = (filters.min_importance, filters.pinned_only) == (least, pinned)
            new = replace(filters, min_importance=least, pinned_only=pinned)
            self._add(menu, words, is_on, partial(self.use, new))
        self._open(menu, self.importance)

    def _use_span(self, span: Span) -> None:
        self.use(replace(self.filters, since=span[0], until=span[1]))

    def _menu(self, button: QWidget) -> QMenu:
        menu = QMenu(button)
        QActionGroup(menu).setExclusive(True)
        return menu

    def _add(self, menu: QMenu, words: str, is_on: bool, act: Callable[[], object]) -> None:
        action = menu.addAction(menu_text(words))
        action.setCheckable(True)
        action.setChecked(is_on)
        group = menu.findChild(QActionGroup)
        if isinstance(group, QActionGroup):
            group.addAction(action)
        action.triggered.connect(lambda _on: act())

    def _open(self, menu: QMenu, button: QWidget) -> None:
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))


def _roles() -> list[tuple[str, str]]:
    return [("", tr("Anybody")), ("user", tr("You")), ("assistant", tr("The model")), ("tool", tr("Tools"))]


def spans(now: datetime) -> list[tuple[str, Span]]:
    """The times that are offered, by the clock on the wall."""
    here = now.astimezone()
    today = here.replace(hour=0, minute=0, second=0, microsecond=0)
    year = today.replace(month=1, day=1)
    return [
        (tr("Any time"), (None, None)),
        (tr("Today"), (today, None)),
        (tr("Last 7 days"), (today - timedelta(days=6), None)),
        (tr("Last 30 days"), (today - timedelta(days=29), None)),
        (tr("This year"), (year, None)),
        (filled(tr("Year %1"), str(year.year - 1)), (year.replace(year=year.year - 1), year)),
        (filled(tr("Before %1"), str(year.year - 1)), (None, year.replace(year=year.year - 1))),
    ]


def span_words(span: Span, now: datetime) -> str:
    """What a span of time is called; "" for any time."""
    from sam_py.ui.library.words import day

    if span == (None, None):
        return ""
    for words, offered in spans(now):
        if offered == span:
            return words
    since, until = span
    last = until - timedelta(days=1) if until is not None else None
    if since is None or last is None:
        edge = since or last
        assert edge is not None
        return filled(tr("From %1") if since is not None else tr("Until %1"), day(edge))
    return filled(tr("%1 – %2"), day(since), day(last))
