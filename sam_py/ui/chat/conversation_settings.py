"""ConversationSettingsDialog: what this conversation does otherwise than the program's settings say."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from sam_py.agent.session import ChatSession
from sam_py.bus.deltas import Delta, SettingChanged
from sam_py.errors import SamError
from sam_py.messages.history import ConversationSettings
from sam_py.providers.base import Effort
from sam_py.providers.taken import NOTHING, Taken
from sam_py.settings.model import Settings
from sam_py.ui.chat.conversation_tools import ConversationTools
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Switch, Words
from sam_py.ui.settings.model_settings import (
    context_tokens_field,
    effort_words,
    max_tokens_field,
    temperature_field,
    top_p_field,
)
from sam_py.ui.settings.number_field import NumberField
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.widgets.buttons import PillButton

_TYPING_MS = 400
_SIZE_PX = (520, 640)
_NUMBERS = ("temperature", "top_p", "max_tokens", "context_tokens")


class ConversationSettingsDialog(QDialog):
    """Open it with ``open()``; Esc closes it. Every change holds from the next request on; there is no OK.

    What the model of the next request does not take is switched off, with the reason below it.
    """

    def __init__(self, services: Services, session: ChatSession, model_label: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("This conversation"))
        self.form = ConversationForm(services, session, model_label)
        area = QScrollArea()
        area.setWidget(self.form)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.viewport().setAutoFillBackground(False)
        self.form.setAutoFillBackground(False)
        self.reset = PillButton(services.icons, self.tr("As in the settings"), icon="undo", kind="outline")
        self.reset.clicked.connect(self.form.reset)
        self.close_button = PillButton(services.icons, self.tr("Close"), kind="accent")
        self.close_button.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(24, 8, 24, 16)
        buttons.addWidget(self.reset)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(area, 1)
        column.addLayout(buttons)
        scale = min(1.6, services.themes.current.scale)
        room = self.screen().availableSize()
        self.resize(
            min(round(_SIZE_PX[0] * scale), room.width() - 40), min(round(_SIZE_PX[1] * scale), room.height() - 60)
        )
        self.setMinimumSize(320, 280)
        self.finished.connect(self.form.leave)


class ConversationForm(SettingsPage):
    def __init__(self, services: Services, session: ChatSession, model_label: str) -> None:
        super().__init__(services)
        self._session = session
        self._model_label = model_label
        icons = self.icons
        self.intro = Words(icons, role="muted")
        self.own_prompt = Switch(icons, self.tr("Instructions of its own"))
        self.prompt = QPlainTextEdit()
        self.prompt.setTabChangesFocus(True)
        self.prompt.setAccessibleName(self.tr("Instructions"))
        self.temperature = temperature_field(icons)
        self.top_p = top_p_field(icons)
        self.max_tokens = max_tokens_field(icons)
        self.context_tokens = context_tokens_field(icons)
        self.effort = Choice(icons, self.tr("Thinking"))
        self.tools = ConversationTools(services, session.bus)
        self.hints: dict[str, tuple[Words, str]] = {}
        """What stands below a field: what it does, or why it is switched off."""
        self._prompt_soon = QTimer(self)
        self._prompt_soon.setSingleShot(True)
        self._prompt_soon.setInterval(_TYPING_MS)
        self._build()
        self._retheme()
        services.themes.changed.connect(self._retheme)
        self.own_prompt.switched.connect(self._switch_prompt)
        self.prompt.textChanged.connect(self._prompt_typed)
        self._prompt_soon.timeout.connect(self._keep_prompt)
        for name, field in self._numbers():
            field.kept.connect(lambda value, name=name: self._change(name, value))
        self.effort.chosen.connect(lambda value: self._change("reasoning_effort", value))
        self._off_bus = session.bus.subscribe(self._on_delta)
        self._off_settings = services.settings.subscribe(lambda _settings: self.show_conversation())
        self.show_conversation()

    def show_conversation(self) -> None:
        """Bring the fields to what holds now."""
        own, defaults = self._session.bus.settings, self._session.defaults
        words = self.tr("Used from the next message on, with {model}. What is left empty is as in the settings.")
        self.intro.say(words.format(model=self._model_label))
        self.own_prompt.setChecked(own.system_prompt is not None)
        shown = defaults.system_prompt if own.system_prompt is None else own.system_prompt
        self.prompt.setEnabled(own.system_prompt is not None)
        self.prompt.setVisible(own.system_prompt is not None or bool(shown.strip()))
        is_typed = self.prompt.hasFocus() or self._prompt_soon.isActive()
        if not is_typed and self.prompt.toPlainText() != shown:
            self.prompt.setPlainText(shown)
            self._prompt_soon.stop()
        for name, field in self._numbers():
            field.show_value(getattr(own, name))
            default = getattr(defaults, name)
            value = f"{default:g}" if isinstance(default, float) else str(default)
            as_set = self.tr("{value}, as in the settings").format(value=value)
            most = name == "context_tokens"
            otherwise = self.tr("As much as the model takes") if most else self.tr("The provider's default")
            field.setPlaceholderText(as_set if default is not None else otherwise)
        self._show_taken(self._taken(), own)
        self.tools.show_choices()

    def reset(self) -> None:
        """Nothing of its own any more."""
        for name in ("system_prompt", *_NUMBERS, "reasoning_effort"):
            self._change(name, None)
        self.tools.reset()
        for _name, field in self._numbers():
            field.setModified(False)
            field.error.say("")
        self.show_conversation()

    def show_settings(self, settings: Settings) -> None:
        self.show_conversation()

    def leave(self) -> None:
        """Keep what is being typed, and stop listening."""
        self._keep_prompt()
        for _name, field in self._numbers():
            field.keep()
        self._off_bus()
        self._off_settings()
        self.tools.leave()

    # Inside

    def _numbers(self) -> tuple[tuple[str, NumberField], ...]:
        return tuple((name, getattr(self, name)) for name in _NUMBERS)

    def _build(self) -> None:
        self.column.addWidget(self.intro)
        self.add_row(
            self.tr("Instructions of its own"),
            self.own_prompt,
            self.tr("Otherwise those of the settings are sent before the conversation."),
        )
        self.column.addWidget(self.prompt)
        for text, field, hint, name in (
            (
                self.tr("Temperature"),
                self.temperature,
                self.tr("0 keeps to the likeliest words, 2 is the wildest."),
                "temperature",
            ),
            (
                self.tr("Top-p"),
                self.top_p,
                self.tr("Only the likeliest words that make up this share are chosen from."),
                "top_p",
            ),
            (self.tr("Longest reply, in tokens"), self.max_tokens, "", "max_tokens"),
            (
                self.tr("Longest request, in tokens"),
                self.context_tokens,
                self.tr("The reply counts too. Of what does not fit, the least important is left out."),
                "context_tokens",
            ),
        ):
            self.hints[name] = (self.add_wide(text, field, hint, field.error), hint)
        hint = self.tr("How hard the model is to try.")
        self.hints["effort"] = (self.add_row(self.tr("Thinking"), self.effort, hint), hint)
        self.add_heading(self.tr("Tools"))
        self.column.addWidget(self.tools)
        self.column.addStretch(1)

    def _taken(self) -> Taken:
        """What the model of the next request takes; everything where nobody can tell."""
        choice = self._session.choice
        if choice.provider == "guide":
            return NOTHING
        try:
            provider = self.services.registry.get(choice.provider)
        except SamError:  # set up no more, or of a newer version: the person may go on to another model
            return Taken()
        takes = getattr(provider, "takes", None)
        return takes(choice.model) if takes is not None else Taken()

    def _show_taken(self, taken: Taken, own: ConversationSettings) -> None:
        defaults = self._session.defaults
        efforts: list[tuple[object, str]] = [(None, self._default_effort(defaults.reasoning_effort))]
        now = own.reasoning_effort
        efforts += [(each, effort_words(each)) for each in get_args(Effort) if each in taken.efforts or each == now]
        self.effort.set_values(efforts)
        self.effort.show_value(now)
        for name, field, is_taken in (
            ("temperature", self.temperature, taken.temperature),
            ("top_p", self.top_p, taken.top_p),
            ("max_tokens", self.max_tokens, taken.max_tokens),
            ("context_tokens", self.context_tokens, self._session.choice.provider != "guide"),
            ("effort", self.effort, bool(taken.efforts)),
        ):
            field.setEnabled(is_taken)
            words, hint = self.hints[name]
            words.say(hint if is_taken else self._reason(name), "muted")
            field.setAccessibleDescription(words.text())
            if not is_taken and isinstance(field, NumberField):
                field.setPlaceholderText("–")

    def _default_effort(self, default: Effort | None) -> str:
        if default is None:
            return self.tr("The model decides")
        return self.tr("{effort}, as in the settings").format(effort=effort_words(default))

    def _reason(self, name: str) -> str:
        if self._session.choice.provider == "guide":
            return self.tr("The offline guide is no model: it has nothing to set here.")
        if name == "effort":
            return self.tr("{model} cannot be told how hard to think.").format(model=self._model_label)
        return self.tr("{model} does not take this: it chooses by itself.").format(model=self._model_label)

    def _change(self, name: str, value: object) -> None:
        self._session.bus.change_setting(name, value)  # type: ignore[arg-type]

    def _switch_prompt(self, own: bool) -> None:
        self._change("system_prompt", self._session.defaults.system_prompt if own else None)
        self.show_conversation()
        if own:
            self.prompt.setFocus(Qt.FocusReason.OtherFocusReason)

    def _prompt_typed(self) -> None:
        if self.prompt.isEnabled():
            self._prompt_soon.start()

    def _keep_prompt(self) -> None:
        self._prompt_soon.stop()
        if self.own_prompt.isChecked():
            self._change("system_prompt", self.prompt.toPlainText())

    def _on_delta(self, delta: Delta) -> None:
        if isinstance(delta, SettingChanged):
            self.show_conversation()

    def _retheme(self) -> None:
        theme = self.services.themes.current
        colours = theme.palette
        self.prompt.setFixedHeight(round(96 * theme.scale))
        self.prompt.setStyleSheet(
            f"QPlainTextEdit {{ background: {colours.raised}; border: 1px solid {colours.border};"
            f" border-radius: {round(8 * theme.scale)}px; padding: {round(2 * theme.scale)}px; }}"
            f"QPlainTextEdit:focus {{ border-color: {colours.accent}; }}"
            f"QPlainTextEdit:disabled {{ color: {colours.text_muted}; }}"
        )
