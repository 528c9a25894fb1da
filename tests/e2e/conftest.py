"""A desk for all end-to-end tests, and a picture of it in `build/e2e/` when one of them fails."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent))

from desk import ROOT, Desk, Sitting, is_possible
from paced_server import PacedServer

PICTURES = ROOT / "build" / "e2e"
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    if not is_possible():
        pytest.skip("needs Linux with Xvfb, openbox and xdotool")
    with Desk(tmp_path_factory.mktemp("desk")) as desk:
        yield desk


@pytest.fixture
def server() -> Iterator[PacedServer]:
    with PacedServer() as server:
        yield server


@pytest.fixture
def sit_down(desk: Desk, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., Sitting]]:
    """Starts the program: ``sit_down()``, or ``sit_down(server.settings)`` with settings."""
    home = tmp_path / "sam"
    sittings: list[Sitting] = []

    def start(settings: object = None) -> Sitting:
        if settings is not None:
            config = home / "config"
            config.mkdir(parents=True, exist_ok=True)
            (config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        sittings.append(Sitting(desk, home))
        return sittings[-1]

    yield start
    if request.node.stash.get(FAILED, False):
        PICTURES.mkdir(parents=True, exist_ok=True)
        picture = PICTURES / f"{request.node.name}.png"
        desk.picture().save(str(picture))
        print(f"the screen as it was: {picture}")
        for sitting in sittings:
            print(sitting.output())
    for sitting in sittings:
        sitting.leave()
