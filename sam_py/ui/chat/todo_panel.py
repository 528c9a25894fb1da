"""TodoButton: how far the conversation's tasks are, in the header; pressed, it shows the list."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from sam_py.bus.todo_list import Todo, TodoList, TodoStatus
from sam_py.ui.chat.tool_words import visible_line
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons, Role

_WIDTH_PX = 340
_MOST_HEIGHT_PX = 420
_ICONS: dict[TodoStatus, tuple[str, Role]] = {
    "not_started": ("minus", "muted"),
    "in_progress": ("play", "accent"),
    "completed": ("check", "success"),
    "blocked": ("warning", "warning"),
}


class TodoButton(PillButton):
    """Hidden while there are no tasks."""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(icons, "0/0", icon="tasks", label="0/0", parent=parent)
        self._list = TodoList()
        self.hide()
        self.clicked.connect(self.open_list)

    def show_list(self, todo: TodoList) -> None:
        self._list = todo
        done, count = len(todo.of_status("completed")), len(todo.items)
        self.set_words(f"{done}/{count}")
        name = self.tr("Tasks: %1 of %2 done").replace("%1", str(done)).replace("%2", str(count))
        begun = todo.in_progress
        self.set_label(f"{name}. {visible_line(begun.title)}" if begun is not None else name)
        self.setVisible(bool(count))

    def open_list(self) -> TodoPanel:
        panel = TodoPanel(self._icons, self._list, self)
        corner = self.mapToGlobal(QPoint(self.width() - panel.width(), self.height() + 4))
        left = self.window().mapToGlobal(QPoint(8, 0)).x()
        panel.move(max(left, corner.x()), corner.y())
        panel.show()
        return panel


class TodoPanel(QFrame):
    """The tasks in their order, each with its state in a sign and in words. Closes by Esc and by a press elsewhere."""

    def __init__(self, icons: Icons, todo: TodoList, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        theme = icons.themes.current
        scale = theme.scale
        self.setFrameShape(QFrame.Shape.StyledPanel)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.palette.raised))
        self.setPalette(palette)
        self.setAccessibleName(self.tr("Tasks of this conversation"))
        inner = TodoRows(icons, self)
        inner.show_list(todo)
        area = QScrollArea(self)
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setPalette(palette)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(area)
        width = min(round(_WIDTH_PX * scale), parent.window().width() - 24)
        height = inner.height_for(width - 4) + 6
        self.resize(width, min(height, round(_MOST_HEIGHT_PX * scale)))


class TodoRows(QWidget):
    """The rows of a list of tasks."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 14, 16, 14)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(1, 1)

    def show_list(self, todo: TodoList) -> None:
        """Show these tasks in place of those before."""
        while (gone := self._grid.takeAt(0)) is not None:
            widget = gone.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for row, item in enumerate(todo.items):
            self._add(self._grid, row, todo, item)

    def height_for(self, width: int) -> int:
        """How high the rows are where they are `width` px wide."""
        return self._grid.totalHeightForWidth(width)

    def _add(self, grid: QGridLayout, row: int, todo: TodoList, item: Todo) -> None:
        icon, role = _ICONS[item.status]
        side = round(16 * self._icons.themes.current.scale)
        sign = QLabel()
        sign.setTextFormat(Qt.TextFormat.PlainText)
        sign.setPixmap(self._icons.icon(icon, role).pixmap(side, side))
        sign.setAccessibleName(_status_words(self, item.status))
        grid.addWidget(sign, 2 * row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._label(visible_line(item.title), muted=item.status == "completed"), 2 * row, 1)
        more = self._more(todo, item)
        if more:
            grid.addWidget(self._label(more, muted=True, small=True), 2 * row + 1, 1)

    def _more(self, todo: TodoList, item: Todo) -> str:
        if item.status == "blocked":
            return self.tr("Blocked: %1").replace("%1", visible_line(item.blocked_reason))
        if item.status == "in_progress" and item.progress > 0:
            return self.tr("In progress, %1 %").replace("%1", str(round(item.progress * 100)))
        waits = todo.waits_for(item) if item.status == "not_started" else ()
        if waits:
            return self.tr("Waits for: %1").replace("%1", ", ".join(visible_line(each.title) for each in waits))
        return self.tr("In progress") if item.status == "in_progress" else ""

    def _label(self, text: str, *, muted: bool = False, small: bool = False) -> QLabel:
        theme = self._icons.themes.current
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        font = QFont(label.font())
        font.setPointSizeF(theme.small_pt if small else theme.body_pt)
        label.setFont(font)
        palette = QPalette(label.palette())
        palette.setColor(
            QPalette.ColorRole.WindowText, QColor(theme.palette.text_muted if muted else theme.palette.text)
        )
        label.setPalette(palette)
        return label


def _status_words(panel: TodoRows, status: TodoStatus) -> str:
    match status:
        case "not_started":
            return panel.tr("Not started")
        case "in_progress":
            return panel.tr("In progress")
        case "completed":
            return panel.tr("Completed")
        case "blocked":
            return panel.tr("Blocked")
