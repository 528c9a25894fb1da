"""ModelServers: a llama.cpp server for the model file that is used, started when first needed (D-015)."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.model_file.files import check_model_file, model_name
from sam_py.providers.model_file.runner import Runner, find_runner, install_command

log = logging.getLogger(__name__)

START_LIMIT_S = 900.0
"""A large model from a slow disk takes minutes; a server that broke down ends at once and is seen."""
_LOOK_EVERY_S = 0.1
_HEALTH_LIMIT_S = 2.0
_END_LIMIT_S = 6.0
_TOLD_BYTES = 20_000
_BAD_WORDS = re.compile(r"error|failed|unable|cannot|couldn't|not enough|out of memory", re.IGNORECASE)
_LOG_PREFIX = re.compile(r"^(\d[\d.]* )?([A-Z] )?(\w+:\s+)?(error loading model: )?")
"""Time, level and function in front of a line of llama.cpp's log, and what we say ourselves."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens, and the key that it wants."""

    base_url: str
    key: str = field(repr=False)


@dataclass(slots=True, eq=False)
class _Server:
    place: Place
    process: subprocess.Popen[bytes]
    told: IO[bytes]
    """What it writes; a file without a name."""
    users: int = 0

    @property
    def lives(self) -> bool:
        return self.process.poll() is None


class ModelServers:
    """Owns the processes. A model is large: starting another one ends those that nobody is talking to."""

    def __init__(
        self,
        http: Http,
        *,
        find: Callable[[], Runner | None] = find_runner,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._http = http
        self._find = find
        self._sleep = sleep
        self._servers: dict[Path, _Server] = {}
        self._ending: list[_Server] = []
        self._starting = asyncio.Lock()

    def is_running(self, file: Path) -> bool:
        server = self._servers.get(file)
        return server is not None and server.lives

    def check(self, file: Path) -> None:
        """Raise `ProviderError` where `file` cannot be run here, without starting anything."""
        check_model_file(file)
        self._runner()

    @asynccontextmanager
    async def using(self, file: Path) -> AsyncGenerator[Place, None]:
        """The server of `file`, started where it does not run, and kept while it is used. Raises `ProviderError`."""
        async with self._starting:
            server = self._servers.get(file)
            if server is None or not server.lives:
                server = await self._start(file)
            server.users += 1
        try:
            yield server.place
        finally:
            server.users -= 1

    async def load(self, file: Path) -> None:
        """Start the server of `file` now. Raises `ProviderError`."""
        async with self.using(file):
            pass

    def keep(self, files: Iterable[Path | None]) -> None:
        """End the servers of all other files, unless somebody talks to them just now."""
        kept = set(files)
        for file, server in list(self._servers.items()):
            if file not in kept and not server.users:
                del self._servers[file]
                self._ending.append(server)
                _ask_to_end(server)

    async def aclose(self) -> None:
        """End all servers and wait until they have."""
        servers = [*self._servers.values(), *self._ending]
        self._servers, self._ending = {}, []
        await asyncio.gather(*(_end(server) for server in servers))

    def _runner(self) -> Runner:
        runner = self._find()
        if runner is None:
            text = f"llama.cpp, which runs model files, is not on this computer. Install it with: {install_command()}"
            raise ProviderError(text, code="no_model", retryable=True)
        return runner

    async def _start(self, file: Path) -> _Server:
        check_model_file(file)
        runner = self._runner()
        for other, server in list(self._servers.items()):
            if not server.users or not server.lives:
                del self._servers[other]
                await _end(server)
        port = _free_port()
        place = Place(f"http://127.0.0.1:{port}/v1", secrets.token_urlsafe(24))
        told = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        environ = {**os.environ, "LLAMA_API_KEY": place.key}
        process = _launch(command(runner, file, port), environ, told)  # not on a thread: nobody may give up in between
        server = _Server(place, process, told)
        log.info("llama.cpp is starting for %s at port %d", file.name, port)
        try:
            await self._until_ready(server, file, f"http://127.0.0.1:{port}/health")
        except BaseException:  # also where the person does not want to wait any longer
            await _end(server)
            raise
        self._servers[file] = server
        return server

    async def _until_ready(self, server: _Server, file: Path, health: str) -> None:
        """Wait until the model is loaded: the server says 503 before, or nothing."""
        try:
            async with asyncio.timeout(START_LIMIT_S):
                while server.lives:
                    try:
                        status, _headers, _value = await self._http.try_json(health, limit_s=_HEALTH_LIMIT_S)
                    except ProviderError:
                        status = 0
                    if status == 200:
                        return
                    await self._sleep(_LOOK_EVERY_S)
        except TimeoutError as error:
            minutes = round(START_LIMIT_S / 60)
            text = f"llama.cpp did not load {file.name} within {minutes} minutes. Try a smaller model."
            raise ProviderError(text, code="unreachable", detail=_last_words(server)) from error
        words = _last_words(server)
        reason = _reason(words)
        text = f"llama.cpp could not load {file.name}{f': {reason}' if reason else ''}. Try another file of the model."
        raise ProviderError(text, code="no_model", detail=words, retryable=True)


def command(runner: Runner, file: Path, port: int) -> list[str]:
    """What is started for `file`. Where Python can be asked, `host` stands between, so that nothing outlives us."""
    host = [] if getattr(sys, "frozen", False) else [sys.executable, "-m", "sam_py.providers.model_file.host"]
    name = model_name(file)
    if not runner.program:
        return [*host, "binding", str(file), str(port), name]
    server = [runner.program, "--model", str(file), "--host", "127.0.0.1", "--port", str(port), "--alias", name]
    return [*host, "run", *server, "--jinja"] if host else [*server, "--jinja"]


def _launch(command: list[str], environ: dict[str, str], told: IO[bytes]) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).resolve().parents[3])  # where `sam_py` is found, from a checkout too
    environ = {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, environ.get("PYTHONPATH", ""))))}
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows: no terminal beside the window
    try:
        return subprocess.Popen(  # noqa: S603 - our own host, or the program that `find_runner` found
            command, stdin=subprocess.PIPE, stdout=told, stderr=told, env=environ, creationflags=flags
        )
    except OSError as error:
        told.close()
        text = f"{command[0]} cannot be started: {error.strerror or error}. Install llama.cpp anew."
        raise ProviderError(text, code="no_model", detail=str(error)) from error


async def _end(server: _Server) -> None:
    """End it; where it does not listen, kill it."""
    _ask_to_end(server)
    await asyncio.to_thread(_see_it_end, server.process)
    server.told.close()


def _ask_to_end(server: _Server) -> None:
    if server.process.stdin is not None:
        server.process.stdin.close()  # `host` waits for this
    if getattr(sys, "frozen", False):
        server.process.terminate()


def _see_it_end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_END_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _last_words(server: _Server) -> str:
    size = server.told.seek(0, os.SEEK_END)
    server.told.seek(max(0, size - _TOLD_BYTES))
    return server.told.read().decode("utf-8", "replace").strip()


def _reason(words: str) -> str:
    """The first line that says what went wrong, without llama.cpp's time, level and function."""
    for line in words.splitlines():
        if _BAD_WORDS.search(line):
            return _LOG_PREFIX.sub("", line.strip()).rstrip(".")[:200]
    return ""
