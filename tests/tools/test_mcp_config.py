"""mcpServers JSON of other programs is read, switched off, and what cannot be read is said."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.tools.mcp.config import ConfigError, parse_servers
from sam_py.tools.mcp.log import ServerLog
from sam_py.tools.mcp.names import LONGEST_NAME, one_line, tool_name

TIME = {"command": "uvx", "args": ["mcp-server-time", "--port", 1]}


def read(value: Any) -> Any:
    return parse_servers(json.dumps(value))


@pytest.mark.parametrize(
    "text",
    [
        {"mcpServers": {"time": TIME}},
        {"servers": {"time": {"type": "stdio", **TIME}}},
        {"mcp": {"servers": {"time": TIME}}},
        {"mcp": {"mcpServers": {"time": TIME}}},
        {"time": TIME},
        {"mcpServers": {"time": {"type": "local", "command": ["uvx", "mcp-server-time", "--port", "1"]}}},
    ],
)
def test_every_usual_form_gives_the_same_server(text: Any) -> None:
    (server,) = read(text).servers
    assert (server.id, server.command, server.args) == ("time", "uvx", ("mcp-server-time", "--port", "1"))


@pytest.mark.parametrize("key", ["url", "serverUrl", "httpUrl"])
def test_servers_at_an_address_are_read(key: str) -> None:
    entry = {"type": "http", key: " https://a.b/mcp ", "headers": {"X-Key": "${keyring:a}"}}
    imported = read({"mcpServers": {"A b!": entry}})
    assert imported.problems == ()
    (server,) = imported.servers
    assert (server.id, server.label, server.url) == ("a-b", "A b!", "https://a.b/mcp")
    assert server.headers == {"X-Key": "${keyring:a}"}


def test_what_is_imported_is_switched_off_whatever_it_says() -> None:
    claims = {"enabled": True, "disabled": False, "autoApprove": ["*"], "trust": True, "agreed": {"command": "uvx"}}
    (server,) = read({"mcpServers": {"time": {**TIME, **claims}}}).servers
    assert not server.enabled
    assert server.agreed is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("{", "line 1, column 2"),
        ('{"a": 1,}', "not valid JSON"),
        ("[]", "no “mcpServers”"),
        ('{"mcpServers": []}', "no “mcpServers”"),
        ('{"mcpServers": {}}', "no server in it"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "twice"),
        ('{"mcpServers": {"a": 1}}', "no JSON object"),
        ('{"mcpServers": {"a": {}}}', "either a “command” or a “url”"),
        ('{"mcpServers": {"a": {"command": "x", "url": "y"}}}', "either a “command” or a “url”"),
        ('{"mcpServers": {"a": {"command": 1}}}', "must be text"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "“args” must be a list"),
        ('{"mcpServers": {"a": {"command": "x", "env": ["y"]}}}', "“env” must be an object"),
        ('{"mcpServers": {"a": {"command": "x", "env": {"y": {}}}}}', "“env” must be an object"),
        ('{"mcpServers": {"a": {"type": "sse", "url": "https://a.b"}}}', "replaced by streamable HTTP"),
        ('{"mcpServers": {"a": {"type": "pigeon", "url": "https://a.b"}}}', "not known here"),
        ("[" * 100_000, "nested too deeply"),
        ("x" * 1_000_001, "too long"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_servers(text)


def test_one_bad_server_does_not_keep_out_the_others() -> None:
    imported = read({"mcpServers": {"bad": {}, "time": TIME}})
    assert [server.id for server in imported.servers] == ["time"]
    assert imported.problems == ("bad: it needs either a “command” or a “url”.",)


@pytest.mark.parametrize("value", ["${env:API_KEY}", "${input:key}", "<YOUR KEY>"])
def test_what_has_to_be_filled_in_is_said(value: str) -> None:
    imported = read({"mcpServers": {"time": {**TIME, "env": {"KEY": value}}}})
    assert imported.problems == (f"time: “KEY” holds {value}, which has to be filled in.",)


def test_ids_stay_apart_from_each_other_and_from_those_taken() -> None:
    text = json.dumps({"mcpServers": {"Time": TIME, "time!": TIME, "🕰": TIME}})
    assert [server.id for server in parse_servers(text, taken=["time"]).servers] == ["time-2", "time-3", "server"]


LEAVES = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner)))
def test_no_json_breaks_the_reader(value: Any) -> None:
    for text in (json.dumps(value), json.dumps({"mcpServers": {"a": value}})):
        with suppress(ConfigError):
            assert not any(server.enabled for server in parse_servers(text).servers)


@given(st.text(max_size=100), st.text(max_size=100))
def test_a_tool_name_is_safe_short_and_always_the_same(server_id: str, tool: str) -> None:
    name = tool_name(server_id, tool)
    assert 0 < len(name) <= LONGEST_NAME
    assert name.isascii()
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert name == tool_name(server_id, tool) != tool_name(server_id, tool, apart=True) or "_" in name


def test_different_tools_have_different_names() -> None:
    pairs = [("a", "b__c"), ("a__b", "c"), ("a", "x y"), ("a", "x_y"), ("a", "x/y"), ("a", "x" * 90), ("a", "x" * 91)]
    assert len({tool_name(*pair) for pair in pairs}) == len(pairs)


def test_a_line_hides_and_reorders_nothing() -> None:
    assert one_line("a\u202eb\u200b\x1b[2Jc\n\td") == "ab[2Jc d"
    assert one_line("x" * 200, 10) == "x" * 9 + "…"


def test_a_log_stays_small_private_and_without_secrets(tmp_path: Any) -> None:
    path = tmp_path / "logs" / "server.log"
    log = ServerLog(path, ("top-secret",), largest_bytes=10_000)
    for number in range(2_000):
        log.write(b"line %d with top-" % number)
        log.write(b"secret inside\n")
    log.write(b"the end of top-secret")
    assert log.last_words.endswith("[secret] inside\nthe end of [secret]")
    log.close()
    written = path.read_bytes() + path.with_name("server.log.1").read_bytes()
    assert b"top-secret" not in written
    assert len(written) <= 20_000
    assert path.stat().st_mode & 0o077 == 0


def test_a_log_that_cannot_be_written_costs_nothing_else(tmp_path: Any) -> None:
    (tmp_path / "file").write_text("")
    log = ServerLog(tmp_path / "file" / "server.log")
    log.write(b"lost\n")
    log.close()
    assert log.last_words == "lost"
