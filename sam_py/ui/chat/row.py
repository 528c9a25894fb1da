"""MessageRow: one message as a column of blocks, one per part, with its errors and the line of facts below."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from sam_py.messages.history import ErrorOccurred
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import Part
from sam_py.ui.chat.blocks import Block, block_for, show_in
from sam_py.ui.chat.error_box import ErrorBox
from sam_py.ui.chat.message_words import explained_facts, facts_of, notes_of, spoken
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.row_context import OUTSET_PX, RowContext
from sam_py.ui.chat.row_foot import HEIGHT_PX as FOOT_PX
from sam_py.ui.chat.row_foot import RowFoot
from sam_py.ui.chat.row_note import NoteCard
from sam_py.ui.chat.row_painting import DOTS_PX, Veil, WaitingDots, paint_note
from sam_py.ui.chat.row_parts import empty_part, says_the_same, shown_parts
from sam_py.ui.chat.row_sign import Sign, sign_of, spoken_sign
from sam_py.ui.models.message_list_model import Growth
from sam_py.ui.widgets.plain import tooltip

_GAP_PX = 12
_ABOVE_PX = 12
_BUBBLE_SHARE = 0.86


class MessageRow(QWidget):
    """Shows one message; taken from a pool, so everything about a message is set by `show_message`.

    Heights come from `layout_for`, never from a Qt layout. `append` only keeps what came, `flush`
    shows it: once a frame, at the cost of the open block.
    """

    action_requested = Signal(str, str)
    link_clicked = Signal(str)
    image_clicked = Signal(object)
    copy_requested = Signal(str)
    height_changed = Signal(str)
    unfolded = Signal(str)
    hovered = Signal(str)
    target_focused = Signal(QWidget, QRect)

    def __init__(self, context: RowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._message: Message | None = None
        self._streaming = False
        self._blocks: list[Block] = []
        self._places: list[tuple[Block, QRect]] = []
        self._by_part: dict[int, Block] = {}
        self._resting: list[Block] = []
        self._error: ErrorBox | None = None
        self.foot = RowFoot(context, self, lambda step: self.action_requested.emit(step, self.message_id))
        self._veil: Veil | None = None
        self._notes: list[str] = []
        self._is_told_above = False
        self._is_current = self._has_new_card = False
        self._marked = False
        self._height_px = 0
        self._dots = WaitingDots(context, self)
        self._dots.beat.connect(self._repaint_dots)
        self._unmark = QTimer(self)
        self._unmark.setSingleShot(True)
        self._unmark.timeout.connect(self._end_mark)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    # What it shows

    @property
    def message_id(self) -> str:
        return self._message.id if self._message is not None else ""

    @property
    def message(self) -> Message | None:
        return self._message

    @property
    def is_streaming(self) -> bool:
        return self._streaming

    @property
    def blocks(self) -> list[Block]:
        return self._blocks

    @property
    def columns(self) -> list[MarkdownColumn]:
        """Where text can be selected, from top to bottom."""
        return [column for block in self._blocks for column in block.columns]

    def show_message(
        self,
        message: Message,
        *,
        streaming: bool,
        error: ErrorOccurred | None,
        branch: tuple[int, int],
        is_last: bool,
    ) -> None:
        """Show `message`. Where it is the one that streamed here, what is on screen already stays."""
        same = self._message is not None and self._message.id == message.id
        was_streaming = self._streaming
        self._streaming = streaming
        self._message = message
        # A tool's result is on the card of its call; of its own row only an error is left.
        self._is_told_above = isinstance(message, ToolResultMessage) and bool(self._context.calls.reply_of(message))
        if not (same and was_streaming and not streaming and self._finish(message)):
            self._build(message)
        self._show_error(error, is_last=is_last)
        self.foot.show_branch(branch if not self._is_told_above else (1, 1))
        self.foot.facts = "" if self._is_told_above else facts_of(message, self._context, streaming=self._streaming)
        self._notes = notes_of(message, streaming=self._streaming)
        self._show_sign(None if streaming or self._is_told_above else sign_of(message, self._context))
        self._dots.set_waiting(self._is_waiting())
        self._hold_still(streaming and self._has_content())
        self._context.mark_in(self)
        self.update()

    def block_of(self, part_index: int) -> Block | None:
        """Where one part stands; -1: the text of a note or of a result."""
        return self._by_part.get(part_index)

    def column_of(self, part_index: int) -> MarkdownColumn | None:
        """Where the text of one part stands."""
        block = self.block_of(part_index)
        return block.columns[0] if block is not None and block.columns else None

    def append(self, growth: list[Growth]) -> None:
        """Take what streamed in since the last frame; `flush` shows it."""
        for grown in growth:
            block = self._by_part.get(grown.part_index)
            if block is None:
                part = empty_part(grown.kind) or self._context.calls.part_of(self.message_id, grown.part_index)
                if part is None:
                    continue
                block = self._add_block(part, grown.part_index)
                if block is None:
                    continue
                self._has_new_card = grown.kind == "tool_call" or self._has_new_card
            if grown.kind != "tool_call":
                block.append(grown.text)

    def flush(self) -> bool:
        """Show what was appended. True where the height may have changed."""
        changed, self._has_new_card = self._has_new_card, False
        for block in self._blocks:
            changed |= block.flush()
        if self._dots.is_waiting and self._has_content():
            self._dots.set_waiting(False)
            changed = True
        self._hold_still(self._streaming and self._has_content())
        return changed or self._height_px == 0

    def _hold_still(self, still: bool) -> None:
        """While a reply grows, what is painted of it stays: a new height alone paints nothing again."""
        if still != self.testAttribute(Qt.WidgetAttribute.WA_StaticContents):
            self.setAttribute(Qt.WidgetAttribute.WA_StaticContents, still)
            self.update()

    def clear(self) -> None:
        """Let go of the message, before the row goes back into the pool."""
        self._message = None
        self._streaming = False
        self._hold_still(False)
        self._drop_blocks()
        if self._error is not None:
            self._error.hide()
        self.foot.clear()
        self._show_veil()
        self._dots.set_waiting(False)
        self._end_mark()
        self._is_current = False
        self._height_px = 0

    def set_current(self, current: bool) -> None:
        if current != self._is_current:
            self._is_current = current
            self._show_veil()
            self.update()

    def set_waiting(self, text: str) -> None:
        """Say beside the dots why nothing comes yet."""
        if text != self._dots.words:
            self._dots.words = text
            self.update()

    def mark(self, time_ms: int) -> None:
        """Show for a moment that this is the one that was looked for."""
        self._marked = True
        self._unmark.start(time_ms)
        self.update()

    def refresh_sign(self) -> None:
        """There is another plan: say anew what becomes of the message. Its height stays."""
        if self._message is not None and not self._streaming and not self._is_told_above:
            sign = sign_of(self._message, self._context)
            if sign != self.foot.sign:
                self._show_sign(sign)
                self.update()

    @property
    def has_frame(self) -> bool:
        """Whether the keyboard is on the row as a whole: what is in it shows by itself that it has the keyboard."""
        focus = self.window().focusWidget()
        return self._is_current and (focus is None or not self.isAncestorOf(focus))

    @property
    def is_told_above(self) -> bool:
        """Whether the message is on the card of its call: of its own row only an error is seen."""
        return self._is_told_above

    def accessible_text(self) -> str:
        """Who says what, for a screen reader, and what the model does not get of it."""
        return " ".join(filter(None, (spoken(self._message, self._context), spoken_sign(self.foot.sign))))

    def foot_rect(self) -> QRect:
        """Where the message's actions stand, in the row's coordinates."""
        return self.foot.rect

    def leave_room(self, width_px: int) -> None:
        """Shorten what the foot says where it and so many pixels of actions do not fit beside each other."""
        if self.foot.leave_room(width_px):
            self.update()

    @property
    def words_shown(self) -> int:
        """How many pixels of the foot are painted on now that the mouse or the keyboard is on the row."""
        return 0 if self._streaming else self.foot.words_width()

    @property
    def is_mine(self) -> bool:
        return isinstance(self._message, UserMessage)

    @property
    def at_right(self) -> bool:
        """Whether bubble and foot stand at the right: mine do, where one reads from the left."""
        return self.is_mine != (self.window().layoutDirection() == Qt.LayoutDirection.RightToLeft)

    # Layout

    def layout_for(self, width_px: int) -> int:
        """Lay everything out for a column of `width_px` and return the height. The row is wider by its outset.

        Of a reply that streams the blocks are put in their places only by `settle`.
        """
        y = self._px(_ABOVE_PX)
        mine = self.is_mine
        if self._is_told_above and (self._error is None or self._error.isHidden()):
            self._height_px = 0
            self.foot.place(QRect(), at_right=False)
            return 0
        self._places.clear()
        inner = round(width_px * _BUBBLE_SHARE) if mine else width_px
        above = ""
        for block in self._blocks:
            height = block.layout_for(inner)
            if height <= 0:
                if not block.isHidden():
                    block.hide()
                continue
            if above:
                y += self._px(_GAP_PX if block.kind != "tool_call" or above != "tool_call" else _GAP_PX // 2)
            above = block.kind or "part"
            wide = min(inner, block.natural_width(inner)) if mine else inner
            self._places.append((block, QRect(OUTSET_PX + (width_px - wide if self.at_right else 0), y, wide, height)))
            y += height
        if self._is_waiting():
            y += self._px(DOTS_PX)
        for _note in self._notes:
            y += self._px(26)
        if self._error is not None and not self._error.isHidden():
            y += self._px(8)
            height = self._error.layout_for(width_px)
            self._error.setGeometry(OUTSET_PX, y, width_px, height)
            y += height
        y += self._px(FOOT_PX)
        self._height_px = y
        if not self._streaming:
            self.settle()
        foot = self._px(FOOT_PX)
        self.foot.place(QRect(OUTSET_PX, y - foot, width_px, foot), at_right=self.at_right)
        self._show_veil()
        return y

    def settle(self) -> None:
        """Put the blocks where `layout_for` found their places.

        While a reply streams, its owner does so after it has scrolled: pixels move only where nothing grew before.
        """
        for block, place in self._places:
            block.setGeometry(place)
            if block.isHidden():
                block.show()
        self._places.clear()

    # Inside

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    def _build(self, message: Message) -> None:
        self._drop_blocks()
        if isinstance(message, DeveloperMessage | SystemMessage):
            card = NoteCard(self._context, message, self)
            card.chosen.connect(lambda action: self.action_requested.emit(action, self.message_id))
            self._adopt(card, -1)
        parts = shown_parts(message) if not self._is_told_above else []
        for index, part in parts:
            if len(parts) > 1 or not self._wake_block(part, index):  # among others, Tab would go in the wrong order
                self._add_block(part, index)

    def _wake_block(self, part: Part, part_index: int) -> bool:
        """Let a block that rests show `part`: making one costs four times as much."""
        for block in self._resting:
            if show_in(block, part, mine=self.is_mine, live=self._streaming):
                self._resting.remove(block)
                self._blocks.append(block)
                self._by_part[part_index] = block
                return True
        return False

    def _add_block(self, part: Part, part_index: int) -> Block | None:
        mine, live, id, nth = self.is_mine, self._streaming, self.message_id, self._count_of(part)
        block = block_for(part, self._context, mine=mine, live=live, parent=self, message_id=id, nth=nth)
        return self._adopt(block, part_index) if block is not None else None

    def _count_of(self, part: Part) -> int:
        return sum(block.kind == part.kind for block in self._blocks)

    def _adopt(self, block: Block, part_index: int) -> Block:
        """Listen to a new block and show it below the others."""
        block.link_clicked.connect(self.link_clicked)
        block.image_clicked.connect(self.image_clicked)
        block.copy_requested.connect(self.copy_requested)
        block.target_focused.connect(self.target_focused)
        block.height_changed.connect(self._block_resized)
        block.unfolded.connect(self._block_unfolded)
        self._blocks.append(block)
        self._by_part[part_index] = block
        return block

    def _drop_blocks(self) -> None:
        for block in self._blocks:
            if type(block) not in map(type, self._resting) and block.rest():
                self._resting.append(block)
            else:
                block.release()
        self._blocks.clear()
        self._places.clear()
        self._by_part.clear()

    def _finish(self, message: Message) -> bool:
        """End the blocks that streamed. False where they do not say what the message says."""
        if not says_the_same(message, self._blocks):
            return False
        for block in self._blocks:
            block.finish()
        return True

    def _block_resized(self) -> None:
        self.height_changed.emit(self.message_id)

    def _block_unfolded(self) -> None:
        self._context.mark_in(self)
        self.unfolded.emit(self.message_id)

    def _show_error(self, error: ErrorOccurred | None, *, is_last: bool) -> None:
        if error is None:
            if self._error is not None:
                self._error.hide()
            return
        if self._error is None:
            self._error = ErrorBox(self._context, self)
            self._error.chosen.connect(lambda action: self.action_requested.emit(action, self.message_id))
            self._error.height_changed.connect(self._block_unfolded)
        began = isinstance(self._message, AssistantMessage) and bool(self._message.text.strip())
        self._error.show_error(error, can_retry=is_last, can_continue=is_last and began)
        self._error.show()

    def _show_sign(self, sign: Sign | None) -> None:
        self.foot.sign = sign
        self.setAccessibleName(self.accessible_text())
        self._show_veil()

    def _show_veil(self) -> None:
        """Dim what is not sent, as long as nobody has the mouse or the keyboard on it."""
        sign = self.foot.sign
        dims = sign is not None and sign.dims and not self._is_current and not self.underMouse()
        if not dims or not self._height_px:
            if self._veil is not None:
                self._veil.hide()
            return
        if self._veil is None:
            self._veil = Veil(self._context, self)
        foot = self.foot.rect
        self._veil.setGeometry(0, 0, foot.width() + 2 * OUTSET_PX, max(0, foot.top() - self._below_blocks()))
        self._veil.raise_()
        self._veil.show()

    def _has_content(self) -> bool:
        return any(block.has_content for block in self._blocks)

    def _is_waiting(self) -> bool:
        return self._streaming and not self._has_content()

    def _repaint_dots(self) -> None:
        self.update(0, self._px(_ABOVE_PX), OUTSET_PX + self._px(60), self._px(DOTS_PX))

    def _end_mark(self) -> None:
        if self._marked:
            self._marked = False
            self.update()

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._context.themes.current.small_pt)
        return font

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._only_blocks_in(event.rect()):
            return
        theme = self._context.themes.current
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._marked:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.selected))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0, 2, 0, -2), 10, 10)
        if self.has_frame:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.palette.accent), 1.5))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 3, -1, -1), 10, 10)
        if self._is_waiting():
            place = QRectF(OUTSET_PX, self._px(_ABOVE_PX), self.width() - 2 * OUTSET_PX, self._px(24))
            self._dots.paint(painter, place, self._small_font())
        self._paint_notes(painter)
        if not self._streaming:
            with_facts = not self.is_mine or self.underMouse() or self._is_current
            self.foot.paint(painter, at_right=self.at_right, with_facts=with_facts)
        painter.end()

    def _only_blocks_in(self, rect: QRect) -> bool:
        """Whether nothing of the row's own is to be painted in `rect`: so it is for each frame of a reply."""
        return not (
            self._marked or self._is_current or self._notes or self._is_waiting()
        ) and rect.bottom() < self._height_px - self._px(FOOT_PX)

    def _below_blocks(self) -> int:
        """Pixels of notes and of an error between the blocks and the foot."""
        error = self._error.height() + self._px(8) if self._error is not None and not self._error.isHidden() else 0
        return error + self._px(26) * len(self._notes)

    def _paint_notes(self, painter: QPainter) -> None:
        y = self.foot.rect.top() - self._below_blocks()
        for note in self._notes:
            place = QRectF(OUTSET_PX, y, self.width() - OUTSET_PX, self._px(26))
            paint_note(painter, self._context, place, note, self._small_font())
            y += self._px(26)

    def event(self, event: QEvent) -> bool:
        """Where the figures of the foot are from, said while the mouse rests on them."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.foot.tip_at(event.pos(), lambda: explained_facts(self._message, self._context))
            QToolTip.showText(event.globalPos(), tooltip(words), self, self.foot.rect)
            return True
        return super().event(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._show_veil()
        self.hovered.emit(self.message_id)
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._show_veil()
        self.update()
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()
