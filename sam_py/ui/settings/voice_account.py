"""VoiceAccount: which account speaks, or writes down what is said, and with which model."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCompleter, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.providers.audio_service import audio_service
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.ui.settings.fields import Choice, Words
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

SPEAKING: Mapping[str, tuple[str, ...]] = {
    "openai": ("gpt-4o-mini-tts", "tts-1", "tts-1-hd"),
    "openai-chat": ("gpt-4o-mini-tts", "tts-1", "tts-1-hd"),
}
WRITING: Mapping[str, tuple[str, ...]] = {
    "openai": ("gpt-4o-mini-transcribe", "gpt-4o-transcribe", "whisper-1"),
    "openai-chat": ("gpt-4o-mini-transcribe", "gpt-4o-transcribe", "whisper-1"),
    "groq": ("whisper-large-v3-turbo", "whisper-large-v3"),
    "mistral": ("voxtral-mini-latest",),
}
"""Preset → models that are known to do it there, the first one taken when the account is chosen."""
SPEAK_WORDS = ("tts", "speech", "kokoro", "orpheus", "bark", "voice")
WRITE_WORDS = ("whisper", "transcri", "voxtral", "parakeet", "canary")
"""What the names of such models hold."""


class VoiceAccount(QWidget):
    """An account and a model; `changed(ModelChoice)` comes only from a person."""

    changed = Signal(object)

    def __init__(
        self, icons: Icons, label: str, nobody: str, known: Mapping[str, tuple[str, ...]], words: tuple[str, ...]
    ) -> None:
        super().__init__()
        self._nobody = nobody
        self._known = known
        self._words = words
        self._settings = Settings()
        self._choice = ModelChoice(provider="", model="")
        self.account = Choice(icons, label)
        self.model = QLineEdit()
        self.model.setAccessibleName(self.tr("Model: %1").replace("%1", label))
        self._model_name = Words(icons, self.tr("Model"))
        self._model_name.setBuddy(self.model)
        self.note = Words(icons, role="muted", small=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(0, 1)
        name = Words(icons, label)
        name.setBuddy(self.account)
        grid.addWidget(name, 0, 0)
        grid.addWidget(self.account, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self._model_name, 1, 0)
        grid.addWidget(self.model, 1, 1, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(grid)
        column.addWidget(self.note)
        self.account.chosen.connect(self._choose_account)
        self.model.editingFinished.connect(self.keep)

    def show_choice(self, settings: Settings, choice: ModelChoice) -> None:
        """Bring the fields to `choice`; a name that is being typed stays."""
        self._settings, self._choice = settings, choice
        accounts = [account for account in settings.providers if may_have_sound(account, settings)]
        nobody: list[tuple[object, str]] = [("", self._nobody)]
        self.account.set_values(nobody + [(each.id, one_line(each.label) or each.id) for each in accounts])
        is_there = any(each.id == choice.provider for each in accounts)
        self.account.show_value(choice.provider if is_there else "")
        self.account.setEnabled(bool(accounts))
        if not self.model.isModified() and self.model.text() != choice.model:
            self.model.setText(choice.model)
        self._suggest(settings.provider(choice.provider))
        self.model.setVisible(is_there)
        self._model_name.setVisible(is_there)
        self.model.setFixedWidth(self.account.sizeHint().width())
        self.note.say(self._need(has_accounts=bool(accounts), is_there=is_there))

    def keep(self) -> None:
        """Keep what was typed, if anything was."""
        if self.model.isModified():
            self.model.setModified(False)
            self.changed.emit(ModelChoice(provider=self._choice.provider, model=self.model.text().strip()))

    def _suggest(self, account: ProviderSettings | None) -> None:
        names = list(self._known.get(account.preset, ())) if account is not None else []
        listed = account.models if account is not None else ()
        names += [each for each in listed if each not in names and any(word in each.lower() for word in self._words)]
        before = self.model.completer()
        if before is not None and before.property("names") == names:
            return
        completer = QCompleter(names, self.model)
        completer.setProperty("names", names)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.model.setCompleter(completer)
        self.model.setPlaceholderText(names[0] if names else self.tr("The model's name"))

    def _need(self, *, has_accounts: bool, is_there: bool) -> str:
        if not has_accounts:
            return self.tr(
                "There is no account or server for it among your providers yet. OpenAI has it, and so do many servers "
                "for your own computer."
            )
        if is_there and not self._choice.model:
            return self.tr("Enter the model that does it.")
        return ""

    def _choose_account(self, provider: object) -> None:
        account = self._settings.provider(str(provider))
        known = self._known.get(account.preset, ()) if account is not None else ()
        self.model.setModified(False)
        self.changed.emit(ModelChoice(provider=str(provider), model=known[0] if known else ""))


def may_have_sound(account: ProviderSettings, settings: Settings) -> bool:
    """Whether an account may have ``/audio/…`` in OpenAI's way."""
    return audio_service(settings, ModelChoice(provider=account.id, model="any")) is not None
