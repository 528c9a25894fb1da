"""Cells: how a thing of the library is drawn: pictures as tiles, code as cards, everything else as a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QLinearGradient, QPainter, QPen

from sam_py.store.search_index.extract import ItemKind
from sam_py.store.search_index.results import Item
from sam_py.ui.library.code_bodies import LINES, CodeBodies
from sam_py.ui.library.shelf_layout import Shape
from sam_py.ui.library.words import (
    KIND_ICONS,
    conversation,
    day,
    facts,
    not_here,
    shown_name,
    size_of,
    tr,
    type_of,
)
from sam_py.ui.theme import Theme
from sam_py.ui.widgets.icons import Icons, Role
from sam_py.ui.widgets.plain import one_line

_LINE_CHARACTERS = 160
_MOST_ELIDED = 2_000
_WIDE_LINE_PX = 620
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Mood:
    is_selected: bool = False
    is_hovered: bool = False
    has_ring: bool = False
    """The keyboard is on it."""
    is_missing: bool = False


class Cells(Protocol):
    """`paint` and `paint_ghost` leave the painter as they found it, but for pen, brush and font."""

    def shape(self) -> Shape: ...
    def paint(self, painter: QPainter, rect: QRect, item: Item, mood: Mood) -> None: ...
    def paint_ghost(self, painter: QPainter, rect: QRect) -> None:
        """Where a thing will stand that was not fetched yet."""


class _Drawn:
    """What all cells have in common: theme, sizes, fonts that are made once."""

    def __init__(self, icons: Icons) -> None:
        self.icons = icons
        self._fonts: dict[tuple[float, str], QFont] = {}
        self._turned: QRect | None = None
        self._elided: dict[tuple[str, int, float, int], str] = {}
        """Words as they fit; what comes into view again and again is measured once."""

    @property
    def theme(self) -> Theme:
        return self.icons.themes.current

    def px(self, length_px: float) -> int:
        return round(length_px * self.theme.scale)

    def font(self, points: float, kind: str = "") -> QFont:
        key = (points, kind)
        if key not in self._fonts:
            font = QFont()
            font.setPointSizeF(points)
            if kind == "heavy":
                font.setWeight(QFont.Weight.Medium)
            elif kind == "badge":
                font.setWeight(QFont.Weight.Bold)
            self._fonts[key] = font
        return self._fonts[key]

    def height_of(self, points: float, kind: str = "") -> int:
        return QFontMetrics(self.font(points, kind)).height()

    def turn(self, painter: QPainter, rect: QRect) -> None:
        """What is drawn in `rect` from now on stands the other way round for who reads from right to left."""
        self._turned = rect if painter.layoutDirection() == Qt.LayoutDirection.RightToLeft else None

    def placed(self, rect: QRect) -> QRect:
        """Where `rect` stands in the cell."""
        if self._turned is None:
            return rect
        return rect.translated(self._turned.left() + self._turned.right() - rect.left() - rect.right(), 0)

    def say(
        self, painter: QPainter, rect: QRect, text: str, colour: str, font: QFont, align: Qt.AlignmentFlag = _LEFT
    ) -> None:
        if rect.width() <= 0:
            return
        rect = self.placed(rect)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        key = (text, rect.width(), font.pointSizeF(), font.weight())
        words = self._elided.get(key)
        if words is None:
            if len(self._elided) >= _MOST_ELIDED:
                self._elided.clear()
            elide = Qt.TextElideMode.ElideRight
            words = self._elided[key] = painter.fontMetrics().elidedText(text, elide, rect.width())
        painter.drawText(rect, align, words)

    def ground(self, painter: QPainter, rect: QRect, colour: str, radius: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(self.placed(rect), radius, radius)

    def frame(self, painter: QPainter, rect: QRect, colour: str, width: float, radius: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colour), width))
        half = width / 2
        painter.drawRoundedRect(QRectF(rect).adjusted(half, half, -half, -half), radius, radius)

    def icon(self, painter: QPainter, name: str, role: Role, centre: QPointF, side: float) -> None:
        whole = self.px(side)
        place = self.placed(QRect(round(centre.x() - whole / 2), round(centre.y() - whole / 2), whole, whole))
        self.icons.paint(painter, name, role, QRectF(place))


class PictureCells(_Drawn):
    """`picture_of(item, side, radius)` gives what was read by now; lengths are in logical pixels."""

    def __init__(
        self,
        icons: Icons,
        picture_of: Callable[[Item, int, int], QImage | None],
        has_failed: Callable[[str], bool],
    ) -> None:
        super().__init__(icons)
        self._picture_of = picture_of
        self._has_failed = has_failed

    @property
    def radius(self) -> int:
        return self.px(8)

    def shape(self) -> Shape:
        return Shape(self.px(148), 0, self.px(8), self.px(40), margin=self.px(20))

    def paint(self, painter: QPainter, rect: QRect, item: Item, mood: Mood) -> None:
        palette = self.theme.palette
        image = None if mood.is_missing else self._picture_of(item, rect.width(), self.radius)
        if image is None or image.hasAlphaChannel():
            self.ground(painter, rect, palette.code, self.radius)
        if image is not None:
            painter.drawImage(rect, image)
        else:
            self._paint_words(painter, rect, item, mood)
        if mood.is_hovered:
            self._paint_name(painter, rect, item)
        if mood.is_selected:
            self.frame(painter, rect, palette.accent, self.px(3), self.radius)
            centre = QPointF(rect.right() - self.px(15), rect.top() + self.px(16))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.accent))
            painter.drawEllipse(centre, self.px(10), self.px(10))
            self.icon(painter, "check", "on_accent", centre, 14)
        if mood.has_ring and not mood.is_selected:
            self.frame(painter, rect, palette.accent, 2, self.radius)
        elif mood.has_ring:
            inner = rect.adjusted(self.px(4), self.px(4), -self.px(4), -self.px(4))
            self.frame(painter, inner, palette.raised, 1.5, max(1, self.radius - self.px(4)))

    def paint_ghost(self, painter: QPainter, rect: QRect) -> None:
        self.ground(painter, rect, self.theme.palette.code, self.radius)

    def _paint_words(self, painter: QPainter, rect: QRect, item: Item, mood: Mood) -> None:
        """What stands where no picture can be: why not. While it is read, nothing does."""
        words, icon = "", "image"
        if mood.is_missing:
            words, icon = not_here(), "download"
        elif not item.attachment:
            words, icon = one_line(item.url[:80]) or shown_name(item), "link"
        elif self._has_failed(item.attachment):
            words, icon = tr("Cannot be shown"), "warning"
        if not words:
            return
        palette = self.theme.palette
        middle = QPointF(rect.center().x(), rect.center().y() - self.px(12))
        self.icon(painter, icon, "muted", middle, 22)
        top = round(middle.y()) + self.px(17)
        room = QRect(rect.left() + self.px(10), top, rect.width() - self.px(20), rect.bottom() - top - self.px(4))
        painter.setFont(self.font(self.theme.small_pt))
        painter.setPen(QColor(palette.text_muted))
        wrap = Qt.TextFlag.TextWrapAnywhere if icon == "link" else Qt.TextFlag.TextWordWrap
        painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | wrap, words)

    def _paint_name(self, painter: QPainter, rect: QRect, item: Item) -> None:
        """Under the mouse: its name on a shade that keeps any picture's colours readable."""
        height = self.px(46)
        shade = QRect(rect.left(), rect.bottom() + 1 - height, rect.width(), height)
        gradient = QLinearGradient(shade.topLeft(), shade.bottomLeft())
        gradient.setColorAt(0, QColor(0, 0, 0, 0))
        gradient.setColorAt(1, QColor(0, 0, 0, 190))
        painter.save()
        painter.setClipRect(shade)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(rect, self.radius, self.radius)
        painter.restore()
        line = shade.adjusted(self.px(10), self.px(20), -self.px(10), -self.px(4))
        self.say(painter, line, shown_name(item), "#ffffff", self.font(self.theme.small_pt, "heavy"))


