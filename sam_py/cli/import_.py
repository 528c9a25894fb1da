"""``sam-py import``: conversations that other programs exported. Safe while the program is running.

New conversations appear as whole folders, and what known ones gain in a file of its own: nothing that a running
program writes is touched. It shows what came in when it looks at the folder again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sam_py.cli import exit_codes
from sam_py.cli.progress import ProgressLine, printable, quiet_log
from sam_py.errors import SamError
from sam_py.paths import default_paths
from sam_py.store.exporters.errors import TransferError
from sam_py.store.importers.run import ImportReport, import_path

SCHEMA = 1
STDIN = Path("-")
_STDIN_NAME = "standard input"
_PIECE = 1024 * 1024
_MOST_LISTED = 10


def run_import(options: argparse.Namespace) -> int:
    """Run the command and return its exit code: that of the worst of its files."""
    code = exit_codes.OK
    reports: list[dict[str, Any]] = []
    for path in options.path:
        with quiet_log():
            report, error, ended = _one(path, options.format)
        code = max(code, ended)
        reports.append({"file": _name(path), **_fields(report), "error": error})
        if not options.json:
            _print(path, report, error)
        if ended == exit_codes.INTERRUPTED:
            break
    if options.json:
        print(json.dumps({"schema": SCHEMA, "imports": reports}, ensure_ascii=False))
    return code


def _one(path: Path, format: str) -> tuple[ImportReport | None, str | None, int]:
    """What came in, also where it ended in an error; the error; and the exit code."""
    line = ProgressLine("Importing")
    begun: list[ImportReport] = []
    try:
        paths = default_paths().create()
        with _at_hand(path) as file:
            asyncio.run(import_path(paths, file, line.tell, format=format, began=begun.append))
        return begun[-1], None, exit_codes.OK
    except KeyboardInterrupt:
        return _worth_telling(begun), "Stopped; the conversations that came in are whole.", exit_codes.INTERRUPTED
    except TransferError as error:
        usage = error.kind in ("missing", "unknown_format")
        return _worth_telling(begun), str(error), exit_codes.USAGE if usage else exit_codes.NOT_STARTED
    except SamError as error:
        return _worth_telling(begun), str(error), exit_codes.NOT_STARTED
    finally:
        line.end()


def _worth_telling(begun: list[ImportReport]) -> ImportReport | None:
    """The report of an import that did not come to its end, where anything had come of it."""
    return next((report for report in begun if report.conversations or report.aside), None)


@contextmanager
def _at_hand(path: Path) -> Iterator[Path]:
    """The file itself; of what is piped in a copy on the disk, as a ZIP is read from its end."""
    if path != STDIN:
        yield path
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise TransferError("Pipe the file in: sam-py import - < chatgpt-export.zip", kind="missing")
    with tempfile.TemporaryDirectory(prefix="sam-py-") as folder:
        yield _piped_in(Path(folder) / _STDIN_NAME)


def _piped_in(copy: Path) -> Path:
    """Write what comes in to `copy`."""
    try:
        with copy.open("wb") as out:
            while piece := sys.stdin.buffer.read(_PIECE):
                out.write(piece)
            size = out.tell()
    except OSError as error:
        raise TransferError(
            f"What was piped in could not be kept ({error.strerror or error}): free some space, or name the file.",
            kind="failed",
            detail=str(error),
        ) from error
    if not size:
        raise TransferError("Nothing came in on standard input: pipe a JSON or a ZIP in.", kind="missing")
    return copy


def _name(path: Path) -> str:
    return _STDIN_NAME if path == STDIN else path.name


def _print(path: Path, report: ImportReport | None, error: str | None) -> None:
    if error is not None:
        print(f"sam-py: {error}", file=sys.stderr)
    if report is None:
        return
    print(f"{printable(_name(path))} – {report.summary}")
    for note in report.notes:
        print(f"  {printable(note)}")
    for aside in report.aside[:_MOST_LISTED]:
        print(f"  Not in: {printable(aside.what)}: {printable(aside.why)}.")
    if len(report.aside) > _MOST_LISTED:
        print(f"  … and {len(report.aside) - _MOST_LISTED} more.")
    if report.folder is not None:
        print(f"  What did not come in is kept in {report.folder}")


def _fields(report: ImportReport | None) -> dict[str, Any]:
    if report is None:
        return {}
    return {
        "format": report.format,
        "new": report.count("new"),
        "grown": report.count("grown"),
        "restored": report.count("restored"),
        "known": report.count("known"),
        "messages": report.messages,
        "attachments": report.attachments,
        "aside": [{"what": each.what, "why": each.why} for each in report.aside],
        "notes": report.notes,
        "folder": str(report.folder) if report.folder is not None else None,
        "conversations": [
            {"id": each.id, "title": each.title, "outcome": each.outcome, "messages": each.messages}
            for each in report.conversations
        ],
    }
