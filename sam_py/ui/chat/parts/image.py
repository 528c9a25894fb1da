"""A picture on a line of its own. Ours (``attach:``) is shown; a remote one is a card that says where it lies.

A remote picture is never fetched from here: "Open in the browser" only becomes a signal.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from sam_py.ui.chat.parts.base import Part, Surroundings, Target
from sam_py.ui.chat.parts.pictures import ShownPicture, shared_pictures
from sam_py.ui.links import safe_target
from sam_py.ui.markdown.segments import Segment

CARD_PX = 66
MAX_PX = 420
RADIUS_PX = 10
ATTACHMENT = "attach:"


def tr(text: str) -> str:
    return QCoreApplication.translate("PicturePart", text)


class PicturePart(Part):
    kind = "image"

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._url = ""
        self._alt = ""
        self._path: Path | None = None
        self._shown = QSize()
        self._listening = False

    def show(self, segment: Segment, provisional: str = "") -> None:
        if segment.url != self._url or segment.info != self._alt:
            shared_pictures().give_up(self)
            self._url, self._alt = segment.url, segment.info
            self._path = None
            if self._url.startswith(ATTACHMENT):
                self._path = self.around.attachment_path(self._url.removeprefix(ATTACHMENT))
            self.width = -1
        self.depth = segment.depth
        self.gap_above = self.gap_below = self.style.paragraph_px

    def layout_for(self, width: int) -> int:
        if width == self.width:
            return self.height
        self.width = width
        self._shown = QSize()
        if not self._is_there():
            if self._url.startswith(ATTACHMENT):
                shared_pictures().wait_for(self, self._look_again)
        else:
            assert self._path is not None
            size = shared_pictures().size(self._path)
            room = QSize(min(width, size.width()), min(MAX_PX, size.height()))
            self._shown = size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))
        self.height = self._shown.height() if self._shown.isValid() else self._card_px()
        return self.height

    def _is_there(self) -> bool:
        return self._path is not None and not shared_pictures().failed(self._path)

    def _look_again(self) -> bool:
        """Whether the file is there by now, whole: it came from another computer after the words."""
        self._path = self.around.attachment_path(self._url.removeprefix(ATTACHMENT))
        if not self._is_there():
            return False
        self.width = -1
        self.around.changed(self, True)
        return True

    def drawn_width(self) -> int:
        """How wide the picture is drawn in the width that it was laid out for."""
        return self._shown.width() if self._shown.isValid() else self.width

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._path is None or not self._shown.isValid():
            self._paint_card(painter)
            return
        box = QRectF(0, 0, self._shown.width(), self._shown.height())
        outline = QPainterPath()
        outline.addRoundedRect(box, RADIUS_PX, RADIUS_PX)
        image = shared_pictures().picture(self._path, self._shown * self.around.pixel_ratio())
        if image is None:
            self._listen()
            painter.fillPath(outline, self.style.colour("code"))
        else:
            painter.save()
            painter.setClipPath(outline, Qt.ClipOperation.IntersectClip)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(box, image)
            painter.restore()
            painter.setPen(QPen(self.style.colour("border"), 1))
            painter.drawPath(outline)
        if self.selection is not None:
            tint = self.style.colour("selection")
            tint.setAlphaF(0.5)
            painter.fillPath(outline, tint)

    def _paint_card(self, painter: QPainter) -> None:
        style = self.style
        painter.setPen(QPen(style.colour("border"), 1))
        painter.setBrush(style.colour("selection" if self.selection is not None else "code"))
        painter.drawRoundedRect(QRectF(0.5, 0.5, self.width - 1, self.height - 1), RADIUS_PX, RADIUS_PX)
        title, detail = self._card_texts()
        button = self._button_box()
        room = (button.left() if self._remote else self.width) - 28.0
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        elide = Qt.TextElideMode.ElideMiddle
        painter.setFont(style.body)
        painter.setPen(style.colour("text"))
        top, high = round(10 * style.theme.scale), round(24 * style.theme.scale)
        painter.drawText(QRectF(14, top, room, high), middle, QFontMetricsF(style.body).elidedText(title, elide, room))
        painter.setFont(style.small)
        painter.setPen(style.colour("text_muted"))
        below = QRectF(14, top + high, room, round(20 * style.theme.scale))
        painter.drawText(below, middle, QFontMetricsF(style.small).elidedText(detail, elide, room))
        if self._remote:
            painter.setPen(QPen(style.colour("border").darker(112), 1))
            painter.setBrush(style.colour("hover" if self.hovered else "raised"))
            painter.drawRoundedRect(button, 7, 7)
            painter.setPen(style.colour("text"))
            painter.drawText(button, Qt.AlignmentFlag.AlignCenter, tr("Open in the browser"))

    @property
    def _remote(self) -> bool:
        target = safe_target(self._url)
        return target is not None and target.startswith("http")

    def _card_texts(self) -> tuple[str, str]:
        if self._remote:
            target = safe_target(self._url) or ""
            host = urlsplit(target).hostname or ""
            return (f"{self._alt} — {host}" if self._alt else host), target
        if self._url.startswith(ATTACHMENT):
            return self._alt or tr("Picture"), tr("This picture is missing or cannot be shown.")
        return self._alt or tr("Picture"), tr("Not shown: {url}").format(url=self._url[:300])

    def _button_box(self) -> QRectF:
        width = QFontMetricsF(self.style.small).horizontalAdvance(tr("Open in the browser")) + 26
        high = round(30 * self.style.theme.scale)
        return QRectF(self.width - width - 12, (self._card_px() - high) / 2, width, high)

    def _card_px(self) -> int:
        return round(CARD_PX * self.style.theme.scale)

    def _listen(self) -> None:
        if not self._listening:
            self._listening = True
            shared_pictures().ready.connect(self._picture_ready)

    def _picture_ready(self, key: tuple[str, int, int]) -> None:
        if self._path is None or key[0] != str(self._path):
            return
        shared_pictures().ready.disconnect(self._picture_ready)
        self._listening = False
        failed = shared_pictures().failed(self._path)
        if failed:
            self.width = -1
        self.around.changed(self, failed)

    def clear(self) -> None:
        if self._listening:
            shared_pictures().ready.disconnect(self._picture_ready)
            self._listening = False
        shared_pictures().give_up(self)
        self._url = self._alt = ""
        self._path = None
        self.selection = None
        self.width = -1

    def length(self) -> int:
        return max(1, len(self._alt))

    def hit(self, point: QPointF) -> int:
        return 0 if point.x() < (self._shown.width() or self.width) / 2 else self.length()

    def text(self, start: int, end: int) -> str:
        return self._alt if end > start else ""

    def word_at(self, position: int) -> tuple[int, int]:
        return 0, self.length()

    def targets(self) -> list[Target]:
        if self._path is not None and self._shown.isValid():
            box = QRectF(0, 0, self._shown.width(), self._shown.height())
            return [
                Target(
                    "image",
                    box,
                    ShownPicture(self._path, self._alt),
                    tr("Open the picture {name}").format(name=self._alt),
                )
            ]
        if self._remote:
            return [
                Target(
                    "load_image", self._button_box(), self._url, tr("Open {url} in the browser").format(url=self._url)
                )
            ]
        return []

    def is_text_at(self, point: QPointF) -> bool:
        return False
