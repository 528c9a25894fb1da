"""A canary for a key in the environment and the keyring, servers that sing it, and a crash with it: who wrote it down?

The parts of the program run as processes, as a person starts them: `ask`, `doctor`, and the window with its log at
its most talkative. Then everything that they wrote is read: their folders, their output, what other servers got.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sam_py.settings.model import ChatSettings, ModelChoice, ProviderSettings, Settings
from tests.fakes.fault_server import Behaviour, FaultServer, Reply, Status, Stream, chunk, sse
from tests.reliability.process import PATIENCE_S, READY, ROOT, SENDS

CANARY = "cnry-e5Wk2Pq9Yt7Zr4Ux1Jm6Hd8"
PASSWORD = "cnry-of-the-proxy-0815"
ECHO = json.dumps({"error": {"message": f"Incorrect API key provided: {CANARY}", "headers": f"Bearer {CANARY}"}})
SONGS: tuple[Behaviour, ...] = (
    Status(401, ECHO, {"WWW-Authenticate": CANARY}),
    Status(400, f"<html>Authorization: Bearer {CANARY}</html>", content_type="text/html"),
    Stream((chunk("part"), sse({"error": {"message": f"key {CANARY} was revoked"}}))),
    Stream((chunk("part"), f"data: {CANARY} is no JSON\n\n".encode()), then="cut"),
    Reply("You gave me", f" {CANARY[:7]}", CANARY[7:], f", that is {CANARY}."),
)


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SAM_"))}
    return {
        **kept,
        "SAM_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "PYTHONASYNCIODEBUG": "1",
        "PYTHONFAULTHANDLER": "1",
        "QT_QPA_PLATFORM": "offscreen",
        "SAM_PY_KEY_CLI": CANARY,
        "SAM_PY_KEY_SINGER": CANARY,
        "OPENAI_API_KEY": CANARY,
        "ANTHROPIC_API_KEY": CANARY,
        "NO_PROXY": "127.0.0.1",
        "HTTPS_PROXY": f"http://me:{PASSWORD}@127.0.0.1:9",
        **more,
    }


async def run(home: Path, *arguments: str, **more: str) -> str:
    """Run a command of the program and return all that it printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(home, **more),
        cwd=ROOT,
    )
    try:
        async with asyncio.timeout(4 * PATIENCE_S):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return said.decode("utf-8", "replace")


def settings(home: Path, base_url: str, preset: str = "compatible") -> None:
    """Settings as the window would have written them."""
    server = ProviderSettings(id="singer", label="Singer", preset=preset, base_url=base_url, model="m", models=("m",))
    chat = ChatSettings(default=ModelChoice(provider="singer", model="m"), model_titles=False)
    written = Settings(providers=(server,), chat=chat, detect_local_servers=False)
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "settings.json").write_text(written.model_dump_json(), encoding="utf-8")


