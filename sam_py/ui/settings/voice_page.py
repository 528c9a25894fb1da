"""VoicePage: who speaks and how, what of a reply is read, and what writes down what a person says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.settings.model import Settings, VoiceSettings
from sam_py.ui.audio.devices import SoundDevice
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Stepper, Switch, Words
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.settings.piper_files import PiperFiles
from sam_py.ui.settings.voice_account import SPEAK_WORDS, SPEAKING, WRITE_WORDS, WRITING, VoiceAccount
from sam_py.ui.settings.voice_list import VoiceList
from sam_py.ui.voice.offers import VoiceOffers
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line

_FLAGS = Qt.ItemDataRole.UserRole - 1
"""Where a combo box's entries keep whether they can be chosen (QStandardItem::setFlags)."""
# fmt: off
LANGUAGES = (
    "af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr",
    "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "kn", "ko", "lt", "lv", "mk", "ml",
    "mr", "ms", "mt", "ne", "nl", "no", "pa", "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te",
    "th", "tl", "tr", "uk", "ur", "uz", "vi", "zh",
)
# fmt: on
"""ISO 639-1: what the known models write down."""


class VoicePage(SettingsPage):
    """What is changed counts from the next sentence on. Follows voices and devices while it is open."""

    def __init__(self, services: Services, offers: VoiceOffers) -> None:
        super().__init__(services)
        self.offers = offers
        self._listed = ""
        """What the voices that are shown depend on."""
        self._testing: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._make_fields()
        self._place_fields()
        self._connect()
        self._unwatch: Callable[[], None] = offers.watch_devices(self._devices_changed)

    def show_settings(self, settings: Settings) -> None:
        voice = settings.voice
        self.read_replies.setChecked(voice.read_replies)
        self._show_engines(voice)
        self.piper.show_files(voice.piper_voices)
        self.server.show_choice(settings, voice.server)
        self._piper_place.setVisible(voice.engine == "piper")
        self._server_place.setVisible(voice.engine == "server")
        self.aloud_words.setVisible(voice.engine == "qt")
        self.output.setEnabled(voice.engine != "qt")
        self._show_voices(settings)
        self.rate.show_value(round(voice.rate * 100))
        self.volume.show_value(round(voice.volume * 100))
        output = voice.output_device if voice.engine != "qt" else ""
        _show_devices(self.output, self.offers.outputs(), output, self.tr("The system's own"))
        self.code.show_value(voice.code)
        self.tables.show_value(voice.tables)
        self.maths.show_value(voice.maths)
        self.emoji.setChecked(voice.emoji)
        _show_devices(self.input, self.offers.inputs(), voice.input_device, self.tr("The system's own"))
        self.dictation.show_choice(settings, voice.dictation)
        self.language.show_value(voice.dictation_language)

    def leave(self) -> None:
        self._unwatch()
        self.server.keep()
        self.dictation.keep()
        self.offers.end_test()
        for task in (self._testing, self._looking):
            if task is not None:
                task.cancel()

    # The fields

    def _make_fields(self) -> None:
        icons = self.icons
        self.read_replies = Switch(icons, self.tr("Read every reply aloud"))
        self.engine = Choice(icons, self.tr("Spoken by"))
        self.engine_notes: dict[str, Words] = {}
        """Engine → why it cannot speak here."""
        self._notes = QVBoxLayout()
        self._notes.setSpacing(4)
        self.piper = PiperFiles(icons)
        nobody = self.tr("Nobody")
        self.server = VoiceAccount(icons, self.tr("Account or server"), nobody, SPEAKING, SPEAK_WORDS)
        self.voices = VoiceList(icons)
        self.rate = Stepper(icons, self.tr("Speed"), 50, 200, 10, _times)
        self.volume = Stepper(icons, self.tr("Loudness"), 0, 100, 10, lambda percent: f"{percent} %")
        self.output = Choice(icons, self.tr("Loudspeaker"))
        self.test_button = PillButton(icons, self.tr("Test"), kind="outline", icon="play", height_px=32)
        self.test_words = Words(icons, role="muted", small=True)
        self.test_words.hide()
        self.code = Choice(
            icons, self.tr("Code"), [("announce", self.tr("Say that it is there")), ("skip", self.tr("Leave it out"))]
        )
        self.tables = Choice(
            icons, self.tr("Tables"), [("rows", self.tr("Row by row")), ("skip", self.tr("Leave them out"))]
        )
        self.maths = Choice(
            icons, self.tr("Formulas"), [("describe", self.tr("In plain words")), ("skip", self.tr("Leave them out"))]
        )
        self.emoji = Switch(icons, self.tr("Emoji by their names"))
        self.input = Choice(icons, self.tr("Microphone"))
        self.dictation = VoiceAccount(icons, self.tr("Written down by"), nobody, WRITING, WRITE_WORDS)
        finds_out: list[tuple[object, str]] = [("", self.tr("The server finds out"))]
        named = sorted((QLocale.languageToString(QLocale(code).language()), code) for code in LANGUAGES)
        self.language = Choice(icons, self.tr("Spoken language"), finds_out + [(code, name) for name, code in named])

    def _place_fields(self) -> None:
        self.add_row(
            self.tr("Read every reply aloud"),
            self.read_replies,
            self.tr("While it is being written. The speaker below the text box switches it, too."),
        )
        self.add_row(self.tr("Spoken by"), self.engine)
        self.column.addLayout(self._notes)
        self._piper_place = self._group(
            self.tr("Voice files"),
            self.piper,
            self.tr(
                "A voice is two files, name.onnx and name.onnx.json, for example from huggingface.co/rhasspy/"
                "piper-voices. They speak on this computer, without the internet."
            ),
        )
        self._server_place = self._group(
            "", self.server, self.tr("What is read aloud is sent there, sentence by sentence.")
        )
        self.aloud_words = Words(
            self.icons,
            self.tr(
                "These voices speak by themselves, on the system's own loudspeaker: another one cannot be chosen, and "
                "their speech cannot be saved as an audio file."
            ),
            role="muted",
            small=True,
        )
        self.column.addWidget(self.aloud_words)
        self.add_wide(self.tr("Voice"), self.voices)
        self.add_row(self.tr("Speed"), self.rate)
        self.add_row(self.tr("Loudness"), self.volume)
        self.add_row(self.tr("Loudspeaker"), self.output)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self.test_button)
        row.addWidget(self.test_words, 1)
        row.addStretch(0)
        self.column.addLayout(row)
        self.add_heading(self.tr("What is read"))
        self.add_row(self.tr("Code"), self.code)
        self.add_row(self.tr("Tables"), self.tables)
        self.add_row(self.tr("Formulas"), self.maths)
        self.add_row(self.tr("Emoji by their names"), self.emoji)
        self.add_heading(self.tr("Dictation"))
        self.add_row(self.tr("Microphone"), self.input)
        self.column.addWidget(self.dictation)
        self.add_row(
            self.tr("Spoken language"), self.language, self.tr("A language that is named is understood better.")
        )
        self.column.addStretch(1)

    def _group(self, text: str, field: QWidget, hint: str) -> QWidget:
        """A wide field that can be hidden with its words."""
        place = SettingsPage(self.services)
        place.column.setContentsMargins(0, 0, 0, 0)
        if text:
            place.add_wide(text, field, hint)
        else:
            place.column.setSpacing(6)
            place.column.addWidget(field)
            place.column.addWidget(Words(self.icons, hint, role="muted", small=True))
        self.column.addWidget(place)
        return place

    def _connect(self) -> None:
        self.read_replies.switched.connect(lambda on: self._change(read_replies=on))
        self.engine.chosen.connect(lambda key: self._change(engine=key))
        self.piper.changed.connect(lambda paths: self._change(piper_voices=paths))
        self.server.changed.connect(lambda choice: self._change(server=choice))
        self.voices.chosen.connect(self._choose_voice)
        self.voices.retry_wanted.connect(self._look_again)
        self.rate.changed.connect(lambda percent: self._change(rate=percent / 100))
        self.volume.changed.connect(lambda percent: self._change(volume=percent / 100))
        self.output.chosen.connect(lambda device: self._change(output_device=device))
        self.test_button.clicked.connect(self._test)
        self.code.chosen.connect(lambda value: self._change(code=value))
        self.tables.chosen.connect(lambda value: self._change(tables=value))
        self.maths.chosen.connect(lambda value: self._change(maths=value))
        self.emoji.switched.connect(lambda on: self._change(emoji=on))
        self.input.chosen.connect(lambda device: self._change(input_device=device))
        self.dictation.changed.connect(lambda choice: self._change(dictation=choice))
        self.language.chosen.connect(lambda code: self._change(dictation_language=code))

    # Engines and voices

    def _show_engines(self, voice: VoiceSettings) -> None:
        offers = self.offers.engines()
        missing = self.tr("%1 (not here)")
        self.engine.set_values(
            (each.key, missing.replace("%1", each.name) if each.missing else each.name) for each in offers
        )
        for place, each in enumerate(offers):
            self.engine.setItemData(place, each.missing, Qt.ItemDataRole.ToolTipRole)
            can_be = not each.missing or each.key in (voice.engine, "server")
            self.engine.setItemData(place, None if can_be else 0, _FLAGS)
            note = self.engine_notes.get(each.key)
            if note is None:
                note = self.engine_notes[each.key] = Words(self.icons, role="muted", small=True)
                self._notes.addWidget(note)
            words = each.missing if each.name in each.missing or not each.missing else f"{each.name}: {each.missing}"
            note.say(words, "error" if each.key == voice.engine else "muted")
        self.engine.show_value(voice.engine)

    def _show_voices(self, settings: Settings) -> None:
        voice = settings.voice
        account = settings.provider(voice.server.provider) if voice.engine == "server" else None
        depends = {
            "piper": str(voice.piper_voices),
            "server": f"{voice.server.model_dump_json()} {account.base_url if account is not None else ''}",
        }
        key = f"{voice.engine} {depends.get(voice.engine, '')}"
        if key == self._listed:
            self.voices.show_current(voice.voices.get(voice.engine, ""))
            return
        self._listed = key
        self._look_again()

    def _look_again(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self.voices.say_looking()
        engine = self.services.settings.current.voice.engine
        self._looking = self.services.tasks.spawn(self._look(engine), "list the voices")

    async def _look(self, engine: str) -> None:
        try:
            voices = await self.offers.voices(engine)
        except SamError as error:
            self.voices.say_trouble(str(error))
            return
        self.voices.show_voices(voices, self.services.settings.current.voice.voices.get(engine, ""))

    def _choose_voice(self, voice_id: str) -> None:
        voice = self.services.settings.current.voice
        chosen = {key: value for key, value in voice.voices.items() if key != voice.engine}
        self._change(voices={**chosen, voice.engine: voice_id} if voice_id else chosen)

    # The test

    def _test(self) -> None:
        """Speak a sentence, or fall silent where one is being spoken."""
        if self._testing is not None and not self._testing.done():
            self.offers.end_test()
            self._testing.cancel()
            self._say_tested("")
            return
        self.test_words.say("")
        self.test_button.set_words(self.tr("Stop"), icon="stop")
        self._testing = self.services.tasks.spawn(self._speak(), "test the voice")

    async def _speak(self) -> None:
        try:
            await self.offers.test(self.tr("This is how replies are read to you. Is it loud enough, and not too fast?"))
        except SamError as error:
            self._say_tested(str(error))
        else:
            self._say_tested("")

    def _say_tested(self, trouble: str) -> None:
        self.test_words.say(trouble, "error")
        self.test_button.set_words(self.tr("Test"), icon="play")

    # Keeping

    def _devices_changed(self) -> None:
        self.show_settings(self.services.settings.current)

    def _change(self, **fields: Any) -> None:
        def change(settings: Settings) -> Settings:
            voice = VoiceSettings.model_validate({**dict(settings.voice), **fields})
            return settings.model_copy(update={"voice": voice})

        self.test_words.say("")
        self.services.settings.change(change)


def _times(percent: int) -> str:
    return f"{QLocale().toString(percent / 100, 'f', 1)} ×"


def _show_devices(field: Choice, devices: Any, chosen: str, default: str) -> None:
    listed: list[SoundDevice] = list(devices)
    values: list[tuple[object, str]] = [("", default), *((each.id, one_line(each.name)) for each in listed)]
    if chosen and all(each.id != chosen for each in listed):
        gone = field.tr("%1 (not plugged in)").replace("%1", one_line(chosen))
        values.append((chosen, gone))
    field.set_values(values)
    field.show_value(chosen)
