"""Flat buttons in the program's look: `IconButton` (a drawing alone) and `PillButton` (words, perhaps a drawing)."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from sam_py.ui.theme import Palette
from sam_py.ui.widgets.icons import Icons, Role, colour_of
from sam_py.ui.widgets.plain import tooltip

_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class FlatButton(QAbstractButton):
    """What both have in common: hover, a focus ring for the keyboard only, Enter and Space, theme changes.

    The label is the accessible name and the tooltip; `shortcut` is shown behind it (it is not installed here: the
    action that owns it does that). Raises `ValueError` for an empty label.
    """

    def __init__(self, icons: Icons, label: str, shortcut: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._themes = icons.themes
        self._shortcut_text = QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
        self._hovered = False
        self._ring = False
        self.set_label(label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        icons.changed.connect(self._theme_changed)

    def set_label(self, label: str) -> None:
        """Change what the button is called: accessible name and tooltip."""
        if not label.strip():
            raise ValueError("a button needs a name that a screen reader can say")
        self.setAccessibleName(label)
        self.setToolTip(tooltip(f"{label} ({self._shortcut_text})" if self._shortcut_text else label))

    def setText(self, text: str) -> None:
        """Show `text` as it is: an ``&`` in it is an ``&``, never a key that presses the button."""
        super().setText(text)
        self.setShortcut(QKeySequence())

    @property
    def palette_now(self) -> Palette:
        return self._themes.current.palette

    def px(self, length_px: float) -> int:
        """`length_px` at the current text scale."""
        return round(length_px * self._themes.current.scale)

    def _theme_changed(self) -> None:
        self.updateGeometry()
        self.update()

    def _paint_ring(self, painter: QPainter, rect: QRectF, radius: float) -> None:
        if self._ring and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.palette_now.accent), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius, radius)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = event.reason() in _KEYBOARD_REASONS
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)


class IconButton(FlatButton):
    """A square button that shows one icon; `filled` puts it white on a disc of the accent colour (send)."""

    def __init__(
        self,
        icons: Icons,
        name: str,
        label: str,
        *,
        shortcut: str = "",
        role: Role = "muted",
        size_px: int = 32,
        icon_px: int = 18,
        filled: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(icons, label, shortcut, parent)
        self._size_px = size_px
        self._icon_px = icon_px
        self._role: Role = role
        self._filled = filled
        self.set_icon(name)

    @property
    def icon_name(self) -> str:
        return self._name

    def set_icon(self, name: str, role: Role | None = None, *, filled: bool | None = None) -> None:
        """Show `name` from now on, and `role` and `filled` where they are given."""
        self._icons.icon(name)  # raises at once for a name without a drawing
        self._name = name
        self._role = role or self._role
        self._filled = self._filled if filled is None else filled
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.px(self._size_px), self.px(self._size_px))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        palette = self.palette_now
        rect = QRectF(self.rect())
        radius = rect.height() / 2 if self._filled else self.px(8)
        role = self._role
        if self._filled:
            ground = QColor(palette.accent if self.isEnabled() else palette.selected)
            if self._hovered and self.isEnabled():
                ground = ground.lighter(112) if self._themes.current.dark else ground.darker(112)
            painter.setBrush(ground)
            painter.drawEllipse(rect)
            role = "on_accent" if self.isEnabled() else "muted"
        elif self.isEnabled() and (self._hovered or self.isDown() or self.isChecked()):
            down = self.isDown() or self.isChecked()
            painter.setBrush(QColor(palette.selected if down else palette.hover))
            painter.drawRoundedRect(rect, radius, radius)
            role = "text" if role == "muted" else role
        side = self.px(self._icon_px)
        place = QRectF(0, 0, side, side)
        place.moveCenter(rect.center())
        place.moveTopLeft(QPointF(round(place.x()), round(place.y())))  # whole pixels keep thin strokes sharp
        self._icons.paint(painter, self._name, role, place, disabled=not self.isEnabled())
        if self._filled and self._ring and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.on_accent), 2))
            painter.drawEllipse(rect.adjusted(3, 3, -3, -3))
        else:
            self._paint_ring(painter, rect, radius)


PillKind = Literal["plain", "accent", "outline", "raised"]


class PillButton(FlatButton):
    """A rounded button with words: `plain` shows its ground on hover, `outline` has a line, `accent` is filled.

    `raised` covers what is below it, for a button that floats over text.
    `icon` stands before the words, `trailing_icon` behind (a chevron). Words that do not fit end in an ellipsis.
    """

    def __init__(
        self,
        icons: Icons,
        text: str,
        *,
        kind: PillKind = "plain",
        icon: str = "",
        trailing_icon: str = "",
        shortcut: str = "",
        label: str = "",
        height_px: int = 32,
        max_width_px: int = 320,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(icons, label or text, shortcut, parent)
        self._kind = kind
        self._icon = icon
        self._trailing = trailing_icon
        self._height_px = height_px
        self._max_width_px = max_width_px
        self._names_itself = not label
        self.setText(text)
        if self._names_itself and not shortcut:
            self.setToolTip("")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_words(self, text: str, *, icon: str | None = None) -> None:
        """Change the words, and the icon before them where `icon` is given ("" for none)."""
        self.setText(text)
        self._icon = self._icon if icon is None else icon
        if self._names_itself:
            self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._themes.current.body_pt * 0.95)
        if self._kind == "accent":
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def _width_px(self, text_px: int) -> int:
        icons = self.px(22) * bool(self._icon) + self.px(18) * bool(self._trailing)
        return text_px + icons + 2 * self.px(12)

    def sizeHint(self) -> QSize:
        text_px = QFontMetrics(self._font()).horizontalAdvance(self.text()) + 2
        return QSize(min(self._width_px(text_px), self.px(self._max_width_px)), self.px(self._height_px))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), self._width_px(self.px(32))), self.px(self._height_px))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette_now
        rect = QRectF(self.rect())
        radius = min(rect.height() / 2, self.px(10))
        role: Role = "text"
        painter.setPen(Qt.PenStyle.NoPen)
        lively = self.isEnabled() and (self._hovered or self.isDown() or self.isChecked())
        if self._kind == "raised":
            radius = rect.height() / 2
            painter.setBrush(QColor(palette.raised))
            painter.drawRoundedRect(rect, radius, radius)
        if self._kind == "accent":
            ground = QColor(palette.accent)
            painter.setBrush(ground.lighter(112) if self._themes.current.dark else ground.darker(112))
            if not lively:
                painter.setBrush(ground)
            painter.drawRoundedRect(rect, radius, radius)
            role = "on_accent"
        elif lively:
            painter.setBrush(QColor(palette.selected if self.isDown() else palette.hover))
            painter.drawRoundedRect(rect, radius, radius)
        elif self._kind == "plain":
            role = "muted"
        if self._kind in ("outline", "raised"):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.border), 1))
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if not self.isEnabled():
            painter.setOpacity(0.45)
        self._paint_words(painter, role)
        painter.setOpacity(1.0)
        self._paint_ring(painter, rect, radius)

    def _paint_words(self, painter: QPainter, role: Role) -> None:
        left, right = self.px(12), self.width() - self.px(12)
        side = self.px(16)
        top = (self.height() - side) / 2
        if self._icon:
            icon_role: Role = "accent" if self._kind in ("outline", "raised") else role
            place = self._mirrored(QRectF(left - self.px(2), round(top), side, side))
            self._icons.paint(painter, self._icon, icon_role, place)
            left += self.px(20)
        if self._trailing:
            small = self.px(13)
            place = QRectF(right - small + self.px(2), round((self.height() - small) / 2) + 1, small, small)
            self._icons.paint(painter, self._trailing, role, self._mirrored(place))
            right -= self.px(18)
        font = self._font()
        painter.setFont(font)
        painter.setPen(QColor(colour_of(self.palette_now, role)))
        words = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, right - left)
        centred = not (self._icon or self._trailing)
        align = Qt.AlignmentFlag.AlignHCenter if centred else Qt.AlignmentFlag.AlignLeft
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        room = self._mirrored(QRectF(left, 0, right - left, self.height()))
        painter.drawText(room, align | Qt.AlignmentFlag.AlignVCenter, words)

    def _mirrored(self, rect: QRectF) -> QRectF:
        """Where `rect` is for who reads from right to left."""
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return rect
        return rect.translated(self.width() - rect.left() - rect.right(), 0)
