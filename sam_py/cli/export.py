"""``sam-py export``: conversations of the data folder to a file. Reads only; the program may be running."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sam_py.cli import exit_codes
from sam_py.cli.progress import ProgressLine, printable, quiet_log
from sam_py.errors import SamError
from sam_py.paths import Paths, default_paths
from sam_py.store.disk import Disk
from sam_py.store.exporters.archive import safe_stem
from sam_py.store.exporters.run import (
    SUFFIXES,
    ExportReport,
    Form,
    Wanted,
    all_conversations,
    export,
    suffix_for,
)
from sam_py.store.folders import read_summary
from sam_py.store.summary import ConversationSummary

SCHEMA = 1
_FORMS: dict[str, Form] = {suffix: form for form, suffix in SUFFIXES.items()} | {
    ".markdown": "markdown",
    ".htm": "html",
}


_TERMINAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What steers a terminal, but line breaks and tabs."""
_PIECE = 64 * 1024


class UsageError(SamError):
    """The command asks for what cannot be done."""


def run_export(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    with quiet_log():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    paths = default_paths()
    form: Form = "json"
    line = ProgressLine("Exporting")
    try:
        form = _form(options)
        wanted, title = _wanted(paths, options)
        if str(options.path) == "-":
            _to_output(options, paths, wanted, form, line)
            return exit_codes.OK
        target = _target(options, form, len(wanted.conversations), title)
        report = asyncio.run(export(paths, wanted, form, target, line.tell))
    except KeyboardInterrupt:
        line.end()
        print("Stopped; nothing was written.", file=sys.stderr)
        return exit_codes.INTERRUPTED
    except SamError as error:
        line.end()
        if options.json:
            print(json.dumps({"schema": SCHEMA, "error": str(error)}, ensure_ascii=False))
        else:
            print(f"sam-py: {error}", file=sys.stderr)
        return exit_codes.USAGE if isinstance(error, UsageError) else exit_codes.NOT_STARTED
    line.end()
    _print(options, form, report)
    return exit_codes.OK


def _to_output(options: argparse.Namespace, paths: Paths, wanted: Wanted, form: Form, line: ProgressLine) -> None:
    """Write the export to standard output, once it is whole. Raises UsageError where that cannot be."""
    if options.json:
        raise UsageError("The report and the export cannot both go to standard output: leave out --json.")
    if suffix_for(form, len(wanted.conversations)) == ".zip" and sys.stdout.isatty():
        raise UsageError("A ZIP does not suit a terminal: name a file, or choose one conversation.")
    with tempfile.TemporaryDirectory(prefix="sam-py-") as folder:
        target = Path(folder) / "export"
        report = asyncio.run(export(paths, wanted, form, target, line.tell))
        line.end()
        _warn(report)
        try:
            if sys.stdout.isatty():
                _show(target)
            else:
                with target.open("rb") as file:
                    shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.flush()
        except BrokenPipeError:  # who reads has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(target: Path) -> None:
    """Print a text on a terminal, without what a model may have written to steer it."""
    with target.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while piece := file.read(_PIECE):
            sys.stdout.write(_TERMINAL.sub("", piece))


def _form(options: argparse.Namespace) -> Form:
    """What to write: what was asked for, or by the ending of the file. Raises UsageError for an ending that is none."""
    path: Path = options.path
    try:
        by_ending = str(path) == "-" or not path.suffix or path.is_dir()
    except OSError as error:
        raise _unfit(path, error) from error
    if options.format:
        form: Form = options.format
        return form
    if by_ending:
        return "json"
    ending = path.suffix.lower()
    if ending == ".pdf":
        raise UsageError("A PDF is made in the window: Ctrl+Shift+E there, or export as .html and print that.")
    if ending not in _FORMS:
        known = ", ".join(_FORMS)
        raise UsageError(f"“{path.suffix}” is no ending of an export: it may be one of {known}. Or add --format.")
    return _FORMS[ending]


def _unfit(path: Path, error: OSError) -> UsageError:
    name = f"{path.name[:40]}…" if len(path.name) > 40 else path.name
    return UsageError(f"“{name}” cannot be the name of a file here ({error.strerror or error}): choose another one.")


def _wanted(paths: Paths, options: argparse.Namespace) -> tuple[Wanted, str]:
    """What to export, and a title for the file. Raises UsageError."""
    ids = all_conversations(paths) if paths.conversations.is_dir() else []
    title = "SAM conversations"
    if options.message and len(options.conversation) != 1:
        raise UsageError("Name the one conversation of the messages with --conversation.")
    if options.folder is not None:
        folder = options.folder
        ids = [each.id for each in _summaries(paths, ids) if each.folder == folder]
        title = folder
        if not ids:
            raise UsageError(f"There is no conversation in the folder “{folder}”: see the names in the program.")
    if options.conversation:
        known = list(_summaries(paths, ids))
        chosen = [_named(known, name) for name in options.conversation]
        ids = list(dict.fromkeys(each.id for each in chosen))
        title = chosen[0].title if len(ids) == 1 else title
    elif len(ids) == 1:
        title = next((each.title for each in _summaries(paths, ids)), title)
    return Wanted(tuple(ids), tuple(options.message), branches=options.branches), title


def _summaries(paths: Paths, ids: list[str]) -> Iterator[ConversationSummary]:
    disk = Disk()
    for id in ids:
        summary = read_summary(str(paths.conversations / id), id, (), "reader", disk)
        if summary is not None:
            yield summary


def _named(known: list[ConversationSummary], name: str) -> ConversationSummary:
    """The conversation whose id or title begins so. Raises UsageError where there is none, or more than one."""
    found = [each for each in known if each.id == name or each.title == name]
    found = found or [each for each in known if each.id.startswith(name)]
    found = found or [each for each in known if each.title.lower().startswith(name.lower())]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"There is no conversation whose id or title begins with “{name}”.")
    some = ", ".join(f"{each.id[:12]} “{each.title}”" for each in found[:5])
    raise UsageError(f"{len(found)} conversations begin with “{name}”: name one by its id ({some}).")


