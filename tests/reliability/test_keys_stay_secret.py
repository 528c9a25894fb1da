"""Keys go into one request header and the system's keyring: no file that the program writes holds one."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sam_py.app import start_logging
from sam_py.paths import default_paths
from sam_py.settings.secrets import Secrets
from tests.fakes.fault_server import FaultServer, Hangup, Reply, Status, Stream, chunk
from tests.fakes.memory_keyring import MemoryKeyring
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

CANARIES = [
    "sk-canary1-abcdefghijklmnop",
    "gsk_canary2abcdefghijklmnop",
    "canary3 without a form".replace(" ", "."),
    "hf_canary4/abcdefg+hijklmnop==",
    "AIza-canary5-abcdefghijklmn",
]


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[None]:
    """The program's own log, at its most talkative."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    start_logging(default_paths(tmp_path / "home").create())
    root.setLevel(logging.DEBUG)
    yield
    for handler in [each for each in root.handlers if each not in handlers]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


@pytest.mark.usefixtures("logs")
def test_no_key_is_in_any_file_whatever_goes_wrong(run: Run, sit_down: SitDown, tmp_path: Path) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        keyring = MemoryKeyring()
        secrets = Secrets(sam.program._base_url_of, backend=lambda: keyring)
        sam.program._registry._key_of = secrets.key_of
        for number, key in enumerate(CANARIES):
            echo = json.dumps({"error": {"message": f"Incorrect API key provided: {key}", "headers": f"Bearer {key}"}})
            answers = (
                Status(401, echo),
                Status(400, f"<html>Authorization: Bearer {key}</html>", content_type="text/html"),
                Stream((chunk("part"), f'data: {{"error": {{"message": "key {key} was revoked"}}}}\n\n'.encode())),
                Stream((chunk("part"), f"data: {key} is no JSON\n\n".encode()), then="cut"),
                Hangup(),
                Reply("fine"),
            )
            async with FaultServer(*answers, paths={"/v1/models": Status(403, echo)}) as server:
                provider = f"p{number}"
                sam.use_server(server.base_url, provider_id=provider)
                await secrets.set(provider, key)
                for text in ("one", "two", "three", "four", "five"):
                    await sam.send(text)
                    await sam.answered()
                used = {request.headers.get("authorization") for request in server.requests}
                assert f"Bearer {key}" in used
        logging.getLogger("httpx").error("a header: %s", {"Authorization": f"Bearer {CANARIES[0]}"})
        await sam.close()

    run(scenario())
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert any(path.name == "sam.log" for path in files)
    found = [(path.name, key) for path in files for key in CANARIES if key.encode() in path.read_bytes()]
    assert found == []
