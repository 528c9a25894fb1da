"""WindowInspector: the window's way to its inspector, which is imported and made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from sam_py.agent.session import ChatSession
from sam_py.ui.chat.chat_view import ChatView
from sam_py.ui.services import Services
from sam_py.ui.window_columns import Columns

if TYPE_CHECKING:
    from sam_py.ui.inspector.inspector import Inspector


class WindowInspector(QObject):
    """`toggled` says whether it is shown now. While it is hidden it costs nothing: it is attached to nothing."""

    toggled = Signal(bool)
    jumped = Signal()
    """The person wants to see a message in the conversation."""

    def __init__(
        self,
        services: Services,
        columns: Columns,
        chat: ChatView,
        label_of: Callable[[str, str], str],
        *,
        tab: str,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._columns = columns
        self._chat = chat
        self._label_of = label_of
        self._tab = tab
        self._inspector: Inspector | None = None
        self._endings: tuple[Callable[[], None], ...] = ()
        self.is_shown = False

    @property
    def widget(self) -> Inspector | None:
        """None as long as it was never shown."""
        return self._inspector

    @property
    def tab(self) -> str:
        """The tab that is open, or was."""
        return self._inspector.tab if self._inspector is not None else self._tab

    def toggle(self) -> None:
        """Open it, or close it; the keyboard stays where it is, or goes back to the text box."""
        self.show(not self.is_shown)

    def toggle_by_key(self) -> None:
        """Open it with the keyboard in it, or close it."""
        self.toggle()
        if self.is_shown and self._inspector is not None:
            self._inspector.tabs.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_tab(self, name: str) -> None:
        """Open it at a tab."""
        self.show(True)
        if self._inspector is not None:
            self._inspector.show_tab(name)

    def show(self, shown: bool) -> None:
        if shown == self.is_shown:
            return
        self.is_shown = shown
        inspector = self._made() if shown else self._inspector
        assert inspector is not None
        had_focus = inspector.isAncestorOf(inspector.window().focusWidget() or self._chat)
        if shown:
            inspector.attach(self._session())
        self._columns.show_inspector(shown)
        if not shown:
            inspector.attach(None)
            if had_focus:
                self._chat.composer.setFocus()
        self.toggled.emit(shown)

    def conversation_shown(self) -> None:
        """Another conversation is on screen."""
        if self.is_shown and self._inspector is not None:
            self._inspector.attach(self._session())

    def refresh(self) -> None:
        """Something of the program bears on what is sent: settings, tools, prompts, what a model takes."""
        if self.is_shown and self._inspector is not None:
            self._inspector.refresh()

    def close(self) -> None:
        """The window closes."""
        if self._inspector is not None:
            for end in self._endings:
                end()
            self._inspector.attach(None)

    def _session(self) -> ChatSession | None:
        return self._chat.conversation.session if self._chat.conversation is not None else None

    def _made(self) -> Inspector:
        if self._inspector is None:
            from sam_py.ui.inspector.inspector import Inspector

            services, window = self._services, self._columns.window()
            composer = self._chat.composer
            sent_of = services.registry.http.sent.of
            inspector = Inspector(services.icons, services.tasks.spawn, composer.draft, self._label_of, sent_of, window)
            inspector.show_tab(self._tab)
            inspector.closed.connect(lambda: self.show(False))
            inspector.jump_requested.connect(self._jump)
            composer.draft_changed.connect(lambda _draft: self._draft_changed())
            self._endings = (
                services.settings.subscribe(lambda _settings: self.refresh()),
                services.tools.registry.subscribe(self.refresh),
                services.mini_prompts.subscribe(self.refresh),
            )
            self._columns.add_inspector(inspector)
            self._inspector = inspector
        return self._inspector

    def _draft_changed(self) -> None:
        if self.is_shown and self._inspector is not None:
            self._inspector.draft_changed()

    def _jump(self, message_id: str) -> None:
        if self._columns.inspector_covers:
            self.show(False)
        self.jumped.emit()
        self._chat.timeline.show_message(message_id)
        self._chat.timeline.set_current(message_id)
