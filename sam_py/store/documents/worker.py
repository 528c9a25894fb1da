"""The process that parses one file: told which by its arguments, it writes lines of JSON and ends.

… worker.py KIND PATH
{"done": 3, "total": 40}        how far it is
{"document": {…}}               or {"failed": reason, "detail": "…"}: the last line
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import IO

from sam_py.messages.documents import Document
from sam_py.store.documents.limits import Enough, Gathering, Unreadable, enter_walls

log = logging.getLogger(__name__)

_READERS = ("pdf", "docx", "xlsx", "pptx", "epub", "html", "csv")
_TOLD_EVERY_S = 0.1


def main(arguments: list[str]) -> int:
    kind, path = arguments
    if kind not in _READERS:
        raise SystemExit(f"no reader for {kind!r}")
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is none of the answer
    threading.Thread(target=_end_with_input, daemon=True).start()
    warnings.simplefilter("ignore")
    sys.dont_write_bytecode = True
    reader = importlib.import_module(f"sam_py.store.documents.read_{kind}")
    enter_walls()
    told_s = 0.0

    def tell(done: int, total: int) -> None:
        nonlocal told_s
        if time.monotonic() - told_s >= _TOLD_EVERY_S:
            told_s = time.monotonic()
            _say(out, {"done": done, "total": total})

    _say(out, _answer(reader.read, kind, Path(path), Gathering(tell)))
    out.close()
    return 0


def _answer(read: object, kind: str, path: Path, gathering: Gathering) -> dict[str, object]:
    assert callable(read)
    is_cut = False
    try:
        read(path, gathering)
    except Enough:
        is_cut = True
    except Unreadable as error:
        return {"failed": error.reason, "detail": str(error)}
    except MemoryError:
        if not gathering.sections:
            return {"failed": "memory", "detail": ""}
        gathering.note("The rest needs too much memory and is left out.")
        is_cut = True
    except Exception:  # a damaged file may break its library anywhere; what was read before is kept
        log.info("the reader failed", exc_info=True)
        if not gathering.sections:
            return {"failed": "damaged", "detail": traceback.format_exc(limit=-3)[-2_000:]}
        gathering.note("The file is damaged: what follows cannot be read.")
        is_cut = True
    document = Document(
        kind=kind,  # type: ignore[arg-type]
        title=" ".join(gathering.title.split()),
        sections=tuple(gathering.sections),
        pages=gathering.pages,
        notes=tuple(gathering.notes),
        is_cut=is_cut,
    )
    return {"document": document.to_json().decode("utf-8", "replace")}


def _say(out: IO[bytes], line: dict[str, object]) -> None:
    out.write(json.dumps(line).encode() + b"\n")
    out.flush()


def _end_with_input() -> None:
    """Die with the program that started us."""
    os.read(0, 1)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
