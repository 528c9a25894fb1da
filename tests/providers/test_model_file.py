"""A model file is served by llama.cpp as long as it is needed, and what cannot be served is said in words."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.base import ChatRequest, Finished, StreamEvent, TextDelta, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.model_file.files import address_of, check_model_file, model_file_of
from sam_py.providers.model_file.runner import Runner, find_runner, install_command
from sam_py.providers.model_file.servers import ModelServers
from sam_py.providers.registry import Registry
from sam_py.settings.model import ProviderSettings
from tests.fakes.llama_program import write_llama_program

needs_a_shebang = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")
PATIENCE_S = 30.0


@pytest.fixture
def model(tmp_path: Path) -> Callable[[str], Path]:
    """Write a file that begins like a model."""

    def write(name: str) -> Path:
        file = tmp_path / name
        file.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(64))
        return file

    return write


@asynccontextmanager
async def servers_of(program: Path) -> AsyncIterator[ModelServers]:
    http = Http()
    servers = ModelServers(http, find=lambda: Runner(str(program)))
    try:
        yield servers
    finally:
        await servers.aclose()
        await http.aclose()


def children() -> list[psutil.Process]:
    return [each for each in psutil.Process().children(recursive=True) if "llama-server" in _command_of(each)]


def _command_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return ""


async def until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not what():
            await asyncio.sleep(0.01)


def test_the_address_of_an_account_names_its_model_file(tmp_path: Path) -> None:
    file = tmp_path / "my mödel #1.gguf"
    assert model_file_of(address_of(file)) == file
    assert model_file_of("http://127.0.0.1:8080/v1") is None
    assert model_file_of("") is None


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("notes.gguf", b"Dear diary", "is not a GGUF model"),
        ("empty.gguf", b"", "is not a GGUF model"),
        ("big.gguf", b"GGUF\x00\x00\x00\x03" + bytes(64), "another kind of processor"),
        ("a-00002-of-00003.gguf", b"GGUF\x03\x00\x00\x00", "a-00001-of-00003.gguf"),
        ("mmproj-a.gguf", b"GGUF\x03\x00\x00\x00", "the model's own file"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_words(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(ProviderError, match=words):
        check_model_file(file)


def test_a_model_file_that_is_gone_is_asked_for_again(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="is not there any more"):
        check_model_file(tmp_path / "gone.gguf")


def test_the_program_comes_before_the_binding(tmp_path: Path) -> None:
    program = tmp_path / ("llama-server.exe" if os.name == "nt" else "llama-server")
    program.touch(mode=0o755)
    nothing: Callable[[str], str | None] = lambda _name: None  # noqa: E731
    assert find_runner(which=lambda name: f"/bin/{name}") == Runner("/bin/llama-server")
    assert find_runner(which=nothing, folders=[str(tmp_path)]) == Runner(str(program))
    assert find_runner(which=nothing, folders=[], has_binding=lambda: True) == Runner()
    assert find_runner(which=nothing, folders=[], has_binding=lambda: False) is None


def test_every_system_has_a_command_that_installs_llama_cpp() -> None:
    assert install_command("win32") == "winget install llama.cpp"
    assert install_command("darwin") == "brew install llama.cpp"
    assert install_command("linux", which=lambda _name: "/usr/bin/brew") == "brew install llama.cpp"
    assert install_command("linux", which=lambda _name: None).endswith("-m pip install xllamacpp")


def test_without_llama_cpp_it_is_said_what_to_install(model: Callable[[str], Path]) -> None:
    servers = ModelServers(Http(), find=lambda: None)
    with pytest.raises(ProviderError) as trouble:
        servers.check(model("a.gguf"))
    assert install_command() in str(trouble.value)


@needs_a_shebang
def test_a_server_is_started_once_and_ends_with_its_owner(tmp_path: Path, model: Callable[[str], Path]) -> None:
    file = model("a.gguf")

    async def scenario() -> None:
        async with servers_of(write_llama_program(tmp_path)) as servers:
            async with servers.using(file) as first, servers.using(file) as second:
                assert first == second
                assert first.base_url.startswith("http://127.0.0.1:")
            assert servers.is_running(file)
            assert children()
        assert not servers.is_running(file)
        assert not children()

    asyncio.run(scenario())


@needs_a_shebang
def test_another_model_takes_the_place_of_one_that_nobody_talks_to(
    tmp_path: Path, model: Callable[[str], Path]
) -> None:
    a, b, c = model("a.gguf"), model("b.gguf"), model("c.gguf")

    async def scenario() -> None:
        async with servers_of(write_llama_program(tmp_path)) as servers, servers.using(a):
            await servers.load(b)
            assert servers.is_running(a)
            await servers.load(c)
            assert [servers.is_running(each) for each in (a, b, c)] == [True, False, True]
            servers.keep([])
            assert [servers.is_running(each) for each in (a, b, c)] == [True, False, False]

    asyncio.run(scenario())


@needs_a_shebang
def test_a_server_that_died_is_started_again(tmp_path: Path, model: Callable[[str], Path]) -> None:
    file = model("a.gguf")

    async def scenario() -> None:
        async with servers_of(write_llama_program(tmp_path)) as servers:
            await servers.load(file)
            for process in children():
                process.kill()
            await until(lambda: not servers.is_running(file))
            await servers.load(file)
            assert servers.is_running(file)

    asyncio.run(scenario())


@needs_a_shebang
def test_a_model_that_llama_cpp_refuses_is_named_with_its_reason(tmp_path: Path, model: Callable[[str], Path]) -> None:
    async def scenario() -> None:
        async with servers_of(write_llama_program(tmp_path)) as servers:
            with pytest.raises(ProviderError) as trouble:
                await servers.load(model("broken.gguf"))
            assert "could not load broken.gguf: unknown model architecture" in str(trouble.value)
            assert "parrot" in trouble.value.detail
            assert not children()

    asyncio.run(scenario())


@needs_a_shebang
def test_who_gives_up_waiting_leaves_no_server_behind(tmp_path: Path, model: Callable[[str], Path]) -> None:
    async def scenario() -> None:
        async with servers_of(write_llama_program(tmp_path)) as servers:
            loading = asyncio.create_task(servers.load(model("a.gguf")))
            await until(children)
            loading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await loading
            assert not children()

    asyncio.run(scenario())


@needs_a_shebang
def test_a_server_does_not_outlive_a_program_that_is_killed(tmp_path: Path) -> None:
    program = write_llama_program(tmp_path)
    host = [sys.executable, "-m", "sam_py.providers.model_file.host", "run", str(program)]
    arguments = ["--model", "a.gguf", "--host", "127.0.0.1", "--port", "0", "--alias", "a"]
    owner = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:], stdin=0)", *host, *arguments],
        stdin=subprocess.PIPE,
        env={**os.environ, "LLAMA_API_KEY": "k"},
    )
    assert owner.stdin is not None

    async def scenario() -> None:
        await until(lambda: len(children()) >= 3)  # the owner, the host, the server
        started = children()
        owner.stdin.close()  # type: ignore[union-attr]  # as the kernel does for one that was killed
        owner.wait()
        await until(lambda: not any(each.is_running() for each in started))

    asyncio.run(scenario())


@pytest.mark.llamacpp
def test_an_account_whose_address_is_a_file_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xllamacpp", reason="the real llama.cpp server is not installed")
    pytest.importorskip("gguf", reason="the tiny model cannot be written without gguf")
    from tests.fakes.tiny_gguf import write_tiny_gguf

    monkeypatch.setenv("PATH", "")  # the binding, even where llama-server is installed
    file = write_tiny_gguf(tmp_path / "tiny.gguf", ends_by_itself=True)
    account = ProviderSettings(id="file", preset="llamacpp", label="tiny", base_url=address_of(file), model="tiny")

    async def no_key(_id: str) -> str | None:
        return None

    async def scenario() -> None:
        registry = Registry(no_key)
        registry.configure([account])
        provider = registry.get("file")
        assert [model.id for model in await provider.list_models()] == ["tiny"]
        assert not registry.model_servers.is_running(file), "a listing loads no model"
        question = (Turn("user", (TextPart(text="Tell me something"),)),)
        request = ChatRequest("tiny", question, max_tokens=20, conversation_id="talk")
        assert await provider.body_of(request) == b""
        events: list[StreamEvent] = [event async for event in provider.stream(request)]
        assert events[0] == Waiting("Loading tiny…")
        assert any(isinstance(event, TextDelta) for event in events)
        assert isinstance(events[-1], Finished)
        assert provider.limits_of("tiny").context_tokens
        (sent,) = registry.http.sent.of("talk")
        assert await provider.body_of(request) == sent.content
        registry.configure([])
        assert not registry.model_servers.is_running(file), "a removed account gives the memory back"
        await registry.aclose()

    asyncio.run(scenario())
