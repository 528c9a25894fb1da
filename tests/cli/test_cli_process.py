"""The command as a person starts it: a process with pipes, signals and an environment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sam_py import __version__
from sam_py.__main__ import has_display, is_for_the_window
from sam_py.cli import checks
from sam_py.cli.checks import Check
from sam_py.messages.history import SettingsChanged
from sam_py.paths import default_paths
from sam_py.store.disk import Disk
from sam_py.store.index import Index, write_index
from sam_py.store.journal import Journal
from sam_py.store.summary import ConversationSummary
from tests.fakes.permissions import can_hold, permissions_hold
from tests.store.kit import START

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environ(tmp_path):
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    kept.pop("QT_QPA_PLATFORM", None)
    return {
        **kept,
        "SAM_HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(ROOT),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "PYTHONIOENCODING": "utf-8",
    }


def run(environ, *arguments: str, **more) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sam_py", *arguments]
    more.setdefault("stdin", None if "input" in more else subprocess.DEVNULL)
    if "input" in more:
        del more["stdin"]
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False, **more
    )


def test_a_question_on_standard_input_is_answered(environ):
    ran = run(environ, "ask", input="where is my data?\n")
    assert ran.returncode == 0, ran.stderr
    assert "~/.local/share/sam-py" in ran.stdout


def test_piped_text_is_added_to_the_question(environ):
    ran = run(environ, "ask", "dark", "--json", input="mode\n")
    assert "Light and dark" in json.loads(ran.stdout)["text"]


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c_keeps_what_was_printed(environ):
    command = [sys.executable, "-m", "sam_py", "ask", "write 5000 words"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert first == "## First steps\n"
    assert (first + rest).endswith("\n")
    assert err == "Stopped.\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes as on POSIX")
def test_a_reader_that_has_enough_ends_it_quietly(environ):
    command = f'"{sys.executable}" -m sam_py ask "write 400 words" | head -1; "{sys.executable}" -m sam_py paths | true'
    ran = subprocess.run(["bash", "-c", command], env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout == "## First steps\n"
    assert ran.stderr == ""


def test_without_a_display_the_person_is_told_how_to_go_on(environ):
    if sys.platform in ("darwin", "win32"):
        pytest.skip("always has a display")
    ran = run(environ)
    assert ran.returncode == 1
    assert "sam-py ask" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_help_answers_and_loads_nothing(environ):
    code = (
        "import sys\n"
        "from sam_py.__main__ import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'httpx', 'PySide6', 'asyncio', 'keyring'} & set(sys.modules)\n"
        "print('LOADED', sorted(heavy))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert ran.stdout.strip().endswith("LOADED []")
    assert "ask" in ran.stdout


def test_asking_loads_no_qt(environ):
    code = (
        "import sys\nfrom sam_py.__main__ import main\nmain(['ask', 'hi'])\n"
        "print('QT', [name for name in sys.modules if name.startswith(('PySide6', 'qasync', 'shiboken6'))])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert ran.stdout.strip().endswith("QT []")


def test_version_and_paths_are_printed(environ, tmp_path):
    assert run(environ, "--version").stdout == f"sam-py {__version__}\n"
    assert str(tmp_path / "home" / "data") in run(environ, "paths").stdout
    elsewhere = str(tmp_path / "other")
    paths = json.loads(run(environ, "paths", "--json", "--home", elsewhere).stdout)
    assert paths["settings"] == str(Path(elsewhere) / "config" / "settings.json")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("arguments", [["nonsense"], ["ask", "--nonsense"], ["ask", "x", "--temperature", "9"]])
def test_a_command_that_is_not_understood_says_so(environ, arguments):
    ran = run(environ, *arguments)
    assert ran.returncode == 2
    assert "usage" in ran.stderr


def test_the_doctor_looks_at_everything_and_says_what_to_do(environ):
    ran = run(environ, "doctor", "--json")
    assert ran.returncode in (0, 1), ran.stderr
    said = json.loads(ran.stdout)
    found = {check["name"]: check for check in said["checks"]}
    assert {"python", "display", "window", "voices", "keyring", "data", "settings", "state", "chosen"} <= set(found)
    assert found["python"]["state"] == "ok"
    assert found["keyring"]["state"] == "warn"
    for check in said["checks"]:
        assert check["text"]
        assert check["state"] == "ok" or check["advice"], check
    assert ran.returncode == int(any(check["state"] == "fail" for check in said["checks"]))


def test_the_doctor_prints_a_line_for_each_check(environ):
    ran = run(environ, "doctor")
    assert "ok    python" in ran.stdout
    assert "\x1b" not in ran.stdout


@pytest.mark.skipif(not can_hold(), reason="a superuser may read and write everything")
def test_a_folder_that_cannot_be_written_fails(tmp_path, monkeypatch):
    tmp_path.chmod(0o500)
    monkeypatch.setenv("SAM_HOME", str(tmp_path / "home"))
    with permissions_hold():
        assert checks.folders()[0].state == "fail"
    tmp_path.chmod(0o700)


def test_a_data_folder_that_is_a_file_fails_with_advice(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("SAM_HOME", str(blocked))
    check = checks.folders()[0]
    assert check.state == "fail"
    assert "SAM_HOME" in check.advice


def test_missing_fonts_and_libraries_name_their_packages(monkeypatch):
    assert checks.fonts([], "Inter").state == "ok"
    missing = checks.fonts(["emoji", "Thai"], "Inter")
    assert missing.state == "warn"
    if sys.platform.startswith("linux"):
        assert "fonts-noto-color-emoji" in missing.advice
    monkeypatch.setattr(checks, "LIBRARIES", {"libnothere.so.9": "libnothere9"})
    assert checks.missing_libraries() == ["libnothere.so.9"]


def test_a_child_that_does_not_answer_is_ended(monkeypatch):
    import asyncio

    said, trouble = asyncio.run(checks._child("window", 0.001, dict(os.environ)))
    assert said is None
    assert trouble == "no answer within 0.001 s"


def test_the_line_that_says_most_is_shown():
    lines = ["Traceback", "ImportError: libEGL.so.1: cannot open shared object file: No such file", "more"]
    assert checks._reason(lines, 1) == "libEGL.so.1: cannot open shared object file: No such file"
    assert checks._reason([], -6) == "it ended with code -6"


def test_damaged_settings_are_a_warning(tmp_path, monkeypatch):
    monkeypatch.setenv("SAM_HOME", str(tmp_path))
    assert checks.settings() == Check("chosen", "ok", "no settings yet: the offline guide answers")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.json").write_text("{")
    assert checks.settings().state == "warn"
    assert list((tmp_path / "config").iterdir()) == [tmp_path / "config" / "settings.json"]


def test_a_display_is_looked_for_where_windows_need_one():
    assert not has_display({}, "linux")
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")
    assert has_display({}, "darwin")


def test_options_of_the_window_go_to_the_window():
    assert is_for_the_window(["--demo", "hi", "--screenshot", "x.png"])
    assert not is_for_the_window(["--version"])
    assert not is_for_the_window(["doctor"])


def test_damaged_and_missing_conversations_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SAM_HOME", str(tmp_path))
    paths = default_paths(tmp_path).create()
    assert checks.conversations() == Check("history", "ok", "0 conversations")
    for id in ("c0", "c1", "c2", "c3", "c4"):
        Journal(paths.conversations / id, "aa").save([SettingsChanged(key="title", value="x" * 999)] * 200)
    assert checks.conversations() == Check("history", "ok", "5 conversations")
    for id, content in (("c0", b""), ("c1", bytes(900)), ("c2", b"rubbish\n" * 9)):
        (paths.conversations / id / "aa.jsonl").write_bytes(content)
    with (paths.conversations / "c3/aa.jsonl").open("ab") as file:
        file.write(b'{"v":1,"event":"message_ad')
    row = ConversationSummary("c9", "Gone", START, START)
    write_index(Disk(), paths.state / "index.json", Index({"c9": row}))
    found = checks.conversations()
    assert found.state == "warn"
    assert found.text.startswith(
        "c0: aa.jsonl is empty; c1: the end of aa.jsonl is cut off or damaged; c2: aa.jsonl has"
    )
    assert "1 more; 1 of the 1 that were listed" in found.text
    assert str(paths.conversations) in found.advice
