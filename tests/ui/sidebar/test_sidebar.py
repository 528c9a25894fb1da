"""The sidebar under mouse and keyboard, with a library in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QLineEdit, QMenu, QWidget

from sam_py.store.library import LibraryChange
from sam_py.store.summary import ConversationSummary
from sam_py.ui.sidebar.dropped_files import DropWords
from sam_py.ui.sidebar.sidebar import Sidebar
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.confirm import Confirm
from sam_py.ui.widgets.icons import Icons
from tests.store.importers.samples import SAMPLES

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

NOW = datetime(2026, 3, 18, 15, 0, tzinfo=UTC)


class MemoryLibrary:
    """What the sidebar needs of the library, in memory."""

    def __init__(self, *summaries: ConversationSummary) -> None:
        self.rows = {each.id: each for each in summaries}
        self.trash: dict[str, ConversationSummary] = {}
        self.pins: dict[str, int] = {}
        self.listeners: list[Callable[[LibraryChange], None]] = []

    def summaries(self) -> list[ConversationSummary]:
        return sorted(self.rows.values(), key=lambda each: each.updated_at, reverse=True)

    def summary(self, id: str) -> ConversationSummary | None:
        return self.rows.get(id)

    def subscribe(self, listener: Callable[[LibraryChange], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def put(self, summary: ConversationSummary) -> None:
        known = summary.id in self.rows
        self.rows[summary.id] = summary
        self.tell(LibraryChange("changed" if known else "added", summary.id))

    def tell(self, change: LibraryChange) -> None:
        for listener in tuple(self.listeners):
            listener(change)

    async def change_setting(self, id: str, key: str, value: Any) -> None:
        self.put(replace(self.rows[id], **{key: value}))

    async def duplicate(self, id: str) -> str:
        self.put(replace(self.rows[id], id=id + "2", title=self.rows[id].title + " (copy)"))
        return id + "2"

    async def chosen_pins(self, id: str, auto_pin: int) -> int:
        return self.pins.get(id, 0)

    async def delete(self, id: str) -> None:
        self.trash[id] = self.rows.pop(id)
        self.tell(LibraryChange("removed", id))

    async def restore(self, id: str) -> None:
        self.put(self.trash.pop(id))


def conversation(id: str, age_h: float = 1, **fields: Any) -> ConversationSummary:
    when = NOW - timedelta(hours=age_h)
    return ConversationSummary(id, fields.pop("title", f"Title {id}"), when, when, **fields)


class Stage:
    def __init__(self, qtbot: Any, *summaries: ConversationSummary) -> None:
        self.library = MemoryLibrary(*summaries)
        themes = Themes()
        self.sidebar = Sidebar(self.library, themes, Icons(themes), self.spawn, now=lambda: NOW)
        self.themes = themes
        self.chosen: list[str] = []
        self.notices: list[tuple[str, str, Any]] = []
        self.deleted: list[str] = []
        self.sidebar.conversation_chosen.connect(self.chosen.append)
        self.sidebar.notice_requested.connect(lambda *notice: self.notices.append(notice))
        self.sidebar.deleted.connect(self.deleted.append)
        self.sidebar.refresh()
        self.sidebar.resize(260, 600)
        qtbot.addWidget(self.sidebar)
        with qtbot.waitExposed(self.sidebar):
            self.sidebar.show()
        self.qtbot = qtbot
        self.list = self.sidebar.list

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        asyncio.run(work)

    def shown(self) -> list[str]:
        model = self.sidebar.model
        return [model.index(row).data() for row in range(model.rowCount())]

    def wait_for(self, *rows: str) -> None:
        self.qtbot.waitUntil(lambda: self.shown() == list(rows))

    def place(self, key: str) -> QPoint:
        row = self.sidebar.model.row_of(key)
        assert row is not None
        return self.list.visualRect(self.sidebar.model.index(row)).center()

    def click(self, key: str, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.qtbot.mouseClick(self.list.viewport(), Qt.MouseButton.LeftButton, modifier, self.place(key))

    def press(self, key: Qt.Key, widget: QWidget | None = None) -> None:
        self.qtbot.keyClick(widget or self.list, key)

    def menu_action(self, ids: list[str], *words: str) -> QAction:
        """The action that these words lead to; the menu stays alive as the sidebar's child."""
        menu: QMenu = self.sidebar._menus._conversation_menu(ids)
        for depth, word in enumerate(words):
            action = next(each for each in menu.actions() if each.text().split("\t")[0] == word)
            if depth < len(words) - 1:
                submenu = action.menu()
                assert isinstance(submenu, QMenu)
                menu = submenu
        return action


