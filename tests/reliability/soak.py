"""Three replies that stream at 50 words a second for some minutes, and what the program holds meanwhile.

``python -m tests.reliability.soak 180`` prints a line each 15 s: memory, open files, tasks, timers, notifiers, widgets.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import psutil
from PySide6.QtWidgets import QApplication

from tests.fakes.sitting import Sitting, make_runner
from tests.reliability.telling_server import TellingServer

EACH_S = 15.0


async def soak(sam: Sitting, server: TellingServer, seconds: float) -> None:
    ids: list[str] = []
    loop = asyncio.get_running_loop()
    process = psutil.Process()
    await sam.start()
    for number in range(3):
        sam.window.new_conversation()
        await sam.until(lambda: sam.chat.conversation.id not in ids, "a new conversation")
        sam.use_server(f"http://127.0.0.1:{server.port}/v1")
        sam.chat.send(f"Question {number}", ())
        await sam.until(lambda: sam.messages, "the message")
        ids.append(sam.chat.conversation.id)
    print("     s   MB  fds tasks timers watchers widgets  CPU %  longest stall ms")
    began = told = time.monotonic()
    worst_s = 0.0
    process.cpu_percent()
    while (now := time.monotonic()) - began < seconds:
        await asyncio.sleep(0.01)
        worst_s = max(worst_s, time.monotonic() - now - 0.01)
        for id in ids:  # a reply that came to its end is followed by the next question
            conversation = sam.window.conversations.get(id)
            if conversation is not None and not conversation.is_busy:
                sam.program._tasks.spawn(conversation.session.send("Go on"))
                await asyncio.sleep(0)
        if now - told > EACH_S:
            told = now
            numbers = (process.memory_info().rss / 1e6, process.num_fds(), len(asyncio.all_tasks()))
            inside = (len(loop._heap), len(loop._watchers), len(QApplication.allWidgets()))  # type: ignore[attr-defined]
            print(
                f"{now - began:6.0f} {numbers[0]:4.0f} {numbers[1]:4} {numbers[2]:5} {inside[0]:6} {inside[1]:8} "
                f"{inside[2]:7} {process.cpu_percent():6.0f} {worst_s * 1000:8.0f}",
                flush=True,
            )
            worst_s = 0.0
            sam.window.open_conversation(ids[int(now - began) % 3])
    await sam.close()


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 180.0
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    loop, run = make_runner(app)
    with tempfile.TemporaryDirectory() as folder, loop:
        run(soak(Sitting(app, Path(folder) / "home"), TellingServer(longest=3000), seconds))


if __name__ == "__main__":
    main()
