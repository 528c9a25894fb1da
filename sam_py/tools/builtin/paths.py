"""Paths as a model writes them, judged before anything is opened. Pure but for reading links."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sam_py.tools.base import ToolError

LONGEST = 1024
_DRIVE = re.compile(r"[A-Za-z]:")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?\Z", re.IGNORECASE)
_WITHIN = "Name a path inside the work folder, relative to it: for example notes/plan.md."


@dataclass(frozen=True, slots=True)
class Place:
    """A path inside a work folder: no link, no ``..``, nothing of the program's own on the way."""

    root: str
    """The work folder itself, resolved."""
    steps: tuple[str, ...]
    """The folders and the name below it; empty for the work folder."""

    @property
    def full(self) -> str:
        return os.path.join(self.root, *self.steps)

    @property
    def shown(self) -> str:
        """As the model and the person know it: relative to the work folder, with ``/``."""
        return "/".join(self.steps) or "."

    def below(self, name: str) -> Place:
        return Place(self.root, (*self.steps, name))


def place_of(path: str, root: Path | None, excluded: Sequence[Path] = ()) -> Place:
    """Where `path` leads, all links followed. Raises `ToolError` where that is not inside `root`, or is in `excluded`.

    Names that only Windows reads in its own way (drives, UNC, devices, streams, trailing dots) are refused
    everywhere, so that a path means the same on each system.
    """
    if root is None:
        raise ToolError(
            "No work folder is chosen, so no file can be reached. "
            "Ask the person to choose one in Settings, under Tools."
        )
    real_root = os.path.realpath(root)
    if not os.path.isdir(real_root):
        raise ToolError(f"The work folder {root} is not there any more. Ask the person to choose another one.")
    own = [os.path.realpath(folder) for folder in excluded]
    if any(_holds(folder, real_root) for folder in own):
        raise ToolError("The work folder is one of this program's own folders, where tools may do nothing.")
    _check_spelling(path)
    try:
        real = os.path.realpath(os.path.join(real_root, path.strip()))
    except (OSError, ValueError) as error:
        raise ToolError(f"{_quoted(path)} is not a path that can be used ({error}). {_WITHIN}") from error
    if not _holds(real_root, real):
        raise ToolError(f"{_quoted(path)} is outside the work folder, where nothing can be reached. {_WITHIN}")
    if any(_holds(folder, real) for folder in own):
        raise ToolError(f"{_quoted(path)} belongs to this program itself: tools cannot read or change it.")
    relative = os.path.relpath(real, real_root)
    steps = () if relative == "." else tuple(relative.split(os.sep))
    if sys.platform == "win32" and any("~" in step and _short(step) for step in steps):
        raise ToolError(f"{_quoted(path)} has a shortened name in it. Write the name in full.")
    return Place(real_root, steps)


def _check_spelling(path: str) -> None:
    if len(path) > LONGEST:
        raise ToolError(f"The path is longer than {LONGEST} characters. {_WITHIN}")
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in path):
        raise ToolError(f"{_quoted(path)} has a control character in it. {_WITHIN}")
    if any(0xD800 <= ord(character) < 0xE000 for character in path):
        raise ToolError(f"{_quoted(path)} has half a character in it. {_WITHIN}")
    stripped = path.strip()
    if stripped.startswith(("\\\\", "//", "\\??\\")):
        raise ToolError(f"{_quoted(path)} names a share or a device. {_WITHIN}")
    if _ADDRESS.match(stripped):
        raise ToolError(f"{_quoted(path)} is an address, not a path. {_WITHIN}")
    if stripped == "~" or stripped.startswith(("~/", "~\\")):
        raise ToolError(f"{_quoted(path)}: the home folder is not reachable by name. {_WITHIN}")
    rest = stripped
    if _DRIVE.match(stripped):
        if sys.platform != "win32":
            raise ToolError(f"{_quoted(path)} begins with a drive. {_WITHIN}")
        rest = stripped[2:]
    for step in re.split(r"[\\/]", rest):
        if ":" in step and sys.platform == "win32":
            raise ToolError(f"{_quoted(path)} has a colon in a name. {_WITHIN}")
        if _DEVICES.match(step):
            raise ToolError(f"{_quoted(path)} names a device on some systems. Choose another name.")
        if step not in ("", ".", "..") and step != step.rstrip(". "):
            raise ToolError(f"{_quoted(path)}: a name cannot end with a dot or a blank on every system. {_WITHIN}")
    if "\\" in stripped and sys.platform != "win32":
        raise ToolError(f"{_quoted(path)}: write / between folders, not \\. {_WITHIN}")


def _holds(folder: str, path: str) -> bool:
    """Whether `path` is `folder` or below it, on disks that tell capital letters apart and on those that do not."""
    folder, path = os.path.normcase(folder), os.path.normcase(path)
    if path == folder or path.startswith(folder.rstrip(os.sep) + os.sep):
        return True
    if not path.casefold().startswith(folder.casefold()):
        return False
    above = path
    while len(above) >= len(folder):
        if _same(above, folder):
            return True
        above, last = os.path.dirname(above), above
        if above == last:
            break
    return False


def _same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except OSError:
        return False


def _short(step: str) -> bool:
    return re.search(r"~\d", step) is not None


def _quoted(path: str) -> str:
    """`path` in quotation marks, cut, with its control characters made visible."""
    shown = path if len(path) <= 120 else path[:117] + "…"
    return "“" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + "”"
