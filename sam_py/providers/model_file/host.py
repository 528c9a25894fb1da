"""The process between the program and llama.cpp: it ends the server as soon as its standard input closes.

That happens when the program says so, and also when it is killed. Run as
``python -m sam_py.providers.model_file.host run PROGRAM ARGUMENT…`` or ``… host binding FILE PORT NAME``, with
``embed TOKENS THREADS POOLING`` behind it for a model that makes embeddings; the key is in the environment
(``LLAMA_API_KEY``), where other users cannot read it. ``gently`` in front of all that leaves what a person does the
processor first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

_PATIENCE_S = 5.0
_NICENESS = 4


def main(arguments: Sequence[str]) -> int:
    if arguments[0] == "gently":
        if hasattr(os, "nice"):  # on Windows whoever starts us says so
            os.nice(_NICENESS)
        arguments = arguments[1:]
    if arguments[0] == "run":
        return run(arguments[1:])
    return serve_with_binding(arguments[1], int(arguments[2]), arguments[3], arguments[4:])


def run(command: Sequence[str]) -> int:
    """Run `command` until it ends or standard input closes. Returns its exit code."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - the program that `find_runner` found
    threading.Thread(target=_end_with_input, args=(process,), daemon=True).start()
    return process.wait()


def serve_with_binding(model: str, port: int, name: str, purpose: Sequence[str] = ()) -> int:
    """Serve `model` with llama.cpp's binding until standard input closes."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {name}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    key = os.environ.get("LLAMA_API_KEY", "")
    parameters.api_keys = [key] if key else []
    if purpose:
        _embed(parameters, int(purpose[1]), int(purpose[2]), purpose[3])
    threading.Thread(target=_exit_with_input, daemon=True).start()  # while it loads, too
    _server = xllamacpp.Server(parameters)
    threading.Event().wait()
    return 0


def _embed(parameters: Any, tokens: int, threads: int, pooling: str) -> None:
    """What `servers.command` gives the program ``llama-server`` for the same."""
    import xllamacpp

    parameters.embedding = True
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    if pooling:
        parameters.pooling_type = getattr(xllamacpp.llama_pooling_type, f"LLAMA_POOLING_TYPE_{pooling.upper()}")


def _exit_with_input() -> None:
    _wait_for_the_end_of_input()
    os._exit(0)  # llama.cpp's threads do not end while a client is connected


def _end_with_input(process: subprocess.Popen[bytes]) -> None:
    _wait_for_the_end_of_input()
    process.terminate()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _wait_for_the_end_of_input() -> None:
    while os.read(0, 4096):
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
