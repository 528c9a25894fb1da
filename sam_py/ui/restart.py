"""Restarting the program as it was started, in a checkout, installed or frozen."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

from PySide6.QtCore import QProcess, QProcessEnvironment

log = logging.getLogger(__name__)


def start_command(
    frozen: bool | None = None, argv: Sequence[str] | None = None, orig_argv: Sequence[str] | None = None
) -> list[str]:
    """What starts this program again, with the same arguments.

    >>> start_command(True, ["sam-py", "--home", "x"], [])[1:]
    ['--home', 'x']
    >>> start_command(False, [], ["python3", "-m", "sam_py", "--home", "x"])[1:]
    ['-m', 'sam_py', '--home', 'x']
    """
    is_frozen = bool(getattr(sys, "frozen", False)) if frozen is None else frozen
    arguments = (argv if argv is not None else sys.argv) if is_frozen else orig_argv or sys.orig_argv
    return [sys.executable, *arguments[1:]]


def restart() -> bool:
    """Start the program again, beside this one that ends. False, and a line in the log, where it cannot be started."""
    program, *arguments = start_command()
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYINSTALLER_RESET_ENVIRONMENT", "1")  # else a frozen copy takes itself for a child of this one
    process = QProcess()
    process.setProgram(program)
    process.setArguments(arguments)
    process.setWorkingDirectory(os.getcwd())
    process.setProcessEnvironment(environment)
    said: object = process.startDetached()  # with the process's number, or without, as PySide's version has it
    started = bool(said[0] if isinstance(said, tuple) else said)
    if not started:
        log.error("the program could not be started again: %s", process.errorString())
    return started
