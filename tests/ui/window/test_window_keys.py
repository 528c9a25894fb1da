"""The window from the keyboard: reading back while the text box has the focus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

LONG = "\n\n".join(f"Paragraph {n} of a reply that is longer than the window." for n in range(80))


def test_an_empty_text_box_leaves_the_reading_keys_to_the_conversation(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply(LONG)) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Write much")
            await sam.answered()
            sam.window.activateWindow()
            await sam.until(sam.window.isActiveWindow, "the window in front")
            bar, box = sam.chat.timeline.verticalScrollBar(), sam.chat.composer.text
            end = bar.value()
            QTest.keyClick(box, Qt.Key.Key_PageUp)
            assert bar.value() == end - bar.pageStep()
            QTest.keyClick(box, Qt.Key.Key_PageDown)
            assert bar.value() == end
            QTest.keyClick(box, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
            await sam.until(lambda: bar.value() == 0, "the start of the conversation")
            QTest.keyClick(box, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
            await sam.until(lambda: bar.value() == bar.maximum(), "the end of the conversation")
            await sam.type("Two words")
            QTest.keyClick(box, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
            assert box.textCursor().atStart()
            assert bar.value() == bar.maximum()
            await sam.close()

    run(scenario())


def test_the_way_back_to_the_end_hides_the_text_below_it(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply(LONG)) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Write much")
            await sam.answered()
            sam.chat.timeline.go_to_start()
            pill = sam.chat.timeline.pill
            await sam.until(pill.isVisible, "the way back")
            middle = pill.grab().toImage().pixelColor(pill.width() // 2, 3)
            assert middle.alpha() == 255
            assert middle.name() == pill.palette_now.raised
            await sam.close()

    run(scenario())


def test_f2_renames_the_open_conversation_and_escape_leaves_its_title(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Yes")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("A title to change")
            await sam.answered()
            sam.window.activateWindow()
            await sam.until(sam.window.isActiveWindow, "the window in front")
            header, box = sam.chat.header, sam.chat.composer.text
            QTest.keyClick(box, Qt.Key.Key_F2)
            assert header._field.hasFocus()
            QTest.keyClicks(header._field, "nonsense")
            QTest.keyClick(header._field, Qt.Key.Key_Escape)
            assert header.title == "A title to change"
            assert box.hasFocus()
            QTest.keyClick(box, Qt.Key.Key_F2)
            QTest.keyClicks(header._field, "<img src=x> & <b>bold</b>")
            QTest.keyClick(header._field, Qt.Key.Key_Return)
            assert header.title == "<img src=x> & <b>bold</b>"
            assert box.hasFocus()
            await sam.close()

    run(scenario())
