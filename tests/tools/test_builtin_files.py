"""The file tools in a work folder: what they answer, what they change, and what they leave alone when it fails."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from sam_py.store.disk import Disk
from sam_py.tools.approval import Approvals, Grant
from sam_py.tools.base import BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.builtin.folder_files import STEP_BY_STEP, FolderFiles
from sam_py.tools.builtin.read_files import ListFolderTool, ReadFileTool
from sam_py.tools.builtin.search_files import MOST_HITS, SearchFilesTool
from sam_py.tools.builtin.threads import Stop, Stopped
from sam_py.tools.builtin.work_folder import WorkFolders
from sam_py.tools.builtin.write_files import EditFileTool, WriteFileTool
from tests.fakes.permissions import can_hold, permissions_hold

EDIT = '{"path": "a.txt", "old": "1", "new": "2"}'
OTHERS = (ListFolderTool, SearchFilesTool, EditFileTool)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 40, 30) + b"\x08\x02\x00\x00\x00"


class Folder:
    """A work folder and the tools for it."""

    def __init__(self, root: Path, disk: Disk | None = None, *, step_by_step: bool = STEP_BY_STEP) -> None:
        self.root = root
        self.kept: list[tuple[bytes, str]] = []
        self.folders = WorkFolders(lambda _id: root, (), FolderFiles((), disk, step_by_step=step_by_step))

    async def put(self, data: bytes, mime_type: str) -> str:
        self.kept.append((data, mime_type))
        return "hash"

    def ask(self, tool: BuiltinTool[Any], **arguments: object) -> ToolOutput:
        parsed = tool.parse(json.dumps(arguments))
        assert tool.doing(parsed)
        tool.touches(parsed)
        return asyncio.run(tool.run(parsed, Running("call", "c")))

    def read(self, path: str, **more: object) -> ToolOutput:
        return self.ask(ReadFileTool(self.folders, self.put), path=path, **more)

    def list(self, **more: object) -> ToolOutput:
        return self.ask(ListFolderTool(self.folders), **more)

    def search(self, **more: object) -> ToolOutput:
        return self.ask(SearchFilesTool(self.folders), **more)

    def write(self, path: str, text: str, **more: object) -> ToolOutput:
        return self.ask(WriteFileTool(self.folders), path=path, text=text, **more)

    def edit(self, path: str, old: str, new: str, **more: object) -> ToolOutput:
        return self.ask(EditFileTool(self.folders), path=path, old=old, new=new, **more)


@pytest.fixture(params=[True, False] if STEP_BY_STEP else [False], ids=lambda on: "steps" if on else "whole")
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Folder:
    return Folder(tmp_path.resolve(), step_by_step=request.param)


# Reading


def test_a_long_file_is_read_in_pages(folder: Folder) -> None:
    (folder.root / "long.txt").write_text("\n".join(f"line {n}" for n in range(1, 1201)))
    first = folder.read("long.txt")
    assert first.text.startswith("long.txt: lines 1 to 500 of 1200; go on with first_line 501\n    1\tline 1\n")
    last = folder.read("long.txt", first_line=1001)
    assert last.text.startswith("long.txt: lines 1001 to 1200 of 1200\n")
    assert last.text.endswith(" 1200\tline 1200")
    with pytest.raises(ToolError, match="only 1200 lines"):
        folder.read("long.txt", first_line=1201)


def test_a_line_without_end_does_not_fill_the_answer(folder: Folder) -> None:
    (folder.root / "wide.txt").write_text("x" * 500_000 + "\nnext")
    text = folder.read("wide.txt").text
    assert "498,000 characters of this line are left out" in text
    assert text.endswith("next")


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("naïve – ok".encode(), ""),
        (b"\xef\xbb\xbf" + "naïve – ok".encode(), ""),
        ("naïve – ok".encode("cp1252"), "cp1252"),
        ("\ufeffnaïve – ok".encode("utf-16-le"), "utf-16-le"),
        ("\ufeffnaïve – ok".encode("utf-16-be"), "utf-16-be"),
        ("\ufeffnaïve – ok".encode("utf-32-le"), "utf-32-le"),
        ("naïve – ok".encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_text_is_read_and_edited_in_its_own_encoding(folder: Folder, data: bytes, encoding: str) -> None:
    file = folder.root / "t.txt"
    file.write_bytes(data)
    text = folder.read("t.txt").text
    assert text.endswith("\tnaïve – ok")
    assert (f"encoded as {encoding}" in text) is bool(encoding)
    folder.edit("t.txt", "ok", "ok?")
    folder.edit("t.txt", "ok?", "ok")
    assert file.read_bytes() == data


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.7 \x00\x01", "a PDF document"),
        (b"PK\x03\x04\x00\x00", "a ZIP archive or an Office document"),
        (b"\x7fELF\x02\x01\x01\x00", "a program"),
        (b"SQLite format 3\x00rest", "an SQLite database"),
        (bytes(range(256)), "binary data"),
        (b"\x01\x02\x03\x04" * 100, "binary data"),
    ],
)
def test_a_binary_file_is_named_and_not_shown(folder: Folder, data: bytes, what: str) -> None:
    (folder.root / "thing.txt").write_bytes(data)
    with pytest.raises(ToolError, match=what):
        folder.read("thing.txt")
    with pytest.raises(ToolError, match="not text"):
        folder.edit("thing.txt", "a", "b")
    assert (folder.root / "thing.txt").read_bytes() == data


def test_a_picture_is_shown_to_the_model(folder: Folder) -> None:
    (folder.root / "p.png").write_bytes(PNG)
    output = folder.read("p.png")
    (part,) = output.parts
    assert (part.kind, part.attachment, part.mime_type, part.width, part.height) == (
        "image",
        "hash",
        "image/png",
        40,
        30,
    )
    assert folder.kept == [(PNG, "image/png")]
    assert "40 × 30 pixels" in output.text


def test_what_is_not_there_is_said(folder: Folder) -> None:
    with pytest.raises(ToolError, match="See with list_folder"):
        folder.read("missing.txt")
    with pytest.raises(ToolError, match="is a folder"):
        folder.read(".")
    (folder.root / "empty.txt").write_text("")
    assert folder.read("empty.txt").text == "empty.txt is empty."
    with pytest.raises(ToolError, match=r"not a folder|not there"):
        folder.read("empty.txt/x")


def test_a_folder_is_listed_with_sizes(folder: Folder) -> None:
    assert folder.list().text == ". is empty."
    (folder.root / "b").mkdir()
    (folder.root / "a.txt").write_text("12345")
    lines = folder.list().text.splitlines()
    assert lines[0] == ".: 2 entries"
    assert lines[1].startswith("a.txt  5 bytes  20")
    assert lines[2] == "b/"


def test_a_full_folder_is_listed_in_pages(folder: Folder) -> None:
    for number in range(501):
        (folder.root / f"{number:04}").touch()
    assert folder.list().text.startswith(".: 501 entries, 1 to 500 shown; the next with first_entry 501\n")
    assert folder.list(first_entry=501).text.splitlines()[1].startswith("0500 ")


# Searching


def _tree(root: Path) -> None:
    for name, text in {
        "notes.md": "The Plan\nbuy milk",
        "src/a.py": "plan = 1\n",
        "src/deep/b.py": "x = 'PLAN'\n",
        ".git/c.py": "plan",
        "data.bin": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "data.bin").write_bytes(b"\x00\x01plan\x02" * 9)


@pytest.mark.parametrize(
    ("arguments", "hits"),
    [
        ({"text": "plan"}, ["notes.md:1: The Plan", "src/a.py:1: plan = 1", "src/deep/b.py:1: x = 'PLAN'"]),
        ({"text": "plan", "match_case": True}, ["src/a.py:1: plan = 1"]),
        ({"text": "plan", "glob": "*.md"}, ["notes.md:1: The Plan"]),
        ({"text": "plan", "folder": "src", "glob": "deep/*"}, ["src/deep/b.py:1: x = 'PLAN'"]),
        ({"glob": "*.py"}, ["src/a.py", "src/deep/b.py"]),
        ({"glob": "src/*.py"}, ["src/a.py"]),
        ({"glob": "src/**/*.py"}, ["src/a.py", "src/deep/b.py"]),
        ({"glob": "**/deep/**"}, ["src/deep/b.py"]),
        ({"glob": "?otes.[mn]d"}, ["notes.md"]),
        ({"glob": "nothing*"}, []),
    ],
)
def test_a_search_finds_names_and_lines(folder: Folder, arguments: dict[str, object], hits: list[str]) -> None:
    _tree(folder.root)
    assert folder.search(**arguments).text.splitlines()[1:] == hits


def test_a_search_for_nothing_says_what_it_needs(folder: Folder) -> None:
    with pytest.raises(ToolError, match="Give text"):
        folder.search()
    with pytest.raises(ToolError, match="line by line"):
        folder.search(text="a\nb")
    with pytest.raises(ToolError, match="is not there"):
        folder.search(text="a", folder="gone")


def test_a_search_ends_when_there_are_many_hits(folder: Folder) -> None:
    (folder.root / "many.txt").write_text("hit\n" * 1000)
    output = folder.search(text="hit")
    assert len(output.text.splitlines()) == 1 + MOST_HITS
    assert "more than 200 hits. Narrow it" in output.text


def test_a_hostile_glob_costs_no_time(folder: Folder) -> None:
    (folder.root / ("a" * 200)).touch()
    assert folder.search(glob="*a" * 100 + "b").text.startswith("0 files")
    assert folder.search(glob="**/" * 90 + "b").text.startswith("0 files")


# Writing


def test_a_file_is_written_with_its_folders(folder: Folder) -> None:
    output = folder.write("new/deep/plan.md", "one\ntwo\n")
    assert (folder.root / "new/deep/plan.md").read_text() == "one\ntwo\n"
    assert output.text == "new/deep/plan.md is written: 2 lines."
    assert "+one" in output.details


def test_a_file_that_is_there_is_replaced_only_on_purpose(folder: Folder) -> None:
    file = folder.root / "plan.md"
    file.write_text("old\n")
    file.chmod(0o640)
    with pytest.raises(ToolError, match="is there already"):
        folder.write("plan.md", "new\n")
    assert file.read_text() == "old\n"
    output = folder.write("plan.md", "new\n", replace=True)
    assert file.read_text() == "new\n"
    assert "-old" in output.details
    assert "+new" in output.details
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o640


def test_a_file_without_end_is_not_written(folder: Folder) -> None:
    with pytest.raises(ToolError, match="more than 2,000,000 characters"):
        folder.write("big.txt", "x" * 2_000_001)
    assert not list(folder.root.iterdir())


def test_writing_asks_for_exactly_the_file(folder: Folder) -> None:
    tool = WriteFileTool(folder.folders)
    arguments = tool.parse('{"path": "a/../b.txt", "text": "1\\n2"}')
    assert [(t.effect, t.target, t.free) for t in tool.touches(arguments)] == [
        ("write", str(folder.root / "b.txt"), False)
    ]
    assert tool.doing(arguments) == "Write a/../b.txt (2 lines)"
    reader = ReadFileTool(folder.folders, folder.put)
    assert all(touch.free for touch in reader.touches(reader.parse('{"path": "b.txt"}')))


def test_what_repeats_files_is_marked_as_such_for_the_model(folder: Folder) -> None:
    tools = (ReadFileTool(folder.folders, folder.put), *(each(folder.folders) for each in OTHERS))
    assert all(tool.quotes and not tool.untrusted for tool in tools)


def test_what_was_allowed_in_one_work_folder_is_asked_about_in_the_next(tmp_path: Path) -> None:
    bees, taxes = tmp_path / "bees", tmp_path / "taxes"
    for each in (bees, taxes):
        each.mkdir()
    for make in (WriteFileTool, EditFileTool):
        chosen = [bees]
        tool = make(WorkFolders(lambda _id: chosen[0]))  # noqa: B023
        arguments = tool.parse('{"path": "a.txt", "text": "1"}' if make is WriteFileTool else EDIT)
        (touch,) = tool.touches(arguments)
        approvals = Approvals((Grant(tool_name=tool.name, fingerprint=tool.fingerprint, effects=(touch.granted,)),))
        assert approvals.is_free(tool, tool.touches(arguments), "c")
        chosen[0] = taxes
        assert not approvals.is_free(tool, tool.touches(arguments), "c")


def test_an_edit_replaces_the_only_occurrence(folder: Folder) -> None:
    file = folder.root / "a.py"
    file.write_bytes(b"one\r\ntwo\r\nthree\r\n")
    output = folder.edit("a.py", "one\ntwo", "1\n2")
    assert file.read_bytes() == b"1\r\n2\r\nthree\r\n"  # its line ends stay
    assert output.details[:2] == ("--- a.py (before)", "+++ a.py (after)")


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("x = 1", r"occurs 2 times in a.py \(lines 1, 3\)"),
        ("y  =  2", "Only blanks or line breaks differ"),
        ("Y = 2", "Only capital letters differ"),
        ("y = 2\nz = 3", "Its first line stands in line 2"),
        ("nowhere", "Read the file again"),
    ],
)
def test_an_edit_that_does_not_fit_says_why(folder: Folder, old: str, message: str) -> None:
    file = folder.root / "a.py"
    file.write_text("x = 1\ny = 2\nx = 1\n")
    with pytest.raises(ToolError, match=message):
        folder.edit("a.py", old, "new")
    assert file.read_text() == "x = 1\ny = 2\nx = 1\n"


def test_an_edit_everywhere_changes_all(folder: Folder) -> None:
    (folder.root / "a.py").write_text("x\nx\n")
    assert "in 2 places" in folder.edit("a.py", "x", "y", everywhere=True).text
    assert (folder.root / "a.py").read_text() == "y\ny\n"
    with pytest.raises(ToolError, match="the same"):
        folder.edit("a.py", "y", "y")


class FullDisk(Disk):
    """Takes a few bytes, then no more."""

    def write(self, fd: int, data: memoryview) -> int:
        if len(data) > 3:
            return os.write(fd, data[:3])
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step_by_step", [True, False] if STEP_BY_STEP else [False])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, step_by_step: bool) -> None:
    folder = Folder(tmp_path.resolve(), FullDisk(), step_by_step=step_by_step)
    (tmp_path / "a.txt").write_text("precious")
    with pytest.raises(ToolError, match="The disk is full"):
        folder.edit("a.txt", "precious", "lost")
    with pytest.raises(ToolError, match="The disk is full"):
        folder.write("b.txt", "something")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "precious"


class Meddler(Disk):
    """Somebody saves the file while the tool writes."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def sync(self, fd: int) -> None:
        super().sync(fd)
        self.file.write_text("by the person")


