"""Exports and imports: how long a conversation of 2,000 messages takes in each form, and what a large file costs.

As a program, ``python -m tests.benchmarks.transfer import MEGABYTES``: one import in this process, for its memory.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sam_py.paths import Paths, default_paths
from sam_py.store.exporters.run import FORMS, Wanted, all_conversations, export_blocking
from sam_py.store.importers.run import import_blocking
from sam_py.store.journal import Journal
from tests.benchmarks.run import Row, apart
from tests.store.exporters.rich import ANSWER
from tests.store.importers.sample_of_chatgpt import chatgpt_conversation
from tests.store.kit import answered, said

MESSAGES = 2_000
MEGABYTES = 20
_SECONDS_AT_MOST = 5.0
_MEMORY_AT_MOST_MB = 120.0


def transfer(repeats: int) -> list[Row]:
    """CPU to export a conversation of 2,000 messages in each form, and to import a file; the memory of the import."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        paths = _library(Path(folder))
        for form in (*FORMS, "pdf"):
            timed = _timed_pdf if form == "pdf" else _timed
            seconds = [timed(paths, form, Path(folder)) for _ in range(repeats)]
            rows.append(
                Row(
                    f"export of {MESSAGES:,} messages, {form}",
                    statistics.median(seconds),
                    "s CPU",
                    None,
                    _SECONDS_AT_MOST,
                )
            )
    told = [_imported_apart(MEGABYTES) for _ in range(repeats)]
    rows.append(Row(f"import of {MEGABYTES} MB from ChatGPT", statistics.median(t["seconds"] for t in told), "s CPU"))
    memory = statistics.median(t["mb"] for t in told)
    rows.append(Row(f"import of {MEGABYTES} MB, memory of the process", memory, "MB", None, _MEMORY_AT_MOST_MB))
    return rows


def _library(folder: Path) -> Paths:
    """One conversation, half of it answers with a table, code and formulas."""
    paths = default_paths(folder).create()
    events, parent = [], None
    for number in range(MESSAGES):
        text = ANSWER.replace("lambda", f"lambda_{{{number % 50}}}") if number % 2 else f"Question {number}?"
        events.append((answered if number % 2 else said)(f"m{number}", text, parent, at_s=number))
        parent = f"m{number}"
    Journal(paths.conversations / ("a" * 32), "bench").save(events)
    return paths


def _timed(paths: Paths, form: Any, folder: Path) -> float:
    begun = time.process_time()
    export_blocking(paths, Wanted(tuple(all_conversations(paths))), form, folder / f"out.{form}")
    return time.process_time() - begun


def _timed_pdf(paths: Paths, _form: str, folder: Path) -> float:
    """Set, drawn and printed as in the window, where it runs on a thread and can be stopped."""
    from PySide6.QtGui import QGuiApplication

    from sam_py.ui.export.saving import save

    app = QGuiApplication.instance() or QGuiApplication(["benchmark", "-platform", "offscreen"])
    begun = time.process_time()
    asyncio.run(save(paths, Wanted(tuple(all_conversations(paths))), "pdf", folder / "out.pdf"))
    assert app is not None
    return time.process_time() - begun


def _imported_apart(megabytes: int) -> dict[str, float]:
    return apart("transfer", "import", str(megabytes))


def _conversations(megabytes: int) -> Iterator[str]:
    """ChatGPT conversations of about 100 messages each, as JSON, until there are so many megabytes."""
    size = number = 0
    while size < megabytes * 1_000_000:
        conversation = {**chatgpt_conversation(), "conversation_id": f"c{number}", "title": f"Number {number}"}
        mapping, last = conversation["mapping"], "end"
        for place in range(100):
            id, words = f"x{place}", f"Text {number} {place}: what is said in a long reply, über alles. " * 20
            message = {**mapping["answer"]["message"], "id": id, "content": {"content_type": "text", "parts": [words]}}
            message["author"] = {"role": "assistant" if place % 2 else "user"}
            mapping[id] = {"id": id, "parent": last, "children": [], "message": message}
            mapping[last]["children"] = [id]
            last = id
        conversation["current_node"] = last
        text = json.dumps(conversation, ensure_ascii=False)
        size += len(text.encode())
        number += 1
        yield text


def _import_here(megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "conversations.json"
        with file.open("w", encoding="utf-8") as out:
            for number, text in enumerate(_conversations(megabytes)):
                out.write(("," if number else "[") + text)
            out.write("]")
        begun = time.process_time()
        import_blocking(default_paths(Path(folder) / "home").create(), file)
        seconds = time.process_time() - begun
        # Linux counts in kB, macOS in bytes.
        mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(json.dumps({"seconds": seconds, "mb": mb}))


if __name__ == "__main__":
    _import_here(int(sys.argv[2]))
