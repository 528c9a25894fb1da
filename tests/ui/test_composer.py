"""The composer: typing, sending, pasting, dropping, attaching, editing and the draft, as a person does them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QImage, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sam_py.errors import SamError
from sam_py.messages.parts import CodePart, FilePart, ImagePart, Parts
from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.store.drafts import Draft
from sam_py.ui.chat.attachments_intake import Intake
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.composer_preview import AttachmentPreview
from sam_py.ui.theme import Theme, Themes
from sam_py.ui.widgets.icons import Icons

# The offscreen platform says so of every window with a smallest size; it means nothing.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Running:
    """What `Tasks` is to the program: starts coroutines; here they run when the test says so."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.tasks: list[asyncio.Task[Any]] = []
        self.put_error: SamError | None = None
        self.stored: list[bytes] = []

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = self.loop.create_task(work)
        self.tasks.append(task)
        return task

    async def put(self, content: bytes) -> str:
        if self.put_error is not None:
            raise self.put_error
        self.stored.append(content)
        return f"hash{len(self.stored)}"

    def finish(self) -> None:
        """Run everything that was started until it has ended."""
        while waiting := [task for task in self.tasks if not task.done()]:
            self.loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        self.tasks.clear()


@dataclass
class Waiting:
    text: str
    parts: Parts = ()
    held: bool = False


@dataclass
class Said:
    """Everything that the composer announced."""

    sent: list[tuple[str, Parts]]
    drafts: list[Draft]
    stops: list[bool]


@pytest.fixture
def running() -> Iterator[Running]:
    running = Running()
    yield running
    for task in running.tasks:
        task.cancel()
    running.finish()
    running.loop.close()


@pytest.fixture
def composer(qtbot: QtBot, running: Running) -> Iterator[Composer]:
    themes = Themes()
    intake = Intake(running.put)
    composer = Composer(Icons(themes), intake, running.spawn)
    qtbot.addWidget(composer)
    composer.resize(760, 160)
    with qtbot.waitActive(composer):
        composer.show()
        composer.activateWindow()
    composer.focus_text()
    yield composer
    intake.close()


@pytest.fixture
def said(composer: Composer) -> Said:
    said = Said([], [], [])
    composer.send_requested.connect(lambda text, parts: said.sent.append((text, parts)))
    composer.draft_changed.connect(said.drafts.append)
    composer.stop_requested.connect(lambda: said.stops.append(True))
    return said


def typed(composer: Composer, text: str) -> None:
    QTest.keyClicks(composer.text, text)


