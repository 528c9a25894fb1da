"""The library: what its first paint, a frame of scrolling and going through 10,000 things cost.

As a program, ``python -m tests.benchmarks.library KIND HOME``: measure and print a JSON object.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import tempfile
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.run import Row, apart

COUNT = 10_000
_PER_CONVERSATION = 100
_PICTURES = 40


def library(repeats: int) -> list[Row]:
    """16. The library with 10,000 pictures and 10,000 blocks of code: first paint, scrolling, memory."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as home:
        _run("--make", home)
        _run("image", home)  # once for the index, and for the byte code
        for kind, name in (("image", "images"), ("code", "code"), ("link", "links")):
            results = [_run(kind, home) for _ in range(repeats)]
            rows += [
                Row(f"{name}: first paint, imports included", _middle(results, "paint_ms"), "ms CPU", None, 200.0),
                Row(f"{name}: a frame of scrolling, median", _middle(results, "frame_ms"), "ms CPU"),
                Row(f"{name}: a frame of scrolling, p99", _middle(results, "frame_p99_ms"), "ms CPU", None, 16.0),
                Row(f"{name}: longest frame", _middle(results, "frame_max_ms"), "ms CPU"),
                Row(f"{name}: longest frame by the clock", _middle(results, "frame_max_wall_ms"), "ms wall"),
                Row(f"{name}: more memory after all of it", _middle(results, "more_mb"), "MB", None, 80.0),
            ]
    return rows


def _middle(results: list[dict[str, float]], key: str) -> float:
    return sorted(result[key] for result in results)[len(results) // 2]


def _run(case: str, home: str) -> dict[str, float]:
    return apart("library", case, home)


def _make(home: Path) -> None:
    """Conversations with a picture, a block of code and a link in each reply; every picture is a file of its own."""
    from sam_py.messages.history import MessageAdded, SettingsChanged
    from sam_py.messages.message import AssistantMessage
    from sam_py.messages.parts import ImagePart, TextPart
    from sam_py.paths import default_paths
    from sam_py.store.lines import write_line

    paths = default_paths(home).create()
    drawn = [_drawn(number) for number in range(_PICTURES)]
    now = datetime.now(UTC)
    for first in range(0, COUNT, _PER_CONVERSATION):
        conversation = uuid.UUID(int=first + 1).hex
        folder = paths.conversations / conversation
        folder.mkdir(mode=0o700)
        lines = [write_line(SettingsChanged(key="title", value=f"Conversation {first}"), 1, "bench")]
        parent = None
        for number in range(first, first + _PER_CONVERSATION):
            content = drawn[number % _PICTURES] + str(number).encode()  # what follows a picture's end is not read
            hash = hashlib.sha256(content).hexdigest()
            (paths.attachments / hash[:2]).mkdir(exist_ok=True)
            (paths.attachments / hash[:2] / hash).write_bytes(content)
            code = "\n".join(f"    value_{line} = compute({line}, {number})" for line in range(8))
            text = f"See https://example.org/{number}\n\n```python\ndef work_{number}():\n{code}\n```\n"
            message = AssistantMessage(
                id=f"{number:016x}",
                parent_id=parent,
                created_at=now - timedelta(hours=number),
                parts=(
                    TextPart(text=text),
                    ImagePart(attachment=hash, mime_type="image/jpeg", alt=f"picture {number}"),
                ),
                stop_reason="stop",
                provider="x",
                model="tiny",
            )
            parent = message.id
            lines.append(write_line(MessageAdded(message=message), number + 2, "bench"))
        (folder / "bench.jsonl").write_bytes(b"".join(lines))


def _drawn(number: int) -> bytes:
    from PySide6.QtCore import QBuffer, QIODevice
    from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter

    image = QImage(768, 576, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    gradient = QLinearGradient(0, 0, 768, 576)
    gradient.setColorAt(0, QColor.fromHsv(number * 9 % 360, 160, 240))
    gradient.setColorAt(1, QColor.fromHsv((number * 9 + 140) % 360, 200, 90))
    painter.fillRect(image.rect(), gradient)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "JPG", 80)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


async def _measure(program: Any, kind: str) -> dict[str, float]:
    import psutil
    from PySide6.QtWidgets import QApplication

    from sam_py.store.search_index.service import SearchService

    window = program.window
    window.resize(1300, 800)
    window.show()
    await program.start()
    services = window._services
    search = SearchService(services.paths)
    search.start()
    search.follow(services.library)
    await search.settled()
    await search.counts()
    await asyncio.sleep(4.0)  # what is done once after the start is over by then
    process = psutil.Process()
    before = process.memory_info().rss

    began = time.process_time()
    from sam_py.ui.library.library_page import LibraryPage

    page = LibraryPage(services, search, lambda _conversation, _message: None)
    page.resize(1040, 760)
    page.show_kind(kind)
    page.show()
    while page.listing.is_looking:
        await asyncio.sleep(0)
    page.view.viewport().repaint()
    painted = time.process_time() - began
    while page.listing._task is not None:
        await asyncio.sleep(0.005)

    bar = page.view.verticalScrollBar()
    frames: list[float] = []
    walls: list[float] = []
    step = 97 if kind == "image" else 220
    while bar.value() < bar.maximum() or page.model.rowCount() < COUNT:
        cpu, wall = time.thread_time(), time.perf_counter()
        bar.setValue(bar.value() + step)
        page.view.viewport().repaint()
        QApplication.sendPostedEvents()
        await asyncio.sleep(0)
        frames.append(time.thread_time() - cpu)
        walls.append(time.perf_counter() - wall)
        await asyncio.sleep(0.002)
        if bar.value() == bar.maximum():
            await asyncio.sleep(0.02)
    while page.pictures.is_reading:
        await asyncio.sleep(0.01)
    after = process.memory_info().rss
    page.stop()
    await search.aclose()
    await program.aclose()
    frames.sort()
    return {
        "paint_ms": 1000 * painted,
        "frames": float(len(frames)),
        "frame_ms": 1000 * frames[len(frames) // 2],
        "frame_p99_ms": 1000 * frames[int(len(frames) * 0.99)],
        "frame_max_ms": 1000 * frames[-1],
        "frame_max_wall_ms": 1000 * max(walls),
        "more_mb": (after - before) / 1e6,
    }


def main() -> None:
    case, home = sys.argv[1], Path(sys.argv[2])
    if case == "--make":
        from PySide6.QtGui import QGuiApplication

        _app = QGuiApplication([])
        _make(home)
        print("{}")
        return
    from tests.benchmarks.child import _program

    _app, loop, program = _program(home)
    with loop:
        print(json.dumps(loop.run_until_complete(_measure(program, case))), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
