"""Consent: what exactly a server would run or reach, what changed since the person agreed, what is risky in it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal
from urllib.parse import urlsplit

from sam_py.errors import SamError
from sam_py.providers.hosts import is_same_machine, may_carry_key
from sam_py.settings.model import McpConsent, McpServerSettings

Risk = Literal["shell", "administrator", "deletes", "unpinned", "whole_home", "unencrypted", "loads_code"]
_SHELLS = {"sh", "bash", "zsh", "dash", "fish", "cmd", "powershell", "pwsh", "env"}
_RUNNERS = {"npx", "bunx", "uvx", "pipx"}
_LOADERS = {"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP"}
_PINNED = re.compile(r"(@\d[\w.+-]*|==\d[\w.+-]*)$")
_BATCH_MARKS = re.compile(r'[&|<>^%"\r\n]')


class CannotRunError(SamError):
    """What the settings of a server say cannot be run or reached."""


@dataclass(frozen=True, slots=True)
class Change:
    """One field of a consent that is no longer what was agreed to."""

    what: Literal["command", "args", "cwd", "env", "url", "headers", "values"]
    before: str
    after: str


def what_would_run(server: McpServerSettings, environ: Mapping[str, str] = os.environ) -> McpConsent:
    """What starting `server` on this machine means, the command resolved. Raises `CannotRunError`."""
    if bool(server.command) == bool(server.url):
        raise CannotRunError(f"{server.label} needs either a command or an address. Give one of them in settings.")
    if server.url:
        _check_address(server)
        command = ""
    else:
        command = _resolved(server, environ)
    return McpConsent(
        command=command,
        args=server.args,
        cwd=server.cwd,
        env=tuple(sorted(server.env)),
        url=server.url,
        headers=tuple(sorted(server.headers, key=str.lower)),
        values=_digest([sorted(server.env.items()), sorted(server.headers.items())]),
    )


def consent_hash(consent: McpConsent) -> str:
    """SHA-256 over all of `consent`: another hash, another agreement."""
    return _digest(consent.model_dump(mode="json"))


def changes(agreed: McpConsent | None, now: McpConsent) -> tuple[Change, ...]:
    """What differs from what was agreed to; everything, where nothing was."""
    before = agreed or McpConsent()
    found = []
    for what in ("command", "args", "cwd", "env", "url", "headers"):
        old, new = getattr(before, what), getattr(now, what)
        if old != new:
            found.append(Change(what, _shown(old), _shown(new)))
    if agreed is not None and before.values != now.values and before.env == now.env and before.headers == now.headers:
        found.append(Change("values", "", ""))  # the names are the same: what they hold is another
    return tuple(found)


def risks(consent: McpConsent) -> tuple[Risk, ...]:
    """What a person should be warned of before they agree."""
    found: list[Risk] = []
    program = PurePath(consent.command).name.lower().removesuffix(".exe").removesuffix(".cmd")
    words = [program, *(word for argument in consent.args for word in re.split(r"[\s;&|]+", argument))]
    if program in _SHELLS:
        found.append("shell")
    if {"sudo", "doas", "su", "runas"} & set(words):
        found.append("administrator")
    if {"rm", "rmdir", "del", "mkfs", "dd"} & set(words):
        found.append("deletes")
    package = next((argument for argument in consent.args if not argument.startswith("-")), "")
    if program in _RUNNERS and package and not _PINNED.search(package):
        found.append("unpinned")
    home = os.path.expanduser("~")
    if any(argument in ("/", "~", "$HOME", home, home + os.sep) for argument in consent.args):
        found.append("whole_home")
    if _LOADERS & {name.upper() for name in consent.env}:
        found.append("loads_code")
    if urlsplit(consent.url).scheme == "http" and not is_same_machine(consent.url):
        found.append("unencrypted")
    return tuple(found)


def _resolved(server: McpServerSettings, environ: Mapping[str, str]) -> str:
    wanted = os.path.expanduser(server.command)
    if any("\0" in text for text in (wanted, server.cwd, *server.args)):
        raise CannotRunError(f"The command of {server.label} holds a character that no command may have.")
    path = server.env.get("PATH") or environ.get("PATH") or os.defpath
    found = shutil.which(wanted, path=path)
    if found is None:
        raise CannotRunError(
            f"The program “{server.command}” of {server.label} was not found. Install it, or give its whole path."
        )
    check_batch_arguments(found, server.args, server.label)
    return os.path.abspath(found)


def check_batch_arguments(command: str, args: tuple[str, ...], label: str) -> None:
    """Windows runs batch files through its shell, which would execute what such characters put in between."""
    if command.lower().endswith((".cmd", ".bat")) and any(_BATCH_MARKS.search(argument) for argument in args):
        raise CannotRunError(
            f"The arguments of {label} hold characters that the batch file {PurePath(command).name} would run as "
            "commands. Name the program behind it (node.exe, uv.exe) instead."
        )


def _check_address(server: McpServerSettings) -> None:
    try:
        parts = urlsplit(server.url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\\\x00-\x1f]", server.url):
        raise CannotRunError(f"The address of {server.label} is not one: it begins with https:// and names a host.")
    if parts.username is not None or parts.password is not None:
        raise CannotRunError(f"The address of {server.label} holds a name or password. Use an Authorization header.")
    if server.headers and not may_carry_key(server.url):
        raise CannotRunError(
            f"The headers of {server.label} would go through the internet unencrypted. Use its https:// address."
        )


def _shown(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else command_line(value)


def command_line(words: tuple[str, ...], windows: bool = sys.platform == "win32") -> str:
    """`words` as a shell of this system would need them: nothing shortened, borders visible."""
    import shlex
    import subprocess

    return subprocess.list2cmdline(words) if windows else shlex.join(words)


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")).hexdigest()
