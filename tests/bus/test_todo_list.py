"""TodoList: one in progress, blocked with a reason, no circles; a list that cannot be is refused as a whole."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.bus.todo_list import MOST, TodoError, TodoList


def of(*titles: str) -> TodoList:
    return TodoList().write([{"title": title} for title in titles])


def statuses(todos: TodoList) -> list[str]:
    return [item.status for item in todos.items]


def test_tasks_get_the_next_free_ids() -> None:
    todos = TodoList().write([{"title": "a"}, {"title": "b", "id": 1}, {"title": "c"}])
    assert [item.id for item in todos.items] == [2, 1, 3]
    assert [item.id for item in todos.add([{"title": "d"}]).items] == [2, 1, 3, 4]


def test_only_one_task_is_in_progress() -> None:
    todos = TodoList().write([{"title": each, "status": "in_progress"} for each in "abc"])
    assert statuses(todos) == ["in_progress", "not_started", "not_started"]
    todos = todos.update(3, status="in_progress")
    assert statuses(todos) == ["not_started", "not_started", "in_progress"]
    assert todos.in_progress is not None
    assert todos.in_progress.id == 3
    todos = todos.add([{"title": "d", "status": "in_progress"}])
    assert statuses(todos) == ["not_started", "not_started", "not_started", "in_progress"]


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([{"title": "a", "depends_on": [7]}], "depends on 7, which is not in the list"),
        ([{"title": "a", "id": 1, "depends_on": [1]}], "circle: 1 → 1"),
        (
            [{"title": t, "id": i, "depends_on": [d]} for t, i, d in (("a", 1, 2), ("b", 2, 3), ("c", 3, 1))],
            "circle: 1 → 2 → 3 → 1",
        ),
        ([{"title": "a", "status": "blocked"}], "without a blocked_reason"),
        ([{"title": "a", "status": "blocked", "blocked_reason": "  "}], "without a blocked_reason"),
        ([{"title": "a", "progress": 1.5}], "progress"),
        ([{"title": "a", "status": "doing"}], "status"),
        ([{"title": ""}], "title"),
        ([{"title": "  "}], "has no title"),
        ([{"title": "a", "when": "now"}], "has no “when”"),
        ([{"title": "a", "id": 1}, {"title": "b", "id": 1}], "Two tasks have the id 1"),
        ([{"title": str(n)} for n in range(MOST + 1)], "at most 100"),
    ],
)
def test_a_list_that_cannot_be_is_refused_with_a_reason(items: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(TodoError, match=words):
        TodoList().write(items)


def test_an_update_changes_one_task() -> None:
    todos = of("a", "b").update(1, status="blocked", blocked_reason="no key")
    assert todos.get(1).blocked_reason == "no key"
    todos = todos.update(1, status="completed")
    assert (todos.get(1).blocked_reason, todos.get(1).progress) == ("", 1.0)
    assert not todos.is_done
    assert todos.update(2, status="completed").is_done
    with pytest.raises(TodoError, match=r"There is no task 9\. The ids are 1, 2"):
        todos.update(9, status="completed")
    with pytest.raises(TodoError, match="There is a task 1 already"):
        todos.add([{"title": "c", "id": 1}])


def test_what_a_task_waits_for_is_known() -> None:
    todos = TodoList().write([{"title": "a"}, {"title": "b", "depends_on": [1]}])
    assert [item.id for item in todos.waits_for(todos.get(2))] == [1]
    assert todos.update(1, status="completed").waits_for(todos.get(2)) == ()
    assert [item.id for item in todos.of_status("not_started")] == [1, 2]


def test_a_long_chain_of_dependencies_is_no_circle() -> None:
    items = [{"title": "t", "id": n, "depends_on": [n + 1] if n < MOST else []} for n in range(1, MOST + 1)]
    assert len(TodoList().write(items).items) == MOST


def test_a_list_survives_being_stored(caplog: pytest.LogCaptureFixture) -> None:
    todos = of("a", "b").update(2, status="in_progress", progress=0.5)
    assert TodoList.from_json(todos.to_json()) == todos
    assert TodoList.from_json(None) == TodoList()
    caplog.set_level(logging.CRITICAL)
    assert TodoList.from_json({"items": [{"id": 1}]}) == TodoList()
    assert TodoList.from_json("not json") == TodoList()


_ITEMS = st.lists(
    st.fixed_dictionaries(
        {"title": st.text(max_size=3), "id": st.integers(0, 6)},
        optional={
            "status": st.sampled_from(["not_started", "in_progress", "completed", "blocked"]),
            "depends_on": st.lists(st.integers(0, 6), max_size=3),
            "blocked_reason": st.text(max_size=2),
            "progress": st.floats(-0.5, 1.5),
        },
    ),
    max_size=6,
)


@given(_ITEMS)
def test_whatever_is_written_the_invariants_hold_or_nothing_changes(items: list[dict[str, Any]]) -> None:
    try:
        todos = TodoList().write(items)
    except TodoError:
        return
    assert sum(item.status == "in_progress" for item in todos.items) <= 1
    assert all(item.blocked_reason.strip() for item in todos.items if item.status == "blocked")
    done: set[int] = set()
    left = list(todos.items)
    while left:  # with no circle there is always one that waits for nothing
        ready = [item for item in left if set(item.depends_on) <= done]
        assert ready
        done |= {item.id for item in ready}
        left = [item for item in left if item.id not in done]
    assert TodoList.from_json(todos.to_json()) == todos
