"""Notices: short messages at the window's foot that never block, never take the focus, and can be acted on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from sam_py.ui.theme import Themes
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons, Role

Kind = Literal["info", "error", "success"]
INFO_MS = 5_000
ACTION_MS = 10_000
MOST = 4
_WIDTH_PX = 460
_TOPIC = "topic "
_LOOKS: dict[Kind, tuple[str, Role]] = {
    "info": ("info", "muted"),
    "error": ("error", "error"),
    "success": ("check", "success"),
}


class Notice(QWidget):
    """One notice. Its time stands still while the mouse is over it or the focus is in it; Esc closes it."""

    closed = Signal(object)

    def __init__(
        self,
        icons: Icons,
        text: str,
        kind: Kind,
        action_text: str,
        on_action: Callable[[], object] | None,
        timeout_ms: int,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self.text = text
        self.kind: Kind = kind
        self.about = ""
        self._on_action = on_action
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(timeout_ms)
        self._timer.timeout.connect(self.dismiss)
        self.setAccessibleName(text)
        self.label = QLabel(text, self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action: PillButton | None = None
        if action_text:
            self.action = PillButton(icons, action_text, kind="outline", height_px=28, parent=self)
            self.action.clicked.connect(self._act)
        self.close_button = IconButton(icons, "close", self.tr("Dismiss"), size_px=26, icon_px=12, parent=self)
        self.close_button.clicked.connect(self.dismiss)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.label, 1)
        if self.action is not None:
            self._row.addWidget(self.action)
        self._row.addWidget(self.close_button)
        icons.changed.connect(self._take_theme)
        self._take_theme()
        self.start_clock()

    def start_clock(self) -> None:
        """Count the notice's time from now; a timeout of 0 leaves it until it is dismissed."""
        if self._timer.interval() > 0:
            self._timer.start()

    def dismiss(self) -> None:
        self._timer.stop()
        self.closed.emit(self)

    def focus_changed(self, inside: bool) -> None:
        """The keyboard came in or left: the time stands still while it is here."""
        if inside:
            self._timer.stop()
        else:
            self.start_clock()

    def _act(self) -> None:
        self.dismiss()
        if self._on_action is not None:
            self._on_action()

    def _take_theme(self) -> None:
        from sam_py.ui.widgets.raised import SHADOW_PX  # a start without a notice does without

        theme = self._icons.themes.current
        scale = theme.scale
        edge = SHADOW_PX
        self._row.setContentsMargins(
            round(42 * scale) + edge, round(8 * scale) + edge, round(8 * scale) + edge, round(8 * scale) + edge
        )
        self._row.setSpacing(round(8 * scale))
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.97)
        self.label.setFont(font)
        palette = QPalette(self.label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text))
        self.label.setPalette(palette)
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self.start_clock()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        from sam_py.ui.widgets.raised import paint_raised

        theme = self._icons.themes.current
        painter = QPainter(self)
        ground = theme.palette.error_surface if self.kind == "error" else ""
        rect = paint_raised(painter, self.rect(), theme, ground=ground)
        name, role = _LOOKS[self.kind]
        side = round(18 * theme.scale)
        place = QRectF(rect.left() + 14 * theme.scale, rect.center().y() - side / 2, side, side)
        self._icons.paint(painter, name, role, place)


class Notices(QWidget):
    """Stacks notices over the foot of its parent, the newest lowest; the oldest goes when there are more than four."""

    def __init__(self, themes: Themes, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes
        self._icons = icons
        self._above: QWidget | None = None
        self._notices: list[Notice] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.setAccessibleName(self.tr("Notices"))
        self.hide()
        parent.installEventFilter(self)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]
        themes.changed.connect(self._place)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(self._notices)

    def keep_above(self, widget: QWidget) -> None:
        """Never cover `widget` (the composer): notices stand over its upper edge, in its column."""
        self._above = widget
        widget.installEventFilter(self)
        self._place()

    def show_notice(
        self,
        text: str,
        kind: Kind = "info",
        action_text: str = "",
        on_action: Callable[[], object] | None = None,
        timeout_ms: int | None = None,
        about: str = "",
    ) -> None:
        """Show `text` (plain, never markup), with a button `action_text` that calls `on_action`.

        Without `timeout_ms` an error stays until it is dismissed, a notice with an action 10 s, another 5 s; 0 means
        until dismissed. The same words again keep the notice that already says them; beside an action only
        where they tell of an error: two deleted conversations may have one name, and each can come back. What it is
        `about` is for `take_back`.
        """
        if timeout_ms is None:
            timeout_ms = 0 if kind == "error" else ACTION_MS if action_text else INFO_MS
        for shown in self._notices:
            if (shown.text, shown.kind) == (text, kind) and (kind == "error" or not action_text):
                shown.start_clock()
                return
        notice = Notice(self._icons, text, kind, action_text, on_action, timeout_ms, self)
        notice.about = about
        notice.closed.connect(self._remove)
        self._notices.append(notice)
        self._column.addWidget(notice)
        while len(self._notices) > MOST:
            self._remove(self._notices[0])
        notice.show()
        self.show()
        self.raise_()
        self._place()
        announce(self, text, urgent=kind == "error")

    def say_of(self, topic: str, texts: Iterable[str]) -> None:
        """Say what belongs to `topic` alone, until it is dismissed; what was said of another one is taken down."""
        about = f"{_TOPIC}{topic}"
        for notice in self.notices:
            if notice.about.startswith(_TOPIC) and notice.about != about:
                self._remove(notice)
        for text in texts:
            self.show_notice(text, timeout_ms=0, about=about)

    def focus_latest(self) -> bool:
        """Bring the keyboard to the newest notice's action (or its close button). False: there is none."""
        if not self._notices:
            return False
        notice = self._notices[-1]
        (notice.action or notice.close_button).setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def take_back(self, *about: str) -> None:
        """Remove what was told about these: it is over."""
        for notice in self.notices:
            if notice.about in about:
                self._remove(notice)

    def clear(self) -> None:
        for notice in self.notices:
            self._remove(notice)

    def _remove(self, notice: Notice) -> None:
        if notice not in self._notices:
            return
        self._notices.remove(notice)
        self._column.removeWidget(notice)
        notice.hide()
        notice.deleteLater()
        self.setVisible(bool(self._notices))
        self._place()

    def _focus_moved(self, old: QWidget | None, new: QWidget | None) -> None:
        for notice in self._notices:
            was = old is not None and notice.isAncestorOf(old)
            now = new is not None and notice.isAncestorOf(new)
            if was != now:
                notice.focus_changed(now)

    def _place(self) -> None:
        """Stand over the foot of the parent, or over what must not be covered, centred in it."""
        parent = self.parentWidget()
        if parent is None or not self._notices:
            return
        left, width, foot = 0, parent.width(), parent.height() - 8
        if self._above is not None and self._above.isVisible():
            corner = self._above.mapTo(parent, QPoint(0, 0))
            left, width, foot = corner.x(), self._above.width(), corner.y()
        own_width = min(round(_WIDTH_PX * self._themes.current.scale), max(120, width - 16))
        height = sum(max(notice.heightForWidth(own_width), notice.sizeHint().height()) for notice in self._notices)
        self.setGeometry(left + (width - own_width) // 2, max(0, foot - height), own_width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._place()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, 0)
