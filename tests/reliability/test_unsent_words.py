"""Words that were typed but not sent are there again: the queue, and an edit under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.fault_server import FaultServer, Reply, Stream, chunk
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def queued(sam: Sitting) -> list[str]:
    return [each.text for each in sam.chat.conversation.session.state.queued]


def test_what_was_queued_when_the_window_closed_waits_to_be_sent(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("One"), chunk("two")), then="hang", gated=True)
        async with FaultServer(gated, Reply("second"), Reply("third")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("first")
            await sam.until(lambda: server.requests, "the request")
            await sam.send("and then?")
            await sam.send("and after that?")
            await sam.close()

            again = await sit_down().start()
            await again.answered()
            assert queued(again) == ["and then?", "and after that?"]
            assert all(each.held for each in again.chat.conversation.session.state.queued)
            await again.chat.conversation.session.send_queued()
            await again.answered()
            assert [message.text for message in again.messages if message.role == "user"] == [
                "first",
                "and then?",
                "and after that?",
            ]
            await again.close()

            third = await sit_down().start()
            assert queued(third) == []
            await third.close()

    run(scenario())


def test_an_edit_under_way_is_there_after_looking_elsewhere_and_after_a_restart(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("fine")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            here = sam.chat.conversation.id
            await sam.type("half a thought")
            sam.window.actions_by_name["edit_last"].trigger()
            await sam.type(" and more")
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation.id != here, "the new conversation")
            assert not sam.chat.composer.is_editing
            sam.window.open_conversation(here)
            await sam.until(lambda: sam.chat.conversation.id == here, "the conversation")
            assert sam.chat.composer.text.text() == "Question and more"
            await sam.close()

            again = await sit_down().start()
            assert again.chat.composer.is_editing
            assert again.chat.composer.text.text() == "Question and more"
            QTest.keyClick(again.chat.composer.text, Qt.Key.Key_Escape)
            assert again.chat.composer.text.text() == "half a thought"
            await again.close()

            third = await sit_down().start()
            assert not third.chat.composer.is_editing
            assert third.chat.composer.text.text() == "half a thought"
            await third.close()

    run(scenario())


def test_an_edit_of_a_message_that_was_deleted_meanwhile_is_not_lost(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("fine"), Reply("well")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            sam.window.actions_by_name["edit_last"].trigger()
            sam.chat.conversation.session.remove(sam.bus.id_at(0))
            await sam.send(", said otherwise")
            await sam.answered()
            assert "Question, said otherwise" in [message.text for message in sam.messages]
            await sam.close()

    run(scenario())


def test_a_queued_message_brought_back_does_not_replace_an_edit(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("One"),), then="hang", gated=True)
        async with FaultServer(Reply("fine"), gated) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            await sam.send("next")
            await sam.until(lambda: len(server.requests) == 2, "the request")
            await sam.send("queued")
            sam.window.actions_by_name["edit_last"].trigger()
            sam.chat._edit_queued(0)
            assert sam.chat.composer.text.text() == "next"
            QTest.keyClick(sam.chat.composer.text, Qt.Key.Key_Escape)
            assert sam.chat.composer.text.text() == "queued"
            await sam.close()

    run(scenario())
