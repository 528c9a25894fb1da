"""How a benchmark runs a child process, makes data, and prints a row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `limit` binds the ratio where there is one, otherwise the value."""

    name: str
    value: float
    unit: str
    ratio: float | None = None
    limit: float | None = None

    @property
    def is_missed(self) -> bool:
        if self.limit is None:
            return False
        return (self.ratio if self.ratio is not None else self.value) > self.limit

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "missed": self.is_missed}

    def __str__(self) -> str:
        ratio = f"{self.ratio:6.2f} ×" if self.ratio is not None else " " * 8
        limit = f"  limit {self.limit:g}{'  MISSED' if self.is_missed else ''}" if self.limit is not None else ""
        return f"{self.name:48} {self.value:12.2f} {self.unit:12} {ratio}{limit}"


def child(name: str, **arguments: object) -> dict[str, float]:
    """Run one measurement of `child.py` in a process of its own and return what it printed last."""
    return apart("child", name, json.dumps(arguments))


def apart(module: str, *arguments: str, timeout_s: float = 300) -> dict[str, float]:
    """Run a module of this package as a program, and return the JSON object that it printed last.

    Raises SystemExit with what it complained of where it failed.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its byte code
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    if done.returncode:
        what = " ".join((module, *arguments[:1]))
        raise SystemExit(f"the measurement {what} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    result: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


SENTENCE = "Some **text** with `code` in it that goes on for a while, as replies do. "


def text_of(number: int) -> str:
    """A message of about 700 characters, now and then with a list or code."""
    body = f"Message {number}. " + SENTENCE * 8
    if number % 7 == 1:
        body += "\n\n- first\n- second\n- third\n"
    if number % 11 == 1:
        body += "\n\n```python\nfor n in range(10):\n    print(n)\n```\n"
    return body


def make_library(home: Path, *, conversations: int, messages: int) -> list[str]:
    """Write conversations as the program would have left them, with their index; returns their ids."""
    from sam_py.messages.history import MessageAdded, SettingsChanged
    from sam_py.messages.message import AssistantMessage, UserMessage
    from sam_py.messages.parts import TextPart
    from sam_py.paths import default_paths
    from sam_py.store.lines import write_line

    paths = default_paths(home).create()
    ids = []
    now = datetime.now(UTC)
    for number in range(conversations):
        conversation = uuid.UUID(int=number + 1).hex
        ids.append(conversation)
        folder = paths.conversations / conversation
        folder.mkdir(mode=0o700)
        begun = now - timedelta(hours=7 * number + messages / 60)
        lines = [write_line(SettingsChanged(key="title", value=f"Conversation {number}"), 1, "bench")]
        parent = None
        for place in range(messages):
            kind = UserMessage if place % 2 == 0 else AssistantMessage
            extra = {} if place % 2 == 0 else {"stop_reason": "stop", "provider": "x", "model": "tiny"}
            message = kind(
                id=f"{number:08x}{place:08x}",
                parent_id=parent,
                created_at=begun + timedelta(minutes=place),
                parts=(TextPart(text=text_of(place)),),
                **extra,
            )
            parent = message.id
            lines.append(write_line(MessageAdded(message=message), place + 2, "bench"))
        (folder / "bench.jsonl").write_bytes(b"".join(lines))
    return ids