def singers(home: Path, *secrets: str) -> list[tuple[str, str]]:
    """The files that hold a secret, and which."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [
        (str(path.relative_to(home)), each) for path in files for each in secrets if each.encode() in path.read_bytes()
    ]


@contextmanager
def nothing_sung(home: Path) -> Iterator[list[str]]:
    """What is added to the list, and every file, is free of secrets."""
    said: list[str] = []
    yield said
    for text in said:
        assert CANARY not in text
        assert PASSWORD not in text
    assert singers(home, CANARY, PASSWORD) == []


@pytest.mark.parametrize("how", [(), ("--json",), ("--no-stream",)])
def test_asking_on_the_command_line_prints_no_key(tmp_path: Path, how: tuple[str, ...]) -> None:
    async def scenario(said: list[str]) -> None:
        for song in SONGS:
            async with FaultServer(song) as server:
                ask = ("-m", "sam_py", "ask", "Hello", "--base-url", server.base_url, "--model", "m", *how)
                said.append(await run(tmp_path, *ask))
                assert {f"Bearer {CANARY}"} == {each.headers["authorization"] for each in server.requests}

    with nothing_sung(tmp_path) as said:
        asyncio.run(scenario(said))
        assert "key" in said[0]


def test_a_redirect_and_a_proxy_get_no_key_from_the_command_line(tmp_path: Path) -> None:
    async def scenario(said: list[str]) -> None:
        async with FaultServer(Reply("stolen")) as thief:
            away = Status(307, headers={"Location": f"{thief.base_url}/chat/completions?{CANARY}"})
            async with FaultServer(away) as server:
                for url in (server.base_url, "https://llm.example.com/v1", "http://llm.example.com/v1"):
                    said.append(await run(tmp_path, "-m", "sam_py", "ask", "Hi", "--base-url", url, "--model", "m"))
            assert thief.requests == []

    with nothing_sung(tmp_path) as said:
        asyncio.run(scenario(said))
        assert ["redirect" in said[0], "https" in said[2]] == [True, True]


def test_the_doctor_tells_of_keys_and_shows_none(tmp_path: Path) -> None:
    settings(tmp_path, "http://127.0.0.1:9/v1")

    async def scenario(said: list[str]) -> None:
        for how in ((), ("--json",)):
            said.append(await run(tmp_path, "-m", "sam_py", "doctor", *how))

    with nothing_sung(tmp_path) as said:
        asyncio.run(scenario(said))
        assert all(said)


LOUD = """
import logging
_log = app.start_logging
def _loud(paths):
    _log(paths)
    for name in [None, *logging.root.manager.loggerDict, "httpx", "httpcore", "asyncio", "keyring"]:
        logging.getLogger(name).setLevel(logging.DEBUG)
app.start_logging = _loud
"""
"""Every logger at DEBUG, the network's too until its client is made."""

CRASHES = """
import asyncio, os, threading
from PySide6.QtCore import QTimer
_key = os.environ["SAM_PY_KEY_SINGER"]
def _fail(where):
    raise RuntimeError(f"a bug in {where} with Authorization: Bearer {_key} and {_key!r}")
async def _crash(self):
    loop = asyncio.get_running_loop()
    while self.window.chat.conversation is None or self.window.chat.conversation.is_busy:
        await asyncio.sleep(0.01)
    loop.call_soon(_fail, "a callback")
    QTimer.singleShot(0, lambda: _fail("a slot"))
    thread = threading.Thread(target=_fail, args=("a thread",))
    thread.start()
    await asyncio.sleep(0.2)
    asyncio.get_running_loop().create_task(_crash_in_task())
    await asyncio.sleep(0.2)
    thread.join()
    self.window.close()
async def _crash_in_task():
    _fail("a task")
_begun = app.Program.start
async def _then_crash(self):
    await _begun(self)
    self._crashing = asyncio.get_running_loop().create_task(_crash(self))
app.Program.start = _then_crash
"""
"""After the reply, a crash in each kind of place, its words full of the key; then the window closes."""


@pytest.mark.parametrize("song", [SONGS[0], SONGS[-1]], ids=["refused", "repeated in the reply"])
def test_the_windows_files_and_its_crashes_hold_no_key(tmp_path: Path, song: Behaviour) -> None:
    async def scenario(said: list[str]) -> None:
        async with FaultServer(song, paths={"/v1/models": Status(403, ECHO)}) as server:
            settings(tmp_path, server.base_url)
            code = LOUD + READY + SENDS.format(texts=["one"]) + CRASHES
            script = f"import sys\nfrom sam_py import app\n{code}\nsys.exit(app.main([]))"
            said.append(await run(tmp_path, "-X", "dev", "-W", "ignore::ImportWarning", "-c", script))
            assert f"Bearer {CANARY}" in {each.headers.get("authorization") for each in server.requests}

    with nothing_sung(tmp_path) as said:
        asyncio.run(scenario(said))
    log = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("sam.log"))
    for place in ("a callback", "a slot", "a thread", "a task"):
        assert f"a bug in {place} with" in log, log[-3000:]
