"""Registry: the providers that a person set up, built from settings; a package of a wire is loaded when first asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, assert_never

from sam_py.errors import SamError
from sam_py.providers.base import ModelInfo, Provider
from sam_py.providers.model_file.files import model_file_of
from sam_py.providers.presets import Group, Preset, Wire, preset_of, wire_at
from sam_py.settings.model import ProviderSettings

if TYPE_CHECKING:
    from sam_py.providers.http import Http
    from sam_py.providers.model_file.servers import ModelServers
    from sam_py.providers.wire import KeyOf, WireProvider


class Registry:
    """Owns the HTTP client and the providers built here. Providers that `add` brought in belong to the caller.

    A provider whose settings did not change stays the same object through `configure`, so that what it
    learned of its models stays known and a running reply is not touched.
    """

    def __init__(
        self,
        key_of: KeyOf,
        *,
        http: Http | None = None,
        known: Callable[[ProviderSettings], Iterable[ModelInfo]] = lambda _settings: (),
    ) -> None:
        """`known` says what an account's last listing said of its models, before it is asked again."""
        self._key_of = key_of
        self._known = known
        self._http = http
        self._settings: dict[str, ProviderSettings] = {}
        self._built: dict[str, Provider] = {}
        self._added: dict[str, Provider] = {}
        self._model_servers: ModelServers | None = None

    @property
    def http(self) -> Http:
        """The client of all providers; made, and what it needs imported, when it is first asked for."""
        if self._http is None:
            from sam_py.providers.http import Http

            self._http = Http()
        return self._http

    @property
    def model_servers(self) -> ModelServers:
        """The servers of model files on this computer; ended with the registry."""
        if self._model_servers is None:
            from sam_py.providers.model_file.servers import ModelServers

            self._model_servers = ModelServers(self.http)
        return self._model_servers

    def add(self, provider: Provider) -> None:
        """Offer `provider` (the guide, a scripted one) beside those of the settings, or instead of one."""
        self._added[provider.id] = provider

    def configure(self, settings: Iterable[ProviderSettings]) -> None:
        """Offer what `settings` say from now on. Disabled ones are left out."""
        wanted = {each.id: each for each in settings if each.enabled}
        for provider_id in list(self._built):
            if not _builds_the_same(self._settings.get(provider_id), wanted.get(provider_id)):
                del self._built[provider_id]
        self._settings = wanted
        if self._model_servers is not None:
            self._model_servers.keep(model_file_of(each.base_url) for each in wanted.values())

    def get(self, provider_id: str) -> Provider:
        """The provider of that id. Raises `SamError` where there is none (any more)."""
        added = self._added.get(provider_id)
        if added is not None:
            return added
        built = self._built.get(provider_id)
        if built is None:
            settings = self._settings.get(provider_id)
            if settings is None:
                raise SamError(
                    f"The provider “{provider_id}” is not set up here. Choose another model, or add it in settings."
                )
            built = self._built[provider_id] = self._build(settings)
        return built

    def all(self) -> list[Provider]:
        """Every provider on offer, those of the settings first and in their order."""
        ids = [each for each in self._settings if each not in self._added]
        return [*(self.get(each) for each in ids), *self._added.values()]

    async def aclose(self) -> None:
        """Close what was built here, and the HTTP client last."""
        built, self._built = list(self._built.values()), {}
        for provider in built:
            await provider.aclose()
        if self._model_servers is not None:
            await self._model_servers.aclose()
        if self._http is not None:
            await self._http.aclose()

    def _build(self, settings: ProviderSettings) -> Provider:
        from sam_py.providers.wire import Account

        preset = preset_of(settings.preset)
        account = Account(
            id=settings.id,
            label=settings.label or preset.label,
            base_url=settings.base_url or preset.base_url,
            preset=preset.preset,
            needs_key=settings.needs_key,
            local_program=_program(preset),
            headers=settings.headers,
            extra_body=settings.extra_body,
        )
        file = model_file_of(account.base_url)
        if file is not None:
            from sam_py.providers.model_file.provider import ModelFileProvider

            speak = _speaking("openai_chat")
            return ModelFileProvider(account, file, servers=self.model_servers, speak=speak, http=self.http)
        provider = _speaking(wire_at(preset, account.base_url))(account, http=self.http, key_of=self._key_of)
        provider.remember(self._known(settings))
        return provider


def _speaking(wire: Wire) -> Callable[..., WireProvider]:
    """The provider of a wire, loaded here: the window does not wait for it when it starts."""
    match wire:
        case "openai_chat":
            from sam_py.providers.openai_chat.provider import OpenAIChatProvider

            return OpenAIChatProvider
        case "anthropic":
            from sam_py.providers.anthropic.provider import AnthropicProvider

            return AnthropicProvider
        case "gemini":
            from sam_py.providers.gemini.provider import GeminiProvider

            return GeminiProvider
        case "ollama":
            from sam_py.providers.ollama.provider import OllamaProvider

            return OllamaProvider
        case "openai_responses":
            from sam_py.providers.openai_responses.provider import OpenAIResponsesProvider

            return OpenAIResponsesProvider
        case _:
            assert_never(wire)


def _program(preset: Preset) -> str:
    """What has to run on this machine for the preset; empty where nothing has."""
    group: Group = preset.group
    match group:
        case "local":
            return preset.label
        case "service" | "other":
            return ""
        case _:
            assert_never(group)


def _builds_the_same(old: ProviderSettings | None, new: ProviderSettings | None) -> bool:
    """Whether only what the picker remembers (model, list of models) differs."""
    if old is None or new is None:
        return False
    remembered = {"model": "", "models": ()}
    return old.model_copy(update=remembered) == new.model_copy(update=remembered)
