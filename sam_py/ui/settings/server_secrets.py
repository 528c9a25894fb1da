"""Secrets of servers on their way into the keyring and out of it; what fails there is said, and costs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from sam_py.errors import SamError
from sam_py.settings.model import McpServerSettings
from sam_py.settings.secrets import Secrets

_SECRET = re.compile(r"key|token|secret|passw|auth|credential|cookie", re.IGNORECASE)
_SCHEME = re.compile(r"((?:Bearer|Basic|Token)\s+)(\S+)\Z", re.IGNORECASE)


async def without_secrets(server: McpServerSettings, secrets: Secrets, problems: list[str]) -> McpServerSettings:
    """`server` with references in place of what looks like a secret. What cannot be kept safely is left empty."""
    from sam_py.tools.mcp.secrets import reference, secret_name

    update: dict[str, dict[str, str]] = {}
    for where in ("env", "headers"):
        values: dict[str, str] = dict(getattr(server, where))
        for field, value in values.items():
            if "${" in value or not value or (where == "env" and not _SECRET.search(field)):
                continue
            found = _SCHEME.match(value)
            scheme, secret = (found[1], found[2]) if found is not None else ("", value)
            name = secret_name(server.id, field)
            try:
                kept = await secrets.set(name, secret, base_url="")
            except SamError as error:
                values[field] = ""
                problems.append(f"{server.label}: {field}: {error}")
                continue
            values[field] = scheme + reference(name)
            if kept.source != "keyring":
                problems.append(f"{server.label}: {field}: {kept.text}")
        update[where] = values
    return server.model_copy(update=update)


async def forget_secrets(names: Iterable[str], secrets: Secrets) -> list[str]:
    """Take `names` out of the keyring; returns a sentence for each that may still be in it."""
    problems = []
    for name in names:
        try:
            await secrets.delete(name)
        except SamError as error:
            said = _tr("The secret “%1” may still be in the system keyring: delete it there, under “sam-py”.")
            problems.append(f"{error} {said.replace('%1', name)}")
    return problems


def no_longer_named(before: Iterable[McpServerSettings], now: Iterable[McpServerSettings]) -> list[str]:
    """The secrets that the servers of `before` had, and none of `now` has."""
    from sam_py.tools.mcp.secrets import secrets_of

    kept = {name for server in now for name in secrets_of(server)}
    return [name for server in before for name in secrets_of(server) if name not in kept]


def _tr(text: str) -> str:
    return QCoreApplication.translate("ServerSecrets", text)
