"""Accounts: adding, changing and removing the providers of the settings, as pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from sam_py.providers.hosts import is_same_machine
from sam_py.providers.model_file.files import model_file_of
from sam_py.providers.presets import Preset, preset_of
from sam_py.settings.model import ChatSettings, ModelChoice, ProviderSettings, Settings

if TYPE_CHECKING:
    from sam_py.providers.local import FoundServer

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def added(settings: Settings, preset: Preset) -> tuple[Settings, ProviderSettings]:
    """The settings with a new account of `preset`, and that account."""
    account = ProviderSettings(
        id=_free_id(settings, preset.preset),
        preset=preset.preset,
        label=preset.label,
        base_url=preset.base_url,
        needs_key=preset.needs_key,
    )
    return _with(settings, (*settings.providers, account)), account


def adopted(settings: Settings, server: FoundServer) -> tuple[Settings, ProviderSettings]:
    """The settings with a server that was found, used for new chats where only the guide was so far."""
    model = server.models[0] if server.models else ""
    account = ProviderSettings(
        id=_free_id(settings, server.preset),
        preset=server.preset,
        label=server.label,
        base_url=server.base_url,
        model=model,
        models=server.models,
        needs_key=server.needs_key,
    )
    changed = _with(settings, (*settings.providers, account))
    if model and settings.chat.default.provider == "guide":
        changed = with_default(changed, account.id, model)
    return changed, account


def changed(settings: Settings, id: str, **fields: object) -> Settings:
    """The settings with other values in the account `id`. Raises `pydantic.ValidationError`."""
    return _with(
        settings,
        tuple(
            ProviderSettings.model_validate({**dict(each), **fields}) if each.id == id else each
            for each in settings.providers
        ),
    )


def removed(settings: Settings, id: str) -> Settings:
    """The settings without the account; new chats that would use it go to the guide."""
    rest = _with(settings, tuple(each for each in settings.providers if each.id != id))
    if settings.chat.default.provider == id:
        rest = with_default(rest, "guide", "guide")
    if settings.chat.title_model is not None and settings.chat.title_model.provider == id:
        rest = rest.model_copy(update={"chat": rest.chat.model_copy(update={"title_model": None})})
    return rest


def restored(settings: Settings, account: ProviderSettings, place: int, was_default: ModelChoice | None) -> Settings:
    """The settings with a removed account back at its place, and chosen again for new chats where it was."""
    providers = list(settings.providers)
    providers.insert(place, account)
    back = _with(settings, tuple(providers))
    return back if was_default is None else with_default(back, was_default.provider, was_default.model)


def with_default(settings: Settings, provider: str, model: str) -> Settings:
    """The settings with this model for new chats."""
    default = ModelChoice(provider=provider, model=model)
    chat = ChatSettings.model_validate({**dict(settings.chat), "default": default})
    return settings.model_copy(update={"chat": chat})


def address_fault(address: str) -> str:
    """What is wrong with a server's address, in a sentence; "" where nothing is."""
    address = address.strip()
    if any(character.isspace() or not character.isprintable() for character in address):
        return _("There is a space or a line break in the address. It looks like https://example.com/v1.")
    if any(character in address for character in "\"'<>`|^{}"):
        return _("An address holds no quotation marks or brackets. It looks like https://example.com/v1.")
    try:
        parts = urlsplit(address)
        _port = parts.port
    except ValueError:
        return _("This is not an address. It looks like https://example.com/v1.")
    if model_file_of(address) is not None:
        return ""
    if parts.scheme not in ("http", "https"):
        return _("An address begins with http:// or https://, for example http://127.0.0.1:8080/v1.")
    if not parts.hostname:
        return _("The name of the server is missing. An address looks like https://example.com/v1.")
    if parts.username or parts.password:
        return _("Leave name and password out of the address; enter a key in its own field.")
    if parts.query or parts.fragment:
        return _("Leave out what follows ? or #: the address ends before it.")
    for ending in ("/chat/completions", "/messages", "/responses", "/models"):
        if parts.path.rstrip("/").endswith(ending):
            return _("Leave {ending} out: the address ends before it.").format(ending=ending)
    return ""


def is_local(account: ProviderSettings) -> bool:
    """Whether the account's server runs on this computer."""
    address = account.base_url or preset_of(account.preset).base_url
    return is_same_machine(address) or address.startswith("file:")


def is_unprotected(address: str) -> bool:
    """Whether a key would travel to another computer in the clear."""
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname not in _LOOPBACK


def _(text: str) -> str:
    return QCoreApplication.translate("Accounts", text)


def _with(settings: Settings, providers: tuple[ProviderSettings, ...]) -> Settings:
    return settings.model_copy(update={"providers": providers})


def _free_id(settings: Settings, wanted: str) -> str:
    taken = {each.id for each in settings.providers} | {"guide"}
    number = 1
    id = wanted
    while id in taken:
        number += 1
        id = f"{wanted}-{number}"
    return id
