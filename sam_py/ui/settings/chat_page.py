"""ChatPage: what a new conversation starts with, and how one is written and titled."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from sam_py.settings.model import ModelChoice, Settings
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Stepper, Switch, Words
from sam_py.ui.settings.page import SettingsPage

_TYPING_MS = 400


class ChatPage(SettingsPage):
    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.model = Choice(self.icons, self.tr("Model for new chats"))
        self.system_prompt = QPlainTextEdit()
        self.system_prompt.setPlaceholderText(self.tr("For example: Answer briefly, in British English."))
        self.system_prompt.setTabChangesFocus(True)
        self.system_prompt.setAccessibleName(self.tr("Instructions"))
        self._prompt_soon = QTimer(self)
        self._prompt_soon.setSingleShot(True)
        self._prompt_soon.setInterval(_TYPING_MS)
        self.temperature = QLineEdit()
        self.temperature_error = Words(self.icons, small=True)
        self.max_tokens = QLineEdit()
        self.max_tokens_error = Words(self.icons, small=True)
        for field in (self.temperature, self.max_tokens):
            field.setPlaceholderText(self.tr("The provider's default"))
        self.auto_pin = Stepper(self.icons, self.tr("Pin my first messages"), 0, 10, 1)
        self.send_with = Choice(
            self.icons,
            self.tr("Send with"),
            [("enter", self.tr("Enter")), ("ctrl_enter", self.tr("Ctrl + Enter"))],
        )
        self.model_titles = Switch(self.icons, self.tr("Titles by the model"))

        self.add_row(self.tr("Model for new chats"), self.model)
        self.add_wide(
            self.tr("Instructions"),
            self.system_prompt,
            self.tr("Sent before every conversation (the system prompt)."),
        )
        self.add_wide(
            self.tr("Temperature"),
            self.temperature,
            self.tr("0 keeps to the likeliest words, 2 is the wildest. Empty: as the provider chooses."),
            self.temperature_error,
        )
        self.add_wide(
            self.tr("Longest reply, in tokens"),
            self.max_tokens,
            self.tr("Empty: as the provider chooses."),
            self.max_tokens_error,
        )
        self.add_row(self.tr("Send with"), self.send_with, self.tr("The other one begins a new line."))
        self.add_row(
            self.tr("Pin my first messages"),
            self.auto_pin,
            self.tr("What is pinned stays with the model when a conversation grows too long."),
        )
        self.add_row(
            self.tr("Titles by the model"),
            self.model_titles,
            self.tr("One short extra request after the first reply; otherwise your first words are the title."),
        )
        self.column.addStretch(1)
        services.themes.changed.connect(self._retheme)
        self._retheme()
        self.model.chosen.connect(self._choose_model)
        self.system_prompt.textChanged.connect(self._prompt_soon.start)
        self._prompt_soon.timeout.connect(self._keep_prompt)
        self.temperature.editingFinished.connect(self._keep_temperature)
        self.max_tokens.editingFinished.connect(self._keep_max_tokens)
        self.auto_pin.changed.connect(lambda value: self.change_chat(auto_pin=value))
        self.send_with.chosen.connect(lambda value: self.change_chat(send_with=value))
        self.model_titles.switched.connect(lambda on: self.change_chat(model_titles=on))

    def show_settings(self, settings: Settings) -> None:
        chat = settings.chat
        self.model.set_values(self._models(settings))
        self.model.show_value((chat.default.provider, chat.default.model))
        if not self.system_prompt.hasFocus() and self.system_prompt.toPlainText() != chat.system_prompt:
            self.system_prompt.setPlainText(chat.system_prompt)
            self._prompt_soon.stop()
        for field, value in ((self.temperature, chat.temperature), (self.max_tokens, chat.max_tokens)):
            if not field.hasFocus() and not field.isModified():
                field.setText("" if value is None else f"{value:g}" if isinstance(value, float) else str(value))
        self.auto_pin.show_value(chat.auto_pin)
        self.send_with.show_value(chat.send_with)
        self.model_titles.setChecked(chat.model_titles)

    def leave(self) -> None:
        self._keep_prompt()
        self._keep_temperature()
        self._keep_max_tokens()

    def _retheme(self) -> None:
        theme = self.services.themes.current
        colours = theme.palette
        self.system_prompt.setFixedHeight(round(96 * theme.scale))
        self.system_prompt.setStyleSheet(
            f"QPlainTextEdit {{ background: {colours.raised}; border: 1px solid {colours.border};"
            f" border-radius: {round(8 * theme.scale)}px; padding: {round(2 * theme.scale)}px; }}"
            f"QPlainTextEdit:focus {{ border-color: {colours.accent}; }}"
        )

    def _models(self, settings: Settings) -> list[tuple[object, str]]:
        """Every known model, and the chosen one even where its provider does not list it."""
        choices: list[tuple[object, str]] = [(("guide", "guide"), self.tr("Offline guide"))]
        for provider in settings.providers:
            if provider.enabled:
                models = dict.fromkeys((*provider.models, *filter(None, (provider.model,))))
                choices += [((provider.id, model), f"{provider.label}: {model}") for model in models]
        chosen = (settings.chat.default.provider, settings.chat.default.model)
        if chosen not in [value for value, _text in choices]:
            choices.append((chosen, ": ".join(filter(None, chosen))))
        return choices

    def _choose_model(self, value: object) -> None:
        assert isinstance(value, tuple)
        self.change_chat(default=ModelChoice(provider=value[0], model=value[1]))

    def _keep_prompt(self) -> None:
        self._prompt_soon.stop()
        self.change_chat(system_prompt=self.system_prompt.toPlainText())

    def _keep_temperature(self) -> None:
        text = self.temperature.text().strip().replace(",", ".")
        try:
            value = float(text) if text else None
        except ValueError:
            value = -1.0
        if value is not None and not 0 <= value <= 2:
            self.temperature_error.say(self.tr("Enter a number from 0 to 2, or nothing."), "error")
            return
        self.temperature_error.say("")
        self.temperature.setModified(False)
        self.change_chat(temperature=value)

    def _keep_max_tokens(self) -> None:
        text = self.max_tokens.text().strip()
        if text and not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
            self.max_tokens_error.say(self.tr("Enter a whole number above 0, or nothing."), "error")
            return
        self.max_tokens_error.say("")
        self.max_tokens.setModified(False)
        self.change_chat(max_tokens=int(text) if text else None)
