"""McpServers: servers come by consent, offer tools, change, crash, are started again, and go."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.parts import FilePart, ImagePart
from sam_py.tools.approval import Approvals, Grant
from sam_py.tools.base import BadArguments, Running, ToolError
from sam_py.tools.mcp.secrets import reference, secret_name
from tests.fakes.mcp_host import Host, Runs, fake, run_on_asyncio, run_on_qt


@pytest.fixture(params=["asyncio", "qt"])
def runs(request: pytest.FixtureRequest, qapp: Any) -> Runs[None]:
    """Run a coroutine on either loop, and see that it leaves neither tasks nor processes."""

    def on_qt(work: Coroutine[Any, Any, None]) -> None:
        run_on_qt(qapp, work)

    return run_on_asyncio if request.param == "asyncio" else on_qt


def test_tools_of_a_server_can_be_called(runs: Runs[None], tmp_path: Path) -> None:
    async def work() -> None:
        host = Host(tmp_path)
        await host.begin(fake())
        status = host.status()
        assert (status.state, status.offer.name, len(status.tool_names)) == ("ready", "fake", 12)
        assert (await host.call("echo", text="hello")).text == "hello"
        failed = await host.call("fails")
        assert (failed.text, failed.failed) == ("The disk is full.", True)
        assert (await host.call("big", mb=2)).text.startswith("xxx")
        assert (await host.call("flood")).failed is False
        await host.servers.aclose()
        assert len(host.registry) == 0
        assert host.status().state == "stopped"

    runs(work())


def test_a_tool_is_described_as_the_server_does_and_trusted_in_nothing(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake())
        tool = host.tool("echo")
        assert tool.parameters["required"] == ["text"]
        assert tool.untrusted
        assert [(touch.effect, touch.free) for touch in tool.touches({"text": "a"})] == [("run", False)]
        assert "mcp_server.py" in tool.touches({})[0].target
        assert tool.doing({"text": "a\nb\u202e"}) == 'text: "a\\nb"'
        with pytest.raises(BadArguments, match="text must be given"):
            tool.parse("{}")
        assert not Approvals().is_free(tool, tool.touches({}), "c")  # its readOnlyHint changes nothing
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", each.name) for each in host.registry)
        await host.servers.aclose()

    runs(work())


def test_pictures_and_files_are_kept_as_attachments(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake())
        result = await host.call("picture")
        assert [type(part) for part in result.parts] == [ImagePart, FilePart]
        assert result.text == "A pixel.\nInside.\n[resource note:///far (far)]"
        assert host.kept["0:image/png"].startswith(b"\x89PNG")
        with pytest.raises(ToolError, match="not understood"):
            await host.call("damaged")
        await host.servers.aclose()

    runs(work())


def test_resources_and_prompts_can_be_read(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake())
        assert [(each.uri, each.is_template) for _id, each in host.servers.resources()] == [
            ("note:///one", False),
            ("note:///{name}", True),
        ]
        read = await host.servers.read_resource("fake", "note:///one")
        assert read.text == "One."
        assert [part.filename for part in read.parts if isinstance(part, FilePart)] == ["one.bin"]
        with pytest.raises(ToolError, match="no such note"):
            await host.servers.read_resource("fake", "note:///two")
        assert [(each.name, each.arguments[0].required) for _id, each in host.servers.prompts()] == [("greet", True)]
        messages = await host.servers.get_prompt("fake", "greet", {"tone": "kind"})
        assert [(each.role, each.text) for each in messages] == [("user", "Be kind.")]
        await host.servers.aclose()

    runs(work())


def test_progress_is_shown_and_a_stop_is_told_to_the_server(runs: Runs[None], tmp_path: Path) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake(env={"CANCELLED": str(tmp_path)}))
        shown: list[str] = []
        call = asyncio.create_task(host.tool("slow").run({}, Running("1", "c", shown.append)))
        await host.until_true(lambda: bool(shown))
        assert shown == ["25 % · reading"]
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await host.until_true((tmp_path / "cancelled").exists)
        assert (await host.call("echo", text="still there")).text == "still there"
        await host.servers.aclose()

    runs(work())


def test_a_deadline_is_told_to_the_server_too(runs: Runs[None], tmp_path: Path) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake(env={"CANCELLED": str(tmp_path)}, call_s=0.05))
        tool = host.tool("slow")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(tool.deadline_s):  # as the runner does
                await tool.run({}, Running("1", "c"))
        await host.until_true((tmp_path / "cancelled").exists)
        await host.servers.aclose()

    runs(work())


def test_a_schema_of_the_server_cannot_hold_up_the_program(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake())
        assert (await host.call("trap")).text == "ok"
        await host.servers.aclose()

    runs(work())


def test_a_changed_description_is_another_tool_and_ends_its_grants(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake())
        before, other = host.tool("echo"), host.tool("fails")
        grant = Grant(tool_name=before.name, fingerprint=before.fingerprint, effects=("run",))
        approvals = Approvals((grant,))
        assert approvals.is_free(before, before.touches({}), "c")
        await host.call("change")
        await host.until_true(lambda: bool(host.status().tool_changes))
        assert "fake__echo" not in host.registry
        host.accept()
        after = host.tool("echo")
        assert "evil" in after.description
        assert not approvals.is_free(after, after.touches({}), "c")
        assert host.tool("fails") is other
        with pytest.raises(ToolError, match="no longer what it was"):
            await before.run({"text": "a"}, Running("1", "c"))
        await host.servers.aclose()

    runs(work())


def test_a_server_sees_what_was_declared_and_no_other_variable(
    runs: Runs[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")

    async def work() -> None:
        host = Host()
        name = secret_name("fake", "TOKEN")
        host.secrets[name] = "from-the-keyring"
        await host.begin(fake(env={"TOKEN": f"Bearer {reference(name)}", "PLAIN": "1"}))
        seen = json.loads((await host.call("environment")).text)
        assert (seen["TOKEN"], seen["PLAIN"]) == ("Bearer from-the-keyring", "1")
        inherited = {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
        assert set(seen) - {"LC_CTYPE", "TOKEN", "PLAIN", "__CF_USER_TEXT_ENCODING"} <= inherited
        await host.servers.aclose()

    runs(work())


def test_a_missing_secret_is_said_and_nothing_starts(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake(env={"TOKEN": reference("mcp/fake/TOKEN")}))
        assert (host.status().state, host.status().reason) == (
            "failed",
            "Fake needs the secret “mcp/fake/TOKEN”, which the keyring does not have. "
            "Edit the server and enter the value there.",
        )
        assert host.status().wants_edit
        await host.servers.aclose()

    runs(work())


def test_a_server_is_never_given_a_secret_that_is_not_its_own(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        for name in ("openai", "mcp/other/TOKEN", "mcp/fake2/TOKEN"):
            host.secrets[name] = "sk-canary"
            await host.begin(fake(env={"TOKEN": reference(name)}))
            assert host.status().state == "failed"
            assert "is not its own" in host.status().reason
        await host.servers.aclose()

    runs(work())


def test_nothing_starts_without_consent_or_after_a_change(runs: Runs[None], tmp_path: Path) -> None:
    async def work() -> None:
        host = Host()
        settings = fake(env={"CANCELLED": str(tmp_path)})
        await host.begin(settings.model_copy(update={"agreed": None}))
        assert host.status().state == "needs_consent"
        assert host.status().would_run == settings.agreed
        await host.begin(settings.model_copy(update={"args": (*settings.args, "grandchild")}))
        assert [change.what for change in host.status().changes] == ["args"]
        assert host.status().changes[0].after.endswith(" grandchild")
        await host.begin(settings.model_copy(update={"enabled": False}))
        assert host.status().state == "stopped"
        assert not (tmp_path / "grandchild").exists()
        host.configure(settings)
        await host.until("fake", "ready")
        await host.servers.aclose()

    runs(work())


def test_a_server_that_crashes_is_started_again_and_keeps_its_tools(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host(restart_delays_s=(0.01, 0.01, 0.01))
        await host.begin(fake())
        echo = host.tool("echo")
        with pytest.raises(ToolError, match="ended before it answered"):
            await host.call("crash")
        await host.until("fake", "starting")
        assert "code 9" in host.seen[-1].reason or "code 9" in host.seen[-2].reason
        await host.until("fake", "ready")
        assert host.tool("echo") is echo
        assert (await host.call("echo", text="back")).text == "back"
        await host.servers.aclose()

    runs(work())


def test_after_three_restarts_in_a_row_the_person_is_waited_for(runs: Runs[None], tmp_path: Path) -> None:
    async def work() -> None:
        host = Host(restart_delays_s=(0.01, 0.01, 0.01))
        await host.begin(fake("fake", "dies-early"))
        status = await host.until("fake", "failed")
        assert {each.attempt for each in host.seen} == {0, 1, 2, 3, 4}
        assert "no licence found" in status.reason
        seen = len(host.seen)
        host.servers.restart("fake")
        await host.until_true(lambda: len(host.seen) > seen and host.status().state == "failed")
        await host.servers.aclose()

    runs(work())


def test_servers_come_and_go_with_the_settings(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake("one"), fake("two"))
        assert {tool.name.partition("__")[0] for tool in host.registry} == {"one", "two"}
        host.configure(fake("two"))
        await host.until_true(lambda: {tool.name.partition("__")[0] for tool in host.registry} == {"two"})
        assert host.servers.status("one") is None
        with pytest.raises(ToolError, match="no server “one”"):
            await host.servers.read_resource("one", "note:///one")
        await host.servers.aclose()

    runs(work())


def test_quitting_amid_calls_and_starts_leaves_nothing(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(fake("one"), fake("two"))
        calls = [asyncio.create_task(host.tool("slow", name).run({}, Running("1", "c"))) for name in ("one", "two")]
        host.configure(fake("one"), fake("two"), fake("three"), fake("four", "never-answers"))
        await asyncio.sleep(0)
        await host.servers.aclose()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(result) for result in results] == [ToolError, ToolError]

    runs(work())


def test_a_program_that_is_not_there_is_not_tried_again(runs: Runs[None]) -> None:
    async def work() -> None:
        host = Host(restart_delays_s=(0.01,))
        missing = fake().model_copy(update={"command": "no-such-program-anywhere"})
        await host.begin(missing)
        assert host.status().state == "failed"
        assert "was not found" in host.status().reason
        await host.servers.aclose()

    runs(work())
