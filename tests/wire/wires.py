"""The wires that there are: how each builds a body and reads an answer, and the services that speak it.

A wire whose package is not there is left out, so that the tests hold while it is being written.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sam_py.providers.base import ChatRequest, Decoder
from sam_py.providers.presets import PRESETS

# A model of each wire that thinks and one that does not, so that the rules of both are met.
_MODELS: dict[str, tuple[str, ...]] = {
    "openai_chat": ("gpt-5.1", "gpt-4o", "anthropic/claude-sonnet-4.5", "deepseek-reasoner", "kimi-k2.5"),
    "openai_responses": ("gpt-5.1", "gpt-4o", "gpt-oss-20b"),
    "anthropic": ("claude-sonnet-4-5", "claude-opus-4-8", "claude-3-5-haiku-20241022"),
    "gemini": ("gemini-3-pro-preview", "gemini-2.5-flash", "gemini-2.0-flash"),
    "ollama": ("gpt-oss:20b", "llama3.1"),
}


@dataclass(frozen=True, slots=True)
class Wire:
    """One protocol as one service speaks it (`service`: a preset's name)."""

    name: str
    service: str
    build_body: Callable[[ChatRequest], dict[str, Any]]

    @property
    def models(self) -> tuple[str, ...]:
        return _MODELS[self.name]

    def decoder(self) -> Decoder:
        decoder: Decoder = importlib.import_module(f"sam_py.providers.{self.name}.stream").StreamDecoder()
        return decoder

    def __str__(self) -> str:
        return self.name if self.service == self.name else f"{self.name}-{self.service}"


def _wire(name: str, service: str) -> Wire | None:
    package = f"sam_py.providers.{name}"
    if importlib.util.find_spec(package) is None or importlib.util.find_spec(f"{package}.request") is None:
        return None
    build_body = importlib.import_module(f"{package}.request").build_body
    match name:
        case "openai_chat":
            dialect = importlib.import_module(f"{package}.dialects").dialect_of(service)
            return Wire(name, service, lambda request: build_body(request, dialect))
        case "openai_responses":
            dialect = importlib.import_module(f"{package}.dialect").dialect_of(service)
            return Wire(name, service, lambda request: build_body(request, dialect=dialect))
        case _:
            return Wire(name, service, build_body)


def _all() -> list[Wire]:
    spoken = {(preset.wire, preset.preset) for preset in PRESETS}
    spoken |= {("openai_chat", "openai"), ("openai_responses", "openai"), ("openai_responses", "xai")}
    spoken |= {(name, name) for name in ("anthropic", "gemini", "ollama")}
    return [wire for name, service in sorted(spoken) if (wire := _wire(str(name), service)) is not None]


WIRES = _all()
NAMES = sorted({wire.name for wire in WIRES})


def wire_of(name: str, service: str = "") -> Wire:
    """The wire as its owner speaks it, or as `service` does. Raises LookupError."""
    owner = service or {"openai_chat": "openai", "openai_responses": "openai"}.get(name, name)
    for wire in WIRES:
        if (wire.name, wire.service) == (name, owner):
            return wire
    raise LookupError(f"there is no {name} as {owner} speaks it")
