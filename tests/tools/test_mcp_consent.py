"""Consent: all that would run is shown and compared; one changed byte of any of it is another agreement."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sam_py.settings.file import SettingsFile
from sam_py.settings.model import McpConsent, McpServerSettings, Settings
from sam_py.tools.mcp.consent import (
    CannotRunError,
    changes,
    check_batch_arguments,
    command_line,
    consent_hash,
    risks,
    what_would_run,
)
from sam_py.tools.mcp.offer import OfferedTool
from sam_py.tools.mcp.secrets import reference, referenced, secret_name
from sam_py.tools.mcp.tool import fingerprint

LOCAL = McpServerSettings(
    id="files",
    label="Files",
    command=sys.executable,
    args=("server.py", "--root", "a"),
    cwd=os.sep,
    env={"TOKEN": "1"},
)
REMOTE = McpServerSettings(id="web", label="Web", url="https://example.org/mcp", headers={"Authorization": "Bearer a"})


def consent(**more: Any) -> McpConsent:
    return McpConsent(**{"command": "/usr/bin/node", **more})


@pytest.mark.parametrize(
    ("settings", "changed", "what"),
    [
        (LOCAL, {"command": "sh"}, "command"),
        (LOCAL, {"args": ("server.py", "--root", "b")}, "args"),
        (LOCAL, {"args": ("server.py", "--root a")}, "args"),
        (LOCAL, {"cwd": ""}, "cwd"),
        (LOCAL, {"env": {"TOKEN": "1", "LD_PRELOAD": "x"}}, "env"),
        (LOCAL, {"env": {"TOKEN": "2"}}, "values"),
        (LOCAL, {"env": {"TOKEM": "1"}}, "env"),
        (REMOTE, {"url": "https://example.org/mcq"}, "url"),
        (REMOTE, {"url": "https://examp1e.org/mcp"}, "url"),
        (REMOTE, {"headers": {"authorization": "Bearer a"}}, "headers"),
        (REMOTE, {"headers": {"Authorization": "Bearer b"}}, "values"),
    ],
)
def test_any_change_is_another_agreement(settings: McpServerSettings, changed: dict[str, Any], what: str) -> None:
    agreed, now = what_would_run(settings), what_would_run(settings.model_copy(update=changed))
    assert agreed != now
    assert consent_hash(agreed) != consent_hash(now)
    assert [change.what for change in changes(agreed, now)] == [what]


def test_a_label_or_a_deadline_is_no_reason_to_ask_again() -> None:
    renamed = LOCAL.model_copy(update={"label": "My files", "call_s": 5.0})
    assert changes(what_would_run(LOCAL), what_would_run(renamed)) == ()


def test_what_is_shown_is_never_shortened() -> None:
    long = LOCAL.model_copy(update={"args": ("x" * 5_000 + "; rm -rf /",)})
    shown = {change.what: change.after for change in changes(None, what_would_run(long))}
    assert shown["args"].endswith("; rm -rf /'")
    assert len(shown["args"]) > 5_000


def test_the_command_is_resolved_when_it_is_asked_about(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    server = McpServerSettings(id="t", label="T", command="tool", env={"PATH": str(tmp_path)})
    assert what_would_run(server).command == str(program)
    program.unlink()
    with pytest.raises(CannotRunError, match="was not found"):
        what_would_run(server)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/", "is not one"),
        ("javascript:alert(1)", "is not one"),
        ("http://", "is not one"),
        ("https://exa mple.org/", "is not one"),
        ("https://[::1", "is not one"),
        ("https://example.org:99999/", "is not one"),
        ("https://me:secret@example.org/mcp", "holds a name or password"),
        ("http://example.org/mcp", "unencrypted"),
    ],
)
def test_an_address_that_must_not_be_used_is_refused(url: str, words: str) -> None:
    with pytest.raises(CannotRunError, match=words):
        what_would_run(REMOTE.model_copy(update={"url": url}))


@pytest.mark.parametrize("changed", [{"url": "https://a.b/"}, {"command": ""}, {"command": "a\0b"}])
def test_a_server_is_a_program_or_an_address(changed: dict[str, str]) -> None:
    with pytest.raises(CannotRunError):
        what_would_run(LOCAL.model_copy(update=changed))


@pytest.mark.parametrize("mark", ["&", "|", "<", ">", "^", "%", '"', "\n"])
def test_a_batch_file_gets_no_argument_that_its_shell_would_run(mark: str) -> None:
    with pytest.raises(CannotRunError, match="run as"):
        check_batch_arguments(r"C:\node\npx.CMD", ("server", f"a{mark}calc.exe"), "Files")
    check_batch_arguments(r"C:\node\node.exe", (f"a{mark}b",), "Files")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (consent(), ()),
        (consent(command="/bin/sh", args=("-c", "sudo rm -rf x")), ("shell", "administrator", "deletes")),
        (consent(command="/usr/bin/npx", args=("-y", "@scope/server")), ("unpinned",)),
        (consent(command="/usr/bin/npx", args=("-y", "@scope/server@1.2.3")), ()),
        (consent(command="/usr/bin/uvx", args=("server==2.0",)), ()),
        (consent(args=("server.js", os.path.expanduser("~"))), ("whole_home",)),
        (consent(env=("NODE_OPTIONS",)), ("loads_code",)),
        (McpConsent(url="http://192.168.1.2/mcp"), ("unencrypted",)),
        (McpConsent(url="http://127.0.0.1:1/mcp"), ()),
    ],
)
def test_risks_are_named(given: McpConsent, found: tuple[str, ...]) -> None:
    assert risks(given) == found


@pytest.mark.parametrize("field", ["name", "title", "description", "schema", "read_only"])
def test_a_grant_ends_with_any_change_of_the_tool(field: str) -> None:
    tool = OfferedTool("read", "Read", "Reads.", {"type": "object"})
    other: dict[str, Any] = {"schema": {"type": "object", "a": 1}, "read_only": True}
    changed = OfferedTool(**{**_fields(tool), field: other.get(field, "x")})
    assert fingerprint(consent(), tool) != fingerprint(consent(), changed)
    assert fingerprint(consent(), tool) != fingerprint(consent(args=("x",)), tool)
    assert fingerprint(consent(), tool) == fingerprint(consent(), OfferedTool(**_fields(tool)))


def test_a_command_line_shows_where_each_word_ends() -> None:
    assert command_line(("node", "a b", ""), windows=False) == "node 'a b' ''"
    assert command_line(("node", "a b"), windows=True) == 'node "a b"'


def test_servers_survive_the_settings_file_without_their_secrets(tmp_path: Path) -> None:
    kept = reference(secret_name("files", "TOKEN"))
    server = LOCAL.model_copy(update={"env": {"TOKEN": kept}, "agreed": what_would_run(LOCAL)})
    file = SettingsFile(tmp_path / "settings.json")
    file.change(lambda settings: settings.model_copy(update={"mcp_servers": (server,)}))
    file.close()
    assert SettingsFile(tmp_path / "settings.json").current.mcp_servers == (server,)
    assert referenced(server.env) == ("mcp/files/TOKEN",)


def test_settings_of_before_know_no_servers() -> None:
    assert Settings.model_validate({"schema_version": 1}).mcp_servers == ()


def _fields(tool: OfferedTool) -> dict[str, Any]:
    return {name: getattr(tool, name) for name in ("name", "title", "description", "schema", "read_only")}
