"""Which provider and model the command line means."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from sam_py.errors import SamError
from sam_py.providers.guide.provider import GUIDE_ID, GUIDE_MODEL
from sam_py.providers.presets import PRESETS
from sam_py.providers.registry import Registry
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.settings.secrets import origin_of

AD_HOC = "cli"
"""The id of a provider that exists only for this command."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`provider` is None for the guide; `model` is "" where the server has to be asked for one."""

    provider: ProviderSettings | None
    model: str

    @property
    def provider_id(self) -> str:
        return GUIDE_ID if self.provider is None else self.provider.id


def choose(settings: Settings, *, provider: str | None, base_url: str | None, model: str | None) -> Choice:
    """The provider that the options mean. Raises `SamError` where they mean none, naming those there are."""
    if provider == GUIDE_ID and not base_url:
        return Choice(None, GUIDE_MODEL)
    if base_url:
        chosen = _at(settings, base_url, provider)
    elif provider:
        chosen = _named(settings, provider)
    else:
        return _default(settings, model)
    return Choice(chosen, model or chosen.model or (chosen.models[0] if chosen.models else ""))


async def model_of(choice: Choice, registry: Registry) -> ModelChoice:
    """The choice with a model: the server's first where none was named. Raises `ProviderError`."""
    model = choice.model
    if not model:
        models = await registry.get(choice.provider_id).list_models()
        if not models:
            raise SamError("This server lists no model. Name one with --model, or load one there.")
        model = models[0].id
    return ModelChoice(provider=choice.provider_id, model=model)


def _default(settings: Settings, model: str | None) -> Choice:
    default = settings.chat.default
    if default.provider != GUIDE_ID:
        chosen = settings.provider(default.provider)
        if chosen is None:
            raise SamError(
                f"The default provider “{default.provider}” is not set up any more. Choose another with --provider."
            )
        return Choice(chosen, model or default.model or chosen.model)
    if model and model != GUIDE_MODEL:
        having = [each for each in settings.providers if each.enabled and model in each.models]
        if not having:
            raise SamError(
                f"No provider here is known to have the model “{model}”. Name one with --provider or --base-url."
            )
        return Choice(having[0], model)
    return Choice(None, GUIDE_MODEL)


def _named(settings: Settings, name: str) -> ProviderSettings:
    wanted = name.lower()
    for each in settings.providers:
        if wanted in (each.id.lower(), each.label.lower()):
            return each
    for each in settings.providers:
        if wanted == each.preset.lower():
            return each
    for preset in PRESETS:
        if wanted in (preset.preset, preset.label.lower()) and preset.base_url:
            return ProviderSettings(
                id=preset.preset,
                preset=preset.preset,
                label=preset.label,
                base_url=preset.base_url,
                needs_key=preset.needs_key,
            )
    known = ", ".join([*(each.id for each in settings.providers), *(p.preset for p in PRESETS if p.base_url), GUIDE_ID])
    raise SamError(f"There is no provider “{name}”. Choose one of: {known}; or name an address with --base-url.")


def _at(settings: Settings, base_url: str, provider: str | None) -> ProviderSettings:
    base_url = base_url.strip().rstrip("/").removesuffix("/chat/completions")
    if urlsplit(base_url).scheme not in ("http", "https") or not origin_of(base_url):
        raise SamError(f"“{base_url}” is no address. It begins with http:// or https:// and usually ends in /v1.")
    if provider:
        chosen = _named(settings, provider)
        return chosen.model_copy(update={"base_url": base_url, "model": "", "models": ()})
    for each in settings.providers:
        if each.base_url.rstrip("/") == base_url:
            return each
    preset = next((each.preset for each in PRESETS if each.base_url == base_url), "compatible")
    return ProviderSettings(id=AD_HOC, preset=preset, label=urlsplit(base_url).netloc, base_url=base_url)