@pytest.fixture
def stage(qtbot: Any) -> Iterator[Stage]:
    stage = Stage(qtbot, conversation("a", 1), conversation("b", 2), conversation("c", 3, folder="Work"))
    yield stage
    stage.sidebar.detach()


def test_a_click_opens_a_conversation(stage: Stage) -> None:
    stage.click("b")
    assert stage.chosen == ["b"]


def test_a_click_on_a_heading_closes_its_section(stage: Stage) -> None:
    stage.click("§folder/Work")
    assert stage.shown() == ["Work", "Today", "Title a", "Title b"]
    assert not stage.chosen


def test_arrows_walk_and_enter_opens(stage: Stage) -> None:
    stage.sidebar.set_current("a")
    stage.list.setFocus()
    stage.press(Qt.Key.Key_Down)
    assert not stage.chosen
    stage.press(Qt.Key.Key_Return)
    assert stage.chosen == ["b"]


def test_left_and_right_close_and_open_the_section_under_the_keyboard(stage: Stage) -> None:
    stage.list.setFocus()
    stage.press(Qt.Key.Key_Home)
    stage.press(Qt.Key.Key_Left)
    assert stage.shown()[:2] == ["Work", "Today"]
    stage.press(Qt.Key.Key_Right)
    assert stage.shown()[:2] == ["Work", "Title c"]


def test_delete_goes_at_once_and_undo_brings_it_back(stage: Stage) -> None:
    stage.sidebar.set_current("a")
    stage.list.setFocus()
    stage.press(Qt.Key.Key_Delete)
    stage.wait_for("Work", "Title c", "Today", "Title b")
    text, button, undo = stage.notices[0]
    assert (text, button, stage.deleted) == ("Deleted “Title a”.", "Undo", ["a"])
    undo()
    stage.wait_for("Work", "Title c", "Today", "Title a", "Title b")


def test_several_are_deleted_and_restored_together(stage: Stage) -> None:
    stage.click("a")
    stage.click("b", Qt.KeyboardModifier.ControlModifier)
    assert stage.chosen == ["a"]
    stage.press(Qt.Key.Key_Delete)
    stage.wait_for("Work", "Title c")
    assert stage.notices[0][0] == "Deleted 2 conversations."
    stage.notices[0][2]()
    stage.wait_for("Work", "Title c", "Today", "Title a", "Title b")


def test_what_has_pins_is_asked_about_and_may_go_into_the_archive_instead(stage: Stage, qtbot: Any) -> None:
    stage.library.pins = {"a": 1, "c": 4}
    stage.list.setFocus()
    stage.click("a")
    stage.press(Qt.Key.Key_Delete)
    question = stage.sidebar.findChild(Confirm)
    assert question is not None
    assert question.isVisible()
    assert "Title a" in question.windowTitle()
    assert stage.deleted == []
    question.cancel_button.click()
    assert (stage.deleted, stage.notices) == ([], [])
    qtbot.waitUntil(lambda: stage.sidebar.findChild(Confirm) is None)

    stage.sidebar.commands.delete(["a", "b", "c"])
    question = stage.sidebar.findChild(Confirm)
    assert question is not None
    assert any("5 messages in 2 of them" in label.text() for label in question.findChildren(QLabel))
    assert question.other_button is not None
    question.other_button.click()
    assert stage.deleted == ["b"]
    assert [id for id, row in stage.library.rows.items() if row.archived] == ["a", "c"]
    qtbot.waitUntil(lambda: stage.sidebar.findChild(Confirm) is None)

    stage.sidebar._menus.open_folder_menu("Work", stage.list.mapToGlobal(QPoint(0, 0)))
    menu = next(each for each in stage.list.findChildren(QMenu) if each.isVisible())
    menu.actions()[-1].trigger()
    menu.close()
    question = stage.sidebar.findChild(Confirm)
    assert question is not None
    question.accept_button.click()
    assert stage.deleted == ["b", "c"]
    assert stage.notices[-1][1] == "Undo"


def test_f2_renames_in_place(stage: Stage) -> None:
    stage.sidebar.set_current("b")
    stage.list.setFocus()
    stage.press(Qt.Key.Key_F2)
    editor = stage.list.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    assert editor.text() == "Title b"
    stage.qtbot.keyClicks(editor, "Bread")
    stage.press(Qt.Key.Key_Return, editor)
    stage.qtbot.waitUntil(lambda: "Bread" in stage.shown())
    assert stage.library.rows["b"].title == "Bread"


