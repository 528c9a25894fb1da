"""What a person sees of refused keys and of retries, and that Stop ends the waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.ui.settings.settings_dialog import SettingsDialog
from tests.fakes.fault_server import FaultServer, Json, Reply, Status
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

REFUSED = Json({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, 401)
BUSY = Status(429, '{"error": {"message": "Rate limit reached"}}', {"retry-after": "30"})
MODELS = {"/v1/models": Json({"data": [{"id": "tiny"}]})}


def waiting_words(sam: Sitting) -> str:
    rows = sam.chat.timeline.rows_in_order()
    return str(rows[-1]._dots.words) if rows else ""


def test_the_error_of_a_refused_key_opens_the_settings_at_that_key(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(REFUSED, paths=MODELS) as server:
            sam = await sit_down().start()
            sam.use_server("http://127.0.0.1:1/v1", provider_id="other")
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: sam.bus.error_of(sam.bus.tip or "") is not None, "the error")
            await sam.answered()
            box = sam.chat.timeline.row_of(sam.bus.tip or "")._error
            assert box._settings.isVisible()
            QTest.mouseClick(box._settings, Qt.MouseButton.LeftButton)
            await sam.until(lambda: sam.window.findChild(SettingsDialog), "the settings")
            dialog = sam.window.findChild(SettingsDialog)
            editor = dialog.pages["providers"].editors["bench"]
            await sam.until(lambda: dialog.focusWidget() is editor.keys.field, "the key's field")
            assert editor.body.isVisible()
            dialog.close()
            await sam.close()

    run(scenario())


def test_a_server_that_is_busy_is_waited_for_with_a_countdown_that_stop_ends(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(BUSY, Reply("Late"), paths=MODELS) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.until(lambda: "30" in waiting_words(sam), "the countdown")
            first = waiting_words(sam)
            assert "again" in first.lower()
            await sam.until(lambda: waiting_words(sam) not in ("", first), "the next second")
            assert sam.chat.composer.stop_button.isVisible()
            QTest.mouseClick(sam.chat.composer.stop_button, Qt.MouseButton.LeftButton)
            await sam.answered()
            assert not sam.chat.conversation.is_busy
            assert sam.screen()[0] == "Hello"
            assert sam.screen()[1].startswith("This message has no reply: it was stopped")
            await sam.close()

    run(scenario())


def test_a_conversation_goes_on_with_another_provider(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with (
            FaultServer(Reply("From one"), paths=MODELS) as one,
            FaultServer(Reply("From two"), paths=MODELS) as two,
        ):
            sam = await sit_down().start()
            sam.use_server(two.base_url, model="second", provider_id="two")
            sam.use_server(one.base_url, model="first", provider_id="one")
            await sam.send("Hello")
            await sam.answered()
            sam.chat.composer.picker.model_chosen.emit("two", "second")
            await sam.send("And now?")
            await sam.answered()
            assert sam.screen()[-3:] == ["From one", "And now?", "From two"]
            rows = sam.chat.timeline.rows_in_order()
            assert " first " in rows[1].foot.facts
            assert " second " in rows[3].foot.facts
            sent = [message["content"] for message in two.requests[-1].body["messages"]]
            assert sent[-3:] == ["Hello", "From one", "And now?"]
            await sam.close()

    run(scenario())


def test_a_reply_without_usage_shows_an_estimate_and_the_header_adds_up(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Four words are here"), paths=MODELS) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            row = sam.chat.timeline.rows_in_order()[-1]
            assert "≈ 2 → 5 tokens" in row.foot.facts
            await sam.until(lambda: "≈ 7 tokens" in sam.chat.header._usage.text, "the header")
            await sam.close()

    run(scenario())


def test_a_favourite_and_what_a_list_said_are_there_after_a_restart(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        listed = Json({"data": [{"id": "tiny", "context_length": 64_000}]})
        async with FaultServer(Reply("Hi"), paths={"/v1/models": listed}) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            sam.chat.composer.picker.refresh.click()
            offers = sam.chat.models
            await sam.until(lambda: offers.facts_of("bench", "tiny").limits.context_tokens == 64_000, "the listing")
            offers.toggle_favourite(sam.chat.conversation.session.choice)
            await sam.close()
            again = await sit_down().start()
            assert [choice.model for choice in again.chat.models.favourites] == ["tiny"]
            assert again.chat.models.facts_of("bench", "tiny").limits.context_tokens == 64_000
            await again.close()

    run(scenario())
