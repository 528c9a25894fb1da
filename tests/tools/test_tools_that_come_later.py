"""The registry's late filling: whoever looks first finds all tools, and nobody is asked twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sam_py.tools.base import Tool
from sam_py.tools.builtin.current_time import CurrentTimeTool
from sam_py.tools.registry import ToolRegistry

LOOKS: dict[str, Callable[[ToolRegistry], Any]] = {
    "len": len,
    "in": lambda registry: "current_time" in registry,
    "get": lambda registry: registry.get("current_time"),
    "iter": list,
    "specs": lambda registry: registry.specs(lambda _name: True),
    "add": lambda registry: not registry.add(CurrentTimeTool()),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_whatever_is_asked_first_finds_the_late_tools(look: Callable[[ToolRegistry], Any]) -> None:
    asked: list[int] = []

    def fill() -> list[Tool]:
        asked.append(1)
        return [CurrentTimeTool()]

    registry = ToolRegistry()
    registry.fill_later(fill)
    assert asked == []
    assert look(registry)
    assert look(registry)
    assert asked == [1]
    assert len(registry) == 1
