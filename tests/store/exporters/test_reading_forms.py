"""Markdown, plain text, paper, and several conversations in one archive."""

from __future__ import annotations

import io
import os
import stat
import sys
import zipfile
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from PySide6.QtGui import QTextDocument

from sam_py.paths import Paths
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.printable import on_paper, printable_pieces
from sam_py.store.exporters.run import Wanted
from tests.store.exporters.rich import HOSTILE, RICH, put_hostile, put_rich
from tests.store.exporters.shelves import PNG, exported, library


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    paths = library(tmp_path / "home")
    put_rich(paths, PNG)
    return paths


def test_markdown_has_what_was_said_as_it_was_written_and_its_pictures_beside(home: Paths, tmp_path: Path) -> None:
    target = tmp_path / "out" / "soup.md"
    target.parent.mkdir()
    text = exported(home, target, "markdown", Wanted((RICH,), branches=True)).decode()
    assert "The soup needs **three** things" in text
    assert "# Version 2, after “The soup needs three things; see the book." in text
    assert (target.parent / "soup files" / "My pot.png").read_bytes() == PNG
    links = [t for token in MarkdownIt().parse(text) for t in token.children or () if t.type == "image"]
    assert links[0].attrs["src"] == "soup%20files/My%20pot.png"
    assert sorted(path.name for path in target.parent.iterdir()) == ["soup files", "soup.md"]


def test_plain_text_names_who_said_what(home: Paths, tmp_path: Path) -> None:
    text = exported(home, tmp_path / "x.txt", "text", Wanted((RICH,))).decode()
    assert text.startswith("A soup that does not take all day\n====")
    assert '[Tool search_recipes (done): {"query": "onion soup", "most": 3}]\n1. Soupe' in text
    assert "[Error: The connection broke off: try again.]" in text


@pytest.mark.parametrize(("form", "suffix"), [("markdown", ".md"), ("html", ".html"), ("text", ".txt")])
def test_several_conversations_make_an_archive_with_a_file_each(
    form: str, suffix: str, home: Paths, tmp_path: Path
) -> None:
    put_hostile(home, "http://127.0.0.1:1")
    raw = exported(home, tmp_path / "x.zip", form)  # type: ignore[arg-type]
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = archive.namelist()
        assert f"A soup that does not take all day{suffix}" in names
        assert sum(name.endswith(suffix) for name in names) == (3 if form == "html" else 2)
        assert all(".." not in name and not name.startswith("/") and "<" not in name for name in names)
        if form == "markdown":
            assert "A soup that does not take all day files/My pot.png" in names


def test_paper_gets_rich_text_that_qt_reads_and_names_its_pictures(home: Paths, qapp: object) -> None:
    put_hostile(home, "http://127.0.0.1:1")
    pieces = list(printable_pieces(StoredConversation(home.conversations, RICH), branches=True))
    assert sum(len(piece.pictures) for piece in pieces) == 1
    assert [piece.is_persons for piece in pieces if piece.is_message].count(True) == 3

    class Watched(QTextDocument):
        asked: list[str] = []  # noqa: RUF012

        def loadResource(self, kind: int, name: object) -> object:
            self.asked.append(name.toString())  # type: ignore[attr-defined]
            return None

    document = Watched()
    document.setHtml(on_paper("".join(piece.html for piece in pieces)))
    document.setTextWidth(500)
    assert document.size().height() > 500
    text = document.toPlainText()
    assert "search_recipes (done)" in text
    assert "def simmer(pot: Pot" in text
    assert "And without onions?" in text
    hostile = printable_pieces(StoredConversation(home.conversations, HOSTILE))
    document.setHtml(on_paper("".join(piece.html for piece in hostile)))
    document.setTextWidth(500)
    document.size()
    assert "<script>" in document.toPlainText()
    assert all(name.startswith(("attachment:", "maths:")) for name in Watched.asked)


def test_a_call_that_is_exported_alone_has_its_result(home: Paths, tmp_path: Path) -> None:
    conversation = StoredConversation(home.conversations, RICH)
    (call,) = [id for id in conversation.path if conversation.message(id).tool_calls]
    text = exported(home, tmp_path / "x.txt", "text", Wanted((RICH,), (call,))).decode()
    assert "1. Soupe" in text
    assert "(no result)" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such links and pipes")
def test_only_a_file_is_replaced_and_it_is_its_owners_alone(home: Paths, tmp_path: Path) -> None:
    new, known, link = tmp_path / "new.txt", tmp_path / "known.txt", tmp_path / "link.txt"
    known.write_text("before")
    known.chmod(0o664)
    link.symlink_to(known)
    exported(home, new, "text")
    exported(home, link, "text")
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert stat.S_IMODE(known.stat().st_mode) == 0o664
    assert link.is_symlink()
    assert known.read_bytes() == new.read_bytes()
    os.mkfifo(tmp_path / "pipe")
    for what in ("pipe", "."):
        with pytest.raises(TransferError, match="and no file"):
            exported(home, tmp_path / what, "text")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "known.txt", "link.txt", "new.txt", "pipe"]
