"""What the repository promises to whoever clones it: its layout, its documents, its lock files."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from sources import ROOT, modules, tracked

AGREED = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "sam_py", "resources", "tests", "packaging"}
LOCKS = {name: ROOT / "packaging" / f"{name}.lock" for name in ("requirements", "requirements-dev")}
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)(?: ; ([^\\]+))? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "resources" / "docs").glob("*.md"))]
# A path that exists on one person's machine alone.
SOMEBODYS_PATH = re.compile(
    rb"(?:^|[^A-Za-z0-9_.~])/(?:wor[k]|far[m]|roo[t]|hom[e]/(?!linuxbrew/)[a-z]+|User[s]/[A-Za-z]+)/"
)


def test_the_top_level_is_the_agreed_one() -> None:
    found = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in found if not name.startswith(".")} <= AGREED


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found = []
    for path in tracked():
        if path.suffix in {".png", ".ico", ".icns", ".lock"} or path.stat().st_size > 1_000_000:
            continue
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            if SOMEBODYS_PATH.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert found == []


def test_no_foreign_lock_file_is_kept() -> None:
    assert [
        path.name for path in tracked() if path.name in {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"}
    ] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_is_pins_and_hashes_and_names_no_index(name: str) -> None:
    first, *lines = LOCKS[name].read_text(encoding="utf-8").splitlines()
    assert first.startswith("# Written by packaging/lock.py")
    assert [line for line in lines if not PIN.match(line) and not HASH.match(line)] == []
    assert "://" not in LOCKS[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_hashes(name: str) -> None:
    lines = LOCKS[name].read_text(encoding="utf-8").splitlines()
    assert [
        line for line, after in zip(lines, [*lines[1:], ""], strict=True) if PIN.match(line) and not HASH.match(after)
    ] == []


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_files_hold_what_the_project_asks_for(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    if name == "requirements-dev":
        wanted += project["project"]["optional-dependencies"]["dev"]
    pins = _pins(LOCKS[name])
    lacking = []
    for requirement in map(Requirement, wanted):
        versions = pins.get(canonicalize_name(requirement.name), set())
        if not versions or not all(requirement.specifier.contains(version) for version in versions):
            lacking.append(str(requirement))
    assert lacking == [], "run: python3 packaging/lock.py"


def test_who_develops_runs_what_a_user_runs() -> None:
    assert _pins(LOCKS["requirements"]).items() <= _pins(LOCKS["requirements-dev"]).items()


@pytest.mark.parametrize("system", ["linux", "win32", "darwin"])
def test_the_lock_file_serves_every_system(system: str) -> None:
    """What keyring and pyttsx3 need on one system only."""
    needed = {
        "linux": {"secretstorage", "jeepney"},
        "win32": {"pywin32", "pywin32-ctypes", "comtypes"},
        "darwin": {"pyobjc-core", "pyobjc-framework-cocoa", "pyobjc-framework-avfoundation"},
    }
    marked = {
        canonicalize_name(found[1]): found[3] or ""
        for line in LOCKS["requirements"].read_text(encoding="utf-8").splitlines()
        if (found := PIN.match(line))
    }
    assert {name for name in needed[system] if f"'{system}'" in marked.get(name, "")} == needed[system]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_links_to_is_there(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)|(?:src|srcset)=\"([^\"]+)\"", document.read_text(encoding="utf-8"))
    targets = [target for pair in links for target in pair if target and "://" not in target]
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_every_decision_that_code_cites_is_written_down() -> None:
    written = set(re.findall(r"^## (D-\d{3})", (ROOT / "resources/docs/decisions.md").read_text("utf-8"), re.MULTILINE))
    sources = [*modules(), *modules(ROOT / "packaging"), *modules(ROOT / "tests"), ROOT / "pyproject.toml", *DOCUMENTS]
    cited = {number for path in sources for number in re.findall(r"\bD-\d{3}\b", path.read_text(encoding="utf-8"))}
    assert cited - written == set()


def test_a_decision_takes_eight_lines_at_most() -> None:
    entries = (ROOT / "resources/docs/decisions.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert [entry.splitlines()[0] for entry in entries if len(entry.strip().splitlines()) - 1 > 8] == []


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    command = "python3 packaging/bootstrap.py test"
    script = ROOT / ".ci" / "run"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert command in script.read_text(encoding="utf-8")
    assert script.stat().st_mode & 0o111, "git update-index --chmod=+x .ci/run"


def test_the_starters_start_the_bootstrap() -> None:
    for name in ("sam-py.desktop", "SAM.command", "SAM.bat"):
        text = (ROOT / "packaging" / name).read_bytes().decode()
        assert re.search(r"bootstrap\.py\W+run\b", text), name
    assert (ROOT / "packaging" / "SAM.command").stat().st_mode & 0o111


def test_git_keeps_the_run_bit_of_the_scripts() -> None:
    if not (ROOT / ".git").exists():
        return
    listed = subprocess.run(
        ["git", "ls-files", "-s", ".ci/run", "packaging"], cwd=ROOT, capture_output=True, check=True
    )
    modes = {line.split("\t")[1]: line.split()[0] for line in listed.stdout.decode().splitlines()}
    runnable = {".ci/run", "packaging/SAM.command", "packaging/bootstrap.py", "packaging/lock.py"}
    assert {name for name in runnable if modes.get(name) == "100755"} == runnable


def _pins(lock: Path) -> dict[str, set[Version]]:
    pins: dict[str, set[Version]] = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        if found := PIN.match(line):
            pins.setdefault(canonicalize_name(found[1]), set()).add(Version(found[2]))
    return pins
