"""Servers that nobody here wrote, each started once for all tests; LiteLLM, which is slow, before the first of them."""

from __future__ import annotations

import importlib.util
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.llama_server import LlamaServer, running_llama_server
from tests.servers import processes
from tests.servers.processes import AimockServer, LiteLLMServer
from tests.servers.scenes import SCENES
from tests.servers.wires import WIRES, Place, Spoken

KEY = "sk-only-for-tests-0123456789"


class Servers:
    """What runs, started when first asked for, and ended with the session."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._running: dict[str, Any] = {}

    def aimock(self) -> AimockServer:
        return self._once("aimock", lambda folder: processes.running_aimock(SCENES, folder))

    def llama(self) -> LlamaServer:
        """llama.cpp with a model that calls tools where it must."""
        return self._once("llama", lambda folder: running_llama_server(folder, calls_tools=True))

    def litellm(self) -> LiteLLMServer:
        config = litellm_config(self.aimock().url, self.llama().url)
        return self._once("litellm", lambda folder: processes.starting_litellm(config, folder))

    def close(self) -> None:
        self._open.close()
        self._running.clear()

    def _once(self, name: str, start: Any) -> Any:
        if name not in self._running:
            folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix=f"sam-{name}-")))
            self._running[name] = self._open.enter_context(start(folder))
        return self._running[name]


def litellm_config(aimock: str, llama: str) -> dict[str, Any]:
    """Four ways behind the proxy; any of its front doors leads to any of them."""
    chat = {"api_key": "behind", "use_chat_completions_api": True}
    behind = {
        "via-chat": {"model": "openai/gpt-4o", "api_base": f"{aimock}/v1", **chat},
        "via-claude": {"model": "anthropic/claude-sonnet-4-5", "api_base": aimock, "api_key": "behind"},
        "via-ollama": {"model": "ollama_chat/llama3", "api_base": aimock},
        "via-llama": {"model": "openai/tiny", "api_base": f"{llama}/v1", **chat},
    }
    return {
        "model_list": [{"model_name": name, "litellm_params": how} for name, how in behind.items()],
        "router_settings": {"disable_cooldowns": True, "num_retries": 0},
        "litellm_settings": {"telemetry": False, "num_retries": 0},
    }


_servers = Servers()


def _why_no_llama() -> str:
    if importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("gguf"):
        return ""
    return "llama.cpp is not installed"


def pytest_collection_finish(session: pytest.Session) -> None:
    """The proxy takes ten seconds to load: it does so while other tests run."""
    if session.config.option.collectonly or processes.why_no_litellm() or _why_no_llama():
        return
    if any("litellm" in getattr(item, "fixturenames", ()) for item in session.items):
        _servers.litellm()


def pytest_sessionfinish() -> None:
    _servers.close()


@pytest.fixture(scope="session")
def aimock() -> AimockServer:
    if reason := processes.why_no_aimock():
        pytest.skip(reason)
    return _servers.aimock()


@pytest.fixture(scope="session")
def calling_llama() -> LlamaServer:
    """llama.cpp with a model that calls tools where a request demands it."""
    if reason := _why_no_llama():
        pytest.skip(reason)
    return _servers.llama()


@pytest.fixture(scope="session")
def litellm() -> LiteLLMServer:
    if reason := processes.why_no_litellm() or _why_no_llama():
        pytest.skip(reason)
    server = _servers.litellm()
    server.wait()
    return server


@pytest.fixture(params=WIRES, ids=str)
def spoken(request: pytest.FixtureRequest) -> Spoken:
    wire: Spoken = request.param
    return wire


@pytest.fixture
def place(aimock: AimockServer, spoken: Spoken) -> Place:
    """aimock as the wire of this test sees it."""
    return Place(spoken, aimock.url, key=KEY)
