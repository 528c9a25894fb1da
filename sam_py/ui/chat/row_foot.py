"""RowFoot: the line below a message: its versions, what becomes of it in requests, and the facts about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from sam_py.ui.chat.branch_switcher import BranchSwitcher
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.row_sign import Sign

HEIGHT_PX = 32
_ICON_PX = 14
_BETWEEN = " · "
_AIR_PX = 2
"""More than the words take: what is exactly as wide may be elided."""


class RowFoot:
    """Paints into the foot of the row `parent`, where a switcher between versions stands too.

    The sign is always seen; the facts of what the person said only while the mouse or the keyboard is on it.
    """

    def __init__(self, context: RowContext, parent: QWidget, on_branch: Callable[[str], object]) -> None:
        self._context = context
        self._parent = parent
        self._on_branch = on_branch
        self._branches: BranchSwitcher | None = None
        self._room_px = 0
        self.rect = QRect()
        self.facts = ""
        self.sign: Sign | None = None

    def clear(self) -> None:
        """The row shows nothing for now."""
        self.facts, self.sign, self._room_px, self.rect = "", None, 0, QRect()
        if self._branches is not None:
            self._branches.hide()

    def show_branch(self, branch: tuple[int, int]) -> None:
        """Which version of how many this is, counted from 1."""
        place, count = branch
        if count < 2:
            if self._branches is not None:
                self._branches.hide()
            return
        if self._branches is None:
            self._branches = BranchSwitcher(self._context, self._parent)
            self._branches.chosen.connect(self._on_branch)
        self._branches.show_place(place, count)
        self._branches.show()

    def place(self, rect: QRect, *, at_right: bool) -> None:
        """Stand in `rect` of the row."""
        self.rect = rect
        if self._branches is not None and not self._branches.isHidden():
            size = self._branches.sizeHint()
            x = rect.right() + 1 - size.width() if at_right else rect.left() - self._px(6)
            self._branches.setGeometry(
                x, rect.top() + (rect.height() - size.height()) // 2, size.width(), size.height()
            )

    def branch_width(self) -> int:
        """Pixels that the switcher between versions takes."""
        if self._branches is None or self._branches.isHidden():
            return 0
        return self._branches.width() + self._px(6)

    def words_width(self) -> int:
        """How wide sign and facts are: actions stand beside them."""
        return max(0, min(self._width(self._words()), self.rect.width() - self.branch_width() - self._room_px))

    def leave_room(self, width_px: int) -> bool:
        """Shorten the words where they and so many pixels of actions do not fit side by side. True: that is news."""
        news, self._room_px = width_px != self._room_px, width_px
        return news

    def paint(self, painter: QPainter, *, at_right: bool, with_facts: bool) -> None:
        words = self._words(with_facts=with_facts)
        if not words:
            return
        taken = self.branch_width()
        left, right = (self._room_px, taken) if at_right else (taken, self._room_px)
        rect = self.rect.adjusted(left, 0, -right, 0)
        width = min(rect.width(), self._width(words))
        if at_right:
            rect.setLeft(rect.right() + 1 - width)
        rect.setWidth(width)
        if self.sign is not None:
            side = self._px(_ICON_PX)
            place = QRectF(rect.left(), rect.top() + (rect.height() - side) / 2, side, side)
            self._context.icons.paint(painter, self.sign.icon, "muted", place)
            rect.setLeft(rect.left() + self._icon_width())
        painter.setFont(self._font())
        painter.setPen(QColor(self._context.themes.current.palette.text_muted))
        text = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
        side_flag = Qt.AlignmentFlag.AlignRight if at_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, int(side_flag | Qt.AlignmentFlag.AlignVCenter), text)

    def tip_at(self, position: QPoint, explained: Callable[[], str]) -> str:
        """What is said while the mouse rests at a place of the row: why the sign, and where the figures are from."""
        if not self.rect.contains(position):
            return ""
        return "\n".join(filter(None, (self.sign.why if self.sign is not None else "", explained())))

    # Inside

    def _words(self, *, with_facts: bool = True) -> str:
        pieces = (self.sign.words if self.sign is not None else "", self.facts if with_facts else "")
        return _BETWEEN.join(filter(None, pieces))

    def _width(self, words: str) -> int:
        if not words:
            return 0
        wide = QFontMetrics(self._font()).horizontalAdvance(words) + _AIR_PX
        return wide + (self._icon_width() if self.sign is not None else 0)

    def _icon_width(self) -> int:
        return self._px(_ICON_PX + 5)

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    def _font(self) -> QFont:
        font = QFont(self._parent.font())
        font.setPointSizeF(self._context.themes.current.small_pt)
        return font
