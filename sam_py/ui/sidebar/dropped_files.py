"""Files dropped on the sidebar: those that another program exported are offered to be imported. Loaded with the first.

Files for a message are dropped on the composer; here nothing is attached, and nothing comes in before it was said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMimeData, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from sam_py.errors import SamError
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.plain import one_line

_ENDINGS = (".zip", ".json", ".jsonl")
_MOST = 200
_NAME_SHOWN = 60

Notice = Callable[[str, str, object], object]


def exports_in(mime: QMimeData) -> list[Path]:
    """The files that may be exports of another program, by their names alone: a drag asks at every step."""
    if not mime.hasUrls():
        return []
    paths = [Path(url.toLocalFile()) for url in mime.urls()[:_MOST] if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in _ENDINGS]


async def offer_import(files: Sequence[Path], notice: Notice, take: Callable[[list[Path]], object]) -> None:
    """Look at `files` and offer to import those that can be; `take` is called when the person wants it."""
    known: list[tuple[Path, str]] = []
    trouble = ""
    for file in files:
        try:
            known.append((file, await asyncio.to_thread(_format_of, file)))
        except SamError as error:
            trouble = trouble or str(error)
    if not known:
        notice(trouble, "", None)
        return
    if len(known) == 1:
        words = _tr("%1 holds conversations of %2.").replace("%2", known[0][1])
        words = words.replace("%1", one_line(known[0][0].name)[:_NAME_SHOWN])
    else:
        words = _tr("%1 files hold conversations.").replace("%1", str(len(known)))
    notice(words, _tr("Import"), lambda: take([file for file, _format in known]))


def _format_of(file: Path) -> str:
    from sam_py.store.importers.run import format_of

    return format_of(file)


def _tr(text: str) -> str:
    return QCoreApplication.translate("DroppedFiles", text)


class DropWords(QWidget):
    """Lies over the sidebar while files are above it, and says what becomes of them."""

    def __init__(self, themes: Themes, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes
        self.words = _tr("Drop to import")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(parent.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, scale = self._themes.current.palette, self._themes.current.scale
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(palette.selected)
        ground.setAlphaF(0.94)
        painter.setBrush(ground)
        painter.setPen(QPen(QColor(palette.accent), 2))
        box = QRectF(self.rect()).adjusted(8, 8, -8, -8)
        painter.drawRoundedRect(box, 10 * scale, 10 * scale)
        painter.setPen(QColor(palette.text))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(box.adjusted(12, 12, -12, -12), flags, self.words)
