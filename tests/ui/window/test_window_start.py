"""The start and the end: nothing typed early is lost, and the program comes back to where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.ui.window_state import load_window_state
from tests.fakes.fault_server import FaultServer, Reply, closed_port
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def test_what_is_typed_while_the_program_starts_stays_in_the_box(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = sit_down()
        QTest.keyClicks(sam.chat.composer.text, "Count for me")
        await sam.start()
        assert sam.chat.composer.draft().text == "Count for me"
        assert sam.chat.composer.text.textCursor().atEnd()
        await sam.close()

    run(scenario())


def test_what_is_sent_while_the_program_starts_goes_back_into_the_box(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = sit_down()
        QTest.keyClicks(sam.chat.composer.text, "too early")
        QTest.keyClick(sam.chat.composer.text, Qt.Key.Key_Return)
        await sam.start()
        await sam.until(lambda: sam.chat.composer.draft().text == "too early", "the text in the box")
        await sam.close()

    run(scenario())


def test_a_crash_comes_back_to_the_conversation_that_was_shown(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        await sam.send("hello")
        await sam.answered()
        state = load_window_state(sam.window._state_path)  # as a program that is killed now would leave it
        assert state.conversation == sam.chat.conversation.id
        await sam.close()

    run(scenario())


def test_a_section_that_was_closed_is_closed_at_the_next_start(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        await sam.send("hello")
        await sam.answered()
        model = sam.window.sidebar.model
        await sam.until(lambda: model.ids_shown(), "the conversation in the list")
        model.toggle("§today")
        await sam.close()
        again = await sit_down().start()
        assert again.window.sidebar.model.rowCount() == 1
        assert again.window.sidebar.model.ids_shown() == []
        await again.close()

    run(scenario())


def test_ctrl_r_asks_again_where_no_answer_came(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("here")) as server:
            sam = await sit_down().start()
            sam.use_server(f"http://127.0.0.1:{closed_port()}/v1")
            await sam.send("Anybody?")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            sam.use_server(server.base_url)
            sam.window.actions_by_name["regenerate"].trigger()
            await sam.until(lambda: sam.messages[-1].text == "here", "the answer")
            await sam.close()

    run(scenario())
