"""TodoList: the tasks of one conversation. Immutable; every change is a new list, or refused as a whole."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, ValidationError

from sam_py.errors import SamError
from sam_py.messages.parts import Frozen

log = logging.getLogger(__name__)

TodoStatus = Literal["not_started", "in_progress", "completed", "blocked"]
Priority = Literal["low", "medium", "high", "critical"]

SETTING = "todo"
"""The conversation's setting that keeps the list."""
MOST = 100


class TodoError(SamError):
    """A list that cannot be: `str()` says what is wrong and what would be right."""


class Todo(Frozen):
    """One task. `depends_on` names tasks that have to be completed first; `progress` goes from 0 to 1."""

    id: int = Field(ge=1)
    title: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=4000)
    status: TodoStatus = "not_started"
    priority: Priority = "medium"
    depends_on: tuple[int, ...] = ()
    blocked_reason: str = Field(default="", max_length=500)
    progress: float = Field(default=0.0, ge=0.0, le=1.0)


class TodoList(Frozen):
    """Tasks in the order in which they were written.

    Invariants: at most one is in progress; a blocked one says why; what a task depends on is in the list, and
    nothing depends on itself, not even in a circle.
    """

    items: tuple[Todo, ...] = ()

    @property
    def in_progress(self) -> Todo | None:
        return next((item for item in self.items if item.status == "in_progress"), None)

    @property
    def is_done(self) -> bool:
        """Whether there are tasks and all of them are completed."""
        return bool(self.items) and all(item.status == "completed" for item in self.items)

    def of_status(self, status: TodoStatus) -> tuple[Todo, ...]:
        return tuple(item for item in self.items if item.status == status)

    def get(self, id: int) -> Todo:
        """Raises TodoError where there is none."""
        for item in self.items:
            if item.id == id:
                return item
        known = ", ".join(str(item.id) for item in self.items) or "none: the list is empty"
        raise TodoError(f"There is no task {id}. The ids are {known}.")

    def waits_for(self, item: Todo) -> tuple[Todo, ...]:
        """The tasks that `item` depends on and that are not completed."""
        return tuple(other for other in self.items if other.id in item.depends_on and other.status != "completed")

    def write(self, items: Sequence[Mapping[str, Any]]) -> TodoList:
        """A list of `items` alone, in place of this one. Items without an id get the next free ones.

        Raises TodoError: then nothing changes. Of several that are in progress the first one stays so.
        """
        return _checked(_numbered(items, 1))

    def add(self, items: Sequence[Mapping[str, Any]]) -> TodoList:
        """This list with `items` at its end. A new one that is in progress takes over from the old one. As `write`."""
        first = max((item.id for item in self.items), default=0) + 1
        added = _numbered(items, first)
        taken = {item.id for item in self.items} & {item.id for item in added}
        if taken:
            raise TodoError(
                f"There is a task {min(taken)} already. Leave the ids of new tasks out, or update that one."
            )
        begun = next((item.id for item in added if item.status == "in_progress"), None)
        return _checked((*self.items, *added), begun)

    def update(self, id: int, **changes: Any) -> TodoList:
        """This list with `changes` to one task. Begun, it takes over from the one in progress. As `write`."""
        before = self.get(id)
        status = changes.get("status", before.status)
        if status == "completed":
            changes.setdefault("progress", 1.0)
        if status != "blocked":
            changes["blocked_reason"] = ""
        after = _parsed({**before.model_dump(), **changes, "id": id})
        items = tuple(after if item.id == id else item for item in self.items)
        return _checked(items, id if after.status == "in_progress" else None)

    def to_json(self) -> JsonValue:
        """For the conversation's setting."""
        value: JsonValue = self.model_dump(mode="json")
        return value

    @classmethod
    def from_json(cls, value: JsonValue) -> Self:
        """The list of a stored setting (also as a text of JSON). One that cannot be is logged, and empty."""
        try:
            if isinstance(value, str):
                value = json.loads(value)
            found = cls.model_validate(value) if value is not None else cls()
            _checked(found.items)
        except (ValueError, TodoError) as error:
            log.warning("a stored task list cannot be used: %s", error)
            return cls()
        return found


def _numbered(items: Iterable[Mapping[str, Any]], first: int) -> tuple[Todo, ...]:
    given = list(items)
    taken = {item["id"] for item in given if isinstance(item.get("id"), int)}
    found = []
    for item in given:
        if item.get("id") is None:
            while first in taken:
                first += 1
            taken.add(first)
            item = {**item, "id": first}
        found.append(_parsed(item))
    return tuple(found)


def _parsed(item: Mapping[str, Any]) -> Todo:
    unknown = set(item) - set(Todo.model_fields)
    if unknown:
        raise TodoError(f"A task has no “{min(unknown)}”. It has: {', '.join(Todo.model_fields)}.")
    try:
        todo = Todo.model_validate(item)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise TodoError(f"Task {item.get('id', '?')}: {place}: {first['msg']}.") from error
    if not todo.title.strip():
        raise TodoError(f"Task {todo.id} has no title.")
    return todo


def _checked(items: tuple[Todo, ...], begun: int | None = None) -> TodoList:
    """The list of `items`, with one in progress: `begun`, or the first that is. Raises TodoError."""
    if len(items) > MOST:
        raise TodoError(f"A list holds at most {MOST} tasks. Put several into one, or remove completed ones.")
    by_id = {item.id: item for item in items}
    if len(by_id) != len(items):
        twice = next(item.id for item in items if sum(other.id == item.id for other in items) > 1)
        raise TodoError(f"Two tasks have the id {twice}. Give each its own.")
    for item in items:
        if item.status == "blocked" and not item.blocked_reason.strip():
            raise TodoError(f"Task {item.id} is blocked without a blocked_reason. Say what it waits for.")
        for other in item.depends_on:
            if other not in by_id:
                raise TodoError(f"Task {item.id} depends on {other}, which is not in the list.")
    circle = _circle({item.id: item.depends_on for item in items})
    if circle:
        way = " → ".join(str(id) for id in circle)
        raise TodoError(f"Tasks depend on each other in a circle: {way}. Take one of these dependencies away.")
    if begun is None:
        begun = next((item.id for item in items if item.status == "in_progress"), None)
    return TodoList(items=tuple(map(_only(begun), items)))


def _only(begun: int | None) -> Callable[[Todo], Todo]:
    def settled(item: Todo) -> Todo:
        if item.status != "in_progress" or item.id == begun:
            return item
        return item.model_copy(update={"status": "not_started"})

    return settled


def _circle(depends_on: Mapping[int, Sequence[int]]) -> list[int]:
    """The ids of one circle, its first at both ends; empty where there is none. Without recursion."""
    done: set[int] = set()
    for start in depends_on:
        way: list[int] = []
        waiting = [(start, iter(depends_on[start]))] if start not in done else []
        if waiting:
            way.append(start)
        while waiting:
            id, others = waiting[-1]
            other = next(others, None)
            if other is None:
                waiting.pop()
                way.pop()
                done.add(id)
            elif other in way:
                return [*way[way.index(other) :], other]
            elif other not in done:
                way.append(other)
                waiting.append((other, iter(depends_on[other])))
    return []
