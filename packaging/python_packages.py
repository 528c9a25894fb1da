"""The virtual environment and what is in it: made once, from a lock file, and left alone while nothing changed.

Standard library only. The environment is `.venv` in the project, or the folder that SAM_VENV names. A stamp in it
says which lock file it answers to, so that a second start costs nothing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import system_needs
from progress import Stop, WrongPackage, say, say_end_of, step

OLDEST_PYTHON = (3, 11)
PROJECT = Path(__file__).resolve().parent.parent
LOCKS = {
    "run": PROJECT / "packaging" / "requirements.lock",
    "test": PROJECT / "packaging" / "requirements-dev.lock",  # holds all of the other, too
}
STAMP = "sam-bootstrap.json"
_WRONG_HASH = "DO NOT MATCH THE HASHES"


def environment_folder() -> Path:
    return Path(os.environ.get("SAM_VENV") or PROJECT / ".venv").expanduser().absolute()


def interpreter_of(folder: Path) -> Path:
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


def is_ready(folder: Path, purpose: str) -> bool:
    """Whether `folder` was made ready for ``run`` or ``test`` and nothing that it depends on has changed since."""
    return interpreter_of(folder).exists() and _read_stamp(folder).get(purpose) == _digest_of(purpose)


def make_ready(folder: Path, purpose: str) -> None:
    """Make the environment, or mend it, and install what the lock file of `purpose` and the project name."""
    python = interpreter_of(folder)
    _make_environment(folder)
    with step("Python packages (the first time: some 300 MB)"):
        pip(python, ["install", "--require-hashes", "--no-deps", "--requirement", str(LOCKS[purpose])])
    with step("the project itself, in place"):
        pip(python, ["install", "--no-build-isolation", "--no-deps", "--editable", str(PROJECT)])
    _check_that_qt_loads(python)
    ready_for = ("run", "test") if purpose == "test" else ("run",)
    (folder / STAMP).write_text(json.dumps({name: _digest_of(name) for name in ready_for}), encoding="utf-8")


def newer_python() -> list[str] | None:
    """Another interpreter to go on with, None if this one will do. Raises Stop if there is none."""
    if sys.version_info >= OLDEST_PYTHON:
        return None
    candidates = [[f"python3.{minor}"] for minor in range(14, OLDEST_PYTHON[1] - 1, -1)]
    if sys.platform == "win32":
        candidates = [["py", "-3"], *candidates]
    is_new = f"import sys; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    for candidate in candidates:
        if shutil.which(candidate[0]) and _succeeds([*candidate, "-c", is_new]):
            return candidate
    raise Stop(f"SAM needs Python 3.11 or newer and this is {_here()}: install one and run the same command again.")


def program_environment() -> dict[str, str]:
    """The person's own variables, in UTF-8, without what would make the program load other people's Python."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    if sys.platform.startswith("linux") and not any(environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        environment["LC_ALL"] = "C.UTF-8"
    return environment


# The environment


def _make_environment(folder: Path) -> None:
    """A virtual environment that works. One that is broken is made again; any other folder stays untouched."""
    python = interpreter_of(folder)
    if python.exists() and _succeeds([python, "-c", "import pip"]):
        return
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise Stop(f"{folder} exists and is no virtual environment: move it, or name another folder in SAM_VENV.")
    if importlib.util.find_spec("ensurepip") is None:  # Debian keeps it in a package of its own
        _install_ensurepip()
    with step(f"a virtual environment in {folder}"):
        done = run([sys.executable, "-m", "venv", "--clear", folder])
        if done.returncode != 0:
            say_end_of(done.stdout)
            raise Stop(f"No virtual environment could be made: see that {folder.parent} can be written to.", 1)


def _install_ensurepip() -> None:
    package = f"python{_here()}-venv"
    prefix = system_needs.become_root() if system_needs.installer() == "apt-get" else None
    advice = (
        f"This Python cannot make virtual environments: install {package} (sudo apt-get install {package}), "
        "or Python from python.org, and run the same command again."
    )
    if prefix is None:
        raise Stop(advice)
    with step(f"system packages: {package}"):
        try:
            system_needs.apt_install([package], prefix)
        except system_needs.NotInstalled as problem:
            raise Stop(advice) from problem


def _check_that_qt_loads(python: Path) -> None:
    done = run([python, "-c", "import PySide6.QtWidgets"], program_environment())
    if done.returncode != 0:
        reason = (done.stdout.strip().splitlines() or ["no reason given"])[-1]
        raise Stop(f"Qt does not load ({reason}): install what it names and run the same command again.")


def _digest_of(purpose: str) -> str:
    """Changes when an environment that was made ready for `purpose` is not ready any more."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {PROJECT}".encode())
    for file in (LOCKS[purpose], PROJECT / "pyproject.toml"):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _read_stamp(folder: Path) -> dict[str, str]:
    try:
        content = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


# pip


def pip(python: Path, arguments: Sequence[str]) -> None:
    """Run pip, show what large files it downloads and nothing else; its last lines if it fails."""
    lines: list[str] = []
    with subprocess.Popen(
        [str(python), "-m", "pip", *arguments, "--progress-bar", "off"],
        env=_pip_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line.rstrip())
            if download := large_download(line):
                say(f"  {download}")
    output = "\n".join(lines)
    if process.returncode != 0:
        say_end_of(output)
        kind = WrongPackage if _WRONG_HASH in output else Stop
        raise kind(why_pip_failed(output), process.returncode)


def _pip_environment() -> dict[str, str]:
    """Where pip looks for packages stays the person's own choice; where it puts them does not."""
    elsewhere = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
    environment = {name: value for name, value in program_environment().items() if name not in elsewhere}
    return {**environment, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}


def large_download(line: str) -> str:
    """What to show of a line of pip's: the name and size of a file of megabytes, nothing for any other line.

    >>> large_download("  Downloading ruff-0.17.5-py3-none-manylinux.whl (12.1 MB)")
    'ruff-0.17.5-py3-none-manylinux.whl (12.1 MB)'
    >>> large_download("  Downloading mdurl-0.1.2-py3-none-any.whl (10.0 kB)")
    ''
    """
    found = re.match(r"\s*Downloading (?:\S*/)?(\S+) (\([\d.]+ MB\))", line)
    return f"{found[1]} {found[2]}" if found else ""


def why_pip_failed(output: str) -> str:
    """One sentence on a failed run of pip."""
    if _WRONG_HASH in output:
        return "A package is not the one that the lock file names: do not use it, and check where pip downloads from."
    if "No space left" in output:
        return "The disk is full: free about 1.5 GB and run the same command again."
    if "No matching distribution" in output or "is not a supported wheel" in output:
        return (
            f"A package has no build for Python {_here()} on this system, or pip did not reach its index: check the "
            "network; if that is well, use Python 3.11 to 3.13 and a system of 2022 or newer."
        )
    if "Permission denied" in output:
        return "A folder could not be written to (see above): make it writable and run the same command again."
    return "The packages could not be installed: check the network and pip's settings, and run the same command again."


def _here() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def run(command: Sequence[object], environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def _succeeds(command: Sequence[object]) -> bool:
    return run(command).returncode == 0
