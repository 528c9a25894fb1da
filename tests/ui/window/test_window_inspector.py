"""The inspector in the window: opened and closed, remembered, and what gives way to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def test_the_inspector_opens_beside_the_conversation_and_is_there_after_a_restart(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Down.")) as server:
            sam = await sit_down().start()
            window = sam.window
            assert window.inspector.widget is None
            sam.use_server(server.base_url)
            await sam.send("Where do rivers run?")
            await sam.answered()
            window.resize(1200, 700)
            window.actions_by_name["inspector"].trigger()
            inspector: Any = window.inspector.widget
            assert inspector.isVisible()
            assert inspector.isAncestorOf(QApplication.focusWidget())
            assert window.chat.header.inspector_button.isChecked()
            await sam.until(lambda: inspector.context.rows.rowCount() == 2, "the two messages")
            await sam.type("And lakes")
            await sam.until(lambda: inspector.context.rows.rowCount() == 3, "what is being written")
            window.columns.setSizes([260, 500, 440])
            window.columns.splitterMoved.emit(760, 2)
            inspector.show_tab("pinned")
            await sam.close()

            again = await sit_down().start()
            again.window.resize(1200, 700)
            inspector = again.window.inspector.widget
            assert inspector.isVisible()
            assert (inspector.tab, again.window.columns.inspector_px) == ("pinned", 440)
            assert not inspector.isAncestorOf(QApplication.focusWidget())
            inspector.close_button.click()
            assert inspector.isHidden()
            await again.close()

    run(scenario())


def test_in_a_narrow_window_the_sidebar_goes_first_and_then_the_conversation_is_covered(
    run: Run, sit_down: SitDown
) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        window = sam.window
        window.resize(1200, 700)
        window.inspector.toggle()
        inspector: Any = window.inspector.widget
        assert (window.sidebar.isVisible(), window.columns.inspector_covers) == (True, False)
        window.resize(900, 700)
        assert (window.sidebar.isVisible(), window.columns.inspector_covers) == (False, False)
        await sam.until(lambda: window.chat.width() >= 500, "the room of the sidebar")
        assert inspector.width() == 348
        window.resize(640, 700)
        assert window.columns.inspector_covers
        assert inspector.isVisible()
        await sam.until(lambda: window.chat.width() == window.columns.width(), "all of the width")
        assert inspector.geometry().right() == window.width() - 1
        inspector.tabs.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(inspector.tabs, Qt.Key.Key_Escape)
        assert inspector.isHidden()
        assert QApplication.focusWidget() is window.chat.composer.text
        asked = window.chat.conversation.bus.add_user_message("Where do rivers run?")
        window.inspector.toggle()
        inspector.jump_requested.emit(asked.id)
        assert inspector.isHidden()
        assert window.chat.timeline.current_id == asked.id
        window.inspector.toggle()
        window.appearance.change(text_scale=110)
        large = inspector.tabs.font().pointSizeF()
        window.resize(1300, 700)
        assert not window.columns.inspector_covers
        await sam.until(lambda: inspector.x() + inspector.width() == window.width(), "its place at the window's end")
        await sam.until(lambda: window.centre.x() > 0, "the sidebar")
        await sam.until(lambda: inspector.x() >= window.centre.x() + window.centre.width(), "its own column")
        assert inspector.tabs.font().pointSizeF() == large
        window.appearance.change(text_scale=100)
        assert window.sidebar.isVisible()
        await sam.close()

    run(scenario())
