"""Endpoint: where an account answers beside its chat, in OpenAI's way: sound, vectors, pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

from sam_py.providers.presets import Wire, preset_of, wire_at
from sam_py.settings.model import ModelChoice, Settings

_ENDINGS = (
    *("/chat/completions", "/responses", "/embeddings", "/images/generations"),
    *("/audio/speech", "/audio/transcriptions"),
)
"""What a person may have pasted behind the address."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`base_url` ends before what is added to it. The key is looked up by `account`."""

    label: str
    base_url: str
    model: str
    account: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_header: str = ""
    local_program: str = ""
    """The program to start where nothing answers; empty for a service on the internet."""


Kind = TypeVar("Kind", bound=Endpoint)
Place = Callable[[Wire, str], str | None]
"""From an account's wire and address to the address in OpenAI's way; None where there is none."""


def as_openai(wire: Wire, address: str) -> str | None:
    """The address itself, of the accounts that speak OpenAI's protocols alone."""
    return address if wire in ("openai_chat", "openai_responses") else None


def endpoint_of(kind: type[Kind], settings: Settings, choice: ModelChoice, place: Place = as_openai) -> Kind | None:
    """What the person chose; None where that is nothing, or its account is gone, switched off or of another kind."""
    account = settings.provider(choice.provider) if choice.provider and choice.model else None
    if account is None or not account.enabled:
        return None
    preset = preset_of(account.preset)
    address = (account.base_url or preset.base_url).strip().rstrip("/")
    if not address.startswith(("http://", "https://")):
        return None
    wire = wire_at(preset, address)
    for ending in _ENDINGS:
        address = address.removesuffix(ending)
    placed = place(wire, address)
    if placed is None:
        return None
    azure = preset.preset == "azure"
    if azure and not placed.endswith("/v1"):
        parts = urlsplit(placed)
        placed = f"{parts.scheme}://{parts.netloc}/openai/v1"
    return kind(
        label=account.label or preset.label,
        base_url=placed,
        model=choice.model,
        account=account.id,
        headers=account.headers,
        key_header="api-key" if azure else "",
        local_program=preset.label if preset.group == "local" else "",
    )
