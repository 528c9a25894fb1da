"""The recorder on a real sound server: a microphone that hears espeak-ng, and what is recorded of it, measured."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.pulse import pulse_server, what_is_missing

ROOT = Path(__file__).resolve().parents[3]


def test_what_is_spoken_is_recorded_whole_and_as_loud_as_16_khz_mono(tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason="recordings are measured with numpy")
    missing = what_is_missing() or next(
        (f"no {name}" for name in ("espeak-ng", "paplay") if not shutil.which(name)), ""
    )
    if missing:
        pytest.skip(missing)
    wav = tmp_path / "spoken.wav"
    subprocess.run(["espeak-ng", "-w", str(wav), "Hello there, dictated."], check=True, timeout=20)
    with pulse_server(tmp_path, "speakers", "headset", microphone=True) as server:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fakes.heard", "recorded"],
            cwd=ROOT,
            env={**server.environment, "SPOKEN_WAV": str(wav)},
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    heard = json.loads(done.stdout)["recorded"]
    assert heard["form"] == [16_000, 1, 2]
    assert heard["loud_s"] == pytest.approx(heard["sent_loud_s"], abs=0.1)
    assert heard["rms"] == pytest.approx(heard["sent_rms"], rel=0.1)
    assert heard["level_quiet"] == 0
    assert heard["level_loud"] > 0.5
    assert heard["silent"] == [False, True]
    assert heard["after_cancel"] == 0
    assert "chosen microphone is not connected" in heard["words"][0]
    assert "not connected any more" in heard["words"][1]
    assert heard["kept_s"] > 0
