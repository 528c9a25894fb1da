"""ServerLogView: the end of what a server wrote to its standard error, to read when it does not do as it should."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.ui.chat.tool_words import made_visible, visible_line
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.server_text import Line, TextPane
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

SHOWN_BYTES = 100_000
"""Of the file's end; the whole of it stays where it is."""


class ServerLogView(QDialog):
    """Secrets that the server was given were blotted out when the lines were written."""

    def __init__(self, icons: Icons, label: str, path: Path | None, parent: QWidget, *, local: bool = True) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Log of a server"))
        self._path = path
        self._local = local
        scale = icons.themes.current.scale
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        column.addWidget(Words(icons, one_line(label), heavy=True))
        where = visible_line(str(path)) if path is not None else ""
        self._where = Words(icons, where, role="muted", small=True)
        column.addWidget(self._where)
        self.text = TextPane(icons, self.tr("What the server wrote"), self)
        column.addWidget(self.text, 1)
        row = QHBoxLayout()
        copy = PillButton(icons, self.tr("Copy"), kind="outline", icon="copy")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        self.again = PillButton(icons, self.tr("Read again"), kind="outline", icon="regenerate")
        self.again.clicked.connect(self.read)
        close = PillButton(icons, self.tr("Close"), kind="outline")
        close.clicked.connect(self.reject)
        row.addWidget(copy)
        row.addWidget(self.again)
        row.addStretch(1)
        row.addWidget(close)
        column.addLayout(row)
        self.resize(round(640 * scale), round(460 * scale))
        self.read()

    def read(self) -> None:
        """Show what the file's end holds now."""
        lines = [Line("code", each) for each in self._tail()]
        self.text.show_lines(lines or [Line("muted", self.tr("It wrote nothing."))])
        self.text.moveCursor(QTextCursor.MoveOperation.End)

    def _tail(self) -> list[str]:
        if self._path is None and self._local:
            return []
        if self._path is None:
            return [self.tr("A server at an address keeps its own log.")]
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - SHOWN_BYTES))
                content = file.read(SHOWN_BYTES)
        except FileNotFoundError:
            return []
        except OSError as error:
            return [self.tr("The log cannot be read: %1").replace("%1", error.strerror or str(error))]
        return [made_visible(line) for line in content.decode("utf-8", "replace").splitlines()]
