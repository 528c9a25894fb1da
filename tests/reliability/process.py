"""The whole program in a process of its own, offscreen, on a folder of a test; killed and asked to end as wanted."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 20.0


def start(home: Path, *arguments: str, code: str = "", **environment: str) -> subprocess.Popen[str]:
    """Start the window on `home`; with `code`, Python that runs before `main`, in the program's process."""
    script = f"import sys\nfrom sam_py import app\n{code}\nsys.exit(app.main(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "ignore::ImportWarning", "-c", script, *arguments],
        cwd=ROOT,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            "SAM_HOME": str(home),
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONFAULTHANDLER": "1",
            **environment,
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


READY = """
import asyncio
_start = app.Program.start
async def _started(self):
    await _start(self)
    print("ready", flush=True)
app.Program.start = _started
"""
"""Says ``ready`` when the window takes typing."""


SAYS_NOTICES = """
from sam_py.ui.widgets.notices import Notices
_show = Notices.show_notice
def _said(self, text, *rest, **more):
    print("notice:", text, flush=True)
    _show(self, text, *rest, **more)
Notices.show_notice = _said
"""
"""Prints what the person is told."""

SENDS = """
def _talk(self, texts):
    for text in texts:
        self.window.chat.send(text, ())
_before = app.Program.start
async def _talking(self):
    await _before(self)
    _talk(self, app.TEXTS)
app.Program.start = _talking
app.TEXTS = {texts!r}
"""
"""Sends `texts` as soon as the window takes typing; all but the first are queued."""


def until_ready(process: subprocess.Popen[str]) -> str:
    """Wait until the window takes typing; returns what was printed before."""
    assert process.stdout is not None
    said = ""
    while (line := process.stdout.readline()) != "ready\n":
        assert line, said
        said += line
    return said


def ended(process: subprocess.Popen[str], limit_s: float = PATIENCE_S) -> tuple[int, str, float]:
    """Exit code, all output, and the seconds that it took from now."""
    began = time.monotonic()
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        raise AssertionError(f"the program did not end within {limit_s:g} s:\n{output}") from None
    return process.returncode, output, time.monotonic() - began


def wait_for(what: Callable[[], object], name: str) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end_s, f"{name} did not come true within {PATIENCE_S:g} s"
        time.sleep(0.01)
