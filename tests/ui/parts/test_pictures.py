"""Attachment pictures are decoded beside the window; nothing else is ever loaded."""

from __future__ import annotations

import http.server
import threading

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from sam_py.messages.parts import FilePart, ImagePart
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.parts.pictures import Pictures, ShownPicture, read_scaled, shared_pictures
from sam_py.ui.theme import Themes


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "red.png"
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(0xFFFF0000)
    image.save(str(path))
    return path


def test_an_attachment_is_shown_at_its_size(qtbot, picture):
    column = MarkdownColumn(Themes(), lambda attachment: picture if attachment == "abc" else None)
    qtbot.addWidget(column)
    column.set_text("![red](attach:abc)")
    column.resize(400, column.layout_for(400))
    assert column.height() == 100
    with qtbot.waitSignal(shared_pictures().ready):
        column.grab()
    assert column.grab().toImage().pixelColor(100, 50).red() == 255


def test_a_picture_that_comes_after_its_words_is_shown_when_it_is_whole(qtbot, picture):
    whole, late = picture.read_bytes(), picture.with_name("late.png")
    column = MarkdownColumn(Themes(), lambda _attachment: late if late.exists() else None)
    qtbot.addWidget(column)
    column.set_text("![red](attach:abc)")
    column.resize(400, column.layout_for(400))
    card_px = column.height()
    late.write_bytes(whole[: len(whole) // 2])  # half copied: its head says how large it is
    shared_pictures().look_again()
    with qtbot.waitSignal(shared_pictures().ready):
        column.resize(400, column.layout_for(400))
        column.grab()
    assert column.layout_for(400) == card_px
    late.write_bytes(whole)
    shared_pictures().look_again()
    column.resize(400, column.layout_for(400))
    assert column.height() == 100
    with qtbot.waitSignal(shared_pictures().ready):
        column.grab()
    assert column.grab().toImage().pixelColor(100, 50).red() == 255


def test_a_wide_picture_is_scaled_to_the_column(qtbot, picture):
    column = MarkdownColumn(Themes(), lambda _attachment: picture)
    qtbot.addWidget(column)
    column.set_text("![red](attach:abc)")
    assert column.layout_for(100) == 50


def test_pressing_a_picture_hands_out_its_file_and_name(qtbot, picture):
    column = MarkdownColumn(Themes(), lambda _attachment: picture)
    qtbot.addWidget(column)
    column.set_text("![red](attach:abc)")
    column.layout_for(400)
    with qtbot.waitSignal(column.image_clicked) as clicked:
        column.activate(column.parts()[0].targets()[0])
    assert clicked.args == [ShownPicture(picture, "red")]


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "//evil/share/a.png", "a.png", "data:image/png;base64,xx", "C:\\a.png"]
)
def test_no_other_address_can_even_be_pressed(qtbot, url):
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.set_text(f"![x]({url})")
    column.layout_for(400)
    column.grab()
    assert all(target.kind == "link" for part in column.parts() for target in part.targets())


def test_a_remote_picture_is_a_card_that_only_asks(qtbot):
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.set_text("![cat](https://images.example.net/cat.png?d=secret)")
    column.resize(400, column.layout_for(400))
    column.grab()
    with qtbot.waitSignal(column.image_requested) as asked:
        column.activate(column.parts()[0].targets()[0])
    assert asked.args == ["https://images.example.net/cat.png?d=secret"]


def test_hostile_markdown_reaches_no_server(qtbot):
    hits = []

    class Spy(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)

    server = http.server.HTTPServer(("127.0.0.1", 0), Spy)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    for text in (
        f"![x]({base}/a)",
        f"text ![x]({base}/b) text",
        f"![x][r]\n\n[r]: {base}/c",
        f"<img src={base}/d>",
        f"| a |\n|---|\n| ![x]({base}/e) |",
        f"> ![x]({base}/f)\n\n- ![x]({base}/g)",
        f"<style>@import '{base}/h'</style><link rel=stylesheet href={base}/i>",
        "![x](file:///etc/passwd) <img src=file:///etc/passwd>",
    ):
        column.set_text(text)
        column.resize(400, max(1, column.layout_for(400)))
        column.grab()
    server.shutdown()
    thread.join()
    server.server_close()
    assert not hits


def test_a_hundred_megapixels_are_read_small(tmp_path):
    path = tmp_path / "large.jpg"
    image = QImage(5_000, 4_000, QImage.Format.Format_Grayscale8)
    image.fill(128)
    image.save(str(path), "JPG")
    assert read_scaled(path, QSize(50, 40)).size() == QSize(50, 40)


def test_a_file_that_is_no_picture_fails_quietly(tmp_path):
    path = tmp_path / "broken.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n broken")
    assert read_scaled(path, QSize(10, 10)).isNull()
    assert Pictures().failed(path)
    assert read_scaled(tmp_path / "missing.png", QSize(10, 10)).isNull()


def test_attachments_stand_above_the_text(qtbot, picture):
    column = MarkdownColumn(Themes(), lambda _attachment: picture)
    qtbot.addWidget(column)
    column.layout_for(400)
    for _again in range(2):
        column.clear()
        column.set_attachments(
            [ImagePart(attachment="abc", alt="red"), FilePart(attachment="f1", filename="notes.pdf")]
        )
        column.set_text("Look at **these**.")
        assert [part.kind for part in column.parts()] == ["image", "file", "prose"]
    assert column.plain_text() == "red\n\nnotes.pdf\n\nLook at these."
    with qtbot.waitSignal(column.file_clicked) as clicked:
        column.activate(column.parts()[1].targets()[0])
    assert clicked.args == ["f1"]