class CodeCells(_Drawn):
    """The first lines of each block, with its language. `bodies` draws the lines."""

    def __init__(self, icons: Icons, bodies: CodeBodies) -> None:
        super().__init__(icons)
        self._bodies = bodies

    def shape(self) -> Shape:
        height = LINES * self._bodies.line_px + self.px(74)
        return Shape(self.px(300), height, self.px(12), self.px(40), margin=self.px(20))

    def paint(self, painter: QPainter, rect: QRect, item: Item, mood: Mood) -> None:
        theme, palette = self.theme, self.theme.palette
        radius = self.px(10)
        self.turn(painter, rect)
        ground = palette.hover if mood.is_hovered else palette.code
        width = self.px(2) if mood.is_selected else 1
        painter.setPen(QPen(QColor(palette.accent if mood.is_selected else palette.border), width))
        painter.setBrush(QColor(ground))
        half = width / 2
        painter.drawRoundedRect(QRectF(rect).adjusted(half, half, -half, -half), radius, radius)
        if mood.has_ring:
            inner = rect.adjusted(self.px(3), self.px(3), -self.px(3), -self.px(3))
            self.frame(painter, inner, palette.accent, 1.5, radius - self.px(3))
        pad = self.px(14)
        inside = rect.adjusted(pad, self.px(10), -pad, -self.px(8))
        small, heavy = self.font(theme.small_pt), self.font(theme.small_pt, "heavy")
        line_px = self.height_of(theme.small_pt) + self.px(4)
        top = QRect(inside.left(), inside.top(), inside.width(), line_px)
        self.say(painter, top, item.detail or tr("Plain text"), palette.text, heavy)
        self.say(painter, top, day(item.place.at), palette.text_muted, small, _RIGHT)
        foot = QRect(inside.left(), inside.bottom() + 1 - line_px, inside.width(), line_px)
        self.say(painter, foot, conversation(item), palette.text_muted, small)
        room = QSize(inside.width(), LINES * self._bodies.line_px)
        image = self._bodies.image(item, room, painter.device().devicePixelRatioF(), ground)
        painter.drawImage(QPoint(inside.left(), top.bottom() + self.px(6)), image)  # code reads from left to right

    def paint_ghost(self, painter: QPainter, rect: QRect) -> None:
        self.ground(painter, rect, self.theme.palette.code, self.px(10))


