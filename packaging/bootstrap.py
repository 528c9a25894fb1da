#!/usr/bin/env python3
"""Run or test SAM from a fresh checkout, on Linux, macOS and Windows, with nothing but Python 3.11 or newer.

    python3 packaging/bootstrap.py run               make everything ready and start the program
    python3 packaging/bootstrap.py run -- ask "…"    the same, with the program's own arguments
    python3 packaging/bootstrap.py test              make everything ready and run every check
    python3 packaging/bootstrap.py test -- -k …      only tests, those that pytest finds with these arguments

Standard library only. What it makes is in `.venv` (or the folder that SAM_VENV names) and `build/`. Of the system it
touches nothing but missing packages, and those only on Debian and Ubuntu, as root or with sudo; elsewhere it says
what to install. A second run finds its stamp in the environment and goes straight on.

Every failure ends in one sentence that says what to do, and the exit code of the step that failed first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import python_packages
import real_servers
import system_needs
import virtual_screen
from progress import Stop, complain, say, speak_any_alphabet, step

PROJECT = python_packages.PROJECT
FIRST_MESSAGE = "Hello"
FIRST_PICTURE = PROJECT / "build" / "first-run.png"
DEMONSTRATION_TIMEOUT_S = 120.0
SIDE_BY_SIDE = ("-n", "logical", "--maxprocesses", "4", "--dist", "loadfile")
"""For pytest: the files of tests are shared out to as many processes as there are cores. ``-- -n 0 …`` takes one."""


def main(given: Sequence[str]) -> int:
    speak_any_alphabet()
    options = _parse(given)
    try:
        if newer := python_packages.newer_python():
            return _call([*newer, Path(__file__).resolve(), *given], dict(os.environ))
        return run(options.arguments) if options.command == "run" else test(options.arguments)
    except Stop as stop:
        complain(f"\nbootstrap: {stop}")
        return stop.code
    except KeyboardInterrupt:
        complain("\nbootstrap: stopped; the same command goes on from here.")
        return 130


def run(arguments: Sequence[str]) -> int:
    """Start the program and return its exit code; without a screen, show it at work on a virtual one."""
    python = make_ready("run", system_needs.of_program())
    environment = python_packages.program_environment()
    if arguments:
        return _call([python, "-m", "sam_py", *arguments], environment)
    if not sys.platform.startswith("linux") or virtual_screen.has_screen(os.environ):
        say("→ starting SAM")
        return _call([python, "-m", "sam_py"], environment)
    say("→ there is no screen here: SAM starts on a virtual one, sends one message to the offline guide and ends")
    install_missing(system_needs.of_virtual_screen())
    return demonstrate(python, FIRST_PICTURE)


def demonstrate(python: Path, picture: Path) -> int:
    """Send one message in the real window on a virtual screen, print the exchange and keep a picture of it."""
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="sam-first-run-") as home, _virtual_screen() as display:
        environment = {**python_packages.program_environment(), "SAM_HOME": home, "DISPLAY": display}
        environment["QT_QPA_PLATFORM"] = "xcb"
        command = [python, "-m", "sam_py", "--demo", FIRST_MESSAGE, "--screenshot", picture]
        code = _call(command, environment, DEMONSTRATION_TIMEOUT_S)
    if code != 0 or not picture.is_file():
        raise Stop("The program did not show its window: what it printed above says why.", code or 1)
    say(f"→ a picture of the window: {picture}")
    return 0


def test(arguments: Sequence[str]) -> int:
    """Run every check; return the first failed one's exit code. With arguments (for pytest), only the tests."""
    python = make_ready("test", [*system_needs.of_program(), *system_needs.of_tests()])
    checks: dict[str, list[str | Path]] = {"tests": [python, "-m", "pytest", *SIDE_BY_SIDE, *arguments]}
    if not arguments:
        checks = {
            "lint": [python, "-m", "ruff", "check", "."],
            "format": [python, "-m", "ruff", "format", "--check", "."],
            "types": [python, "-m", "mypy"],
            "contracts": [python.with_name("lint-imports")],
            **checks,
        }
    codes: dict[str, int] = {}
    with _virtual_screen() as display:
        for name, command in checks.items():
            with step(f"{name}: {' '.join([Path(command[0]).name, *map(str, command[1:])])}"):
                codes[name] = _call(command, test_environment(display))
    failed = {name: code for name, code in codes.items() if code != 0}
    if failed:
        sentence = f"{', '.join(failed)} failed: mend what is printed above and run the same command again."
        raise Stop(sentence, next(iter(failed.values())))
    say(f"\nAll is well: {', '.join(codes)}.")
    return 0


