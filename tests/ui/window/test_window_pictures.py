"""Pictures in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage

from sam_py.messages.parts import ImagePart
from sam_py.ui.chat.image_viewer import ImageViewer
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


def test_a_pressed_picture_is_shown_under_its_name_and_says_what_fails(
    run: Run, sit_down: SitDown, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Blue")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            stored = await sam.program._library.attachments.put(png(120, 80))
            sam.chat.send("Look", (ImagePart(attachment=stored, mime_type="image/png", alt="sea.png"),))
            await sam.until(lambda: sam.messages and sam.messages[-1].text == "Blue", "the answer")
            await sam.answered()
            row = sam.chat.timeline.row_of(sam.messages[0].id)
            [target] = [each for column in row.columns for part in column.parts() for each in part.targets()]
            sam.chat.timeline.image_clicked.emit(target.value)
            [viewer] = sam.window.findChildren(ImageViewer)
            assert viewer.windowTitle() == "sea.png"
            assert viewer.file_name() == "sea.png"
            viewer._save_selected(str(tmp_path / "no such folder" / "sea.png"))
            assert "could not be saved" in sam.window.notices.notices[-1].text
            viewer.close()
            await sam.close()

    run(scenario())


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
