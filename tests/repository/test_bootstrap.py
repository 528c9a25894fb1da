"""The bootstrap, with fake interpreters and a fake apt-get where the real ones would change this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import bootstrap
import progress
import pytest
import python_packages
import system_needs
import virtual_screen

PROJECT = Path(__file__).resolve().parent.parent.parent
Script = Callable[[str, str], Path]
posix = pytest.mark.skipif(sys.platform == "win32", reason="its fakes are shell scripts")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="about Linux's packages and screens")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Writes a program that is found before the system's: ``programs("apt-get", "exit 1")``."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def write(name: str, body: str) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return write


def need(what: str, *, is_there: bool = False, is_required: bool = True) -> system_needs.Need:
    return system_needs.Need(what, lambda: is_there, (f"deb-{what}", f"rpm-{what}", f"arch-{what}", what), is_required)


# The system


@linux
def test_every_need_names_a_package_for_every_installer() -> None:
    for one in (*system_needs.of_program(), *system_needs.of_tests()):
        assert len(one.packages) == len(system_needs.INSTALLERS), one.what
        assert all(one.packages), one.what


def test_what_is_there_already_is_not_installed(programs: Script, tmp_path: Path) -> None:
    programs("apt-get", f"echo called >> {tmp_path}/log")
    bootstrap.install_missing([need("xvfb", is_there=True)])
    assert not (tmp_path / "log").exists()


@posix
def test_apt_installs_only_what_is_missing(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs("apt-get", f'echo "$DEBIAN_FRONTEND $@" >> {tmp_path}/log; touch {tmp_path}/there')
    _apt_lists(tmp_path, monkeypatch)
    there = system_needs.Need("screen", (tmp_path / "there").exists, ("xvfb",) * 4)
    bootstrap.install_missing([need("other", is_there=True), there])
    (call,) = (tmp_path / "log").read_text().splitlines()
    assert call.startswith("noninteractive ")
    assert call.endswith("install -y --no-install-recommends xvfb")
    assert "→ system packages: xvfb" in capsys.readouterr().out


@posix
def test_package_lists_are_fetched_where_there_are_none(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs("apt-get", f'echo "$@" >> {tmp_path}/log')
    monkeypatch.setattr(system_needs, "APT_LISTS", tmp_path / "none")
    system_needs.apt_install(["xvfb"], [])
    assert [line.split()[3] for line in (tmp_path / "log").read_text().splitlines()] == ["update", "install"]


@posix
def test_old_package_lists_are_fetched_again(programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs("apt-get", f'echo "$@" >> {tmp_path}/log; [ "$4" = update ] || [ $(wc -l < {tmp_path}/log) -gt 1 ]')
    _apt_lists(tmp_path, monkeypatch)
    system_needs.apt_install(["xvfb"], [])
    calls = [line.split()[3] for line in (tmp_path / "log").read_text().splitlines()]
    assert calls == ["install", "update", "install"]


@posix
def test_a_failed_installation_ends_in_a_sentence_that_says_what_to_do(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs("apt-get", "echo E: no network; exit 100")
    _apt_lists(tmp_path, monkeypatch)
    with pytest.raises(progress.Stop, match=r"could not install deb-screen .* run the same command again\.$"):
        bootstrap.install_missing([need("screen")])
    assert "E: no network" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("installer", "command"),
    [
        ("dnf", "with: sudo dnf install rpm-screen rpm-font"),
        ("pacman", "with: sudo pacman -S --needed arch-screen arch-font"),
        ("zypper", "with: sudo zypper install screen font"),
        (None, "by this system's own means: screen, font"),
    ],
)
def test_elsewhere_a_person_is_told_what_to_type(installer: str | None, command: str) -> None:
    assert system_needs.install_command([need("screen"), need("font")], installer) == command


def test_what_is_missing_and_cannot_be_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_needs, "installer", lambda: "dnf")
    with pytest.raises(progress.Stop, match=r"lacks screen: install them with: sudo dnf install rpm-screen and run"):
        bootstrap.install_missing([need("screen"), need("voice", is_required=False)])


def test_without_sudo_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_needs, "installer", lambda: "apt-get")
    monkeypatch.setattr(system_needs, "become_root", lambda: None)
    with pytest.raises(progress.Stop, match="sudo apt-get install -y deb-screen"):
        bootstrap.install_missing([need("screen")])


def test_what_is_optional_stops_nobody(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(system_needs, "installer", lambda: None)
    bootstrap.install_missing([need("voice", is_required=False)])
    assert "worth having: voice" in capsys.readouterr().out


@linux
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
def test_a_virtual_screen_answers_until_it_is_closed() -> None:
    with virtual_screen.VirtualScreen() as screen:
        assert virtual_screen.has_screen({"DISPLAY": screen.display})
    assert not virtual_screen.has_screen({"DISPLAY": screen.display})


@pytest.mark.parametrize("display", ["", "nonsense", ":", ":x", ":60123"])
def test_a_display_that_does_not_answer_is_no_screen(display: str) -> None:
    assert not virtual_screen.has_screen({"DISPLAY": display})


# Python's packages


def test_an_environment_is_ready_until_its_lock_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("a==1", encoding="utf-8")
    monkeypatch.setattr(python_packages, "LOCKS", {"run": lock, "test": lock})
    steps: list[str] = []
    monkeypatch.setattr(python_packages, "pip", lambda python, arguments: steps.append(arguments[-1]))
    monkeypatch.setattr(python_packages, "_make_environment", lambda folder: steps.append("environment"))
    monkeypatch.setattr(python_packages, "_check_that_qt_loads", lambda python: steps.append("Qt"))
    folder = tmp_path / "venv"
    python = python_packages.interpreter_of(folder)
    python.parent.mkdir(parents=True)
    python.touch()
    assert not python_packages.is_ready(folder, "run")
    python_packages.make_ready(folder, "run")
    assert steps == ["environment", str(lock), str(PROJECT), "Qt"]
    assert python_packages.is_ready(folder, "run")
    assert not python_packages.is_ready(folder, "test")
    python_packages.make_ready(folder, "test")
    assert python_packages.is_ready(folder, "run")
    assert python_packages.is_ready(folder, "test")
    lock.write_text("a==2", encoding="utf-8")
    assert not python_packages.is_ready(folder, "run")
    (folder / python_packages.STAMP).write_text("torn", encoding="utf-8")
    assert not python_packages.is_ready(folder, "run")


def test_a_folder_that_is_no_environment_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(progress.Stop, match="is no virtual environment: move it"):
        python_packages._make_environment(tmp_path)
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "dear"


def test_an_environment_whose_python_is_gone_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyvenv.cfg").touch()
    commands: list[list[str]] = []

    def note(command: list[object], environment: object = None) -> subprocess.CompletedProcess[str]:
        commands.append([str(part) for part in command])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(python_packages, "run", note)
    python_packages._make_environment(tmp_path)
    assert commands == [[sys.executable, "-m", "venv", "--clear", str(tmp_path)]]


def test_a_python_without_ensurepip_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_packages.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(system_needs, "installer", lambda: "apt-get")
    monkeypatch.setattr(system_needs, "become_root", lambda: None)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    with pytest.raises(progress.Stop, match=rf"install {version} \(sudo apt-get install {version}\)"):
        python_packages._make_environment(tmp_path / "venv")


def test_an_old_python_hands_over_to_a_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 0))
    monkeypatch.setattr(python_packages.shutil, "which", lambda name: name if name < "python3.14" else None)
    monkeypatch.setattr(python_packages, "_succeeds", lambda command: command[0] == "python3.12")
    assert python_packages.newer_python() == ["python3.12"]
    monkeypatch.setattr(python_packages, "_succeeds", lambda command: False)
    with pytest.raises(progress.Stop, match=r"needs Python 3\.11 or newer and this is 3\.9"):
        python_packages.newer_python()


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "do not use it"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: No matching distribution found for pyside6==6.11.3", "check the network"),
        ("ERROR: Could not install packages: [Errno 13] Permission denied: '/opt'", "make it writable"),
        ("ReadTimeoutError", "check the network"),
    ],
)
def test_each_failure_of_pip_has_its_sentence(output: str, sentence: str) -> None:
    assert sentence in python_packages.why_pip_failed(output)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("  Downloading ruff-0.17.5-py3-none-manylinux.whl (12.1 MB)", "ruff-0.17.5-py3-none-manylinux.whl (12.1 MB)"),
        ("Downloading mirror/some/where/ruff-0.17.5-py3.whl (12.1 MB)", "ruff-0.17.5-py3.whl (12.1 MB)"),
        ("  Downloading mdurl-0.1.2-py3-none-any.whl (10.0 kB)", ""),
        ("WARNING: Retrying after connection broken", ""),
    ],
)
def test_large_downloads_are_shown_by_name_and_size(line: str, shown: str) -> None:
    assert python_packages.large_download(line) == shown


@posix
def test_pip_may_warn_and_still_be_right(programs: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pip = programs("python", "echo WARNING: a newer pip; echo DEPRECATION: that; echo Downloading big.whl '(9.0 MB)'")
    python_packages.pip(pip, ["install"])
    assert capsys.readouterr().out == "  big.whl (9.0 MB)\n"


@posix
def test_pip_keeps_the_persons_index_and_not_their_target(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels")
    monkeypatch.setenv("PIP_TARGET", "elsewhere")
    pip = programs("python", f'echo "$PIP_FIND_LINKS [$PIP_TARGET] $@" > {tmp_path}/log')
    python_packages.pip(pip, ["install", "x"])
    assert (tmp_path / "log").read_text() == "wheels [] -m pip install x --progress-bar off\n"


@posix
def test_a_failure_of_pip_keeps_its_exit_code_and_its_last_lines(
    programs: Script, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = programs("python", "echo the reason; exit 7")
    with pytest.raises(progress.Stop) as stop:
        python_packages.pip(pip, ["install"])
    assert stop.value.code == 7
    assert "the reason" in capsys.readouterr().out


@posix
def test_a_package_with_another_hash_is_a_failure_of_its_own_kind(programs: Script) -> None:
    pip = programs("python", "echo THESE PACKAGES DO NOT MATCH THE HASHES; exit 1")
    with pytest.raises(progress.WrongPackage, match="do not use it"):
        python_packages.pip(pip, ["install"])


# The commands


@posix
def test_every_check_runs_and_the_first_failure_is_the_exit_code(
    programs: Script, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    python = programs("python", 'case "$2 $3" in "ruff check") exit 3;; "mypy ") exit 4;; esac')
    programs("lint-imports", "exit 0")
    monkeypatch.setattr(bootstrap, "make_ready", lambda purpose, needs: python)
    assert bootstrap.main(["test"]) == 3
    printed = capsys.readouterr()
    assert "→ tests: python -m pytest" in printed.out
    assert "lint, types failed" in printed.err


@posix
def test_arguments_of_pytest_run_pytest_alone(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = programs("python", f'echo "$@ on $QT_QPA_PLATFORM" >> {tmp_path}/log')
    monkeypatch.setattr(bootstrap, "make_ready", lambda purpose, needs: python)
    assert bootstrap.main(["test", "--", "tests/bus", "-k", "stop"]) == 0
    together = " ".join(bootstrap.SIDE_BY_SIDE)
    assert (tmp_path / "log").read_text() == f"-m pytest {together} tests/bus -k stop on offscreen\n"


@linux
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
def test_without_a_screen_the_exchange_is_printed_and_a_picture_is_kept(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "build" / "first-run.png"
    python = programs("python", 'echo "You: $4"; test -n "$DISPLAY" && test -d "$SAM_HOME" && echo picture > "$6"')
    monkeypatch.setattr(bootstrap, "make_ready", lambda purpose, needs: python)
    monkeypatch.setattr(bootstrap, "FIRST_PICTURE", picture)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert bootstrap.main(["run"]) == 0
    assert "You: Hello" in capfd.readouterr().out
    assert picture.read_text() == "picture\n"


@linux
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
def test_a_program_that_shows_no_window_is_a_failure(
    programs: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(progress.Stop, match="did not show its window"):
        bootstrap.demonstrate(programs("python", "exit 0"), tmp_path / "picture.png")


@posix
def test_the_programs_own_arguments_and_exit_code_pass_through(
    programs: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = programs("python", f'echo "$@" > {tmp_path}/log; exit 5')
    monkeypatch.setattr(bootstrap, "make_ready", lambda purpose, needs: python)
    assert bootstrap.main(["run", "--", "ask", "Hello", "--json"]) == 5
    assert (tmp_path / "log").read_text() == "-m sam_py ask Hello --json\n"


def test_help_names_both_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        bootstrap.main(["--help"])
    assert end.value.code == 0
    help_text = capsys.readouterr().out
    assert "start the program" in help_text
    assert "run every check" in help_text


def _apt_lists(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = folder / "lists"
    lists.mkdir()
    (lists / "deb_main_binary-amd64_Packages.lz4").touch()
    monkeypatch.setattr(system_needs, "APT_LISTS", lists)
    monkeypatch.setattr(system_needs, "become_root", lambda: [])
