"""Toolbox: the tools of one conversation: what is offered to its model, and the runner that runs them."""

from __future__ import annotations

from collections.abc import Callable

from sam_py.providers.base import ToolSpec
from sam_py.tools.registry import ToolRegistry
from sam_py.tools.runner import ToolRunner


class Toolbox:
    """`is_on(tool name)` tells which tools the person switched on for the conversation, and is asked anew each time."""

    def __init__(self, registry: ToolRegistry, runner: ToolRunner, is_on: Callable[[str], bool]) -> None:
        self.runner = runner
        self._registry = registry
        self._is_on = is_on

    def offered(self, name: str) -> bool:
        """Whether the model may call the tool of that name."""
        return name in self._registry and self._is_on(name)

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told of the tools on offer."""
        return self._registry.specs(self._is_on)
