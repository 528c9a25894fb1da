"""Desk: a screen with a window manager, and the program on it, used by keys alone, as a person would.

Nothing here knows a widget. What happened is read where a person or the next start would find it: on the screen, in
the journal, in the exit code.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "packaging"))

from virtual_screen import VirtualScreen  # noqa: E402

PATIENCE_S = 20.0
_LOOK_AGAIN_S = 0.03
_KEY_PAUSE_MS = 8

T = TypeVar("T")


def wait_for(look: Callable[[], T], what: str, timeout_s: float = PATIENCE_S) -> T:
    """What `look` returns as soon as it is true. Fails with `what` after `timeout_s`."""
    end_s = time.monotonic() + timeout_s
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end_s:
            raise AssertionError(f"{timeout_s:g} s passed and this was not to be seen: {what}")
        time.sleep(_LOOK_AGAIN_S)


class Desk:
    """An X screen of its own with openbox, until the end of the ``with`` block. `folder` is its to fill."""

    def __init__(self, folder: Path, *, width_px: int = 1280, height_px: int = 860) -> None:
        self._folder = folder
        self._memory = folder / "screen"
        self._memory.mkdir(parents=True)
        self._size = (width_px, height_px)

    def __enter__(self) -> Self:
        self._screen = VirtualScreen(*self._size, memory=self._memory)
        self.display = self._screen.display
        home = self._folder / "manager"
        home.mkdir()
        environment = {"PATH": os.environ["PATH"], "DISPLAY": self.display, "HOME": str(home), "LC_ALL": "C.UTF-8"}
        self._manager = subprocess.Popen(
            ["openbox", "--sm-disable"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            wait_for(lambda: self.xdotool("get_num_desktops", check=False), "the window manager")
            self.xdotool("mousemove", *(str(edge_px - 1) for edge_px in self._size))  # nothing is hovered over
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._manager.terminate()
        self._manager.wait()
        self._screen.close()

    def xdotool(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["xdotool", *arguments],
            env={**os.environ, "DISPLAY": self.display, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"xdotool {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def type(self, text: str) -> None:
        self.xdotool("type", "--delay", str(_KEY_PAUSE_MS), "--", text)

    def press(self, *keys: str) -> None:
        """Keys in xdotool's words: ``Return``, ``ctrl+q``."""
        self.xdotool("key", "--delay", str(_KEY_PAUSE_MS), *keys)

    def picture(self) -> QImage:
        """The screen as it is now."""
        width_px, height_px, line_bytes, pixels = self._screen.shot()
        return QImage(pixels, width_px, height_px, line_bytes, QImage.Format.Format_RGB32).copy()


@dataclass(frozen=True)
class Said:
    """A message as the journal has it."""

    id: str
    parent_id: str | None
    role: str
    text: str
    stop_reason: str | None
    provider: str


