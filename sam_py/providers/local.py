"""Model servers that run on this machine: looked for at their usual ports, told apart by what they answer.

Only the loopback addresses are asked, never with a key, and for less than half a second.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.presets import preset_of

USUAL_PORTS: Mapping[int, str] = {11434: "ollama", 1234: "lmstudio", 8080: "llamacpp", 1337: "jan", 8000: "vllm"}
"""Port → the preset that usually listens there."""
LOOPBACK = ("127.0.0.1", "::1")
CONNECT_LIMIT_S = 0.3
ANSWER_LIMIT_S = 0.5

_OWNERS = {"llamacpp": "llamacpp", "vllm": "vllm", "organization_owner": "lmstudio", "library": "ollama", "jan": "jan"}
"""What a server writes as the owner of its models → its preset."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answered. `needs_key`: it wants a key before it says more (then `models` is empty)."""

    preset: str
    label: str
    base_url: str
    models: tuple[str, ...] = ()
    needs_key: bool = False


async def find_local_servers(
    http: Http | None = None, *, ports: Mapping[int, str] = USUAL_PORTS, hosts: tuple[str, ...] = LOOPBACK
) -> list[FoundServer]:
    """Return the model servers found, in the order of `ports`. Whatever goes wrong there means: not found.

    A server that listens on both loopback addresses is one server. Without `http` a client is made for
    the occasion, and only where a port is open.
    """
    places = [(host, port) for port in ports for host in hosts]
    is_open = await asyncio.gather(*(_listens(host, port) for host, port in places))
    open_ports: dict[int, str] = {}
    for (host, port), listens in zip(places, is_open, strict=True):
        if listens:
            open_ports.setdefault(port, host)
    if not open_ports:
        return []
    client = http or Http()
    try:
        await client.warm_up()
        found = await asyncio.gather(
            *(_recognise(client, host, port, ports[port]) for port, host in open_ports.items())
        )
    finally:
        if http is None:
            await client.aclose()
    return [server for server in found if server is not None]


async def _listens(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(CONNECT_LIMIT_S):
            _reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


async def _recognise(http: Http, host: str, port: int, usual: str) -> FoundServer | None:
    """Ask what listens there for its models, in the way that all of these servers understand."""
    root = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    try:
        status, headers, value = await http.try_json(f"{root}/v1/models", limit_s=ANSWER_LIMIT_S)
    except ProviderError:
        return None
    if status in (401, 403) and isinstance(value, dict):
        return FoundServer(usual, preset_of(usual).label, _base_url(root, usual), needs_key=True)
    if status != 200 or not isinstance(value, dict) or "data" not in value:
        return None
    listed = value["data"] if value["data"] is not None else []  # Ollama without a model
    if not isinstance(listed, list):
        return None
    from sam_py.providers.model_names import is_chat_name

    models = [model for model in listed if isinstance(model, dict) and isinstance(model.get("id"), str)]
    preset = _preset(headers, models, usual)
    says_ollama = any(str(model.get("owned_by", "")).lower() == "library" for model in models)
    if not says_ollama and (preset in ("compatible", "ollama") or not models):  # its protocol is nobody else's
        preset = "ollama" if await _is_ollama(http, root) else ("compatible" if preset == "ollama" else preset)
    label = preset_of(preset).label if preset != "compatible" else f"Server at {host}:{port}"
    names = tuple(model["id"] for model in models if is_chat_name(model["id"]))
    return FoundServer(preset, label, _base_url(root, preset), names)


def _base_url(root: str, preset: str) -> str:
    """Where the preset's protocol begins: Ollama's own at the host."""
    return root if preset_of(preset).wire == "ollama" else f"{root}/v1"


async def _is_ollama(http: Http, root: str) -> bool:
    """Ollama writes whoever published a model as its owner, so that its models alone do not tell."""
    try:
        status, _headers, value = await http.try_json(f"{root}/api/version", limit_s=ANSWER_LIMIT_S)
    except ProviderError:
        return False
    return status == 200 and isinstance(value, dict) and isinstance(value.get("version"), str)


def _preset(headers: Mapping[str, str], models: list[dict[str, Any]], usual: str) -> str:
    """What the server really is. One that says nothing of itself is taken for what usually listens there."""
    if "llama.cpp" in headers.get("server", "").lower():
        return "llamacpp"
    owners = {str(model.get("owned_by", "")).lower() for model in models}
    for owner, preset in _OWNERS.items():
        if owner in owners:
            return preset
    return usual if not owners - {"", "system", "user", "local"} else "compatible"
