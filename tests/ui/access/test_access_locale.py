"""Times and numbers are written as the person's country writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QLabel

from sam_py.messages.message import AssistantMessage
from sam_py.messages.usage import Usage
from sam_py.ui.chat.attachments_intake import size_text
from sam_py.ui.chat.message_details import MessageDetails
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


@pytest.mark.parametrize(
    ("name", "clock", "thousand", "size"),
    [
        ("de_DE", r"\d\d:\d\d", "12.345", "1,5 MB"),
        ("en_US", r"\d{1,2}:\d\d [AP]M", "12,345", "1.5 MB"),
        ("en_GB", r"\d\d:\d\d", "12,345", "1.5 MB"),
    ],
)
def test_times_and_numbers_follow_the_locale(
    run: Run, sit_down: SitDown, name: str, clock: str, thousand: str, size: str
) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Hello")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hi")
            await sam.answered()
            reply = sam.messages[-1]
            assert isinstance(reply, AssistantMessage)
            sam.bus.replace(reply.model_copy(update={"usage": Usage(output_tokens=12_345)}))
            await sam.answered()
            facts = sam.chat.timeline.rows_in_order()[-1].foot.facts.replace("\u202f", " ")
            assert re.search(rf"(?<!\d){clock}(?!\S)", facts), facts
            assert f"{thousand} tokens" in facts
            assert size_text(3 * 512 * 1024) == size
            details = MessageDetails(sam.messages[-1], sam.chat._context, sam.window)
            assert f"{thousand} (reported)" in [label.text() for label in details.findChildren(QLabel)]
            details.deleteLater()
            await sam.close()

    before = QLocale()
    QLocale.setDefault(QLocale(name))
    try:
        run(scenario())
    finally:
        QLocale.setDefault(before)
