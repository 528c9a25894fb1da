"""AttachButton: attaches files; while others offer something to attach, a menu lists them first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import menu_text


@dataclass(frozen=True, slots=True, eq=False)
class AttachSource:
    """An entry of the menu; `open` shows what there is to choose from."""

    name: str
    icon: str
    open: Callable[[], None]


class AttachButton(IconButton):
    """`files_wanted` comes at once while files are all there is."""

    files_wanted = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(icons, "attach", self.tr("Attach files"), shortcut="Ctrl+Shift+O", parent=parent)
        self._sources: list[AttachSource] = []
        self.clicked.connect(self._pressed)

    @property
    def sources(self) -> tuple[AttachSource, ...]:
        return tuple(self._sources)

    def add_source(self, name: str, icon: str, open: Callable[[], None]) -> Callable[[], None]:
        """List `name` in the menu; returns the function that takes it out again."""
        source = AttachSource(name, icon, open)
        self._sources.append(source)
        return lambda: self._sources.remove(source) if source in self._sources else None

    def menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._icons.icon("attach"), self.tr("Files…")).triggered.connect(self.files_wanted)
        menu.addSeparator()
        for source in self._sources:
            menu.addAction(self._icons.icon(source.icon), menu_text(source.name)).triggered.connect(source.open)
        return menu

    def _pressed(self) -> None:
        if not self._sources:
            self.files_wanted.emit()
            return
        menu = self.menu()
        menu.popup(self.mapToGlobal(QPoint(0, -menu.sizeHint().height())))
