"""What the window offers where something went wrong, beside Retry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.errors import SamError
from sam_py.messages.history import SettingsChanged
from sam_py.store.lines import write_line
from tests.fakes.fault_server import FaultServer, Json, Reply, Stream, chunk
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def test_a_reply_that_broke_off_goes_on_from_its_error(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((chunk("One two "),), then="cut"), Reply("three")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Count")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            box = sam.chat.timeline.row_of(sam.bus.tip or "")._error
            assert box._retry.isVisible()
            assert box._continue.isVisible()
            QTest.mouseClick(box._continue, Qt.MouseButton.LeftButton)
            await sam.until(lambda: sam.messages[-1].text == "One two three", "the rest")
            await sam.answered()
            assert sam.screen() == ["Count", "One two three"]
            await sam.close()

    run(scenario())


def test_a_model_that_is_gone_can_be_replaced_from_its_error(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gone = Json({"error": {"message": "no such model", "code": "model_not_found"}}, 404)
        async with FaultServer(gone) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            box = sam.chat.timeline.row_of(sam.bus.tip or "")._error
            assert not box._continue.isVisible()
            asked: list[str] = []
            sam.chat.composer.open_model_picker = lambda: asked.append("picker")
            QTest.mouseClick(box._model, Qt.MouseButton.LeftButton)
            assert asked == ["picker"]
            await sam.close()

    run(scenario())


def test_what_is_said_where_a_newer_version_has_written_goes_back_into_the_box(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        await sam.send("Question")
        await sam.until(lambda: len(sam.messages) == 2, "the guide's answer")
        await sam.answered()
        library = sam.program._library
        await library.flush()
        line = write_line(SettingsChanged(key="mood", value="new"), 900, library.device)
        with (library._paths.conversations / sam.bus.conversation_id / f"{library.device}.jsonl").open("ab") as file:
            file.write(line.replace(b'"v":1', b'"v":2'))  # this computer went back to an older version
        await library._others.take_in(sam.bus.conversation_id)
        assert any("newer version" in notice.text for notice in sam.window.notices.notices)
        assert "reading only" in sam.chat.composer.refusal.label.text()
        assert sam.chat.composer.refusal.isVisible()
        await sam.type("typed words")
        sam.chat.composer.send()
        assert sam.chat.composer.draft().text == "typed words"
        assert not sam.chat.composer.send_button.isEnabled()
        sam.chat.composer.text.clear()
        sam.chat.act_on_last_reply("regenerate")
        sam.chat.send("dear words", ())
        await sam.until(lambda: sam.chat.composer.draft().text == "dear words", "the words")
        sam.chat._edit(sam.messages[0].id, "other words", ())
        await sam.until(lambda: "other words" in sam.chat.composer.draft().text, "the others")
        assert len(sam.messages) == 2
        sam.bus.add_user_message("said just before")
        with pytest.raises(SamError, match="newer version"):
            await library.flush()
        assert library.trouble is not None  # quitting asks first
        sam.window._may_lose = True
        await sam.close()

    run(scenario())


def test_an_error_that_is_shown_anew_is_as_the_person_left_it(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Json({"error": {"message": "Wrong key"}}, 401)) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            first = sam.bus.tip or ""
            box = sam.chat.timeline.row_of(first)._error
            QTest.mouseClick(box._more, Qt.MouseButton.LeftButton)
            assert box._detail.isVisible()
            box.show_error(sam.bus.error_of(first), can_retry=False)
            assert box._detail.isVisible()
            assert box._more.accessibleName() == "Hide details"
            await sam.close()

    run(scenario())


def test_the_buttons_of_an_error_stay_inside_a_narrow_window(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gone = Json({"error": {"message": "no such model", "code": "model_not_found"}}, 404)
        async with FaultServer(gone) as server:
            sam = await sit_down().start()
            sam.window.resize(420, 600)
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            box = sam.chat.timeline.row_of(sam.bus.tip or "")._error
            buttons = [box._retry, box._model, box._settings, box._more]
            assert all(button.isVisible() for button in buttons)
            assert all(box.rect().contains(button.geometry()) for button in buttons)
            await sam.close()

    run(scenario())


def test_only_the_last_message_offers_to_try_again(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((chunk("One "),), then="cut"), Reply("Fine")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("First")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            broken = sam.bus.tip or ""
            await sam.send("Second")
            await sam.until(lambda: sam.messages[-1].text == "Fine", "the answer")
            await sam.answered()
            box = sam.chat.timeline.row_of(broken)._error
            assert box.isVisible()
            assert not box._retry.isVisible()
            assert not box._continue.isVisible()
            for message in sam.messages[2:][::-1]:
                sam.chat.timeline.action_requested.emit("remove", message.id)
            await sam.answered()
            assert box._retry.isVisible()
            await sam.close()

    run(scenario())


def test_a_reply_that_is_damaged_from_its_start_offers_to_retry_alone(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((b"data: {broken\n\n",))) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            box = sam.chat.timeline.row_of(sam.bus.tip or "")._error
            assert box._retry.isVisible()
            assert not box._continue.isVisible()
            assert "ontinue" not in box._text.text()
            await sam.close()

    run(scenario())


def test_a_question_that_was_never_answered_offers_to_ask_again_after_the_next_start(
    run: Run, sit_down: SitDown
) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((), then="hang"), Reply("Here I am")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Anybody there?")
            await sam.until(lambda: server.requests, "the request")
            assert sam.screen() == ["Anybody there?"]
            await sam.close()

            again = await sit_down().start()
            await again.answered()
            box = again.chat.timeline.row_of(again.bus.tip or "")._error
            assert box._retry.isVisible()
            assert not box._continue.isVisible()
            QTest.mouseClick(box._retry, Qt.MouseButton.LeftButton)
            await again.until(lambda: len(again.messages) == 2, "the reply")
            await again.answered()
            assert again.screen() == ["Anybody there?", "Here I am"]
            assert not box.isVisible()
            await again.close()

    run(scenario())


def test_a_question_that_waits_for_its_reply_offers_nothing_until_it_is_stopped(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((), then="hang")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Anybody there?")
            await sam.until(lambda: server.requests, "the request")
            await sam.until(lambda: not sam.chat.timeline._settle.isActive(), "the layout")
            row = sam.chat.timeline.row_of(sam.messages[0].id)
            assert row._error is None or not row._error.isVisible()
            sam.chat.stop()
            await sam.answered()
            assert row._error._retry.isVisible()
            await sam.close()

    run(scenario())