class Sitting:
    """One run of the program on a desk, from its window to its end."""

    def __init__(self, desk: Desk, home: Path, **environment: str) -> None:
        self.desk = desk
        self.home = home
        self._output = home.with_name(f"{home.name}.{time.monotonic_ns()}.out")
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home.parent),
            "XDG_RUNTIME_DIR": str(home.parent),
            "LC_ALL": "C.UTF-8",
            "DISPLAY": desk.display,
            "SAM_HOME": str(home),
            "QT_QPA_PLATFORM": "xcb",
            "PYTHONFAULTHANDLER": "1",
            **environment,
        }
        self.process = self._start()
        wait_for(
            lambda: self._active_window() and "–" in self.title(), "the program's window with a conversation in it"
        )

    def _start(self) -> subprocess.Popen[bytes]:
        with self._output.open("wb") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "sam_py"], cwd=ROOT, env=self._environment, stdout=output, stderr=output
            )

    def _active_window(self) -> str:
        if self.process.poll() is not None:
            raise AssertionError(f"the program ended with {self.process.returncode}:\n{self.output()}")
        active = self.desk.xdotool("getactivewindow", check=False)
        pid = self.desk.xdotool("getwindowpid", active, check=False) if active else ""
        return active if pid == str(self.process.pid) else ""

    def start_again(self) -> tuple[int, str]:
        """Start a second process on the same folder beside this one; its exit code and what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "sam_py"],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    # What a person does

    def type(self, text: str) -> None:
        """Type into the text box and see that the draft has it."""
        self.desk.type(text)
        self.wait_for(lambda: text in self.drafts(), f"{text!r} as a draft")

    def send(self, text: str) -> None:
        self.desk.type(text)
        self.desk.press("Return")
        self.wait_for(lambda: any(said.text == text for said in self.said("user")), f"{text!r} in the journal")

    def quit(self) -> int:
        """Ctrl+Q; the exit code."""
        self.desk.press("ctrl+q")
        return self.wait_until_ended()

    def wait_until_ended(self) -> int:
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the program did not end:\n{self.output()}") from None

    def kill(self) -> None:
        """As a crash or a flat battery would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def leave(self) -> None:
        """At the end of a test, however it ended."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    # What can be found afterwards

    def wait_for(self, look: Callable[[], T], what: str, timeout_s: float = PATIENCE_S) -> T:
        def alive() -> T:
            found = look()
            if not found and self.process.poll() is not None:
                raise AssertionError(f"the program ended with {self.process.returncode}:\n{self.output()}")
            return found

        return wait_for(alive, what, timeout_s)

    def said(self, role: str | None = None) -> list[Said]:
        """All messages of all conversations as the journals have them now, in the order in which they were begun."""
        latest: dict[str, Said] = {}
        for event in self._events():
            if event.get("event") == "message_added":
                message = event["message"]
                latest[message["id"]] = _said(message)
            elif event.get("event") == "message_removed":
                latest.pop(event["message_id"], None)
        return [said for said in latest.values() if role in (None, said.role)]

    def last(self, role: str) -> Said:
        found = self.said(role)
        assert found, f"nothing was said by the {role}"
        return found[-1]

    def _events(self) -> Iterator[dict[str, Any]]:
        for journal in sorted((self.home / "data" / "conversations").glob("*/*.jsonl")):
            for line in journal.read_bytes().splitlines(keepends=True):
                if line.endswith(b"\n"):  # the last one may be on its way
                    yield json.loads(line)

    def event_names(self) -> set[str]:
        """What kinds of events the journals hold."""
        return {event["event"] for event in self._events()}

    def title(self) -> str:
        """The title of the window that has the keyboard."""
        return self.desk.xdotool("getactivewindow", "getwindowname", check=False)

    def drafts(self) -> str:
        """The text of all drafts."""
        folder = self.home / "state" / "drafts"
        texts = []
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
            try:
                texts.append(str(json.loads(path.read_text(encoding="utf-8")).get("text", "")))
            except (FileNotFoundError, json.JSONDecodeError):  # replaced or removed this very moment
                continue
        return "\n".join(texts)

    def output(self) -> str:
        """What the program printed, and its log."""
        log = self.home / "state" / "logs" / "sam.log"
        text = self._output.read_text(encoding="utf-8", errors="replace")
        return text + (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "")

    def steady_picture(self) -> QImage:
        """The screen once it does not change any more; a blinking caret does not count."""
        pictures = [self.desk.picture()]

        def is_steady() -> bool:
            time.sleep(0.25)
            pictures.append(self.desk.picture())
            return difference(pictures[-1], pictures[-2]) < 0.0005

        self.wait_for(is_steady, "a steady picture")
        return pictures[-1]


def difference(one: QImage, other: QImage) -> float:
    """The share of pixels that differ, 0 to 1."""
    assert one.size() == other.size()
    ours, theirs = (np.frombuffer(bytes(image.constBits()), np.uint32) for image in (one, other))
    return float(np.mean(ours != theirs))


def is_possible() -> bool:
    return sys.platform.startswith("linux") and all(shutil.which(name) for name in ("Xvfb", "openbox", "xdotool"))


def _said(message: dict[str, Any]) -> Said:
    text = "".join(part.get("text", "") for part in message["parts"] if part.get("kind") == "text")
    return Said(
        id=message["id"],
        parent_id=message.get("parent_id"),
        role=message["role"],
        text=text,
        stop_reason=message.get("stop_reason"),
        provider=message.get("provider", ""),
    )
