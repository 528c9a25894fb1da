"""The player on a real sound server: what a null sink's monitor records, compared sample by sample."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.pulse import pulse_server, what_is_missing

ROOT = Path(__file__).resolve().parents[3]
GROUPS = (("gapless", "paused"), ("stopped", "another_form", "quieter"), ("followed", "unplugged"))
"""Played side by side, each on a server of its own: most of the time is spent listening."""
ADDED_S = 0.3
"""Silence within a sound, from a busy machine: 0 where the sound server gets its turn in time (the benchmark measures
it). Nothing of the sound may be lost."""


def restarted(folder: Path) -> dict[str, Any]:
    """What ``tests/fakes/sound_restarted.py`` prints, which has a server of its own."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.fakes.sound_restarted", str(folder)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def played(folder: Path, module: str, scenes: tuple[str, ...] = ()) -> dict[str, Any]:
    folder.mkdir()
    with pulse_server(folder, "speakers", "headset") as server:
        done = subprocess.run(
            [sys.executable, "-m", f"tests.fakes.{module}", *scenes],
            cwd=ROOT,
            env={**server.environment, "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Of all scenes in ``tests/fakes/heard.py``, on a server with the sinks "speakers" (default) and "headset"."""
    pytest.importorskip("numpy", reason="recordings are measured with numpy")
    if missing := what_is_missing():
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("pulse")
    with ThreadPoolExecutor() as threads:
        chain = threads.submit(played, folder / "chain", "spoken_aloud") if shutil.which("espeak-ng") else None
        lost = threads.submit(restarted, folder / "restarted")
        found = threads.map(lambda group: played(folder / group[0], "heard", group), GROUPS)
        figures = {name: figures for group in found for name, figures in group.items()}
        return {**figures, "restarted": lost.result(), "chain": chain.result() if chain is not None else None}


def test_what_is_played_is_heard_on_the_chosen_device_alone_exactly_and_without_gaps(figures: dict[str, Any]) -> None:
    gapless = figures["gapless"]
    assert gapless["is_whole"]
    assert gapless["added_ms"] < ADDED_S * 1000
    assert gapless["elsewhere"] == 0
    assert gapless["told"] == [f"{what} {mark}" for mark in range(1, 6) for what in ("Started", "Finished")]
    assert figures["paused"]["is_whole"]
    assert figures["paused"]["pause_s"] > 0.2
    assert 0.1 < figures["quieter"]["ratio"] < 0.4


def test_what_was_stopped_falls_silent_and_clips_of_another_form_follow_whole(figures: dict[str, Any]) -> None:
    assert figures["stopped"]["heard_s"] < 1.5
    assert figures["stopped"]["told"] == ["Started 1", "Started 2", "Finished 2"]
    form = figures["another_form"]
    assert 0.245 < form["first_s"] < 0.255 + ADDED_S
    assert 0.49 < form["second_s"] < 0.51 + ADDED_S


def test_the_default_is_followed_and_an_unplugged_device_is_never_replaced_by_a_loud_one(
    figures: dict[str, Any],
) -> None:
    followed = figures["followed"]
    assert followed["ends_right"]
    assert followed["told"] == ["Started 1", "Finished 1"]
    assert followed["before_s"] + followed["after_s"] == pytest.approx(1.2, abs=0.2)
    unplugged = figures["unplugged"]
    assert unplugged["in_all_s"] < 0.1
    assert "not connected any more" in unplugged["words"][0]
    assert "chosen loudspeaker is not connected" in unplugged["words"][1]
    assert unplugged["left"] == ["speakers"]


def test_a_sound_server_that_is_lost_ends_the_sound_and_not_the_program(figures: dict[str, Any]) -> None:
    restarted = figures["restarted"]
    assert restarted["first"] == ["Started 1", "Trouble"]
    assert restarted["seen"] == []
    assert all("system's sound has stopped" in words for words in restarted["words"])
    if restarted["back"][0]:  # a busy machine may have it back too late for Qt, which looks for it once
        assert restarted["back"] == [True, True]
        assert 0.295 < restarted["seconds"] < 0.305 + ADDED_S


def test_streamed_markdown_is_spoken_by_a_real_voice_into_the_chosen_loudspeaker(figures: dict[str, Any]) -> None:
    if figures["chain"] is None:
        pytest.skip("espeak-ng is not on this machine")
    chain = figures["chain"]
    assert chain["said"] == ["Tides", "The sea rises here.", "By 3.14 metres!"]
    assert chain["is_whole"]
    assert chain["elsewhere"] == 0
    assert chain["seconds"] > 2