def test_what_a_person_saves_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("before")
    folder = Folder(tmp_path.resolve(), Meddler(file))
    with pytest.raises(ToolError, match="changed by somebody else"):
        folder.edit("a.txt", "before", "after")
    assert file.read_text() == "by the person"
    (tmp_path / "a.txt").unlink()
    with pytest.raises(ToolError, match="changed by somebody else"):
        folder.write("a.txt", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_work_that_nobody_waits_for_writes_nothing(folder: Folder) -> None:
    file = folder.root / "a.txt"
    file.write_text("before")
    place = EditFileTool(folder.folders)._place("a.txt")
    stop = Stop()
    stop.set()
    files = folder.folders.files
    with pytest.raises(Stopped):
        files.replace(place, b"after", expected=files.seen(place), check=stop.check)
    assert file.read_text() == "before"
    assert [path.name for path in folder.root.iterdir()] == ["a.txt"]


@pytest.mark.skipif(not can_hold(), reason="a superuser may read and write everything")
def test_a_file_that_may_not_be_read_is_said_to_be_so(folder: Folder) -> None:
    (folder.root / "a.txt").write_text("x")
    (folder.root / "a.txt").chmod(0)
    with permissions_hold(), pytest.raises(ToolError, match="may not read"):
        folder.read("a.txt")
