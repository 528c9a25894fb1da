"""What ``sam-py export`` and ``sam-py import`` may be told. Imports nothing that they need to run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

_EXPORT_EPILOG = """\
Without a choice all conversations are exported. PATH may be a folder: the file is then named after the conversation.
With - as PATH the export goes to standard output, of Markdown the text without its pictures.
The form follows the ending of PATH (.json, .zip, .md, .html, .txt) where --format does not say it, and is json where
PATH has none; a PDF is made in the window. json and zip lose nothing and can be imported again; zip has attached files
beside, which suits many pictures. Several conversations as markdown, html or text make a ZIP with a file each: PATH
then ends in .zip. The program may be running.

--json prints one object: {"schema": 1, "target": str, "format": str, "conversations": int, "messages": int,
"size": int, "damaged_lines": int, "unreadable": [str], "error": str | null}."""

_IMPORT_EPILOG = """\
PATH is a file, a ZIP or a folder as the other program wrote it; what it is, is seen by itself. With - as PATH a JSON
or a ZIP is read from standard input. The same file again adds what is new in it and nothing twice. The program may be
running: it shows what came in when it next reads its folder.
What cannot be read is kept aside in the data folder under imports/, with the reason.

--json prints one object: {"schema": 1, "imports": [{"file": str, "format": str, "new": int, "grown": int,
"restored": int, "known": int, "messages": int, "attachments": int, "aside": [{"what": str, "why": str}],
"notes": [str], "folder": str | null, "conversations": [{"id": str, "title": str, "outcome": str, "messages": int}],
"error": str | null}]}."""


def add_export(commands: Any) -> argparse.ArgumentParser:
    """The parser of ``export``."""
    export: argparse.ArgumentParser = commands.add_parser(
        "export",
        help="write conversations to a file",
        description="Write conversations to a file that others can read, or that can be imported again.",
        epilog=_EXPORT_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    export.add_argument("path", metavar="PATH", type=Path, help="the file to write, a folder for it, or -")
    forms = ("json", "zip", "markdown", "html", "text")
    export.add_argument("--format", choices=forms, help="what to write (by the ending of PATH, else json)")
    export.add_argument(
        "--conversation", metavar="ID", action="append", default=[], help="one whose id or title begins so; repeatable"
    )
    export.add_argument("--folder", metavar="NAME", help="all conversations of this folder")
    export.add_argument(
        "--message", metavar="ID", action="append", default=[], help="only this message of the conversation; repeatable"
    )
    export.add_argument("--branches", action="store_true", help="all versions, where a form has only what is shown")
    export.add_argument("--force", action="store_true", help="write over a file that is there")
    export.add_argument("--json", action="store_true", help="print the report as one JSON object (see below)")
    return export


def add_import(commands: Any) -> argparse.ArgumentParser:
    """The parser of ``import``."""
    importing: argparse.ArgumentParser = commands.add_parser(
        "import",
        help="take in conversations of other programs",
        description="Take in conversations that this or another program exported.",
        epilog=_IMPORT_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    importing.add_argument("path", metavar="PATH", type=Path, nargs="+", help="a file, a ZIP or a folder, or -")
    importing.add_argument("--format", metavar="NAME", default="", help="what it is, where that is not seen")
    importing.add_argument("--json", action="store_true", help="print the report as one JSON object (see below)")
    return importing
