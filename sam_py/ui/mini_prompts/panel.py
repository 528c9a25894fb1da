"""MiniPromptsPanel: stands over the composer while mini prompts are chosen, ordered or written; never modal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from sam_py.reminders.mini_prompts import MiniPrompt
from sam_py.ui.mini_prompts.editor import PromptEditor
from sam_py.ui.mini_prompts.examples import MoreExamples, PromptExamples
from sam_py.ui.mini_prompts.lines import PanelLine
from sam_py.ui.mini_prompts.list_page import PromptListPage
from sam_py.ui.settings.fields import Words
from sam_py.ui.tab_order import move_focus, stops_below
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.raised import SHADOW_PX, paint_raised

_WIDTH_PX = 440
_MOST_HEIGHT_PX = 520
_EDITOR_PX = 310
_LEAST_PX = 240
"""Where there is less room over the composer than this, the panel covers it."""


class MiniPromptsPanel(QWidget):
    """A child of the window, not a window: typing with an input method and dragging work in it everywhere.

    It closes by Esc, by its button, and when the keyboard goes elsewhere; the keyboard comes back where it was.
    """

    saved = Signal(object)
    """`MiniPrompt`: new, or with the id of the one that it replaces"""
    example_added = Signal(str, str)
    undo_wanted = Signal()
    retry_wanted = Signal()
    closed = Signal()

    def __init__(self, icons: Icons, window: QWidget, above: QWidget) -> None:
        super().__init__(window)
        self._icons = icons
        self._above = above
        self._conversation = ""
        self._return_to: QWidget | None = None
        self._begins = False
        """The examples were shown since the panel was opened: the rest of them stays within reach."""
        self.setAccessibleName(self.tr("Mini prompts"))
        self.back_button = IconButton(icons, "chevron-left", self.tr("Back to the list"), size_px=28, parent=self)
        self.title = Words(icons, heavy=True)
        self.close_button = IconButton(icons, "close", self.tr("Close"), shortcut="Esc", size_px=28, icon_px=14)
        self.page = PromptListPage(icons)
        self.examples = PromptExamples(icons)
        self.editor = PromptEditor(icons)
        self._examples_area, self._editor_area = _scrolled(self.examples), _scrolled(self.editor)
        self.stack = _Pages(self)
        for page in (self.page, self._examples_area, self._editor_area):
            self.stack.addWidget(page)
        self.more_examples = MoreExamples(icons, self)
        self.undo_line = PanelLine(icons, self.tr("Undo"), self)
        self.trouble_line = PanelLine(icons, self.tr("Try again"), self, is_error=True)
        self.new_button = PillButton(icons, self.tr("New prompt"), icon="plus", height_px=30, parent=self)
        self.cost = Words(icons, role="muted", small=True)
        self._build()
        self._connect()
        self._take_theme()
        self.hide()

    # What the control tells it

    def show_prompts(self, prompts: Sequence[MiniPrompt], on: Collection[str], cost: str = "") -> None:
        """Offer `prompts`, tick those whose id is in `on`, and say what they `cost`."""
        self.page.show_prompts(prompts, on)
        self.cost.setText(cost)
        if self.stack.currentWidget() is not self._editor_area:
            had_keyboard = self.isVisible() and self._has_keyboard
            self._show_list()
            if had_keyboard and not self._has_keyboard:
                self.take_keyboard()

    def set_conversation(self, conversation_id: str) -> None:
        """Another conversation is open: the panel closes; what is being written stays."""
        self._conversation = conversation_id
        self.editor.set_conversation(conversation_id)
        self.undo_line.say("")
        self.close_panel(keyboard_back=False)

    def open_panel(self, reason: Qt.FocusReason = Qt.FocusReason.PopupFocusReason) -> None:
        """Show it with what was being written, or with the list; `reason` says how the keyboard came here."""
        if not self.isVisible():
            self._return_to = self.window().focusWidget()
            self._begins = not self.page.has_prompts
            if self.stack.currentWidget() is not self._editor_area:
                self._show_list()
            self.show()
            self.raise_()
        self._place()
        self.take_keyboard(reason)

    def close_panel(self, *, keyboard_back: bool = True) -> None:
        if not self.isVisible():
            return
        if self.stack.currentWidget() is self._editor_area and not self.editor.has_changes:
            self._show_list()
        back = self._return_to if self._return_to is not None and self._return_to.isVisible() else self._above
        self._return_to = None
        self.hide()
        if keyboard_back:
            back.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()

    def edit(self, prompt: MiniPrompt | None) -> None:
        """Open the editor on `prompt`, or for a new one."""
        self.editor.begin(prompt, self._conversation)
        self.title.setText(self.tr("New mini prompt") if prompt is None else self.tr("Edit mini prompt"))
        self._turn_to(self._editor_area)
        self.editor.focus_field()

    def leave_editor(self, prompt_id: str = "") -> None:
        """Back to the list, to the row of a prompt where one is named."""
        self._show_list()
        if prompt_id:
            self.page.select_id(prompt_id)
        self.take_keyboard()

    def take_keyboard(self, reason: Qt.FocusReason = Qt.FocusReason.PopupFocusReason) -> None:
        if self.stack.currentWidget() is self._editor_area:
            self.editor.focus_field()
        elif self.stack.currentWidget() is self.page:
            self.page.take_keyboard()
        else:
            self.examples.cards[0].setFocus(reason)

    def say_removed(self, text: str) -> None:
        self.undo_line.say(text)
        self._place()

    def say_trouble(self, text: str) -> None:
        self.trouble_line.say(text)
        self._place()

    # Inside

    def _forget_removed(self) -> None:
        self.say_removed("")

    def _forget_trouble(self) -> None:
        self.say_trouble("")

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.back_button)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        self.foot = QWidget(self)
        foot = QHBoxLayout(self.foot)
        foot.setContentsMargins(0, 0, 8, 0)
        foot.addWidget(self.new_button)
        foot.addWidget(self.cost, 1)
        self.cost.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        edge = SHADOW_PX + 10
        column.setContentsMargins(edge, edge - 2, edge, edge - 2)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        column.addWidget(self.more_examples)
        column.addWidget(self.trouble_line)
        column.addWidget(self.undo_line)
        column.addWidget(self.foot)

    def _connect(self) -> None:
        self.page.resized.connect(self._place)
        self.examples.added.connect(self.example_added)
        self.more_examples.added.connect(self.example_added)
        self.editor.saved.connect(self.saved)
        self.editor.cancelled.connect(self.leave_editor)
        self.back_button.clicked.connect(self._back)
        self.close_button.clicked.connect(self.close_panel)
        self.new_button.clicked.connect(self._write_new)
        self.undo_line.acted.connect(self.undo_wanted)
        self.undo_line.dismissed.connect(self._forget_removed)
        self.trouble_line.acted.connect(self.retry_wanted)
        self.trouble_line.dismissed.connect(self._forget_trouble)
        self._icons.changed.connect(self._take_theme)
        self.window().installEventFilter(self)
        self._above.installEventFilter(self)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]

    @property
    def _has_keyboard(self) -> bool:
        focus = self.window().focusWidget()
        return focus is not None and focus.isVisible() and self.isAncestorOf(focus)

    def _show_list(self) -> None:
        self.title.setText(self.tr("Mini prompts"))
        self._begins = self._begins or not self.page.has_prompts
        self._turn_to(self.page if self.page.has_prompts else self._examples_area)

    def _turn_to(self, page: QWidget) -> None:
        is_editor = page is self._editor_area
        self.stack.setCurrentWidget(page)
        self.back_button.setVisible(is_editor)
        self.foot.setVisible(not is_editor)
        self.undo_line.setVisible(not is_editor and bool(self.undo_line.words.text()))
        if page is self.page and self._begins:
            self.more_examples.offer(self.page.names)
        else:
            self.more_examples.hide()
        self._place()

    def _write_new(self) -> None:
        self.edit(None)

    def _back(self) -> None:
        """Leave the editor without losing anything: what was typed is there when the same is written again."""
        if self.editor.has_changes:
            self.leave_editor()
        else:
            self.editor.cancel()

    def _place(self) -> None:
        """Stand over the composer, at its left, as high as what it shows, and within the window."""
        window = self.window()
        if window is self:
            return
        scale = self._icons.themes.current.scale
        width = min(round(_WIDTH_PX * scale) + 2 * SHADOW_PX, window.width() - 8)
        inner = width - 2 * (SHADOW_PX + 10)
        match self.stack.currentWidget():
            case self.page:
                self.stack.wanted_px = self.page.whole_height()
            case self._editor_area:
                self.stack.wanted_px = max(round(_EDITOR_PX * scale), self.editor.sizeHint().height())
            case _:
                self.stack.wanted_px = self.examples.heightForWidth(inner) + 4
        self.stack.updateGeometry()
        layout = self.layout()
        assert layout is not None
        layout.activate()
        height = min(layout.totalHeightForWidth(width), round(_MOST_HEIGHT_PX * scale))
        corner = self._above.mapTo(window, QPoint(0, 0))
        foot = corner.y() + 2
        if foot - 4 < min(height, round(_LEAST_PX * scale)):
            foot = window.height() - 4
        height = min(height, foot - 4)
        left = max(4, min(corner.x() - SHADOW_PX + 4, window.width() - width - 4))
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            left = max(4, corner.x() + self._above.width() - width + SHADOW_PX - 4)
        self.setGeometry(left, foot - height, width, height)

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Somebody went on elsewhere in the window; a menu or another window does not count."""
        if new is not None and self.isVisible() and new.window() is self.window() and not self.isAncestorOf(new):
            self.close_panel(keyboard_back=False)

    def _take_theme(self) -> None:
        colours = self._icons.themes.current.palette
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(colours.raised))
        self.setPalette(palette)
        self._place()

    def focusNextPrevChild(self, next: bool) -> bool:
        return move_focus(self.window(), stops_below(self), 1 if next else -1) or super().focusNextPrevChild(next)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Undo) and self.undo_line.isVisible():
            self.undo_wanted.emit()
        elif event.key() != Qt.Key.Key_Escape:
            event.accept()  # keys that mean nothing here mean nothing to the conversation below either
        elif self.stack.currentWidget() is self._editor_area and not self.editor.has_changes:
            self.editor.cancel()
        else:
            self.close_panel()

    def hideEvent(self, event: QHideEvent) -> None:
        self.page.clear_search()
        super().hideEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_raised(QPainter(self), self.rect(), self._icons.themes.current)


class _Pages(QStackedWidget):
    """As high as the page that is shown wants to be; lower where there is no room."""

    wanted_px = 0

    def hasHeightForWidth(self) -> bool:
        return False

    def sizeHint(self) -> QSize:
        return QSize(120, self.wanted_px)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, min(self.wanted_px, 60))


def _scrolled(page: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(page)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.viewport().setAutoFillBackground(False)
    page.setAutoFillBackground(False)
    return area