def test_escape_leaves_the_title_as_it_was(stage: Stage) -> None:
    stage.list.rename("b")
    editor = stage.list.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    stage.qtbot.keyClicks(editor, "Bread")
    stage.press(Qt.Key.Key_Escape, editor)
    assert stage.library.rows["b"].title == "Title b"


def test_the_menu_pins_files_and_archives(stage: Stage) -> None:
    stage.menu_action(["a"], "Pin").trigger()
    stage.menu_action(["b"], "Move to folder", "Work").trigger()
    stage.wait_for("Pinned", "Title a", "Work", "Title b", "Title c")
    assert stage.menu_action(["a"], "Unpin").isEnabled()
    stage.menu_action(["c"], "Move to folder", "No folder").trigger()
    stage.menu_action(["b"], "Archive").trigger()
    stage.wait_for("Pinned", "Title a", "Today", "Title c", "Archived")
    stage.notices[-1][2]()
    stage.wait_for("Pinned", "Title a", "Work", "Title b", "Today", "Title c")


def test_a_duplicate_is_opened(stage: Stage) -> None:
    stage.menu_action(["a"], "Duplicate").trigger()
    assert stage.chosen == ["a2"]
    stage.qtbot.waitUntil(lambda: "Title a (copy)" in stage.shown())


def test_a_new_folder_is_named_in_a_window_that_does_not_block(stage: Stage) -> None:
    stage.menu_action(["a"], "Move to folder", "New folder…").trigger()
    dialog = stage.sidebar.findChild(QInputDialog)
    assert isinstance(dialog, QInputDialog)
    dialog.setTextValue("  Trips ")
    dialog.accept()
    stage.wait_for("Trips", "Title a", "Work", "Title c", "Today", "Title b")


def test_a_folder_can_be_taken_away_and_keeps_its_conversations(stage: Stage) -> None:
    stage.sidebar.commands.rename_folder("Work", "")
    stage.wait_for("Today", "Title a", "Title b", "Title c")


def test_the_filter_opens_its_first_hit_with_enter_and_clears_with_escape(stage: Stage) -> None:
    stage.sidebar.focus_filter()
    stage.qtbot.keyClicks(stage.sidebar.filter, "title b")
    assert stage.shown() == ["Today", "Title b"]
    stage.press(Qt.Key.Key_Return, stage.sidebar.filter)
    assert stage.chosen == ["b"]
    stage.press(Qt.Key.Key_Escape, stage.sidebar.filter)
    assert len(stage.shown()) == 5


def test_a_filter_without_hits_says_so_and_enter_asks_for_the_full_search(stage: Stage) -> None:
    stage.qtbot.keyClicks(stage.sidebar.filter, "zzz")
    assert stage.sidebar.empty.isVisible()
    with stage.qtbot.waitSignal(stage.sidebar.search_requested) as search:
        stage.press(Qt.Key.Key_Return, stage.sidebar.filter)
    assert search.args == ["zzz"]


def test_an_empty_list_says_what_will_be_there(qtbot: Any) -> None:
    stage = Stage(qtbot)
    assert stage.sidebar.empty.isVisible()
    stage.library.put(conversation("a"))
    stage.wait_for("Today", "Title a")
    assert stage.list.isVisible()
    stage.sidebar.detach()


def test_a_conversation_that_appears_while_it_is_shown_is_selected(stage: Stage) -> None:
    stage.sidebar.set_current("new")
    assert not stage.list.selected_ids()
    stage.library.put(conversation("new", 0))
    stage.qtbot.waitUntil(lambda: stage.list.selected_ids() == ["new"])


def test_neighbours_follow_the_list_from_top_to_bottom(stage: Stage) -> None:
    stage.sidebar.set_current("a")
    assert stage.sidebar.neighbour(1) == "b"
    assert stage.sidebar.neighbour(-1) == "c"
    stage.sidebar.set_current("b")
    assert stage.sidebar.neighbour(1) is None


def test_many_changes_at_once_are_taken_in_together(stage: Stage) -> None:
    passes: list[int] = []
    stage.sidebar.model.rowsInserted.connect(lambda *_: passes.append(1))
    for n in range(300):
        stage.library.put(conversation(f"n{n:03}", 0.5 + n / 1000))
    stage.qtbot.waitUntil(lambda: len(stage.shown()) == 305)
    assert len(passes) <= 2


def test_a_detached_sidebar_listens_no_more(qtbot: Any) -> None:
    stage = Stage(qtbot, conversation("a"))
    stage.sidebar.detach()
    assert not stage.library.listeners


