"""Damaged journals, 17 kinds: every line that the damage did not touch comes back, what did not is told of, and the
next save works.

``python -m tests.store.corrupt 2000`` damages two thousand files; the suite 170.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from sam_py.store.journal import Journal
from tests.store.kit import said

KINDS = (
    "truncated",
    "zero tail",
    "rubbish tail",
    "one bit",
    "zero block",
    "rubbish inside",
    "lines twice",
    "crlf",
    "bom",
    "git conflict",
    "empty",
    "all zero",
    "edited by hand",
    "deep json",
    "huge line",
    "shuffled",
    "reversed",
)
COUNT = 40


def build(folder: Path, rnd: random.Random) -> Path:
    journal = Journal(folder, "aa", min_bytes=1 << 40)
    parent = None
    for number in range(COUNT):
        id = f"m{number:03d}"
        journal.save([said(id, f"{id} " + "héllo 你好 " * rnd.randrange(1, 20), parent, at_s=number)])
        parent = id
    return Path(journal.path)


def damage(raw: bytes, kind: str, rnd: random.Random) -> tuple[bytes, set[int]]:
    """The damaged bytes, and the numbers of the lines that were touched."""
    lines = raw.split(b"\n")[:-1]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    at = rnd.randrange(len(raw))
    everything = set(range(len(lines)))

    def touched(first: int, last: int) -> set[int]:
        return {n for n in everything if starts[n] < last and first < starts[n + 1]}

    match kind:
        case "truncated":
            return raw[:at], touched(at, len(raw))
        case "zero tail":
            return raw[:at] + b"\0" * (len(raw) - at), touched(at, len(raw))
        case "rubbish tail":
            return raw + rnd.randbytes(rnd.randrange(1, 900)), set()
        case "one bit":
            return raw[:at] + bytes([raw[at] ^ 1 << rnd.randrange(8)]) + raw[at + 1 :], touched(at, at + 1)
        case "zero block":
            end = min(len(raw), at + 4096)
            return raw[:at] + b"\0" * (end - at) + raw[end:], touched(at, end)
        case "rubbish inside":
            return raw[:at] + rnd.randbytes(500) + raw[at:], touched(at, at + 1)
        case "lines twice":
            first = rnd.randrange(len(lines))
            return raw + b"\n".join(lines[first : first + 9]) + b"\n", set()
        case "crlf":
            return raw.replace(b"\n", b"\r\n"), set()
        case "bom":
            return b"\xef\xbb\xbf" + raw, set()
        case "git conflict":
            k = rnd.randrange(1, len(lines))
            both = [b"<<<<<<< HEAD", *lines[k : k + 2], b"=======", *lines[k : k + 2], b">>>>>>> theirs"]
            return b"\n".join([*lines[:k], *both, *lines[k + 2 :]]) + b"\n", set()
        case "empty":
            return b"", everything
        case "all zero":
            return b"\0" * len(raw), everything
        case "edited by hand":
            return raw.replace(b"m005 ", b"m005 EDITED "), set()
        case "deep json":
            return raw + b'{"v":1,"event":"message_added","message":' + b"[" * 100_000 + b"\n" + lines[3] + b"\n", set()
        case "huge line":
            line = b'{"v":1,"event":"message_added","rev":9999,"dev":"aa","message":{"role":"user","id":"x","text":"'
            return raw + line + b"A" * 5_000_000 + b'"}}\n', set()
        case "shuffled":
            rnd.shuffle(lines)
            return b"\n".join(lines) + b"\n", set()
        case _:
            return b"\n".join(lines[::-1]) + b"\n", set()


def check(kind: str, seed: int) -> list[str]:
    """What was lost or failed for one damaged file; empty where all is well."""
    rnd = random.Random(f"{kind}{seed}")
    folder = Path(tempfile.mkdtemp())
    try:
        path = build(folder, rnd)
        raw, touched = damage(path.read_bytes(), kind, rnd)
        path.write_bytes(raw)
        expected = {f"m{n:03d}" for n in range(COUNT) if n not in touched}
        journal = Journal(folder, "aa")
        history = journal.load()
        texts = {message.id: message.load().text for message in history.messages}
        problems = [f"lost {id}" for id in expected if not texts.get(id, "").startswith(id + " ")]
        seen: set[str | None] = {None}
        for message in history.messages:
            if message.parent_id not in seen:
                problems.append(f"{message.id} comes before its parent")
            seen.add(message.id)
        is_cut_neatly = kind == "truncated" and raw.endswith(b"\n")  # only the list's index knows of what was there
        if len(texts) < COUNT and not is_cut_neatly and "damaged" not in journal.report.notice:
            problems.append("nothing was said of it")
        journal.save([said("new", "new")])
        journal._compact()
        again = {message.id for message in Journal(folder, "aa").load().messages}
        problems += [f"lost by the next save: {id}" for id in expected - again]
        if "new" not in again:
            problems.append("the next save was lost")
        return problems
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 340
    found: Counter[str] = Counter()
    for number in range(count):
        found.update(
            f"{KINDS[number % len(KINDS)]}: {problem}" for problem in check(KINDS[number % len(KINDS)], number)
        )
    print(count, "files;", dict(found) or "nothing lost")
