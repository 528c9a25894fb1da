"""Generated hostile messages through the column that draws replies: nothing is fetched, read or frozen.

``SAM_HOSTILE=3000 pytest tests/ui/hostile`` runs as many documents as that; the suite runs 150.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtTest import QTest

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.links import safe_target
from sam_py.ui.markdown.maths import shared_formulas
from sam_py.ui.theme import Themes
from tests.fakes.fault_server import FaultServer, Reply
from tests.ui.hostile.generator import documents

Run = Callable[[Any], Any]
COUNT = int(os.environ.get("SAM_HOSTILE", "150"))
STEP_S = float(os.environ.get("SAM_HOSTILE_STEP_S", "5"))
"""A step that takes longer is a freeze. By hand, on a quiet machine: 0.1."""
_opened: list[str] = []
_watching = False


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event in ("open", "socket.connect", "socket.getaddrinfo", "subprocess.Popen"):
        name = str(arguments[0] if event == "open" else arguments)
        if not name.endswith((".py", ".pyc", ".so", ".ttf", ".otf", ".afm", ".svg", ".json", ".typed")):
            _opened.append(f"{event}: {name}")


sys.addaudithook(_audit)


@pytest.fixture
def watched() -> Iterator[list[str]]:
    """What Python opened while a test ran: files, sockets, programs. (An audit hook cannot be taken off again.)"""
    global _watching
    _opened.clear()
    _watching = True
    yield _opened
    _watching = False


def test_hostile_documents_fetch_nothing_and_freeze_nothing(run: Run, watched: list[str]) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("")) as server:
            port = int(server.base_url.split(":")[2].split("/")[0])
            column = MarkdownColumn(Themes(), lambda _hash: None)
            column.resize(600, 800)
            column.show()
            picture = QPixmap(600, 800)
            slow: list[tuple[float, str]] = []
            watched.clear()
            for number, text in enumerate(documents(COUNT, port)):
                steps: list[Callable[[], object]] = [column.clear]
                if number % 2:
                    steps += [lambda text=text: column.set_text(text)]
                else:
                    for at in range(0, len(text), 200):
                        steps += [lambda piece=text[at : at + 200]: column.append_text(piece), column.flush]
                    steps += [column.finish]
                steps += [lambda: column.layout_for(600), lambda: column.render(picture), column.plain_text]
                for step in steps:
                    begun = time.process_time()
                    step()
                    took_s = time.process_time() - begun
                    if took_s > STEP_S:
                        slow.append((round(took_s, 3), text[:80]))
                _press_everything(column)
                if number % 25 == 0:
                    await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert server.requests == []
            assert [each for each in watched if "127.0.0.1" in each or "passwd" in each or "open: /etc" in each] == []
            assert slow == []
            column.deleteLater()

    run(scenario())
    assert shared_formulas().stop(60_000)


def _press_everything(column: MarkdownColumn) -> None:
    """Tab through all that can be pressed; what would be opened is only ever a web or a mail address."""
    asked: list[str] = []
    column.link_clicked.connect(asked.append)
    for _target in range(min(12, len(column._all_targets()))):
        QTest.keyClick(column, Qt.Key.Key_Tab)
        QTest.keyClick(column, Qt.Key.Key_Return)
    column.link_clicked.disconnect()
    for url in asked:
        target = safe_target(url)
        assert target is None or target.startswith(("http://", "https://", "mailto:"))
