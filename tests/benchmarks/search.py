"""The search index over 100,000 messages: how fast it is made, how large it is, how soon it answers.

As a program, ``python -m tests.benchmarks.search HOME``: measure in that folder and print a JSON object.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import HistoryEvent, MessageAdded, SettingsChanged
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.paths import Paths, default_paths
from sam_py.store.library import Library
from sam_py.store.lines import write_line
from sam_py.store.search_index.results import Filters
from sam_py.store.search_index.service import SearchService
from tests.benchmarks.run import Row, apart

CONVERSATIONS, MESSAGES = 200, 500
_LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
_OFTEN = [13, 9, 8, 8, 7, 7, 6, 6, 6, 4, 4, 3, 3, 2, 2, 2, 2, 2, 1, 1, 2, 1, 0.2, 0.2, 0.2, 0.2]
_CHINESE = "我们今天讨论如何在数据库中查找中文消息并且让结果很快出现搜索引擎索引"
QUERY_MS, FOUND_S, ITEMS_MS = 50.0, 1.0, 50.0


def search(repeats: int) -> list[Row]:
    """13. Searching 100,000 messages in 200 conversations: first results, the index's making, size and freshness."""
    rounds = [_measured() for _ in range(min(repeats, 2))]

    def middle(key: str) -> float:
        return statistics.median(each[key] for each in rounds)

    return [
        Row("first results, p95 of all queries", middle("query_p95_ms"), "ms wall", None, QUERY_MS),
        *(
            Row(f"  {name}, p95", middle(f"{name}_p95_ms"), "ms wall")
            for name in sorted(key.removesuffix("_p95_ms") for key in rounds[0] if key.endswith("_p95_ms"))
            if name != "query"
        ),
        Row("index of 100,000 messages, made at full speed", middle("build_s"), "s wall"),
        Row("of which CPU", middle("build_cpu_s"), "s CPU"),
        Row("size of the index", middle("size_mb"), "MB"),
        Row("size of the journals", middle("journals_mb"), "MB"),
        Row("opened again, until it is known to be up to date", middle("open_ms"), "ms wall"),
        Row("a new message, from being said until found", middle("found_s"), "s wall", None, FOUND_S),
        Row("of which after it was on the disk", middle("found_after_save_ms"), "ms wall"),
        Row("first 100 of 10,000 items or more, p95", middle("items_ms"), "ms wall", None, ITEMS_MS),
        Row("first 100 items with a text, p95", middle("items_text_ms"), "ms wall"),
        Row("all items, page by page", middle("items_all_ms"), "ms wall"),
        Row("counts", middle("counts_ms"), "ms wall"),
    ]


def _measured() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        return apart("search", folder, timeout_s=550)


class Talk:
    """Text as people write it: few words often, many seldom (Zipf), now and then code, links and Chinese."""

    def __init__(self) -> None:
        self._random = random.Random(3)
        self.words = list(dict.fromkeys(self._word() for _ in range(70_000)))
        self._often = list(itertools.accumulate(1 / (place + 2) for place in range(len(self.words))))

    def _word(self) -> str:
        length = self._random.choice((2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 10))
        return "".join(self._random.choices(_LETTERS, weights=_OFTEN, k=length))

    def sentence(self, words: int) -> str:
        return " ".join(self._random.choices(self.words, cum_weights=self._often, k=words)).capitalize() + "."

    def message(self, number: int) -> str:
        text = " ".join(self.sentence(14) for _ in range(7))
        if number % 9 == 0:
            text += f"\n\n```python\ndef {self.words[number % 5_000]}_{number % 97}(x):\n    return x + {number}\n```\n"
        if number % 23 == 0:
            text += f"\n- see [the **page**](https://example.org/{self.words[number % 3_000]}/{number})"
        if number % 11 == 0:
            text += "\n" + "".join(self._random.choices(_CHINESE, k=40)) + "，日本語も。"
        return text


def make_journals(paths: Paths, talk: Talk) -> int:
    """Write the conversations; returns their bytes."""
    size = 0
    begun = datetime.now(UTC) - timedelta(days=700)
    for number in range(CONVERSATIONS):
        events: list[HistoryEvent] = [SettingsChanged(key="title", value=talk.sentence(4))]
        parent = None
        for place in range(MESSAGES):
            text = talk.message(number * MESSAGES + place)
            at = begun + timedelta(days=3.4 * number, minutes=7 * place)
            more = {"id": uuid.UUID(int=number << 64 | place + 1).hex, "parent_id": parent, "created_at": at}
            parent = more["id"]
            if place % 2:
                message = AssistantMessage(**more, parts=(TextPart(text=text),), model=f"model-{number % 4}")
            else:
                message = UserMessage(**more, parts=(TextPart(text=text),), pinned=place < 6)
            events.append(MessageAdded(message=message))
        folder = paths.conversations / uuid.UUID(int=number + 1).hex
        folder.mkdir()
        content = b"".join(write_line(event, rev, "bench") for rev, event in enumerate(events, 1))
        (folder / "bench.jsonl").write_bytes(content)
        size += len(content)
    return size


