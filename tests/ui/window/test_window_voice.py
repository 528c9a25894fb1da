"""The voice in the program's window: what a person presses, what is marked, and what falls silent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.settings.model import VoiceSettings
from sam_py.speech.base import Manner, SpeechEngine, SpeechError
from sam_py.speech.engines.catalogue import Offer
from sam_py.ui.voice.program_voice import ProgramVoice
from sam_py.ui.voice.window_voice import WindowVoice
from tests.fakes.sitting import Sitting
from tests.fakes.speech import FakePlayer, FakeSpeech

Run = Callable[[Any], Any]
SENTENCE = "One sentence is here. "


class FakeEngines:
    """One engine, whatever is chosen."""

    def __init__(self) -> None:
        self.fake = FakeSpeech()
        self.closed = False

    def current(self) -> SpeechEngine:
        return self.fake  # type: ignore[return-value]

    def engine(self, key: str) -> SpeechEngine:
        return self.current()

    def manner(self) -> Manner:
        return Manner()

    def warm_up(self) -> None: ...

    def offered(self) -> list[Offer]:
        return [Offer("system", "System voices")]

    async def aclose(self) -> None:
        self.closed = True


class Room:
    """The program with a voice that makes no sound."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.chat = sitting.chat
        self.window = sitting.window
        self.engines = FakeEngines()
        self.player = FakePlayer()
        services = self.window._services
        self.program = ProgramVoice(services, self.window, player=self.player, engines=self.engines)  # type: ignore[arg-type]
        self.voice = WindowVoice(
            self.program.narrator, self.program, services, self.chat, self.window.notices, self.window.open_settings
        )
        sitting.program._voice = self.voice
        self.window.closed.connect(self.voice.end)

    @property
    def phase(self) -> str:
        return self.program.narrator.state.phase

    def heard(self) -> list[str]:
        return self.player.texts(self.engines.fake)

    def reply(self, text: str = SENTENCE * 3, *, done: bool = True) -> str:
        bus = self.sitting.bus
        bus.add_user_message("Tell me")
        reply = bus.begin_assistant(model="tiny")
        bus.append_delta(reply, text)
        if done:
            bus.complete(reply)
        return reply

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.chat.composer.text, key, modifiers)

    async def until(self, what: Callable[[], object], name: str = "the condition") -> None:
        await self.sitting.until(what, name)


async def begin(sitting: Sitting) -> Room:
    await sitting.start()
    return Room(sitting)


