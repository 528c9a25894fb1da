"""Damage files of every kind and start the program: it must start, say what it found, and throw nothing away.

``python -m tests.reliability.damaged_files 50 [SEED [KIND]]`` damages files in fifty copies of one home, of KIND in
each of them (else of all kinds in turn). Each program is a fork of this process. Lost would be: a start, an untouched
line, or damaged bytes that no other file can replace.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from sam_py.paths import default_paths
from sam_py.reminders.mini_prompts import MiniPrompt
from sam_py.store.backups.shelf import Backups
from sam_py.store.journal import Journal
from sam_py.store.lines import read_lines
from sam_py.store.search_index.service import SearchService
from sam_py.store.thumbnails import Thumbnails
from sam_py.store.writer import Writer
from tests.fakes.sitting import Sitting, make_runner
from tests.ui.window.test_window_pictures import png

LIMIT_S = 90.0
HOWS = ("truncated", "empty", "zeros", "one bit", "zero block", "rubbish", "rubbish tail", "wrong json", "gone")
KINDS = {
    "journal": "data/conversations/*/*.jsonl",
    "draft": "state/drafts/*.json",
    "settings": "config/settings.json",
    "prompts": "config/mini_prompts.json",
    "index": "state/index.json",
    "window": "state/window.json",
    "device": "state/device-id",
    "search": "state/search.sqlite*",
    "thumbnail": "state/thumbnails/*/*",
    "attachment": "data/attachments/*/*",
    "backup": "state/backups/*.zip",
}
IRREPLACEABLE = ("journal", "draft", "settings", "prompts", "attachment", "backup")
TOLD = ("draft", "settings", "prompts", "journal")
"""Kinds of which the person must hear at the start, or when a conversation is opened, where they are not whole."""


@dataclass
class Verdict:
    starts: int = 0
    damaged: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind} ({self.told[kind]} told)" for kind, count in self.damaged.most_common())
        return f"{self.starts} starts with damage to {kinds}; against the rules: {len(self.lost)}"


def damage(path: Path, how: str, chance: random.Random) -> bytes:
    """Damage one file; returns what is in it now."""
    raw = path.read_bytes()
    at = chance.randrange(len(raw) or 1)
    match how:
        case "truncated":
            raw = raw[:at]
        case "empty":
            raw = b""
        case "zeros":
            raw = b"\0" * len(raw)
        case "one bit":
            raw = raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :] if raw else b"x"
        case "zero block":
            raw = raw[:at] + b"\0" * min(512, len(raw) - at) + raw[at + 512 :]
        case "rubbish":
            raw = chance.randbytes(len(raw) + 1)
        case "rubbish tail":
            raw += chance.randbytes(300)
        case "wrong json":
            raw = b'{"version": 1, "schema_version": "x", "rows": 7, "text": [], "providers": 3}'
        case _:
            path.unlink()
            return b""
    path.write_bytes(raw)
    return raw


def try_often(folder: Path, numbers: Iterable[int], seed: int, only: str = "") -> Verdict:
    """Damage files in a copy of one home for each of `numbers`, and start the program on it."""
    verdict, home = Verdict(), folder / "home"
    built = _in_a_fork(lambda: _build(home))
    if "failed" in built:
        raise AssertionError(built["failed"])
    texts = built["texts"]
    for number in numbers:
        chance = random.Random(f"{seed}-{number}")
        copy = folder / f"copy{number}"
        shutil.copytree(home, copy)
        kinds = [only or list(KINDS)[number % len(KINDS)], *chance.sample(list(KINDS), chance.randrange(3))]
        touched: dict[Path, tuple[str, str, bytes, bytes]] = {}
        for kind in kinds:
            paths = sorted(path for path in copy.glob(KINDS[kind]) if path not in touched)
            if paths:
                path, how = chance.choice(paths), chance.choice(HOWS)
                touched[path] = (kind, how, path.read_bytes(), damage(path, how, chance))
                verdict.damaged[kind] += 1
        found = _in_a_fork(lambda copy=copy: _start(copy))  # type: ignore[misc]
        verdict.starts += 1
        names = [f"{path.relative_to(copy)} {how}" for path, (_kind, how, _was, _is) in touched.items()]
        verdict.lost += [f"{number} {names}: {each}" for each in _faults(copy, touched, found, texts, verdict)]
        shutil.rmtree(copy)
    return verdict


def _faults(
    home: Path,
    touched: dict[Path, tuple[str, str, bytes, bytes]],
    found: dict[str, Any],
    texts: dict[str, list[str]],
    verdict: Verdict,
) -> list[str]:
    if "failed" in found:
        return [found["failed"]]
    faults = [f"a bug: {each}" for each in found["bugs"]]
    everything = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    words, index = " ".join(found["notices"]), home / "state/index.json"
    for path, (kind, how, was, now) in touched.items():
        if kind == "journal":
            missing = [line for line in now.split(b"\n") if line and not any(line in each for each in everything)]
        else:
            missing = [now] if kind in IRREPLACEABLE and not any(now in each for each in everything) else []
        faults += [f"damaged bytes of {path.name} are gone: {each[:60]!r}" for each in missing]
        verdict.told[kind] += bool(words)
        is_ours = home / "state/device-id" not in touched
        is_whole = _is_whole(was, now, index not in touched, is_ours) if kind == "journal" else _parses(now)
        if kind in TOLD and how != "gone" and not is_whole and ("damaged" if kind == "journal" else "") not in words:
            faults.append(f"nothing was said of {path.name}, but {words!r}")
        if kind == "journal":
            known = {line for line in was.split(b"\n") if line} & set(now.split(b"\n"))
            texts = {
                id: [text for text in said if _is_in(text, known)] if id == path.parent.name else said
                for id, said in texts.items()
            }
    for id, said in texts.items():
        missing_texts = [text for text in said if text not in found["texts"].get(id, ())]
        if missing_texts:
            faults.append(f"lost of {id}: {missing_texts}")
    return faults


def _is_in(text: str, lines: set[bytes]) -> bool:
    """Whether one of the lines holds a message with this text; the title has the same words."""
    said = json.dumps(text, ensure_ascii=False).encode()
    return any(said in line and b'"event":"message_added"' in line for line in lines)


def _is_whole(was: bytes, now: bytes, has_index: bool, is_ours: bool) -> bool:
    """Whether a journal says all that it said; without the index nobody knows of messages that are cut off neatly.

    A last line without its end is damage in our own file; another device's may be on its way.
    """
    before, after = read_lines(was), read_lines(now)
    known = {record.subject for record in after.records}
    lost = any(each.subject not in known for each in before.records if each.event_name == "message_added")
    is_torn = is_ours and after.torn_at is not None
    return not (after.bad or is_torn or (lost and has_index) or not after.records)


def _parses(raw: bytes) -> bool:
    try:
        return isinstance(json.loads(raw), dict) and b'"rows": 7' not in raw
    except ValueError:
        return False


async def _build(home: Path) -> dict[str, Any]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    sam = await Sitting(app, home).start()
    library, paths = sam.program._library, default_paths(home)
    for name in ("one", "other"):
        sam.window.new_conversation()
        await sam.until(lambda: not sam.messages, "a new conversation")
        (home / f"{name}.png").write_bytes(png(40, 30))
        sam.chat.composer.add_paths([home / f"{name}.png"])
        await sam.until(lambda: sam.chat.composer.tray.parts, "the picture")
        await sam.send(f"What is {name}?")
        await sam.until(lambda: sam.messages, "the question")
        await sam.answered()
    await sam.type("a draft")
    sam.program._mini_prompts.put(MiniPrompt(name="Brief", text="Be brief."))
    sam.use_server("http://127.0.0.1:9/v1")
    await library.flush()
    search, writer = SearchService(paths, is_gentle=False), Writer()
    search.start()
    await search.settled()
    await search.aclose()
    (picture,) = {path.name for path in paths.attachments.glob("*/*")}
    await Thumbnails(paths.state / "thumbnails", writer).keep(picture, 40, png(40, 30))
    await writer.aclose()
    backups = Backups(
        paths,
        folder_of=lambda: paths.state / "backups",
        flush=library.flush,
        changed_at=lambda: None,
        device=lambda: library.device,
    )
    await backups.make()
    await backups.aclose()
    await sam.close()
    return {"texts": _texts(home)}


async def _start(home: Path) -> dict[str, Any]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    bugs: list[str] = []
    sitting = Sitting(app, home)
    sitting.program.report_bug = lambda error: bugs.append(repr(error))  # type: ignore[method-assign]
    sam = await sitting.start()
    shown: dict[str, list[str]] = {}
    notices = notices_of(sam)
    for summary in sam.program._library.summaries():
        count = len(notices_of(sam))
        sam.window.open_conversation(summary.id)
        await sam.until(  # its files may be gone: then that is said
            lambda id=summary.id, count=count: (  # type: ignore[misc]
                sam.chat.conversation.id == id or len(notices_of(sam)) > count
            ),
            "the conversation, or the reason",
        )
        await sam.answered()
        notices += notices_of(sam)
        if sam.chat.conversation.id == summary.id:
            shown[summary.id] = [message.text for message in sam.bus.tree()]
    sam.window.new_conversation()
    library = sam.program._library
    await sam.until(lambda: library.summary(sam.chat.conversation.id) is None, "a new conversation")
    await sam.send("Does it work?")
    await sam.until(lambda: sam.messages, "a new question")
    await sam.answered()
    search = SearchService(default_paths(home), is_gentle=False)
    search.start()
    await search.settled()
    await search.aclose()
    notices += notices_of(sam)
    await sam.close()
    return {"notices": notices, "texts": shown, "bugs": bugs}


def notices_of(sam: Sitting) -> list[str]:
    return [notice.text for notice in sam.window.notices.notices]


def _texts(home: Path) -> dict[str, list[str]]:
    return {
        folder.name: [stored.load().text for stored in Journal(folder, "judge").load(mend=False).messages]
        for folder in (home / "data/conversations").iterdir()
    }


def _in_a_fork(work: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    """What `work` returns, run on the program's loop in a fork; ``failed`` says why it did not."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            app = QApplication([])
            _loop, run = make_runner(app)
            answer = run(work())
        except BaseException:
            answer = {"failed": traceback.format_exc()[-1500:]}
        os.write(writer, json.dumps(answer).encode() + b"\n")
        os._exit(0)
    os.close(writer)
    try:
        raw = b""
        while select.select([reader], [], [], LIMIT_S)[0] and (piece := os.read(reader, 1 << 16)):
            raw += piece
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return dict(json.loads(raw)) if raw.endswith(b"\n") else {"failed": "it hangs or died"}


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    seed, only = int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3] if len(sys.argv) > 3 else ""
    with tempfile.TemporaryDirectory() as folder:
        verdict = try_often(Path(folder), range(count), seed, only)
    print(verdict)
    for each in verdict.lost:
        print("  LOST", each)
    return 1 if verdict.lost else 0


if __name__ == "__main__":
    sys.exit(main())
