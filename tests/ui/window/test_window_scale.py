"""The window with larger text: everything that holds words grows with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def scale(sam: Sitting, percent: int) -> None:
    sam.window.appearance.change(text_scale=percent)


def test_the_sidebar_keeps_its_share_of_larger_text_and_its_own_width(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.window.resize(1600, 900)
        usual = sam.window.sidebar.width()
        assert usual == 260
        scale(sam, 200)
        assert sam.window.sidebar.width() == 520
        scale(sam, 100)
        assert sam.window.sidebar.width() == usual
        sam.window.columns.setSizes([300, 1300])
        sam.window.columns.splitterMoved.emit(300, 1)
        scale(sam, 200)
        assert sam.window.sidebar.width() == 600
        await sam.close()

        again = sit_down()
        again.window.resize(1600, 900)
        assert again.program._settings.current.appearance.sidebar_px == 300
        await again.start()
        await again.close()

    run(scenario())


def test_the_sidebar_leaves_most_of_a_small_window_to_the_conversation(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.window.resize(1100, 700)
        scale(sam, 200)
        assert sam.window.sidebar.width() == 440
        sam.window.resize(1000, 700)
        assert sam.window.sidebar.isHidden()
        scale(sam, 100)
        assert sam.window.sidebar.isVisible()
        await sam.close()

    run(scenario())


@pytest.mark.parametrize("percent", [100, 200])
def test_the_actions_of_a_message_do_not_cover_its_facts(run: Run, sit_down: SitDown, percent: int) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Yes")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url, model="a-model-with-a-very-long-name-that-takes-half-of-the-line")
            scale(sam, percent)
            sam.window.resize(500, 700)
            await sam.send("Question")
            await sam.answered()
            timeline = sam.chat.timeline
            row = timeline.row_of(sam.messages[-1].id)
            timeline.actions_on_rows.show_on(row.message_id)
            bar = timeline.actions_on_rows.bar.geometry()
            facts_end = row.x() + row.foot_rect().left() + row.words_shown
            assert facts_end <= bar.left()
            assert row.geometry().contains(bar)
            await sam.close()

    run(scenario())


def test_a_narrow_window_shows_the_sidebar_for_a_moment_only(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Yes")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            asked = sam.chat.conversation
            window, toggle = sam.window, sam.window.actions_by_name["sidebar"].trigger
            window.new_conversation()
            await sam.until(lambda: sam.chat.conversation is not asked, "a new chat")
            window.resize(420, 700)
            assert window.sidebar.isHidden()
            toggle()
            assert window.sidebar.isVisible()
            scale(sam, 110)
            assert window.sidebar.isVisible()
            window.sidebar.conversation_chosen.emit(asked.id)
            assert window.sidebar.isHidden()
            toggle()
            toggle()
            window.resize(1000, 700)
            assert window.sidebar.isVisible()
            toggle()
            window.resize(420, 700)
            window.resize(1000, 700)
            assert window.sidebar.isHidden()
            await sam.close()

    run(scenario())
