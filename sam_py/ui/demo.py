"""The demonstration: type one message as a person would, wait for the reply, print both, take a picture."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.errors import SamError
from sam_py.messages.message import AssistantMessage, UserMessage

if TYPE_CHECKING:
    from sam_py.ui.main_window import MainWindow

_PATIENCE_S = 60.0
_PAINTS = 5


async def demonstrate(window: MainWindow, text: str, screenshot: Path | None) -> str:
    """Send `text` through the window's own keys; returns the exchange as it stands on screen.

    Raises `SamError` where no reply came.
    """
    composer = window.chat.composer
    composer.setFocus()
    for character in text:
        QTest.keyClicks(composer.text, character)
        await asyncio.sleep(0.005)
    QTest.keyClick(composer.text, Qt.Key.Key_Return)
    conversation = window.chat.conversation
    assert conversation is not None
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not _answered(window):
                await asyncio.sleep(0.05)
    except TimeoutError as error:
        raise SamError(f"No reply came within {_PATIENCE_S:g} seconds.") from error
    for _ in range(_PAINTS):  # let the last frame, fonts and highlighting settle before the picture
        await asyncio.sleep(0.1)
    if screenshot is not None:
        screenshot.parent.mkdir(parents=True, exist_ok=True)
        if not window.grab().save(str(screenshot)):
            raise SamError(f"The screenshot could not be written to {screenshot}.")
    lines = []
    for message in conversation.bus.messages():
        match message:
            case UserMessage():
                lines.append(f"You: {message.text}")
            case AssistantMessage():
                label = window.label_of(message.provider, message.model)
                lines.append(f"{label}: {message.text}")
            case _:
                pass
    return "\n\n".join(lines)


def _answered(window: MainWindow) -> bool:
    conversation = window.chat.conversation
    if conversation is None or len(conversation.bus) < 2 or conversation.is_busy:
        return False
    return isinstance(conversation.bus.at(len(conversation.bus) - 1), AssistantMessage)
