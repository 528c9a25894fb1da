"""PlayerStrip: a slim line above the composer while something is read: what, and how to hold, skip or end it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from sam_py.speech.voice_state import VoiceState
from sam_py.ui.voice.foot_line import FootLine
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line


class PlayerStrip(FootLine):
    """Shows a `VoiceState`; hidden while that is silent. It says nothing to screen readers: they would talk over it."""

    pause_clicked = Signal()
    skip_clicked = Signal()
    stop_clicked = Signal()
    show_clicked = Signal()
    focus_lost = Signal()
    """What had the keyboard is gone."""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(icons, "speaker", parent)
        self.placeholder = self.tr("Reading aloud…")
        self.setAccessibleName(self.tr("Reading aloud"))
        self.show_button = PillButton(icons, self.tr("Go to it"), kind="outline", height_px=26, parent=self)
        self.show_button.hide()
        self.pause_button = self._button("pause", self.tr("Pause"), "Ctrl+F9")
        self.skip_button = self._button("skip", self.tr("Skip the sentence"), "Shift+F9")
        self.stop_button = self._button("stop", self.tr("Stop reading"), "F9")
        self.add_buttons(self.show_button, self.pause_button, self.skip_button, self.stop_button)
        self.show_button.clicked.connect(self.show_clicked)
        self.pause_button.clicked.connect(self.pause_clicked)
        self.skip_button.clicked.connect(self.skip_clicked)
        self.stop_button.clicked.connect(self.stop_clicked)

    def show_state(self, state: VoiceState, *, can_go_there: bool) -> None:
        """Show what is read now, and *Go to it* where that is out of view."""
        if state.phase == "silent":
            had_keyboard = self.has_keyboard
            self.hide()
            self.words = ""
            if had_keyboard:
                self.focus_lost.emit()
            return
        is_paused = state.phase == "paused"
        self.pause_button.set_icon("play" if is_paused else "pause")
        self.pause_button.set_label(self.tr("Go on") if is_paused else self.tr("Pause"))
        if state.utterance is not None:
            self.words = one_line(state.utterance.text)
            self.setAccessibleDescription(self.words)
        self.show_button.setVisible(can_go_there)
        self.show()
        self.update()

    def _button(self, icon: str, label: str, shortcut: str) -> IconButton:
        return IconButton(self._icons, icon, label, shortcut=shortcut, size_px=28, icon_px=16, parent=self)
