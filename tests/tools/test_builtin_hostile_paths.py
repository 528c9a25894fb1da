"""T9: a hundred hostile paths reach nothing outside the work folder, and nothing of the program's own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from sam_py.tools.base import BuiltinTool, Running, ToolError
from sam_py.tools.builtin.folder_files import STEP_BY_STEP, FolderFiles
from sam_py.tools.builtin.paths import place_of
from sam_py.tools.builtin.read_files import ListFolderTool, ReadFileTool
from sam_py.tools.builtin.search_files import SearchFilesTool
from sam_py.tools.builtin.work_folder import WorkFolders
from sam_py.tools.builtin.write_files import EditFileTool, WriteFileTool

posix = pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")
CANARY = "canary-8c1f"


@dataclass(frozen=True)
class House:
    """A work folder among things that nobody may reach: ``secret.txt`` beside it, the program's folders in it."""

    base: Path
    root: Path
    folders: WorkFolders

    def tools(self) -> list[tuple[BuiltinTool, Callable[[str], dict[str, object]]]]:
        async def put(_data: bytes, _mime_type: str) -> str:
            return "hash"

        return [
            (ReadFileTool(self.folders, put), lambda path: {"path": path}),
            (ListFolderTool(self.folders), lambda path: {"path": path}),
            (SearchFilesTool(self.folders), lambda path: {"folder": path, "text": CANARY}),
            (WriteFileTool(self.folders), lambda path: {"path": path, "text": "overwritten", "replace": True}),
            (EditFileTool(self.folders), lambda path: {"path": path, "old": CANARY, "new": "overwritten"}),
        ]


@pytest.fixture(params=[True, False] if STEP_BY_STEP else [False], ids=lambda on: "steps" if on else "whole")
def house(tmp_path: Path, request: pytest.FixtureRequest) -> House:
    base = tmp_path.resolve()
    root = base / "papers"
    for folder in ("papers/sub/deep", "papers/program/data", "papers-other", "outside"):
        (base / folder).mkdir(parents=True)
    for name in ("secret.txt", "papers-other/secret.txt", "outside/secret.txt", "papers/program/data/secret.txt"):
        (base / name).write_text(CANARY)
    (root / "fine.txt").write_text("fine")
    (root / "sub" / "fine.txt").write_text("fine")
    if sys.platform != "win32":
        (root / "link-file").symlink_to(base / "secret.txt")
        (root / "link-folder").symlink_to(base / "outside")
        (root / "link-up").symlink_to("..")
        (root / "link-root").symlink_to("/")
        (root / "link-link").symlink_to("link-folder")
        (root / "link-own").symlink_to("program/data")
        (root / "link-loop").symlink_to("link-loop")
        (root / "link-new").symlink_to(base / "outside" / "new.txt")
        (root / "sub" / "link-deep").symlink_to("../../outside")
        os.mkfifo(root / "pipe")
    excluded = (root / "program",)
    files = FolderFiles(excluded, step_by_step=request.param)
    return House(base, root, WorkFolders(lambda _id: root, excluded, files))


RELATIVE = [
    "..",
    "../",
    "../secret.txt",
    "sub/../../secret.txt",
    "sub/deep/../../../secret.txt",
    "./../secret.txt",
    "sub/..//../secret.txt",
    "sub/./.././../secret.txt",
    "../papers-other/secret.txt",
    "../outside",
    "../outside/secret.txt",
    "../papers/../secret.txt",
    "missing/../../secret.txt",
    "../../../../../../../../etc/passwd",
    "sub/../..",
    "..//secret.txt",
    " ../secret.txt",
    "../secret.txt ",
    "\t../secret.txt",
    "sub/ ../../../secret.txt",
]
ABSOLUTE = [
    "/etc/passwd",
    "/",
    "//etc/passwd",
    "///etc/passwd",
    "/proc/self/environ",
    "/proc/self/{root}/etc/passwd".format(root="root"),  # the same file by another way
    "/dev/zero",
    "/dev/fd/0",
    "/proc/self/cwd",
    "/var/lib/id_rsa",
    "/tmp",
    "//server/share/file",
    "//?/C:/secret.txt",
    "//./pipe/x",
    "{base}/secret.txt",
    "{base}/papers-other/secret.txt",
    "{base}/papers/../secret.txt",
    "{base}",
    "{base}/paperS-other",
    "{root}/../secret.txt",
    "{root}-other/secret.txt",
    "{root}/link-file",
    "{root}/program/data/secret.txt",
]
WINDOWS = [
    "C:\\secret.txt",
    "C:/secret.txt",
    "c:secret.txt",
    "C:",
    "Z:\\",
    "\\\\server\\share\\secret.txt",
    "\\\\?\\C:\\secret.txt",
    "\\\\.\\C:\\secret.txt",
    "\\\\?\\UNC\\server\\share",
    "\\??\\C:\\secret.txt",
    "..\\secret.txt",
    "sub\\..\\..\\secret.txt",
    "sub\\fine.txt",
    "\\secret.txt",
    "PROGRA~1\\secret.txt",
    "con",
    "NUL",
    "sub/aux.txt",
    "COM1",
    "lpt9.log",
    "com¹",
    "fine.txt.",
    "sub./fine.txt",
    "sub /fine.txt",
    "sub/... /x",
    "sub/.../secret.txt ./..",
]
ODD = [
    "secret.txt\x00",
    "\x00",
    "fine.txt\x00.md",
    "fine.txt\n",
    "fi\rne.txt",
    "fine\x1b[2J.txt",
    "fine\x7f.txt",
    "fine\x85.txt",
    "fine\ud800.txt",
    "a" * 5000,
    "../" * 400,
    "~",
    "~/secret.txt",
    "~\\secret.txt",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "http://127.0.0.1/x",
    "FILE:///etc/passwd",
    "smb://server/share",
]
LINKS = [
    "link-file",
    "link-folder",
    "link-folder/secret.txt",
    "link-up",
    "link-up/secret.txt",
    "link-root",
    "link-root/etc/passwd",
    "link-link/secret.txt",
    "link-own/secret.txt",
    "link-loop",
    "link-loop/x",
    "link-new",
    "sub/link-deep/secret.txt",
    "sub/../link-folder/secret.txt",
    "link-folder/../secret.txt",
    "pipe",
    "program",
    "program/data",
    "program/data/secret.txt",
    "./program/data/secret.txt",
    "sub/../program/data/secret.txt",
    "program/data/new.txt",
]
ALL = [*RELATIVE, *ABSOLUTE, *WINDOWS, *ODD, *LINKS]
WHEN_OPENED = ("pipe", "link-loop", "link-loop/x")
"""Names inside, which are refused when they are opened."""


