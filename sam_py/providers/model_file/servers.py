"""ModelServers: a llama.cpp server for the model file that is used, started when first needed (D-015)."""

from __future__ import annotations

import asyncio
import logging
import os
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
from sam_py.providers.model_file.breakdown import breakdown
from sam_py.providers.model_file.files import check_model_file, model_name
from sam_py.providers.model_file.header import Embeds, read_embeds
from sam_py.providers.model_file.runner import Runner, find_runner, install_command

log = logging.getLogger(__name__)

START_LIMIT_S = 900.0
"""A large model from a slow disk takes minutes; a server that broke down ends at once and is seen."""
IDLE_S = 300.0
"""So long after the last text the server of an embedding model is kept: it is small, and soon there again."""
_LOOK_EVERY_S = 0.1
_HEALTH_LIMIT_S = 2.0
_END_LIMIT_S = 6.0
_SEEN_TO_END_S = 1.0
_TOLD_BYTES = 20_000


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


@dataclass(frozen=True, slots=True)
class _Job:
    """A model that talks, and one that makes embeddings, do not take each other's place."""

    file: Path
    embeds: bool = False


class ModelServers:
    """Owns the processes. A model is large: starting another one ends those that nobody is talking to.

    Of those that make embeddings one runs, as long as it is asked for some.
    """

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
        self._servers: dict[_Job, _Server] = {}
        self._ending: list[_Server] = []
        self._starting = {False: asyncio.Lock(), True: asyncio.Lock()}
        self._resting: asyncio.Task[None] | None = None

    def is_running(self, file: Path, *, embeds: bool = False) -> bool:
        server = self._servers.get(_Job(file, embeds))
        return server is not None and server.lives

    def check(self, file: Path) -> None:
        """Raise `ProviderError` where `file` cannot be run here, without starting anything."""
        check_model_file(file)
        self._runner()

    @asynccontextmanager
    async def using(self, file: Path) -> AsyncGenerator[Place, None]:
        """The server of `file`, started where it does not run, and kept while it is used. Raises `ProviderError`."""
        async with self._used(_Job(file)) as server:
            yield server.place

    @asynccontextmanager
    async def embedding(self, file: Path) -> AsyncGenerator[Place, None]:
        """As `using`, of a model that makes embeddings; it ends when nobody asked it for a while.

        Where it breaks down meanwhile, it is said why. Raises `ProviderError`.
        """
        async with self._used(_Job(file, embeds=True)) as server:
            try:
                yield server.place
            except ProviderError as error:
                if error.code in ("unreachable", "cut_off"):
                    await asyncio.to_thread(_wait, server.process, _SEEN_TO_END_S)
                if server.lives:
                    raise
                raise breakdown(file, _last_words(server), server.process.poll(), was_loaded=True) from error

    def end_embedding(self) -> None:
        """Give its memory back now, where nobody waits for it."""
        self._end_unless_used(lambda job: job.embeds)

    async def load(self, file: Path) -> None:
        """Start the server of `file` now. Raises `ProviderError`."""
        async with self.using(file):
            pass

    def keep(self, files: Iterable[Path | None]) -> None:
        """End the servers of all other files, unless somebody talks to them just now."""
        kept = set(files)
        self._end_unless_used(lambda job: not job.embeds and job.file not in kept)

    async def aclose(self) -> None:
        """End all servers and wait until they have."""
        resting, self._resting = self._resting, None
        if resting is not None:
            resting.cancel()
            await asyncio.wait((resting,))
        servers = [*self._servers.values(), *self._ending]
        self._servers, self._ending = {}, []
        await asyncio.gather(*(_end(server) for server in servers))

    @asynccontextmanager
    async def _used(self, job: _Job) -> AsyncGenerator[_Server, None]:
        async with self._starting[job.embeds]:
            server = self._servers.get(job)
            if server is None or not server.lives:
                server = await self._start(job)
            server.users += 1
        if job.embeds and self._resting is not None:
            self._resting.cancel()
        try:
            yield server
        finally:
            server.users -= 1
            if job.embeds and not server.users:
                self._resting = asyncio.get_running_loop().create_task(self._rest(), name="an embedding model rests")

    async def _rest(self) -> None:
        await self._sleep(IDLE_S)
        self.end_embedding()

    def _end_unless_used(self, which: Callable[[_Job], bool]) -> None:
        for job, server in list(self._servers.items()):
            if which(job) and not server.users:
                del self._servers[job]
                self._ending.append(server)
                _ask_to_end(server)

    def _forget_ended(self) -> None:
        for server in [each for each in self._ending if not each.lives]:
            self._ending.remove(server)
            server.told.close()

    def _runner(self) -> Runner:
        runner = self._find()
        if runner is None:
            text = f"llama.cpp, which runs model files, is not on this computer. Install it with: {install_command()}"
            raise ProviderError(text, code="no_model", retryable=True)
        return runner

    async def _start(self, job: _Job) -> _Server:
        file = job.file
        check_model_file(file)
        embeds = await asyncio.to_thread(read_embeds, file) if job.embeds else None
        runner = self._runner()
        for other, server in list(self._servers.items()):
            if other.embeds == job.embeds and (not server.users or not server.lives):
                del self._servers[other]
                await _end(server)
        self._forget_ended()
        port = _free_port()
        place = Place(f"http://127.0.0.1:{port}/v1", secrets.token_urlsafe(24))
        told = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        environ = {**os.environ, "LLAMA_API_KEY": place.key}
        started = command(runner, file, port, embeds)
        process = _launch(
            started, environ, told, is_gentle=job.embeds
        )  # not on a thread: nobody may give up in between
        server = _Server(place, process, told)
        log.info("llama.cpp is starting for %s at port %d", file.name, port)
        try:
            await self._until_ready(server, file, f"http://127.0.0.1:{port}/health")
        except BaseException:  # also where the person does not want to wait any longer
            await _end(server)
            raise
        self._servers[job] = server
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
        raise breakdown(file, _last_words(server), server.process.poll())


