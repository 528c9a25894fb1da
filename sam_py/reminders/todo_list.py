"""The todo list as a reminder: how far it is, and what a model should do about it now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from sam_py.bus.reader import ConversationReader
from sam_py.bus.todo_list import SETTING, TodoList
from sam_py.messages.message import Message
from sam_py.reminders.wording import one_line, tagged

TAG = "todoList"
_GO_ON = "Go on with the item in progress. Mark it completed as soon as it is done; do not mark it in progress again."
_BEGIN = "Nothing is in progress: choose the next item and mark it in progress before you begin with it."
_STUCK = "All that is left is blocked: say what is needed, or work on what blocks it."
_DONE = "All items are completed: say so. New ones can be added when there is more to do."


class TodoItem(Protocol):
    """What is read of an item. `status` is one of not_started, in_progress, completed and blocked."""

    @property
    def id(self) -> int: ...
    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def blocked_reason(self) -> str: ...


def todo_list(conversation: ConversationReader, _messages: Sequence[Message]) -> str:
    """The reminder for the list that the conversation's settings keep."""
    kept = getattr(conversation.settings, SETTING, None)
    return todo_reminder(TodoList.from_json(kept).items) if kept is not None else ""


def todo_reminder(items: Iterable[TodoItem]) -> str:
    """The reminder for `items`; "" where there are none."""
    by_status: dict[str, list[TodoItem]] = {}
    for item in items:
        by_status.setdefault(item.status, []).append(item)
    if not by_status:
        return ""
    running, waiting, blocked = (by_status.get(status, []) for status in ("in_progress", "not_started", "blocked"))
    lines = [f"Completed: {len(by_status.get('completed', []))}"]
    if running:
        lines.append(f"In progress: {_listed(running)}")
    if waiting:
        lines.append(f"Not started: {_listed(waiting)}")
    if blocked:
        lines.append(f"Blocked: {_listed(blocked, with_reason=True)}")
    if running:
        lines.append(_GO_ON)
    elif waiting:
        lines.append(_BEGIN)
    else:
        lines.append(_STUCK if blocked else _DONE)
    return tagged(TAG, "\n".join(lines))


def _listed(items: Sequence[TodoItem], *, with_reason: bool = False) -> str:
    return ", ".join(
        f"[{item.id}] {one_line(item.title)}"
        + (f" ({one_line(item.blocked_reason)})" if with_reason and item.blocked_reason else "")
        for item in items
    )
