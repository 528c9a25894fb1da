"""Blocks: one widget for each part of a message, all with the same few operations."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.ui.chat.parts.image import PicturePart
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.plain_column import PlainColumn
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.thinking_block import ThinkingBlock
from sam_py.ui.chat.tool_card import ToolCard
from sam_py.ui.widgets.plain import one_line


class Block(QWidget):
    """A part on screen.

    `source` is the text that was fed (None for parts that come whole). `layout_for` gives the height
    at a width; `natural_width` how wide it would like to be at most, for bubbles.
    """

    link_clicked = Signal(str)
    image_clicked = Signal(object)
    height_changed = Signal()
    unfolded = Signal()
    """Opened or closed by the person."""
    copy_requested = Signal(str)
    target_focused = Signal(QWidget, QRect)
    kind = ""

    @property
    def source(self) -> str | None:
        return None

    @property
    def has_content(self) -> bool:
        """Whether anything was fed. O(1), unlike `source`."""
        return True

    @property
    def columns(self) -> list[MarkdownColumn]:
        """Where text can be selected."""
        return []

    def _listen_to(self, column: MarkdownColumn) -> None:
        column.link_clicked.connect(self.link_clicked)
        column.image_requested.connect(self.link_clicked)
        column.image_clicked.connect(self.image_clicked)
        column.copy_requested.connect(self.copy_requested)
        column.target_focused.connect(self.target_focused)
        column.height_changed.connect(self.height_changed)

    def append(self, text: str) -> None:
        """Keep streamed text until `flush`."""

    def flush(self) -> bool:
        """Show what was kept. True where the height may have changed."""
        return False

    def finish(self) -> None:
        """No more will come."""

    def layout_for(self, width_px: int) -> int:
        raise NotImplementedError

    def natural_width(self, limit_px: int) -> int:
        return limit_px

    def rest(self) -> bool:
        """Forget the message and wait for the next. False where the block cannot show another one."""
        return False

    def release(self) -> None:
        """Let go of everything; the block is not used again."""
        for column in self.columns:
            column.clear()  # its parts may wait for a formula or a picture, which must not find them later
        self.hide()
        self.deleteLater()


class TextBlock(Block):
    """A reply's text, as formatted text."""

    kind = "text"

    def __init__(self, context: RowContext, text: str, *, live: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # it paints nothing itself
        self._pieces: list[str] = []
        self._column = MarkdownColumn(context.themes, context.attachment_path, parent=self)
        self._listen_to(self._column)
        self.show_text(text, live=live)

    def show_text(self, text: str, *, live: bool) -> None:
        self._pieces = [text] if text else []
        if live:
            self._column.append_text(text)
            self._column.flush()
        else:
            self._column.set_text(text)

    def rest(self) -> bool:
        self._pieces = []
        self._column.clear()
        self.hide()
        return True

    @property
    def source(self) -> str | None:
        return "".join(self._pieces)

    @property
    def has_content(self) -> bool:
        return any(self._pieces)

    @property
    def columns(self) -> list[MarkdownColumn]:
        return [self._column]

    def append(self, text: str) -> None:
        self._pieces.append(text)
        self._column.append_text(text)

    def flush(self) -> bool:
        return self._column.flush()

    def finish(self) -> None:
        self._column.finish()

    def layout_for(self, width_px: int) -> int:
        if not any(piece.strip() for piece in self._pieces):
            return 0
        return self._column.layout_for(width_px)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._column.resize(event.size())
        super().resizeEvent(event)

    def natural_width(self, limit_px: int) -> int:
        """A picture alone is as wide as it is drawn; text takes what there is."""
        parts = self._column.parts()
        if len(parts) == 1 and isinstance(parts[0], PicturePart):
            return min(limit_px, parts[0].drawn_width())
        return limit_px


class BubbleBlock(Block):
    """What the person said: exactly as typed, in a tinted bubble that is as wide as its text."""

    kind = "text"
    _PAD_X_PX = 14
    _PAD_Y_PX = 9

    def __init__(self, context: RowContext, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._column = PlainColumn(context.themes, context.attachment_path, parent=self)
        self._listen_to(self._column)
        self.show_text(text)

    def show_text(self, text: str) -> None:
        self._text = text
        self._column.set_plain_text(text)

    def rest(self) -> bool:
        self._text = ""
        self._column.clear()
        self.hide()
        return True

    @property
    def source(self) -> str | None:
        return self._text

    @property
    def has_content(self) -> bool:
        return bool(self._text)

    @property
    def columns(self) -> list[MarkdownColumn]:
        return [self._column]

    def layout_for(self, width_px: int) -> int:
        wide = self.natural_width(width_px) - 2 * self._px(self._PAD_X_PX)
        height = self._column.layout_for(wide)
        self._column.setGeometry(self._px(self._PAD_X_PX), self._px(self._PAD_Y_PX), wide, height)
        return height + 2 * self._px(self._PAD_Y_PX)

    def natural_width(self, limit_px: int) -> int:
        pad = 2 * self._px(self._PAD_X_PX)
        return min(limit_px, self._column.natural_width(limit_px - pad) + pad)

    def _px(self, length_px: int) -> int:
        return round(length_px * self._context.themes.current.scale)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._context.themes.current
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.bubble))
        painter.drawRoundedRect(self.rect(), theme.radius_px, theme.radius_px)
        painter.end()