def command(runner: Runner, file: Path, port: int, embeds: Embeds | None = None) -> list[str]:
    """What is started for `file`. Where Python can be asked, `host` stands between, so that nothing outlives us.

    A model that makes embeddings takes a text as one physical batch, and refuses one that is longer than that:
    https://github.com/ggml-org/llama.cpp/pull/7389.
    """
    host = [] if getattr(sys, "frozen", False) else [sys.executable, "-m", "sam_py.providers.model_file.host"]
    if host and embeds is not None:
        host.append("gently")
    name = model_name(file)
    if not runner.program:
        purpose = ["embed", str(embeds.tokens), str(_threads()), embeds.pooling] if embeds is not None else []
        return [*host, "binding", str(file), str(port), name, *purpose]
    server = [runner.program, "--model", str(file), "--host", "127.0.0.1", "--port", str(port), "--alias", name]
    if embeds is None:
        server.append("--jinja")
    else:
        server += ["--embeddings", "--parallel", "1", "--threads", str(_threads())]
        for size in ("--ctx-size", "--batch-size", "--ubatch-size"):
            server += [size, str(embeds.tokens)]
        server += ["--pooling", embeds.pooling] if embeds.pooling else []
    return [*host, "run", *server] if host else server


def _threads() -> int:
    """Half of the processors that we may use: llama.cpp takes all that it sees, and its threads wait for each other.

    With more threads than processors are free it is seven times slower than with one.
    """
    may_use = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (may_use or 1) // 2)


def _launch(
    command: list[str], environ: dict[str, str], told: IO[bytes], *, is_gentle: bool = False
) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).resolve().parents[3])  # where `sam_py` is found, from a checkout too
    environ = {**environ, "PYTHONPATH": os.pathsep.join(filter(None, (root, environ.get("PYTHONPATH", ""))))}
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # on Windows: no terminal beside the window
    if is_gentle:
        flags |= getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
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
    if not _wait(process, _END_LIMIT_S):
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Whether it has ended, at the latest after `limit_s`."""
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _last_words(server: _Server) -> str:
    size = server.told.seek(0, os.SEEK_END)
    server.told.seek(max(0, size - _TOLD_BYTES))
    return server.told.read().decode("utf-8", "replace").strip()
