"""SettingsDialog: the pages and the way between them. There is no OK: every change is kept at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sam_py.settings.model import Settings
from sam_py.ui.services import Services, no_voice
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.widgets.buttons import FlatButton
from sam_py.ui.widgets.icons import Icons

_SIZE = (760, 600)


class SettingsDialog(QDialog):
    """Open it with `open()`; Esc closes it. Pages are made when first seen."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Settings"))
        self._services = services
        self._makers = _makers(services)
        self.pages: dict[str, SettingsPage] = {}
        self.buttons: dict[str, PageButton] = {}
        self._areas: dict[str, QScrollArea] = {}
        self._ended = False
        self._build()
        self._unsubscribe = services.settings.subscribe(self._settings_changed)
        services.themes.changed.connect(self._retheme)
        self._retheme()
        self.finished.connect(self._end)
        self.show_page("providers")

    def show_page(self, name: str, account: str = "") -> None:
        """Show ``providers``, ``chat``, ``tools``, ``voice``, ``appearance``, ``data`` or ``about``.

        Another name changes nothing.

        With an `account`, the providers open at its key.
        """
        if name not in self._makers:
            return
        if name not in self.pages:
            page = self.pages[name] = self._makers[name](self._services)
            page.show_settings(self._services.settings.current)
            area = self._areas[name] = QScrollArea()
            area.setWidget(page)
            area.setWidgetResizable(True)
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            area.viewport().setAutoFillBackground(False)
            page.setAutoFillBackground(False)
            self._stack.addWidget(area)
        self._stack.setCurrentWidget(self._areas[name])
        self.buttons[name].setChecked(True)
        if account:
            QTimer.singleShot(0, self, lambda: self._focus_key(account))  # when everything has its place

    def _focus_key(self, account: str) -> None:
        page = self.pages["providers"]
        page.focus_key(account)  # type: ignore[attr-defined]
        focus = self.focusWidget()
        if focus is not None:
            self._areas["providers"].ensureWidgetVisible(focus, 0, round(80 * self._services.themes.current.scale))

    def _build(self) -> None:
        labels = {
            "providers": (self.tr("Providers"), "server"),
            "chat": (self.tr("Chat"), "chat"),
            "appearance": (self.tr("Appearance"), "sun"),
            "tools": (self.tr("Tools"), "tool"),
            "voice": (self.tr("Voice"), "speaker"),
            "data": (self.tr("Data"), "folder"),
            "about": (self.tr("About"), "info"),
        }
        self._side = QWidget()
        self._side.setAutoFillBackground(True)
        column = QVBoxLayout(self._side)
        column.setContentsMargins(8, 16, 8, 16)
        column.setSpacing(2)
        group = QButtonGroup(self)
        for name in self._makers:
            label, icon = labels[name]
            button = self.buttons[name] = PageButton(self._services.icons, label, icon)
            button.clicked.connect(lambda _checked=False, name=name: self.show_page(name))
            group.addButton(button)
            column.addWidget(button)
        column.addStretch(1)
        self._stack = QStackedWidget()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addWidget(self._stack, 1)
        scale = min(1.4, self._services.themes.current.scale)
        size = QSize(round(_SIZE[0] * scale), round(_SIZE[1] * scale))
        screen = self.screen().availableSize()
        self.resize(size.boundedTo(QSize(screen.width() - 40, screen.height() - 60)))
        self.setMinimumSize(400, 320)

    def _settings_changed(self, settings: Settings) -> None:
        for page in self.pages.values():
            page.show_settings(settings)

    def _retheme(self) -> None:
        palette = QPalette(self._side.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(self._services.themes.current.palette.sidebar))
        self._side.setPalette(palette)

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        for page in self.pages.values():
            page.leave()
        self._unsubscribe()


class PageButton(FlatButton):
    """A line of the dialog's left side."""

    def __init__(self, icons: Icons, label: str, icon: str) -> None:
        super().__init__(icons, label)
        self._icon = icon
        self.setText(label)
        self.setToolTip("")
        self.setCheckable(True)
        self.setAutoExclusive(True)

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._themes.current.body_pt)
        return font

    def sizeHint(self) -> QSize:
        words_px = QFontMetrics(self._font()).horizontalAdvance(self.text())
        return QSize(max(self.px(148), words_px + self.px(56)), self.px(36))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette_now
        rect = QRectF(self.rect())
        if self.isChecked() or self._hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selected if self.isChecked() else palette.hover))
            painter.drawRoundedRect(rect, self.px(8), self.px(8))
        side = self.px(18)
        place = QRectF(self.px(10), round((self.height() - side) / 2), side, side)
        self._icons.paint(painter, self._icon, "text" if self.isChecked() else "muted", place)
        painter.setFont(self._font())
        painter.setPen(QColor(palette.text))
        line = rect.adjusted(self.px(38), 0, -self.px(8), 0)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text())
        self._paint_ring(painter, rect, self.px(8))


def _makers(services: Services) -> dict[str, Callable[[Services], SettingsPage]]:
    from sam_py.ui.settings.about_page import AboutPage
    from sam_py.ui.settings.appearance_page import AppearancePage
    from sam_py.ui.settings.chat_page import ChatPage
    from sam_py.ui.settings.data_page import DataPage
    from sam_py.ui.settings.providers_page import ProvidersPage
    from sam_py.ui.settings.tools_page import ToolsPage

    voice = {"voice": _voice_page} if services.voice is not no_voice else {}
    return {
        "providers": ProvidersPage,
        "chat": ChatPage,
        "tools": ToolsPage,
        **voice,
        "appearance": AppearancePage,
        "data": DataPage,
        "about": AboutPage,
    }


def _voice_page(services: Services) -> SettingsPage:
    from sam_py.ui.settings.voice_page import VoicePage

    return VoicePage(services, services.voice().offers)
