"""Documents in the composer: chips while they are read, what they hold, and what cannot be read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from sam_py.errors import SamError
from sam_py.messages.documents import MIME_TYPES, Document, Section
from sam_py.messages.parts import FilePart
from sam_py.store.documents.process import DocumentError
from sam_py.store.drafts import Draft
from sam_py.ui.chat.attachments_intake import Intake, Tell
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.composer_chips import AttachmentChip
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.fakes import documents as made
from tests.ui.composer.conftest import Running

TEXT = Document(
    "pdf", "Costs", (Section("Page 1", "one two three"),), 12, ("Page 2 holds no text: it may be a picture.",)
)


class Reader:
    """Takes the text out of documents when the test says so."""

    def __init__(self) -> None:
        self.told: Tell | None = None
        self.answer: asyncio.Future[Document | None] | None = None
        self.cancelled = False

    async def read(self, part: FilePart, tell: Tell | None) -> Document | None:
        self.told = tell
        self.answer = asyncio.get_running_loop().create_future()
        try:
            return await self.answer
        except asyncio.CancelledError:
            self.cancelled = True
            raise


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def composer(qtbot: QtBot, running: Running, reader: Reader) -> Iterator[Composer]:
    intake = Intake(running.put, reader.read)
    composer = Composer(Icons(Themes()), intake, running.spawn)
    qtbot.addWidget(composer)
    composer.resize(760, 200)
    composer.show()
    yield composer
    intake.close()


def attach(composer: Composer, running: Running, reader: Reader, folder: Path) -> AttachmentChip:
    """A PDF that is read until the reader waits for the test."""
    (folder / "costs.pdf").write_bytes(made.report())
    composer.add_paths([folder / "costs.pdf"])

    async def begun() -> None:
        while reader.answer is None:
            await asyncio.sleep(0)

    running.loop.run_until_complete(asyncio.wait_for(begun(), 20))
    return composer.chips.chips[0]


def test_a_chip_counts_the_pages_and_then_says_what_there_is(
    composer: Composer, running: Running, reader: Reader, tmp_path: Path
) -> None:
    chip = attach(composer, running, reader, tmp_path)
    assert chip.detail() == "Reading…"
    assert reader.told is not None
    reader.told(3, 12)
    assert chip.detail() == "Reading: 3 of 12"
    assert reader.answer is not None
    reader.answer.set_result(TEXT)
    running.finish()
    assert chip.detail() == "12 pages · 3 words"
    assert "Page 2 holds no text" in chip.toolTip()
    (part,) = composer.tray.parts
    assert isinstance(part, FilePart)
    assert part.mime_type == MIME_TYPES["pdf"]


def test_sending_waits_for_the_text_of_a_document(
    composer: Composer, running: Running, reader: Reader, tmp_path: Path
) -> None:
    sent: list[object] = []
    composer.send_requested.connect(lambda text, parts: sent.append(parts))
    attach(composer, running, reader, tmp_path)
    composer.send()
    assert sent == []
    assert reader.answer is not None
    reader.answer.set_result(TEXT)
    running.finish()
    assert len(sent) == 1


def test_removing_the_chip_ends_the_reading(
    composer: Composer, running: Running, reader: Reader, tmp_path: Path
) -> None:
    chip = attach(composer, running, reader, tmp_path)
    chip.removed.emit(chip.item.id)
    running.finish()
    assert reader.cancelled
    assert composer.tray.items == ()


@pytest.mark.parametrize(
    ("error", "stays"),
    [
        (DocumentError("“costs.pdf” is protected by a password.", reason="password"), False),
        (DocumentError("“costs.pdf” is damaged.", reason="damaged"), True),
        (SamError("The disk is full."), True),
    ],
)
def test_a_pdf_without_text_stays_for_models_that_look_at_it_but_not_a_locked_one(
    composer: Composer, running: Running, reader: Reader, tmp_path: Path, error: SamError, stays: bool
) -> None:
    chip = attach(composer, running, reader, tmp_path)
    assert reader.answer is not None
    reader.answer.set_exception(error)
    running.finish()
    assert len(composer.tray.parts) == stays
    if stays:
        assert chip.detail() == "No text could be read"
        assert "Only models that take PDFs can look at it." in chip.toolTip()
    else:
        assert composer.errors.sentences == (str(error),)


def test_a_restored_draft_says_what_its_document_holds(
    composer: Composer, running: Running, reader: Reader, tmp_path: Path
) -> None:
    part = FilePart(attachment="h", filename="costs.pdf", mime_type=MIME_TYPES["pdf"], size=2_048)
    composer.set_draft(Draft(parts=(part,)))
    (chip,) = composer.chips.chips
    assert chip.detail() == "2 kB"
    running.loop.run_until_complete(asyncio.sleep(0))
    assert reader.answer is not None
    reader.answer.set_result(TEXT)
    running.finish()
    assert chip.detail() == "12 pages · 3 words"
