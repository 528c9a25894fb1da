"""``sam-py search``: looks through all conversations without the window, after bringing the index up to date."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sam_py.cli import exit_codes
from sam_py.errors import SamError
from sam_py.paths import Paths, default_paths
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError
from sam_py.store.folders import conversation_ids
from sam_py.store.search_index.results import Filters, Hit, IndexState, Results
from sam_py.store.search_index.service import SearchService

if TYPE_CHECKING:
    from sam_py.cli.search_meaning import Wanted
    from sam_py.store.semantic.service import MeaningState

SCHEMA = 1
"""Of the object that ``--json`` prints; described in ``sam-py search --help``."""
_WORTH_TELLING_S = 0.4
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WORDS = {"text": "", "code": "in code", "tool": "in a tool's words", "thinking": "in thinking", "image": "an image",
          "file": "a file", "link": "a link", "document": "in a file", "title": "title"}  # fmt: skip


def search(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    paths = default_paths().create()
    try:
        filters = _filters(options, paths)
        wanted = _meaning_wanted(options, paths) if options.meaning else None
    except SamError as error:
        _complain(str(error))
        return exit_codes.USAGE
    try:
        results = asyncio.run(_search(paths, " ".join(options.query), filters, options, wanted))
    except SamError as error:
        _complain(str(error))
        return exit_codes.NOT_STARTED
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    if options.json:
        print(json.dumps(_as_object(results), ensure_ascii=False))
    else:
        _print(results)
    return exit_codes.OK


def _meaning_wanted(options: argparse.Namespace, paths: Paths) -> Wanted:
    from sam_py.cli.search_meaning import wanted_in

    if options.order != "best":
        raise SamError("What means the same has an order of its own: leave --order out, or --meaning.")
    return wanted_in(paths)


async def _search(
    paths: Paths, text: str, filters: Filters, options: argparse.Namespace, wanted: Wanted | None
) -> Results:
    service = SearchService(paths, is_gentle=False)
    progress = _Progress()
    service.subscribe(progress.show)
    service.start()
    try:
        await service.settled()
        progress.end()
        results = await service.search(text, filters, limit=options.limit, order=options.order, typing=False)
        if wanted is None:
            return results
        from sam_py.cli.search_meaning import similar
        from sam_py.store.semantic.fusion import mixed

        alike = await similar(paths, wanted, service, text, filters, options.limit, progress.show_meaning)
        both = mixed(results, alike, options.limit)
        return replace(both, hits=both.hits[: options.limit])
    finally:
        progress.end()
        await service.aclose()


class _Progress:
    """How far the index is, on stderr: a line that is written over on a terminal, one line otherwise."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._is_shown = False

    def show(self, state: IndexState) -> None:
        if state.phase == "building" and state.total:
            self._tell("Reading conversations", f"{state.total:,} conversations for the search index", state.share)

    def show_meaning(self, state: MeaningState) -> None:
        if state.phase == "building" and state.total:
            many = f"{state.total:,} messages for the search by meaning"
            self._tell("Embedding messages", many, state.done / state.total)

    def _tell(self, doing: str, many: str, share: float) -> None:
        now = asyncio.get_running_loop().time()
        self._since = self._since or now
        if now - self._since < _WORTH_TELLING_S:
            return
        if sys.stderr.isatty():
            print(f"\r{doing}: {share:4.0%} ", end="", file=sys.stderr, flush=True)
        elif not self._is_shown:
            print(f"{doing.partition(' ')[0]} {many} …", file=sys.stderr, flush=True)
        self._is_shown = True

    def end(self) -> None:
        if self._is_shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self._is_shown, self._since = False, None


def _filters(options: argparse.Namespace, paths: Paths) -> Filters:
    return Filters(
        kinds=frozenset(options.kind),
        conversation_id=_conversation(options.conversation, paths) if options.conversation else "",
        since=_day(options.since) if options.since else None,
        until=_day_after(options.until) if options.until else None,
    )


def _conversation(beginning: str, paths: Paths) -> str:
    try:
        found = [id for id in conversation_ids(paths.conversations, Disk()) if id.startswith(beginning)]
    except StorageError:
        found = []
    if len(found) != 1:
        many = "several conversations begin" if found else "no conversation begins"
        raise SamError(f"{many.capitalize()} with {beginning}: take an id that sam-py search --json prints.")
    return found[0]


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").astimezone()
    except (ValueError, OverflowError) as error:
        raise SamError(f"{text} is not a date: write it as 2026-03-31.") from error


def _day_after(text: str) -> datetime | None:
    """None after the last day that there is: then nothing is later."""
    day = _day(text)
    return day + timedelta(days=1) if day.date() < date.max else None


def _print(results: Results) -> None:
    if not results.hits:
        _complain("Nothing was found.")
        return
    coloured = sys.stdout.isatty()
    for hit in results.hits:
        print(_headline(hit))
        print(f"    {_marked(hit) if coloured else _CONTROLS.sub(' ', hit.snippet)}")
    if results.next is not None:
        more = "at least " if results.is_total_least else ""
        _complain(f"{len(results.hits)} of {more}{results.total:,} hits: --limit shows more.")


def _headline(hit: Hit) -> str:
    at = hit.place.at.astimezone().strftime("%Y-%m-%d %H:%M")
    who = {"user": "you", "assistant": hit.place.model or "reply"}.get(hit.place.role, hit.place.role)
    where = " ".join(word for word in (_WORDS[hit.kind], hit.name[:60], hit.label) if word)
    branch = "" if hit.place.is_on_path else "another branch"
    why = "similar in meaning" if hit.is_similar else ""
    facts = (at, hit.place.conversation_title or "New chat", who, where, why, branch, hit.place.conversation_id[:12])
    return _CONTROLS.sub(" ", " · ".join(fact for fact in facts if fact))


def _marked(hit: Hit) -> str:
    pieces, position = [], 0
    for start, end in hit.marks:
        pieces += [_plain(hit.snippet[position:start]), "\x1b[1m", _plain(hit.snippet[start:end]), "\x1b[0m"]
        position = end
    return "".join((*pieces, _plain(hit.snippet[position:])))


def _plain(text: str) -> str:
    return _CONTROLS.sub(" ", text)


def _as_object(results: Results) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "total": results.total,
        "is_total_least": results.is_total_least,
        "hits": [_hit_as_object(hit) for hit in results.hits],
    }


def _hit_as_object(hit: Hit) -> dict[str, Any]:
    place = {**asdict(hit.place), "at": hit.place.at.astimezone(UTC).isoformat()}
    return {
        **place,
        "kind": hit.kind,
        "snippet": hit.snippet,
        "marks": hit.marks,
        "part_index": hit.part_index,
        "name": hit.name,
        "label": hit.label,
        "is_similar": hit.is_similar,
    }


def _complain(text: str) -> None:
    print(text, file=sys.stderr)
