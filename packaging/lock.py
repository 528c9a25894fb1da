#!/usr/bin/env python3
"""Write requirements.lock and requirements-dev.lock from pyproject.toml: every package, pinned, for every system.

    python packaging/lock.py              keep the pins that still fit, add and drop what pyproject.toml asks for
    python packaging/lock.py --upgrade    move everything to the newest version that fits

A lock file holds what pyproject.toml names, what that needs in turn, and what builds the project (so that
installing it downloads nothing that is not hashed). One file serves Linux, macOS and Windows from Python 3.11
up: a package that only some of them need carries a marker. pip's resolver answers for the system that it runs
on and no other, so uv resolves, in a virtual environment that is thrown away.  # D-009

The files name no index: pip finds the packages wherever it is configured to look, and the hashes say that they
are the right ones.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCK = PROJECT / "packaging" / "requirements.lock"
DEV_LOCK = PROJECT / "packaging" / "requirements-dev.lock"
OLDEST_PYTHON = "3.11"

# pyttsx3 asks on macOS for `pyobjc`, which is 160 packages, one for each of Apple's frameworks. It imports two.
# All of pyobjc moves together: one release number for the lot.  # D-009
LEFT_OUT = ("pyobjc",)
INSTEAD = tuple(
    f"{name} >=12.2,<13; sys_platform == 'darwin'"
    for name in ("pyobjc-core", "pyobjc-framework-Cocoa", "pyobjc-framework-AVFoundation", "pyobjc-framework-Quartz")
)

# What hatchling asks for when a project is installed in place.
EDITABLE = ("editables>=0.5",)

HEADER = "# Written by packaging/lock.py from pyproject.toml: do not edit. Hashes of every system's files.\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write packaging/requirements*.lock from pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="move every pin to the newest version that fits")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sam-lock-") as folder:
        work = Path(folder)
        uv = _install_uv(work / "venv")
        wanted = work / "wanted.in"
        wanted.write_text("\n".join([*_build_requirements(), *EDITABLE, *INSTEAD]) + "\n", encoding="utf-8")
        left_out = work / "left-out.in"
        left_out.write_text("\n".join(LEFT_OUT) + "\n", encoding="utf-8")
        for lock, more in ((LOCK, []), (DEV_LOCK, ["--extra", "dev", "--constraint", str(LOCK)])):
            command = [str(uv), "pip", "compile", str(PROJECT / "pyproject.toml"), str(wanted)]
            command += ["--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes"]
            command += ["--excludes", str(left_out), "--no-annotate", "--no-header", "--no-config", "--quiet"]
            command += ["--upgrade"] if options.upgrade else []
            subprocess.run([*command, *more, "--output-file", str(lock)], check=True)
            pins = lock.read_text(encoding="utf-8")
            lock.write_text(HEADER + pins.removeprefix(HEADER), encoding="utf-8")
            packages = re.findall(r"^\S+==", pins, re.MULTILINE)
            print(f"{lock.relative_to(PROJECT)}: {len(packages)} packages")
    return 0


def _build_requirements() -> list[str]:
    with (PROJECT / "pyproject.toml").open("rb") as file:
        requires: list[str] = tomllib.load(file)["build-system"]["requires"]
    return requires


def _install_uv(folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", "uv>=0.10"], check=True)
    return programs / "uv"


if __name__ == "__main__":
    sys.exit(main())
