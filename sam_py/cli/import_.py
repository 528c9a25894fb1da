"""``sam-py import``: conversations that other programs exported. Safe while the program is running.

New conversations appear as whole folders, and what known ones gain in a file of its own: nothing that a running
program writes is touched. It shows what came in when it looks at the folder again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from sam_py.cli import exit_codes
from sam_py.cli.progress import ProgressLine, printable, quiet_log
from sam_py.errors import SamError
from sam_py.paths import default_paths
from sam_py.store.exporters.errors import TransferError
from sam_py.store.importers.run import ImportReport, import_path

SCHEMA = 1
_MOST_LISTED = 10


def run_import(options: argparse.Namespace) -> int:
    """Run the command and return its exit code: that of the worst of its files."""
    code = exit_codes.OK
    reports: list[dict[str, Any]] = []
    for path in options.path:
        with quiet_log():
            report, error, ended = _one(path, options.format)
        code = max(code, ended)
        reports.append({"file": path.name, **_fields(report), "error": error})
        if not options.json:
            _print(path, report, error)
        if ended == exit_codes.INTERRUPTED:
            break
    if options.json:
        print(json.dumps({"schema": SCHEMA, "imports": reports}, ensure_ascii=False))
    return code


def _one(path: Path, format: str) -> tuple[ImportReport | None, str | None, int]:
    line = ProgressLine("Importing")
    try:
        return asyncio.run(import_path(default_paths().create(), path, line.tell, format=format)), None, exit_codes.OK
    except KeyboardInterrupt:
        return None, "Stopped; the conversations that came in are whole.", exit_codes.INTERRUPTED
    except TransferError as error:
        usage = error.kind in ("missing", "unknown_format")
        return None, str(error), exit_codes.USAGE if usage else exit_codes.NOT_STARTED
    except SamError as error:
        return None, str(error), exit_codes.NOT_STARTED
    finally:
        line.end()


def _print(path: Path, report: ImportReport | None, error: str | None) -> None:
    if report is None:
        print(f"sam-py: {error}", file=sys.stderr)
        return
    print(f"{printable(path.name)} – {report.summary}")
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