class LineCells(_Drawn):
    """Files, documents, links and results of tools: a sign, a name, what is known of it, and where it is from."""

    def shape(self) -> Shape:
        height = self.height_of(self.theme.body_pt, "heavy") + self.height_of(self.theme.small_pt) + self.px(22)
        return Shape(self.px(200), height, self.px(2), self.px(40), most_columns=1, margin=self.px(12))

    def paint(self, painter: QPainter, rect: QRect, item: Item, mood: Mood) -> None:
        theme, palette = self.theme, self.theme.palette
        self.turn(painter, rect)
        radius = self.px(8)
        if mood.is_selected or mood.is_hovered:
            self.ground(painter, rect, palette.selected if mood.is_selected else palette.hover, radius)
        if mood.has_ring:
            self.frame(painter, rect, palette.accent, 2, radius)
        side = rect.height() - self.px(16)
        sign = QRect(rect.left() + self.px(8), rect.top() + self.px(8), side, side)
        self._paint_sign(painter, sign, item, mood)
        inside = rect.adjusted(side + self.px(22), self.px(9), -self.px(12), -self.px(9))
        if rect.width() >= self.px(_WIDE_LINE_PX):
            where_px = min(self.px(260), inside.width() // 3)
            where = QRect(inside.right() + 1 - where_px, inside.top(), where_px, inside.height())
            inside.setRight(where.left() - self.px(20))
            self._two_lines(painter, where, conversation(item), day(item.place.at), _RIGHT)
        height = self.height_of(theme.body_pt, "heavy")
        first_line = QRect(inside.left(), inside.top(), inside.width(), height + self.px(2))
        second_line = QRect(inside.left(), first_line.bottom(), inside.width(), inside.bottom() - first_line.bottom())
        if rect.width() < self.px(_WIDE_LINE_PX):
            small = self.font(theme.small_pt)
            date = day(item.place.at)
            self.say(painter, first_line, date, palette.text_muted, small, _RIGHT)
            first_line.setRight(first_line.right() - QFontMetrics(small).horizontalAdvance(date) - self.px(12))
        self.say(painter, first_line, shown_name(item), palette.text, self.font(theme.body_pt, "heavy"))
        colour = palette.warning if mood.is_missing else palette.text_muted
        self.say(painter, second_line, self._second_line(item, mood), colour, self.font(theme.small_pt))

    def paint_ghost(self, painter: QPainter, rect: QRect) -> None:
        self.turn(painter, rect)
        side = rect.height() - self.px(16)
        code = self.theme.palette.code
        self.ground(painter, QRect(rect.left() + self.px(8), rect.top() + self.px(8), side, side), code, self.px(8))
        left = rect.left() + side + self.px(22)
        bar = QRect(left, rect.center().y() - self.px(5), max(0, min(self.px(220), rect.right() - left)), self.px(10))
        self.ground(painter, bar, code, self.px(5))

    def _paint_sign(self, painter: QPainter, rect: QRect, item: Item, mood: Mood) -> None:
        palette = self.theme.palette
        self.ground(painter, rect, palette.raised if mood.is_hovered or mood.is_selected else palette.code, self.px(8))
        kind = type_of(item) if item.kind in ("file", "document") and not mood.is_missing else ""
        if kind and len(kind) <= 4:
            size = self.theme.small_pt * (0.92 if len(kind) < 4 else 0.8)
            colour = palette.accent if item.kind == "document" else palette.text_muted
            self.say(painter, rect, kind, colour, self.font(size, "badge"), Qt.AlignmentFlag.AlignCenter)
            return
        name, role = _sign_of(item.kind), _role_of(item)
        if mood.is_missing:
            name, role = "download", "warning"
        self.icon(painter, name, role, QRectF(rect).center(), 18)

    def _second_line(self, item: Item, mood: Mood) -> str:
        if mood.is_missing:
            return not_here()
        said = [size_of(item)] if item.kind in ("file", "document") else facts(item)
        if item.kind == "tool":
            said.append(one_line(item.text[:_LINE_CHARACTERS]))
        elif item.kind == "link":
            said = [one_line(item.url[:_LINE_CHARACTERS])]
        return " · ".join(filter(None, said))

    def _two_lines(self, painter: QPainter, rect: QRect, first: str, second: str, align: Qt.AlignmentFlag) -> None:
        palette, small = self.theme.palette, self.font(self.theme.small_pt)
        half = rect.height() // 2
        self.say(painter, QRect(rect.left(), rect.top(), rect.width(), half), first, palette.text_muted, small, align)
        below = QRect(rect.left(), rect.top() + half, rect.width(), rect.height() - half)
        self.say(painter, below, second, palette.text_muted, small, align)


def _sign_of(kind: ItemKind) -> str:
    return KIND_ICONS[kind]


def _role_of(item: Item) -> Role:
    return "error" if item.kind == "tool" and item.detail == "error" else "muted"
