"""A real llama.cpp server in a process of its own, with the tiny random model.

As a fixture (from tests/conftest.py): ``def test_x(llama_server): … llama_server.base_url``.
As a program: ``python tests/fakes/llama_server.py MODEL.gguf`` serves until its standard input is closed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START_LIMIT_S = 60.0


@dataclass(frozen=True)
class LlamaServer:
    """Where the server listens. Its replies never end by themselves: ask with `max_tokens`, or stop them."""

    url: str

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    @property
    def is_busy(self) -> bool:
        """Whether it is generating for anybody."""
        return any(slot["is_processing"] for slot in self.get("/slots"))


@contextmanager
def running_llama_server(folder: Path, *, calls_tools: bool = False, embeds: bool = False) -> Iterator[LlamaServer]:
    """Write a model into `folder` and serve it. The process ends with the block, and with this process.

    `embeds`: it makes embeddings and does not talk.
    """
    from tests.fakes.tiny_gguf import write_tiny_gguf

    model = write_tiny_gguf(folder / "tiny.gguf", ends_by_itself=False, calls_tools=calls_tools)
    with (folder / "llama-server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), str(model), *(["embeds"] if embeds else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(START_LIMIT_S, process.kill)
        watchdog.start()
        try:
            address = next((line for line in process.stdout if line.startswith("http://")), "")
            watchdog.cancel()
            if not address:
                raise RuntimeError(f"llama.cpp did not start: {(folder / 'llama-server.log').read_text()[-2000:]}")
            yield LlamaServer(address.strip())
        finally:
            watchdog.cancel()
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def main(model: str, *purposes: str) -> None:
    import os

    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {"tiny-random"}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 4096
    parameters.n_parallel = 2
    parameters.n_threads_http = 4
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.endpoint_slots = True
    parameters.warmup = False
    if "embeds" in purposes:
        parameters.embedding = True
        parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # its threads do not end while a client is connected


if __name__ == "__main__":
    main(*sys.argv[1:])
