"""The entry point of ``sam-py`` and ``python -m sam_py``: the window, a command without one, or a worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from sam_py import cli
from sam_py.cli import exit_codes


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window, or run the command that the arguments begin with. Returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--worker"]:  # what `sam_py.workers.command` starts of a frozen program
        from sam_py import workers

        return workers.run(arguments[1:])
    try:
        return _open_window(arguments) if is_for_the_window(arguments) else cli.main(arguments)
    except KeyboardInterrupt:  # Ctrl+C before or after what it could stop in good order
        return exit_codes.INTERRUPTED


def is_for_the_window(arguments: Sequence[str]) -> bool:
    """True for no command, or for options of the window alone (``--home``, ``--demo``, ``--screenshot``).

    >>> is_for_the_window([]), is_for_the_window(["--home", "x"]), is_for_the_window(["ask", "Hello"])
    (True, True, False)
    """
    if not arguments:
        return True
    return arguments[0].startswith("-") and not {"-h", "--help", "--version"} & set(arguments)


def has_display(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether a window could be shown: on Linux and the BSDs a display must be named."""
    if platform in ("darwin", "win32"):
        return True
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _open_window(arguments: Sequence[str]) -> int:
    if not has_display():
        print(
            "There is no display here, so no window can open. "
            'Ask from the terminal instead: sam-py ask "your question" (see sam-py ask --help).',
            file=sys.stderr,
        )
        return exit_codes.NOT_STARTED
    try:
        from sam_py.app import main as open_window
    except ImportError as error:  # a library of the system that Qt needs
        print(
            f"The window cannot open: {error}. Run “sam-py doctor” to see what is missing; "
            "“sam-py ask” works without it.",
            file=sys.stderr,
        )
        return exit_codes.NOT_STARTED
    return open_window(list(arguments))


if __name__ == "__main__":
    sys.exit(main())
