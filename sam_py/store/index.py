"""The list's index: one derived file in the state folder, read at start instead of every conversation."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from sam_py.store.disk import Disk
from sam_py.store.journal import Stamp
from sam_py.store.summary import ConversationSummary, from_row, to_row

log = logging.getLogger(__name__)

_VERSION = 1
_CHECKED = b',"crc":"'


@dataclass(slots=True)
class Index:
    """Summaries and the stamps of the files that they were read from, by conversation id."""

    summaries: dict[str, ConversationSummary] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)
    """What the person was told to be damaged: it is not told again at each start."""


def read_index(path: Path) -> Index | None:
    """The index as saved, or None where it is missing or unusable: it is built anew then."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    index = Index()
    try:
        body, mark, check = raw.rpartition(_CHECKED)
        if mark and check != b'%08x"}' % crc32(body):
            raise ValueError("its check sum is another")
        document = json.loads(raw)
        if document["version"] != _VERSION:
            return None
        for row, stamp in document["rows"]:
            summary = from_row(row)
            index.summaries[summary.id] = summary
            index.stamps[summary.id] = tuple((str(name), int(size), int(time)) for name, size, time in stamp)
        index.damaged = {str(id): str(words) for id, words in document.get("damaged", {}).items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        log.warning("the index of conversations is damaged and is built anew")
        return None
    return index


def write_index(disk: Disk, path: Path, index: Index) -> None:
    """Replace the file in one step. Derived, so without waiting for the disk. Raises OSError."""
    rows = [(to_row(summary), index.stamps.get(id, ())) for id, summary in index.summaries.items()]
    document = {"version": _VERSION, "rows": rows, "damaged": index.damaged}
    data = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    temporary = path.with_suffix(".tmp")
    body = data[:-1].encode("utf-8", "replace")
    temporary.write_bytes(b'%b%b%08x"}' % (body, _CHECKED, crc32(body)))
    disk.rename(str(temporary), str(path))
