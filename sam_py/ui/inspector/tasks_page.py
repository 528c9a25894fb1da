"""TasksPage: the conversation's list of tasks, as the model and the person change it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from sam_py.agent.session import ChatSession
from sam_py.bus.todo_list import SETTING, TodoList
from sam_py.ui.chat.todo_panel import TodoRows
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.icons import Icons


class TasksPage(QWidget):
    """`show_tasks` brings it to what the conversation keeps."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.headline = Words(icons, heavy=True)
        self.hint = Words(icons, role="muted", small=True)
        self.tasks = TodoRows(icons, self)
        inner = QWidget(self)
        rows = QVBoxLayout(inner)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.tasks)
        rows.addStretch(1)
        area = QScrollArea(self)
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        area.setAccessibleName(self.tr("Tasks of this conversation"))
        palette = QPalette(area.palette())
        palette.setColor(QPalette.ColorRole.Window, Qt.GlobalColor.transparent)
        area.setPalette(palette)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 0)
        top.addWidget(self.headline)
        top.addWidget(self.hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(area, 1)
        self._icons = icons
        self._shown = TodoList()
        icons.changed.connect(lambda: self.tasks.show_list(self._shown))

    def show_tasks(self, session: ChatSession | None) -> None:
        kept = getattr(session.bus.settings, SETTING, None) if session is not None else None
        todo = TodoList.from_json(kept)
        count = len(todo.items)
        if count:
            done = number(len(todo.of_status("completed")))
            self.headline.say(filled(self.tr("%1 of %2 done"), done, number(count)), "text")
            self.hint.say("")
        else:
            self.headline.say(self.tr("There are no tasks"), "text")
            self.hint.say(self.tr("A model that uses tools writes down here what it is about to do in several steps."))
        if todo != self._shown:
            self._shown = todo
            self.tasks.show_list(todo)
