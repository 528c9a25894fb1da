"""Which format a bundle is of: each importer looks at the beginnings of its files."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from sam_py.store.exporters.errors import TransferError
from sam_py.store.importers.bundle import Bundle
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
_HEADS = 12
_ITEMS = 60
_FIRST = ("export.json", "conversations.json", "data.json", "thread.json")


@cache
def importers() -> tuple[Importer, ...]:
    """All formats that can be read."""
    found: list[Importer] = []
    for name in MODULES:
        module: Any = importlib.import_module(f"sam_py.store.importers.{name}")
        found.append(module.IMPORTER)
    return tuple(found)


def importer_of(bundle: Bundle, key: str = "") -> Importer:
    """The importer for a bundle, or the one called `key`. Raises TransferError where there is none."""
    known = importers()
    if key:
        named = next((each for each in known if each.key == key), None)
        if named is None:
            names = ", ".join(each.key for each in known)
            raise TransferError(f"There is no format “{key}”: choose one of {names}.", kind="unknown_format")
        return named
    found = heads(bundle)
    for importer in known:
        if importer.detect(bundle, found):
            return importer
    names = ", ".join(each.name for each in known)
    raise TransferError(
        f"{bundle.path.name} is in no format that can be imported ({names}). Choose the file that the other program "
        "exported, without changing it.",
        kind="unknown_format",
    )


def heads(bundle: Bundle) -> Sequence[Head]:
    """The beginnings of the JSON files, those first whose names tell most. Never reads a whole file."""
    names = sorted(
        bundle.ending_in(".json", ".jsonl"),
        key=lambda name: (PurePosixPath(name).name not in _FIRST, name.count("/"), name),
    )
    if not names and len(bundle.names) == 1:
        names = bundle.names
    return [_head(bundle, name) for name in names[:_HEADS]]


def _head(bundle: Bundle, name: str) -> Head:
    members: dict[str, Any] = {}
    first: Any = None
    try:
        with bundle.stream(name) as stream:
            root = stream.root
            for item in islice(stream.items(), 1 if root == "[" else _ITEMS):
                if isinstance(item, Item):
                    if root == "[":
                        first = item.value
                    members.setdefault(item.key, item.value)
    except TransferError:  # damaged: whoever reads it says so
        return Head(name)
    return Head(name, root, first, members if root == "{" else {})
