"""The window: a chat from the first key to the restart, against a server that does as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from sam_py.messages.message import AssistantMessage, UserMessage
from tests.fakes.fault_server import FaultServer, Hangup, Json, Reply, Status, Stream, chunk, closed_port
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def error_body(message: str, code: str) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


def test_a_message_is_answered_and_found_again_after_a_restart(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Rivers run ", "**down**.")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Tell me about rivers")
            await sam.answered()
            assert sam.screen() == ["Tell me about rivers", "Rivers run down."]
            assert sam.chat.header.title == "Tell me about rivers"
            before, said = sam.messages, sam.screen()
            await sam.type("half a th")
            await sam.close()

            again = await sit_down().start()
            await again.answered()
            assert again.messages == before
            assert again.screen() == said
            assert again.chat.composer.draft().text == "half a th"
            assert again.chat.header.title == "Tell me about rivers"
            assert [summary.title for summary in again.program._library.summaries()] == ["Tell me about rivers"]
            await again.close()

    run(scenario())


def test_escape_stops_at_once_and_keeps_the_text(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("One two "), chunk("three"), chunk("four")), then="hang", gated=True)
        async with FaultServer(gated) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Count")
            await sam.until(lambda: server.requests, "the request")
            server.release(2)
            await sam.until(lambda: sam.screen() == ["Count", "One two three"], "the first words")
            QTest.keyClick(sam.chat.composer.text, Qt.Key.Key_Escape)
            assert not sam.chat.conversation.is_busy
            reply = sam.messages[-1]
            assert isinstance(reply, AssistantMessage)
            assert (reply.text, reply.stop_reason) == ("One two three", "aborted")
            await sam.answered()
            assert sam.screen() == ["Count", "One two three", "Stopped here"]
            await sam.close()

    run(scenario())


def test_an_edit_and_a_regeneration_make_versions_that_can_be_walked(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("A1"), Reply("A2"), Reply("B1")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question A")
            await sam.answered()
            sam.window.actions_by_name["regenerate"].trigger()
            await sam.until(lambda: sam.messages[-1].text == "A2", "the second version")
            await sam.answered()
            assert len(sam.bus.siblings(sam.bus.tip or "")) == 2
            QTest.keyClick(sam.chat.composer.text, Qt.Key.Key_Up)
            assert sam.chat.composer.is_editing
            sam.chat.composer.text.selectAll()
            await sam.send("Question B")
            await sam.until(lambda: sam.messages[-1].text == "B1", "the reply to the edit")
            await sam.answered()
            assert sam.screen() == ["Question B", "B1"]
            first = sam.bus.id_at(0)
            sam.chat.timeline.action_requested.emit("previous", first)
            await sam.answered()
            assert sam.screen() == ["Question A", "A2"]
            await sam.close()

    run(scenario())


def test_messages_typed_meanwhile_are_queued_and_sent_in_turn(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("first"), chunk(finish="stop")), gated=True)
        async with FaultServer(gated, Reply("second")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("one")
            await sam.until(lambda: server.requests, "the request")
            await sam.send("two")
            assert [row.text for row in sam.chat.conversation.session.state.queued] == ["two"]
            assert sam.chat.composer.queue.isVisible()
            server.release(2)
            await sam.until(lambda: len(sam.bus) == 4, "the queued message")
            await sam.answered()
            assert sam.screen() == ["one", "first", "two", "second"]
            await sam.close()

    run(scenario())


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Json(error_body("bad key", "invalid_api_key"), 401), "key"),
        (Json(error_body("no such model", "model_not_found"), 404), "model"),
        (Json(error_body("too long", "context_length_exceeded"), 400), "long"),
        (Status(502, "<html>bad gateway</html>", content_type="text/html"), "502"),
        (Stream((chunk("Half a "), chunk("reply")), then="cut"), "reply"),
        (Stream((b"\x00\xffnot an event stream at all\n\n",)), "not an answer"),
        (Hangup(), "Test server"),
    ],
    ids=["wrong key", "no model", "too long", "bad gateway", "cut off", "rubbish", "hang up"],
)
def test_every_failure_is_said_where_it_happened_and_can_be_tried_again(
    run: Run, sit_down: SitDown, behaviour: Any, words: str
) -> None:
    async def scenario() -> None:
        async with FaultServer(behaviour) as server:
            sam = await sit_down().start()
            _no_waiting(sam)
            sam.use_server(server.base_url)
            await sam.send("Are you there?")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            said = sam.screen()
            assert said[0] == "Are you there?"
            assert words.lower() in said[-1].lower()
            server._behaviours[:] = [Reply("Now it works")]
            row = sam.chat.timeline.row_of(sam.bus.tip or "")
            assert row._error._retry.isVisible()
            QTest.mouseClick(row._error._retry, Qt.MouseButton.LeftButton)
            await sam.until(lambda: sam.messages[-1].text == "Now it works", "the second attempt")
            await sam.answered()
            assert sam.screen() == ["Are you there?", "Now it works"]
            await sam.close()

    run(scenario())


def test_an_unreachable_server_is_named_and_loses_nothing(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        _no_waiting(sam)
        sam.use_server(f"http://127.0.0.1:{closed_port()}/v1")
        await sam.send("Hello?")
        await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
        assert isinstance(sam.messages[-1], UserMessage)
        await sam.close()
        again = await sit_down().start()
        await again.answered()
        assert again.screen()[0] == "Hello?"
        assert again.bus.error_of(again.bus.tip or "") is not None
        await again.close()

    run(scenario())


def test_a_reply_goes_on_while_another_conversation_is_shown(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("slow "), chunk("but sure"), chunk(finish="stop")), gated=True)
        async with FaultServer(gated, Reply("quick")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Take your time")
            await sam.until(lambda: server.requests, "the request")
            first = sam.chat.conversation
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation is not first, "the new conversation")
            assert sam.chat.composer.draft().text == ""
            await sam.send("Be quick")
            await sam.answered()
            assert sam.screen() == ["Be quick", "quick"]
            server.release(3)
            await sam.until(lambda: not first.is_busy, "the end of the slow reply")
            sam.window.open_conversation(first.id)
            await sam.until(lambda: sam.chat.conversation is first, "the way back")
            await sam.answered()
            assert sam.screen() == ["Take your time", "slow but sure"]
            await sam.close()

    run(scenario())


def test_a_jump_to_another_branch_leaves_a_reply_alone_and_a_strip_leads_back(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("half "), chunk("and half"), chunk(finish="stop")), gated=True)
        broken = Stream((chunk("never"),), then="cut", gated=True)
        asked_beside = {"/v1/models": Status(404)}  # else it takes a reply, when all has been quiet for a while
        async with FaultServer(Reply("first"), gated, broken, paths=asked_beside) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Tell me")
            await sam.answered()
            first, conversation = sam.messages[1], sam.chat.conversation
            sam.chat.act_on_last_reply("regenerate")
            server.release(1)
            await sam.until(lambda: "half" in str(sam.screen()), "the first words")
            sam.window.pages.open_message(conversation.id, first.id)
            await sam.until(lambda: sam.screen() == ["Tell me", "first"], "the other branch")
            strip = sam.chat.chat_context.strip
            assert conversation.is_busy
            assert "still being written" in strip.note.words
            server.release(2)
            await sam.until(lambda: "has ended" in strip.note.words, "the end")
            assert sam.screen() == ["Tell me", "first"]
            strip.buttons["elsewhere"].click()
            await sam.answered()
            assert sam.screen() == ["Tell me", "half and half"]
            assert strip.note is None

            sam.chat.edit_last()
            await sam.send(" more")  # a branch from the first message on
            await sam.until(lambda: sum("chat" in each.path for each in server.requests) == 3, "the request")
            sam.window.pages.open_message(conversation.id, first.id)
            await sam.until(lambda: "first" in sam.screen(), "the first branch")
            server.release(1)
            await sam.until(lambda: strip.note is not None and "broke off" in strip.note.words, "the failure")
            assert sam.screen() == ["Tell me", "first"]
            await sam.close()

    run(scenario())


def test_the_model_is_changed_in_mid_conversation(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("from the first")) as one, FaultServer(Reply("from the second")) as two:
            sam = await sit_down().start()
            sam.use_server(two.base_url, "second-model", "two")
            sam.use_server(one.base_url, "first-model", "one")
            await sam.send("Who are you?")
            await sam.answered()
            sam.chat.set_model("two", "second-model")
            await sam.send("And you?")
            await sam.answered()
            assert sam.screen() == ["Who are you?", "from the first", "And you?", "from the second"]
            body = two.requests[-1].body
            assert body["model"] == "second-model"
            assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
            sam.chat.set_model("guide", "guide")
            await sam.send("hello")
            await sam.answered()
            assert "guide" in sam.screen()[-1]
            await sam.close()

    run(scenario())


def test_drafts_stay_with_their_conversation(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        await sam.send("hello")
        await sam.answered()
        first = sam.chat.conversation
        await sam.type("left standing")
        sam.window.new_conversation()
        await sam.until(lambda: sam.chat.conversation is not first, "the new conversation")
        assert sam.chat.composer.draft().text == ""
        sam.window.open_conversation(first.id)
        await sam.until(lambda: sam.chat.conversation is first, "the way back")
        assert sam.chat.composer.draft().text == "left standing"
        await sam.close()

    run(scenario())


def test_a_message_can_be_copied_pinned_and_deleted(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("an answer")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("a question")
            await sam.answered()
            question, reply = sam.messages
            ask = sam.chat.timeline.action_requested
            ask.emit("copy", reply.id)
            assert QApplication.clipboard().text() == "an answer"
            assert question.pinned
            ask.emit("pin", question.id)
            assert not sam.messages[0].pinned
            ask.emit("remove", question.id)
            await sam.answered()
            assert sam.screen() == ["an answer"]
            await sam.close()
            again = await sit_down().start()
            await again.answered()
            assert again.screen() == ["an answer"]
            await again.close()

    run(scenario())


def test_continue_goes_on_in_the_same_message(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        cut = Stream((chunk("Once upon"), chunk(finish="length")))
        async with FaultServer(cut, Reply(" a time.")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Tell me a story")
            await sam.answered()
            assert "Cut off at the length limit" in sam.screen()[-1]
            sam.window.actions_by_name["continue"].trigger()
            await sam.until(lambda: len(server.requests) == 2, "the second request")
            await sam.answered()
            assert sam.screen() == ["Tell me a story", "Once upon a time."]
            assert len(sam.bus) == 2
            await sam.close()

    run(scenario())


def test_the_guide_answers_with_no_key_and_no_network(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        await sam.send("show me formatting")
        await sam.answered()
        reply = sam.messages[-1]
        assert isinstance(reply, AssistantMessage)
        assert reply.provider == "guide"
        assert reply.stop_reason == "stop"
        await sam.close()

    run(scenario())


def _no_waiting(sam: Sitting) -> None:
    """Retries of the client come soon: what they wait for is tested elsewhere."""
    http = sam.program._registry.http

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))

    assert hasattr(http, "_sleep")
    http._sleep = at_once


def test_what_a_stop_held_back_is_sent_when_asked(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("never ending"),), then="hang", gated=True)
        async with FaultServer(gated, Reply("the second answer")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("one")
            await sam.until(lambda: server.requests, "the request")
            server.release()
            await sam.until(lambda: len(sam.screen()) == 2, "the first words")
            await sam.send("two")
            sam.chat.stop()
            await sam.until(lambda: sam.chat.composer.queue.rows, "the held message")
            row = sam.chat.composer.queue.rows[0]
            assert row.send is not None
            QTest.mouseClick(row.send, Qt.MouseButton.LeftButton)
            await sam.until(lambda: len(sam.bus) == 4, "the second answer")
            await sam.answered()
            assert sam.screen()[-2:] == ["two", "the second answer"]
            await sam.close()

    run(scenario())
