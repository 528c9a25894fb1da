"""The settings of one conversation reach its requests; what the model does not take is switched off with the reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtTest import QTest

from sam_py.settings.model import ProviderSettings
from sam_py.ui.chat.conversation_settings import ConversationForm, ConversationSettingsDialog
from tests.fakes.fault_server import FaultServer, Json, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

MODELS = {"/v1/models": Json({"data": [{"id": "tiny"}]})}


def opened(sam: Sitting) -> tuple[ConversationSettingsDialog, ConversationForm]:
    sam.window.actions_by_name["chat_settings"].trigger()
    dialog = sam.window.findChild(ConversationSettingsDialog)
    assert dialog is not None
    return dialog, dialog.form


def put(field: Any, text: str) -> None:
    field.clear()
    QTest.keyClicks(field, text)
    field.editingFinished.emit()


def test_what_is_set_for_a_conversation_is_sent_from_the_next_message_on(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Fine"), paths=MODELS) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            dialog, form = opened(sam)
            form.own_prompt.click()
            form.prompt.setPlainText("Answer in Latin.")
            put(form.temperature, "0.3")
            put(form.top_p, "0,9")
            put(form.max_tokens, "77")
            dialog.close()
            await sam.send("Hello")
            await sam.answered()
            sent = server.requests[-1].body
            assert sent["messages"][0] == {"role": "system", "content": "Answer in Latin."}
            assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.3, 0.9, 77)
            assert sam.program._settings.current.chat.temperature is None
            await sam.close()

    run(scenario())


def test_a_wrong_value_is_said_and_not_kept(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Fine"), paths=MODELS) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            dialog, form = opened(sam)
            put(form.temperature, "warm")
            assert "from 0 to 2" in form.temperature.error.text()
            assert sam.bus.settings.temperature is None
            dialog.close()
            await sam.close()

    run(scenario())


def test_everything_goes_back_to_the_settings_at_once(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Fine"), paths=MODELS) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            dialog, form = opened(sam)
            form.own_prompt.click()
            put(form.temperature, "0.3")
            dialog.reset.click()
            settings = sam.bus.settings
            assert (settings.system_prompt, settings.temperature) == (None, None)
            assert form.temperature.text() == ""
            assert not form.own_prompt.isChecked()
            dialog.close()
            await sam.close()

    run(scenario())


def test_the_program_s_settings_stand_in_the_empty_fields(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.use_server("http://127.0.0.1:1/v1")
        file = sam.program._settings
        chat = file.current.chat.model_copy(update={"temperature": 0.7, "reasoning_effort": "high"})
        file.change(lambda settings: settings.model_copy(update={"chat": chat}))
        dialog, form = opened(sam)
        assert form.temperature.placeholderText() == "0.7, as in the settings"
        assert form.effort.currentText() == "Hard, as in the settings"
        dialog.close()
        await sam.close()

    run(scenario())


def test_what_the_model_does_not_take_is_switched_off_with_the_reason(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        account = ProviderSettings(
            id="openai", preset="openai", label="OpenAI", base_url="https://api.openai.com/v1", models=("gpt-5",)
        )
        sam.program._settings.change(lambda settings: settings.model_copy(update={"providers": (account,)}))
        sam.chat.use_here("openai", "gpt-5")
        dialog, form = opened(sam)
        assert not form.temperature.isEnabled()
        assert form.hints["temperature"][0].text() == "gpt-5 does not take this: it chooses by itself."
        assert form.max_tokens.isEnabled()
        assert form.effort.isEnabled()
        form.effort.chosen.emit("low")
        assert sam.bus.settings.reasoning_effort == "low"
        sam.chat.use_here("guide", "guide")
        assert not form.max_tokens.isEnabled()
        assert "no model" in form.hints["effort"][0].text()
        dialog.close()
        await sam.close()

    run(scenario())
