"""The model of a file makes embeddings, where it is one that can; llama.cpp runs as long as it is asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from sam_py.providers.embedders import embedder_of
from sam_py.providers.errors import ProviderError
from sam_py.providers.model_file.breakdown import breakdown
from sam_py.providers.model_file.files import fingerprint
from sam_py.providers.model_file.header import MOST_TOKENS, Embeds, Value, embeds_of, read_embeds
from sam_py.providers.model_file.runner import Runner
from sam_py.providers.model_file.servers import IDLE_S, ModelServers, command
from sam_py.providers.registry import Registry
from sam_py.settings.secrets import Secrets


@pytest.mark.parametrize(
    ("told", "name", "wanted"),
    [
        ({"general.architecture": "bert", "bert.context_length": 512, "bert.pooling_type": 2}, "bge", Embeds(512)),
        ({"general.architecture": "qwen3", "qwen3.context_length": 32768, "qwen3.pooling_type": 3}, "q",
         Embeds(MOST_TOKENS)),
        ({"general.architecture": "nomic-bert", "nomic-bert.context_length": 2048}, "n", Embeds(MOST_TOKENS, "mean")),
        ({"general.architecture": "llama", "general.name": "E5 Mistral"}, "m", Embeds(512, "last", "E5 Mistral")),
        ({"general.architecture": "llama", "llama.context_length": 8192}, "Llama-3", "is a model that talks"),
        ({"general.architecture": "bert", "bert.pooling_type": 4}, "reranker", "orders what others found"),
        ({}, "nothing", "is a model that talks"),
    ],
)  # fmt: skip
def test_a_header_says_whether_a_model_embeds(told: Mapping[str, Value], name: str, wanted: Embeds | str) -> None:
    if isinstance(wanted, Embeds):
        assert embeds_of(told, name) == wanted
    else:
        with pytest.raises(ProviderError, match=wanted):
            embeds_of(told, name)


@pytest.mark.parametrize(
    "rest", [b"", b"\xff" * 64, b"\x00" * 8 + b"\x01" + b"\x00" * 7 + b"\xff" * 40], ids=["ends", "count", "value"]
)
def test_a_model_file_that_is_cut_off_is_said_to_be_damaged(tmp_path: Path, rest: bytes) -> None:
    file = tmp_path / "half.gguf"
    file.write_bytes(b"GGUF\x03\x00\x00\x00" + rest)
    with pytest.raises(ProviderError, match=r"half\.gguf is damaged or not whole"):
        read_embeds(file)


def test_llama_cpp_is_given_room_for_a_long_passage() -> None:
    file = Path("e5.gguf")
    program = command(Runner("/bin/llama-server"), file, 1, Embeds(512, "mean"))
    assert [program[program.index(f"--{size}-size") + 1] for size in ("ctx", "batch", "ubatch")] == ["512"] * 3
    assert program[-2:] == ["--pooling", "mean"]
    assert "--embeddings" in program
    assert "--jinja" not in program
    assert program.index("gently") < program.index("run")
    threads = program[program.index("--threads") + 1]
    assert 1 <= int(threads) <= max(1, (os.cpu_count() or 1) // 2)
    assert command(Runner(), file, 1, Embeds(512))[-5:] == ["e5", "embed", "512", threads, ""]
    assert "gently" not in command(Runner(), file, 1)


def test_a_model_that_does_not_fit_is_told_from_one_that_is_broken() -> None:
    file = Path("big.gguf")
    assert "not enough memory for big.gguf" in str(breakdown(file, "E error: too large", 247, was_loaded=True))
    assert "not enough memory for big.gguf" in str(breakdown(file, "E mmap failed: Cannot allocate memory", 1))
    assert "stopped working with big.gguf. Try" in str(breakdown(file, "srv: all fine", 1, was_loaded=True))
    assert "could not load big.gguf: unknown kind" in str(
        breakdown(file, "E load: error loading model: unknown kind", 1)
    )


@pytest.mark.llamacpp
def test_a_model_file_embeds_while_it_is_asked_and_rests_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp", reason="the real llama.cpp server is not installed")
    pytest.importorskip("gguf", reason="the tiny model cannot be written without gguf")
    from tests.fakes.tiny_embedding_gguf import CONTEXT, write_tiny_embedding_gguf

    monkeypatch.setenv("PATH", "")
    file = write_tiny_embedding_gguf(tmp_path / "tiny.gguf")
    copy = tmp_path / "copy of tiny.gguf"
    copy.write_bytes(file.read_bytes())
    assert fingerprint(copy) == fingerprint(file)
    rested = asyncio.Event()

    async def sleep(seconds: float) -> None:
        await (rested.wait() if seconds == IDLE_S else asyncio.sleep(seconds))

    async def scenario() -> None:
        registry = Registry(Secrets(lambda _id: "").key_of)
        servers = registry._model_servers = ModelServers(registry.http, sleep=sleep)
        embedder = await embedder_of(file, registry, Secrets(lambda _id: ""))
        assert embedder.identity == (await embedder_of(copy, registry, Secrets(lambda _id: ""))).identity
        assert not servers.is_running(file, embeds=True), "to choose it starts nothing"
        long = "my puppy is ill. " * (CONTEXT // 2) + "call the garage for my car. " * (CONTEXT // 2)
        ill, car, whole = await embedder.texts(["The puppy is ill.", "Call the garage for my car.", long])
        asked = await embedder.question("is my puppy ill")
        assert ill is not None
        assert car is not None
        assert whole is not None, "what is too long is seen in pieces"
        assert _alike(asked, ill) > _alike(asked, car)
        assert min(_alike(whole, ill), _alike(whole, car)) > _alike(ill, car), "all of it counts"
        if hasattr(os, "nice"):
            (process,) = [each for each in psutil.Process().children() if str(file) in each.cmdline()]
            assert process.nice() >= 4, "what a person does comes first"
        servers.keep([])
        assert servers.is_running(file, embeds=True), "accounts that change do not end it"
        rested.set()
        async with asyncio.timeout(20):
            while servers.is_running(file, embeds=True):
                await asyncio.sleep(0.005)
        await registry.aclose()

    asyncio.run(scenario())


def _alike(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
