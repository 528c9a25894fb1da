"""Paints every kind of part in light and dark at three widths: python tests/gallery_markdown.py FOLDER, then look."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtCore import Qt, QThread
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.theme import DARK, LIGHT, Theme, Themes

SAMPLE = Path(__file__).with_name("gallery_markdown.md")


def paint(themes: Themes, text: str, width: int, file: Path) -> None:
    column = MarkdownColumn(themes, lambda _id: None)
    column.set_text(text)
    height = column.layout_for(width)
    for _ in range(40):  # formulas are drawn on another thread
        QThread.msleep(20)
        QApplication.processEvents()
    height = column.layout_for(width)
    column.resize(width, height)
    image = QImage((width + 48) * 2, (height + 48) * 2, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(2)
    image.fill(QColor(themes.current.palette.window))
    painter = QPainter(image)
    painter.translate(24, 24)
    column.render(painter, column.rect().topLeft(), renderFlags=type(column).RenderFlag.DrawChildren)
    painter.end()
    image.save(str(file))


def main(folder: Path) -> None:
    app = QApplication.instance() or QApplication([])
    app.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    folder.mkdir(parents=True, exist_ok=True)
    text = SAMPLE.read_text(encoding="utf-8")
    for name, palette in (("light", LIGHT), ("dark", DARK)):
        themes = Themes(Theme(palette, dark=palette is DARK))
        for width in (380, 560, 780):
            paint(themes, text, width, folder / f"{name}-{width}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
