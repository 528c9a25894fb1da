"""What all tests share: a collector on one thread, a real llama.cpp server, and where recorded traffic lies."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.fakes.llama_server import LlamaServer, running_llama_server

# One deadline for all machines would fail the slow ones; the number of examples keeps the suite short.
settings.register_profile("sam", deadline=None, max_examples=60)
settings.load_profile("sam")

gc.disable()  # what is imported and collected below stays: walking it again and again took a quarter of that time

_MANY = 20_000
"""Objects made since the last collection."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """As in the program, no thread of a test's may come upon a closed window or loop and destroy its Qt objects."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    gc.disable()  # a program that ended gave the work back
    if gc.get_count()[0] > _MANY:
        gc.collect()


@pytest.fixture(scope="module", autouse=True)
def set_aside() -> None:
    """Collections in a file's tests do not walk what was there before: pytest's own and the official SDKs' objects.

    Each end of a window collects, and a walk of a million objects takes a second.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def qapp(qapp: Any) -> Any:
    """pytest-qt's, set as in the program: else the last window that a test closes ends each later wait at once."""
    qapp.setQuitOnLastWindowClosed(False)
    return qapp


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of recorded provider traffic, from ``SAM_RECORDINGS`` or beside the checkout. Skips without it."""
    root = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("SAM_RECORDINGS") or root.parent / "shared" / "recordings")
    if not folder.is_dir():
        pytest.skip("recorded provider traffic is not on this machine (set SAM_RECORDINGS to its folder)")
    return folder


@pytest.fixture(scope="session")
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A real llama.cpp server with a tiny random model, one for all tests. Skips where xllamacpp is not installed."""
    pytest.importorskip("xllamacpp", reason="the real llama.cpp server is not installed")
    pytest.importorskip("gguf", reason="the tiny model cannot be written without gguf")
    with running_llama_server(tmp_path_factory.mktemp("llama")) as server:
        yield server
