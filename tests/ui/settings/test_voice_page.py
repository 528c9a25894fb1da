"""Settings · Voice: everything counts at once, what is missing says why, and the test speaks or says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.speech.base import SpeechError, Voice
from sam_py.speech.engines.catalogue import Offer
from sam_py.ui.audio.devices import SoundDevice
from sam_py.ui.settings.voice_page import VoicePage
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.fakes.run_now import RunNow

VOICES = [Voice(f"v{n}", f"Voice {n}", ("en-GB",)) for n in range(9)] + [Voice("klara", "Klara", ("de",))]


class Offers:
    """What the page asks, answered from lists."""

    def __init__(self) -> None:
        self.list: Sequence[Voice] | SpeechError = VOICES
        self.tested: list[str] = []
        self.trouble: SpeechError | None = None
        self.loudspeakers = [SoundDevice("a", "Speakers")]
        self.tell: Callable[[], None] | None = None

    is_testing = False

    def engines(self) -> list[Offer]:
        return [
            Offer("system", "System voices"),
            Offer("qt", "Qt"),
            Offer("piper", "Piper", "Piper is not installed. Run pip install piper-tts."),
            Offer("server", "Server"),
        ]

    async def voices(self, engine: str) -> Sequence[Voice]:
        if isinstance(self.list, SpeechError):
            raise self.list
        return self.list if engine == "system" else ()

    async def test(self, text: str) -> None:
        self.tested.append(text)
        if self.trouble is not None:
            raise self.trouble

    def end_test(self) -> None:
        self.tested.append("")

    def outputs(self) -> list[SoundDevice]:
        return self.loudspeakers

    def inputs(self) -> list[SoundDevice]:
        return []

    def watch_devices(self, listener: Callable[[], None]) -> Callable[[], None]:
        self.tell = listener
        return self._forget

    def _forget(self) -> None:
        self.tell = None


class Room:
    def __init__(self, qtbot: Any, folder: Path, offers: Offers) -> None:
        self.file = SettingsFile(folder / "settings.json")
        self.offers = offers
        themes = Themes()
        self.services: Any = SimpleNamespace(settings=self.file, themes=themes, icons=Icons(themes), tasks=RunNow())
        self.page = VoicePage(self.services, offers)
        qtbot.addWidget(self.page)
        self.off = self.file.subscribe(self.page.show_settings)
        self.page.show_settings(self.file.current)
        self.qtbot = qtbot
        self.page.resize(560, 1200)
        self.page.show()

    @property
    def voice(self) -> Any:
        return self.file.current.voice

    def press(self, button: Any) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def offers() -> Offers:
    return Offers()


@pytest.fixture
def room(qtbot: Any, tmp_path: Path, offers: Offers) -> Iterator[Room]:
    room = Room(qtbot, tmp_path, offers)
    yield room
    room.off()
    room.page.leave()
    room.file.close()


def test_every_field_of_the_voice_counts_at_once(room: Room) -> None:
    page = room.page
    room.press(page.read_replies)
    room.press(page.rate.more)
    room.press(page.volume.less)
    room.press(page.emoji)
    page.code.chosen.emit("skip")
    page.tables.chosen.emit("skip")
    page.output.chosen.emit("a")
    page.language.chosen.emit("de")
    voice = room.voice
    assert (voice.read_replies, voice.rate, voice.volume, voice.emoji) == (True, 1.1, 0.9, True)
    assert (voice.code, voice.tables, voice.output_device, voice.dictation_language) == ("skip", "skip", "a", "de")
    assert page.rate.number.text().startswith("1.1") or page.rate.number.text().startswith("1,1")


def test_a_voice_is_found_by_its_language_and_kept_for_its_engine(room: Room) -> None:
    voices = room.page.voices
    assert voices.shown[0] == ""
    QTest.keyClicks(voices.filter, "german")
    assert voices.shown == ["klara"]
    QTest.keyClick(voices.filter, Qt.Key.Key_Return)
    assert room.voice.voices == {"system": "klara"}
    voices.filter.clear()
    assert voices.list.currentIndex().data() == "Klara"
    room.page.engine.chosen.emit("qt")
    assert voices.list.isHidden() is False
    assert room.voice.voices == {"system": "klara"}


def test_a_list_that_does_not_come_says_why_and_is_asked_for_again(qtbot: Any, tmp_path: Path, offers: Offers) -> None:
    offers.list = SpeechError("espeak-ng is missing. Install it.")
    room = Room(qtbot, tmp_path, offers)
    voices = room.page.voices
    assert voices.words.text() == "espeak-ng is missing. Install it."
    assert voices.list.isHidden()
    offers.list = VOICES
    room.press(voices.retry)
    assert not voices.list.isHidden()
    assert len(voices.shown) == len(VOICES) + 1
    room.off()
    room.page.leave()
    room.file.close()


def test_an_engine_that_is_not_here_says_what_helps(room: Room) -> None:
    page = room.page
    assert "pip install piper-tts" in page.engine_notes["piper"].text()
    assert page.engine_notes["system"].isHidden()
    assert not page.engine.model().flags(page.engine.model().index(2, 0)) & Qt.ItemFlag.ItemIsEnabled
    page.engine.chosen.emit("piper")
    assert page.engine_notes["piper"].isVisible()
    assert page.piper.isVisible()
    assert not page.server.isVisible()


def test_what_voices_that_speak_by_themselves_cannot_do_is_said(room: Room) -> None:
    page = room.page
    assert page.aloud_words.isHidden()
    page.engine.chosen.emit("qt")
    assert "cannot be saved" in page.aloud_words.text()
    assert not page.aloud_words.isHidden()
    assert not page.output.isEnabled()
    page.engine.chosen.emit("system")
    assert page.output.isEnabled()


def test_a_piper_voice_needs_both_of_its_files(room: Room, tmp_path: Path) -> None:
    page = room.page
    page.engine.chosen.emit("piper")
    alone, whole = tmp_path / "alone.onnx", tmp_path / "whole.onnx"
    for path in (alone, whole, tmp_path / "whole.onnx.json"):
        path.write_text(json.dumps({"audio": {"sample_rate": 22050}, "phoneme_id_map": {}}))
    page.piper.take([str(alone), str(whole)])
    assert room.voice.piper_voices == (str(whole),)
    assert "alone.onnx.json is missing" in page.piper.fault.text()
    room.press(page.piper.removers[str(whole)])
    assert room.voice.piper_voices == ()


def test_an_account_that_speaks_brings_the_model_it_is_known_for(room: Room) -> None:
    account = ProviderSettings(id="o", preset="openai", label="OpenAI", base_url="https://api.openai.com/v1")
    room.file.change(lambda settings: settings.model_copy(update={"providers": (account,)}))
    page = room.page
    page.engine.chosen.emit("server")
    page.server.account.chosen.emit("o")
    assert room.voice.server == ModelChoice(provider="o", model="gpt-4o-mini-tts")
    page.dictation.account.chosen.emit("o")
    page.dictation.model.selectAll()
    QTest.keyClicks(page.dictation.model, "whisper-1")
    page.leave()
    assert room.voice.dictation == ModelChoice(provider="o", model="whisper-1")


def test_the_test_speaks_a_sentence_or_says_what_is_wrong_beside_it(room: Room, offers: Offers) -> None:
    room.press(room.page.test_button)
    assert offers.tested
    assert room.page.test_words.isHidden()
    offers.trouble = SpeechError("No loudspeaker was found. Plug one in.")
    room.press(room.page.test_button)
    assert room.page.test_words.text() == "No loudspeaker was found. Plug one in."
    assert room.page.test_button.text() == "Test"
    room.press(room.page.rate.more)
    assert room.page.test_words.isHidden()


def test_a_loudspeaker_that_is_plugged_in_can_be_chosen(room: Room, offers: Offers) -> None:
    assert room.page.output.count() == 2
    offers.loudspeakers = [*offers.loudspeakers, SoundDevice("b", "Headphones")]
    assert offers.tell is not None
    offers.tell()
    assert room.page.output.itemText(2) == "Headphones"
    room.page.output.chosen.emit("b")
    offers.loudspeakers = []
    offers.tell()
    assert room.page.output.currentText() == "b (not plugged in)"


def test_a_test_that_is_still_heard_is_stopped_by_the_same_button(qtbot: Any, tmp_path: Path, offers: Offers) -> None:
    class Task:
        cancelled = False

        def done(self) -> bool:
            return False

        def cancel(self) -> None:
            self.cancelled = True

    room = Room(qtbot, tmp_path, offers)
    task = Task()
    room.page._testing = task  # type: ignore[assignment]
    room.page.test_button.set_words("Stop")
    room.press(room.page.test_button)
    assert task.cancelled
    assert offers.tested == [""]
    assert room.page.test_button.text() == "Test"
    room.off()
    room.page.leave()
    room.file.close()
