"""A library page over a real index of conversations on the disk, and the loop on which both work."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication

from sam_py.messages.history import HistoryEvent, MessageAdded, SettingsChanged
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import FilePart, ImagePart, Part, TextPart, ToolCallPart
from sam_py.paths import Paths
from sam_py.store.journal import Journal
from sam_py.store.library import Library
from sam_py.store.search_index.service import SearchService
from sam_py.ui.library.library_page import LibraryPage
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import LIGHT, Theme, Themes
from sam_py.ui.widgets.icons import Icons

BEGUN = datetime(2026, 3, 28, 12, tzinfo=UTC)


def png(colour: str = "#3366cc", width: int = 60, height: int = 40) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


class Rooms:
    """Writes conversations as the program would have left them."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths.create()
        self._number = 0

    def put(self, content: bytes) -> str:
        hash = hashlib.sha256(content).hexdigest()
        folder = self.paths.attachments / hash[:2]
        folder.mkdir(exist_ok=True)
        (folder / hash).write_bytes(content)
        return hash

    def write(self, id: str, title: str, *messages: Message) -> None:
        events: list[HistoryEvent] = [SettingsChanged(key="title", value=title)]
        events += [MessageAdded(message=message) for message in messages]
        Journal(str(self.paths.conversations / id), "aa").save(events)

    def asked(self, id: str, text: str, *parts: Part, parent: str | None = None, days: float = 0) -> UserMessage:
        at = BEGUN + timedelta(days=days)
        return UserMessage(id=id, parent_id=parent, created_at=at, parts=(TextPart(text=text), *parts))

    def answered(self, id: str, parent: str, *parts: Part, days: float = 0, model: str = "m") -> AssistantMessage:
        at = BEGUN + timedelta(days=days, seconds=5)
        return AssistantMessage(
            id=id, parent_id=parent, created_at=at, parts=parts, provider="p", model=model, stop_reason="stop"
        )

    def furnish(self) -> None:
        """Three pictures over two months (one of them missing), code, a link, a document and a tool's result."""
        blue, red = self.put(png("#3366cc")), self.put(png("#cc3333", 300, 200))
        gone = hashlib.sha256(png("#00ff00")).hexdigest()
        code = "See [the docs](https://docs.example.org/a?b=1).\n\n```python\nprint('lamp')\n```\n"
        call = ToolCallPart(call_id="c1", tool_name="read_page", arguments_json='{"url": "https://a.example.org"}')
        self.write(
            "boats",
            "Paper boats",
            self.asked("q1", "paint a boat in the harbour"),
            self.answered(
                "a1", "q1", TextPart(text=code), ImagePart(attachment=blue, alt="a boat", width=60, height=40)
            ),
            self.asked("q2", "and a red one", parent="a1", days=10),
            self.answered("a2", "q2", ImagePart(attachment=red, alt="red boat", width=300, height=200), days=10),
            self.asked("q3", "the lost one", ImagePart(attachment=gone, alt="lost"), parent="a2", days=11),
        )
        offer = FilePart(attachment=self.put(b"%PDF"), filename="offer.pdf", mime_type="application/pdf", size=4)
        notes = FilePart(attachment=self.put(b"one\n"), filename="notes.txt", mime_type="text/plain", size=4)
        self.write(
            "house",
            "The house",
            self.asked("h1", "what do they offer", offer, notes, days=1),
            self.answered("h2", "h1", call, days=1, model="other"),
            ToolResultMessage(
                id="h3",
                parent_id="h2",
                created_at=BEGUN + timedelta(days=1, seconds=9),
                call_id="c1",
                tool_name="read_page",
                status="success",
                output_text="the lighthouse was built in 280 BC",
            ),
        )


class Shown:
    """The page in a window of its own."""

    def __init__(self, qtbot: Any, paths: Paths) -> None:
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.rooms = Rooms(paths)
        self.failed: list[BaseException] = []
        self.jumps: list[tuple[str, str]] = []
        self.library = Library(paths)
        self.search = SearchService(paths, is_gentle=False)
        themes = Themes(Theme(LIGHT, dark=False, reduced_motion=True))
        self.services: Any = SimpleNamespace(
            paths=paths, library=self.library, themes=themes, icons=Icons(themes), tasks=Tasks(self.failed.append)
        )
        self._qtbot = qtbot

    def open(self, *, start: bool = True) -> LibraryPage:
        async def begin() -> None:
            await self.library.start()
            if start:
                self.search.start()
                self.search.follow(self.library)
                await self.search.settled()

        self.loop.run_until_complete(begin())
        self.page = LibraryPage(self.services, self.search, lambda *place: self.jumps.append(place))
        self.reused: list[Any] = []
        self.page.reused.connect(self.reused.append)
        self._qtbot.addWidget(self.page)
        self.page.resize(900, 640)
        self.page.show()
        return self.page

    def until(self, holds: Callable[[], object]) -> None:
        """Let Qt and the loop go on until something holds."""
        for _ in range(6000):
            self.loop.run_until_complete(asyncio.sleep(0.001))
            QApplication.processEvents()
            if holds():
                return
        raise AssertionError("it did not come true")

    def show_kind(self, kind: Any) -> list[str]:
        """Turn to a kind and return the names of what is listed."""
        self.page.show_kind(kind)
        return self.settle()

    def settle(self) -> list[str]:
        listing = self.page.listing
        self.until(lambda: not listing.is_looking and listing._task is None)
        return [item.name for item in self.page.model.items]

    def select(self, row: int) -> None:
        self.page.view.select_row(row)

    def close(self) -> None:
        async def end() -> None:
            await self.services.tasks.aclose()
            await self.search.aclose()
            await self.library.aclose()

        if hasattr(self, "page"):
            self.page.stop()
        self.loop.run_until_complete(end())
        self.loop.close()
        asyncio.set_event_loop(None)
        assert self.failed == []


@pytest.fixture
def shown(qtbot: Any, tmp_path: Path) -> Iterator[Shown]:
    shown = Shown(qtbot, Paths(tmp_path / "config", tmp_path / "data", tmp_path / "state"))
    yield shown
    shown.close()
