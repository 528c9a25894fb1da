"""Reading ``mcpServers`` JSON as other programs write it; its servers arrive switched off, agreed to by nobody."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sam_py.errors import SamError
from sam_py.settings.model import McpServerSettings
from sam_py.tools.mcp.names import one_line

LARGEST = 1_000_000
MOST_SERVERS = 200
_STREAMABLE = {"http", "streamable-http", "streamableHttp", "streamable_http", "remote"}
_LOCAL = {"stdio", "local"}
_PLACEHOLDER = re.compile(r"\$\{(?!keyring:)[^{}]*\}|<[A-Za-z][\w -]*>")


class ConfigError(SamError):
    """The text holds no servers that can be read."""


@dataclass(frozen=True, slots=True)
class Imported:
    """`servers` to add; `problems` says in sentences what was left out, or has still to be filled in."""

    servers: tuple[McpServerSettings, ...]
    problems: tuple[str, ...] = ()


def parse_servers(text: str, taken: Collection[str] = ()) -> Imported:
    """The servers in `text`: ``{"mcpServers": {name: …}}``, also under ``servers`` or ``mcp``, or the inner object.

    `taken` are ids that exist. Raises `ConfigError`.

    >>> parse_servers('{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}').servers[0].enabled
    False
    """
    entries = _entries(_parsed(text))
    ids = set(taken)
    servers: list[McpServerSettings] = []
    problems: list[str] = []
    for name, entry in list(entries.items())[:MOST_SERVERS]:
        label = one_line(name, 60) or "server"
        try:
            server = _server(label, entry, _free_id(name, ids), problems)
        except ConfigError as error:
            problems.append(f"{label}: {error}")
        else:
            ids.add(server.id)
            servers.append(server)
    if len(entries) > MOST_SERVERS:
        problems.append(f"Only the first {MOST_SERVERS} of {len(entries)} servers were read.")
    if not servers:
        raise ConfigError(problems[0] if problems else "There is no server in it.")
    return Imported(tuple(servers), tuple(problems))


def _parsed(text: str) -> Any:
    if len(text) > LARGEST:
        raise ConfigError("That is too long to be a list of servers.")
    if not text.strip():
        raise ConfigError("It is empty. Paste the JSON that begins with “mcpServers”.")
    try:
        return json.loads(text.lstrip("\ufeff"), object_pairs_hook=_without_twins)
    except RecursionError as error:
        raise ConfigError("It is nested too deeply to be a list of servers.") from error
    except json.JSONDecodeError as error:
        raise ConfigError(f"It is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from error


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two entries of one name a reader would see one and the program run the other."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _value in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"It has the name “{one_line(twin, 60)}” twice in one place. Leave one of them.")
    return found


def _entries(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        inner = value.get("mcp")
        if isinstance(inner, dict) and "mcpServers" not in value:
            value = inner
        for name in ("mcpServers", "servers"):
            if isinstance(value.get(name), dict):
                found: dict[str, Any] = value[name]
                return found
        if value and all(isinstance(entry, dict) and {"command", "url"} & set(entry) for entry in value.values()):
            return dict(value)
    raise ConfigError("It has no “mcpServers” object with a server under each name.")


def _server(label: str, entry: Any, server_id: str, problems: list[str]) -> McpServerSettings:
    if not isinstance(entry, dict):
        raise ConfigError("it is no JSON object.")
    kind = entry.get("type") or entry.get("transport") or ""
    url = entry.get("url") or entry.get("serverUrl") or entry.get("httpUrl") or ""
    command = entry.get("command") or ""
    if kind == "sse":
        raise ConfigError("its transport “sse” was replaced by streamable HTTP; ask for that address (often /mcp).")
    if kind and kind not in _STREAMABLE | _LOCAL:
        raise ConfigError(f"its transport “{one_line(str(kind), 40)}” is not known here (stdio and http are).")
    args = _words(entry.get("args"), "args")
    if isinstance(command, list):  # some programs write the whole line as one list
        command, args = (_words(command, "command") or ("",))[0], (*_words(command, "command")[1:], *args)
    if not isinstance(command, str) or not isinstance(url, str):
        raise ConfigError("“command” and “url” must be text.")
    if bool(command.strip()) == bool(url.strip()):
        raise ConfigError("it needs either a “command” or a “url”.")
    env = _texts(entry.get("env") or entry.get("environment"), "env") if command else {}
    headers = _texts(entry.get("headers"), "headers") if url else {}
    cwd = entry.get("cwd") or ""
    if not isinstance(cwd, str):
        raise ConfigError("“cwd” must be text.")
    for where, value in [*env.items(), *headers.items(), *(("args", word) for word in args)]:
        if mark := _PLACEHOLDER.search(value):
            problems.append(f"{label}: “{where}” holds {mark[0]}, which has to be filled in.")
    return McpServerSettings(
        id=server_id,
        label=label,
        command=command.strip(),
        args=args,
        cwd=cwd if command else "",
        env=env,
        url=url.strip(),
        headers=headers,
    )


def _words(value: Any, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(word, str | int | float) for word in value):
        raise ConfigError(f"“{name}” must be a list of texts.")
    return tuple(str(word) for word in value)


def _texts(value: Any, name: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(each, str | int | float) for each in value.values()):
        raise ConfigError(f"“{name}” must be an object of texts.")
    return {key: str(each).lower() if isinstance(each, bool) else str(each) for key, each in value.items()}


def _free_id(name: str, taken: Collection[str]) -> str:
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:24] or "server"
    found, number = base, 2
    while found in taken:
        found, number = f"{base}-{number}", number + 1
    return found
