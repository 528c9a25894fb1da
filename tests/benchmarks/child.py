"""One measurement in a process of its own; prints its figures as the last line, in JSON."""

from __future__ import annotations

import sys
import time

STARTED = time.perf_counter()

import asyncio  # noqa: E402  the clock starts before the imports that are to be measured
import json  # noqa: E402
import os  # noqa: E402
import statistics  # noqa: E402
import tempfile  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from tests.benchmarks.words import words  # noqa: E402


def stream_row(messages: int, kilobytes: int = 0) -> dict[str, float]:
    """CPU per chunk of bus, model and timeline with real painting, no network; the frame's rhythm as in use."""
    from PySide6.QtWidgets import QApplication

    from sam_py.bus.loaded import LoadedHistory
    from sam_py.bus.message_bus import MessageBus
    from sam_py.ui.chat.row_context import RowContext
    from sam_py.ui.chat.timeline import Timeline
    from sam_py.ui.models.message_list_model import MessageListModel
    from sam_py.ui.theme import LIGHT, Theme, Themes
    from sam_py.ui.widgets.icons import Icons

    app = QApplication([])
    themes = Themes(Theme(LIGHT, dark=False))
    bus = MessageBus("c")
    bus.load(LoadedHistory(messages=[_Stored(number) for number in range(messages)]))
    timeline = Timeline(RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model))
    timeline.resize(900, 760)
    timeline.show()
    model = MessageListModel(bus)
    timeline.set_model(model)
    reply = bus.begin_assistant()
    length = kilobytes * 1000
    for number, chunk in enumerate(words(max(60, length // 6))):
        bus.append_delta(reply, chunk)
        if number % 100 == 99:  # in portions: the layout of what comes all at once goes on for many frames
            model.flush()
            app.processEvents()
    model.flush()
    app.processEvents()
    count, per_frame = 600, 3
    began = time.process_time()
    for number, chunk in enumerate(words(count)):
        bus.append_delta(reply, chunk)
        if number % per_frame == per_frame - 1:
            model.flush()
            app.processEvents()
    spent = time.process_time() - began
    return {"chunk_ms": spent / count * 1000}


class _Stored:
    """A message on disk, as the store hands it over."""

    role = "user"

    def __init__(self, number: int) -> None:
        self.id = f"m{number}"
        self.parent_id = f"m{number - 1}" if number else None
        self.role = "user" if number % 2 == 0 else "assistant"
        self.size = 700
        self._number = number

    def load(self) -> Any:
        from sam_py.messages.message import AssistantMessage, UserMessage
        from sam_py.messages.parts import TextPart
        from tests.benchmarks.run import text_of

        kind = UserMessage if self.role == "user" else AssistantMessage
        return kind(id=self.id, parent_id=self.parent_id, parts=(TextPart(text=text_of(self._number)),))


def _program(home: str | Path) -> tuple[Any, Any, Any]:
    """The real program's objects on a real loop: (app, loop, program)."""
    from PySide6.QtWidgets import QApplication

    from sam_py.app import Program
    from sam_py.paths import default_paths
    from sam_py.ui.loop import Loop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop = Loop(app)
    asyncio.set_event_loop(loop)
    program = Program(app, default_paths(home).create())
    return app, loop, program


def stream_window(seconds: float) -> dict[str, float]:
    """The whole program with a real HTTP stream of 100 chunks/s from another process."""
    import subprocess

    from tests.benchmarks.run import ROOT

    server = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.server", "100"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    port = int(server.stdout.readline())
    try:
        with tempfile.TemporaryDirectory() as home:
            _app, loop, program = _program(home)
            with loop:
                return loop.run_until_complete(_stream(program, port, seconds))  # type: ignore[no-any-return]
    finally:
        server.kill()
        server.wait()


async def _stream(program: Any, port: int, seconds: float) -> dict[str, float]:
    from PySide6.QtCore import QEvent, QObject

    from sam_py.settings.model import ProviderSettings

    class Paints(QObject):
        """Counts the paint events of the timeline's viewport and what is in it."""

        count = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                self.count += 1
            return False

    window = program.window
    window.resize(1080, 760)
    window.show()
    await program.start()
    program._settings.change(
        lambda settings: settings.model_copy(
            update={
                "providers": (
                    ProviderSettings(id="bench", label="Bench", base_url=f"http://127.0.0.1:{port}/v1", model="m"),
                )
            }
        )
    )
    window.chat.set_model("bench", "m")
    window.chat.send("go", ())
    bus = window.chat.conversation.bus
    while len(bus) < 2 or not bus.streaming_ids or not bus.metrics.streaming_updates:
        await asyncio.sleep(0.02)
    await asyncio.sleep(4.0)  # what is done once after the start is over by then
    frames = [0]
    window.chat.timeline.model.grown.connect(lambda *_: frames.__setitem__(0, frames[0] + 1))
    stalls: list[float] = []
    stop = asyncio.Event()

    async def beat() -> None:
        """How late a timer of 5 ms is: what a key press would wait."""
        while not stop.is_set():
            due = time.perf_counter() + 0.005
            await asyncio.sleep(0.005)
            stalls.append(time.perf_counter() - due)

    before, cpu, wall = bus.metrics.streaming_updates, time.process_time(), time.perf_counter()
    await asyncio.sleep(seconds)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    received = bus.metrics.streaming_updates - before
    drawn = frames[0]
    watcher = asyncio.ensure_future(beat())
    await asyncio.sleep(seconds)
    stop.set()
    await watcher
    stalls.sort()
    window.chat.stop()
    result = {
        "cpu_percent": 100 * cpu / wall,
        "chunks_per_s": received / wall,
        "frames_per_s": drawn / wall,
        "stall_p95_ms": 1000 * stalls[int(len(stalls) * 0.95)],
        "stall_max_ms": 1000 * stalls[-1],
    }
    await program.aclose()
    return result


def start_bare() -> dict[str, float]:
    """A Qt window with one text field, until it took a key press and was painted."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

    app = QApplication([])
    window = QMainWindow()
    field = QPlainTextEdit(window)
    window.setCentralWidget(field)
    window.resize(1080, 760)
    window.show()
    field.setFocus()
    while not field.toPlainText():
        app.processEvents()
        QTest.keyClicks(field, "a")
    app.processEvents()
    return {"ready_ms": (time.perf_counter() - STARTED) * 1000}


def start_program(home: str) -> dict[str, float]:
    """The real program, until its text box took a key press, its list is filled and all is painted."""
    from PySide6.QtTest import QTest

    _app, loop, program = _program(home)
    with loop:

        async def run() -> float:
            window = program.window
            window.resize(1080, 760)
            window.show()
            await program.start()
            text = window.chat.composer.text
            QTest.keyClicks(text, "a")
            while not text.toPlainText():
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            ready = (time.perf_counter() - STARTED) * 1000
            await program.aclose()
            return ready

        return {"ready_ms": loop.run_until_complete(run())}


def open_large(home: str) -> dict[str, float]:
    """CPU from the click to the first paint, then of 100 jumps, in a program that runs already."""
    _app, loop, program = _program(home)
    with loop:
        return loop.run_until_complete(_open(program))  # type: ignore[no-any-return]


async def _open(program: Any) -> dict[str, float]:
    window = program.window
    window.resize(1080, 760)
    window.show()
    await program.start()
    await asyncio.sleep(0.5)
    large = program._library.summaries()[0].id
    began = time.process_time()
    conversation = await program._conversations.open(large)
    read = time.process_time() - began
    await window._show(conversation)
    await asyncio.sleep(0)
    window.chat.timeline.viewport().repaint()
    opened = time.process_time() - began
    count = len(conversation.bus)
    jumps = []
    for number in range(100):
        target = conversation.bus.id_at((number * 7919) % count)
        began = time.process_time()
        assert window.chat.timeline.show_message(target, mark=False)
        window.chat.timeline.viewport().repaint()
        jumps.append(time.process_time() - began)
    await program.aclose()
    return {
        "open_ms": opened * 1000,
        "read_ms": read * 1000,
        "jump_ms": statistics.median(jumps) * 1000,
        "jump_max_ms": max(jumps) * 1000,
    }


def save_one(messages: int) -> dict[str, float]:
    """Add a message to a conversation of `messages`: bytes on disk, the loop thread's CPU, time until durable."""

    async def run() -> dict[str, float]:
        from sam_py.bus.message_bus import MessageBus
        from sam_py.paths import default_paths
        from sam_py.store.library import Library
        from tests.benchmarks.run import make_library, text_of

        with tempfile.TemporaryDirectory() as home:
            ids = make_library(Path(home), conversations=1, messages=messages)
            library = Library(default_paths(home))
            await library.start()
            bus = MessageBus(ids[0])
            bus.load((await library.open(ids[0])).history)
            autosave = library.attach(bus)
            folder = default_paths(home).conversations / ids[0]
            sizes, threads, durables = [], [], []
            for number in range(20):
                before = _bytes_in(folder)
                wall, cpu = time.perf_counter(), time.thread_time()
                bus.add_user_message(text_of(number))
                saving = asyncio.ensure_future(autosave.save_now())
                await asyncio.sleep(0)
                spent = time.thread_time() - cpu
                await saving
                durables.append(time.perf_counter() - wall)
                threads.append(spent)
                sizes.append(_bytes_in(folder) - before)
            autosave.close()
            await library.aclose()
            return {
                "bytes": statistics.median(sizes[1:]),
                "thread_ms": statistics.median(threads[1:]) * 1000,
                "durable_ms": statistics.median(durables[1:]) * 1000,
            }

    return asyncio.run(run())


def save_burst() -> dict[str, float]:
    """Five updates within a moment: how many writes they become."""

    async def run() -> dict[str, float]:
        from sam_py.bus.message_bus import MessageBus
        from sam_py.paths import default_paths
        from sam_py.store.library import Library

        with tempfile.TemporaryDirectory() as home:
            library = Library(default_paths(home).create())
            await library.start()
            bus = MessageBus(library.create())
            autosave = library.attach(bus)
            message = bus.add_user_message("hello")
            await autosave.save_now()
            before = bus.metrics.saves_executed
            for number in range(5):
                bus.annotate(message.id, importance=0.1 * number)
            await asyncio.sleep(1.5)
            writes = bus.metrics.saves_executed - before
            autosave.close()
            await library.aclose()
            return {"writes": float(writes)}

    return asyncio.run(run())


def memory_idle(home: str) -> dict[str, float]:
    """Resident memory of the program with its newest conversation open, after it has come to rest."""
    import psutil

    _app, loop, program = _program(home)
    with loop:

        async def run() -> float:
            window = program.window
            window.resize(1080, 760)
            window.show()
            await program.start()
            summaries = program._library.summaries()
            if summaries:
                await window._show(await program._conversations.open(summaries[0].id))
            await asyncio.sleep(3.0)
            used = float(psutil.Process().memory_info().rss) / 1e6
            await program.aclose()
            return used

        return {"mb": loop.run_until_complete(run())}


def _bytes_in(folder: Path) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(folder))


MEASUREMENTS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        stream_row, stream_window, start_bare, start_program, open_large, save_one, save_burst, memory_idle,
    )
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(MEASUREMENTS[sys.argv[1]](**json.loads(sys.argv[2]))), flush=True)
    os._exit(0)
