"""Export in the window: PDFs that read as the conversation does, and the dialog that writes every form."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import MessageAdded, SettingsChanged
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import ImagePart, TextPart, ThinkingTextPart
from sam_py.paths import default_paths
from sam_py.store.exporters.background import Task
from sam_py.store.exporters.errors import Cancelled
from sam_py.store.exporters.run import Wanted
from sam_py.ui.export.choice import Exported, LastChoice
from sam_py.ui.export.export_dialog import ExportDialog
from sam_py.ui.export.pdf import Printer
from sam_py.ui.export.saving import KINDS, ending_of, save
from sam_py.ui.markdown.highlight import LIGHT_CODE
from sam_py.ui.services import Services
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.store.exporters.shelves import PNG, put, put_attachment
from tests.store.house import House
from tests.store.kit import START

CHAT = "c" * 32
MARKDOWN = (
    "# Soup\n\nStir **well**"
    + ", and never stop" * 40
    + ".\n\n```python\nstir(pot)\n```\n\n| Step | Time |\n|--|--|\n| Simmer | 45 |\n\n"
)


def _conversation(house: House) -> None:
    hash = put_attachment(house.paths, PNG)
    asked = UserMessage(
        id="1" * 32, created_at=START, parts=(TextPart(text="How long?"), ImagePart(attachment=hash, alt="The pot"))
    )
    parts = (ThinkingTextPart(text="Let me think."), TextPart(text=MARKDOWN * 12))
    said = AssistantMessage(id="2" * 32, created_at=START, model="cook", parts=parts, parent_id=asked.id)
    events = (SettingsChanged(key="title", value="Onion soup"), MessageAdded(message=asked), MessageAdded(message=said))
    put(house.paths, CHAT, events)


def _services(house: House, told: list[BaseException]) -> Services:
    themes = Themes()
    return Services(
        paths=house.paths,
        library=house.library,
        registry=None,  # type: ignore[arg-type]
        catalogue=None,  # type: ignore[arg-type]
        settings=None,  # type: ignore[arg-type]
        secrets=None,  # type: ignore[arg-type]
        themes=themes,
        icons=Icons(themes),
        tasks=Tasks(told.append),
        find_servers=None,  # type: ignore[arg-type]
    )


@pytest.fixture
def house(tmp_path: Path, qapp: Any) -> House:
    house = House(default_paths(tmp_path / "home").create())
    _conversation(house)
    return house


def _text(pdf: bytes) -> list[str]:
    """The text of each page."""
    pdfium = pytest.importorskip("pypdfium2")
    return [page.get_textpage().get_text_range() for page in pdfium.PdfDocument(pdf)]


def test_a_pdf_has_the_whole_conversation_with_numbered_pages(house: House, tmp_path: Path) -> None:
    target = tmp_path / "soup.pdf"
    report = asyncio.run(save(house.paths, Wanted((CHAT,)), "pdf", target))
    pages = _text(target.read_bytes())
    assert (report.conversations, report.messages) == (1, 2)
    assert len(pages) > 1
    assert all(page.rstrip().endswith(str(number)) for number, page in enumerate(pages, 1))
    whole = "\n".join(pages)
    assert whole.count("stir(pot)") == 12
    assert "How long?" in whole
    assert "Let me think." in whole
    assert not any(page.rstrip().splitlines()[-2] == "Soup" for page in pages), "a heading stands with what follows"


def test_a_pdf_without_details_has_neither_thinking_nor_tools(house: House, tmp_path: Path) -> None:
    target = tmp_path / "soup.pdf"
    asyncio.run(save(house.paths, Wanted((CHAT,), details=False), "pdf", target))
    whole = "\n".join(_text(target.read_bytes()))
    assert "Let me think." not in whole
    assert "stir(pot)" in whole


def test_a_pdf_loads_nothing_and_ends_when_it_is_stopped(house: House, tmp_path: Path) -> None:
    from sam_py.store.exporters.printable import Piece

    secret = tmp_path / "secret.png"
    image = QImage(37, 41, QImage.Format.Format_RGB32)
    image.fill(0xFF0000)
    image.save(str(secret))
    pieces = [Piece(f'<p>Look: <img src="{secret.as_uri()}"><img src="{secret}"></p>')]
    pdf = Printer().write("t", iter(pieces), lambda _hash: None, Task())
    assert b"/Width 37" not in pdf
    stopped = Task()
    stopped.stop()
    with pytest.raises(Cancelled):
        Printer().write("t", iter(pieces), lambda _hash: None, stopped)


SHOWN = (
    r"""The energy is $E = m c^2$; see https://example.org/a_(b), or [me](mailto:me@example.org).

$$\frac{a}{b}$$

```python
def stir(pot): ...
```

- [x] done

שלום עולם

