"""The composer: pasting, dropping and attaching."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from sam_py.errors import SamError
from sam_py.messages.parts import CodePart, FilePart, ImagePart
from sam_py.store.drafts import Draft
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.composer_preview import AttachmentPreview
from sam_py.ui.library.reuse import Reused, add_to
from tests.ui.composer.conftest import Running, Said, dropped, paste, pasted_mime, press, typed

# Pasting


def test_formatted_text_is_pasted_plain(composer: Composer) -> None:
    def fill(mime: QMimeData) -> None:
        mime.setHtml("<b>bold</b>")
        mime.setText("bold")

    pasted_mime(composer, fill)
    assert composer.text.text() == "bold"
    assert "font-weight" not in composer.text.document().toHtml().split("<body", 1)[1].split(">", 1)[1]


@pytest.mark.parametrize("text", ["x" * 8_001, "line\n" * 200])
def test_a_long_paste_becomes_an_attachment(composer: Composer, running: Running, text: str) -> None:
    typed(composer, "See:")
    paste(composer, text)
    running.finish()
    assert composer.text.text() == "See:"
    assert composer.tray.parts == (CodePart(code=text, language="text", filename="Pasted text.txt"),)
    assert "Pasted text.txt" in composer.chips.chips[0].accessibleName()


def test_a_long_paste_can_be_put_into_the_message(composer: Composer, running: Running, qtbot: QtBot) -> None:
    paste(composer, "word " * 2_000)
    running.finish()
    chip = composer.chips.chips[0]
    preview = AttachmentPreview(composer._icons, chip.item)
    qtbot.addWidget(preview)
    preview.text_wanted_in_message.connect(composer.put_into_message)
    preview.into_message.click()
    assert composer.text.text() == "word " * 2_000
    assert composer.tray.parts == ()
    assert preview.isHidden()


def test_things_of_the_library_join_what_is_typed_and_what_is_still_being_read(
    composer: Composer, running: Running, said: Said
) -> None:
    typed(composer, "Compare ")
    paste(composer, "line\n" * 200)
    offer = FilePart(attachment="h", filename="offer.pdf", mime_type="application/x-other", size=4)
    add_to(composer, Reused("> quoted", (ImagePart(attachment="i", alt="boat"), offer), "“lost” is not here."))
    typed(composer, "with these.")
    running.finish()
    assert composer.text.text() == "Compare \n\n> quoted\n\nwith these."
    assert [part.kind for part in composer.tray.parts] == ["code", "image", "file"]
    assert said.drafts[-1].parts == composer.tray.parts
    assert "“lost” is not here." in composer.errors.sentences


def test_a_paste_of_nearly_20_mb_does_not_freeze_the_window(composer: Composer, running: Running) -> None:
    text = "All work and no play. " * 900_000
    typed(composer, "Sum up:")
    mime = QMimeData()
    mime.setText(text)
    began_s = time.thread_time()  # of this thread alone, however busy the machine is
    composer.take_mime(mime)
    blocked_s = time.thread_time() - began_s
    running.finish()
    assert blocked_s < 0.5
    part = composer.tray.parts[0]
    assert isinstance(part, FilePart)
    assert part.size == len(text)
    assert running.stored == [text.encode()]
    assert composer.text.text() == "Sum up:"


def test_a_paste_over_20_mb_is_refused_and_the_box_keeps_its_text(composer: Composer, running: Running) -> None:
    typed(composer, "Sum up:")
    mime = QMimeData()
    mime.setText("x" * (21 * 1024 * 1024))
    composer.take_mime(mime)
    assert composer.text.text() == "Sum up:"
    assert composer.tray.items == ()
    assert composer.errors.isVisible()
    assert "21 MB; at most 20 MB" in composer.errors.sentences[0]


def test_a_pasted_picture_is_attached(composer: Composer, running: Running) -> None:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("#336699"))
    pasted_mime(composer, lambda mime: mime.setImageData(image))
    running.finish()
    part = composer.tray.parts[0]
    assert isinstance(part, ImagePart)
    assert (part.width, part.height, part.attachment) == (40, 30, "hash1")


def test_cells_of_a_sheet_are_pasted_as_text_though_they_come_with_a_picture(composer: Composer) -> None:
    def fill(mime: QMimeData) -> None:
        mime.setImageData(QImage(10, 10, QImage.Format.Format_RGB32))
        mime.setText("1\t2")

    pasted_mime(composer, fill)
    assert composer.text.text() == "1\t2"
    assert composer.tray.items == ()


# Dropping


def test_dropped_files_become_chips_in_their_order(composer: Composer, running: Running, tmp_path: Path) -> None:
    paths = [tmp_path / "b.py", tmp_path / "a.md"]
    for path in paths:
        path.write_text("x = 1\n", encoding="utf-8")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    dropped(composer, mime)
    assert composer.tray.is_reading
    running.finish()
    assert [item.name for item in composer.tray.items] == ["b.py", "a.md"]


def test_an_address_on_the_web_becomes_text_and_is_not_fetched(composer: Composer) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/cat.png")])
    mime.setText("https://example.org/cat.png")
    dropped(composer, mime)
    assert composer.text.text() == "https://example.org/cat.png"
    assert composer.tray.items == ()


def test_a_binary_file_is_named_and_the_rest_stays(composer: Composer, running: Running, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "ok.txt").write_text("fine", encoding="utf-8")
    typed(composer, "Look:")
    composer.add_paths([tmp_path / "x.bin", tmp_path / "ok.txt"])
    running.finish()
    assert composer.errors.sentences == (
        "“x.bin” is not text, an image or a document, so the model could not read it.",
    )
    assert [item.name for item in composer.tray.items] == ["ok.txt"]
    assert composer.text.text() == "Look:"


def test_a_full_disk_says_so_and_keeps_the_text(composer: Composer, running: Running) -> None:
    running.put_error = SamError("The disk is full. Free some space and try again.")
    typed(composer, "Here:")
    composer.take_text("x" * 2_000_000)
    running.finish()
    assert composer.errors.sentences == ("The disk is full. Free some space and try again.",)
    assert composer.text.text() == "Here:"


def test_more_than_twenty_attachments_are_left_out_in_words(composer: Composer, tmp_path: Path) -> None:
    composer.add_paths([tmp_path / f"{n}.txt" for n in range(25)])
    assert len(composer.tray.items) == 20
    assert composer.errors.sentences == ("A message takes at most 20 attachments; 5 were left out.",)


# Chips


def test_sending_waits_for_attachments_that_are_being_read(
    composer: Composer, said: Said, running: Running, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    composer.add_paths([tmp_path / "a.txt"])
    typed(composer, "Read this")
    press(composer, Qt.Key.Key_Return)
    assert said.sent == []
    running.finish()
    assert said.sent == [("Read this", (CodePart(code="words", language="text", filename="a.txt"),))]
    assert composer.tray.items == ()


def test_a_failed_attachment_stops_the_sending_that_waited(
    composer: Composer, said: Said, running: Running, tmp_path: Path
) -> None:
    composer.add_paths([tmp_path / "gone.txt"])
    typed(composer, "Read this")
    press(composer, Qt.Key.Key_Return)
    running.finish()
    assert said.sent == []
    assert composer.text.text() == "Read this"


def test_an_attachment_alone_can_be_sent(composer: Composer, said: Said) -> None:
    composer.set_draft(Draft(parts=(CodePart(code="x", filename="a.py"),)))
    composer.send_button.click()
    assert said.sent == [("", (CodePart(code="x", filename="a.py"),))]


def test_chips_are_reached_and_removed_by_the_keyboard(composer: Composer) -> None:
    parts = tuple(CodePart(code=str(n), filename=f"{n}.py") for n in range(3))
    composer.set_draft(Draft(parts=parts))
    first, second, _third = composer.chips.chips
    first.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(first, Qt.Key.Key_Right)
    assert second.hasFocus()
    QTest.keyClick(second, Qt.Key.Key_Delete)
    assert composer.tray.parts == (parts[0], parts[2])
    assert composer.chips.chips[1].hasFocus()
    QTest.keyClick(composer.chips.chips[1], Qt.Key.Key_Backspace)
    QTest.keyClick(composer.chips.chips[0], Qt.Key.Key_Delete)
    assert composer.text.hasFocus()


def test_removing_a_chip_gives_up_its_reading(composer: Composer, running: Running, tmp_path: Path) -> None:
    composer.add_paths([tmp_path / "slow.txt"])
    composer.tray.remove(composer.tray.items[0].id)
    running.finish()
    assert composer.tray.items == ()
    assert composer.errors.sentences == ()
