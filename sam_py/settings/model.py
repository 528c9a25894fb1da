"""The program's settings as frozen models. Keys are not here: they live in the keyring, under a provider's id."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sam_py.messages.parts import Frozen

SCHEMA = 1


class ProviderSettings(Frozen):
    """One account or server that the person set up.

    `preset` names the kind (``compatible``, ``openai``, ``llamacpp``, ``lmstudio``, ``ollama``, ``guide`` …),
    `base_url` ends before what the wire adds (``/chat/completions``, ``/messages`` …); empty: the preset's.
    """

    id: str
    preset: str = "compatible"
    label: str
    base_url: str = ""
    model: str = ""
    """The model chosen last with this provider."""
    models: tuple[str, ...] = ()
    """As listed when last asked; shown until it is asked again."""
    headers: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, object] = Field(default_factory=dict)
    enabled: bool = True
    needs_key: bool = False


class ModelChoice(Frozen):
    """A model of a provider: what the model picker chooses."""

    provider: str
    model: str


class ChatSettings(Frozen):
    default: ModelChoice = ModelChoice(provider="guide", model="guide")
    title_model: ModelChoice | None = None
    """None: titles are made by the conversation's own model."""
    system_prompt: str = ""
    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    top_p: float | None = Field(default=None, ge=0.0, le=1.0)
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    auto_pin: int = Field(default=3, ge=0, le=10)
    send_with: Literal["enter", "ctrl_enter"] = "enter"
    model_titles: bool = True
    favourites: tuple[ModelChoice, ...] = ()
    """Models that the picker shows first, in the order in which they were chosen."""


class AppearanceSettings(Frozen):
    theme: Literal["system", "light", "dark"] = "system"
    text_scale: int = Field(default=100, ge=80, le=200)
    """Per cent."""
    reduced_motion: bool = False
    show_metrics: bool = True
    sidebar_shown: bool = True
    sidebar_px: int = Field(default=260, ge=200, le=480)


class Settings(Frozen):
    schema_version: int = SCHEMA
    providers: tuple[ProviderSettings, ...] = ()
    chat: ChatSettings = ChatSettings()
    appearance: AppearanceSettings = AppearanceSettings()
    detect_local_servers: bool = True

    def provider(self, provider_id: str) -> ProviderSettings | None:
        return next((provider for provider in self.providers if provider.id == provider_id), None)
