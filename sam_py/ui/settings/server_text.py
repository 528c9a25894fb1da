"""TextPane: longer text of others to read, with marked lines; TextField: some lines to write. Both in the theme."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QColor, QFont, QFontDatabase, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from sam_py.ui.widgets.icons import Icons

Mark = Literal["heading", "warning", "text", "muted", "code", "added", "removed", "gap"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with nothing hidden in it, and how it is shown."""

    mark: Mark
    text: str


class TextPane(QTextEdit):
    """Shows `Line`s. What was added or removed carries a sign as well as a colour."""

    def __init__(self, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._lines: tuple[Line, ...] = ()
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(label)
        self.document().setDocumentMargin(12)
        icons.changed.connect(self._retheme)
        self._retheme()

    def show_lines(self, lines: Iterable[Line]) -> None:
        self._lines = tuple(lines)
        self._fill()

    def _retheme(self) -> None:
        colours = self._icons.themes.current.palette
        self.setStyleSheet(f"TextPane {{ background: {colours.code}; color: {colours.text}; border-radius: 8px; }}")
        self._fill()

    def _fill(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for place, line in enumerate(self._lines):
            if place:
                cursor.insertBlock()
            cursor.setBlockFormat(self._block(line.mark, first=place == 0))
            cursor.setCharFormat(self._characters(line.mark))
            cursor.insertText(_signed(line))
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _block(self, mark: Mark, *, first: bool) -> QTextBlockFormat:
        block = QTextBlockFormat()
        if mark in ("heading", "warning") and not first:
            block.setTopMargin(18)
        elif mark == "muted":
            block.setTopMargin(4)
        if mark in ("code", "added", "removed"):
            block.setLeftMargin(10)
        if mark in ("added", "removed"):
            block.setBackground(self._shade(mark))
        return block

    def _shade(self, mark: Mark) -> QColor:
        colours = self._icons.themes.current.palette
        shade = QColor(colours.success if mark == "added" else colours.error)
        shade.setAlphaF(0.16)
        return shade

    def _characters(self, mark: Mark) -> QTextCharFormat:
        theme = self._icons.themes.current
        colours = theme.palette
        characters = QTextCharFormat()
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        if mark in ("code", "added", "removed"):
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            font.setPointSizeF(theme.small_pt)
        elif mark in ("heading", "warning"):
            font.setWeight(QFont.Weight.DemiBold)
        elif mark == "muted":
            font.setPointSizeF(theme.small_pt)
        characters.setFont(font)
        colour = {"muted": colours.text_muted, "warning": colours.warning}.get(mark, colours.text)
        characters.setForeground(QColor(colour))
        return characters


class TextField(QPlainTextEdit):
    """Some lines to write, one thing each; Tab goes on to the next field."""

    def __init__(self, icons: Icons, label: str, text: str = "") -> None:
        super().__init__(text)
        self._icons = icons
        self.setTabChangesFocus(True)
        self.setAccessibleName(label)
        icons.changed.connect(self._retheme)
        self._retheme()

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        colours = theme.palette
        self.setStyleSheet(
            f"TextField {{ background: {colours.raised}; color: {colours.text}; border: 1px solid {colours.border};"
            f" border-radius: {round(8 * theme.scale)}px; padding: {round(4 * theme.scale)}px; }}"
            f"TextField:focus {{ border-color: {colours.accent}; }}"
        )


def _signed(line: Line) -> str:
    match line.mark:
        case "added":
            return f"+ {line.text}"
        case "removed":
            return f"− {line.text}"
        case _:
            return line.text
