#!/usr/bin/env python3
"""Take the README's pictures of the running program: ``.venv/bin/python packaging/screenshots.py``.

Needs Linux with Xvfb and xdotool, which `bootstrap.py test` installs.
Writes some conversations with the program's own store, starts the program on a virtual screen that is exactly as large
as its window, waits until the picture rests, and keeps it: once light, once dark.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from PySide6.QtGui import QImage
from virtual_screen import VirtualScreen

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.usage import Metrics, Usage
from sam_py.paths import default_paths
from sam_py.store.library import Library

PROJECT = Path(__file__).resolve().parent.parent
PICTURES = PROJECT / "resources" / "docs" / "images"
WINDOW_PX = (1080, 760)
SCALE = 2
PATIENCE_S = 40.0
REST_S = 1.5
CARET = 50
"""Sampled bytes that differ while nothing but a caret blinks."""

PROVIDER, MODEL = "ollama", "qwen3:8b"
SHOWN = "Compound interest"
QUESTION = "I put 1,000 € aside at 4 % a year. How do I work out what it becomes? A formula and some Python, please."
ANSWER = """\
Each year the interest is added and earns interest itself, so the sum grows by the same **factor** every year:

$$K_n = K_0 \\left(1 + \\frac{p}{100}\\right)^n$$

In Python:

```python
def capital(start: float, rate: float, years: int) -> float:
    \"\"\"What `start` becomes after `years` at `rate` per cent.\"\"\"
    return start * (1 + rate / 100) ** years

for years in (1, 10, 18):
    print(f"{years:>2} years: {capital(1_000, 4, years):8.2f} €")
```

| Years | Capital | Interest earned |
|------:|--------:|----------------:|
|     1 | 1,040.00 € |  40.00 € |
|    10 | 1,480.24 € | 480.24 € |
|    18 | 2,025.82 € | 1,025.82 € |

A rule of thumb: money doubles after about `72 / rate` years, here **18**.
"""
# Title, age in days, folder, pinned, question, answer.
OTHERS = (
    ("Packing list for the Alps", 0, "", True, "What do I need for three days of huts?", "Little, and good shoes."),
    ("Why is the sky blue?", 0, "", False, "Why is the sky blue?", "Air scatters short waves more than long ones."),
    ("A toast for Mira", 1, "", False, "Two sentences for a birthday toast?", "To Mira, who asks the better question."),
    ("Regex for ISO dates", 1, "Work", False, "A regex for 2026-11-21?", "`\\d{4}-\\d{2}-\\d{2}` finds its form."),
    ("Minutes of the meeting", 3, "Work", False, "Shorten these minutes.", "Three points were decided."),
    ("Sourdough, second attempt", 5, "", False, "My bread stays flat.", "Give it more time and a warmer place."),
    ("Reading list on Byzantium", 19, "", False, "Where do I begin?", "With a short history, then the sources."),
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Take the README's pictures of the running program.")
    parser.add_argument("--folder", type=Path, default=PICTURES, help="where they are written")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        with tempfile.TemporaryDirectory(prefix="sam-pictures-") as folder:
            home = Path(folder) / "sam"
            asyncio.run(_furnish(home, theme))
            picture = _photograph(home, Path(folder))
        path = options.folder / f"{theme}.png"
        if not picture.save(str(path)):
            print(f"{path} could not be written: see that the folder can be.", file=sys.stderr)
            return 1
        print(path)
    return 0


async def _furnish(home: Path, theme: str) -> None:
    """Conversations of some weeks, the last of them open, and a theme."""
    paths = default_paths(home).create()
    library = Library(paths)
    await library.start()
    for title, days, folder, pinned, question, answer in OTHERS:
        settings = {"title": title, **({"folder": folder} if folder else {}), **({"pinned": True} if pinned else {})}
        await _write(library, datetime.now(UTC) - timedelta(days=days, minutes=20), settings, question, answer)
    shown = await _write(library, datetime.now(UTC), {"title": SHOWN}, QUESTION, ANSWER)
    await library.aclose()
    (paths.state / "index.json").unlink()  # written now; made again from the messages, it has their dates
    provider = {"id": PROVIDER, "preset": "ollama", "label": "Ollama", "base_url": "http://127.0.0.1:9/v1"}
    provider |= {"model": MODEL, "models": [MODEL]}
    chat = {"default": {"provider": PROVIDER, "model": MODEL}}
    settings = {"schema_version": 1, "providers": [provider], "chat": chat, "appearance": {"theme": theme}}
    settings["detect_local_servers"] = False
    (paths.config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (paths.state / "window.json").write_text(json.dumps({"conversation": shown}), encoding="utf-8")


async def _write(library: Library, at: datetime, settings: dict[str, object], question: str, answer: str) -> str:
    conversation = library.create()
    bus = MessageBus(conversation)
    autosave = library.attach(bus)
    asked = UserMessage(parts=(TextPart(text=question),), created_at=at)
    bus.add(asked)
    bus.add(
        AssistantMessage(
            parent_id=asked.id,
            parts=(TextPart(text=answer),),
            created_at=at + timedelta(seconds=5),
            stop_reason="stop",
            provider=PROVIDER,
            model=MODEL,
            usage=Usage(input_tokens=212, output_tokens=318),
            metrics=Metrics(first_token_s=0.31, duration_s=7.9, tokens_per_second=41.8),
        )
    )
    for key, value in settings.items():
        bus.change_setting(key, value)  # type: ignore[arg-type]
    await autosave.save_now()
    autosave.close()
    return conversation


def _photograph(home: Path, folder: Path) -> QImage:
    """Start the program, wait until its picture rests, end it."""
    memory = folder / "screen"
    memory.mkdir()
    with VirtualScreen(WINDOW_PX[0] * SCALE, WINDOW_PX[1] * SCALE, memory=memory) as screen:
        environment = {**os.environ, "DISPLAY": screen.display, "SAM_HOME": str(home), "QT_QPA_PLATFORM": "xcb"}
        environment |= {"QT_SCALE_FACTOR": str(SCALE), "LC_ALL": "C.UTF-8"}
        corner = [str(length_px * SCALE - 1) for length_px in WINDOW_PX]  # where the pointer is not seen
        subprocess.run(["xdotool", "mousemove", *corner], env=environment, check=True)
        program = subprocess.Popen([sys.executable, "-m", "sam_py"], cwd=PROJECT, env=environment)
        try:
            return _at_rest(screen, program)
        finally:
            program.terminate()
            program.wait()


def _at_rest(screen: VirtualScreen, program: subprocess.Popen[bytes]) -> QImage:
    """The screen's picture once it is not black and has stayed as it is, but for a caret, for a while."""
    end_s = time.monotonic() + PATIENCE_S
    last, since_s = b"", time.monotonic()
    while time.monotonic() < end_s and program.poll() is None:
        shot = screen.shot()
        sample = shot.pixels[::97]
        if not any(sample) or sum(now != before for now, before in zip(sample, last, strict=False)) > CARET:
            since_s = time.monotonic()
        last = sample
        if time.monotonic() - since_s > REST_S:
            width_px, height_px, line_bytes, pixels = shot
            return QImage(pixels, width_px, height_px, line_bytes, QImage.Format.Format_RGB32).copy()
        time.sleep(0.2)
    raise SystemExit("The program showed no window that rests: start it by hand and look at what it prints.")


if __name__ == "__main__":
    sys.exit(main())
