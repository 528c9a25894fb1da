"""The lossless form: everything that a conversation's log says, with its attachments, as JSON or in a ZIP.

The schema is documented in ``resources/docs/export-format.md``. One event stands on one line, so that two exports can
be compared by any tool; the bytes depend on nothing but the content.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tempfile
import uuid
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from sam_py.messages.builder import mend_surrogates
from sam_py.store.exporters.background import Task
from sam_py.store.exporters.conversation import StoredConversation, attachments_in
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.nested import written

FORMAT = "sam-py-export"
VERSION = 1
MEMBER = "export.json"
"""The document in a ZIP; the attachments lie beside it as ``attachments/<sha256>``."""

Find = Callable[[str], Path | None]
"""Where the attachment of a hash lies; None where it is not here."""

_IN_MEMORY_BYTES = 16 * 1024 * 1024
_PIECE_BYTES = 3 * 256 * 1024
LARGEST_EMBEDDED_BYTES = 150 * 1024 * 1024
"""What an import reads again in one piece."""
_NAMESPACE = uuid.UUID("5a1f0a52-7f0e-4c1b-9d3a-2a3f2d9b6c11")
_ABOUT_A_MESSAGE = {
    "message_removed": "message_id",
    "message_annotated": "message_id",
    "branch_selected": "message_id",
    "error_occurred": "message_id",
}


@dataclass(slots=True)
class Gathered:
    """The conversations, written out one after the other, and what they refer to."""

    text: BinaryIO
    conversations: int = 0
    messages: int = 0
    damaged_lines: int = 0
    hashes: set[str] = field(default_factory=set)


def canonical(value: object) -> bytes:
    """`value` as JSON in the one way in which we write it, however deep it nests.

    >>> canonical({"a": [1.0, "ü"]}).decode()
    '{"a":[1.0,"ü"]}'
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a character, of a file edited by hand
        return json.dumps(mended(value), ensure_ascii=False, separators=(",", ":")).encode()
    except RecursionError:
        return written(mended(value)).encode()


def mended(value: Any) -> Any:
    """`value` without half characters, at any depth."""
    whole: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any]] = [(whole, 0, value)]
    while waiting:  # no recursion: what is read nests as deep as somebody likes
        holder, place, inner = waiting.pop()
        match inner:
            case str():
                holder[place] = mend_surrogates(inner)
            case dict():
                holder[place] = into = {mend_surrogates(key): None for key in inner}
                waiting += [(into, mend_surrogates(key), each) for key, each in inner.items()]
            case list():
                holder[place] = elements = [None] * len(inner)
                waiting += [(elements, number, each) for number, each in enumerate(inner)]
            case _:
                holder[place] = inner
    return whole[0]


