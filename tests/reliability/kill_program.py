"""Kill the program again and again while it is used, and count what is missing.

``python -m tests.reliability.kill_program 200`` kills it 200 times. Lost would be: a message whose request the server
got; words of a reply that came more than 2.5 s before the end; a draft or a queued message that had stood for a second;
the result of a tool that ended a moment before. Of what is left, every wire must take the next request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import SystemMessage, ToolResultMessage
from sam_py.store.drafts import Draft
from sam_py.store.journal import Journal
from tests.reliability.stop_judge import faults_of_history

ROOT = Path(__file__).resolve().parent.parent.parent
STREAM_S = 2.5
DRAFT_S = 1.0
RESULT_S = 0.3
ASKED_S = 20.0
_TYPED = re.compile(r"u\d+x\d+")
_WORD = re.compile(r"u\d+x\d+|r\d+y\d+|end-of-\w+")
IN_FLIGHT_S = 0.4
"""Words that the server had sent when the program hung up may not have been read."""


@dataclass
class Told:
    """A reply as the server gave it."""

    question: set[str]
    roles: list[str] = field(default_factory=list)
    words: list[tuple[float, str]] = field(default_factory=list)
    gone_s: float | None = None


class TellingServer:
    """Streams words that no other reply has, 50 a second, on a thread of its own."""

    def __init__(self, longest: int = 0) -> None:
        """`longest`: words of each reply; 0: sometimes few, sometimes many."""
        self.longest = longest
        self.told: list[Told] = []
        self._ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told: Told | None = None
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(row.split(b":")[1]) for row in head.split(b"\r\n") if row.lower().startswith(b"content-length")), 0
            )
            if not length:
                writer.close()
                return
            body = json.loads(await reader.readexactly(length))
            asked = body["messages"]
            question = [each["content"] for each in asked if each["role"] == "user"][-1]
            roles = [each["role"] for each in asked if each["role"] != "system"]
            told = Told(set(_TYPED.findall(str(question))), roles)
            self.told.append(told)
            number = len(self.told)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            watch = asyncio.ensure_future(_left(reader))
            for count in range(self.longest or random.choice((5, 40, 400))):
                word = f"r{number}y{count}"
                writer.write(_event({"content": word + " "}, None))
                await writer.drain()
                told.words.append((time.monotonic(), word))
                await asyncio.sleep(0.02)
                if watch.done():
                    told.gone_s = time.monotonic()
                    return
            calls = self._calls(number, body)
            if calls:
                writer.write(_event({"tool_calls": calls}, None))
            writer.write(_event({}, "tool_calls" if calls else "stop") + b"data: [DONE]\n\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            if told is not None:
                told.gone_s = time.monotonic()
        finally:
            writer.close()

    def _calls(self, number: int, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Calls of the tools that are made for this, in every other reply."""
        offered = [tool["function"]["name"] for tool in body.get("tools", ())]
        slow = [name for name in offered if name.startswith("slow_")]
        if not slow or random.random() < 0.35:
            return []
        names = random.sample(slow, random.choice((1, 2, 4)))
        return [
            {
                "index": place,
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": "{}"},
            }
            for place, name in enumerate(names)
        ]


