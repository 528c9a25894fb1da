"""SlashOffer: a slash in an empty message offers the mini prompts whose text can be put into it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from sam_py.reminders.mini_prompts import MiniPrompt
from sam_py.ui.chat.composer import Composer
from sam_py.ui.mini_prompts.rows import Index, PromptRows, excerpt
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

_SLASH = re.compile(r"/([^\s/]*)")
_LONGEST = 40
_ROW_PX = 34
_ROWS_SEEN = 7
_WIDTH_PX = 440


def slash_words(text: str) -> str | None:
    """What is looked for by a message that consists of a slash and one word; None for any other message.

    >>> slash_words("/sho"), slash_words("/"), slash_words("/etc/hosts"), slash_words("1/2")
    ('sho', '', None, None)
    """
    match = _SLASH.fullmatch(text) if len(text) <= _LONGEST else None
    return match[1].casefold() if match is not None else None


def offered(prompts: Sequence[MiniPrompt], words: str) -> list[MiniPrompt]:
    """The prompts with a word in their name that begins with `words`."""
    return [prompt for prompt in prompts if any(each.startswith(words) for each in prompt.name.casefold().split())]


class SlashOffer(QWidget):
    """Stands over the composer while the keyboard stays in it: arrows choose, Enter or Tab takes, Esc dismisses."""

    chosen = Signal(str)
    """A prompt's id."""

    def __init__(self, icons: Icons, composer: Composer) -> None:
        super().__init__(composer.window())
        self._icons = icons
        self._composer = composer
        self._dismissed = False
        """By Esc: the slash is meant as it is, until it is gone."""
        self.setAccessibleName(self.tr("Mini prompts to insert"))
        self.rows = PromptRows(self)
        self.list = QListView(self)
        self.list.setModel(self.rows)
        self.list.setItemDelegate(_SlashPainter(icons, self.list))
        self.list.setAccessibleName(self.tr("Mini prompts to insert"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.viewport().setAutoFillBackground(False)
        self.list.clicked.connect(self._take)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.list)
        composer.text.installEventFilter(self)
        composer.text.focus_changed.connect(self._focus_changed)
        self.hide()

    def look(self, text: str, prompts: Sequence[MiniPrompt]) -> None:
        """Offer what fits to the message as it is now, or go."""
        words = slash_words(text)
        if words is None:
            self._dismissed = False
        found = offered(prompts, words) if words is not None and not self._dismissed else []
        if not found or not self._composer.text.hasFocus():
            self.hide()
            return
        self.rows.set_prompts(found, ())
        self._select(0)
        self._place(len(found))
        if not self.isVisible():
            self.show()
            self.raise_()
            announce(self, self.tr("Enter puts a mini prompt into the message, the arrow keys choose one."))

    def _select(self, row: int) -> None:
        index = self.rows.index(row % max(1, self.rows.rowCount()))
        self.list.setCurrentIndex(index)
        if self.isVisible():
            announce(self, str(index.data() or ""))

    def _take(self, index: QModelIndex) -> None:
        prompt = self.rows.prompt(index.row())
        self.hide()
        if prompt is not None:
            self.chosen.emit(prompt.id)

    def _place(self, count: int) -> None:
        scale = self._icons.themes.current.scale
        window, box = self.window(), self._composer.box
        corner = box.mapTo(window, QPoint(0, 0))
        width = min(round(_WIDTH_PX * scale), box.width() - 8)
        height = min(min(count, _ROWS_SEEN) * round(_ROW_PX * scale) + 14, max(60, corner.y() - 4))
        left = corner.x() + 4
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            left = corner.x() + box.width() - width - 4
        self.setGeometry(left, max(0, corner.y() - height - 4), width, height)

    def _focus_changed(self, has_keyboard: bool) -> None:
        if not has_keyboard:
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.isVisible() or not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        match event.key():
            case Qt.Key.Key_Down:
                self._select(self.list.currentIndex().row() + 1)
            case Qt.Key.Key_Up:
                self._select(self.list.currentIndex().row() - 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Tab:
                self._take(self.list.currentIndex())
            case Qt.Key.Key_Escape:
                self._dismissed = True
                self.hide()
            case _:
                return False
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(theme.palette.raised))
        painter.setPen(QPen(QColor(theme.palette.border), 1))
        radius = theme.radius_px * theme.scale
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


class _SlashPainter(QStyledItemDelegate):
    """The name, and behind it, quieter, how its text begins."""

    def __init__(self, icons: Icons, view: QListView) -> None:
        super().__init__(view)
        self._icons = icons
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rows = index.model()
        assert isinstance(rows, PromptRows)
        prompt = rows.prompt(index.row())
        if prompt is None:
            return
        theme = self._icons.themes.current
        rect = QRect(option.rect)
        lively = option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if lively:
            painter.setPen(Qt.PenStyle.NoPen)
            chosen = option.state & QStyle.StateFlag.State_Selected
            painter.setBrush(QColor(theme.palette.selected if chosen else theme.palette.hover))
            painter.drawRoundedRect(QRectF(rect).adjusted(0, 1, 0, -1), 8 * theme.scale, 8 * theme.scale)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        right = self._view.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        align = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        line = rect.adjusted(10, 0, -10, 0)
        name, small = QFont(painter.font()), QFont(painter.font())
        name.setPointSizeF(theme.body_pt)
        small.setPointSizeF(theme.small_pt)
        elide = Qt.TextElideMode.ElideRight
        shown = QFontMetrics(name).elidedText(one_line(prompt.name), elide, line.width())
        painter.setFont(name)
        painter.setPen(QColor(theme.palette.text))
        painter.drawText(line, align, shown)
        used = QFontMetrics(name).horizontalAdvance(shown) + round(10 * theme.scale)
        rest = line.adjusted(0, 0, -used, 0) if right else line.adjusted(used, 0, 0, 0)
        if rest.width() > used // 4:
            painter.setFont(small)
            painter.setPen(QColor(theme.palette.text_muted))
            painter.drawText(
                rest, align, QFontMetrics(small).elidedText(one_line(excerpt(prompt)), elide, rest.width())
            )
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, round(_ROW_PX * self._icons.themes.current.scale))
