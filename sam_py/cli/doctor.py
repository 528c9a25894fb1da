"""``sam-py doctor``: what works on this computer, a line each, and what to do about what does not."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from sam_py import __version__
from sam_py.cli import checks, exit_codes
from sam_py.cli.checks import Check

SCHEMA = 1
_SIGNS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
_COLOURS = {"ok": "\x1b[32m", "warn": "\x1b[33m", "fail": "\x1b[31m"}


def doctor(*, as_json: bool, probe: str) -> int:
    """Run all checks and print them. `probe` names what a child process is to look at instead."""
    if probe == "window":
        from sam_py.ui.probe import probe as probe_window

        return probe_window()
    if probe == "voices":
        return checks.probe_voices()
    found = asyncio.run(examine())
    if as_json:
        rows = [asdict(check) for check in found]
        print(json.dumps({"schema": SCHEMA, "version": __version__, "checks": rows}, ensure_ascii=False))
    else:
        _print(found)
    return exit_codes.NOT_STARTED if any(check.state == "fail" for check in found) else exit_codes.OK


async def examine() -> list[Check]:
    """All checks, the slow ones at the same time. About two seconds; seven where the keyring hangs."""
    window, voices, keyring, servers = await asyncio.gather(
        checks.window(), checks.voices(), checks.keyring(), checks.servers()
    )
    kept = [*checks.folders(), checks.conversations(), checks.settings()]
    return [checks.python(), *window, voices, keyring, *kept, *servers]


def _print(found: Sequence[Check]) -> None:
    coloured = sys.stdout.isatty()
    for check in found:
        sign = _SIGNS[check.state]
        if coloured:
            sign = f"{_COLOURS[check.state]}{sign}\x1b[0m"
        print(f"{sign}  {check.name:12} {check.text}")
        if check.advice:
            print(textwrap.indent(textwrap.fill(check.advice, 96), " " * 19))
    failed = sum(check.state == "fail" for check in found)
    warned = sum(check.state == "warn" for check in found)
    if failed:
        print(f"\n{failed} of {len(found)} checks failed: do what stands below them, then run this again.")
    elif warned:
        print(f"\nEverything needed works. {warned} of {len(found)} could be better.")
    else:
        print("\nEverything works.")