async def _left(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


def _event(delta: dict[str, Any], reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"


@dataclass
class Verdict:
    kills: int = 0
    requests: int = 0
    words: int = 0
    drafts: int = 0
    results: int = 0
    open_calls: int = 0
    worst_stream_s: float = 0.0
    lost: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills: {self.requests} messages acknowledged, {self.words} words streamed, {self.drafts} "
            f"drafts and queued messages and {self.results} results of tools looked for, {self.open_calls} calls under "
            f"way at the end; most of a stream lost: {self.worst_stream_s:.2f} s; "
            f"lost against the rules: {len(self.lost)}"
        )


def kill_often(home: Path, kills: int, seed: int, longest_s: float) -> Verdict:
    """Start and kill the program `kills` times on one folder."""
    server, chance, verdict = TellingServer(), random.Random(seed), Verdict()
    provider = {"id": "p", "label": "P", "base_url": f"http://127.0.0.1:{server.port}/v1", "models": ["m"]}
    chat = {"default": {"provider": "p", "model": "m"}, "model_titles": False}
    (home / "config").mkdir(parents=True)
    settings = {"schema_version": 1, "providers": [provider], "chat": chat, "detect_local_servers": False}
    (home / "config/settings.json").write_text(json.dumps(settings))
    for number in range(kills):
        diary = home / f"diary{number}"
        since = len(server.told)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.driven", str(seed * 1000 + number), str(diary)],
            cwd=ROOT,
            env={**os.environ, "SAM_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if line != b"ready\n":
            process.kill()
            raise AssertionError(f"run {number} did not start: {line + process.stdout.read()!r}")
        if number % 2:  # in the middle of an answer, or of what its tools do
            _until_asked(server, since)
        time.sleep(chance.uniform(0.05, longest_s))
        killed_s = time.monotonic()
        process.kill()
        output = process.communicate()[0]
        if output:
            verdict.lost.append(f"run {number} said {output.decode()[-2000:]}")
        verdict.kills += 1
        _judge(home, diary, server.told[since:], killed_s, verdict)
    return verdict


def _until_asked(server: TellingServer, since: int) -> None:
    """Wait for a request, as long as a busy machine may take."""
    end_s = time.monotonic() + ASKED_S
    while len(server.told) == since and time.monotonic() < end_s:
        time.sleep(0.01)


def _judge(home: Path, diary: Path, told: list[Told], killed_s: float, verdict: Verdict) -> None:
    notes = [json.loads(line) for line in diary.read_bytes().splitlines()] if diary.exists() else []
    kept, drafts = _kept(home, verdict)
    removed = {
        word for note in notes if note["what"] == "removed" for text in note["words"] for word in _WORD.findall(text)
    }
    ends = [note["at_s"] for note in notes if note["what"] == "ends"]
    removed |= {word.split("y")[0] for word in removed if "y" in word}
    for reply in told:
        verdict.requests += 1
        verdict.words += len(reply.words)
        if missing_words := reply.question - removed - kept:
            verdict.lost.append(f"message words {missing_words}")
        if not reply.words or reply.words[0][1].split("y")[0] in removed:
            continue
        end_s = min(killed_s, reply.gone_s - IN_FLIGHT_S if reply.gone_s is not None else killed_s)
        missing = [at_s for at_s, word in reply.words if at_s < end_s and word not in kept]
        if missing and not any(missing[0] <= ended_s <= missing[0] + IN_FLIGHT_S for ended_s in ends):
            verdict.worst_stream_s = max(verdict.worst_stream_s, killed_s - missing[0])
            if missing[0] < killed_s - STREAM_S:
                verdict.lost.append(
                    f"reply {reply.words[0][1]}: {killed_s - missing[0]:.2f} s of it ({len(missing)} of "
                    f"{len(reply.words)} words; hung up: {reply.gone_s and killed_s - reply.gone_s})"
                )
    _judge_unsent(notes, kept | removed, drafts, killed_s, verdict)
    for note in notes:
        if note["what"] == "tool" and note["at_s"] < killed_s - RESULT_S:
            verdict.results += 1
            if note["marker"] not in kept | removed:
                verdict.lost.append(f"the result {note['marker']}, {killed_s - note['at_s']:.2f} s old")


def _judge_unsent(
    notes: list[dict[str, Any]], said: set[str], drafts: list[Draft], killed_s: float, verdict: Verdict
) -> None:
    queued = {word for draft in drafts for each in draft.queued for word in _WORD.findall(each.text)}
    unsent = queued | {word for draft in drafts for word in _WORD.findall(draft.text)}
    unsent |= {word for draft in drafts if draft.edit is not None for word in _WORD.findall(draft.edit.text)}
    for kind, fields in (("draft", ("text", "edit")), ("queue", ("texts",))):
        last: dict[str, dict[str, Any]] = {}
        dropped: set[str] = set()
        for note in (each for each in notes if each["what"] == kind):
            if note["at_s"] < killed_s - DRAFT_S:
                last[note["of"]] = note
            else:  # what stood there may have gone since
                before = last.get(note["of"])
                dropped |= (_words(before, fields) if before is not None else set()) - _words(note, fields)
        for note in last.values():
            verdict.drafts += 1
            missing = _words(note, fields) - unsent - said - dropped
            if missing:
                verdict.lost.append(f"{kind} {missing}, {killed_s - note['at_s']:.2f} s old")


def _words(note: dict[str, Any], fields: tuple[str, ...]) -> set[str]:
    texts = [text for name in fields for text in (note[name] if isinstance(note[name], list) else [note[name]])]
    return {word for text in texts for word in _WORD.findall(text)}


def _kept(home: Path, verdict: Verdict) -> tuple[set[str], list[Draft]]:
    """Every word in every conversation, in the trash too, and the drafts, as the next start would find them."""
    words: set[str] = set()
    for folder in (*(home / "data/conversations").glob("*"), *(home / "data/trash").glob("*")):
        journal = Journal(folder, "judge")
        history = journal.load(mend=False)
        if journal.report.damaged_lines or journal.report.unreadable_files:
            verdict.lost.append(f"damaged: {folder} {journal.report}")
        for stored in history.messages:
            message = stored.load()
            if isinstance(message, SystemMessage):
                verdict.lost.append(f"unreadable message in {folder}")
            words |= set(_WORD.findall(message.text))
            if isinstance(message, ToolResultMessage):
                words |= set(_WORD.findall(message.output_text))
        bus = MessageBus(folder.name)
        bus.load(history)
        verdict.open_calls += sum(each.inferred for each in bus.ledger.values())
        if bus.ledger.open_calls:
            verdict.lost.append(f"open after a restart: {bus.ledger.open_calls} in {folder}")
        faults = list(faults_of_history(list(bus.messages()), bus.ledger)) if len(bus) else []
        verdict.lost += [f"the next request of {folder}: {fault}" for fault in faults[:5]]
    return words, [Draft.model_validate_json(path.read_bytes()) for path in (home / "state/drafts").glob("*.json")]


def main() -> int:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        verdict = kill_often(Path(folder) / "home", kills, seed, longest_s=6.0)
    print(verdict)
    for each in verdict.lost:
        print("  LOST", each)
    return 1 if verdict.lost else 0


if __name__ == "__main__":
    sys.exit(main())
