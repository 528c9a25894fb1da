"""ChatPage: what a new conversation starts with, and how one is written and titled."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPlainTextEdit

from sam_py.providers.base import Effort
from sam_py.settings.model import ModelChoice, Settings
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Stepper, Switch
from sam_py.ui.settings.model_settings import (
    context_tokens_field,
    effort_words,
    max_tokens_field,
    temperature_field,
    top_p_field,
)
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
        self.temperature = temperature_field(self.icons)
        self.top_p = top_p_field(self.icons)
        self.max_tokens = max_tokens_field(self.icons)
        for field in (self.temperature, self.top_p, self.max_tokens):
            field.setPlaceholderText(self.tr("The provider's default"))
        efforts: list[tuple[object, str]] = [(None, self.tr("The model decides"))]
        efforts += [(effort, effort_words(effort)) for effort in get_args(Effort)]
        self.effort = Choice(self.icons, self.tr("Thinking"), efforts)
        self.auto_pin = Stepper(self.icons, self.tr("Pin my first messages"), 0, 10, 1)
        self.send_with = Choice(
            self.icons,
            self.tr("Send with"),
            [("enter", self.tr("Enter")), ("ctrl_enter", self.tr("Ctrl + Enter"))],
        )
        self.context_tokens = context_tokens_field(self.icons)
        self.auto_summary = Switch(self.icons, self.tr("Summarise what no longer fits"))
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
            self.temperature.error,
        )
        self.add_wide(
            self.tr("Top-p"),
            self.top_p,
            self.tr(
                "Only the likeliest words that make up this share are chosen from. Empty: as the provider chooses."
            ),
            self.top_p.error,
        )
        self.add_wide(
            self.tr("Longest reply, in tokens"),
            self.max_tokens,
            self.tr("Empty: as the provider chooses."),
            self.max_tokens.error,
        )
        self.add_row(
            self.tr("Thinking"),
            self.effort,
            self.tr("How hard models that think are to try. Others are not told."),
        )
        self.add_row(self.tr("Send with"), self.send_with, self.tr("The other one begins a new line."))
        self.add_row(
            self.tr("Pin my first messages"),
            self.auto_pin,
            self.tr("What is pinned stays with the model when a conversation grows too long."),
        )
        self.add_wide(
            self.tr("Longest request, in tokens"),
            self.context_tokens,
            self.tr(
                "The reply counts too. Of what does not fit, the least important is left out, and dimmed in the "
                "conversation. Less is quicker and cheaper."
            ),
            self.context_tokens.error,
        )
        self.add_row(
            self.tr("Summarise what no longer fits"),
            self.auto_summary,
            self.tr(
                "The model does so by itself, in a request of its own that costs as much as the messages in it. "
                "Otherwise you are asked."
            ),
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
        self.temperature.kept.connect(lambda value: self.change_chat(temperature=value))
        self.top_p.kept.connect(lambda value: self.change_chat(top_p=value))
        self.max_tokens.kept.connect(lambda value: self.change_chat(max_tokens=value))
        self.effort.chosen.connect(lambda value: self.change_chat(reasoning_effort=value))
        self.auto_pin.changed.connect(lambda value: self.change_chat(auto_pin=value))
        self.send_with.chosen.connect(lambda value: self.change_chat(send_with=value))
        self.context_tokens.kept.connect(lambda value: self.change_chat(context_tokens=value))
        self.auto_summary.switched.connect(lambda on: self.change_chat(auto_summary=on))
        self.model_titles.switched.connect(lambda on: self.change_chat(model_titles=on))

    def show_settings(self, settings: Settings) -> None:
        chat = settings.chat
        self.model.set_values(self._models(settings))
        self.model.show_value((chat.default.provider, chat.default.model))
        is_typed = self.system_prompt.hasFocus() or self._prompt_soon.isActive()
        if not is_typed and self.system_prompt.toPlainText() != chat.system_prompt:
            self.system_prompt.setPlainText(chat.system_prompt)
            self._prompt_soon.stop()
        self.temperature.show_value(chat.temperature)
        self.top_p.show_value(chat.top_p)
        self.max_tokens.show_value(chat.max_tokens)
        self.effort.show_value(chat.reasoning_effort)
        self.auto_pin.show_value(chat.auto_pin)
        self.send_with.show_value(chat.send_with)
        self.context_tokens.show_value(chat.context_tokens)
        self.auto_summary.setChecked(chat.auto_summary)
        self.model_titles.setChecked(chat.model_titles)

    def leave(self) -> None:
        self._keep_prompt()
        for field in (self.temperature, self.top_p, self.max_tokens, self.context_tokens):
            field.keep()

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