def make_ready(purpose: str, needs: Sequence[system_needs.Need]) -> Path:
    """Install what is missing, from the system and from Python's packages. Return the environment's interpreter."""
    folder = python_packages.environment_folder()
    if python_packages.is_ready(folder, purpose):
        # What is optional was offered when the environment was made: no second try, which may be slow, at each start.
        install_missing([need for need in needs if need.is_required])
    else:
        install_missing(needs)
        python_packages.make_ready(folder, purpose)
    if purpose == "test":
        real_servers.make_ready(folder)
    return python_packages.interpreter_of(folder)


def install_missing(needs: Sequence[system_needs.Need]) -> None:
    """Install what the system lacks where we may, say what to install where not. What is optional stops nobody."""
    missing = system_needs.missing(needs)
    if not missing:
        return
    installer = system_needs.installer()
    prefix = system_needs.become_root() if installer == "apt-get" else None
    if installer == "apt-get" and prefix is not None:
        # What is optional comes by itself: a name that this system does not know must not keep the rest away.
        for is_required in (True, False):
            packages = system_needs.packages_of(
                [need for need in missing if need.is_required is is_required], installer
            )
            if not packages:
                continue
            with step(f"system packages: {' '.join(packages)}"):
                try:
                    system_needs.apt_install(packages, prefix)
                except system_needs.NotInstalled as problem:
                    if is_required:
                        raise Stop(str(problem)) from problem
                    say(f"  {problem}")
        missing = system_needs.missing(missing)
    if required := [need for need in missing if need.is_required]:
        names = ", ".join(need.what for need in required)
        how = system_needs.install_command(required, installer)
        raise Stop(f"This system lacks {names}: install them {how} and run the same command again.")
    if missing:
        names = " and ".join(need.what for need in missing)
        say(f"→ worth having: {names}; install it {system_needs.install_command(missing, installer)}")


def test_environment(display: str) -> dict[str, str]:
    """For the checks: the virtual screen for those that ask for one, and widgets that need none."""
    environment = python_packages.program_environment()
    environment.pop("WAYLAND_DISPLAY", None)
    return {**environment, "QT_QPA_PLATFORM": "offscreen", **({"DISPLAY": display} if display else {})}


@contextmanager
def _virtual_screen() -> Iterator[str]:
    """The name of a screen of our own on Linux, nothing elsewhere."""
    if not sys.platform.startswith("linux"):
        yield ""
        return
    try:
        screen = virtual_screen.VirtualScreen()
    except virtual_screen.NoScreen as problem:
        raise Stop(str(problem)) from problem
    with screen:
        yield screen.display


def _call(command: Sequence[object], environment: dict[str, str], timeout_s: float | None = None) -> int:
    """Run `command` in the open and return its exit code."""
    process = subprocess.Popen([str(part) for part in command], env=environment, cwd=PROJECT)
    try:
        return process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        say(f"  it did not end within {timeout_s:g} s and was stopped")
        return 124
    except KeyboardInterrupt:
        process.wait()  # the key reached it, too, and it closes its journal
        raise


def _parse(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bootstrap.py", description="Run or test SAM from a checkout.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="run | test")
    for name, what, more in (
        ("run", "make everything ready and start the program", "the program's own, after --"),
        ("test", "make everything ready and run every check", "pytest's, after --; then nothing but tests is run"),
    ):
        command = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        command.add_argument("arguments", nargs="*", help=more)
    return parser.parse_args(list(given))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
