"""PromptEditor: where a mini prompt is written: name, text, and where it can be switched on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from sam_py.messages.message import new_id
from sam_py.reminders.mini_prompts import NAME_MOST, TEXT_MOST, MiniPrompt
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_NEW = MiniPrompt(id="", name="", text="")
_COUNT_SHOWN_FROM = TEXT_MOST * 3 // 4


class PromptEditor(QWidget):
    """Keeps what was typed until it is saved or cancelled. What is wrong is said below its field."""

    saved = Signal(object)
    """`MiniPrompt`, for the conversation that is open"""
    cancelled = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._begun = _NEW
        self._conversation = ""
        self._aside: dict[str, tuple[str, str, bool]] = {}
        """What was typed and left, by the prompt's id: name, text, only here."""
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(self.tr("Name, as in: Short answers"))
        self.name.setAccessibleName(self.tr("Name"))
        self.name_trouble = Words(icons, role="error", small=True)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("promptText")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(self.tr("What the model is to keep in mind with every message"))
        self.text.setAccessibleName(self.tr("Text"))
        self.text_trouble = Words(icons, role="error", small=True)
        self.scope = Switch(icons, self.tr("Only in this conversation"))
        self.scope_words = Words(icons, self.tr("Only in this conversation"))
        self.scope_hint = Words(icons, role="muted", small=True)
        self.cancel_button = PillButton(icons, self.tr("Cancel"), kind="outline", parent=self)
        self.save_button = PillButton(icons, self.tr("Save"), kind="accent", shortcut="Ctrl+Return", parent=self)
        self._build()
        for field in (self.name, self.text, self.scope):
            field.installEventFilter(self)
        self.name.textEdited.connect(self._name_changed)
        self.name.returnPressed.connect(self.text.setFocus)
        self.text.textChanged.connect(self._text_changed)
        self.scope.switched.connect(self._say_scope)
        self.cancel_button.clicked.connect(self.cancel)
        self.save_button.clicked.connect(self.save)
        icons.changed.connect(self._take_theme)
        self._take_theme()

    def begin(self, prompt: MiniPrompt | None, conversation_id: str) -> None:
        """Edit `prompt`, or write a new one, from where it was left; `conversation_id` is "this conversation"."""
        if self.has_changes:
            self._aside[self._begun.id] = (self.name.text(), self.text.toPlainText(), self.scope.isChecked())
        prompt = prompt or _NEW
        typed = self._aside.pop(prompt.id, None)
        self._fill(prompt, *(typed or (prompt.name, prompt.text, prompt.conversations is not None)))
        self.set_conversation(conversation_id)

    def clear(self) -> None:
        """What stands here was saved or given up."""
        self._fill(_NEW, "", "", alone=False)

    def _fill(self, prompt: MiniPrompt, name: str, text: str, alone: bool) -> None:
        self._begun = prompt
        self.name.setText(name)
        self.text.setPlainText(text)
        self.scope.setChecked(alone)
        self._say_scope()
        self._say(self.name_trouble, "")
        self._say(self.text_trouble, "")

    def set_conversation(self, conversation_id: str) -> None:
        """Another conversation is open now; what is being written goes on."""
        self._conversation = conversation_id

    @property
    def has_changes(self) -> bool:
        """Whether something would be lost with what stands here."""
        now = (self.name.text().strip(), self.text.toPlainText().strip())
        return now != (self._begun.name, self._begun.text) or self._is_scope_changed

    def focus_field(self) -> None:
        field = self.text if self.name.text().strip() else self.name
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def save(self) -> None:
        """Hand the prompt over where it is in order; else say what is not, and go there."""
        name_ok, text_ok = self._check_name(asked=True), self._check_text(asked=True)
        if not (name_ok and text_ok):
            field = self.text if name_ok else self.name
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            words = self.text_trouble if name_ok else self.name_trouble
            announce(self, words.text(), urgent=True)
            return
        update: dict[str, object] = {"name": self.name.text().strip(), "text": self.text.toPlainText().strip()}
        if self._is_scope_changed:
            update["conversations"] = (self._conversation,) if self.scope.isChecked() else None
        if self._begun is _NEW:
            update["id"] = new_id()
        self.saved.emit(self._begun.model_copy(update=update))

    def cancel(self) -> None:
        self.clear()
        self.cancelled.emit()

    @property
    def _is_scope_changed(self) -> bool:
        return self.scope.isChecked() != (self._begun.conversations is not None)

    def _build(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.scope_words)
        words.addWidget(self.scope_hint)
        scope = QHBoxLayout()
        scope.setSpacing(10)
        scope.addWidget(self.scope, 0, Qt.AlignmentFlag.AlignVCenter)
        scope.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 4, 0)
        column.setSpacing(6)
        column.addWidget(self.name)
        column.addWidget(self.name_trouble)
        column.addWidget(self.text, 1)
        column.addWidget(self.text_trouble)
        column.addSpacing(4)
        column.addLayout(scope)
        column.addSpacing(4)
        column.addLayout(buttons)

    def _say_scope(self) -> None:
        alone = self.scope.isChecked()
        hint = self.tr("No other conversation lists it.") if alone else self.tr("Every conversation can tick it.")
        self.scope_hint.setText(hint)
        self.scope.setAccessibleDescription(hint)

    def _check_name(self, *, asked: bool = False) -> bool:
        """Say what is wrong with the name; that it is missing only where somebody `asked`."""
        length = len(self.name.text().strip())
        words = ""
        if not length and (asked or not self.name_trouble.isHidden()):
            words = self.tr("Give it a name.")
        elif length > NAME_MOST:
            words = self._too_long(self.tr("The name has %1 characters; at most %2 fit."), length, NAME_MOST)
        self._say(self.name_trouble, words)
        return not words

    def _check_text(self, *, asked: bool = False) -> bool:
        length = len(self.text.toPlainText().strip())
        words = ""
        if not length and (asked or not self.text_trouble.isHidden()):
            words = self.tr("Write what the model is to keep in mind.")
        elif length > TEXT_MOST:
            sentence = self.tr("The text has %1 characters; at most %2 go with every message. Shorten it.")
            words = self._too_long(sentence, length, TEXT_MOST)
        self._say(self.text_trouble, words)
        return not words

    def _too_long(self, sentence: str, length: int, most: int) -> str:
        locale = self.locale()
        return sentence.replace("%1", locale.toString(length)).replace("%2", locale.toString(most))

    def _name_changed(self, _text: str) -> None:
        self._check_name()

    def _text_changed(self) -> None:
        length = self.text.document().characterCount() - 1
        if self._check_text() and length >= _COUNT_SHOWN_FROM:
            words = self._too_long(self.tr("%1 of %2 characters"), length, TEXT_MOST)
            self.text_trouble.say(words, "muted")

    def _say(self, words: Words, text: str) -> None:
        if words.text() != text or bool(text) == words.isHidden():
            words.say(text, "error")

    def _take_theme(self) -> None:
        theme = self._icons.themes.current
        colours = theme.palette
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        self.name.setFont(font)
        self.text.setFont(font)
        palette = QPalette(self.text.palette())
        for role, colour in (
            (QPalette.ColorRole.Base, colours.raised),
            (QPalette.ColorRole.Text, colours.text),
            (QPalette.ColorRole.PlaceholderText, colours.text_muted),
        ):
            palette.setColor(role, QColor(colour))
        self.text.setPalette(palette)
        line = self.text.fontMetrics().lineSpacing()
        self.text.setMinimumHeight(2 * line + 16)
        radius = round(8 * theme.scale)
        self.text.setStyleSheet(
            f"#promptText {{ background: {colours.raised}; border: 1px solid {colours.border};"
            f" border-radius: {radius}px; padding: {round(3 * theme.scale)}px {round(4 * theme.scale)}px; }}"
            f"#promptText:focus {{ border-color: {colours.accent}; }}"
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.save()
                return True
        return super().eventFilter(watched, event)
