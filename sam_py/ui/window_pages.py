"""WindowPages: the window's pages, its search and its jumps; imported when one of them is first used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from sam_py.messages.parts import FilePart
from sam_py.ui.library.finder import Finder
from sam_py.ui.library.jump import Jumps
from sam_py.ui.library.pages import Pages
from sam_py.ui.services import Services

if TYPE_CHECKING:
    from sam_py.ui.library.find_bar import FindBar
    from sam_py.ui.library.passages import Passage
    from sam_py.ui.library.reuse import Reused
    from sam_py.ui.main_window import MainWindow


_TROUBLE_MS = 12_000


class WindowPages(QObject):
    """One for a window. `open_conversation` returns when the conversation is shown, or could not be."""

    def __init__(
        self, services: Services, window: MainWindow, open_conversation: Callable[[str], Awaitable[None]]
    ) -> None:
        super().__init__(window)
        self._services = services
        self._window = window
        self._chat = window.chat
        makers = {"search": self._make_search, "pinned": self._make_pinned, "library": self._make_library}
        self.pages = Pages(window.centre, makers, self)
        self.pages.turned.connect(self._turned)
        self.jumps = Jumps(window.chat, open_conversation, self._made_finder, self)
        self.jumps.troubled.connect(self._tell_trouble)
        self._finder: Finder | None = None
        self._bar: FindBar | None = None

    @property
    def current(self) -> str:
        """The page that is shown; "" while it is the conversation."""
        return self.pages.current

    def toggle(self, name: str) -> None:
        """Turn to a page, or back to the conversation where it is shown already."""
        self.pages.toggle(name)

    def back(self) -> None:
        """Turn back to the conversation, and give it the keyboard if the page had it."""
        self.pages.back()

    def search(self, words: str) -> None:
        """Search everywhere for `words`."""
        from sam_py.ui.library.search_page import SearchPage

        page = self.pages.show("search")
        assert isinstance(page, SearchPage)
        page.look_for(words)

    def open_message(
        self,
        conversation_id: str,
        message_id: str,
        words: str = "",
        stays: bool = False,
        passage: Passage | None = None,
    ) -> None:
        """Open a conversation at a message; `words` are marked in it. `stays`: behind the page that is shown.

        `passage`: the file of the message in which that is opens over it there, unless the page stays.
        """
        work = self._jump(conversation_id, message_id, words, stays, passage)
        self._services.tasks.spawn(work, "jump to a message")

    async def _jump(
        self, conversation_id: str, message_id: str, words: str, stays: bool, passage: Passage | None
    ) -> None:
        self.pages.is_held = stays
        if self._bar is not None and not self._bar.isHidden():
            self._bar.close_bar(back=False)  # its words are not what is wanted now
        try:
            if await self.jumps.go(conversation_id, message_id, words) and not stays:
                self.jumps.take_keyboard()
                if passage is not None:
                    await self._open_file(message_id, passage)
        finally:
            self.pages.is_held = False

    def use_in_new_chat(self, given: Reused) -> None:
        """Show a new chat with these things in its composer, behind what was typed there before."""
        self._services.tasks.spawn(self._use_in_new_chat(given), "use things in a new chat")

    async def _use_in_new_chat(self, given: Reused) -> None:
        from sam_py.ui.library.reuse import add_to

        await self._window.show_new()
        shown = self._chat.conversation
        if shown is not None and shown.is_blank:  # the person may have turned elsewhere meanwhile
            add_to(self._chat.composer, given)

    async def _open_file(self, message_id: str, passage: Passage) -> None:
        from sam_py.ui.chat.opened_files import open_file

        shown = self._chat.conversation
        parts = shown.bus.get(message_id).parts if shown is not None else ()
        part = parts[passage.part_index] if passage.part_index < len(parts) else None
        if isinstance(part, FilePart):
            library, context = self._services.library, self._chat.context
            await open_file(part, library, context, self._chat, self._tell_trouble, passage)

    def find_here(self, step: int = 0) -> None:
        """Open the bar that finds words in the conversation; with a `step`, go to the next place or the one before.

        On a page with a field of its own, that takes the keyboard.
        """
        field = getattr(self.pages.widget, "field", None)
        if isinstance(field, QLineEdit):
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            field.selectAll()
            return
        self.pages.back()
        if self._chat.conversation is None:
            return
        if self._bar is None:
            from sam_py.ui.library.find_bar import FindBar

            self._bar = FindBar(self._services.icons, self._made_finder(), self._chat)
        if step and not self._bar.isHidden():
            self._bar.step(step)
        else:
            self._bar.open()

    def close(self) -> None:
        """The window closes."""
        self.jumps.stop()
        self.pages.stop()
        if self._finder is not None:
            self._finder.detach()

    # Inside

    def _tell_trouble(self, words: str) -> None:
        """Why a jump ended elsewhere: of no use for long."""
        self._window.notices.show_notice(words, kind="error", timeout_ms=_TROUBLE_MS)

    def _made_finder(self) -> Finder:
        if self._finder is None:
            self._finder = Finder(self._chat, self.jumps.landing, self)
        return self._finder

    def _make_search(self, parent: QWidget) -> QWidget:
        from sam_py.ui.library.search_page import SearchPage

        page = SearchPage(self._services, self._services.search(), parent)
        page.opened.connect(self.open_message)
        page.closed.connect(self.back)
        return page

    def _make_pinned(self, parent: QWidget) -> QWidget:
        from sam_py.ui.library.pinned_page import PinnedPage

        opened = self._window.conversations.open
        page = PinnedPage(self._services, self._services.search(), lambda: self._chat.conversation, opened, parent)
        page.opened.connect(self.open_message)
        page.closed.connect(self.back)
        page.undo_offered.connect(self._chat.undo_offered)
        page.noticed.connect(self._chat.notice)
        return page

    def _make_library(self, parent: QWidget) -> QWidget:
        from sam_py.ui.library.library_page import LibraryPage

        page = LibraryPage(self._services, self._services.search(), self.open_message, parent)
        page.closed.connect(self.back)
        page.reused.connect(self.use_in_new_chat)
        return page

    def _turned(self, name: str) -> None:
        self._window.sidebar.entries.mark(name)
        if not name:
            self._chat.composer.setFocus()
