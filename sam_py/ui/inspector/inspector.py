"""Inspector: the right column: its tabs, and what is wished for in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from sam_py.agent.session import ChatSession
from sam_py.bus.deltas import Appended, Delta, ErrorShown, Inserted, SettingChanged, Updated
from sam_py.bus.todo_list import SETTING
from sam_py.providers.sent_bodies import SentBody
from sam_py.store.drafts import Draft
from sam_py.ui.chat.model_names import GUIDE
from sam_py.ui.inspector.context_page import ContextPage
from sam_py.ui.inspector.pinned_page import PinnedPage
from sam_py.ui.inspector.request_page import RequestPage
from sam_py.ui.inspector.summarising import Summarising
from sam_py.ui.inspector.tabs import Tabs
from sam_py.ui.inspector.tasks_page import TasksPage
from sam_py.ui.inspector.watch import Spawn, Watch
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons

_HEAD_PX = 48
_CONTEXT = {"keep": "keep", "never": "never", "as it fits": ""}


class Inspector(QWidget):
    """Shows the conversation that it is attached to. `draft_of` tells what stands in the composer."""

    closed = Signal()
    """By Esc or its button: the person has done with it."""
    jump_requested = Signal(str)
    tab_chosen = Signal(str)

    def __init__(
        self,
        icons: Icons,
        spawn: Spawn,
        draft_of: Callable[[], Draft],
        label_of: Callable[[str, str], str],
        sent_of: Callable[[str], Sequence[SentBody]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._themes = icons.themes
        self._label_of = label_of
        self._unsubscribe: Callable[[], None] | None = None
        self.watch = Watch(spawn, draft_of, ChatSession.outlook, self)
        self.preview = Watch(spawn, draft_of, ChatSession.preview, self)
        self.summarising = Summarising(spawn, self)
        self.context = ContextPage(icons, self.watch, self.summarising, self)
        self.request = RequestPage(icons, self.preview, sent_of, self)
        self.todo = TasksPage(icons, self)
        self.pinned = PinnedPage(icons, self.watch, self)
        self._pages: dict[str, QWidget] = {}
        self.tabs = Tabs(icons, self.tr("Inspector"), self)
        self._stack = QStackedWidget(self)
        self._add("context", self.tr("Context"), self.tr("What fits into the next request"), self.context)
        self._add("request", self.tr("Request"), self.tr("What is sent, word by word"), self.request)
        self._add("todo", self.tr("Tasks"), self.tr("The tasks of this conversation"), self.todo)
        self._add("pinned", self.tr("Pinned"), self.tr("What every request holds"), self.pinned)
        self.close_button = IconButton(
            icons, "close", self.tr("Close the inspector"), shortcut="Ctrl+Shift+I", icon_px=14, parent=self
        )
        self._head = QWidget(self)
        head = QHBoxLayout(self._head)
        head.setContentsMargins(8, 0, 8, 0)
        head.setSpacing(4)
        head.addWidget(self.tabs, 1)
        head.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 1, 0)  # the line is at the side of the conversation
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self._stack, 1)
        self.setAutoFillBackground(True)
        self.setAccessibleName(self.tr("Inspector"))
        self.close_button.clicked.connect(self.closed)
        self.tabs.currentChanged.connect(self._show_tab)
        for page in (self.context, self.pinned):
            page.seen.connect(self._seen)
            page.wished.connect(self._wish)
        self.request.seen.connect(self.preview.see)
        icons.changed.connect(self._retheme)
        self._retheme()

    def attach(self, session: ChatSession | None) -> None:
        """Show another conversation, or none."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self.summarising.attach(session)
        self.context.clear()
        self.pinned.clear()
        if session is not None:
            self._unsubscribe = session.bus.subscribe(self._on_delta)
        self.watch.attach(session)
        self.preview.attach(session)
        self.request.clear()
        self.todo.show_tasks(session)
        self._show_model()

    def refresh(self) -> None:
        """Something outside of the conversation bears on what is sent."""
        self.watch.refresh()
        self.preview.refresh()

    def draft_changed(self) -> None:
        """What stands in the composer is another text now."""
        self.watch.draft_changed()
        self.preview.draft_changed()

    def show_tab(self, name: str) -> None:
        """Open the tab of that name; the first one where there is none (a newer version may have had more)."""
        self.tabs.setCurrentIndex(list(self._pages).index(name) if name in self._pages else 0)

    @property
    def tab(self) -> str:
        return list(self._pages)[self.tabs.currentIndex()]

    def _add(self, name: str, text: str, hint: str, page: QWidget) -> None:
        self._pages[name] = page
        self._stack.addWidget(page)
        place = self.tabs.addTab(text)
        self.tabs.setTabToolTip(place, hint)

    def _show_tab(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self.tab_chosen.emit(self.tab)

    def _seen(self, _seen: bool) -> None:
        self.watch.see(self.context.isVisible() or self.pinned.isVisible())

    def _on_delta(self, delta: Delta) -> None:
        if isinstance(delta, Appended):
            return
        if self.request.isVisible() and isinstance(delta, Inserted | Updated | ErrorShown):
            self.request.refresh_sent()  # a request may have gone out
        if isinstance(delta, SettingChanged):
            if delta.key == SETTING:
                self.todo.show_tasks(self.watch.session)
            elif delta.key in ("provider", "model"):
                self._show_model()

    def _show_model(self) -> None:
        session = self.watch.session
        if session is not None:
            choice = session.choice
            label = self._label_of(choice.provider, choice.model)
            self.context.set_model(label, is_here=choice.provider == GUIDE)

    def _wish(self, action: str, message_id: str) -> None:
        session = self.watch.session
        if session is None or message_id not in session.bus:
            return
        bus = session.bus
        match action:
            case "pin" | "unpin":
                bus.annotate(message_id, pinned=action == "pin")
            case "keep" | "never" | "as it fits":
                bus.annotate(message_id, context=_CONTEXT[action])
            case "copy":
                QGuiApplication.clipboard().setText(bus.get(message_id).plain_text)
            case "jump":
                self.jump_requested.emit(message_id)
            case _:
                raise ValueError(f"the inspector knows no action {action!r}")

    def _retheme(self) -> None:
        self._head.setFixedHeight(round(_HEAD_PX * max(1.0, self._themes.current.scale)))
        self.update()

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line between it and the conversation."""
        painter = QPainter(self)
        palette = self._themes.current.palette
        painter.fillRect(self.rect(), QColor(palette.window))
        painter.setPen(QColor(palette.border))
        backwards = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x = self.width() - 1 if backwards else 0
        painter.drawLine(x, 0, x, self.height())
