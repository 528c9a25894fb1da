"""Servers that crash, hang, flood and do not go, all at once beside one that behaves, which must not notice."""

from __future__ import annotations

import asyncio
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sam_py.tools.mcp.offer import ServerStatus
from tests.fakes.mcp_host import Host, fake, run_on_asyncio, run_on_qt

FAIL = {
    "endless-garbage": "did not answer|no message",
    "endless-line": "one endless message",
    "dies-early": "code 3.*no licence found",
    "never-answers": "did not answer within",
    "dies-with-grandchild": "code 4",
    "deaf": "did not answer within",
    "closes-output": "closed its standard output",
    "wrong-handshake": "does not speak MCP as it should",
    "floods": "did not answer within",
}
HANG = ("never-answers", "deaf", "floods", "endless-garbage")
SERVE = ("stubborn", "garbage", "loud", "grandchild", "endless-pages", "odd-tools")


@dataclass
class Seen:
    statuses: dict[str, ServerStatus]
    echoes: dict[str, str]
    good_calls: int
    closed_s: float
    grandchildren: list[int]
    log_bytes: int


async def all_at_once(folder: Path) -> Seen:
    host = Host(folder / "logs")
    kinds = [
        fake(how, how, start_s=0.6 if how in HANG else 25, env={"CANCELLED": str(_made(folder / how))})
        for how in (*FAIL, *SERVE)
    ]
    good = fake("good", start_s=20)
    await host.begin(good)
    beginning = asyncio.create_task(host.begin(good, *kinds))
    good_calls = 0
    while not beginning.done():
        assert (await host.call("echo", "good", text=str(good_calls))).text == str(good_calls)
        good_calls += 1
    await beginning
    echoes = {how: (await host.call("echo", how, text=how)).text for how in SERVE}
    statuses = {each.id: each for each in host.servers.statuses}
    began = time.monotonic()
    await host.servers.aclose()
    closed_s = time.monotonic() - began
    grandchildren = [int(path.read_text()) for path in folder.glob("*/grandchild")]
    log_bytes = sum(path.stat().st_size for path in (folder / "logs").iterdir() if "loud" in path.name)
    return Seen(statuses, echoes, good_calls, closed_s, grandchildren, log_bytes)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.fixture(scope="module", params=["asyncio", "qt"])
def seen(request: pytest.FixtureRequest, qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    work = all_at_once(tmp_path_factory.mktemp("servers"))
    return run_on_asyncio(work) if request.param == "asyncio" else run_on_qt(qapp, work)


@pytest.mark.parametrize("how", FAIL)
def test_a_server_that_cannot_work_fails_with_a_reason(seen: Seen, how: str) -> None:
    status = seen.statuses[how]
    assert status.state == "failed"
    assert re.search(FAIL[how], status.reason), status.reason


@pytest.mark.parametrize("how", SERVE)
def test_a_server_with_bad_manners_serves_all_the_same(seen: Seen, how: str) -> None:
    assert seen.statuses[how].state == "ready"
    assert seen.echoes[how] == how


def test_a_good_server_answers_while_others_misbehave(seen: Seen) -> None:
    assert seen.statuses["good"].state == "ready"
    assert seen.good_calls > 20


def test_grandchildren_go_with_their_server(seen: Seen) -> None:
    assert len(seen.grandchildren) == 2
    assert [number for number in seen.grandchildren if _lives(number)] == []


def test_an_endless_log_stays_small(seen: Seen) -> None:
    assert 0 < seen.log_bytes < 1_200_000


def test_what_is_odd_in_an_offer_is_left_out_and_said(seen: Seen) -> None:
    left_out = " ".join(seen.statuses["odd-tools"].offer.left_out)
    assert "two of that name" in left_out
    assert "nested too deeply" in left_out
    assert "too long" in left_out


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
