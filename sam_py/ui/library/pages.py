"""Pages: what stands in the place of the conversation for a while: search, what is pinned, the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget


class Pages(QObject):
    """Turns `stack`, whose first widget is the conversation, to pages and back.

    A page is made when it is first opened and kept from then on. Where it has `arrive`, that is called each time it is
    shown (it takes the keyboard), and `stop` before the window goes. The conversation is only hidden: its draft, its
    reading place and a reply that streams into it go on.
    """

    turned = Signal(str)
    """The page that is shown now; "" for the conversation."""

    def __init__(
        self, stack: QStackedWidget, makers: Mapping[str, Callable[[QWidget], QWidget]], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._stack = stack
        self._makers = makers
        self._pages: dict[str, QWidget] = {}
        self._current = ""
        self.is_held = False
        """The page stays while something is done behind it."""

    @property
    def current(self) -> str:
        """The name of the page that is shown; "" while it is the conversation."""
        return self._current

    @property
    def widget(self) -> QWidget | None:
        """The page that is shown."""
        return self._pages.get(self._current)

    def made(self, name: str) -> QWidget | None:
        """A page, where it was opened before."""
        return self._pages.get(name)

    def page(self, name: str) -> QWidget:
        """A page, made now if it was not. Raises KeyError for a name that there is none of."""
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self._makers[name](self._stack)
            page.installEventFilter(self)
            self._stack.addWidget(page)
        return page

    def show(self, name: str) -> QWidget:
        """Turn to a page and give it the keyboard."""
        page = self.page(name)
        self._turn(name, page)
        arrive = getattr(page, "arrive", None)
        if arrive is not None:
            arrive()
        else:
            page.setFocus(Qt.FocusReason.OtherFocusReason)
        return page

    def toggle(self, name: str) -> None:
        """Turn to a page, or back where it is shown already. A page that is typed into takes the keyboard again."""
        page = self._pages.get(name)
        if self._current == name and getattr(page, "is_typed_into", False):
            self.show(name)
        elif self._current == name:
            self.back()
        else:
            self.show(name)

    def back(self) -> bool:
        """Turn back to the conversation. False where it is shown already."""
        conversation = self._stack.widget(0)
        if not self._current or self.is_held or conversation is None:
            return False
        self._turn("", conversation)
        layout = self._stack.layout()
        if layout is not None:
            layout.activate()  # its rows are asked for at once, in the size of now
        return True

    def stop(self) -> None:
        """The window closes: nothing is asked or read any more."""
        for page in self._pages.values():
            stop = getattr(page, "stop", None)
            if stop is not None:
                stop()

    def _turn(self, name: str, widget: QWidget) -> None:
        self._stack.setCurrentWidget(widget)
        if name != self._current:
            self._current = name
            self.turned.emit(name)

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape, where nothing on the page had a use for it, leads back."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Escape
            and watched is self.widget
        ):
            return self.back()
        return super().eventFilter(watched, event)
