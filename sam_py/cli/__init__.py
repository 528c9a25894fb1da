"""The command line without a window: ``ask``, ``search``, ``export``, ``import``, ``doctor`` and ``paths``.

Must always be true:

- ``ask`` uses the same core as the window (bus, transcript, session, providers) and no Qt.
- Replies go to stdout, everything else to stderr; the exit code says what went wrong (`exit_codes`).
- A reply cannot steer the terminal: control characters are taken out of what is printed there.
- ``--help`` answers at once: what a command needs is imported when it runs.

May import: everything below it but Qt; of `ui` only `ui.probe`, in a child process. `__main__` opens the window.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sam_py import __version__
from sam_py.cli import exit_codes
from sam_py.cli.transfer_options import add_export, add_import
from sam_py.paths import PathsError

_EPILOG = """\
Without a command the window opens. Exit codes: 0 it worked, 1 could not start (doctor, export, import: it failed),
2 the command was not understood, 3 no connection, 4 the key was refused or is missing, 5 another error of
the provider, 130 interrupted with Ctrl+C."""

_ASK_EPILOG = """\
Without --provider and --base-url the default model of the settings answers, or the offline guide. Text on
standard input is added to the question. Keys come from the system keyring, or from the environment: the
maker's own variable (OPENAI_API_KEY …) for the maker's address, else SAM_PY_KEY_<PROVIDER>, with --base-url
alone SAM_PY_KEY_CLI.

--json prints one object: {"schema": 1, "text": str, "thinking": str, "provider": str, "model": str,
"stop_reason": "stop" | "length" | "content_filter" | "refusal" | "error" | "aborted" | null,
"usage": {"input_tokens", "output_tokens", "cached_input_tokens", "cache_write_tokens", "reasoning_tokens": int | null,
"cost_usd": float | null, "estimated": bool} | null,
"metrics": {"first_token_s", "duration_s", "tokens_per_second": float | null, "estimated": bool} | null,
"images": [{"mime_type": str, "size": int}], "error": {"code": str, "text": str, "detail": str} | null}."""

_SEARCH_EPILOG = """\
Words are found whatever their case and accents; in Chinese, Japanese, Korean and Thai anywhere in a text. Thinking is
searched with --kind thinking alone. A word to leave out goes into the quotes: sam-py search "soup -tomato". The first
search reads all conversations, later ones only what changed. With --meaning, what says the same in other words is
found, too, where that is switched on in the window (Settings > Data > Search): the model chosen there is asked.

--json prints one object: {"schema": 1, "total": int, "is_total_least": bool, "hits": [{"conversation_id": str,
"conversation_title": str, "message_id": str, "at": str, "role": str, "model": str, "importance": float,
"is_pinned": bool, "is_on_path": bool, "kind": str, "snippet": str, "marks": [[start, end]], "part_index": int,
"name": str, "label": str, "is_similar": bool}]}. "message_id" is empty for a title; "is_on_path" is false on a branch
that is not shown; "is_similar" is true where it was found by its meaning alone."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. `argv` without the program's name."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _make_output_safe()
    logging.getLogger("sam_py").addHandler(logging.NullHandler())  # what matters here, the command itself says
    try:
        code = _run(_parser().parse_args(arguments))
        sys.stdout.flush()
    except PathsError as error:
        print(error, file=sys.stderr)
        return exit_codes.NOT_STARTED
    except BrokenPipeError:  # whoever read it has enough (`| head -1`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains at exit
        return exit_codes.OK
    return code


def _run(options: argparse.Namespace) -> int:
    if options.home is not None:
        os.environ["SAM_HOME"] = str(options.home)
    match options.command:
        case "ask":
            from sam_py.cli.ask import ask

            return ask(options)
        case "export":
            from sam_py.cli.export import run_export

            return run_export(options)
        case "import":
            from sam_py.cli.import_ import run_import

            return run_import(options)
        case "doctor":
            from sam_py.cli.doctor import doctor

            return doctor(as_json=options.json, probe=options.probe or "")
        case "search":
            from sam_py.cli.search import search

            return search(options)
        case _:
            return _print_paths(as_json=options.json)


