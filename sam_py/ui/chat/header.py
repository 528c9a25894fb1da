"""Header: the line above the conversation: its title, tokens and cost, its settings, and the menu."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QSizePolicy, QStackedLayout, QWidget

from sam_py.ui.chat.todo_panel import TodoButton
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line, tooltip

HEIGHT_PX = 48
_ALL_BUTTONS_FROM_PX = 320
"""In a narrower header, at the text's scale, the inspector is found in the menu alone."""


class ElidedText(QWidget):
    """One line of plain text, painted (never read as rich text), cut with … where it does not fit."""

    double_clicked = Signal()

    def __init__(
        self, themes: Themes, *, muted: bool = False, bold: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._themes = themes
        self._muted = muted
        self._bold = bold
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.changed.connect(self.updateGeometry)

    @property
    def text(self) -> str:
        return self._text

    def set_text(self, text: str) -> None:
        text = one_line(text)
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.setToolTip(tooltip(text) if len(text) > 40 else "")
            self.updateGeometry()
            self.update()

    def _font(self) -> QFont:
        theme = self._themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt if self._muted else theme.body_pt)
        if self._bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    # Qt

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self._font())
        return QSize(metrics.horizontalAdvance(self._text) + 4, metrics.height() + 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self._font()).height() + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._themes.current
        painter = QPainter(self)
        painter.setFont(self._font())
        painter.setPen(theme.palette.text_muted if self._muted else theme.palette.text)
        text = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)
        painter.end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()


class Header(QWidget):
    """Title (double click renames), usage, menu. The sidebar's button shows while the sidebar is hidden."""

    renamed = Signal(str)
    rename_ended = Signal()
    """By Enter or Escape: the keyboard is free again."""
    sidebar_requested = Signal()
    new_requested = Signal()
    settings_requested = Signal()
    """Those of this conversation."""
    inspector_requested = Signal()

    def __init__(self, themes: Themes, icons: Icons, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 0, 12, 0)
        layout.setSpacing(8)
        self.sidebar_button = IconButton(icons, "sidebar", self.tr("Show the sidebar"), parent=self)
        self.sidebar_button.clicked.connect(self.sidebar_requested)
        self.new_button = IconButton(icons, "new", self.tr("New chat"), parent=self)
        self.new_button.clicked.connect(self.new_requested)
        self._title = ElidedText(themes, bold=True, parent=self)
        self._title.double_clicked.connect(self.begin_rename)
        self._field = QLineEdit(self)
        self._field.setAccessibleName(self.tr("Title of the conversation"))
        self._field.editingFinished.connect(self._end_rename)
        self._field.returnPressed.connect(self.rename_ended)
        self._field.installEventFilter(self)
        titles = QWidget(self)
        self._titles = QStackedLayout(titles)
        self._titles.setContentsMargins(0, 0, 0, 0)
        self._titles.addWidget(self._title)
        self._titles.addWidget(self._field)
        titles.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._usage = ElidedText(themes, muted=True, parent=self)
        self.todo_button = TodoButton(icons, self)
        self.settings_button = IconButton(icons, "sliders", self.tr("Settings of this conversation"), parent=self)
        self.settings_button.clicked.connect(self.settings_requested)
        self.inspector_button = IconButton(
            icons, "inspector", self.tr("What the model is sent"), shortcut="Ctrl+Shift+I", parent=self
        )
        self.inspector_button.setCheckable(True)
        self.inspector_button.clicked.connect(self.inspector_requested)
        self.menu_button = IconButton(icons, "more", self.tr("Menu"), parent=self)
        self._menu = menu
        self.menu_button.clicked.connect(self.open_menu)
        layout.addWidget(self.sidebar_button)
        layout.addWidget(self.new_button)
        layout.addWidget(titles, 1)
        layout.addWidget(self._usage)
        layout.addWidget(self.todo_button)
        layout.addWidget(self.settings_button)
        layout.addWidget(self.inspector_button)
        layout.addWidget(self.menu_button)
        themes.changed.connect(self._take_theme)
        self._take_theme()

    def _take_theme(self) -> None:
        self.setFixedHeight(round(HEIGHT_PX * max(1.0, self._themes.current.scale)))
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        self.inspector_button.setVisible(self.width() >= _ALL_BUTTONS_FROM_PX * self._themes.current.scale)

    @property
    def title(self) -> str:
        return self._title.text

    def set_title(self, title: str) -> None:
        self._title.set_text(title)

    def set_usage(self, text: str, hint: str = "") -> None:
        self._usage.set_text(text)
        self._usage.setToolTip(hint)
        self._usage.setVisible(bool(text))

    def show_sidebar_buttons(self, shown: bool) -> None:
        self.sidebar_button.setVisible(shown)
        self.new_button.setVisible(shown)

    def begin_rename(self) -> None:
        self._field.setText(self._title.text)
        self._titles.setCurrentWidget(self._field)
        self._field.setFocus()
        self._field.selectAll()

    def open_menu(self) -> None:
        hint = self._menu.sizeHint()
        corner = QPoint(self.menu_button.width() - hint.width(), self.menu_button.height() + 4)
        self._menu.popup(self.menu_button.mapToGlobal(corner))

    def _end_rename(self) -> None:
        if self._titles.currentWidget() is not self._field:
            return
        self._titles.setCurrentWidget(self._title)
        title = " ".join(self._field.text().split())
        if title and title != self._title.text:
            self.renamed.emit(title)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_what_fits()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape leaves the title as it was."""
        if watched is self._field and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self._field.setText(self._title.text)  # hiding it ends the edit
                self._titles.setCurrentWidget(self._title)
                self.rename_ended.emit()
            event.accept()
            return True
        return super().eventFilter(watched, event)