def press(composer: Composer, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(composer.text, key, held)


def paste(composer: Composer, text: str) -> None:
    QApplication.clipboard().setText(text)
    composer.text.paste()


def pasted_mime(composer: Composer, fill: Callable[[QMimeData], None]) -> None:
    mime = QMimeData()
    fill(mime)
    QApplication.clipboard().setMimeData(mime)
    composer.text.paste()


# Sending


def test_enter_sends_and_empties_the_box(composer: Composer, said: Said) -> None:
    typed(composer, "Hello there")
    press(composer, Qt.Key.Key_Return)
    assert said.sent == [("Hello there", ())]
    assert composer.text.is_empty()
    assert said.drafts[-1] == Draft()


def test_shift_enter_breaks_the_line(composer: Composer, said: Said) -> None:
    typed(composer, "one")
    press(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    typed(composer, "two")
    assert said.sent == []
    assert composer.text.text() == "one\ntwo"


def test_with_ctrl_enter_chosen_enter_breaks_the_line(composer: Composer, said: Said) -> None:
    composer.set_send_with("ctrl_enter")
    typed(composer, "one")
    press(composer, Qt.Key.Key_Return)
    typed(composer, "two")
    assert said.sent == []
    press(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert said.sent == [("one\ntwo", ())]


def test_the_keypad_enter_sends_too(composer: Composer, said: Said) -> None:
    typed(composer, "12")
    press(composer, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert said.sent == [("12", ())]


def test_nothing_but_white_space_is_not_sent(composer: Composer, said: Said) -> None:
    typed(composer, "   ")
    press(composer, Qt.Key.Key_Return)
    assert said.sent == []
    assert composer.text.text() == "   "


def test_enter_belongs_to_the_input_method_while_it_composes(composer: Composer, said: Said) -> None:
    QApplication.sendEvent(composer.text, QInputMethodEvent("にほん", []))
    press(composer, Qt.Key.Key_Return)
    assert said.sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    QApplication.sendEvent(composer.text, commit)
    assert "日本" in composer.text.text()
    press(composer, Qt.Key.Key_Return)
    assert len(said.sent) == 1


def test_no_break_spaces_are_sent_as_they_were_typed(composer: Composer, said: Said) -> None:
    paste(composer, "Vraiment\u00a0?")
    composer.send()
    assert said.sent == [("Vraiment\u00a0?", ())]


def test_a_message_that_could_not_be_sent_comes_back_before_what_was_typed_since(composer: Composer) -> None:
    typed(composer, "next")
    composer.put_back("first", (CodePart(code="x"),))
    assert composer.draft() == Draft(text="first\n\nnext", parts=(CodePart(code="x"),))


def test_undo_and_redo_work_on_a_paste(composer: Composer) -> None:
    paste(composer, "some words")
    composer.text.undo()
    assert composer.text.is_empty()
    composer.text.redo()
    assert composer.text.text() == "some words"


# Busy


def test_escape_stops_only_while_a_reply_streams(composer: Composer, said: Said) -> None:
    press(composer, Qt.Key.Key_Escape)
    assert said.stops == []
    composer.set_busy(True)
    press(composer, Qt.Key.Key_Escape)
    assert said.stops == [True]


def test_while_busy_there_is_stop_and_with_text_also_send(composer: Composer, said: Said) -> None:
    composer.set_busy(True)
    assert composer.stop_button.isVisible()
    assert not composer.send_button.isVisible()
    typed(composer, "and then")
    assert composer.stop_button.isVisible()
    assert composer.send_button.isVisible()
    assert composer.send_button.accessibleName() == "Queue this message"
    press(composer, Qt.Key.Key_Return)
    assert said.sent == [("and then", ())]
    composer.set_busy(False)
    assert not composer.stop_button.isVisible()


def test_queued_messages_can_be_edited_and_removed(composer: Composer, qtbot: QtBot) -> None:
    composer.set_queued([Waiting("first"), Waiting("", (CodePart(code="x"),))])
    assert len(composer.queue.rows) == 2
    with qtbot.waitSignal(composer.queued_removed) as removed:
        composer.queue.rows[1].remove.click()
    assert removed.args == [1]
    with qtbot.waitSignal(composer.queued_edited) as edited:
        composer.queue.rows[0].edit.click()
    assert edited.args == [0]
    composer.set_queued([])
    assert not composer.queue.isVisible()


# Growing


def test_the_box_grows_to_ten_lines_and_then_scrolls(composer: Composer) -> None:
    heights = []
    for _line in range(14):
        heights.append(composer.text.height())
        press(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert heights[:10] == sorted(set(heights[:10]))
    assert len(set(heights[10:])) == 1
    assert composer.text.verticalScrollBar().maximum() > 0
    composer.text.clear()
    assert composer.text.height() == heights[0]


def test_the_box_grows_with_the_text_scale(composer: Composer) -> None:
    before = composer.text.height()
    themes = composer.text._themes
    themes.use(themes.current.scaled(1.5))
    assert composer.text.height() > before * 1.3


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


def test_a_paste_of_nearly_20_mb_does_not_freeze_the_window(composer: Composer, running: Running) -> None:
    text = "All work and no play. " * 900_000
    typed(composer, "Sum up:")
    mime = QMimeData()
    mime.setText(text)
    began = time.perf_counter()
    composer.take_mime(mime)
    blocked_s = time.perf_counter() - began
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


def dropped(composer: Composer, mime: QMimeData) -> None:
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    held = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(20, 20), copy, mime, left, held)
    QApplication.sendEvent(composer, enter)
    assert enter.isAccepted()
    assert composer.box.drop_words == "Drop to attach"
    QApplication.sendEvent(composer, QDropEvent(QPointF(20, 20), copy, mime, left, held))
    assert composer.box.drop_words == ""


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
    assert composer.errors.sentences == ("“x.bin” is not text, an image or a PDF, so the model could not read it.",)
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


# Editing


def test_up_in_an_empty_box_edits_the_last_message(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(composer.edit_last_requested):
        press(composer, Qt.Key.Key_Up)
    typed(composer, "x")
    with qtbot.assertNotEmitted(composer.edit_last_requested):
        press(composer, Qt.Key.Key_Up)


def test_an_edit_is_submitted_with_its_message_and_the_draft_comes_back(
    composer: Composer, said: Said, qtbot: QtBot
) -> None:
    typed(composer, "a draft")
    composer.set_edit_mode("m1", "an old question", (CodePart(code="x"),))
    assert composer.banner.isVisible()
    typed(composer, "!")
    assert said.drafts[-1].text == "a draft"
    with qtbot.waitSignal(composer.edit_submitted) as submitted:
        press(composer, Qt.Key.Key_Return)
    assert submitted.args == ["m1", "an old question!", (CodePart(code="x"),)]
    assert said.sent == []
    assert composer.text.text() == "a draft"
    assert not composer.banner.isVisible()


def test_escape_cancels_an_edit_before_it_stops_a_reply(composer: Composer, said: Said, qtbot: QtBot) -> None:
    typed(composer, "a draft")
    composer.set_busy(True)
    composer.set_edit_mode("m1", "old")
    with qtbot.waitSignal(composer.edit_cancelled):
        press(composer, Qt.Key.Key_Escape)
    assert said.stops == []
    assert composer.text.text() == "a draft"


# Drafts


def test_another_conversations_draft_is_neither_announced_nor_undone_into(composer: Composer, said: Said) -> None:
    typed(composer, "for one")
    said.drafts.clear()
    composer.set_draft(Draft(text="for two"))
    assert said.drafts == []
    composer.text.undo()
    assert composer.text.text() == "for two"


def test_what_is_read_for_one_conversation_does_not_land_in_the_next(
    composer: Composer, running: Running, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    composer.add_paths([tmp_path / "a.txt"])
    composer.set_draft(Draft(text="two"))
    running.finish()
    assert composer.draft() == Draft(text="two")


def test_a_draft_with_attachments_is_shown_as_it_was(composer: Composer) -> None:
    draft = Draft(text="half a thought", parts=(ImagePart(attachment="h", width=4, height=3, alt="cat.png"),))
    composer.set_draft(draft)
    assert composer.draft() == draft
    assert composer.chips.chips[0].item.name == "cat.png"


def test_the_placeholder_names_the_model(composer: Composer) -> None:
    composer.set_models((), ModelChoice(provider="x", model="/models/qwen3-8b.gguf"))
    assert composer.text.placeholderText() == "Message qwen3-8b"
    composer.set_models((), ModelChoice(provider="guide", model="guide"))
    assert composer.text.placeholderText() == "Ask the offline guide"


def test_the_model_button_opens_the_picker_with_the_models_of_that_moment(composer: Composer, qtbot: QtBot) -> None:
    providers = (ProviderSettings(id="ol", label="Ollama", models=("qwen3:8b",)),)
    guide = ModelChoice(provider="guide", model="guide")
    composer.model_menu_requested.connect(lambda: composer.set_models(providers, guide))
    composer.model_button.click()
    picker = composer.picker
    assert picker.isVisible()
    QTest.keyClick(picker.list, Qt.Key.Key_Up)
    with qtbot.waitSignal(composer.model_chosen) as chosen:
        QTest.keyClick(picker.list, Qt.Key.Key_Return)
    assert chosen.args == ["ol", "qwen3:8b"]


def test_every_control_has_a_name(composer: Composer) -> None:
    for button in (composer.attach_button, composer.model_button, composer.stop_button, composer.send_button):
        assert button.accessibleName()
    assert composer.text.accessibleName() == "Message"


def test_a_theme_change_repaints_without_a_warning(composer: Composer) -> None:
    composer.set_draft(Draft(text="x", parts=(CodePart(code="x", filename="a.py"),)))
    composer.text._themes.use(Theme(composer.text._themes.current.palette, dark=True))
    assert not composer.grab().isNull()