def _print_paths(*, as_json: bool) -> int:
    from sam_py.paths import default_paths

    paths = default_paths()
    rows = {
        "settings": paths.config / "settings.json",
        "data": paths.data,
        "conversations": paths.conversations,
        "attachments": paths.attachments,
        "state": paths.state,
        "logs": paths.logs,
    }
    if as_json:
        import json

        print(json.dumps({name: str(path) for name, path in rows.items()}, ensure_ascii=False))
    else:
        for name, path in rows.items():
            print(f"{name:14} {path}")
    return exit_codes.OK


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="sam-py",
        description="SAM for Python: chat with language models.",
        epilog=_EPILOG,
        formatter_class=form,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sam-py {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="{ask,search,export,import,doctor,paths}", required=True)
    ask = commands.add_parser(
        "ask",
        help="ask one question and print the reply",
        description="Ask one question; the reply is printed while it arrives.",
        epilog=_ASK_EPILOG,
        formatter_class=form,
        allow_abbrev=False,
    )
    ask.add_argument("question", nargs="*", help="what to ask; words are joined by spaces")
    ask.add_argument("--provider", metavar="ID", help="a provider of the settings, a preset (openai …) or guide")
    ask.add_argument("--base-url", metavar="URL", help="any server's address, up to but without /chat/completions")
    ask.add_argument("--model", metavar="NAME", help="the model; left out, the one chosen last or the first listed")
    ask.add_argument("--system", metavar="TEXT", help="a system prompt instead of that of the settings")
    ask.add_argument("--file", metavar="PATH", type=Path, action="append", default=[], help="attach a file or image")
    ask.add_argument("--temperature", metavar="T", type=_temperature, help="0 to 2")
    ask.add_argument("--max-tokens", metavar="N", type=_positive, help="the longest reply, in tokens")
    ask.add_argument("--json", action="store_true", help="print one JSON object at the end (see below)")
    ask.add_argument("--no-stream", action="store_true", help="print the reply when it is complete")
    doctor = commands.add_parser(
        "doctor",
        help="check what works on this computer",
        description="Check what works on this computer, line by line.",
    )
    doctor.add_argument("--json", action="store_true", help="print the checks as one JSON object")
    doctor.add_argument("--probe", choices=("window", "voices"), help=argparse.SUPPRESS)
    paths = commands.add_parser("paths", help="print where settings and conversations are")
    paths.add_argument("--json", action="store_true", help="print them as one JSON object")
    for command in (ask, _search_parser(commands), add_export(commands), add_import(commands), doctor, paths):
        command.add_argument(
            "--home", metavar="DIR", type=Path, help="keep settings and conversations below this folder"
        )
    return parser


def _search_parser(commands: Any) -> argparse.ArgumentParser:
    search: argparse.ArgumentParser = commands.add_parser(
        "search",
        help="look through all conversations",
        description="Look through the words of all conversations; the best hits first.",
        epilog=_SEARCH_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    search.add_argument("query", nargs="+", help='words that must all occur, "words that stand together", -without')
    kinds = ("title", "text", "code", "tool", "thinking", "image", "file", "link", "document")
    search.add_argument("--kind", choices=kinds, action="append", default=[], help="only in this; may be repeated")
    search.add_argument("--conversation", metavar="ID", help="only in the conversation whose id begins so")
    search.add_argument("--from", metavar="DATE", dest="since", help="not before this day: 2026-03-31")
    search.add_argument("--to", metavar="DATE", dest="until", help="not after this day")
    search.add_argument("--order", choices=("best", "newest", "oldest"), default="best", help="what comes first")
    search.add_argument("--limit", metavar="N", type=_positive, default=20, help="at most so many hits (20)")
    search.add_argument("--meaning", action="store_true", help="also what says the same in other words")
    search.add_argument("--json", action="store_true", help="print one JSON object (see below)")
    return search


def _temperature(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 2:
        raise argparse.ArgumentTypeError("the temperature is between 0 and 2")
    return value


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def _make_output_safe() -> None:
    """A terminal whose encoding lacks a character shows a sign for it instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
