"""The tasks of a conversation: a button in the header while there are any, and the list behind it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel

from sam_py.bus.todo_list import TodoList
from sam_py.ui.chat.header import Header


def test_the_button_counts_and_the_list_says_what_waits_for_what(stage: Any, qtbot: Any) -> None:
    from PySide6.QtWidgets import QMenu

    menu = QMenu()
    qtbot.addWidget(menu)
    header = Header(stage.context.themes, stage.context.icons, menu)
    qtbot.addWidget(header)
    header.resize(700, 48)
    header.show()
    assert header.todo_button.isHidden()
    todo = TodoList().write(
        [
            {"title": "Find wood", "status": "completed"},
            {"title": "Light <b>fire</b>\u202e", "status": "in_progress", "progress": 0.4},
            {"title": "Cook", "depends_on": [2]},
            {"title": "Eat", "status": "blocked", "blocked_reason": "No plates"},
        ]
    )
    header.todo_button.show_list(todo)
    assert header.todo_button.isVisible()
    assert header.todo_button.text() == "1/4"
    assert "1 of 4" in header.todo_button.accessibleName()
    panel = header.todo_button.open_list()
    said = [label.text() for label in panel.findChildren(QLabel) if label.text()]
    with qtbot.waitSignal(panel.destroyed):
        panel.close()
    assert said == [
        "Find wood",
        "Light <b>fire</b>⟨U+202E⟩",
        "In progress, 40 %",
        "Cook",
        "Waits for: Light <b>fire</b>⟨U+202E⟩",
        "Eat",
        "Blocked: No plates",
    ]
    header.todo_button.show_list(TodoList())
    assert header.todo_button.isHidden()
