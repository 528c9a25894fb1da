"""RequestPage: exactly what would be sent now, and what was sent: to be read, or byte for byte."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.agent.preview import Preview
from sam_py.providers.sent_bodies import SentBody
from sam_py.ui.inspector.body_text import BodyText
from sam_py.ui.inspector.request_words import Piece, body_lines, request_pieces
from sam_py.ui.inspector.watch import Watch
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.settings.fields import Choice, Words
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons

log = logging.getLogger(__name__)

_NEXT = "next"


class RequestPage(QWidget):
    """Follows a `Watch` that previews. `sent_of(conversation id)` are the last bodies, oldest first."""

    seen = Signal(bool)
    """Whether the page is on screen."""

    def __init__(
        self,
        icons: Icons,
        watch: Watch,
        sent_of: Callable[[str], Sequence[SentBody]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._watch = watch
        self._sent_of = sent_of
        self._preview: Preview | None = None
        self._trouble = ""
        self._sent: tuple[SentBody, ...] = ()
        self.which = Choice(icons, self.tr("Which request"))
        self.readable = PillButton(icons, self.tr("To be read"), height_px=28, parent=self)
        self.raw = PillButton(icons, self.tr("As sent"), height_px=28, parent=self)
        forms = QButtonGroup(self)
        for button in (self.readable, self.raw):
            button.setCheckable(True)
            forms.addButton(button)
        self.readable.setChecked(True)
        self.copy = IconButton(icons, "copy", self.tr("Copy the request"), size_px=28, icon_px=16, parent=self)
        self.save = IconButton(icons, "download", self.tr("Save the request…"), size_px=28, icon_px=16, parent=self)
        self.facts = Words(icons, role="muted", small=True)
        self.text = BodyText(icons, self.tr("The request"), self)
        self._lay_out()
        self.which.chosen.connect(lambda _value: self._show())
        forms.buttonClicked.connect(lambda _button: self._show())
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._choose_file)
        watch.looked.connect(self._take_preview)
        watch.failed.connect(self._take_trouble)
        self.refresh_sent()

    @property
    def body(self) -> bytes:
        """The bytes of the request that is chosen; empty where none travels."""
        sent = self._chosen()
        if sent is not None:
            return sent.content
        return self._preview.body if self._preview is not None else b""

    def clear(self) -> None:
        """Another conversation: what is shown is not its own."""
        self._preview, self._trouble = None, ""
        self._sent = ()
        self.which.set_values([(_NEXT, self.tr("The next request"))])
        self.refresh_sent()

    def refresh_sent(self) -> None:
        """Look what was sent meanwhile; what is chosen stays so as long as it is there."""
        session = self._watch.session
        sent = tuple(self._sent_of(session.bus.conversation_id)) if session is not None else ()
        if sent != self._sent or not self.which.count():
            before = self.which.currentData()
            self._sent = sent
            values: list[tuple[object, str]] = [(_NEXT, self.tr("The next request"))]
            for index, body in enumerate(reversed(sent)):
                words = self.tr("The last request, %1") if not index else self.tr("An earlier one, %1")
                values.append((body.number, filled(words, _clock_time(body))))
            self.which.set_values(values)
            self.which.show_value(before if any(value == before for value, _text in values) else _NEXT)
        if self.isVisible():
            self._show()

    def _chosen(self) -> SentBody | None:
        value = self.which.currentData()
        return next((body for body in self._sent if body.number == value), None)

    def _lay_out(self) -> None:
        chosen = QHBoxLayout()
        chosen.setSpacing(6)
        chosen.addWidget(self.which, 1)
        forms = QHBoxLayout()
        forms.setSpacing(2)
        forms.addWidget(self.readable)
        forms.addWidget(self.raw)
        forms.addStretch(1)
        forms.addWidget(self.copy)
        forms.addWidget(self.save)
        top = QVBoxLayout()
        top.setContentsMargins(16, 10, 16, 8)
        top.setSpacing(6)
        top.addLayout(chosen)
        top.addLayout(forms)
        top.addWidget(self.facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.text, 1)

    # What is shown

    def _take_preview(self, preview: Preview) -> None:
        self._preview, self._trouble = preview, ""
        self.refresh_sent()

    def _take_trouble(self, sentence: str) -> None:
        self._preview, self._trouble = None, sentence
        self.refresh_sent()

    def _show(self) -> None:
        sent = self._chosen()
        for button in (self.copy, self.save):
            button.setEnabled(bool(self.body))
        if sent is not None:
            self._show_sent(sent)
        else:
            self._show_next()

    def _show_sent(self, sent: SentBody) -> None:
        words = self.tr("POST %1 · %2 bytes")
        self.facts.say(filled(words, sent.address, number(len(sent.content))))
        if self.raw.isChecked():
            self.text.show_body(sent.content)
        else:
            self.text.show_lines(body_lines(sent.content))

    def _show_next(self) -> None:
        preview = self._preview
        if preview is None:
            self.facts.say("")
            words = self._trouble
            if words and self._sent:
                words += "\n\n" + self.tr("What was sent before can be chosen above.")
            self.text.show_pieces([Piece(self.tr("There is no next request yet"), words)] if words else [])
            return
        tokens = filled(self.tr("About %1 tokens"), number(preview.prepared.plan.tokens))
        travels = filled(self.tr("%1 bytes"), number(len(preview.body))) if preview.body else ""
        self.facts.say(" · ".join(fact for fact in (tokens, travels) if fact))
        if not self.raw.isChecked():
            self.text.show_pieces(request_pieces(preview.prepared.request))
        elif preview.body:
            self.text.show_body(preview.body)
        else:
            words = self.tr("It is answered on this computer, or by a model that is not loaded yet.")
            self.text.show_pieces([Piece(self.tr("Nothing travels"), words)])

    # What is done with it

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.body.decode("utf-8", "replace"))

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Save the request"), "request.json")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        body = self.body
        dialog.fileSelected.connect(lambda name: self._write(Path(name), body))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write(self, path: Path, body: bytes) -> None:
        try:
            path.write_bytes(body)
        except OSError as error:
            log.warning("a request could not be saved: %s", error)
            self.facts.say(filled(self.tr("It could not be saved to %1. Choose another folder."), str(path)), "error")

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh_sent()
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.seen.emit(False)


def _clock_time(sent: SentBody) -> str:
    local = QDateTime.fromSecsSinceEpoch(int(sent.at.timestamp()))
    return QLocale().toString(local.time(), "HH:mm:ss")
