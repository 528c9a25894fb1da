"""PersonAnswer: a model's question to the person, at its call, and how it is answered."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from sam_py.tools.questions import PersonQuestion
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_asking import ARMED_AFTER_MS, may_take_keyboard, plain_words
from sam_py.ui.chat.tool_option import OptionButton
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line

_PAD_PX, _GAP_PX, _CLOSE_PX = 14, 10, 6
_MOST_LINES = 12
_LONGEST_ANSWER = 4_000
_GO_BACK = ""
_PASSED_ON = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class PersonAnswer(QWidget):
    """The question as plain text under a heading of ours, its choices, a line for other words, and Skip.

    One choice answers at once; several are checked and sent with Answer. Enter in the line answers, Esc goes back
    to the message box and leaves everything as it is; letters typed at a button go into the line.
    """

    answered = Signal(str)
    """The person's words; "" where they skipped the question."""

    def __init__(self, context: RowContext, asked: PersonQuestion, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._asked = asked
        self._draft = context.calls.draft_of(asked.call_id)
        muted = context.themes.current.palette.text_muted
        self._title = plain_words(context, self.tr("The model asks you"), self, heavy=True)
        self._question = plain_words(context, _bounded(asked.question), self)
        self.options = [
            OptionButton(context, made_visible(one_line(choice)), several=asked.several, parent=self)
            for choice in asked.choices
        ]
        self.line: QLineEdit | None = self._make_line() if asked.own_words else None
        self.send: PillButton | None = None
        if asked.several or asked.own_words:
            self.send = PillButton(context.icons, self.tr("Answer"), kind="accent", parent=self)
            self.send.clicked.connect(self._send)
        self.skip = PillButton(context.icons, self.tr("Skip"), kind="outline", parent=self)
        self.skip.clicked.connect(lambda: self._answer(""))
        note = self.tr("The model wrote this. Your answer is sent to it, and allows no tool anything.")
        self._note = plain_words(context, note, self, small=True, colour=muted)
        for place, option in enumerate(self.options):
            option.setChecked(asked.choices[place] in self._draft.chosen)
            option.clicked.connect(lambda _checked=False, place=place: self._chosen(place))
        self._is_armed = False
        self._arming = QTimer(self)
        self._arming.setSingleShot(True)
        self._arming.setInterval(ARMED_AFTER_MS)
        self._arming.timeout.connect(self._arm)
        context.calls.questions_changed.connect(self.disarm)
        self.setAccessibleName(f"{self._title.text()}: {self._question.text()}")
        self.setAccessibleDescription(note)
        self._update_send()
        self.disarm()

    @property
    def asked(self) -> PersonQuestion:
        return self._asked

    @property
    def is_armed(self) -> bool:
        """Whether it takes an answer: not in the moment in which it has come up."""
        return self._is_armed

    def disarm(self) -> None:
        """Take no answer for a moment: it has just come up, or may have moved under the mouse."""
        self._is_armed = False
        self._arming.start()

    def take_keyboard(self) -> None:
        """Give the first choice the focus, or the line, unless the person is writing something."""
        if may_take_keyboard(self):
            first = self.options[0] if self.options else self.line
            (first or self.skip).setFocus(Qt.FocusReason.TabFocusReason)

    def layout_for(self, width_px: int) -> int:
        pad, gap, close = self._px(_PAD_PX), self._px(_GAP_PX), self._px(_CLOSE_PX)
        inner = width_px - 2 * pad
        y = pad
        for label, left in ((self._title, pad + self._px(26)), (self._question, pad)):
            height = label.heightForWidth(inner + pad - left)
            label.setGeometry(left, y, inner + pad - left, height)
            y += height + gap
        for option in self.options:
            height = option.heightForWidth(inner)
            option.setGeometry(pad, y, inner, height)
            y += height + close
        y += gap - close if self.options else 0
        skip, send = self.skip.sizeHint(), self.send.sizeHint() if self.send is not None else None
        left = pad
        if self.line is not None and send is not None and self.send is not None:
            wide = inner - send.width() - close
            self.line.setGeometry(pad, y, wide, send.height())
            self.send.setGeometry(pad + wide + close, y, send.width(), send.height())
            y += send.height() + gap
        elif self.send is not None and send is not None:
            self.send.setGeometry(left, y, send.width(), send.height())
            left += send.width() + close
        self.skip.setGeometry(left, y, skip.width(), skip.height())
        left += skip.width() + gap
        room = pad + inner - left
        if room >= inner // 2:  # beside the button, else below it
            tall = max(skip.height(), self._note.heightForWidth(room))
            self._note.setGeometry(left, y, room, tall)
            return y + tall + pad
        y += skip.height() + gap
        tall = self._note.heightForWidth(inner)
        self._note.setGeometry(pad, y, inner, tall)
        return y + tall + pad

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    def _make_line(self) -> QLineEdit:
        line = QLineEdit(self._draft.text, self)
        line.setMaxLength(_LONGEST_ANSWER)
        hint = self.tr("Something else…") if self._asked.choices else self.tr("Your answer…")
        line.setPlaceholderText(hint)
        line.setAccessibleName(self.tr("Your answer"))
        font = line.font()
        font.setPointSizeF(self._context.themes.current.body_pt)
        line.setFont(font)
        line.textChanged.connect(self._typed)
        line.returnPressed.connect(self._send)
        return line

    def _arm(self) -> None:
        self._is_armed = True

    def _typed(self, text: str) -> None:
        self._draft.text = text
        self._update_send()

    def _chosen(self, place: int) -> None:
        if not self._asked.several:
            self._answer(self._asked.choices[place])
            return
        chosen = {
            choice for choice, option in zip(self._asked.choices, self.options, strict=True) if option.isChecked()
        }
        self._draft.chosen = chosen
        self._update_send()

    def _words(self) -> str:
        chosen = [choice for choice in self._asked.choices if choice in self._draft.chosen]
        return "\n".join(filter(None, (*chosen, self._draft.text.strip())))

    def _update_send(self) -> None:
        if self.send is not None:
            self.send.setEnabled(bool(self._words()))

    def _send(self) -> None:
        if words := self._words():
            self._answer(words)

    def _answer(self, words: str) -> None:
        if self._is_armed:
            self.answered.emit(words)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Nothing that is typed here is meant for the messages around it, but for what scrolls and what commands."""
        commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        text = event.text()
        if event.key() in _PASSED_ON or event.modifiers() & commands:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self._context.calls.typed.emit(_GO_BACK)
        elif text.strip() and text.isprintable() and self.line is not None:
            self.line.setFocus(Qt.FocusReason.OtherFocusReason)
            self.line.insert(text)
        elif text.strip() and text.isprintable():
            self._context.calls.typed.emit(text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.disarm()
        if self._context.calls.is_first_sight(self._asked.call_id):
            QTimer.singleShot(0, self.take_keyboard)
            announce(self, self.accessibleName(), urgent=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        side = self._px(18)
        place = QRectF(self._px(_PAD_PX), self._title.y(), side, side)
        self._context.icons.paint(painter, "chat", "accent", place)
        painter.end()


def _bounded(question: str) -> str:
    """The question, in few lines: empty ones cannot push its answers out of sight."""
    lines = [line.rstrip() for line in made_visible(question).split("\n") if line.strip()]
    return "\n".join(lines) if len(lines) <= _MOST_LINES else " ".join(lines)
