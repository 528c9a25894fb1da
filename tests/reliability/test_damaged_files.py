"""The short form of `damaged_files`."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.reliability.process import ROOT


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks a process that has imported Qt")
def test_a_program_starts_on_damaged_files_and_throws_nothing_away() -> None:
    """In a process of its own: a fork of this one would have the application of the tests before it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.damaged_files", "3", "3"],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "LOST" not in done.stdout
    assert done.stdout.startswith("3 "), done.stdout
