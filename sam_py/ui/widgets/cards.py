"""CardButton: a large button with an icon, a title and a sentence that says what follows from pressing it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from sam_py.ui.theme import Theme
from sam_py.ui.widgets.buttons import FlatButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import tooltip

_PAD_PX = 14
_ICON_PX = 20
_GAP_PX = 12
_SHORT_PAD_PX = 10
_SHORT_GAP_PX = 8
_SHORT_TITLE = 0.92
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class CardButton(FlatButton):
    """As wide as its place, as high as its sentence needs. `lively` marks the one that is ready to be used.

    A card that is `short` shows its title alone; the sentence is its tooltip then.
    """

    def __init__(
        self, icons: Icons, icon: str, title: str, sentence: str, *, lively: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(icons, title, parent=parent)
        self._icon = icon
        self._sentence = sentence
        self._lively = lively
        self.short = False
        self.setText(title)
        self.setToolTip("")
        self.setAccessibleDescription(sentence)
        self._measured: dict[tuple[int, bool, str, str, str], tuple[QRect, QRect]] = {}
        self._measured_in: Theme | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_short(self, short: bool) -> None:
        if short != self.short:
            self.short = short
            self.setToolTip(tooltip(self._sentence) if short else "")
            self.updateGeometry()
            self.update()

    def whole_height(self, width: int) -> int:
        """How high a card of `width` px is with its sentence, in px."""
        short, self.short = self.short, False
        height = self.heightForWidth(width)
        self.short = short
        return height

    def _fonts(self) -> tuple[QFont, QFont]:
        theme = self._themes.current
        title, sentence = QFont(self.font()), QFont(self.font())
        title.setPointSizeF(theme.body_pt * (_SHORT_TITLE if self.short else 1))
        title.setWeight(QFont.Weight.DemiBold)
        sentence.setPointSizeF(theme.small_pt * 1.04)
        return title, sentence

    @property
    def _pad_px(self) -> int:
        return _SHORT_PAD_PX if self.short else _PAD_PX

    def _words_left(self) -> int:
        return self.px(self._pad_px + _ICON_PX + (_SHORT_GAP_PX if self.short else _GAP_PX))

    def _rects(self, width: int) -> tuple[QRect, QRect]:
        """Where title and sentence stand in a card of `width` px. Layouts ask for the same again and again."""
        theme = self._themes.current
        key = (width, self.short, self.text(), self._sentence, self.font().key())
        if self._measured_in is not theme:
            self._measured.clear()
            self._measured_in = theme
        if key not in self._measured:
            self._measured[key] = self._measure(width)
        return self._measured[key]

    def _measure(self, width: int) -> tuple[QRect, QRect]:
        title, sentence = self._fonts()
        left = self._words_left()
        room = max(40, width - left - self.px(self._pad_px))
        high = QRect(0, 0, room, 10_000)
        upper = QFontMetrics(title).boundingRect(high, _WRAP, self.text())
        lower = QFontMetrics(sentence).boundingRect(high, _WRAP, self._sentence)
        top = self.px(self._pad_px - 2)
        return (
            QRect(left, top, room, upper.height()),
            QRect(left, top + upper.height() + self.px(3), room, lower.height()),
        )

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._rects(width)[0 if self.short else 1].bottom() + self.px(self._pad_px)

    def sizeHint(self) -> QSize:
        return QSize(self.px(240), self.heightForWidth(self.px(240)))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette_now
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = self._themes.current.radius_px * self._themes.current.scale
        down = self.isDown() and self._hovered
        painter.setBrush(QColor(palette.selected if down else palette.hover if self._hovered else palette.raised))
        painter.setPen(QPen(QColor(palette.accent if self._lively else palette.border), 1.2 if self._lively else 1))
        painter.drawRoundedRect(rect, radius, radius)
        title_rect, sentence_rect = self._rects(self.width())
        side = self.px(_ICON_PX)
        middle = title_rect.top() + QFontMetrics(self._fonts()[0]).height() / 2
        place = QRectF(self.px(self._pad_px), round(middle - side / 2), side, side)
        self._icons.paint(painter, self._icon, "accent", place)
        title, sentence = self._fonts()
        painter.setFont(title)
        painter.setPen(QColor(palette.text))
        painter.drawText(title_rect, _WRAP, self.text())
        if not self.short:
            painter.setFont(sentence)
            painter.setPen(QColor(palette.text_muted))
            painter.drawText(sentence_rect, _WRAP, self._sentence)
        self._paint_ring(painter, QRectF(self.rect()), radius)