class ThoughtBlock(Block):
    """Thinking, folded."""

    kind = "thinking_text"

    def __init__(self, context: RowContext, text: str, fold: str, *, live: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._inner = ThinkingBlock(context, fold, self)
        self._inner.height_changed.connect(self.unfolded)
        self._inner.column_made.connect(self._listen_to)
        self._inner.restore_fold()
        self._inner.set_text(text, live=live)

    @property
    def source(self) -> str | None:
        return self._inner.text

    @property
    def has_content(self) -> bool:
        return self._inner.has_words

    @property
    def columns(self) -> list[MarkdownColumn]:
        return self._inner.columns

    def append(self, text: str) -> None:
        self._inner.append(text)

    def flush(self) -> bool:
        return self._inner.flush()

    def finish(self) -> None:
        self._inner.finish()

    def layout_for(self, width_px: int) -> int:
        if not self._inner.has_words:
            return 0
        height = self._inner.layout_for(width_px)
        self._inner.setGeometry(0, 0, width_px, height)
        return height


class CallBlock(Block):
    """A tool call: its card, and below it the pictures and files that it brought, whether or not the card is open."""

    kind = "tool_call"
    _GAP_PX = 8

    def __init__(self, context: RowContext, part: ToolCallPart, message_id: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._message_id = message_id
        self._card = ToolCard(context, message_id, part, self)
        self._card.changed.connect(self._refresh)
        self._card.unfolded.connect(self.unfolded)
        self._brought: list[Block] = []
        self._result: ToolResultMessage | None = None
        self._show_brought()

    @property
    def card(self) -> ToolCard:
        return self._card

    @property
    def columns(self) -> list[MarkdownColumn]:
        return [column for block in self._brought for column in block.columns]

    def finish(self) -> None:
        part = self._context.calls.call_of(self._message_id, self._card.call_id)
        if part is not None:
            self._card.show_part(part)

    def release(self) -> None:
        self._card.release()
        super().release()

    def layout_for(self, width_px: int) -> int:
        y = self._card.layout_for(width_px)
        self._card.setGeometry(0, 0, width_px, y)
        for block in self._brought:
            height = block.layout_for(width_px)
            block.setGeometry(0, y + self._GAP_PX, width_px, height)
            y += height + self._GAP_PX
        return y

    def _refresh(self) -> None:
        self._show_brought()
        self.height_changed.emit()

    def _show_brought(self) -> None:
        self.setAccessibleName(self._card.accessibleName())
        result = self._card.call.result
        if result is self._result:
            return
        self._result = result
        for block in self._brought:
            block.release()
        self._brought.clear()
        for part in result.parts if result is not None else ():
            brought = block_for(part, self._context, mine=False, live=False, parent=self)
            if brought is not None:
                brought.link_clicked.connect(self.link_clicked)
                brought.image_clicked.connect(self.image_clicked)
                brought.copy_requested.connect(self.copy_requested)
                brought.target_focused.connect(self.target_focused)
                brought.height_changed.connect(self.height_changed)
                brought.show()
                self._brought.append(brought)


class NoteBlock(Block):
    """One muted line: a part of a newer version."""

    def __init__(self, context: RowContext, kind: str, icon: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._icon = icon
        self._text = text
        self.kind = kind
        self.setAccessibleName(text)

    def layout_for(self, width_px: int) -> int:
        return round(28 * self._context.themes.current.scale)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._context.themes.current
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt)
        painter.setFont(font)
        size = 16
        top = (self.height() - size) // 2
        self._context.icons.paint(
            painter, self._icon, "muted", self.rect().adjusted(0, top, size - self.width(), -top).toRectF()
        )
        painter.setPen(QColor(theme.palette.text_muted))
        text = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width() - size - 8)
        painter.drawText(
            self.rect().adjusted(size + 8, 0, 0, 0),
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
            text,
        )
        painter.end()


class FileBlock(Block):
    """A file as a chip: icon, name, size. A click, Enter or Space opens it."""

    kind = "file"

    def __init__(self, context: RowContext, part: FilePart, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._part = part
        self._name = one_line(part.filename)
        shape = QLocale.DataSizeFormat.DataSizeTraditionalFormat  # as the composer's chips say it
        self._size = QLocale().formattedDataSize(part.size, 1, shape) if part.size else ""
        self.setAccessibleName(f"{self._name} {self._size}")
        self.setAccessibleDescription(self.tr("Enter opens it."))
        self.setToolTip("")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def layout_for(self, width_px: int) -> int:
        return round(44 * self._context.themes.current.scale)

    def natural_width(self, limit_px: int) -> int:
        name = QFontMetrics(self._font(muted=False)).horizontalAdvance(self._name)
        size = QFontMetrics(self._font(muted=True)).horizontalAdvance(self._size)
        return min(limit_px, max(name, size) + 64)

    def _font(self, *, muted: bool) -> QFont:
        theme = self._context.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt * (0.9 if muted else 1.0))
        return font

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._context.themes.current.palette
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide = min(self.width(), self.natural_width(self.width()))
        painter.setPen(QColor(palette.accent if self.hasFocus() else palette.border))
        painter.setBrush(QColor(palette.hover if self.underMouse() else palette.raised))
        painter.drawRoundedRect(QRectF(0.5, 0.5, wide - 1, self.height() - 1), 8, 8)
        icon = 20
        self._context.icons.paint(painter, "file", "muted", QRectF(14, (self.height() - icon) / 2, icon, icon))
        left, half = 14 + icon + 10, self.height() / 2
        for muted, text, top in ((False, self._name, 4.0), (True, self._size, half - 1)):
            painter.setFont(self._font(muted=muted))
            painter.setPen(QColor(palette.text_muted if muted else palette.text))
            elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, round(wide - left - 12))
            rect = QRectF(left, top, wide - left - 10, half - 3)
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), elided)
        painter.end()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._context.open_file(self._part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._context.open_file(self._part)
        else:
            super().keyPressEvent(event)


def image_markdown(part: ImagePart) -> str:
    """An image as the markdown that the column draws: ours by its hash, a foreign one by an address not loaded."""
    alt = "".join(" " if character in "[]\\\n" else character for character in part.alt)
    target = f"attach:{part.attachment}" if part.attachment else part.url or ""
    return f"![{alt}](<{target}>)"


def show_in(block: Block, part: Part, *, mine: bool, live: bool) -> bool:
    """Let a block that rests draw `part`. False where it is of another kind."""
    if isinstance(part, TextPart) and mine and isinstance(block, BubbleBlock):
        block.show_text(part.text)
    elif isinstance(part, TextPart) and not mine and isinstance(block, TextBlock):
        block.show_text(part.text, live=live)
    else:
        return False
    return True


def block_for(
    part: Part, context: RowContext, *, mine: bool, live: bool, parent: QWidget, message_id: str = "", nth: int = 0
) -> Block | None:
    """What draws `part` of `message_id`, its `nth` of that kind from 0; None for parts that are not drawn."""
    match part:
        case TextPart():
            if mine:
                return BubbleBlock(context, part.text, parent)
            return TextBlock(context, part.text, live=live, parent=parent)
        case ThinkingTextPart():
            return ThoughtBlock(context, part.text, f"{message_id}:{nth}", live=live, parent=parent)
        case CodePart():
            return TextBlock(context, fenced(part), live=False, parent=parent)
        case ImagePart():
            return TextBlock(context, image_markdown(part), live=False, parent=parent)
        case FilePart():
            return FileBlock(context, part, parent)
        case ToolCallPart():
            return CallBlock(context, part, message_id, parent)
        case ThinkingSignaturePart():
            return None
        case UnknownPart() if part.text:
            return TextBlock(context, part.in_words, live=False, parent=parent)
        case UnknownPart():
            text = _tr("A part of the kind “{kind}”, which this version does not know").replace("{kind}", part.kind)
            text = _tr("{name}: not in the export").replace("{name}", part.name) if part.name else text
            return NoteBlock(context, part.kind, "info", text, parent)


def fenced(part: CodePart) -> str:
    """Code as a markdown fence that its content cannot close.

    >>> fenced(CodePart(code="a = 1", language="python"))
    '```python\\na = 1\\n```'
    """
    fence = "```"
    while fence in part.code:
        fence += "`"
    title = f"{part.filename}\n\n" if part.filename else ""
    return f"{title}{fence}{part.language}\n{part.code}\n{fence}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("Blocks", text)
