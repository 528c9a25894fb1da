"""The window: a model that acts, a person who is asked, and the same cards after a restart."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.messages.message import ToolResultMessage
from sam_py.providers.guide.demos import drawing
from sam_py.settings.model import ImageSettings, Settings
from sam_py.tools.base import Touch
from sam_py.ui.chat.blocks import CallBlock
from sam_py.ui.chat.tool_card import ToolCard
from sam_py.ui.chat.tool_person import PersonAnswer
from sam_py.ui.sidebar.conversation_list_model import STATE_ROLE
from tests.fakes.echo_tool import Echo, Word
from tests.fakes.fault_server import DONE, FaultServer, Json, Reply, Status, Stream, chunk
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


class Shout(Echo):
    name = "shout"
    label = "Shout"

    def touches(self, arguments: Word) -> tuple[Touch, ...]:
        return (Touch("network", "https://street.example"),)


def calling(name: str, word: str, call_id: str = "call_1") -> Stream:
    function = {"name": name, "arguments": json.dumps({"word": word})}
    call = {"index": 0, "id": call_id, "type": "function", "function": function}
    return Stream((chunk(role="assistant", tool_calls=[call]), chunk(finish="tool_calls"), DONE))


async def sit(sit_down: SitDown, base_url: str) -> Sitting:
    sam = await sit_down().start()
    for tool in (Echo(), Shout()):
        sam.program._tools.registry.add(tool)
    sam.use_server(base_url)
    return sam


def cards(sam: Sitting) -> list[ToolCard]:
    rows = [row for row in sam.chat.timeline.rows_in_order() if row.isVisible()]
    return [block.card for row in rows for block in row.blocks if isinstance(block, CallBlock)]


def test_a_model_acts_and_the_same_card_stands_there_after_a_restart(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(calling("echo", "ho"), Reply("It echoes.")) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Is there an echo?")
            await sam.answered()
            assert [message.role for message in sam.messages] == ["user", "assistant", "tool", "assistant"]
            said = sam.screen()
            assert [line.split(", ")[:3] for line in said[1:2]] == [["Echo", "Saying ho", "done"]]
            assert said[-1] == "It echoes."
            told = server.requests[0].body["tools"]
            assert {"echo", "shout"} <= {tool["function"]["name"] for tool in told}
            assert server.requests[1].body["messages"][-1]["content"] == "hoho"
            before = sam.messages
            await sam.close()

            again = await sit(sit_down, server.base_url)
            await again.answered()
            assert again.messages == before
            again.chat.timeline._theme_changed()
            assert again.screen() == said
            await again.close()

    run(scenario())


def test_a_call_that_leaves_the_computer_waits_for_the_person(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(calling("shout", "hey"), Reply("Done.")) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Shout")
            await sam.until(lambda: [card for card in cards(sam) if card.question is not None], "the question")
            (card,) = cards(sam)
            question = card.question
            assert question is not None
            assert len(server.requests) == 1
            await sam.until(lambda: question.allow["conversation"].isEnabled(), "the armed buttons")
            QTest.mouseClick(question.allow["conversation"], Qt.MouseButton.LeftButton)
            await sam.answered()
            assert [each.output_text for each in sam.messages if isinstance(each, ToolResultMessage)] == ["heyhey"]
            assert sam.chat.composer.text.hasFocus()
            (grant,) = sam.program._tools.approvals.grants
            sam.window.on_deleted(grant.conversation_id)
            await sam.until(lambda: not sam.program._tools.approvals.grants, "the end of what was allowed")
            await sam.close()

    run(scenario())


def test_stop_works_while_a_question_is_open(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(calling("shout", "hey")) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Shout")
            await sam.until(lambda: [card for card in cards(sam) if card.question is not None], "the question")
            sam.chat.composer.stop_requested.emit()
            assert not sam.chat.conversation.is_busy
            await sam.answered()
            assert [card.question for card in cards(sam)] == [None]
            assert sam.program._tools.approvals.questions == ()
            await sam.close()

    run(scenario())


def test_a_question_in_another_conversation_is_a_mark_and_a_notice(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(calling("shout", "hey"), Reply("Done.")) as server:
            sam = await sit(sit_down, server.base_url)
            asking = sam.chat.conversation
            await sam.send("Shout it out")
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation is not asking, "the new conversation")
            await sam.until(lambda: sam.program._tools.approvals.questions, "the question")
            model = sam.window.sidebar.model
            row = model.row_of(asking.id)
            await sam.until(lambda: model.row_of(asking.id) is not None, "the row")
            row = model.row_of(asking.id)
            assert row is not None
            assert model.index(row).data(STATE_ROLE) == "asking"
            notices = [notice.text for notice in sam.window.notices._notices]
            assert any("Shout it out" in text and "Shout" in text for text in notices)
            sam.program._tools.approvals.answer("", "", "deny")
            for question in sam.program._tools.approvals.questions:
                sam.program._tools.approvals.answer(question.call_id, question.conversation_id, "deny")
            await sam.until(lambda: not asking.is_busy, "the end")
            assert model.index(row).data(STATE_ROLE) == "unread"
            await sam.close()

    run(scenario())


def test_quitting_withdraws_what_is_asked_and_nothing_ran(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(calling("shout", "hey")) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Shout")
            await sam.until(lambda: sam.program._tools.approvals.questions, "the question")
            await sam.close()
            assert sam.program._tools.approvals.questions == ()
            again = await sit(sit_down, server.base_url)
            await again.answered()
            assert [card.call.stage for card in cards(again)] == ["aborted"]
            await again.close()

    run(scenario())


def test_a_deleted_reply_takes_its_results_along(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        replies = calling("echo", "ho"), Reply("It echoes."), calling("shout", "hey", "call_2")
        async with FaultServer(*replies) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Is there an echo?")
            await sam.answered()
            sam.chat.timeline.action_requested.emit("remove", sam.bus.id_at(1))
            await asyncio.sleep(0)
            assert [message.role for message in sam.messages] == ["user", "assistant"]
            await sam.send("Shout")
            await sam.until(lambda: sam.program._tools.approvals.questions, "the question")
            sam.chat.timeline.action_requested.emit("remove", sam.bus.tip)  # it waits: that stops it
            assert not sam.chat.conversation.is_busy
            assert [message.role for message in sam.messages] == ["user", "assistant", "user"]
            await sam.close()

    run(scenario())


def asking(question: str, *choices: str) -> Stream:
    arguments = json.dumps({"question": question, "choices": choices})
    call = {"index": 0, "id": "ask_1", "type": "function", "function": {"name": "ask_person", "arguments": arguments}}
    return Stream((chunk(role="assistant", tool_calls=[call]), chunk(finish="tool_calls"), DONE))


def persons(sam: Sitting) -> list[PersonAnswer]:
    return [card.person for card in cards(sam) if card.person is not None]


def test_a_model_asks_in_the_background_and_the_answer_is_there_after_a_restart(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(asking("Which colour?", "Red", "Blue"), Reply("Blue it is.")) as server:
            sam = await sit(sit_down, server.base_url)
            there = sam.chat.conversation
            await sam.send("Paint the door")
            await sam.until(lambda: persons(sam), "the question")
            await sam.until(lambda: persons(sam)[0].options[0].hasFocus(), "the keyboard at the first choice")
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation is not there, "the new conversation")
            model = sam.window.sidebar.model
            assert model.index(model.row_of(there.id)).data(STATE_ROLE) == "asking"
            sam.window.open_conversation(there.id)
            await sam.until(lambda: persons(sam), "the same question")
            (person,) = persons(sam)
            await sam.until(lambda: person.is_armed, "the moment after it came up")
            QTest.mouseClick(person.options[1], Qt.MouseButton.LeftButton)
            await sam.answered()
            assert sam.chat.composer.text.hasFocus()
            assert model.index(model.row_of(there.id)).data(STATE_ROLE) != "asking"
            assert server.requests[1].body["messages"][-1]["content"] == "Blue"
            before = sam.messages
            await sam.close()
            again = await sit(sit_down, server.base_url)
            assert again.messages == before
            await again.close()

    run(scenario())


def test_a_question_nobody_answered_is_told_in_a_notice_and_ends_with_the_program(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(asking("Which <b>colour</b>?"), Reply("Well.")) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Paint the door")
            sam.window.new_conversation()
            await sam.until(lambda: sam.program._tools.questions.questions, "the question")
            texts = [notice.text for notice in sam.window.notices._notices]
            assert "The model asks in “Paint the door”: “Which <b>colour</b>?”" in texts
            (asked,) = sam.program._tools.questions.questions
            await sam.close()
            assert sam.program._tools.questions.questions == ()
            again = await sit(sit_down, server.base_url)
            again.window.open_conversation(asked.conversation_id)
            await again.until(lambda: again.chat.conversation.id == asked.conversation_id, "the conversation")
            await again.answered()
            assert [(card.call.stage, card.person) for card in cards(again)] == [("aborted", None)]
            assert again.screen()[-1].startswith("The reply ends here, among its tools")
            box = again.chat.timeline.row_of(again.bus.tip or "")._error
            assert (box._retry.isVisible(), box._retry.text()) == (True, "Go on")
            again.chat.act_on_last_reply("regenerate")  # Ctrl+R does what the button does
            await again.until(lambda: again.screen()[-1] == "Well.", "the answer")
            sent = server.requests[-1].body["messages"]
            called = next(each for each in sent if each.get("tool_calls"))
            assert sent[sent.index(called) + 1]["tool_call_id"] == called["tool_calls"][0]["id"]
            assert [message.role for message in again.messages].count("user") == 1
            assert not any(said.startswith("The reply ends") for said in again.screen())
            await again.close()

    run(scenario())


def test_a_picture_is_made_after_the_person_allowed_it_and_shown_again_after_a_restart(
    run: Run, sit_down: SitDown
) -> None:
    picture = base64.b64encode(drawing()).decode()
    arguments = json.dumps({"prompt": "A red door in a white wall"})
    function = {"name": "generate_image", "arguments": arguments}
    call = {"index": 0, "id": "draw_1", "type": "function", "function": function}
    asks = Stream((chunk(role="assistant", tool_calls=[call]), chunk(finish="tool_calls"), DONE))

    def chosen(settings: Settings) -> Settings:
        images = ImageSettings(provider="bench", model="sdxl")
        tools = settings.tools.model_copy(update={"images": images, "switches": {"generate_image": True}})
        return settings.model_copy(update={"tools": tools})

    async def scenario() -> None:
        paths = {"/v1/images/generations": Json({"data": [{"b64_json": picture}]})}
        async with FaultServer(asks, Reply("There it is."), paths=paths) as server:
            sam = await sit(sit_down, server.base_url)
            sam.program._settings.change(chosen)
            await sam.send("Draw a red door")
            await sam.until(lambda: [card for card in cards(sam) if card.question is not None], "the question")
            question = cards(sam)[0].question
            assert question is not None
            assert "A red door in a white wall" in question._arguments.toPlainText()
            assert "/v1)" in question._touches.toPlainText()
            await sam.until(lambda: question.allow["once"].isEnabled(), "the armed buttons")
            QTest.mouseClick(question.allow["once"], Qt.MouseButton.LeftButton)
            await sam.answered()
            (result,) = [each for each in sam.messages if isinstance(each, ToolResultMessage)]
            (part,) = result.parts
            shown = [column.plain_text() for row in sam.chat.timeline.rows_in_order() for column in row.columns]
            assert "A red door in a white wall" in shown
            await sam.close()
            again = await sit(sit_down, server.base_url)
            await again.answered()
            assert [each.parts for each in again.messages if isinstance(each, ToolResultMessage)] == [(part,)]
            assert [
                column.plain_text() for row in again.chat.timeline.rows_in_order() for column in row.columns
            ] == shown
            assert again.program._library.attachments.path(part.attachment) is not None
            await again.close()

    run(scenario())


def test_the_model_is_told_of_no_tool_that_is_switched_off_and_reaches_no_host_that_nobody_named(
    run: Run, sit_down: SitDown
) -> None:
    async def scenario() -> None:
        pages = {"/page": Status(200, "Hello from home", content_type="text/plain")}
        async with FaultServer(paths=pages) as home:
            page = {"name": "fetch_page", "arguments": json.dumps({"url": f"{home.url}/page"})}
            calls = [
                {"index": 0, "id": "c1", "type": "function", "function": {"name": "recall", "arguments": "{}"}},
                {"index": 1, "id": "c2", "type": "function", "function": page},
            ]
            asks = Stream((chunk(role="assistant", tool_calls=calls), chunk(finish="tool_calls"), DONE))
            async with FaultServer(asks, Reply("No."), asks, Reply("Well.")) as server:
                sam = await sit(sit_down, server.base_url)
                await sam.send("Read my page")
                await sam.answered()
                refused, kept_out = [each.output_text for each in sam.messages if isinstance(each, ToolResultMessage)]
                assert "There is no tool “recall” here" in refused
                assert "remember" not in refused
                assert "own network" in kept_out
                assert home.requests == []

                def named(settings: Settings) -> Settings:
                    tools = settings.tools.model_copy(update={"private_hosts": ("127.0.0.1",)})
                    return settings.model_copy(update={"tools": tools})

                sam.program._settings.change(named)
                await sam.send("Try again")
                await sam.until(lambda: [card for card in cards(sam) if card.question is not None], "the question")
                (asked,) = [card for card in cards(sam) if card.question is not None]
                assert asked.question is not None
                assert (
                    f"Reaches into your own network: 127.0.0.1: {home.url}/page"
                    in asked.question._touches.toPlainText()
                )
                question = asked.question.question
                sam.program._tools.approvals.answer(question.call_id, question.conversation_id, "once")
                await sam.answered()
                assert [request.path for request in home.requests] == ["/page"]
            await sam.close()

    run(scenario())


def test_escape_stops_the_work_from_wherever_the_keyboard_is(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(calling("shout", "ho")) as server:
            sam = await sit(sit_down, server.base_url)
            await sam.send("Shout")
            await sam.until(lambda: any(card.question is not None for card in cards(sam)), "the question")
            (card,) = cards(sam)
            assert card.question is not None
            card.question.deny.setFocus()
            QTest.keyClick(card.question.deny, Qt.Key.Key_Escape)
            assert not sam.chat.conversation.is_busy
            await sam.answered()
            assert sam.screen()[-1].startswith("The reply ends here")
            await sam.close()

    run(scenario())
