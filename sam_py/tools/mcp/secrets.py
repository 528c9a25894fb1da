"""Secrets of servers: ``${keyring:name}`` in a setting stands for a value that only the keyring holds."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping

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


async def filled_in(values: Mapping[str, str], find: FindSecret, label: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """`values` with their secrets, and those secrets. Raises `McpError` where one is missing."""
    found: dict[str, str] = {}
    for name in referenced(values):
        secret = await find(name)
        if secret is None:
            raise McpError(f"{label} needs the secret “{name}”, which the keyring does not have. Enter it in settings.")
        found[name] = secret
    filled = {key: _REFERENCE.sub(lambda match: found[match[1]], value) for key, value in values.items()}
    return filled, tuple(found.values())
