"""Chips: each attachment of the message being written, with its picture, name, size and a way to remove it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from sam_py.messages.parts import FilePart, ImagePart
from sam_py.ui.chat.attachments_intake import size_text
from sam_py.ui.chat.composer_attachments import AttachmentTray, Item
from sam_py.ui.chat.document_words import document_facts
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line, tooltip

_WIDTH_PX = 212
_HEIGHT_PX = 48
_GAP_PX = 8


class AttachmentChip(QWidget):
    """One attachment. Delete or Backspace removes it, Enter or a click opens its preview."""

    removed = Signal(int)
    opened = Signal(int)

    def __init__(self, icons: Icons, item: Item, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._themes = icons.themes
        self._hovered = False
        self._thumbnail: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._remove = IconButton(
            icons, "close", self.tr("Remove {name}").format(name=item.name), size_px=22, icon_px=12, parent=self
        )
        self._remove.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chip itself takes Delete; one stop for Tab is enough
        self._remove.clicked.connect(self._ask_removal)
        self.set_item(item)

    @property
    def item(self) -> Item:
        return self._item

    def set_item(self, item: Item) -> None:
        self._item = item
        self._thumbnail = QPixmap.fromImage(item.thumbnail) if item.thumbnail is not None else None
        detail = self.detail()
        self.setAccessibleName(self.tr("Attachment {name}, {detail}").format(name=item.name, detail=detail))
        self.setAccessibleDescription(self.tr("Delete removes it. Enter shows it."))
        self.setToolTip(tooltip("\n".join(line for line in (item.name, detail, item.note) if line)))
        self.update()

    def detail(self) -> str:
        """The line beneath the name."""
        item = self._item
        if item.part is None:
            return self._reading_words(item.progress)
        if item.warning:
            return item.warning
        if item.document is not None:
            return " · ".join(document_facts(item.document)) or size_text(item.size)
        if isinstance(item.part, ImagePart) and item.part.width:
            pixels = f"{item.part.width} × {item.part.height}"
            return f"{pixels} · {size_text(item.size)}" if item.size else pixels
        if item.text:
            count = len(item.text.splitlines())
            lines = self.tr("1 line") if count == 1 else self.tr("{n} lines").format(n=self.locale().toString(count))
            return f"{lines} · {size_text(item.size)}"
        return size_text(item.size)

    def _reading_words(self, progress: tuple[int, int] | None) -> str:
        if progress is None or progress[1] < 2:
            return self.tr("Reading…")
        done, total = (self.locale().toString(number) for number in progress)
        return self.tr("Reading: %1 of %2").replace("%1", done).replace("%2", total)

    def px(self, length_px: float) -> int:
        return round(length_px * self._themes.current.scale)

    def _ask_removal(self) -> None:
        self.removed.emit(self._item.id)

    def sizeHint(self) -> QSize:
        return QSize(self.px(_WIDTH_PX), self.px(_HEIGHT_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        size = self._remove.sizeHint()
        self._remove.setGeometry(
            QRect(QPoint(self.width() - size.width() - self.px(5), (self.height() - size.height()) // 2), size)
        )

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit(self._item.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._ask_removal()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.opened.emit(self._item.id)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        palette = self._themes.current.palette
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        radius = self.px(10)
        painter.setBrush(QColor(palette.hover if self._hovered else palette.code))
        focused = self.hasFocus()
        painter.setPen(QPen(QColor(palette.accent if focused else palette.border), 2 if focused else 1))
        painter.drawRoundedRect(rect, radius, radius)
        side = self.px(34)
        picture = QRectF(self.px(7), (self.height() - side) / 2, side, side)
        self._paint_picture(painter, picture)
        left = round(picture.right()) + self.px(9)
        width = self.width() - left - self.px(30)
        self._paint_words(painter, left, width)
        if self._item.part is None and self._item.progress is not None:
            self._paint_progress(painter, QRectF(left, self.height() - self.px(6), width, self.px(2)))

    def _paint_picture(self, painter: QPainter, rect: QRectF) -> None:
        palette = self._themes.current.palette
        radius = self.px(6)
        if self._thumbnail is not None and not self._thumbnail.isNull():
            path = QPainterPath()
            path.addRoundedRect(rect, radius, radius)
            painter.save()
            painter.setClipPath(path)
            side = min(self._thumbnail.width(), self._thumbnail.height())
            cut = QRectF((self._thumbnail.width() - side) / 2, (self._thumbnail.height() - side) / 2, side, side)
            painter.drawPixmap(rect, self._thumbnail, cut)
            painter.restore()
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.selected))
        painter.drawRoundedRect(rect, radius, radius)
        inner = rect.adjusted(self.px(8), self.px(8), -self.px(8), -self.px(8))
        name: str = "queue" if self._item.part is None else self._item.kind
        if isinstance(self._item.part, FilePart) and self._item.part.mime_type == "application/pdf":
            name = "pdf"
        self._icons.paint(painter, name, "accent", inner)

    def _paint_progress(self, painter: QPainter, bar: QRectF) -> None:
        done, total = self._item.progress or (0, 1)
        palette = self._themes.current.palette
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.selected))
        painter.drawRoundedRect(bar, 1, 1)
        painter.setBrush(QColor(palette.accent))
        painter.drawRoundedRect(
            QRectF(bar.x(), bar.y(), bar.width() * min(1.0, done / max(1, total)), bar.height()), 1, 1
        )

    def _paint_words(self, painter: QPainter, left: int, width: int) -> None:
        theme = self._themes.current
        name_font, detail_font = QFont(self.font()), QFont(self.font())
        name_font.setPointSizeF(theme.small_pt * 1.05)
        name_font.setWeight(QFont.Weight.Medium)
        detail_font.setPointSizeF(theme.small_pt * 0.95)
        detail_colour = theme.palette.warning if self._item.warning else theme.palette.text_muted
        middle = self.height() / 2
        for font, colour, words, top, mode in (
            (name_font, theme.palette.text, one_line(self._item.name), True, Qt.TextElideMode.ElideMiddle),
            (detail_font, detail_colour, self.detail(), False, Qt.TextElideMode.ElideRight),
        ):
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(QColor(colour))
            y = middle - metrics.height() + self.px(1) if top else middle + self.px(1)
            place = QRectF(left, y, width, metrics.height())
            painter.drawText(
                place, Qt.AlignmentFlag.AlignLeft, metrics.elidedText(words.replace("\n", " "), mode, width)
            )


class ChipRow(QWidget):
    """All chips of a tray, in as many rows as they need. Arrows move between them; removing keeps the focus near."""

    opened = Signal(int)
    left_empty = Signal()
    """The last focused chip went: the focus belongs back in the box."""

    def __init__(self, icons: Icons, tray: AttachmentTray, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._tray = tray
        self._chips: dict[int, AttachmentChip] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        tray.changed.connect(self._take_items)
        tray.advanced.connect(self._take_items)
        icons.changed.connect(self._arrange)
        self._take_items()

    @property
    def chips(self) -> tuple[AttachmentChip, ...]:
        return tuple(self._chips.values())

    def _take_items(self) -> None:
        items = {item.id: item for item in self._tray.items}
        order = list(self._chips)
        focused = next((key for key, chip in self._chips.items() if chip.hasFocus()), None)
        for key in [key for key in self._chips if key not in items]:
            chip = self._chips.pop(key)
            chip.hide()
            chip.deleteLater()
        for key, item in items.items():
            if key in self._chips:
                before = self._chips[key].item
                if before != item or before.thumbnail is not item.thumbnail or before.document is not item.document:
                    self._chips[key].set_item(item)
                continue
            chip = AttachmentChip(self._icons, item, self)
            chip.removed.connect(self._tray.remove)
            chip.opened.connect(self.opened)
            chip.show()
            self._chips[key] = chip
        self._chips = {key: self._chips[key] for key in items}
        self.setVisible(bool(self._chips))
        self._arrange()
        if focused is not None and focused not in self._chips:
            self._focus_near(order.index(focused))

    def _focus_near(self, index: int) -> None:
        chips = self.chips
        if chips:
            chips[min(index, len(chips) - 1)].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.left_empty.emit()

    def _arrange(self) -> None:
        for chip, place in zip(self._chips.values(), self._places(self.width()), strict=True):
            chip.setGeometry(place)
        self.updateGeometry()

    def _places(self, width: int) -> list[QRect]:
        """Where each chip stands when the row is `width` px wide."""
        gap = round(_GAP_PX * self._icons.themes.current.scale)
        places: list[QRect] = []
        x = y = 0
        for chip in self._chips.values():
            size = chip.sizeHint().boundedTo(QSize(max(width, 80), 10_000))
            if x and x + size.width() > width:
                x, y = 0, y + size.height() + gap
            places.append(QRect(QPoint(x, y), size))
            x += size.width() + gap
        return places

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return places[-1].bottom() + 1 if places else 0

    def sizeHint(self) -> QSize:
        return QSize(400, self.heightForWidth(max(self.width(), 200)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()), 0)
        chips = self.chips
        at = next((index for index, chip in enumerate(chips) if chip.hasFocus()), None)
        if step and at is not None and 0 <= at + step < len(chips):
            chips[at + step].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)
