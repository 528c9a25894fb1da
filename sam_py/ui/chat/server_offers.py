"""ServerOffers: a server's resources or prompts to choose from; what is chosen goes into the message being written."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Literal

import shiboken6
from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from sam_py.errors import SamError
from sam_py.reminders.mini_prompts import MiniPrompt
from sam_py.tools.mcp.offer import OfferedPrompt, PromptArgument, ServerStatus
from sam_py.tools.mcp.templates import places
from sam_py.ui.chat.attachments_intake import Source
from sam_py.ui.chat.server_form import ServerForm
from sam_py.ui.chat.server_offer_list import Offered, OfferPainter, OfferRows
from sam_py.ui.chat.server_taking import TakenOffer, proposals, take_prompt, take_resource
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line

_FITS_THE_ROW = 60
Kind = Literal["resources", "prompts"]
Take = Callable[[str, Sequence[Source]], None]


class ServerOffers(QDialog):
    """Nothing is sent by it: `take` gets words and attachments, which the person sees before they send."""

    def __init__(self, services: Services, server_id: str, kind: Kind, take: Take, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._services = services
        self._icons = services.icons
        self._id = server_id
        self._kind = kind
        self._take = take
        self._busy = False
        self._chosen: Offered | None = None
        self._label = server_id
        prompts = kind == "prompts"
        self.setWindowTitle(self.tr("Prompts of a server") if prompts else self.tr("Resources of a server"))
        self.rows = OfferRows(self)
        self._build()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._show_status)
        servers = services.tools.servers
        off = servers.subscribe(self._soon.start) if servers is not None else lambda: None
        self.finished.connect(lambda _result: off())
        self._show_status()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    # Inside

    def _build(self) -> None:
        prompts = self._kind == "prompts"
        scale = self._icons.themes.current.scale
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        self.heading = Words(self._icons, heavy=True)
        column.addWidget(self.heading)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a prompt") if prompts else self.tr("Find a resource"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._go_on)
        self.search.installEventFilter(self)
        column.addWidget(self.search)
        self.list = QListView(self)
        self.list.setAccessibleName(self.tr("Prompts") if prompts else self.tr("Resources"))
        self.list.setModel(self.rows)
        self.list.setItemDelegate(OfferPainter(self._icons, self))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setMouseTracking(True)
        self.list.viewport().setAutoFillBackground(False)
        self.list.selectionModel().currentChanged.connect(self._choose)
        self.list.activated.connect(lambda _index: self._go_on())
        column.addWidget(self.list, 1)
        self.about = Words(self._icons, role="muted", small=True)
        self.about.hide()
        column.addWidget(self.about)
        self.form = ServerForm(self._icons.themes, self)
        self.form.changed.connect(self._refresh)
        self.form.submitted.connect(self.go)
        self.form.asked.connect(self._ask)
        self.form.hide()
        column.addWidget(self.form)
        self.problem = Words(self._icons, small=True)
        self.problem.hide()
        column.addWidget(self.problem)
        row = QHBoxLayout()
        self.keep = PillButton(self._icons, self.tr("Keep as mini prompt"), kind="outline", icon="prompts")
        self.keep.setVisible(prompts)
        self.keep.clicked.connect(self._keep_clicked)
        self.cancel = PillButton(self._icons, self.tr("Cancel"), kind="outline")
        self.cancel.clicked.connect(self.reject)
        self.use = PillButton(self._icons, self.tr("Insert") if prompts else self.tr("Attach"), kind="accent")
        self.use.clicked.connect(self.go)
        row.addWidget(self.keep)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.use)
        column.addLayout(row)
        self.resize(round(520 * scale), round(560 * scale))

    def _status(self) -> ServerStatus | None:
        servers = self._services.tools.servers
        statuses = servers.statuses if servers is not None else ()
        return next((status for status in statuses if status.id == self._id), None)

    def _show_status(self) -> None:
        """Follow the server: its lists may change, and it may go."""
        status = self._status()
        if status is None or status.state != "ready":
            self.problem.say(self.tr("The server does not run at the moment."), "warning")
            self._refresh()
            return
        self._label = one_line(status.label)
        self.heading.setText(self._label)
        offered: Sequence[Offered] = status.offer.prompts if self._kind == "prompts" else status.offer.resources
        chosen = self._chosen
        self.rows.set_offered(offered)
        self._select(max(0, self.rows.place_of(chosen)) if chosen is not None else 0)
        self.problem.say("")
        self._refresh()

    def _search(self, words: str) -> None:
        self.rows.search(words)
        self._select(0)

    def _select(self, place: int) -> None:
        index = self.rows.index(place, 0) if place < self.rows.rowCount() else QModelIndex()
        self.list.setCurrentIndex(index)
        self._choose(index)

    def _choose(self, index: QModelIndex, _before: QModelIndex | None = None) -> None:
        row = self.rows.row(index)
        offered = row.offered if row is not None else None
        if offered == self._chosen:
            return
        self._chosen = offered
        self.problem.say("")
        self.about.say(self._about(offered))
        self.form.set_arguments(self._arguments(offered))

    def _about(self, offered: Offered | None) -> str:
        """More than the row already says of it."""
        if offered is None or (isinstance(offered, OfferedPrompt) and len(offered.description) <= _FITS_THE_ROW):
            return ""
        return made_visible(offered.description[:2_000])

    def _arguments(self, offered: Offered | None) -> Sequence[PromptArgument]:
        if isinstance(offered, OfferedPrompt):
            return offered.arguments
        if offered is None or not offered.is_template:
            return ()
        try:
            return [PromptArgument(name, required=True) for name in places(offered.uri)]
        except SamError as error:
            self.problem.say(made_visible(str(error)), "error")
            return ()

    def _refresh(self) -> None:
        status = self._status()
        runs = status is not None and status.state == "ready"
        can = runs and not self._busy and self._chosen is not None and self.form.is_complete
        self.use.setEnabled(can)
        self.keep.setEnabled(can)

    def _ask(self, argument: str, typed: str) -> None:
        offered, servers = self._chosen, self._servers()
        if offered is None or servers is None:
            return
        given = {**self.form.values, argument: typed}

        async def ask() -> None:
            values = await proposals(servers, self._id, offered, argument, given)
            if shiboken6.isValid(self) and offered == self._chosen:
                self.form.propose(argument, typed, values)

        self._services.tasks.spawn(ask(), "ask a server for proposals")

    def _go_on(self) -> None:
        """Enter: take what is chosen, or ask for the first value that it still wants."""
        missing = next((field for field in self.form.fields.values() if not field.text()), None)
        if self.use.isEnabled() or missing is None:
            self.go()
        else:
            missing.setFocus(Qt.FocusReason.TabFocusReason)

    # Taking

    def go(self) -> None:
        """Ask the server for what is chosen, and put it into the message."""
        if self.use.isEnabled():
            self._begin(self._insert)

    def _keep_clicked(self) -> None:
        if self.keep.isEnabled():
            self._begin(self._keep_as_mini_prompt)

    def _begin(self, then: Callable[[TakenOffer], Coroutine[Any, Any, None]]) -> None:
        self._busy = True
        self._refresh()
        self.problem.say(self.tr("Asking %1…").replace("%1", self._label))
        self._services.tasks.spawn(self._taken(then), "take from a server")

    async def _taken(self, then: Callable[[TakenOffer], Coroutine[Any, Any, None]]) -> None:
        offered, servers = self._chosen, self._servers()
        try:
            if offered is None or servers is None:
                raise SamError(self.tr("The server does not run at the moment."))
            values = self.form.values
            if isinstance(offered, OfferedPrompt):
                taken = await take_prompt(servers, self._id, self._label, offered, values)
            else:
                taken = await take_resource(servers, self._id, self._label, offered, values)
            if shiboken6.isValid(self) and self.isVisible():  # closed meanwhile: it is no longer wanted
                await then(taken)
        except SamError as error:
            if shiboken6.isValid(self):
                self.problem.say(made_visible(str(error)), "error")
        finally:
            if shiboken6.isValid(self):
                self._busy = False
                self._refresh()

    async def _insert(self, taken: TakenOffer) -> None:
        self.accept()
        self._take(taken.text, taken.sources)

    async def _keep_as_mini_prompt(self, taken: TakenOffer) -> None:
        offered = self._chosen
        assert offered is not None
        name = self.tr("%1 (%2)").replace("%1", one_line(offered.title or offered.name)[:60])
        prompts = self._services.mini_prompts
        prompts.put(MiniPrompt(name=name.replace("%2", self._label[:40]), text=taken.text))
        await prompts.save()
        said = self.tr("It is kept among the mini prompts, switched off. Switch it on there.")
        if taken.sources:
            said = f"{said} {self.tr('What is attached to it was left out.')}"
        self.problem.say(said, "success")

    def _servers(self) -> Any:
        servers = self._services.tools.servers
        return servers.running if servers is not None else None

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:  # the list is walked from the search field, too
                place = self.list.currentIndex().row() + step
                if 0 <= place < self.rows.rowCount():
                    self._select(place)
                return True
        return super().eventFilter(watched, event)
