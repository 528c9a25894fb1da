"""What a killed program must have kept: its diary and its server's against what lies on the disk."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import SystemMessage, ToolResultMessage
from sam_py.paths import default_paths
from sam_py.store.backups.making import backups_in, check_backup
from sam_py.store.drafts import Draft
from sam_py.store.errors import StorageError
from sam_py.store.journal import Journal
from sam_py.store.search_index.service import SearchService
from tests.reliability.driven import BEAT_S
from tests.reliability.stop_judge import faults_of_history
from tests.reliability.telling_server import Told

DRAFT_S = 1.5
RESULT_S = 0.3
LOOKED_AT_S = 4.0
IN_FLIGHT_S = 0.4
"""Words that the server had sent when the program hung up may not have been read."""
WORK = ("saving", "compaction", "import", "backup", "search", "tools")
_WORD = re.compile(r"u\d+x\d+|r\d+y\d+|i\d+x\d+c\d+m\d+|end-of-\w+")


@dataclass
class Verdict:
    kills: int = 0
    requests: int = 0
    words: int = 0
    drafts: int = 0
    results: int = 0
    open_calls: int = 0
    imported: int = 0
    backups: int = 0
    searched: int = 0
    worst_stream_s: float = 0.0
    worst_lag_s: float = 0.0
    """For so long the program did not get to work, because of all that ran beside it."""
    struck: Counter[str] = field(default_factory=Counter)
    """How many kills came while such work was under way; one kill may count for several."""
    lost: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        struck = ", ".join(f"{count} in {name}" for name, count in self.struck.most_common())
        return (
            f"{self.kills} kills ({struck}): {self.requests} messages acknowledged, {self.words} words streamed, "
            f"{self.drafts} drafts and queued messages, {self.results} results of tools, {self.imported} imported "
            f"conversations, {self.backups} backups and {self.searched} searches looked for, {self.open_calls} calls "
            f"under way at the end; most of a stream lost: {self.worst_stream_s:.2f} s, beside up to "
            f"{self.worst_lag_s:.2f} s in which the machine did not let it work; "
            f"lost against the rules: {len(self.lost)}"
        )


def judge(home: Path, diary: Path, told: list[Told], killed_s: float, verdict: Verdict, *, stream_s: float) -> None:
    """Count in `verdict` what is missing after the kill at `killed_s`; of a reply, `stream_s` may be."""
    notes = [json.loads(line) for line in diary.read_bytes().splitlines()] if diary.exists() else []
    kept, drafts = kept_in(home, verdict)
    lag_s = _lag_s(notes, killed_s)
    verdict.worst_lag_s = max(verdict.worst_lag_s, lag_s)
    removed = {
        word for note in notes if note["what"] == "removed" for text in note["words"] for word in _WORD.findall(text)
    }
    heard = {word: note["at_s"] for note in notes if note["what"] == "heard" for word in _WORD.findall(note["text"])}
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
        missing = [heard[word] for at_s, word in reply.words if at_s < end_s and word in heard and word not in kept]
        if missing and not any(missing[0] <= ended_s <= missing[0] + IN_FLIGHT_S for ended_s in ends):
            verdict.worst_stream_s = max(verdict.worst_stream_s, killed_s - missing[0] - lag_s)
            if missing[0] < killed_s - stream_s - lag_s:
                verdict.lost.append(
                    f"reply {reply.words[0][1]}: {killed_s - missing[0]:.2f} s of it ({len(missing)} of "
                    f"{len(reply.words)} words; hung up: {reply.gone_s and killed_s - reply.gone_s})"
                )
    _judge_unsent(notes, kept | removed, drafts, killed_s - lag_s, verdict)
    _judge_work(notes, kept, removed, verdict)
    _judge_backups(home, notes, verdict)
    if any(note.get("of") == "search" for note in notes):
        _judge_search(home, verdict)
    if drafts:
        verdict.struck["typing"] += any(note["at_s"] > killed_s - 0.1 for note in notes if note["what"] == "draft")
    verdict.struck["streaming"] += any(reply.words and killed_s - reply.words[-1][0] < 0.1 for reply in told)
    for note in notes:
        if note["what"] == "tool" and note["at_s"] < killed_s - RESULT_S - lag_s:
            verdict.results += 1
            if note["marker"] not in kept | removed:
                verdict.lost.append(f"the result {note['marker']}, {killed_s - note['at_s']:.2f} s old")


def _lag_s(notes: list[dict[str, Any]], killed_s: float) -> float:
    """How long, in all, the loop stood still in the last seconds before the kill, beyond what is usual."""
    beats = [note["at_s"] for note in notes if note["what"] == "beat" and note["at_s"] > killed_s - LOOKED_AT_S]
    gaps = [later - earlier for earlier, later in pairwise([*beats, killed_s])]
    return sum(gap - 2 * BEAT_S for gap in gaps if gap > 2 * BEAT_S)


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


def _judge_work(notes: list[dict[str, Any]], kept: set[str], removed: set[str], verdict: Verdict) -> None:
    """What was acknowledged is whole; of an import under way, each conversation is whole or not there."""
    begun: Counter[str] = Counter()
    for note in notes:
        if note["what"] == "notice" and re.search(r"damaged|skipped|no backup|could not", note["text"]):
            verdict.lost.append(f"the program said: {note['text']}")
        if note["what"] not in ("begins", "done"):
            continue
        begun[note["of"]] += 1 if note["what"] == "begins" else -1
        for words in note.get("words", ()):
            missing = set(words) - kept - removed
            if note["what"] == "done":
                verdict.imported += 1
            if missing and (note["what"] == "done" or missing != set(words)):
                verdict.lost.append(f"of an import: {missing}")
    for name in WORK:
        verdict.struck[name] += begun[name] > 0


def _judge_backups(home: Path, notes: list[dict[str, Any]], verdict: Verdict) -> None:
    acknowledged = [note["name"] for note in notes if note["what"] == "done" and note["of"] == "backup"]
    if not acknowledged and not any(note.get("of") == "backup" for note in notes):
        return
    made = backups_in(home / "state/backups")
    names = {backup.path.name for backup in made}
    verdict.lost += [f"the backup {name}" for name in acknowledged[-1:] if name not in names]
    for backup in made:
        verdict.backups += 1
        try:
            check_backup(backup.path)
        except StorageError as error:
            verdict.lost.append(f"{backup.path.name}: {error} {error.detail}")


def _judge_search(home: Path, verdict: Verdict) -> None:
    """The next start's index says what the journals say."""
    words = [
        word
        for folder in (home / "data/conversations").glob("*")
        for stored in Journal(folder, "judge").load(mend=False).messages
        for word in _WORD.findall(stored.load().text)
    ]

    async def look() -> None:
        search = SearchService(default_paths(home), is_gentle=False)
        search.start()
        try:
            await asyncio.wait_for(search.settled(), 60)
            for word in random.sample(words, min(5, len(words))):
                verdict.searched += 1
                if not (await search.search(word)).hits:
                    verdict.lost.append(f"the search does not find {word}")
        finally:
            await search.aclose()

    asyncio.run(look())


def _words(note: dict[str, Any], fields: tuple[str, ...]) -> set[str]:
    texts = [text for name in fields for text in (note[name] if isinstance(note[name], list) else [note[name]])]
    return {word for text in texts for word in _WORD.findall(text)}


def kept_in(home: Path, verdict: Verdict) -> tuple[set[str], list[Draft]]:
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
                if message.status == "aborted":  # stopped before its tool ended: what that gave back has no place
                    words.add(f"end-of-{message.call_id}")
        bus = MessageBus(folder.name)
        bus.load(history)
        verdict.open_calls += sum(each.inferred for each in bus.ledger.values())
        if bus.ledger.open_calls:
            verdict.lost.append(f"open after a restart: {bus.ledger.open_calls} in {folder}")
        faults = list(faults_of_history(list(bus.messages()), bus.ledger)) if len(bus) else []
        verdict.lost += [f"the next request of {folder}: {fault}" for fault in faults[:5]]
    return words, [Draft.model_validate_json(path.read_bytes()) for path in (home / "state/drafts").glob("*.json")]
