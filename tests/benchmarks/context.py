"""The context budget: what a plan costs, what reminders cost, and how often a request begins as the one before it.

As a program, ``python -m tests.benchmarks.context``: measure and print a JSON object.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import FilePart, TextPart
from sam_py.messages.turn import Limits, Turn
from sam_py.reminders.documents import documents
from sam_py.reminders.mini_prompts import mini_prompt_reminder
from sam_py.reminders.order import Reminders
from sam_py.reminders.todo_list import todo_reminder
from sam_py.transcript.budget import plan
from sam_py.transcript.build import build
from sam_py.transcript.plan import Plan, Room
from sam_py.transcript.tokens import message_tokens
from tests.benchmarks.run import SENTENCE, Row, apart
from tests.benchmarks.transcript import history

PLAN_MS, REMINDERS_MS, APART = 30.0, 1.0, 0.1
_MESSAGES, _TURNS, _REPEATS = 10_000, 200, 9


def context(repeats: int) -> list[Row]:
    """8. Plans for 10,000 messages, reminders, and 200 turns of a conversation that outgrows its window."""
    rounds = [_measured() for _ in range(repeats)]

    def middle(key: str) -> float:
        return statistics.median(each[key] for each in rounds)

    return [
        Row("estimates of 10,000 messages, the first time", middle("sizes_ms"), "ms CPU"),
        Row("plan of 10,000 messages, a step", middle("step_ms"), "ms CPU", None, PLAN_MS),
        Row("plan of 10,000 messages, continued", middle("continued_ms"), "ms CPU", None, PLAN_MS),
        Row("reminders, 20 prompts, 50 items, 30 documents", middle("reminders_ms"), "ms CPU", None, REMINDERS_MS),
        Row("requests that do not begin as the one before", middle("apart"), "of 1", None, APART),
    ]


def _measured() -> dict[str, float]:
    return apart("context")


def main() -> None:
    talk, _ledger = history(_MESSAGES)
    started = time.process_time()
    sizes = {message.id: message_tokens(message) for message in talk}
    sizes_ms = (time.process_time() - started) * 1000
    room = Room(sum(map(int, sizes.values())) // 5, reserve=4_000)

    def size_of(message: Message) -> float:
        return sizes[message.id]

    first = plan(talk[:-40], room, size_of=size_of)
    reminders, bus, said = _reminders()
    print(
        json.dumps(
            {
                "sizes_ms": sizes_ms,
                "step_ms": _ms(lambda: plan(talk, room, size_of=size_of)),
                "continued_ms": _ms(lambda: plan(talk, room, previous=first, size_of=size_of)),
                "reminders_ms": _ms(lambda: reminders.compose(bus, said)),
                "apart": _apart(),
            }
        )
    )


def _ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times) * 1000


@dataclass(frozen=True)
class _Item:
    id: int
    title: str
    status: str
    blocked_reason: str = "waits"


def _reminders() -> tuple[Reminders, MessageBus, Sequence[Message]]:
    items = [_Item(n, SENTENCE, ("completed", "not_started", "blocked", "in_progress")[n % 4]) for n in range(50)]
    files = [FilePart(attachment=f"{n:064x}", filename=f"{n}.csv", mime_type="text/csv", size=n) for n in range(30)]
    said = [*(UserMessage(parts=(file,)) for file in files), UserMessage(parts=(TextPart(text="Now?"),))]
    reminders = Reminders(
        mini_prompts=lambda _bus, _messages: mini_prompt_reminder([SENTENCE * 3] * 20),
        todo_list=lambda _bus, _messages: todo_reminder(items),
        documents=documents,
    )
    return reminders, MessageBus("bench"), said


def _apart() -> float:
    """The share of requests that do not begin with all turns of the one before, less its last."""
    talk: list[Message] = []
    previous: Plan | None = None
    before: tuple[Turn, ...] = ()
    apart = 0
    for number in range(_TURNS):
        question = f"Question {number}. {SENTENCE}"
        talk.append(UserMessage(parts=(TextPart(text=question),), importance=0.7, pinned=number < 3))
        previous = plan(talk, Room(16_000, reserve=1_000), previous=previous)
        turns = build(talk, None, ["<todoList>one</todoList>"], Limits(), plan=previous).turns
        apart += turns[: max(0, len(before) - 1)] != before[:-1]
        before = turns
        talk.append(AssistantMessage(parts=(TextPart(text=SENTENCE * 12),), stop_reason="stop"))
    return apart / _TURNS


if __name__ == "__main__":
    main()
