"""What the killed program does beside chatting: imports, backups, the index of the search, and compaction all the time.

Each piece of work is in the diary when it begins and when it is acknowledged: so a kill is known to have struck it.
"""

from __future__ import annotations

import asyncio
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from sam_py import app
from sam_py.errors import SamError
from sam_py.store.importers.run import import_path
from sam_py.store.journal import Journal
from sam_py.store.search_index.service import SearchService

IMPORTED = 12
"""Conversations in each file that is imported, of three messages each."""


class Notes(Protocol):
    def note(self, what: str, **more: Any) -> None: ...


def note_saves(diary: Notes, *, compact: bool) -> None:
    """Have every save and compaction in the diary; with `compact`, small limits make one of nearly every save."""
    if compact:
        Journal.__init__.__kwdefaults__.update(ratio=1.05, min_bytes=512)
    for name, what in (("_write_waiting", "saving"), ("_compact", "compaction")):
        setattr(Journal, name, _noted(getattr(Journal, name), what, diary))


def _noted(work: Callable[[Journal], None], what: str, diary: Notes) -> Callable[[Journal], None]:
    def noted(self: Journal) -> None:
        diary.note("begins", of=what)
        work(self)
        diary.note("done", of=what)

    return noted


async def keep_busy(program: app.Program, diary: Notes, focus: str, seed: int, folder: Path) -> None:
    """Do the `focus` again and again, if it is one of these."""
    match focus:
        case "import":
            await _import(program, diary, seed, folder)
        case "backup":
            await _back_up(program, diary)
        case "search":
            search = SearchService(program._paths)
            search.start()
            search.follow(program._library)
            await _index(search, diary, random.Random(seed))
        case _:
            pass


async def _import(program: app.Program, diary: Notes, seed: int, folder: Path) -> None:
    number = 0
    while True:
        conversations = [_conversation(f"{seed}x{number}c{each}") for each in range(IMPORTED)]
        file = folder / f"{seed}x{number}.zip"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("conversations.json", json.dumps([each for each, _words in conversations]))
        words = [words for _each, words in conversations]
        diary.note("begins", of="import", words=words)
        await import_path(program._paths, file)
        diary.note("done", of="import", words=words)
        await program._library.refresh()
        number += 1


def _conversation(name: str) -> tuple[dict[str, Any], list[str]]:
    """One of ChatGPT's export, and the words that no other has."""
    words = [f"i{name}m{place}" for place in range(3)]
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": [words[0]]}}
    for place, word in enumerate(words):
        message = {
            "id": word,
            "author": {"role": "assistant" if place % 2 else "user", "metadata": {}},
            "create_time": 1_756_000_000 + place,
            "content": {"content_type": "text", "parts": [f"{word} was said"]},
            "metadata": {},
        }
        parent, children = words[place - 1] if place else "root", words[place + 1 : place + 2]
        nodes[word] = {"id": word, "message": message, "parent": parent, "children": children}
    conversation = {"title": name, "create_time": 1_756_000_000, "update_time": 1_756_000_009, "mapping": nodes}
    return {**conversation, "current_node": words[-1], "conversation_id": f"conversation-{name}"}, words


async def _back_up(program: app.Program, diary: Notes) -> None:
    backups = program._keep().backups.shelf
    while True:
        diary.note("begins", of="backup")
        try:
            made = await backups.make()
        except SamError as error:
            diary.note("notice", text=f"no backup: {error} {error.detail}")
            return
        diary.note("done", of="backup", name=made.path.name)
        await asyncio.sleep(0.02)


async def _index(search: SearchService, diary: Notes, chance: random.Random) -> None:
    while True:
        diary.note("begins", of="search")
        if chance.random() < 0.5:
            await search.rebuild()
        await search.settled()
        diary.note("done", of="search")
        await asyncio.sleep(chance.choice((0.0, 0.1)))
