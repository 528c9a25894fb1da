"""``sam-py export`` and ``sam-py import``: what they choose, write, refuse and report."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from sam_py import cli
from sam_py.cli import exit_codes
from sam_py.cli.progress import ProgressLine
from sam_py.messages.history import SettingsChanged
from sam_py.paths import Paths
from sam_py.store.exporters.background import Progress, Task
from sam_py.store.exporters.errors import Cancelled
from sam_py.store.importers.run import ImportReport, import_blocking
from tests.store.exporters.shelves import exported, library, put
from tests.store.importers.samples import SAMPLES
from tests.store.kit import answered, said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """Three conversations, two of them in a folder."""
    monkeypatch.setenv("SAM_HOME", str(tmp_path / "home"))
    paths = library(tmp_path / "home")
    for number, (title, folder) in enumerate((("Soup", "Food"), ("Souvlaki", "Food"), ("Trip/2026", ""))):
        settings = [SettingsChanged(key="title", value=title), SettingsChanged(key="folder", value=folder)]
        put(paths, str(number) * 32, [*settings, said("m1", f"About {title}"), answered("m2", "Yes.", "m1", at_s=1)])
    return paths


def run(*arguments: object) -> int:
    return cli.main([str(each) for each in arguments])


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_everything_goes_out_and_comes_in_again(
    home: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "all.json"
    assert run("export", target) == exit_codes.OK
    assert "3 conversations with 6 messages" in capsys.readouterr().out
    assert target.read_bytes() == exported(home, tmp_path / "x.json")
    monkeypatch.setenv("SAM_HOME", str(tmp_path / "other"))
    assert run("import", target, "--json") == exit_codes.OK
    (report,) = printed(capsys)["imports"]
    assert (report["format"], report["new"], report["messages"], report["error"]) == ("SAM for Python", 3, 6, None)
    assert run("import", target) == exit_codes.OK
    assert "0 new conversations, 3 already here" in capsys.readouterr().out


def test_a_line_for_the_path_writes_to_standard_output(
    home: Paths, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", "-") == exit_codes.OK
    assert capfdbinary.readouterr().out == exported(home, tmp_path / "x.json")
    assert run("export", "-", "--format", "markdown", "--conversation", "Soup") == exit_codes.OK
    assert capfdbinary.readouterr().out.startswith(b"# Soup\n")
    assert run("export", "-", "--json") == exit_codes.USAGE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "x.json"]


@pytest.mark.parametrize("form", ["json", "zip"])
def test_a_line_for_the_path_reads_what_is_piped_in(
    form: str, home: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = exported(home, tmp_path / f"x.{form}", form)  # type: ignore[arg-type]
    monkeypatch.setenv("SAM_HOME", str(tmp_path / "other"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run("import", "-", "--json") == exit_codes.OK
    (report,) = printed(capsys)["imports"]
    assert (report["file"], report["new"], report["error"]) == ("standard input", 3, None)
    assert run("import", "-") == exit_codes.USAGE, "it was read"
    assert "Nothing came in" in capsys.readouterr().err


def test_the_form_follows_the_ending_and_a_folder_names_the_file(home: Paths, tmp_path: Path) -> None:
    assert run("export", tmp_path / "x.md", "--conversation", "Soup") == exit_codes.OK
    assert (tmp_path / "x.md").read_text().startswith("# Soup\n")
    assert run("export", tmp_path, "--conversation", "2222", "--format", "text") == exit_codes.OK
    assert (tmp_path / "Trip 2026.txt").read_text().startswith("Trip/2026\n")
    assert run("export", tmp_path / "y.html", "--conversation", "Soup", "--message", "m2") == exit_codes.OK
    assert "About Soup" not in (tmp_path / "y.html").read_text()


def test_a_folder_goes_out_as_an_archive(home: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("export", tmp_path, "--folder", "Food", "--format", "html", "--json") == exit_codes.OK
    report = printed(capsys)
    assert report["conversations"] == 2
    assert report["target"].endswith(".zip")
    assert Path(report["target"]).name.startswith("Food ")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--conversation", "Sou"), "2 conversations begin with “Sou”"),
        (("--conversation", "nothing"), "no conversation whose id or title begins"),
        (("--folder", "nothing"), "no conversation in the folder “nothing”"),
        (("--message", "m1"), "Name the one conversation"),
        ((), "is there already"),
        (("letter.docx",), "it may be one of .json, .zip, .md, .html, .txt"),
        (("letter.pdf",), "A PDF is made in the window"),
        (("food.md", "--folder", "Food"), "call it food.zip and add --format markdown"),
        (("soup.zip", "--format", "text", "--conversation", "Soup"), "ends in .txt: call it soup.txt"),
        (("x" * 300 + ".json",), "cannot be the name of a file"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: tuple[str, ...], why: str, home: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("before")
    target = tmp_path / ("x.json" if not arguments else "new.json")
    if arguments and not arguments[0].startswith("--"):
        target, arguments = tmp_path / arguments[0], arguments[1:]
    assert run("export", target, *arguments) == exit_codes.USAGE
    assert why in capsys.readouterr().err
    assert (tmp_path / "x.json").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "x.json"]


def test_a_file_that_is_there_is_written_over_when_told(home: Paths, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("before")
    assert run("export", tmp_path / "x.json", "--force") == exit_codes.OK
    assert json.loads((tmp_path / "x.json").read_text())["format"] == "sam-py-export"


def test_what_models_wrote_does_not_steer_the_terminal(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home, "3" * 32, [SettingsChanged(key="title", value="Odd"), said("m1", "a\x1b]0;PWNED\x07\tb\x9b\nc")])
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert run("export", "-", "--format", "text", "--conversation", "Odd") == exit_codes.OK
    assert "a]0;PWNED\tb\nc" in terminal.getvalue()
    assert not {"\x1b", "\x07", "\x9b"} & set(terminal.getvalue())


def test_an_import_says_what_did_not_come_in_and_goes_on_with_the_next_file(
    home: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = SAMPLES[0].write(tmp_path)
    damaged = tmp_path / "conversations.json"
    strange = '{"title": "Odd", "mapping": {"a": {"parent": {}}}, "id": "y"}'
    damaged.write_text('[{"title": "Bad\\u001b[31m", "mapping": {}, "id": "x"}, ' + strange + "]")
    assert run("import", tmp_path / "nowhere", damaged, good) == exit_codes.USAGE
    out, err = capsys.readouterr()
    assert "check that it is there" in err
    assert len(err.splitlines()) == 1
    assert "Not in: the conversation “Bad[31m”: it has no messages." in out
    assert "ChatGPT: 1 new conversation; 8 messages" in out
    assert "imports" in out


def test_an_import_that_is_stopped_says_what_came_in(
    home: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class StopsSoon(Task):
        def progress(self, done: int, *rest: Any, **more: Any) -> None:
            if done == 2:
                self.stop()
            super().progress(done, *rest, **more)

    async def stopped(paths: Paths, file: Path, _tell: object, **rest: Any) -> ImportReport:
        try:
            return import_blocking(paths, file, StopsSoon(), **rest)
        except Cancelled as error:
            raise KeyboardInterrupt from error

    document = json.loads(exported(home, tmp_path / "x.json"))
    document["conversations"].insert(0, {"id": "odd", "events": []})
    (tmp_path / "x.json").write_text(json.dumps(document))
    monkeypatch.setenv("SAM_HOME", str(tmp_path / "other"))
    monkeypatch.setattr("sam_py.cli.import_.import_path", stopped)
    assert run("import", tmp_path / "x.json") == exit_codes.INTERRUPTED
    out, err = capsys.readouterr()
    assert "Stopped; the conversations that came in are whole." in err
    assert "1 new conversation, 1 thing kept aside" in out
    assert "What did not come in is kept in" in out


def test_progress_shows_on_a_terminal_alone(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    line = ProgressLine("Importing", terminal)
    line.tell(Progress(4, 9, "a\x1b[2Jb"))
    assert terminal.getvalue() == "\rImporting conversations 5 of 9: a[2Jb"
    line.end()
    line.end()
    silent = ProgressLine("Importing", io.StringIO())
    silent.tell(Progress(0, 0))
    silent.end()
    assert capsys.readouterr() == ("", "")
