"""ToolQuestion: asks the person whether a call may run, and shows exactly what would run."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from sam_py.tools.approval import Answer, Question
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_asking import ARMED_AFTER_MS, may_take_keyboard, plain_words
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.chat.tool_words import made_visible, pretty_arguments, touch_words
from sam_py.ui.tool_groups import tool_label
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton

_MOST_LINES = 14
_TOUCH_LINES = 6
_LONGEST_DOING = 300
"""Characters; the arguments below have the rest."""
_PAD_PX = 14
_GAP_PX = 8


class AllowButton(PillButton):
    """Allows by click or Space, never by Enter: that is pressed too easily while one writes."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
            return
        super().keyPressEvent(event)


class ToolQuestion(QWidget):
    """What would run, in full, and four answers. Deny has the keyboard first."""

    answered = Signal(str)

    def __init__(self, context: RowContext, question: Question, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._question = question
        label = made_visible(tool_label(question.tool_name, question.label))
        title = self.tr("May “{tool}” run?").replace("{tool}", label)
        self._title = self._words(title, heavy=True)
        self._doing = self._words(made_visible(_bounded(question.doing)))
        self._warning = self._words(
            self.tr(
                "The model has just read text that was written by strangers, which may try to make it do this. "
                "Allow it only if it is what you want."
            ),
            colour=context.themes.current.palette.warning,
        )
        self._warning.setVisible(question.after_strangers)
        touches = "\n".join(": ".join(touch_words(each)) for each in question.touches)
        self._touches = self._text(self.tr("What it touches"), touches, _TOUCH_LINES)
        self._touches.setVisible(bool(touches))
        arguments = pretty_arguments(question.arguments_json)
        self._arguments = self._text(self.tr("Arguments"), arguments, _MOST_LINES)
        self.deny = PillButton(context.icons, self.tr("Deny"), kind="outline", parent=self)
        self.allow = {
            "once": AllowButton(context.icons, self.tr("Allow once"), kind="outline", parent=self),
            "conversation": AllowButton(
                context.icons, self.tr("Allow for this conversation"), kind="outline", parent=self
            ),
            "always": AllowButton(context.icons, self.tr("Always for this tool"), kind="outline", parent=self),
        }
        hints = {
            "conversation": self.tr("Later calls of this tool here do the same kind of thing without asking."),
            "always": self.tr(
                "Later calls of this tool, in all conversations, do the same kind of thing without asking. "
                "Settings list it, and take it back."
            ),
        }
        for answer, hint in hints.items():
            self.allow[answer].setToolTip(hint)
            self.allow[answer].setAccessibleDescription(hint)
        self.deny.clicked.connect(lambda: self._choose("deny"))
        for answer, button in self.allow.items():
            button.clicked.connect(lambda _checked=False, answer=answer: self._choose(answer))
        if not question.may_be_granted:
            for answer in hints:
                self.allow[answer].hide()
        self._is_armed = False
        self._arming = QTimer(self)
        self._arming.setSingleShot(True)
        self._arming.setInterval(ARMED_AFTER_MS)
        self._arming.timeout.connect(self._armed)
        context.calls.questions_changed.connect(self.disarm)
        spoken = [title, self._doing.text(), touches]
        if question.after_strangers:
            spoken.append(self._warning.text())
        self.setAccessibleName(". ".join(filter(None, spoken)))
        self.setAccessibleDescription(arguments)
        self.disarm()

    @property
    def question(self) -> Question:
        return self._question

    def disarm(self) -> None:
        """Take no answer for a moment: it has just come up, or may have moved under the mouse."""
        self._is_armed = False
        for button in self.allow.values():
            button.setEnabled(False)
        self._arming.start()

    def take_keyboard(self) -> None:
        """Give Deny the focus, unless the person is writing something."""
        if may_take_keyboard(self):
            self.deny.setFocus(Qt.FocusReason.TabFocusReason)

    def layout_for(self, width_px: int) -> int:
        pad, gap = self._px(_PAD_PX), self._px(_GAP_PX)
        inner = width_px - 2 * pad
        y = pad
        for piece in (self._title, self._doing, self._warning, self._touches, self._arguments):
            if piece.isHidden() or (isinstance(piece, QLabel) and not piece.text()):
                continue
            left = pad + self._px(26) if piece is self._title or piece is self._warning else pad
            room = inner - left + pad
            height = piece.layout_for(room) if isinstance(piece, ToolText) else piece.heightForWidth(room)
            piece.setGeometry(left, y, room, height)
            y += height + gap
        x, tall = pad, 0
        for button in (self.deny, *self.allow.values()):
            if button.isHidden():
                continue
            size = button.sizeHint()
            wide = min(size.width(), inner)
            if x > pad and x + wide > pad + inner:
                x, y = pad, y + tall + gap
            button.setGeometry(x, y, wide, size.height())
            x, tall = x + wide + gap, size.height()
        return y + tall + pad

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    def _armed(self) -> None:
        self._is_armed = True
        for button in self.allow.values():
            button.setEnabled(True)

    def _choose(self, answer: Answer | str) -> None:
        if self._is_armed:
            self.answered.emit(answer)

    def _words(self, text: str, *, heavy: bool = False, colour: str = "") -> QLabel:
        return plain_words(self._context, text, self, heavy=heavy, colour=colour)

    def _text(self, name: str, text: str, most_lines: int) -> ToolText:
        return ToolText(self._context, name, text, most_lines=most_lines, parent=self)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Words are for the message: nobody loses the first of them to a question that has just come up."""
        commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        text = event.text()
        if text.strip() and text.isprintable() and not event.modifiers() & commands:
            self._context.calls.typed.emit(text)
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.disarm()
        if self._context.calls.is_first_sight(self._question.call_id):
            QTimer.singleShot(0, self.take_keyboard)
            announce(self, self.accessibleName(), urgent=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = self._px(18)
        for label, icon in ((self._title, "tool"), (self._warning, "warning")):
            if not label.isHidden():
                place = QRectF(self._px(_PAD_PX), label.y(), side, side)
                self._context.icons.paint(painter, icon, "warning", place)
        painter.end()


def _bounded(doing: str) -> str:
    return doing if len(doing) <= _LONGEST_DOING else doing[: _LONGEST_DOING - 1].rstrip() + "…"
