"""The composer: where a person writes a message, attaches to it, sends it, and stops the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QResizeEvent,
)
from PySide6.QtWidgets import QFileDialog, QSizePolicy, QVBoxLayout, QWidget

from sam_py.messages.parts import Parts
from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.store.drafts import Draft, Edit
from sam_py.ui.chat.attach_button import AttachButton
from sam_py.ui.chat.attachments_intake import (
    TEXT_MAX_BYTES,
    Intake,
    PastedImage,
    PastedText,
    Source,
    size_text,
)
from sam_py.ui.chat.composer_attachments import AttachmentTray, Spawn, Stored
from sam_py.ui.chat.composer_box import SHADOW_PX, ComposerBox
from sam_py.ui.chat.composer_chips import ChipRow
from sam_py.ui.chat.composer_layout import lay_out
from sam_py.ui.chat.composer_lines import ComposerErrors, ComposerHint, ComposerLine
from sam_py.ui.chat.composer_model import ModelButton
from sam_py.ui.chat.composer_preview import AttachmentPreview
from sam_py.ui.chat.composer_prompts import PromptsButton
from sam_py.ui.chat.composer_queue import Queued, QueueList
from sam_py.ui.chat.composer_text import ComposerText, offers_attachment
from sam_py.ui.chat.model_facts import ModelKnowledge
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.ui.chat.model_picker import ModelPicker

PASTE_CHARACTERS = 8_000
PASTE_LINES = 200
"""A pasted text beyond either becomes an attachment: the box stays quick and the message readable."""
MOST_ATTACHMENTS = 20
_COUNT_SHOWN_FROM = 2_000
_GUTTER_PX = 16
_MICROPHONE_FROM_PX = 260
"""In a narrower box, or with larger letters, its key and the menu remain."""
_SPEAKER_FROM_PX = 260
"""In a narrower box there is no room for the switch; its key and the menu are there all the same."""


class Composer(QWidget):
    """The box at the foot of the conversation.

    What stands in it belongs to one conversation at a time: `set_draft` replaces all of it, undo history included, and
    `draft_changed` is emitted at every change, before anything else can replace it; an edit of an earlier message is
    part of the draft. Nothing is removed from the box before the signal that carries it was emitted.
    """

    send_requested = Signal(str, object)
    """text, parts: also while busy, when the session queues it"""
    stop_requested = Signal()
    edit_last_requested = Signal()
    edit_submitted = Signal(str, str, object)
    """message id, text, parts"""
    edit_cancelled = Signal()
    draft_changed = Signal(object)
    """`Draft`"""
    queued_removed = Signal(int)
    queued_edited = Signal(int)
    queued_sent = Signal()
    model_menu_requested = Signal()
    """The picker is about to open: whoever knows the models may still `set_models`."""
    model_chosen = Signal(str, str)
    """provider id, model id"""
    models_refresh_requested = Signal()
    add_provider_requested = Signal()
    reads_toggled = Signal(bool)
    """Replies are to be read aloud, or no more."""
    escaped = Signal()
    """Esc was pressed, and there was nothing to end here."""
    dictation_wanted = Signal()
    draft_replaced = Signal()
    """Another conversation's draft is about to be shown."""

    def __init__(
        self,
        icons: Icons,
        intake: Intake,
        spawn: Spawn,
        *,
        path_of: Callable[[str], Path | None] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self._themes = icons.themes
        self._busy = False
        self._loading = False
        self._send_when_read = False
        self._editing: str | None = None
        self._draft_aside = Draft()
        self.setAcceptDrops(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(self.tr("Composer"))

        self.tray = AttachmentTray(intake, spawn, path_of=path_of, parent=self)
        self.box = ComposerBox(self._themes, self)
        self.queue = QueueList(icons, self.box)
        self.banner = ComposerLine(icons, "edit", "accent", self.tr("Cancel editing"), self.box)
        self.refusal = ComposerLine(icons, "info", "muted", self.tr("Dismiss"), self.box)
        self.refusal.button.hide()  # it stays as long as what it says
        self.errors = ComposerErrors(icons, self.box)
        self.chips = ChipRow(icons, self.tray, self.box)
        self.text = ComposerText(self._themes, self.box)
        self.attach_button = AttachButton(icons)
        self.model_button = ModelButton(icons)
        self.prompts_button = PromptsButton(icons)
        self.hint = ComposerHint(self._themes, self.box)
        self.microphone = IconButton(icons, "microphone", self.tr("Dictate"), shortcut="F7", size_px=34)
        off = self.tr("Read replies aloud: off")
        self.speaker = IconButton(icons, "speaker-off", off, shortcut="Ctrl+Shift+F9", size_px=34)
        self.speaker.setCheckable(True)
        self.stop_button = IconButton(icons, "stop", self.tr("Stop"), shortcut="Esc", role="text", size_px=34)
        self.send_button = IconButton(icons, "send", self.tr("Send"), size_px=34, filled=True)
        lay_out(self)
        self._outer = QVBoxLayout(self)
        self._outer.addWidget(self.box)
        self.setFocusProxy(self.text)
        self._connect()
        self._take_theme()
        self._refresh()

    # What the window tells the composer

    def set_draft(self, draft: Draft) -> None:
        """Show another conversation's draft, and the edit that was under way in it; what is still read is given up."""
        self.draft_replaced.emit()
        self._leave_edit()
        self.errors.clear()
        edit, waiting = draft.edit, draft.model_copy(update={"edit": None})
        if edit is None:
            self._show(waiting)
            return
        self._begin_edit(edit, waiting)

    def draft(self) -> Draft:
        """What stands in the box now; while an earlier message is edited, the draft behind it, with that edit."""
        if self._editing is not None:
            edit = Edit(message_id=self._editing, text=self.text.text(), parts=self.tray.parts)
            return self._draft_aside.model_copy(update={"edit": edit})
        return Draft(text=self.text.text(), parts=self.tray.parts)

    def put_back(self, text: str, parts: Parts = ()) -> None:
        """Return a message that could not be sent: in front of what has been typed since."""
        now = self.draft()
        joined = "\n\n".join(piece for piece in (text, now.text) if piece)
        draft = Draft(text=joined, parts=(*parts, *now.parts))
        if self._editing is None:
            self._show(draft)
        else:
            self._draft_aside = draft
        self._changed()

    def set_busy(self, busy: bool) -> None:
        """While a reply streams there is a stop button, and sending queues."""
        self._busy = busy
        self._refresh()

    def set_refusal(self, why: str) -> None:
        """Take no message while there is a reason `why`: it stands above the text, and what is typed stays a draft."""
        if why != self.refusal.label.text():
            self.refusal.set_words(why)
            self._refresh()

    def set_queued(self, messages: Sequence[Queued]) -> None:
        self.queue.set_messages(messages)

    def set_models(
        self,
        providers: Sequence[ProviderSettings],
        current: ModelChoice,
        recent: Sequence[ModelChoice] = (),
        known: ModelKnowledge | None = None,
    ) -> None:
        """Offer these models, and name `current` as the one that the next message goes to."""
        self.model_button.set_models(providers, current, recent, known)
        self._refresh()

    def open_model_picker(self) -> None:
        """Open the picker at the model button."""
        self.model_button.open_picker()

    @property
    def picker(self) -> ModelPicker:
        return self.model_button.picker

    def set_model(self, label: str, icon: str = "model") -> None:
        """Name the model that the next message goes to, on the button and in the placeholder."""
        self.model_button.set_model(label, icon)
        self._refresh()

    def set_send_with(self, key: Literal["enter", "ctrl_enter"]) -> None:
        self.text.set_send_with(key)

    def show_reads(self, on: bool) -> None:
        """Show whether replies are read aloud while they are written."""
        self.speaker.setChecked(on)
        self.speaker.set_icon("speaker" if on else "speaker-off", "accent" if on else "muted")
        self.speaker.set_label(self.tr("Read replies aloud: on") if on else self.tr("Read replies aloud: off"))

    def put_above_text(self, strip: QWidget) -> None:
        """A line in the box, above all that belongs to the message."""
        column = self.box.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(column.indexOf(self.queue) + 1, strip)

    def show_dictating(self, on: bool) -> None:
        self.microphone.set_icon("microphone", "error" if on else "muted")
        self.microphone.set_label(self.tr("End dictation") if on else self.tr("Dictate"))

    def set_edit_mode(self, message_id: str, text: str, parts: Parts = ()) -> None:
        """Edit an earlier message; the draft waits until that is submitted or cancelled."""
        aside = self._draft_aside if self._editing is not None else self.draft()
        self._begin_edit(Edit(message_id=message_id, text=text, parts=parts), aside)
        self.draft_changed.emit(self.draft())
        self.focus_text()

    @property
    def is_editing(self) -> bool:
        return self._editing is not None

    def cancel_edit(self) -> None:
        """Leave the earlier message as it was and show the draft again."""
        if self._editing is None:
            return
        draft = self._draft_aside
        self._leave_edit()
        self._show(draft)
        self.draft_changed.emit(draft)
        self.edit_cancelled.emit()

    def focus_text(self) -> None:
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    # What comes in

    def add_paths(self, paths: Iterable[Path | str]) -> None:
        """Attach files; a chip appears for each, an error line for what cannot be read."""
        self.attach([Path(path) for path in paths])

    def take_mime(self, mime: QMimeData) -> bool:
        """Take what was pasted or dropped, here or on the conversation. False: nothing in it is for a message."""
        local = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
        if local:
            self.attach(local)
            return True
        if offers_attachment(mime):
            image = mime.imageData()
            if isinstance(image, QImage) and not image.isNull():
                self.attach([PastedImage(image, self.tr("Pasted picture.png"))])
                return True
        if mime.hasText():
            self.take_text(mime.text())
            return True
        return False

    def take_text(self, text: str) -> None:
        """Insert `text` at the cursor; a long one becomes an attachment, a giant one is refused and nothing changes."""
        if len(text) > TEXT_MAX_BYTES:
            sentence = self.tr(
                "The pasted text has {size}; at most {most} can be attached. Save it as a file and attach the part "
                "that matters."
            )
            self.errors.add(sentence.format(size=size_text(len(text)), most=size_text(TEXT_MAX_BYTES)))
        elif len(text) > PASTE_CHARACTERS or text.count("\n") >= PASTE_LINES:
            self.attach([PastedText(text, self.tr("Pasted text.txt"))])
        else:
            self.text.insert_as_typed(text)

    def send(self) -> None:
        """Send what is there; while attachments are still being read, as soon as they are."""
        text = self.text.text()
        if self._is_refused or (not text.strip() and not self.tray.items):
            return
        if self.tray.is_reading:
            self._send_when_read = True
            self._refresh()
            return
        parts = self.tray.parts
        self._send_when_read = False
        self.errors.clear()
        if self._editing is not None:
            message_id, draft = self._editing, self._draft_aside
            self.edit_submitted.emit(message_id, text, parts)
            self._leave_edit()
            self._show(draft)
            self.draft_changed.emit(draft)
            return
        self.send_requested.emit(text, parts)
        self._show(Draft())
        self._changed()

    def choose_files(self) -> None:
        """Open the system's file dialog."""
        dialog = QFileDialog(self, self.tr("Attach files"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add_paths)
        dialog.open()

    # Inside

    def _connect(self) -> None:
        self.text.submitted.connect(self.send)
        self.text.escaped.connect(self._escape)
        self.text.up_in_empty.connect(self._up)
        self.text.mime_offered.connect(self.take_mime)
        self.text.focus_changed.connect(self.box.set_focused)
        self.text.textChanged.connect(self._changed)
        self.tray.changed.connect(self._changed)
        self.tray.failed.connect(self._attachment_failed)
        self.tray.settled.connect(self._attachments_settled)
        self.chips.opened.connect(self._preview)
        self.chips.left_empty.connect(self.focus_text)
        self.banner.button.clicked.connect(self.cancel_edit)
        self.queue.removed.connect(self.queued_removed)
        self.queue.edited.connect(self.queued_edited)
        self.queue.send_wanted.connect(self.queued_sent)
        self.attach_button.files_wanted.connect(self.choose_files)
        self.model_button.clicked.connect(self.open_model_picker)
        self.model_button.menu_requested.connect(self.model_menu_requested)
        self.model_button.model_chosen.connect(self.model_chosen)
        self.model_button.refresh_requested.connect(self.models_refresh_requested)
        self.model_button.add_provider_requested.connect(self.add_provider_requested)
        self.microphone.clicked.connect(self.dictation_wanted)
        self.speaker.clicked.connect(self.show_reads)
        self.speaker.clicked.connect(self.reads_toggled)
        self.stop_button.clicked.connect(self.stop_requested)
        self.send_button.clicked.connect(self.send)
        self._themes.changed.connect(self._take_theme)

    def _show(self, draft: Draft) -> None:
        self._loading = True
        self._send_when_read = False
        try:
            self.text.set_text(draft.text)
            self.tray.set_parts(draft.parts)
        finally:
            self._loading = False
        self._refresh()

    def _begin_edit(self, edit: Edit, aside: Draft) -> None:
        self._editing, self._draft_aside = edit.message_id, aside
        self.banner.set_words(self.tr("Editing an earlier message — Esc cancels"))
        self._show(Draft(text=edit.text, parts=edit.parts))

    def _leave_edit(self) -> None:
        self._editing = None
        self._draft_aside = Draft()
        self.banner.set_words("")

    def attach(self, sources: Sequence[Source | Stored]) -> None:
        """A chip for each, as many as a message takes; what is left out is said."""
        room = max(0, MOST_ATTACHMENTS - len(self.tray.items))
        for source in sources[:room]:
            self.tray.add(source)
        left_out = len(sources) - room
        if left_out > 0:
            sentence = self.tr("A message takes at most {most} attachments; {n} were left out.")
            self.errors.add(sentence.format(most=MOST_ATTACHMENTS, n=left_out))

    def _changed(self) -> None:
        if self._loading:
            return
        self._refresh()
        self.draft_changed.emit(self.draft())

    def _refresh(self) -> None:
        """Buttons, placeholder and hint follow from what is there."""
        has_content = bool(self.tray.items) or not self.text.is_empty()
        self.stop_button.setVisible(self._busy)
        self.stop_button.set_icon("stop", filled=not has_content)
        self.send_button.setVisible(has_content or not self._busy)
        self.send_button.setEnabled(has_content and not self._is_refused)
        label = self.tr("Save and send again") if self.is_editing else self.tr("Send")
        self.send_button.set_label(self.tr("Queue this message") if self._busy and not self.is_editing else label)
        self.text.setPlaceholderText(self.model_button.placeholder)
        self.hint.setText(self._hint(has_content))

    @property
    def _is_refused(self) -> bool:
        return bool(self.refusal.label.text())

    def _hint(self, has_content: bool) -> str:
        if self._send_when_read:
            return self.tr("Sending when the attachments are read…")
        length = self.text.document().characterCount() - 1
        if length >= _COUNT_SHOWN_FROM:
            return self.tr("{n} characters").format(n=self.locale().toString(length))
        if self._busy and has_content and not self.is_editing:
            return self.tr("Queued until the reply ends")
        return ""

    def _attachment_failed(self, sentence: str) -> None:
        self._send_when_read = False  # the person decides whether to send without it
        self.errors.add(sentence)
        self._refresh()

    def _attachments_settled(self) -> None:
        if self._send_when_read:
            self.send()

    def _preview(self, item_id: int) -> None:
        item = next((item for item in self.tray.items if item.id == item_id), None)
        chip = next((chip for chip in self.chips.chips if chip.item.id == item_id), None)
        if item is None or chip is None or item.part is None:
            return
        preview = AttachmentPreview(self._icons, item, self)
        preview.removed.connect(self.tray.remove)
        preview.text_wanted_in_message.connect(self.put_into_message)
        preview.show_above(chip)

    def put_into_message(self, item_id: int) -> None:
        """Turn a text attachment into text of the message, at the cursor."""
        item = next((item for item in self.tray.items if item.id == item_id), None)
        if item is not None and item.text:
            self.tray.remove(item_id)
            self.text.insert_as_typed(item.text)
            self.focus_text()

    def _escape(self) -> None:
        if self.is_editing:
            self.cancel_edit()
        elif self._busy:
            self.stop_requested.emit()
        else:
            self.escaped.emit()

    def _up(self) -> None:
        if not self.is_editing and not self.tray.items:
            self.edit_last_requested.emit()

    def _take_theme(self) -> None:
        self.hint.take_theme()
        self._centre()

    def _centre(self) -> None:
        """Keep to the conversation's column: never wider than the theme says."""
        side = max(_GUTTER_PX, (self.width() - self._themes.current.column_px) // 2)
        self._outer.setContentsMargins(side - SHADOW_PX, 0, side - SHADOW_PX, 10)
        self.prompts_button.fit(self.width() - 2 * side)
        self.microphone.setVisible(self.width() - 2 * side >= _MICROPHONE_FROM_PX * self._themes.current.scale)
        self.speaker.setVisible(self.width() - 2 * side >= self.speaker.px(_SPEAKER_FROM_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._centre()

    def _show_drop(self, shown: bool) -> None:
        self.box.set_drop_words(self.tr("Drop to attach") if shown else "")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        mime = event.mimeData()
        if offers_attachment(mime) or mime.hasText():
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self._show_drop(True)
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_drop(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._show_drop(False)
        if self.take_mime(event.mimeData()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.focus_text()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