def _target(options: argparse.Namespace, form: Form, conversations: int, title: str) -> Path:
    """The file to write. Raises UsageError where it is there and may not be written over."""
    target: Path = options.path
    suffix = suffix_for(form, conversations)
    if not target.is_dir() and (meant := _FORMS.get(target.suffix.lower())) is not None:
        if suffix == ".zip" != target.suffix.lower():
            raise UsageError(
                f"{conversations:,} conversations as {form} are a ZIP with a file each: call it {target.stem}.zip and "
                f"add --format {form}, or choose one with --conversation."
            )
        if suffix != ".zip" and meant != form:
            raise UsageError(f"As {form} it is a file that ends in {suffix}: call it {target.stem}{suffix}.")
    if target.is_dir():
        day = f" {datetime.now(UTC):%Y-%m-%d}" if conversations != 1 else ""
        target = target / f"{safe_stem(title)}{day}{suffix}"
    try:
        is_there = target.exists()
    except OSError as error:
        raise _unfit(target, error) from error
    if is_there and not options.force:
        raise UsageError(f"{target} is there already: choose another name, or add --force.")
    return target


def _print(options: argparse.Namespace, form: Form, report: ExportReport) -> None:
    if options.json:
        fields = {
            "schema": SCHEMA,
            "target": str(report.target),
            "format": form,
            "conversations": report.conversations,
            "messages": report.messages,
            "size": report.size,
            "damaged_lines": report.damaged_lines,
            "unreadable": list(report.unreadable),
            "error": None,
        }
        print(json.dumps(fields, ensure_ascii=False))
        return
    conversations = f"{report.conversations:,} conversation{'' if report.conversations == 1 else 's'}"
    messages = f"{report.messages:,} message{'' if report.messages == 1 else 's'}"
    print(f"{conversations} with {messages} → {printable(str(report.target))}")
    _warn(report)


def _warn(report: ExportReport) -> None:
    if report.unreadable:
        print(f"{len(report.unreadable)} conversations could not be read and are not in it.", file=sys.stderr)
    if report.damaged_lines:
        print(f"{report.damaged_lines} lines were damaged in the data folder and are not in it.", file=sys.stderr)
