"""LibraryPage: images, code, files, links, documents and tool results of all conversations, to be found again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMetaMethod, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QImage, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from sam_py.messages.message import utc_now
from sam_py.store.search_index.extract import ItemKind
from sam_py.store.search_index.results import IndexState, Item
from sam_py.store.search_index.service import SearchService
from sam_py.store.thumbnails import Thumbnails
from sam_py.store.writer import Writer
from sam_py.ui.chat.header import ElidedText
from sam_py.ui.last_things import at_the_end
from sam_py.ui.library.cells import Cells, CodeCells, LineCells, PictureCells
from sam_py.ui.library.code_bodies import CodeBodies
from sam_py.ui.library.filter_bar import FilterBar
from sam_py.ui.library.item_actions import ItemActions
from sam_py.ui.library.item_menu import item_menu
from sam_py.ui.library.item_strip import ItemStrip
from sam_py.ui.library.kind_bar import KindBar
from sam_py.ui.library.listing import Listing
from sam_py.ui.library.model import LibraryModel
from sam_py.ui.library.nothing_here import NothingHere
from sam_py.ui.library.shelf_view import ShelfView
from sam_py.ui.library.status_line import StatusLine
from sam_py.ui.library.thumbnails import GridPictures, Wish
from sam_py.ui.library.words import KIND_ICONS, kind_name, nothing_yet, tr
from sam_py.ui.services import Services
from sam_py.ui.widgets.buttons import IconButton

FOLDER = "thumbnails"
_FIELD_PX = 280
_LINES_AHEAD = 2


class LibraryPage(QWidget):
    """Stands in the place of the conversation. It asks the index only while it is seen.

    `open_message(conversation_id, message_id)` goes to a message. Call `stop` before the search is closed.
    """

    closed = Signal()
    """By its button, which is there where somebody listens: the person has done with it."""
    reused = Signal(object)
    """`Reused`: what a new chat shall begin with."""

    def __init__(
        self,
        services: Services,
        search: SearchService,
        open_message: Callable[[str, str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._themes = services.themes
        self._search = search
        icons = services.icons
        path_of = services.library.attachments.path
        self.setAccessibleName(tr("Library"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.model = LibraryModel(self)
        shelf = Thumbnails(services.paths.state / FOLDER, Writer("sam-thumbnails"))
        self.pictures = GridPictures(path_of, shelf, services.tasks.spawn, self)
        self.bodies = CodeBodies(icons, services.tasks.spawn, self)
        self.listing = Listing(search, self.model, services.tasks.spawn, path_of, self)
        self.actions_of = ItemActions(services, open_message, self)
        self.model.drag = self.actions_of.dragged
        self.actions_of.neighbour = self._neighbour
        self.actions_of.has_neighbour = self._has_neighbour
        self.title = ElidedText(icons.themes, bold=True, parent=self)
        self.title.set_text(tr("Library"))
        self.close_button = IconButton(icons, "close", tr("Back to the conversation"), icon_px=14, parent=self)
        self.kinds = KindBar(icons, self)
        self.filters = FilterBar(icons, services.library.summaries, utc_now, self)
        self.status = StatusLine(icons, self)
        self.view = ShelfView(self.model, icons, self)
        self.nothing = NothingHere(icons, self)
        self.strip = ItemStrip(icons, self)
        pictures = PictureCells(icons, self._picture_of, self.pictures.has_failed)
        lines = LineCells(icons)
        self._cells: dict[ItemKind, Cells] = dict.fromkeys(KIND_ICONS, lines)
        self._cells |= {"image": pictures, "code": CodeCells(icons, self.bodies)}
        self._radius_of = pictures
        self._lay_out()
        self._connect()
        at_the_end(self.pictures.stop)
        self._unsubscribe = search.subscribe(self._follow)
        self._follow(search.state)
        self._show_kind(self.kinds.kind)

    def arrive(self) -> None:
        """It is on screen now: take the keyboard."""
        self.filters.look_at_folders()
        self.status.tell("")
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_kind(self, kind: ItemKind) -> None:
        """Turn to the things of this kind."""
        self.kinds.show_kind(kind)

    def stop(self) -> None:
        """Ask and read nothing any more."""
        self._unsubscribe()
        self.listing.stop()
        self.pictures.stop()

    # Making

    def _lay_out(self) -> None:
        self.filters.field.setParent(self)
        head = QHBoxLayout()
        head.setContentsMargins(20, 10, 20, 4)
        head.setSpacing(16)
        head.addWidget(self.title, 1)
        head.addWidget(self.filters.field, 2)
        head.addWidget(self.close_button)
        self.filters.field.setMaximumWidth(round(_FIELD_PX * self._themes.current.scale))
        tabs = QHBoxLayout()
        tabs.setContentsMargins(10, 0, 10, 0)
        tabs.addWidget(self.kinds)
        below = QVBoxLayout()
        below.setContentsMargins(20, 10, 20, 4)
        below.setSpacing(10)
        below.addWidget(self.filters)
        below.addWidget(self.status)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self.nothing)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for layout in (head, tabs, below):
            column.addLayout(layout)
        column.addWidget(self._stack, 1)
        column.addWidget(self.strip)

    def _connect(self) -> None:
        self.close_button.clicked.connect(self.closed)
        self.kinds.chosen.connect(self._show_kind)
        self.filters.changed.connect(self._ask)
        self.status.retry_wanted.connect(self.listing.retry)
        self.listing.changed.connect(self._show_state)
        self.listing.counted.connect(self._show_counts)
        self.view.seen.connect(self._on_view)
        self.view.opened.connect(self._open_row)
        self.view.menu_requested.connect(self._open_menu)
        self.view.typed.connect(self._look_for)
        self.view.selectionModel().selectionChanged.connect(self._show_selected)
        self.model.modelReset.connect(self._show_selected)
        self.model.dataChanged.connect(self._show_selected)
        self.strip.wished.connect(self.do)
        self.nothing.pressed.connect(self.filters.clear)
        self.pictures.ready.connect(self._picture_came)
        self.bodies.ready.connect(self.view.viewport().update)
        self.actions_of.failed.connect(self.status.tell)
        self.actions_of.said.connect(self.strip.say)
        self.actions_of.reused.connect(self.reused)
        self.view.installEventFilter(self)
        self.filters.field.installEventFilter(self)

    # What is shown

    def _show_kind(self, kind: ItemKind) -> None:
        self.view.clearSelection()
        self.status.tell("")
        self.listing.ask(kind, self.filters.asked)
        self.view.show_as(self._cells[kind], kind_name(kind))
        self._show_state()

    def _ask(self) -> None:
        self.view.clearSelection()
        self.view.verticalScrollBar().setValue(0)
        self.listing.ask(self.kinds.kind, self.filters.asked)

    def _follow(self, state: IndexState) -> None:
        self.status.follow(state)
        self.listing.follow(state)

    def _show_counts(self) -> None:
        counts = self.listing.counts
        if counts is not None:
            self.kinds.set_counts(counts.items)
            self.filters.set_models(counts.models)

    def _show_state(self) -> None:
        error = self.listing.error
        self.status.show_error(str(error) if error is not None else "")
        is_empty = not self.model.rowCount()
        if is_empty and not self.listing.is_looking and error is None:
            self._say_nothing()
            self._stack.setCurrentWidget(self.nothing)
        else:
            self._stack.setCurrentWidget(self.view)

    def _say_nothing(self) -> None:
        kind = self.kinds.kind
        if self.filters.is_narrow:
            sentence = tr("Nothing of this kind passes all of the filters. Try fewer words, or another time.")
            self.nothing.say("search", tr("Nothing fits"), sentence, tr("Clear filters"))
        elif self._search.state.phase in ("opening", "building"):
            sentence = tr("Your conversations are still being looked through. What is found appears here.")
            self.nothing.say(KIND_ICONS[kind], tr("Nothing found so far"), sentence)
        else:
            title, sentence = nothing_yet(kind)
            self.nothing.say(KIND_ICONS[kind], title, sentence)

    # Pictures

    def _wish(self, item: Item, side_px: int, radius_px: int) -> Wish:
        ratio = self.devicePixelRatioF()
        return item.attachment, round(side_px * ratio), round(radius_px * ratio)

    def _picture_of(self, item: Item, side_px: int, radius_px: int) -> QImage | None:
        return self.pictures.picture(self._wish(item, side_px, radius_px)) if item.attachment else None

    def _on_view(self, first: int, end: int) -> None:
        self.listing.want(end)
        if self.kinds.kind != "image":
            self.pictures.want([])
            if self.kinds.kind == "code":
                self.bodies.want([item for row in range(first, end) if (item := self.model.item(row)) is not None])
            return
        layout, missing = self.view.arranged, self.model.missing
        ahead = layout.columns * _LINES_AHEAD
        rows = [*range(first, end), *range(end, end + ahead), *range(max(0, first - ahead), first)]
        items = [item for row in rows if (item := self.model.item(row)) is not None]
        side, radius = layout.cell_width, self._radius_of.radius
        self.pictures.want(
            [self._wish(item, side, radius) for item in items if item.attachment and item.attachment not in missing]
        )

    def _picture_came(self, hash: str) -> None:
        for row in self.view.rows_on_view():
            item = self.model.item(row)
            if item is not None and item.attachment == hash:
                self.view.repaint_row(row)

    def _look_for(self, letters: str) -> None:
        self.filters.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filters.field.insert(letters)

    # What is done

    @property
    def selected(self) -> list[Item]:
        """What is selected, from the top."""
        found = (self.model.item(row) for row in self.view.selected_rows)
        return [item for item in found if item is not None]

    def do(self, wish: str) -> None:
        """``open``, ``jump``, ``copy``, ``save``, ``reuse``, ``prompt``, ``nothing``: with what is selected."""
        items = self.selected
        self.status.tell("")
        if not items:
            return
        match wish:
            case "open":
                self.actions_of.open(items[0])
            case "jump":
                self.actions_of.jump(items[0])
            case "copy":
                self.actions_of.copy(items)
            case "save":
                self.actions_of.save(items)
            case "reuse":
                self.actions_of.reuse(items)
            case "prompt":
                self.actions_of.show_prompt(items[0])
            case "nothing":
                self.view.clearSelection()
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            case _:
                raise ValueError(f"the library knows no action {wish!r}")

    def _open_row(self, row: int) -> None:
        item = self.model.item(row)
        if item is not None:
            self.status.tell("")
            self.view.select_row(row)
            self.actions_of.open(item)

    def _has_neighbour(self, step: int) -> bool:
        return self.model.item(self.view.currentIndex().row() + step) is not None

    def _neighbour(self, step: int, path_of: Callable[[Item], Path | None]) -> Item | None:
        """Select the next picture in this direction that is on this computer."""
        row = self.view.currentIndex().row() + step
        while (item := self.model.item(row)) is not None:
            if path_of(item) is not None:
                self.view.select_row(row)
                return item
            row += step
        return None

    def _show_selected(self) -> None:
        items = self.selected
        is_missing = len(items) == 1 and self.model.is_missing(items[0])
        self.strip.show_items(items, is_missing=is_missing)

    def _open_menu(self, place: QPoint) -> None:
        items = self.selected
        if items:
            is_missing = len(items) == 1 and self.model.is_missing(items[0])
            item_menu(self._services.icons, items, self.do, self, is_missing=is_missing).popup(place)

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(760, 600)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.close_button.setVisible(self.isSignalConnected(QMetaMethod.fromSignal(self.closed)))
        self.listing.set_awake(True)
        self._show_state()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.listing.set_awake(False)
        self.pictures.want([])

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Keys of the list come before the window's shortcuts while the keyboard is in it."""
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            is_press = event.type() == QEvent.Type.KeyPress
            if watched is self.view and (wish := _wish_of(event)):
                if is_press:
                    self.do(wish)
                event.accept()
                return True
            if watched is self.filters.field and is_press:
                match event.key():
                    case Qt.Key.Key_Down:
                        self.view.setFocus(Qt.FocusReason.OtherFocusReason)
                        return True
                    case Qt.Key.Key_Escape if self.filters.field.text():
                        self.filters.field.clear()
                        return True
        return super().eventFilter(watched, event)  # type: ignore[arg-type]

    def event(self, event: QEvent) -> bool:
        """Find means to find here, wherever on the page the keyboard is."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.matches(QKeySequence.StandardKey.Find)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self.filters.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.filters.field.selectAll()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), QColor(self._themes.current.palette.window))


def _wish_of(event: QKeyEvent) -> str:
    control = Qt.KeyboardModifier.ControlModifier
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier != control:
        return ""
    keys = {
        Qt.Key.Key_C: "copy", Qt.Key.Key_S: "save", Qt.Key.Key_U: "reuse", Qt.Key.Key_Return: "jump",
        Qt.Key.Key_Enter: "jump",
    }  # fmt: skip
    return keys.get(Qt.Key(event.key()), "")