def queries(talk: Talk) -> dict[str, list[str]]:
    """What is typed, by kind."""
    words = talk.words
    common, rare = words[:40], words[-4_000::400]
    beginnings = [word[:length] for length in (1, 2, 3) for word in (*common[:12], *words[500:1_500:100])]
    return {
        "common word": [f"{word} " for word in common],
        "middling word": [f"{word} " for word in words[300:3_000:200]],
        "rare word": [f"{word} " for word in rare],
        "no such word": ["qqqzzzx ", "nichtdaxyz "],
        "beginning": beginnings,
        "two words": [f"{one} {other} " for one, other in zip(common, words[100:140], strict=True)],
        "three words, typed": [f"{words[n]} {words[n + 5]} {words[n + 9][:2]}" for n in range(20)],
        "phrase": [f'"{one} {other}"' for one, other in itertools.pairwise(common[:20])],
        "without": [f"{words[n]} -{words[n + 1]} " for n in range(20)],
        "Chinese": ["我", "搜索", "数据库", "日本語", "查找中文", "不存在"],
        "part of a word": [word[2:-1] for word in words[5_000:60_000:4_000] if len(word) > 6],
    }


async def measure(home: Path) -> dict[str, float]:
    paths = default_paths(home).create()
    talk = Talk()
    found: dict[str, float] = {"journals_mb": make_journals(paths, talk) / 1e6}
    service = SearchService(paths, is_gentle=False)
    started, cpu = time.perf_counter(), time.process_time()
    service.start()
    await service.settled()
    found["build_s"], found["build_cpu_s"] = time.perf_counter() - started, time.process_time() - cpu
    await service.aclose()
    found["size_mb"] = (paths.state / "search.sqlite").stat().st_size / 1e6
    service = SearchService(paths)
    started = time.perf_counter()
    service.start()
    await service.settled()
    found["open_ms"] = (time.perf_counter() - started) * 1000
    everything: list[float] = []
    for name, texts in queries(talk).items():
        times = [await _ms(lambda text=text: service.search(text)) for text in texts for _ in range(3)]
        found[f"{name}_p95_ms"] = _p95(times)
        everything += times
    found["query_p95_ms"] = _p95(everything)
    await _measure_items(service, talk, found)
    await _measure_new(service, paths, found)
    await service.aclose()
    return found


async def _measure_items(service: SearchService, talk: Talk, found: dict[str, float]) -> None:
    code = Filters(kinds=frozenset({"code"}))
    found["items_ms"] = _p95([await _ms(lambda: service.items(code)) for _ in range(20)])
    word = Filters(kinds=frozenset({"code"}), text=talk.words[42])
    found["items_text_ms"] = _p95([await _ms(lambda: service.items(word)) for _ in range(10)])
    started = time.perf_counter()
    page, count = await service.items(code, limit=500), 0
    while True:
        count += len(page.items)
        if page.next is None:
            break
        page = await service.items(code, limit=500, after=page.next)
    assert count > 10_000
    found["items_all_ms"] = (time.perf_counter() - started) * 1000
    found["counts_ms"] = _p95([await _ms(service.counts) for _ in range(5)])


async def _measure_new(service: SearchService, paths: Paths, found: dict[str, float]) -> None:
    library = Library(paths)
    await library.start()
    service.follow(library)
    bus = MessageBus(uuid.UUID(int=CONVERSATIONS // 2).hex)
    bus.load((await library.open(bus.conversation_id)).history)
    autosave = library.attach(bus)
    said, after_save = [], []
    for number in range(10):
        word = f"unheardof{number}"
        started = time.perf_counter()
        bus.add_user_message(f"Now {word} is said")
        await autosave.save_now()
        saved = time.perf_counter()
        while not (await service.search(word)).hits:
            await asyncio.sleep(0.005)
        said.append(time.perf_counter() - started)
        after_save.append(time.perf_counter() - saved)
    found["found_s"], found["found_after_save_ms"] = max(said), max(after_save) * 1000
    await library.aclose()


async def _ms(question: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await question()
    return (time.perf_counter() - started) * 1000


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(Path(sys.argv[1])))))