def test_the_menu_key_opens_the_menu_of_the_current_row(stage: Stage) -> None:
    stage.sidebar.set_current("a")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    with stage.qtbot.waitSignal(stage.list.menu_requested):
        stage.list.contextMenuEvent(event)


def test_the_more_button_opens_the_menu_and_not_the_conversation(stage: Stage) -> None:
    row = stage.sidebar.model.row_of("a")
    assert row is not None
    more = stage.list.rows.more_of(stage.list.visualRect(stage.sidebar.model.index(row))).center()
    with stage.qtbot.waitSignal(stage.list.menu_requested):
        stage.qtbot.mouseClick(stage.list.viewport(), Qt.MouseButton.LeftButton, pos=more)
    assert not stage.chosen


@pytest.mark.parametrize("scale", [0.8, 1.5, 2.0])
def test_rows_grow_with_the_text(stage: Stage, scale: float) -> None:
    stage.sidebar.set_busy("a", True)
    stage.themes.use(stage.themes.current.scaled(scale))
    row = stage.sidebar.model.row_of("a")
    assert row is not None
    index = stage.sidebar.model.index(row)
    stage.qtbot.waitUntil(lambda: stage.list.visualRect(index).height() >= round(32 * scale))
    assert not stage.sidebar.grab().isNull()


def test_everything_in_the_sidebar_has_a_name(stage: Stage) -> None:
    sidebar = stage.sidebar
    for widget in (sidebar.new_button, sidebar.hide_button, sidebar.settings_button, sidebar.filter, sidebar.list):
        assert widget.accessibleName()


def test_a_conversation_dropped_at_a_row_s_edge_still_goes_to_that_folder(stage: Stage) -> None:
    model = stage.sidebar.model
    row, folder = model.row_of("a"), model.row_of("§folder/Work")
    assert row is not None
    assert folder is not None
    mime = model.mimeData([model.index(row)])
    edge = stage.list.visualRect(model.index(folder)).bottomLeft() + QPoint(20, 0)
    left = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    stage.list.dragEnterEvent(QDragEnterEvent(edge, Qt.DropAction.MoveAction, mime, left, none))
    over = QDragMoveEvent(edge, Qt.DropAction.MoveAction, mime, left, none)
    stage.list.dragMoveEvent(over)
    assert over.isAccepted()
    assert stage.list.rows.drop_key == "§folder/Work"
    stage.list.dropEvent(QDropEvent(edge.toPointF(), Qt.DropAction.MoveAction, mime, left, none))
    assert stage.list.rows.drop_key == ""
    stage.wait_for("Work", "Title a", "Title c", "Today", "Title b")


def test_files_of_other_programs_that_are_dropped_are_offered_to_be_imported(stage: Stage, tmp_path: Path) -> None:
    wanted: list[list[Path]] = []
    stage.sidebar.import_requested.connect(wanted.append)
    export = SAMPLES[0].write(tmp_path)
    strange, photo = tmp_path / "strange.json", tmp_path / "photo.png"
    strange.write_text("[1, 2]")
    photo.write_bytes(b"x")

    def drop(*files: Path) -> bool:
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
        rest = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        entering = QDragEnterEvent(QPoint(20, 20), *rest)
        QApplication.sendEvent(stage.list.viewport(), entering)  # what the list refuses goes to the sidebar
        if entering.isAccepted():
            assert [each.words for each in stage.sidebar.findChildren(DropWords) if each.isVisible()] == [
                "Drop to import"
            ]
            QApplication.sendEvent(stage.sidebar, QDropEvent(QPointF(20, 20), *rest))
            assert not any(each.isVisible() for each in stage.sidebar.findChildren(DropWords))
        return entering.isAccepted()

    assert not drop(photo), "that is for the composer"
    assert drop(strange)
    assert "strange.json is in no format" in stage.notices.pop()[0]
    assert drop(photo, export, strange)
    words, button, take = stage.notices.pop()
    assert words.startswith(f"{export.name} holds conversations of ")
    assert (button, wanted) == ("Import", []), "nothing comes in before it was said"
    take()
    assert wanted == [[export]]


def test_a_shortcut_with_ctrl_leaves_one_conversation_selected(stage: Stage) -> None:
    stage.sidebar.set_current("a")
    QShortcut(QKeySequence("Ctrl+J"), stage.sidebar).activated.connect(lambda: stage.sidebar.set_current("b"))
    stage.sidebar.activateWindow()
    stage.qtbot.waitUntil(stage.sidebar.isActiveWindow)
    stage.qtbot.keyClick(stage.list, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert stage.list.selected_ids() == ["b"]
