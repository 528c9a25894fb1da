"""Which files of a bundle are of which format: each importer looks at the beginnings of its files."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from sam_py.store.exporters.errors import TransferError
from sam_py.store.importers.bundle import Bundle, Glance
from sam_py.store.importers.found import Head, Importer
from sam_py.store.importers.json_stream import Item

MODULES = (
    "own",
    "chatgpt",
    "claude",
    "cherry_studio",
    "open_webui",
    "librechat",
    "chatbox",
    "jan",
    "lm_studio",
    "sam",
    "pydantic_ai",
)
"""In the order in which they are asked: the surest first."""
_MOST_HEADS = 20_000
_ELEMENTS = 8
_ITEMS = 60
_HEAD_BYTES = 256 * 1024 * 1024
_FIRST = ("export.json", "conversations.json", "data.json", "thread.json")
_PAIRS = {"thread.json": "messages.jsonl", "messages.jsonl": "thread.json"}
"""Files that are of a format only beside each other."""
_ATTACHED = re.compile(r"(^|/)((attachments|user-files|Files)/|file[-_][A-Za-z0-9]{6})")
"""Names under which exports keep what somebody attached: it may look like a conversation, and is none."""


@dataclass(slots=True)
class Part:
    """What one importer reads of a bundle: `files` of its format, and `others` near them that are of none."""

    importer: Importer
    files: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


@cache
def importers() -> tuple[Importer, ...]:
    """All formats that can be read."""
    found: list[Importer] = []
    for name in MODULES:
        module: Any = importlib.import_module(f"sam_py.store.importers.{name}")
        found.append(module.IMPORTER)
    return tuple(found)


def parts_of(bundle: Bundle, key: str = "") -> list[Part]:
    """Who reads what of a bundle, the surest first; with `key`, that importer reads it all.

    Raises TransferError where there is none.
    """
    known = importers()
    names = _candidates(bundle)
    if key:
        named = next((each for each in known if each.key == key), None)
        if named is None:
            keys = ", ".join(each.key for each in known)
            raise TransferError(f"There is no format “{key}”: choose one of {keys}.", kind="unknown_format")
        return [Part(named, names or bundle.names)]
    found = {each.key: Part(each) for each in known}
    others: list[str] = []
    for name in names[:_MOST_HEADS]:
        importer = _importer_of(bundle, name)
        (found[importer.key].files if importer is not None else others).append(name)
    _leave_what_belongs_to_an_export(found[importers()[-1].key], others, found.values())
    parts = [part for part in found.values() if part.files]
    if not parts:
        formats = ", ".join(each.name for each in known)
        raise TransferError(
            f"{bundle.path.name} is in no format that can be imported ({formats}). Choose the file that the other "
            "program exported, without changing it.",
            kind="unknown_format",
        )
    for name in [*others, *names[_MOST_HEADS:]]:
        folder = PurePosixPath(name).parent
        near = (part for part in parts if any(PurePosixPath(file).parent == folder for file in part.files))
        next(near, parts[0]).others.append(name)
    return parts


def _leave_what_belongs_to_an_export(weakest: Part, others: list[str], parts: Iterable[Part]) -> None:
    """A list of roles and texts beside the main file of an export is a file that somebody gave to the other program."""
    mains = {PurePosixPath(name).parent for part in parts for name in part.files if PurePosixPath(name).name in _FIRST}
    belonging = [name for name in weakest.files if mains & {PurePosixPath(name).parent, *PurePosixPath(name).parents}]
    weakest.files = [name for name in weakest.files if name not in belonging]
    others += belonging


def _candidates(bundle: Bundle) -> list[str]:
    """The files that may hold conversations, those first whose names tell most."""
    names = [name for name in bundle.ending_in(".json", ".jsonl") if not _ATTACHED.search(name)]
    if not names and len(bundle.names) == 1:
        return bundle.names
    return sorted(names, key=lambda name: (PurePosixPath(name).name not in _FIRST, name.count("/"), name))


def _importer_of(bundle: Bundle, name: str) -> Importer | None:
    """Whose format a file is in, by the first of its elements that tells."""
    path = PurePosixPath(name)
    pair = (path.parent / _PAIRS[path.name]).as_posix() if path.name in _PAIRS else ""
    alone = Glance(bundle, [name, pair])
    for head in _heads(bundle, name):
        for importer in importers():
            if importer.detect(alone, [head]):
                return importer
    return None


def _heads(bundle: Bundle, name: str) -> Iterator[Head]:
    """The beginning of a file; of a list, one for each of its first elements. Never reads a whole file."""
    members: dict[str, Any] = {}
    try:
        with bundle.stream(name, _HEAD_BYTES) as stream:
            root = stream.root
            for item in islice(stream.items(), _ELEMENTS if root == "[" else _ITEMS):
                if not isinstance(item, Item):
                    continue
                if root == "[":
                    yield Head(name, root, item.value)
                elif members.get(item.key) is None:
                    members[item.key] = item.value
    except TransferError:  # damaged: whoever reads it says so
        pass
    yield Head(name, root if members else "", None, members)
