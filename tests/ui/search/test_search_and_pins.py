"""Search, pins, jumps and the find bar in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

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
