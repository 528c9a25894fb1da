"""Worker processes: our own modules that run beside the program, so that what they call may block, crash or be ended.

A worker is a module with `main(arguments) -> int`. It is started with `command`, in a checkout, installed or frozen
(there the program itself is started with ``--worker NAME``), and with `environ`, in which there is no key.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

MODULES: Mapping[str, str] = {
    "document": "sam_py.store.documents.worker",
    "voice": "sam_py.speech.engines.system_worker",
    "aloud": "sam_py.ui.audio.aloud_worker",
}
"""The only modules that can be started so. A frozen program must be built with them: nothing imports them by name."""
_PASSED_ON = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
"""Of the environment: nothing that may be a key."""


def command(name: str, *arguments: str) -> list[str]:
    """What to run for the worker `name`.

    >>> command("voice", "/tmp/x")[-3:]
    ['-m', 'sam_py.speech.engines.system_worker', '/tmp/x']
    """
    module = MODULES[name]
    if getattr(sys, "frozen", False):
        return [sys.executable, "--worker", name, *arguments]
    return [sys.executable, "-s", "-m", module, *arguments]


def environ(also: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a worker: what any program needs, and the variables that `also` names."""
    passed = {name: os.environ[name] for name in (*_PASSED_ON, *also) if name in os.environ}
    root = str(Path(__file__).resolve().parent.parent)  # where `sam_py` is found, from a checkout too
    return passed | {"PYTHONPATH": root, "PYTHONUTF8": "1", "PYTHONHASHSEED": "0"}


def run(arguments: Sequence[str]) -> int:
    """Be the worker that `arguments` begin with: ``NAME ARGUMENT…``. Returns its exit code."""
    name = arguments[0] if arguments else ""
    if name not in MODULES:
        raise SystemExit(f"there is no worker {name!r}; there are {', '.join(MODULES)}")
    worker = importlib.import_module(MODULES[name])
    code: int = worker.main(list(arguments[1:]))
    return code