def write_json(
    out: BinaryIO, conversations: Iterable[StoredConversation | Selection], find: Find, task: Task
) -> Gathered:
    """One JSON document, attachments embedded. Memory: one conversation at a time."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        gathered = _gather(spool, conversations, task)
        _begin(out)
        for number, hash in enumerate(sorted(gathered.hashes)):
            task.progress(number, len(gathered.hashes), hash[:8], "attachments")
            out.write(b",\n" if number else b"\n")
            _embed(out, hash, find(hash))
        _finish(out, spool)
    return gathered


def write_zip(
    out: BinaryIO, conversations: Iterable[StoredConversation | Selection], find: Find, task: Task
) -> Gathered:
    """A ZIP with the document and the attachments beside it."""
    with (
        tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        gathered = _gather(spool, conversations, task)
        hashes = sorted(gathered.hashes)
        with archive.open(_member(MEMBER), "w", force_zip64=True) as document:
            _begin(document)
            for number, hash in enumerate(hashes):
                document.write(b",\n" if number else b"\n")
                document.write(canonical(_described(hash, find(hash))))
            _finish(document, spool)
        for number, hash in enumerate(hashes):
            task.progress(number, len(hashes), hash[:8], "attachments")
            if (path := find(hash)) is not None:
                with path.open("rb") as source, archive.open(_member(f"attachments/{hash}"), "w") as member:
                    shutil.copyfileobj(source, member, _PIECE_BYTES)
    return gathered


def selection_of(conversation: StoredConversation, messages: Iterable[str]) -> tuple[str, Iterator[dict[str, Any]]]:
    """Some messages of a conversation as one of their own: its id, and the events that are about them.

    The id is the same each time the same messages are chosen. Each message hangs below the nearest one that is chosen.
    """
    chosen = set(messages)
    key = "\n".join([conversation.id, *sorted(chosen)])
    return uuid.uuid5(_NAMESPACE, key).hex, _events_of(conversation, chosen)


def _events_of(conversation: StoredConversation, chosen: set[str]) -> Iterator[dict[str, Any]]:
    calls: set[str] = set()
    for id in chosen:
        message = conversation.message(id)
        calls |= {call.call_id for call in message.tool_calls}
        if message.role == "tool":
            calls.add(message.call_id)
    for event in conversation.events():
        match event.get("event"):
            case "message_added":
                message_fields = event["message"]
                if message_fields["id"] in chosen:
                    above = _chosen_above(conversation, message_fields["id"], chosen)
                    yield {**event, "message": {**message_fields, "parent_id": above}}
            case "tool_state_changed":
                if event.get("call_id") in calls:
                    yield event
            case "settings_changed":
                yield event
            case "message_annotated" | "error_occurred" as name:
                if event.get(_ABOUT_A_MESSAGE[name]) in chosen:
                    yield event
            case _:  # what was removed, which branch was shown, what a run cost: of the whole, not of these
                continue


def _chosen_above(conversation: StoredConversation, id: str, chosen: set[str]) -> str | None:
    step = conversation.tree.nodes[id].parent_id
    while step is not None and step not in chosen:
        step = conversation.tree.nodes[step].parent_id
    return step


@dataclass(frozen=True, slots=True)
class Selection:
    """Some messages of a conversation, to be written as a conversation."""

    conversation: StoredConversation
    messages: tuple[str, ...]


def _gather(spool: Any, conversations: Iterable[StoredConversation | Selection], task: Task) -> Gathered:
    gathered = Gathered(spool)
    for source in conversations:
        task.check()
        if isinstance(source, Selection):
            whole = source.conversation
            id, events = selection_of(whole, source.messages)
        else:
            whole = source
            id, events = source.id, source.events()
        spool.write(b",\n" if gathered.conversations else b"\n")
        spool.write(b'{"id":%b,"events":[' % canonical(id))
        for number, event in enumerate(events):
            spool.write(b",\n" if number else b"\n")
            spool.write(canonical(event))
            gathered.hashes.update(attachments_in(event))
            gathered.messages += event.get("event") == "message_added"
            if not number % 500:
                task.check()
        spool.write(b"\n]}")
        gathered.conversations += 1
        gathered.damaged_lines += whole.damaged_lines
    return gathered


def _begin(out: Any) -> None:
    out.write(b'{"format":%b,"version":%d,"attachments":[' % (canonical(FORMAT), VERSION))


def _finish(out: Any, spool: Any) -> None:
    out.write(b'\n],"conversations":[')
    spool.seek(0)
    shutil.copyfileobj(spool, out, _PIECE_BYTES)
    out.write(b"\n]}\n")


def _described(hash: str, path: Path | None) -> dict[str, object]:
    return {"sha256": hash, "missing": True} if path is None else {"sha256": hash, "size": path.stat().st_size}


def _embed(out: BinaryIO, hash: str, path: Path | None) -> None:
    """An attachment as base64, a piece at a time. What is not what its name says is written all the same, and said."""
    described = _described(hash, path)
    if path is None:
        out.write(canonical(described))
        return
    if path.stat().st_size > LARGEST_EMBEDDED_BYTES:
        raise TransferError(
            "An attached file is too large to be embedded in JSON: export as a ZIP instead.", kind="too_large"
        )
    out.write(canonical(described)[:-1] + b',"base64":"')
    seen = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):  # a multiple of three: no padding inside
            seen.update(piece)
            out.write(base64.b64encode(piece))
    out.write(b'"}' if seen.hexdigest() == hash else b'","damaged":true}')


def _member(name: str) -> zipfile.ZipInfo:
    """A member without date and rights of its own: the same content, the same bytes."""
    member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o600 << 16
    return member
