"""What can run a model file here: the program ``llama-server``, or llama.cpp's binding in this Python."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = "llama-server"
_BINDING = "xllamacpp"
_FOLDERS = (  # where package managers put it; a program that was started by its icon has them in no PATH on macOS
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/opt/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "~/.nix-profile/bin",
    "~/.local/bin",
    "~/AppData/Local/Microsoft/WinGet/Links",
)


@dataclass(frozen=True, slots=True)
class Runner:
    """`program` is the path of ``llama-server``; "" stands for the binding."""

    program: str = ""


def find_runner(
    *,
    which: Callable[[str], str | None] = shutil.which,
    folders: Sequence[str] = _FOLDERS,
    has_binding: Callable[[], bool] | None = None,
) -> Runner | None:
    """The runner of this computer, the program first: it is built for the machine. None: there is none."""
    program = which(_PROGRAM)
    if program is None:
        name = _PROGRAM + (".exe" if os.name == "nt" else "")
        places = (Path(folder).expanduser() / name for folder in folders)
        program = next((str(place) for place in places if place.is_file() and os.access(place, os.X_OK)), None)
    if program is not None:
        return Runner(program)
    return Runner() if (has_binding or _has_binding)() else None


def install_command(platform: str = sys.platform, *, which: Callable[[str], str | None] = shutil.which) -> str:
    """The command that installs a runner here, by llama.cpp's own instructions (docs/install.md) or from PyPI."""
    if platform == "win32":
        return "winget install llama.cpp"
    if platform == "darwin" or which("brew") is not None:
        return "brew install llama.cpp"
    return f"{_quoted(sys.executable)} -m pip install {_BINDING}"


def _has_binding() -> bool:
    # A bundled program has no Python that could be asked to run the binding.
    return not getattr(sys, "frozen", False) and importlib.util.find_spec(_BINDING) is not None


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
