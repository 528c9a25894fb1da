"""DocumentViewer: the text of an attached file in a window of its own, with what is found in it; Esc closes it."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.messages.documents import Document, document_kind
from sam_py.messages.parts import FilePart
from sam_py.ui.chat.document_words import document_facts
from sam_py.ui.chat.header import ElidedText
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.links import open_document
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.plain import one_line, window_title

if TYPE_CHECKING:
    from sam_py.ui.library.passages import Passage
    from sam_py.ui.library.tool_marks import ToolMarks

SHOWN_CHARACTERS = 1_000_000
"""More would keep the window waiting."""
_NAME_CHARACTERS = 120
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')


class DocumentViewer(QDialog):
    """Opened with ``open()``. `text` is shown, `path` holds the original, or is None where that is gone.

    `failed` brings a sentence for the person.
    """

    failed = Signal(str)

    def __init__(
        self,
        part: FilePart,
        text: str,
        path: Path | None,
        context: RowContext,
        parent: QWidget,
        *,
        document: Document | None = None,
        begins_at: int = 0,
    ) -> None:
        """`begins_at`: the character of a long text from which on it is shown."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(part.filename))
        self._part = part
        self._path = path
        self._palette = context.themes.current.palette
        icons = context.icons
        self.facts = ElidedText(icons.themes, muted=True, parent=self)
        self.facts.set_text(" · ".join(document_facts(document)) if document is not None else "")
        self.field = FilterField(icons, self.tr("Find in the text"), self)
        self.field.setFixedWidth(round(200 * icons.themes.current.scale))
        self.previous = IconButton(icons, "chevron-up", self.tr("Previous place"), shortcut="Shift+F3", parent=self)
        self.next = IconButton(icons, "chevron-down", self.tr("Next place"), shortcut="F3", parent=self)
        self.open_button = PillButton(icons, self.tr("Open"), icon="external", parent=self)
        self.open_button.set_label(self.tr("Open the file in its own program"))
        self.save_button = PillButton(icons, self.tr("Save a copy…"), icon="download", parent=self)
        for button in (self.open_button, self.save_button):
            button.setEnabled(path is not None)
        self._marks: ToolMarks | None = None
        shown = made_visible(text[begins_at : begins_at + SHOWN_CHARACTERS]) or self.tr(
            "There is no text in this file."
        )
        self.text = ToolText(context, part.filename, shown, most_lines=1_000, parent=self)
        self._lay_out(document, len(text), begins_at)
        self._connect()
        scale, room = icons.themes.current.scale, parent.window().size()
        self.resize(min(round(820 * scale), room.width() - 32), min(round(640 * scale), room.height() - 32))
        self.field.setFocus()

    def _lay_out(self, document: Document | None, length: int, begins_at: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.facts, 1)
        for widget in (self.field, self.previous, self.next):
            top.addWidget(widget)
        column.addLayout(top)
        column.addWidget(self.text, 1)
        said = list(document.notes) if document is not None else []
        if length > SHOWN_CHARACTERS:
            more = self.tr("Only the first %1 characters are shown here.")
            if begins_at:
                more = self.tr("Only %1 characters are shown here, from around what was found.")
            said.append(more.replace("%1", self.locale().toString(SHOWN_CHARACTERS)))
        if said:
            note = QLabel(" ".join(said), self)
            note.setTextFormat(Qt.TextFormat.PlainText)
            note.setWordWrap(True)
            column.addWidget(note)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.open_button)
        foot.addWidget(self.save_button)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.field.textEdited.connect(self._find_from_here)
        self.field.returnPressed.connect(self.find_next)
        self.next.clicked.connect(self.find_next)
        self.previous.clicked.connect(self.find_previous)
        self.open_button.clicked.connect(self.open_original)
        self.save_button.clicked.connect(self.save_copy)
        for keys, act in (("F3", self.find_next), ("Shift+F3", self.find_previous)):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        QShortcut(QKeySequence.StandardKey.Find, self).activated.connect(self.field.setFocus)

    # Finding

    def show_passage(self, passage: Passage) -> None:
        """Mark the words of a search, with the place that it showed in view; F3 goes on to the others."""
        from sam_py.ui.library.passages import mark_passage

        self._marks = mark_passage(self.text, passage, self._palette)

    def find_next(self) -> bool:
        """Select the next place, from the top again after the last. False where there is none."""
        return self._find(QTextDocument.FindFlag(0))

    def find_previous(self) -> bool:
        return self._find(QTextDocument.FindFlag.FindBackward)

    def _find(self, how: QTextDocument.FindFlag) -> bool:
        words = self.field.text()
        if not words and self._marks is not None and self._marks.current is not None:
            step = -1 if how == QTextDocument.FindFlag.FindBackward else 1
            self._marks.choose((self._marks.current + step) % self._marks.count())
            return True
        if not words or self.text.find(words, how):
            return bool(words)
        before = self.text.textCursor()
        back = how == QTextDocument.FindFlag.FindBackward
        self.text.moveCursor(QTextCursor.MoveOperation.End if back else QTextCursor.MoveOperation.Start)
        if self.text.find(words, how):
            return True
        self.text.setTextCursor(before)
        return False

    def _find_from_here(self) -> None:
        """While words are typed the place that fits them so far stays."""
        cursor = self.text.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self.text.setTextCursor(cursor)
        self.find_next()

    # The original

    def open_original(self) -> None:
        """Open a copy in the program that the system has for it: the store's own file stays as it is."""
        try:
            copy = self.save_to(Path(tempfile.mkdtemp(prefix="sam-")) / file_name(self._part))
        except SamError as error:
            self.failed.emit(str(error))
            return
        if not open_document(copy):
            self.failed.emit(self.tr("No program opens this kind of file. Save a copy of it instead."))

    def save_copy(self) -> None:
        dialog = QFileDialog(self, self.tr("Save a copy"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(file_name(self._part))
        dialog.fileSelected.connect(self._save_selected)
        dialog.open()

    def save_to(self, target: Path) -> Path:
        """Write the file as it is to `target`. Raises SamError."""
        try:
            if self._path is None:
                raise FileNotFoundError(2, "it is not in the store")
            shutil.copyfile(self._path, target)
        except OSError as error:
            sentence = self.tr("The file could not be saved to %1 (%2). Choose another folder.")
            raise SamError(sentence.replace("%1", str(target)).replace("%2", error.strerror or str(error))) from error
        return target

    def _save_selected(self, target: str) -> None:
        try:
            self.save_to(Path(target))
        except SamError as error:
            self.failed.emit(str(error))


def file_name(part: FilePart) -> str:
    """What to save a file as: its name, with the ending of what it is, so that nothing else is opened with it.

    >>> file_name(FilePart(attachment="", filename="../bill.pdf.exe", mime_type="application/pdf"))
    '.._bill.pdf.exe.pdf'
    """
    name = _NOT_IN_NAMES.sub("_", one_line(part.filename))[:_NAME_CHARACTERS].strip() or _tr("File")
    kind = document_kind(part.mime_type, 10**9)
    ending = f".{kind}" if kind is not None else ".txt"
    same = {".htm": ".html", ".xhtml": ".html", ".tsv": ".csv"}
    found = PurePath(name).suffix.lower()
    return name if same.get(found, found) == ending else f"{name}{ending}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("DocumentViewer", text)
