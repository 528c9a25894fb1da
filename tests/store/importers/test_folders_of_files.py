"""Folders and archives with several files: of one program, of several, and with what is no conversation among them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from sam_py.messages.history import MessageAdded, SettingsChanged
from sam_py.messages.message import UserMessage
from sam_py.messages.parts import FilePart, TextPart
from sam_py.paths import Paths
from sam_py.store.exporters.run import Form, Wanted, all_conversations
from sam_py.store.importers.run import format_of
from tests.store.exporters.shelves import exported, imported, library, put, put_attachment
from tests.store.importers.sample_of_chatgpt import chatgpt_conversation
from tests.store.importers.samples import SAMPLES

TALK = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def sample(key: str, folder: Path) -> str:
    return next(each for each in SAMPLES if each.key == key).write(folder).read_text()


def test_each_own_export_of_a_folder_comes_in(home: Paths, folder: Path, tmp_path: Path) -> None:
    source = library(tmp_path / "source")
    for name in ("a", "b"):
        put(source, name * 32, [MessageAdded(message=UserMessage(parts=(TextPart(text=name),)))])
        exported(source, folder / f"{name}.json", wanted=Wanted((name * 32,)))
    (folder / "0notes.txt").write_text("no JSON")
    report = imported(home, folder)
    assert (report.count("new"), report.aside) == (2, [])


@pytest.mark.parametrize("key", ["chatbox", "claude"])
def test_each_file_of_a_program_comes_in(key: str, home: Paths, folder: Path, tmp_path: Path) -> None:
    if key == "chatbox":
        documents = [{"chat-sessions": [{"id": n, "messages": [{"id": "m", "content": n}]}]} for n in ("x", "y")]
    else:
        rows = [{"uuid": n, "chat_messages": [{"uuid": "m", "sender": "human", "text": n}]} for n in ("x", "y")]
        documents = [{"conversations": [row]} for row in rows]
    for number, document in enumerate(documents):
        (folder / f"{number}.json").write_text(json.dumps(document))
    assert imported(home, folder).count("new") == 2


def test_files_of_several_programs_are_read_by_their_own_importers(home: Paths, folder: Path, tmp_path: Path) -> None:
    (folder / "conversations.json").write_text(json.dumps([chatgpt_conversation()]))
    (folder / "libre.json").write_text(sample("librechat", tmp_path))
    (folder / "chat.json").write_text(sample("open-webui", tmp_path))
    (folder / "below").mkdir()
    (folder / "below" / "5.conversation.json").write_text(json.dumps({"messages": [], "name": "Empty"}))
    assert format_of(folder) == "ChatGPT, Open WebUI, LibreChat, LM Studio"
    report = imported(home, folder)
    assert report.format == "ChatGPT, Open WebUI, LibreChat, LM Studio"
    assert report.count("new") == 3
    assert [aside.why for aside in report.aside] == ["there is nothing in it"]


def test_what_somebody_attached_is_no_conversation_and_what_a_mac_adds_is_nothing(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("export/conversations.json", json.dumps([chatgpt_conversation()]))
        archive.writestr("__MACOSX/export/._conversations.json", b"\x00\x05\x16\x07")
        archive.writestr("export/file-Abcdef12-talk.json", json.dumps(TALK))
        archive.writestr("export/talk.json", json.dumps(TALK))
        archive.writestr("export/.DS_Store", b"\x00")
    report = imported(home, file)
    assert (report.format, report.count("new"), report.aside) == ("ChatGPT", 1, [])


def test_a_first_element_that_is_none_hides_no_format(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    file.write_text(json.dumps([None, {"id": "x", "chat": None}, *json.loads(sample("open-webui", tmp_path))]))
    report = imported(home, file)
    assert (report.format, report.count("new"), len(report.aside)) == ("Open WebUI", 1, 2)


def test_an_own_archive_with_a_white_picture_comes_in_again(home: Paths, tmp_path: Path) -> None:
    white = b"BM" + b"\xff" * 17_000_000
    part = FilePart(attachment=put_attachment(home, white), filename="white.bmp", size=len(white))
    put(home, "a" * 32, [MessageAdded(message=UserMessage(parts=(part,))), SettingsChanged(key="title", value="White")])
    exported(home, tmp_path / "library.zip", "zip")
    other = library(tmp_path / "other")
    report = imported(other, tmp_path / "library.zip")
    assert (report.count("new"), report.attachments, all_conversations(other)) == (1, 1, ["a" * 32])


@pytest.mark.parametrize("form", ["json", "zip"])
def test_a_library_with_a_damaged_file_is_the_same_when_it_was_exported_and_imported(
    form: Form, home: Paths, tmp_path: Path
) -> None:
    hash = put_attachment(home, b"whole")
    part = FilePart(attachment=hash, filename="a.bin", size=5)
    put(home, "a" * 32, [MessageAdded(message=UserMessage(parts=(part,)))])
    (home.attachments / hash[:2] / hash).write_bytes(b"brok")
    first = exported(home, tmp_path / f"x.{form}", form)
    other = library(tmp_path / "other")
    report = imported(other, tmp_path / f"x.{form}")
    assert ["damaged" in aside.why for aside in report.aside] == [True]
    assert exported(other, tmp_path / f"y.{form}", form) == first
