"""A real window with real parts behind it, started and closed as `app.py` does, on the test's own loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from sam_py.app import Program
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import Message
from sam_py.paths import default_paths
from sam_py.providers.guide.provider import GuideProvider
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.ui.loop import Loop

PATIENCE_S = 20.0
GUIDE_CHUNKS_PER_S = 1_000.0
"""Nobody reads along here: at its own pace the guide takes ten seconds for a long answer."""


class Sitting:
    """One run of the program, from its window to its last write."""

    def __init__(self, app: QApplication, home: Path) -> None:
        self.program = Program(app, default_paths(home).create())
        self.program._registry.add(GuideProvider(chunks_per_s=GUIDE_CHUNKS_PER_S))
        self.window = self.program.window
        self.window.resize(1000, 700)
        self.window.show()

    @property
    def chat(self) -> Any:
        return self.window.chat

    @property
    def bus(self) -> MessageBus:
        assert self.chat.conversation is not None
        bus: MessageBus = self.chat.conversation.bus
        return bus

    @property
    def messages(self) -> list[Message]:
        return list(self.bus.messages())

    async def start(self) -> Sitting:
        await self.program.start()
        return self

    async def close(self) -> None:
        self.window.close()
        await self.program.aclose()

    def use_server(self, base_url: str, model: str = "tiny", provider_id: str = "bench") -> None:
        """Set a server up as a person would in the settings, and choose it."""

        def change(settings: Settings) -> Settings:
            server = ProviderSettings(
                id=provider_id, label="Test server", base_url=base_url, model=model, models=(model,)
            )
            others = tuple(each for each in settings.providers if each.id != provider_id)
            default = ModelChoice(provider=provider_id, model=model)
            chat = settings.chat.model_copy(update={"default": default, "model_titles": False, "max_tokens": 200})
            return settings.model_copy(update={"providers": (*others, server), "chat": chat})

        self.program._settings.change(change)
        self.chat.set_model(provider_id, model)

    async def type(self, text: str) -> None:
        QTest.keyClicks(self.chat.composer.text, text)
        await asyncio.sleep(0)

    async def send(self, text: str) -> None:
        """Type and press Enter."""
        await self.type(text)
        QTest.keyClick(self.chat.composer.text, Qt.Key.Key_Return)
        await asyncio.sleep(0)

    async def until(self, what: Callable[[], object], name: str = "the condition") -> None:
        """Wait for something to come true; fails by name where it does not."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not what():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            raise AssertionError(f"{name} did not come true within {PATIENCE_S:g} s") from None

    async def answered(self) -> None:
        """Wait until nothing streams, no reply is awaited, and the rows on screen are in place."""
        conversation = self.chat.conversation
        await self.until(lambda: not conversation.is_busy, "the end of the reply")
        await self.until(lambda: not self.chat.timeline._settle.isActive(), "the layout")

    def screen(self) -> list[str]:
        """What the rows on screen say, from top to bottom, errors and notes included."""
        return [said for row in self.chat.timeline.rows_in_order() if row.isVisible() for said in _said(row)]


def _said(row: Any) -> list[str]:
    texts = [column.plain_text() for column in row.columns]
    names = [block.accessibleName() for block in row.blocks if not block.columns and block.accessibleName()]
    error = [row._error._text.text()] if row._error is not None and row._error.isVisible() else []
    return [*texts, *names, *row._notes, *error]


Run = Callable[[Any], Any]


def make_runner(app: QApplication) -> tuple[Loop, Run]:
    """The event loop of the program, and what runs a coroutine on it to its end."""
    loop = Loop(app)
    asyncio.set_event_loop(loop)
    return loop, loop.run_until_complete