| Head | b |
|---|---|
"""
    + "| row | x |\n" * 60
)


def test_a_pdf_has_formulas_drawn_code_in_colour_links_and_heads_on_each_page(qapp: Any) -> None:
    from sam_py.store.exporters.html_paper import paper_prose
    from sam_py.store.exporters.printable import Piece

    pdfium = pytest.importorskip("pypdfium2")
    told: list[int] = []
    piece = Piece(paper_prose(SHOWN), is_message=True)
    pdf = Printer().write("t", iter([piece]), lambda _hash: None, Task(), told.append)
    assert told == [1]
    assert b"/URI (https://example.org/a_(b))" in pdf.replace(b"\\", b"")
    assert b"mailto:me@example.org" in pdf
    document = pdfium.PdfDocument(pdf)
    pages = [page.get_textpage() for page in document]
    first = pages[0].get_text_range()
    assert "$" not in first, "a formula is drawn"
    assert "E = m c^2" in first, "and its source is found and copied"
    assert len(pages) > 1
    assert all("Head" in "".join(page.get_text_range().split()) for page in pages)
    hebrew = next(at for at, char in enumerate(first) if "\u0590" < char < "\u05ff")
    assert pages[0].get_charbox(hebrew)[0] > document[0].get_width() * 0.6
    seen = document[0].render(scale=4).to_numpy().reshape(-1, 3)
    keyword = tuple(int(LIGHT_CODE["keyword"][at : at + 2], 16) for at in (5, 3, 1))  # blue comes first
    assert (abs(seen.astype(int) - keyword).max(axis=1) < 12).any()


async def _until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not what():
            await asyncio.sleep(0.002)


def test_the_dialog_writes_every_form_and_replaces_only_when_told(house: House, tmp_path: Path, qtbot: Any) -> None:
    async def story() -> None:
        told: list[BaseException] = []
        await house.library.start()
        services = _services(house, told)
        parent = ProgressRow(services.icons, "parent")
        qtbot.addWidget(parent)
        last = LastChoice(folder=tmp_path)
        dialog = ExportDialog(services, Exported((CHAT,), "Onion soup"), last, parent)
        assert dialog.target.text() == str(tmp_path / "Onion soup.html")
        for kind in KINDS:
            dialog.kind.show_value(kind)
            dialog.kind.chosen.emit(kind)
            assert dialog.target.text().endswith(ending_of(kind, 1))
            dialog.save_button.click()
            await _until(lambda: not dialog.is_working)
            assert Path(dialog.target.text()).is_file()
        assert json.loads((tmp_path / "Onion soup.json").read_text())["conversations"][0]["id"] == CHAT
        assert zipfile.is_zipfile(tmp_path / "Onion soup.zip")
        assert (last.kind, last.folder) == (KINDS[-1], tmp_path)

        (tmp_path / "mine.txt").write_text("mine")
        dialog.kind.show_value("text")
        dialog.target.setText(str(tmp_path / "mine"))
        dialog.target.textEdited.emit("")
        qtbot.keyClick(dialog.target, Qt.Key.Key_Return)
        assert "already" in dialog.news.text()
        assert (tmp_path / "mine.txt").read_text() == "mine"
        dialog.save()
        await _until(lambda: not dialog.is_working)
        assert "Onion soup" in (tmp_path / "mine.txt").read_text()
        dialog.target.setText(str(tmp_path / ("x" * 300)))
        dialog.save()
        assert "choose another" in dialog.news.text()
        dialog.target.setText(str(tmp_path / "nowhere" / "x.txt"))
        dialog.save()
        await _until(lambda: not dialog.is_working)
        assert "choose another folder" in dialog.news.text()
        dialog.save()
        dialog.done(0)  # closed in the middle of it
        await services.tasks.aclose()
        assert told == []
        await house.library.aclose()

    asyncio.run(story())


def test_messages_of_an_open_conversation_are_saved_as_they_stand(house: House, tmp_path: Path, qtbot: Any) -> None:
    async def story() -> None:
        told: list[BaseException] = []
        await house.library.start()
        bus: MessageBus = await house.talk("First", "Answer", title="Talk")
        services = _services(house, told)
        parent = ProgressRow(services.icons, "parent")
        qtbot.addWidget(parent)
        ids = tuple(message.id for message in bus.messages())
        exported = Exported((bus.conversation_id,), "Talk", ids[1:])
        dialog = ExportDialog(services, exported, LastChoice(kind="text", folder=tmp_path), parent)
        assert not dialog.branches.isEnabled()
        dialog.save()
        await _until(lambda: not dialog.is_working)
        text = (tmp_path / "Talk.txt").read_text()
        assert "Answer" in text
        assert "First" not in text
        await services.tasks.aclose()
        await house.library.aclose()

    asyncio.run(story())