def test_a_reply_is_read_stopped_paused_and_left_by_its_keys(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        reply = room.reply()
        await room.until(lambda: room.chat.timeline.row_of(reply), "the reply on screen")
        room.press(Qt.Key.Key_F9)
        await room.until(lambda: room.program.narrator.state.utterance, "the first sentence")
        assert room.voice.is_read(reply)
        await room.until(room.voice.highlight.is_in_view, "the mark")
        assert room.voice.strip.isVisible()
        assert room.voice.strip.words == "One sentence is here."
        room.press(Qt.Key.Key_F9, Qt.KeyboardModifier.ControlModifier)
        assert room.phase == "paused"
        QTest.mouseClick(room.voice.strip.pause_button, Qt.MouseButton.LeftButton)
        assert room.phase == "speaking"
        room.press(Qt.Key.Key_Escape)
        assert room.phase == "silent"
        assert room.voice.strip.isHidden()
        assert not room.voice.is_read(reply)
        columns = [column for row in room.chat.timeline.rows_in_order() for column in row.columns]
        assert all(column.spoken is None for column in columns)
        room.voice.read_or_stop(reply)
        room.chat.stop()  # also where no reply streams, as while tools run
        assert room.phase == "silent"
        await room.sitting.close()
        assert room.engines.closed

    run(scenario())


def test_the_button_of_a_message_says_stop_while_it_is_read(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        reply = room.reply()
        await room.until(lambda: room.chat.timeline.row_of(reply), "the reply on screen")
        actions = room.chat.timeline.actions_on_rows
        actions.show_on(reply)
        QTest.mouseClick(actions.bar._speak, Qt.MouseButton.LeftButton)
        assert actions.bar._speak.accessibleName() == "Stop reading"
        await room.until(room.heard, "a sound")
        QTest.mouseClick(actions.bar._speak, Qt.MouseButton.LeftButton)
        assert room.phase == "silent"
        assert actions.bar._speak.accessibleName() == "Read aloud"
        await room.sitting.close()

    run(scenario())


def test_the_key_reads_what_is_selected_rather_than_the_reply(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        reply = room.reply()
        await room.until(lambda: room.chat.timeline.row_of(reply), "the reply on screen")
        room.chat.timeline.selection.select_all(0)
        assert room.chat.timeline.selection.selected_text() == "Tell me"
        room.press(Qt.Key.Key_F9)
        await room.until(room.heard, "a sound")
        assert room.heard() == ["Tell me"]
        assert not room.voice.is_read(reply)
        assert not room.voice.highlight.is_somewhere
        await room.sitting.close()

    run(scenario())


def test_the_switch_reads_replies_and_is_kept(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        speaker = room.chat.composer.speaker
        assert speaker.accessibleName() == "Read replies aloud: off"
        QTest.mouseClick(speaker, Qt.MouseButton.LeftButton)
        assert room.window._services.settings.current.voice.read_replies
        assert speaker.isChecked()
        assert speaker.accessibleName() == "Read replies aloud: on"
        assert room.window.actions_by_name["read_replies"].isChecked()
        reply = room.reply(done=False)
        await room.until(lambda: room.voice.is_read(reply), "the reply being read while it streams")
        room.chat.composer.speaker.click()
        assert room.phase == "silent"
        assert not room.window.actions_by_name["read_replies"].isChecked()
        room.sitting.bus.complete(reply)
        await room.sitting.close()

    run(scenario())


def test_another_conversation_and_a_closed_window_fall_silent(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        reply = room.reply()
        room.voice.read_or_stop(reply)
        await room.until(room.heard, "a sound")
        room.window.new_conversation()
        await room.until(lambda: room.phase == "silent", "silence")
        room.reply()
        room.voice.read_text("A selection. Another sentence.")
        await room.until(lambda: room.phase == "speaking", "the selection")
        room.window.close()
        assert room.phase == "silent"
        await room.sitting.program.aclose()

    run(scenario())


def test_trouble_is_one_notice_that_leads_to_the_settings(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        for text in ("The voice is missing.", "The voice is missing.", "Reading aloud has stopped."):
            room.voice._on_news(SpeechError(text))
        (notice,) = [each for each in room.window.notices.notices if each.kind == "error"]
        assert notice.text == "Reading aloud has stopped."
        assert notice.action is not None
        assert notice.action.text() == "Settings"
        room.voice.read_text("A selection. Another sentence.")
        await room.until(room.heard, "a sound")
        assert notice in room.window.notices.notices  # it tells of what was left out
        room.player.fail()
        (notice,) = [each for each in room.window.notices.notices if each.kind == "error"]
        assert (room.phase, notice.text) == ("paused", "The loudspeaker is gone: plug it in again.")
        room.voice.pause_or_resume()
        assert not [each for each in room.window.notices.notices if each.kind == "error"]
        await room.sitting.close()

    run(scenario())


def test_the_settings_page_speaks_and_lists_through_the_program(run: Run, sit_down: Callable[[], Sitting]) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        assert [each.key for each in room.voice.offers.engines()] == ["system"]
        await asyncio.wait_for(room.voice.offers.test("A test sentence."), 20)
        assert room.heard() == ["A test sentence."]
        room.engines.fake.fails = {"It fails.": [SpeechError("No voice."), SpeechError("No voice.")]}
        with pytest.raises(SpeechError, match="No voice"):
            await asyncio.wait_for(room.voice.offers.test("It fails."), 20)
        assert not [each for each in room.window.notices.notices if each.kind == "error"]
        await room.sitting.close()

    run(scenario())


def test_a_message_is_saved_as_sound_and_can_be_given_up(
    run: Run, sit_down: Callable[[], Sitting], tmp_path: Any
) -> None:
    async def scenario() -> None:
        room = await begin(sit_down())
        reply = room.sitting.bus.get(room.reply())
        path = tmp_path / "speech.wav"
        room.voice.saving.save(reply, path)
        assert not room.voice.saving.line.isVisible()
        await room.until(path.exists, "the file")
        await room.until(lambda: room.window.notices.notices, "the notice")
        assert path.read_bytes()[:4] == b"RIFF"
        assert room.window.notices.notices[-1].text.startswith("Saved: speech.wav (0:0")
        other = tmp_path / "other.wav"
        room.voice.saving.save(reply, other)
        await asyncio.sleep(0)
        room.voice.saving.cancel_button.click()
        await room.until(lambda: not room.voice.saving.is_saving, "the end")
        assert list(tmp_path.glob("*.wav")) == [path]
        speaks_itself = {"voice": VoiceSettings(engine="qt")}
        room.window._services.settings.change(lambda settings: settings.model_copy(update=speaks_itself))
        room.voice.save(reply.id)
        assert "cannot be saved" in room.window.notices.notices[-1].text
        await room.sitting.close()

    run(scenario())