def _contents(base: Path) -> dict[str, str]:
    return {str(p): p.read_text() for p in base.rglob("*") if p.is_file() and not p.is_symlink()}


def _outcome(tool: BuiltinTool, arguments: object) -> tuple[str, str]:
    """What the model is told, and what was touched; "" where the tool refused."""
    try:
        touches = tool.touches(arguments)
        output = asyncio.run(tool.run(arguments, Running("call", "c")))
    except ToolError as error:
        return str(error), ""
    return output.text, touches[0].target


def test_there_are_a_hundred_hostile_paths() -> None:
    assert len(set(ALL)) >= 100


@posix
@pytest.mark.parametrize("path", ALL, ids=lambda path: repr(path)[:40])
def test_no_tool_gets_through_a_hostile_path(house: House, path: str) -> None:
    path = path.replace("{base}", str(house.base)).replace("{root}", str(house.root))
    before = _contents(house.base)
    for tool, arguments_of in house.tools():
        arguments = tool.parse(json.dumps(arguments_of(path)))
        said, target = _outcome(tool, arguments)
        assert CANARY not in said
        if target:  # a way back into the work folder: it stays there, and is named as what it is
            assert os.path.realpath(target).startswith(str(house.root))
    after = _contents(house.base)
    assert {name: text for name, text in after.items() if not name.startswith(str(house.root))} == {
        name: text for name, text in before.items() if not name.startswith(str(house.root))
    }
    assert after[str(house.root / "program/data/secret.txt")] == CANARY


@posix
@pytest.mark.parametrize("path", [p for p in ALL if p not in WHEN_OPENED], ids=lambda p: repr(p)[:40])
def test_a_hostile_path_is_refused_by_name(house: House, path: str) -> None:
    path = path.replace("{base}", str(house.base)).replace("{root}", str(house.root))
    with pytest.raises(ToolError):
        place_of(path, house.root, house.folders.excluded)


@posix
def test_a_folder_that_turns_into_a_link_after_the_check_is_not_followed(house: House) -> None:
    tool = WriteFileTool(house.folders).in_conversation("c")
    arguments = tool.parse('{"path": "sub/secret.txt", "text": "overwritten", "replace": true}')
    assert tool.touches(arguments)[0].target == str(house.root / "sub" / "secret.txt")  # what the person saw
    (house.root / "sub").rename(house.root / "sub-moved")
    (house.root / "sub").symlink_to(house.base / "outside")
    with pytest.raises(ToolError):
        asyncio.run(tool.run(arguments, Running("call", "c")))
    assert (house.base / "outside" / "secret.txt").read_text() == CANARY


@posix
def test_a_file_that_turns_into_a_link_after_the_check_is_not_read(house: House) -> None:
    place = place_of("fine.txt", house.root)
    (house.root / "fine.txt").unlink()
    (house.root / "fine.txt").symlink_to(house.base / "secret.txt")
    with pytest.raises(ToolError, match="turned into a link"):
        house.folders.files.read(place, 100)


@posix
def test_the_programs_folder_is_known_under_another_name(house: House) -> None:
    place = place_of("program/data/secret.txt", house.root)  # as if the check by name had missed it
    with pytest.raises(ToolError, match="belongs to this program"):
        FolderFiles((house.root / "program" / "data",)).read(place, 100)


@posix
def test_a_work_folder_inside_the_programs_own_is_of_no_use(house: House) -> None:
    for root in (house.root / "program", house.root / "program" / "data", house.root / "link-own"):
        with pytest.raises(ToolError, match="own folders"):
            place_of("secret.txt", root, house.folders.excluded)


def test_without_a_work_folder_the_model_is_told_to_ask(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="Ask the person to choose one"):
        place_of("notes.txt", None)
    with pytest.raises(ToolError, match="not there any more"):
        place_of("notes.txt", tmp_path / "gone")


@posix
def test_a_search_neither_follows_links_nor_enters_the_programs_folder(house: House) -> None:
    tool = SearchFilesTool(house.folders)
    output = asyncio.run(tool.run(tool.parse(json.dumps({"text": CANARY})), Running("call", "c")))
    assert output.text.startswith("0 lines")
    found = asyncio.run(tool.run(tool.parse(json.dumps({"glob": "secret*"})), Running("call", "c")))
    assert found.text.startswith("0 files")


@posix
@pytest.mark.parametrize(
    "path", ["fine.txt", "./fine.txt", "sub/../fine.txt", "sub//fine.txt", "{root}/fine.txt", "…/ü/ñ.txt"]
)
def test_usual_paths_are_fine(house: House, path: str) -> None:
    place = place_of(path.replace("{root}", str(house.root)), house.root, house.folders.excluded)
    assert place.full.startswith(str(house.root) + os.sep)
