"""The library as a person meets it: kinds, filters, pictures, and what is done with a thing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from sam_py.store.search_index.errors import SearchError
from sam_py.store.search_index.results import Filters, Item, Place
from sam_py.ui.chat.attachments_intake import PastedText
from sam_py.ui.library.reuse import Reused, reused
from tests.ui.library.conftest import png


def test_the_library_lists_every_kind_by_month_with_its_count(shown):
    shown.rooms.furnish()
    page = shown.open()
    assert shown.settle() == ["lost", "red boat", "a boat"]
    assert [month for _row, month in page.model.months] == [(2026, 4), (2026, 3)]
    assert shown.show_kind("code") == ["print('lamp')"]
    assert shown.show_kind("link") == ["the docs"]
    assert shown.show_kind("document") == ["offer.pdf"]
    assert shown.show_kind("file") == ["notes.txt"]
    assert shown.show_kind("tool") == ["read_page"]
    assert page.kinds.accessibleTabName(0) == "Images (3)"
    assert page.view.accessibleName() == "Tool results"


def test_filters_narrow_what_is_listed_and_can_be_cleared(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    QTest.keyClicks(page.filters.field, "red")
    shown.until(lambda: page.filters.filters.text == "red")
    assert shown.settle() == ["red boat"]
    page.filters.use(replace(page.filters.filters, conversation_id="house"))
    assert shown.settle() == []
    assert page.nothing.isVisible()
    assert page.nothing.title.text() == "Nothing fits"
    assert page.filters.conversation.accessibleName() == "Conversation: The house"
    page.nothing.button.click()
    assert shown.settle() == ["lost", "red boat", "a boat"]
    assert page.filters.filters == Filters()
    assert page.filters.field.text() == ""


def test_only_pictures_that_are_here_are_read_and_a_missing_one_appears_when_it_comes(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    lost = page.model.item(0)
    shown.until(lambda: len(page.pictures._cache) == 2 and page.model.is_missing(lost))
    assert "Not on this computer yet" in page.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    shown.rooms.put(png("#00ff00"))
    page.listing._look_for_files()
    shown.until(lambda: len(page.pictures._cache) == 3)
    assert not page.model.is_missing(lost)
    kept = [path for path in (shown.services.paths.state / "thumbnails").rglob("*") if path.is_file()]
    shown.until(lambda: len(kept) == 3 or len(list((shown.services.paths.state / "thumbnails").glob("*/*"))) == 3)


def test_a_thing_is_shown_in_its_conversation(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    assert not page.strip.isVisible()
    assert not page.close_button.isVisible()  # nobody would turn back
    shown.select(2)
    assert page.strip.isVisible()
    page.strip.jump_button.click()
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert shown.jumps == [("boats", "a1"), ("boats", "a1")]


def test_the_prompt_behind_a_picture_is_shown(shown, tmp_path):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    shown.select(1)
    page.do("prompt")
    viewer = next(each for each in QApplication.topLevelWidgets() if each.isVisible() and hasattr(each, "jump_button"))
    assert viewer.text.toPlainText() == "and a red one"
    viewer.save_wanted.emit()
    dialog = next(each for each in page.findChildren(QFileDialog) if each.isVisible())
    dialog.fileSelected.emit(str(tmp_path / "prompt.txt"))  # the words, not the picture
    dialog.close()
    shown.until(lambda: (tmp_path / "prompt.txt").exists() and (tmp_path / "prompt.txt").read_text() == "and a red one")
    viewer.jump_button.click()
    assert shown.jumps == [("boats", "a2")]


def test_what_is_copied_is_whole(shown):
    shown.rooms.furnish()
    page = shown.open()
    clipboard = QGuiApplication.clipboard()
    for kind, text in (
        ("code", "print('lamp')"),
        ("link", "https://docs.example.org/a?b=1"),
        ("tool", "the lighthouse was built in 280 BC"),
    ):
        shown.show_kind(kind)
        shown.select(0)
        clipboard.clear()
        QTest.keyClick(page.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        shown.until(lambda: clipboard.text())
        assert clipboard.text() == text
    shown.show_kind("image")
    shown.select(1)
    page.do("copy")
    shown.until(lambda: clipboard.mimeData().hasImage())
    assert clipboard.image().width() == 300


def test_things_are_handed_to_a_new_chat_as_attachments_and_quoted_words(shown):
    shown.rooms.furnish()
    page = shown.open()
    for kind, text in (
        ("code", "```python\nprint('lamp')\n```"),
        ("link", "[the docs](<https://docs.example.org/a?b=1>)"),
        ("tool", "From read_page in “The house”:\n>\n> the lighthouse was built in 280 BC"),
    ):
        shown.show_kind(kind)
        shown.select(0)
        QTest.keyClick(page.view, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
        shown.until(lambda: shown.reused)
        assert shown.reused.pop() == Reused(text)
    shown.show_kind("document")
    shown.select(0)
    page.strip.reuse_button.click()
    shown.until(lambda: shown.reused)
    assert [part.filename for part in shown.reused.pop().attachments] == ["offer.pdf"]
    shown.show_kind("image")
    page.view.selectAll()
    page.do("reuse")
    shown.until(lambda: shown.reused)
    given = shown.reused.pop()
    assert [(part.alt, part.width) for part in given.attachments] == [("red boat", 300), ("a boat", 60)]
    assert "“lost” is not on this computer yet" in given.trouble


def test_code_with_fences_and_long_results_go_whole_into_a_new_chat():
    place = Place("c", "", "m", datetime(2026, 3, 1, tzinfo=UTC))
    code = Item(place, "code", 0, 0, "x", "md", "", "", "", "", 0, 0, 0)
    result = replace(code, kind="tool", name="read_page")
    given = reused([(code, "```\ninner\n```"), (result, "long " * 2_000), (result, "short")])
    assert given.text.startswith("````md\n```\ninner\n```\n````\n\nFrom read_page")
    assert given.attachments == (PastedText("long " * 2_000, "read_page.txt"),)


def test_things_are_saved_and_dragged_as_copies_with_their_right_names(shown, tmp_path):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    items = list(page.model.items)
    target = tmp_path / "out"
    target.mkdir()
    page.actions_of.save_to(items, target)  # the first is not here: the others are saved all the same
    shown.until(lambda: len(list(target.iterdir())) == 2)
    assert sorted(path.name for path in target.iterdir()) == ["a boat.png", "red boat.png"]
    shown.until(lambda: "not on this computer yet" in page.status.words.text())
    shown.show_kind("document")
    dragged = page.model.mimeData([page.model.index(0)])
    path = Path(dragged.urls()[0].toLocalFile())
    assert (path.name, path.read_bytes()) == ("offer.pdf", b"%PDF")
    page.actions_of.save_to([page.model.item(0)], tmp_path / "no folder" / "x.pdf")
    shown.until(lambda: "could not be saved" in page.status.words.text())


def test_a_picture_that_is_not_here_says_so_when_it_is_opened(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    shown.select(0)
    page.view.setFocus()
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert "not on this computer yet" in page.status.words.text()
    assert not page.strip.save_button.isEnabled()
    QTest.keyClick(page.view, Qt.Key.Key_Escape)
    assert page.selected == []


def test_all_is_done_with_the_keyboard(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    page.arrive()
    assert page.view.currentIndex().row() == 0
    QTest.keyClick(page.view, Qt.Key.Key_Right)
    QTest.keyClick(page.view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)  # into the next month
    assert [item.name for item in page.selected] == ["red boat", "a boat"]
    assert page.strip.name.text == "2 selected"
    QTest.keyClick(page.view, Qt.Key.Key_R)
    assert page.filters.field.text() == "r"
    QTest.keyClick(page.filters.field, Qt.Key.Key_Escape)
    assert page.filters.field.text() == ""
    page.kinds.setFocus()
    QTest.keyClick(page.kinds, Qt.Key.Key_Right)
    assert shown.settle() == ["print('lamp')"]
    QTest.keyClick(page.kinds, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.focusWidget() is page.filters.field


def test_from_right_to_left_the_first_thing_stands_at_the_right(shown):
    shown.rooms.furnish()
    page = shown.open()
    page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    shown.settle()
    first, second = (page.view.visualRect(page.model.index(row)) for row in (0, 1))
    assert first.left() > second.right()
    assert page.view.viewport().width() - first.right() < 40
    assert page.view.indexAt(second.center()).row() == 1
    page.arrive()
    QTest.keyClick(page.view, Qt.Key.Key_Left)
    assert page.view.currentIndex().row() == 1
    page.grab()


def test_the_viewer_steps_to_the_pictures_that_are_here(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    page.view.opened.emit(1)
    viewer = next(each for each in QApplication.topLevelWidgets() if each.isVisible() and hasattr(each, "step_wanted"))
    viewer.next.click()
    assert (viewer.windowTitle(), page.selected[0].name) == ("a boat", "a boat")
    assert not viewer.next.isVisible()
    viewer.previous.click()
    viewer.previous.click()  # the one above is not on this computer
    assert (viewer.windowTitle(), page.selected[0].name) == ("red boat", "red boat")
    viewer.close()


def test_a_new_thing_is_listed_without_moving_what_is_selected(shown):
    shown.rooms.furnish()
    page = shown.open()
    shown.settle()
    shown.select(1)
    shown.rooms.write(
        "new",
        "New",
        shown.rooms.asked("n1", "one more", days=30),
        shown.rooms.answered("n2", "n1", _picture(shown), days=30),
    )
    shown.search._indexer.changed("new")
    shown.until(lambda: page.model.rowCount() == 4)
    assert [item.name for item in page.selected] == ["red boat"]
    assert page.model.item(0).name == "new boat"


def test_an_empty_library_teaches_and_an_error_offers_to_try_again(shown, monkeypatch):
    page = shown.open()
    shown.settle()
    assert page.nothing.title.text() == "No images yet"
    shown.rooms.furnish()
    shown.loop.run_until_complete(shown.search.settled())

    async def refuse(*_question, **_more):
        raise SearchError("Another program is working on the search index: try again in a moment.", kind="busy")

    with monkeypatch.context() as patch:
        patch.setattr(shown.search, "items", refuse)
        page.filters.use(Filters(text="boat"))
        shown.until(lambda: page.status.retry_button.isVisible())
    assert page.status.words.text().startswith("Another program")
    page.status.retry_button.click()
    assert shown.settle() == ["red boat", "a boat"]
    assert not page.status.isVisible()


def _picture(shown):
    from sam_py.messages.parts import ImagePart

    return ImagePart(attachment=shown.rooms.put(png("#dddd22")), alt="new boat")
