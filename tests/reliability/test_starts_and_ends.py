"""The program started twice, asked to end in all ways, and started on what is damaged or not there."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from tests.reliability.process import READY, SAYS_NOTICES, ended, start, until_ready, wait_for

QUICK_S = 6.0
"""A bound on hangs, not on speed: other tests run beside."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and file modes of POSIX")


def first_on(home: Path) -> subprocess.Popen[str]:
    process = start(home, code=READY)
    until_ready(process)
    return process


def test_a_second_start_raises_the_first_and_ends(tmp_path: Path) -> None:
    first = first_on(tmp_path)
    code, output, took_s = ended(start(tmp_path))
    assert (code, output) == (0, "SAM is running already; its window was raised.\n")
    other_home = first_on(tmp_path / "elsewhere")
    for process in (first, other_home):
        process.send_signal(signal.SIGTERM)
        code, output, took_s = ended(process)
        assert (code, output) == (0, "")
        assert took_s < QUICK_S


def test_a_second_start_says_so_when_the_first_hangs(tmp_path: Path) -> None:
    first = first_on(tmp_path)
    first.send_signal(signal.SIGSTOP)
    try:
        code, output, _took_s = ended(start(tmp_path))
        assert code == 1
        assert f"running already (process {first.pid})" in output
        assert "does not answer" in output
        assert "Traceback" not in output
    finally:
        first.send_signal(signal.SIGCONT)
    first.send_signal(signal.SIGINT)
    assert ended(first)[:2] == (0, "")


def test_a_killed_program_leaves_no_lock(tmp_path: Path) -> None:
    first = first_on(tmp_path)
    first.kill()
    first.communicate()
    second = first_on(tmp_path)
    second.send_signal(signal.SIGTERM)
    assert ended(second)[:2] == (0, "")


def test_of_four_that_start_at_once_one_has_a_window(tmp_path: Path) -> None:
    racers = [start(tmp_path, code=READY) for _ in range(4)]
    try:
        wait_for(lambda: sum(racer.poll() is not None for racer in racers) == 3, "the end of three")
        losers = [racer for racer in racers if racer.poll() is not None]
        racers = [racer for racer in racers if racer not in losers]
        said = [(loser.returncode, loser.communicate()[0]) for loser in losers]
        assert said == [(0, "SAM is running already; its window was raised.\n")] * 3
    finally:
        for racer in racers:
            racer.send_signal(signal.SIGTERM)
            assert ended(racer)[0] == 0


def test_what_is_written_is_for_its_owner_alone(tmp_path: Path) -> None:
    program = first_on(tmp_path / "home")
    program.send_signal(signal.SIGTERM)
    ended(program)
    for path in (tmp_path / "home").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("content", [b"", b"\0" * 3000, b'{"version": 1, "rows": [[', b'"\xff\xfe'])
def test_damaged_files_do_not_keep_the_program_from_starting(tmp_path: Path, content: bytes) -> None:
    for name in (
        "config/settings.json",
        "state/index.json",
        "state/window.json",
        "state/drafts/new.json",
        "state/device-id",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    program = start(tmp_path, code=READY + SAYS_NOTICES)
    said = until_ready(program)
    assert "The settings file was damaged" in said
    assert "A draft was damaged; it is kept as" in said
    program.send_signal(signal.SIGTERM)
    assert ended(program)[:2] == (0, "")
    assert (tmp_path / "state/drafts/new.bad").read_bytes() == content
