"""Secrets of servers: ``${keyring:name}`` in a setting stands for a value that only the keyring holds."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping

from sam_py.settings.model import McpServerSettings
from sam_py.tools.mcp.names import one_line
from sam_py.tools.mcp.offer import McpError

FindSecret = Callable[[str], Awaitable[str | None]]
"""Asks the keyring for the secret of a name; None where there is none."""

_REFERENCE = re.compile(r"\$\{keyring:([^{}]+)\}")


def secret_name(server_id: str, field: str) -> str:
    """The name under which the keyring keeps the secret value of `field` (a variable or a header) of a server."""
    return f"mcp/{server_id}/{field}"


def reference(name: str) -> str:
    """What a setting holds in place of the secret.

    >>> reference(secret_name("search", "API_KEY"))
    '${keyring:mcp/search/API_KEY}'
    """
    return f"${{keyring:{name}}}"


def referenced(values: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the secrets that `values` refer to, sorted."""
    return tuple(sorted({name for value in values.values() for name in _REFERENCE.findall(value)}))


def secrets_of(server: McpServerSettings) -> tuple[str, ...]:
    """The names of the server's own secrets that its settings refer to; what belongs to others is not its own."""
    names = {*referenced(server.env), *referenced(server.headers)}
    return tuple(sorted(name for name in names if is_own(server, name)))


def is_own(server: McpServerSettings, name: str) -> bool:
    """Whether `name` is one of the server's secrets: pasted settings must not ask for a provider's key.

    >>> is_own(McpServerSettings(id="web", label="Web"), "mcp/web/TOKEN")
    True
    >>> is_own(McpServerSettings(id="web", label="Web"), "openai")
    False
    """
    return name.startswith(f"mcp/{server.id}/")


async def filled_in(
    values: Mapping[str, str], find: FindSecret, server: McpServerSettings
) -> tuple[dict[str, str], tuple[str, ...]]:
    """`values` with their secrets, and those secrets. Raises `McpError` where one is missing, or another's."""
    found: dict[str, str] = {}
    for name in referenced(values):
        if not is_own(server, name):
            raise McpError(
                f"The settings of {server.label} ask for the secret “{one_line(name)}”, which is not its own. "
                "Edit the server and enter the value there.",
                edit=True,
            )
        secret = await find(name)
        if secret is None:
            raise McpError(
                f"{server.label} needs the secret “{one_line(name)}”, which the keyring does not have. "
                "Edit the server and enter the value there.",
                edit=True,
            )
        found[name] = secret
    filled = {key: _REFERENCE.sub(lambda match: found[match[1]], value) for key, value in values.items()}
    return filled, tuple(found.values())
