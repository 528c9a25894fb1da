"""Search, pins, jumps and the find bar in the real window."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.messages.history import MessageAdded
from sam_py.messages.message import UserMessage
from sam_py.messages.parts import FilePart, TextPart
from sam_py.paths import default_paths
from sam_py.store.importers.run import import_path
from sam_py.store.journal import Journal
from sam_py.ui.chat.document_viewer import DocumentViewer
from tests.fakes.sitting import Sitting
from tests.reliability.jumps import WORD, fill, jump_around

Run = Callable[[Any], Any]


def test_random_jumps_end_with_their_message_in_view(run: Run, sit_down: Callable[[], Sitting], home: Path) -> None:
    async def work() -> None:
        ids = await fill(home, (10, 60, 150))
        sitting = await sit_down().start()
        jumped = await jump_around(sitting, ids, 25)
        assert jumped.misses == []
        await sitting.close()

    run(work())


def test_what_was_said_is_searched_jumped_to_and_found_again(
    run: Run, sit_down: Callable[[], Sitting], home: Path
) -> None:
    async def work() -> None:
        ids = await fill(home, (40, 10))
        sitting = await sit_down().start()
        window = sitting.window
        draft = "half a thought"
        await sitting.type(draft)
        window.actions_by_name["search"].trigger()
        page: Any = window.centre.currentWidget()
        assert window.sidebar.entries.entry("search").isChecked()
        QTest.keyClicks(page.field, f"{WORD} 7")
        await sitting.until(lambda: page.rows.rowCount() >= 2, "hits")
        page._take_groups(True)
        await sitting.until(lambda: not page.is_looking, "the groups")
        found = [row.place.conversation_id for row in page.rows.rows]
        titled = [found[number] for number in range(len(found)) if not page.rows.goes_on(number)]
        assert sorted(titled) == sorted(ids)
        window.actions_by_name["search"].trigger()  # again: it takes the keyboard
        assert window.centre.currentWidget() is page
        hit = page.list.current
        assert hit.text[slice(*hit.marks[0])].lower() == WORD
        QTest.keyClick(page.field, Qt.Key.Key_Return)
        await sitting.until(lambda: window.pages.jumps.landing.message_id == hit.place.message_id, "the jump")
        assert sitting.bus.conversation_id == hit.place.conversation_id
        assert window.centre.currentWidget() is sitting.chat
        row = sitting.chat.timeline.row_of(hit.place.message_id)
        assert row.geometry().intersects(sitting.chat.timeline.viewport().rect())
        assert all(column.found is not None for column in row.columns)

        window.open_conversation(next(iter(ids)))
        await sitting.until(lambda: sitting.bus.conversation_id == next(iter(ids)), "the conversation")
        before = sitting.chat.timeline.place()
        window.actions_by_name["find"].trigger()
        bar: Any = window.pages._bar
        QTest.keyClicks(bar.field, WORD)
        await sitting.until(lambda: bar.count.text().endswith("of 31"), "the count")  # of 40, 9 are on another branch
        place = bar.count.text()
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.count.text() != place
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert bar.isHidden()
        assert sitting.chat.timeline.place() == before
        await sitting.close()

    run(work())


def test_what_is_imported_and_what_another_computer_says_comes_into_the_open_search(
    run: Run, sit_down: Callable[[], Sitting], home: Path, tmp_path: Path
) -> None:
    async def work() -> None:
        (conversation,) = await fill(home, (4,))
        sitting = await sit_down().start()
        services = sitting.window._services
        sitting.window.actions_by_name["search"].trigger()
        page: Any = sitting.window.centre.currentWidget()
        page.look_for("quokka")
        await sitting.until(lambda: services.search().state.phase == "ready" and not page.is_looking, "the index")
        assert page.rows.rowCount() == 0

        text = b"nothing here\n" * 900 + b"the wombat sleeps\n"
        notes = FilePart(
            attachment=await services.library.attachments.put(text), filename="n.txt", mime_type="text/plain"
        )
        message = UserMessage(parts=(TextPart(text="A quokka, seen from elsewhere"), notes))
        folder = default_paths(home).conversations / conversation
        Journal(str(folder), "elsewhere").save([MessageAdded(message=message)])
        await services.library.look_at_others()
        await sitting.until(lambda: page.rows.rowCount() == 1, "what the other computer wrote")

        file = tmp_path / "conversations.json"
        file.write_text(json.dumps([{"title": "Zoo", "mapping": _imported("Another quokka, brought along")}]))
        await import_path(services.paths, file)
        await services.library.refresh()
        await sitting.until(lambda: page.rows.rowCount() == 2, "what was imported")
        assert {row.place.conversation_title for row in page.rows.rows} == {"Conversation 0", "Zoo"}

        page.look_for("wombat")
        await sitting.until(lambda: page.rows.rowCount() == 1 and not page.is_looking, "the file that was attached")
        QTest.keyClick(page.field, Qt.Key.Key_Return)
        await sitting.until(lambda: sitting.window.findChild(DocumentViewer) is not None, "the file's text")
        viewer = sitting.window.findChild(DocumentViewer)
        assert sitting.window.pages.jumps.landing.message_id == message.id
        assert [mark.cursor.selectedText() for mark in viewer.text.extraSelections()] == ["wombat"]
        assert viewer.text.textCursor().blockNumber() == 900
        assert viewer.focusWidget() is viewer.text
        viewer.close()
        await sitting.close()

    run(work())


def _imported(text: str) -> dict[str, Any]:
    """One message, as an export of ChatGPT has it."""
    said = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [text]}, "create_time": 1.0}
    return {
        "top": {"id": "top", "message": None, "parent": None, "children": ["a"]},
        "a": {"id": "a", "message": {"id": "a", **said}, "parent": "top", "children": []},
    }


def test_what_is_pinned_is_listed_unpinned_and_pinned_again(
    run: Run, sit_down: Callable[[], Sitting], home: Path
) -> None:
    async def work() -> None:
        ids = await fill(home, (6, 4))
        sitting = await sit_down().start()
        window = sitting.window
        for conversation, messages in ids.items():
            (await window.conversations.open(conversation)).bus.annotate(messages[1], pinned=True, importance=0.9)
        window.actions_by_name["pinned"].trigger()
        page: Any = window.centre.currentWidget()
        await sitting.until(lambda: page.rows.rowCount() == 2, "both pins")
        assert [index.row() for index in page.list.selectedIndexes()] == [0]  # what the buttons act on
        (await window.conversations.open(conversation)).bus.change_setting("folder", "Lake")
        await sitting.until(lambda: "Lake" in page._folders(), "the folder")
        page.choose_folder("Lake")
        await sitting.until(lambda: page.rows.rowCount() == 1, "the pin in the folder")
        assert page.list.current.place.conversation_id == conversation
        page.choose_folder("")
        await sitting.until(lambda: page.rows.rowCount() == 2, "both again")
        page.list.choose(0)
        row = page.list.current
        assert "0.9" in row.notes[0].replace(",", ".")
        QTest.keyClick(page.list, Qt.Key.Key_Delete)
        bus = (await window.conversations.open(row.place.conversation_id)).bus
        await sitting.until(lambda: not bus.get(row.place.message_id).pinned, "the pin to go")
        await sitting.until(lambda: page.rows.rowCount() == 1, "the row to go")
        assert page.list.current is not None
        page.choose(suggests=True)
        await sitting.until(lambda: page.list.rows.rowCount() == 1 and not page.rows.rows[0].place.is_pinned, "a hint")
        assert page.rows.rows[0].key == row.key
        QTest.keyClick(page.list, Qt.Key.Key_Escape)
        assert window.centre.currentWidget() is sitting.chat
        await sitting.close()

    run(work())
