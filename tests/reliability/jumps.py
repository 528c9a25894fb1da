"""Random jumps into conversations of many sizes: does each end with its message in view?

As a program, ``python -m tests.reliability.jumps 500 HOME``: fill that folder, jump, print what missed.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.paths import default_paths
from sam_py.store.library import Library
from tests.fakes.sitting import Sitting, make_runner

SIZES = (10, 25, 60, 150, 400, 1_000, 2_000)
WORD = "needle"
_PIECES = (
    "A line of words that says a little.",
    "A longer paragraph that wraps. " * 12,
    "```python\nfor each in range(10):\n    print(each)\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
    "- one\n- two\n- three\n\n> quoted",
    "我们今天讨论如何在数据库中查找中文消息。",
    "$$\\int_0^1 x^2\\,dx = \\frac13$$",
)


@dataclass
class Jumped:
    """`misses` say which jump ended where."""

    landed: int = 0
    misses: list[str] = field(default_factory=list)
    waits_ms: list[float] = field(default_factory=list)
    """From the wish to the message in view."""


async def fill(home: Path, sizes: tuple[int, ...] = SIZES, seed: int = 1) -> dict[str, list[str]]:
    """Write conversations, one with a second branch; returns the ids of all messages of each."""
    chance = random.Random(seed)
    library = Library(default_paths(home).create())
    await library.start()
    ids: dict[str, list[str]] = {}
    begun = datetime.now(UTC) - timedelta(days=30)
    for number, size in enumerate(sizes):
        bus = MessageBus(library.create(), auto_pin=0)
        save = library.attach(bus)
        bus.change_setting("title", f"Conversation {number}")
        for place in range(size):
            text = "\n\n".join(chance.choices(_PIECES, k=chance.choice((1, 1, 2, 5)))) + f"\n\n{WORD} {place}"
            parent = bus.tip if place != size * 3 // 4 else bus.id_at(size // 2)  # the rest is another branch
            at = begun + timedelta(days=number, minutes=place)
            if place % 2:
                reply = AssistantMessage(
                    parent_id=parent, created_at=at, stop_reason="stop", parts=(TextPart(text=text),)
                )
                bus.add(reply)
            else:
                bus.add(UserMessage(parent_id=parent, created_at=at, parts=(TextPart(text=text),)))
        ids[bus.conversation_id] = [message.id for message in bus.tree()]
        await save.save_now()
    await library.aclose()
    return ids


async def jump_around(sitting: Sitting, ids: dict[str, list[str]], count: int, seed: int = 2) -> Jumped:
    """Jump so often; now and then again before the jump before has ended."""
    chance = random.Random(seed)
    jumped = Jumped()
    window = sitting.window
    for number in range(count):
        conversation = chance.choice(list(ids))
        message = chance.choice(ids[conversation])
        if chance.random() < 0.2:  # changed their mind
            other = chance.choice(list(ids))
            window.pages.open_message(other, chance.choice(ids[other]))
            if chance.random() < 0.5:
                await asyncio.sleep(0)
        begun = time.perf_counter()
        window.pages.open_message(conversation, message, WORD if chance.random() < 0.5 else "")
        landing = window.pages.jumps.landing
        await _until(lambda wanted=message, held=landing: held.message_id == wanted)  # type: ignore[misc]
        jumped.waits_ms.append((time.perf_counter() - begun) * 1000)
        for _round in range(3):
            await asyncio.sleep(0.01)
        trouble = _trouble(sitting, conversation, message)
        if trouble:
            jumped.misses.append(f"jump {number} to {message} of {conversation}: {trouble}")
        else:
            jumped.landed += 1
    return jumped


def _trouble(sitting: Sitting, conversation: str, message: str) -> str:
    chat: Any = sitting.chat
    timeline = chat.timeline
    if chat.conversation is None or chat.conversation.id != conversation:
        return "another conversation is shown"
    row = timeline.row_of(message)
    if row is None or row.isHidden():
        return "it is not on screen"
    view = timeline.viewport().rect()
    if not row.geometry().intersects(view):
        return f"it lies at {row.y()} of {view.height()} pixels"
    finder = chat.context.finder
    is_revealed = finder is not None and not finder._rect((message, 0)).isEmpty()
    if row.y() > view.height() // 2 and not timeline.is_at_end and not is_revealed:
        return f"it lies low, at {row.y()} of {view.height()} pixels"
    return ""


async def _until(what: Any, patience_s: float = 20.0) -> None:
    async with asyncio.timeout(patience_s):
        while not what():
            await asyncio.sleep(0.002)


def main(count: int, home: Path) -> int:
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication([])
    loop, run = make_runner(app)  # type: ignore[arg-type]

    async def work() -> Jumped:
        ids = await fill(home)
        sitting = await Sitting(app, home).start()  # type: ignore[arg-type]
        jumped = await jump_around(sitting, ids, count)
        await sitting.close()
        return jumped

    with loop:
        jumped: Jumped = run(work())
    waits = sorted(jumped.waits_ms)
    print(f"{jumped.landed} of {count} jumps landed; half within {waits[len(waits) // 2]:.0f} ms,", end=" ")
    print(f"95 of 100 within {waits[len(waits) * 95 // 100]:.0f} ms")
    print(*jumped.misses, sep="\n")
    return bool(jumped.misses)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), Path(sys.argv[2])))
