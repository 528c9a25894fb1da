"""The tool for the conversation's task list: read, write, add, update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import Field

from sam_py.bus.message_bus import MessageBus
from sam_py.bus.todo_list import SETTING, Priority, Todo, TodoList, TodoStatus
from sam_py.errors import SamError
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput

BusOf = Callable[[str], MessageBus | None]
"""Conversation id → its bus, where it is open."""

_MARKS = {"not_started": "○", "in_progress": "▶", "completed": "✓", "blocked": "⏸"}


class TodoItem(Arguments):
    """One task of `todo_list`. What is left out keeps its value (update) or has its usual one."""

    id: int | None = Field(default=None, ge=1, description="The task's number. Leave it out for a new task.")
    title: str | None = Field(
        default=None, min_length=1, max_length=200, description="What is to be done, in a few words."
    )
    description: str | None = Field(default=None, description="Details, where the title is not enough.")
    status: TodoStatus | None = Field(
        default=None, description="Only one task can be in_progress; a blocked one needs a blocked_reason."
    )
    priority: Priority | None = Field(default=None, description="medium where it is left out.")
    depends_on: tuple[int, ...] | None = Field(
        default=None, description="Ids of tasks that have to be completed first."
    )
    blocked_reason: str | None = Field(default=None, max_length=500, description="What a blocked task waits for.")
    progress: float | None = Field(default=None, ge=0.0, le=1.0, description="From 0 to 1.")


class TodoArguments(Arguments):
    action: Literal["read", "write", "add", "update"] = Field(
        description="read: show the list. write: replace the whole list by items. add: append items. "
        "update: change those of items, found by their id."
    )
    items: tuple[TodoItem, ...] = Field(default=(), max_length=100, description="The tasks; none for read.")


class TodoTool(BuiltinTool[TodoArguments]):
    name = "todo_list"
    label = "Task list"
    icon = "tasks"
    description = (
        "Your task list of this conversation; the person sees it, too. For work of three or more steps: write the "
        "steps first, set the one you begin to in_progress, complete each as soon as it is done, then begin the next. "
        "Not for a single step or a question. A call with a mistake changes nothing and says what is wrong."
    )
    takes = TodoArguments
    parallel_safe = False

    def __init__(self, bus_of: BusOf) -> None:
        self._bus_of = bus_of

    def doing(self, arguments: TodoArguments) -> str:
        count = len(arguments.items)
        tasks = f"{count} {'task' if count == 1 else 'tasks'}"
        match arguments.action:
            case "read":
                return "Read the task list"
            case "write":
                return f"Write the task list ({tasks})" if count else "Empty the task list"
            case "add":
                return f"Add {tasks}"
            case "update":
                return f"Update {tasks}"

    async def run(self, arguments: TodoArguments, running: Running) -> ToolOutput:
        bus = self._bus_of(running.conversation_id)
        if bus is None:
            raise ToolError("The conversation is closed, so its task list cannot be reached.")
        before = todo_of(bus)
        try:
            after = _changed(before, arguments)
        except ToolError:
            raise
        except SamError as error:
            raise ToolError(f"{error} Nothing was changed.") from error
        if after != before:
            bus.change_setting(SETTING, after.to_json())
        lines = [_line(item, after) for item in after.items]
        return ToolOutput("\n".join(lines) or "The list is empty.", details=tuple(lines))


def todo_of(bus: MessageBus) -> TodoList:
    """The task list of a conversation."""
    return TodoList.from_json(getattr(bus.settings, SETTING, None))


def _changed(before: TodoList, arguments: TodoArguments) -> TodoList:
    items = [item.model_dump(exclude_none=True) for item in arguments.items]
    match arguments.action:
        case "read":
            return before
        case "write":
            return before.write(items)
        case "add":
            if not items:
                raise ToolError("Give the tasks to add in items, each with a title.")
            return before.add(items)
        case "update":
            if not items:
                raise ToolError("Give in items the id of each task to change, and what changes.")
            after = before
            for item in items:
                if "id" not in item:
                    raise ToolError("Each task to update needs its id; for a new one use the action add.")
                after = after.update(item.pop("id"), **item)
            return after


def _line(item: Todo, among: TodoList) -> str:
    line = f"{_MARKS[item.status]} {item.id}. {item.title} [{item.status}]"
    if item.priority != "medium":
        line += f" ({item.priority})"
    if 0 < item.progress < 1:
        line += f" {item.progress:.0%}"
    if item.status == "blocked":
        line += f": {item.blocked_reason}"
    elif waits := among.waits_for(item):
        line += f", after {', '.join(str(other.id) for other in waits)}"
    return line
