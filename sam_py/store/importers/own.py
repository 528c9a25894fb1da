"""Our own lossless exports, as JSON or in a ZIP: every event comes back as it was.

Source: ``resources/docs/export-format.md``. The form is that of `exporters.lossless`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.lossless import FORMAT, VERSION, canonical
from sam_py.store.exporters.nested import is_deeper_than
from sam_py.store.folders import is_conversation_id
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import Aside, Found, Head, Importer, Source, items_of, stable_id, text_of
from sam_py.store.importers.json_stream import DamagedItem, Item
from sam_py.store.lines import read_line

_LONGEST_ID = 64
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
"""Names that Windows keeps for itself."""
_DEEPEST = 250
"""Levels of an event: no program of ours writes more, and what nests to Python's limit is read here and not there."""


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(head.members.get("format") == FORMAT for head in heads)


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file(source.files, _document)


def _document(source: Source, name: str) -> Iterator[Found | Aside]:
    with source.bundle.stream(name) as stream:
        for item in stream.items():
            match item:
                case DamagedItem():
                    yield Aside(f"an entry of “{item.key or name}”", item.why, item.text.encode("utf-8", "replace"))
                case Item(key="version", value=version) if version != VERSION:
                    source.note("The file was written by a newer version of this program: what is unknown is kept.")
                case Item(key="attachments", value=value):
                    if (aside := _attachment(source, name, value)) is not None:
                        yield aside
                case Item(key="conversations", value=value):
                    yield from _conversation(value)
                case Item(key="format" | "version"):
                    pass
                case _:
                    yield Aside(f"the member “{item.key}”", "it is not known to this version", canonical(item.value))


def _attachment(source: Source, name: str, value: Any) -> Aside | None:
    """Keep one attachment: embedded, or beside the document in the ZIP."""
    hash = text_of(value.get("sha256")) if isinstance(value, dict) else ""
    if not hash or value.get("missing"):
        return None if hash else Aside("an attachment", "it has no name", canonical(value))
    beside = (PurePosixPath(name).parent / "attachments" / hash).as_posix()
    if "base64" in value:
        try:
            content = base64.b64decode(str(value["base64"]), validate=True)
        except (ValueError, binascii.Error):
            return Aside(f"the attachment {hash[:12]}", "it is damaged", canonical(value))
    elif source.bundle.holds(beside):
        try:
            content = source.bundle.read(beside)
        except TransferError as error:
            return Aside(f"the attachment {hash[:12]}", str(error))
    else:
        return Aside(f"the attachment {hash[:12]}", "it is not in the ZIP")
    if hashlib.sha256(content).hexdigest() != hash:
        if value.get("damaged") is True or "base64" not in value:  # as it was where it was exported
            source.keep_damaged(hash, content)
        return Aside(f"the attachment {hash[:12]}", "it is damaged: its content is not what its name says", content)
    source.keep(content)
    return None


def _conversation(value: Any) -> Iterator[Found | Aside]:
    """The conversation, and each of its events that is none."""
    events = items_of(value.get("events")) if isinstance(value, dict) else []
    id = text_of(value.get("id")) if isinstance(value, dict) else ""
    good = [event for event in events if _is_event(event)]
    if not good or not id:
        yield Aside("a conversation", "it has no id or no events", canonical(value))
        return
    titles = [text_of(event.get("value")) for event in good if event.get("key") == "title"]
    title = titles[-1] if titles else ""
    for event in events:
        if not _is_event(event):
            yield Aside(f"an event of “{title or id[:12]}”", "it is not one that we know how to keep", canonical(event))
    if not _is_safe(id):
        id = stable_id("sam-py", id)
    yield Found(id, title, good)


def _is_safe(id: str) -> bool:
    """Whether an id may name a folder on any system. Ours are 32 hexadecimal digits; others were made by hand."""
    return (
        is_conversation_id(id)
        and id.isascii()
        and id == id.lower()  # of two that differ in case, some systems make one
        and len(id) <= _LONGEST_ID
        and id not in _DEVICES
    )


def _is_event(event: object) -> bool:
    if not isinstance(event, dict) or is_deeper_than(event, _DEEPEST):
        return False
    rest = {key: value for key, value in event.items() if key not in ("rev", "dev", "crc")}
    return read_line(canonical({**rest, "rev": 1, "dev": "import"})) is not None


IMPORTER = Importer("sam-py", "SAM for Python", detect, read)
