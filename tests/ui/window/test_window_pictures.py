"""Pictures in the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from sam_py.messages.parts import ImagePart
from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def png(width_px: int, height_px: int) -> bytes:
    image = QImage(width_px, height_px, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def test_my_picture_stands_on_my_side(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Blue")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            stored = await sam.program._library.attachments.put(png(120, 80))
            sam.chat.send("Look", (ImagePart(attachment=stored, mime_type="image/png", alt="Blue"),))
            await sam.until(lambda: sam.messages and sam.messages[-1].text == "Blue", "the answer")
            await sam.answered()
            row = sam.chat.timeline.row_of(sam.messages[0].id)
            picture, bubble = sorted(row.blocks, key=lambda block: block.height(), reverse=True)
            assert picture.width() == 120
            assert picture.geometry().right() == bubble.geometry().right()
            await sam.close()

    run(scenario())
