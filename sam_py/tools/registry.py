"""ToolRegistry: the tools on offer, by name; which of them are switched on is the settings' word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from sam_py.providers.base import ToolSpec
from sam_py.tools.base import Tool


class ToolRegistry:
    """Tools by name, in the order in which they came. A name that two want belongs to the first.

    Listeners hear when the offer changes (an MCP server came or went).
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._listeners: list[Callable[[], None]] = []
        self._fill: Callable[[], Iterable[Tool]] | None = None
        for tool in tools:
            self.add(tool)

    def fill_later(self, fill: Callable[[], Iterable[Tool]]) -> None:
        """Call `fill` for more tools as soon as somebody looks at them: importing them takes its time."""
        self._fill = fill

    def __iter__(self) -> Iterator[Tool]:
        return iter(tuple(self._all().values()))

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: str) -> bool:
        return name in self._all()

    def get(self, name: str) -> Tool | None:
        return self._all().get(name)

    def add(self, tool: Tool) -> bool:
        """Offer `tool`. False where another one has its name."""
        if tool.name in self._all():
            return False
        self._tools[tool.name] = tool
        self._tell()
        return True

    def remove(self, tools: Collection[Tool]) -> None:
        """Offer these no longer; those that are not offered are not missed."""
        gone = {id(tool) for tool in tools}
        left = {name: tool for name, tool in self._all().items() if id(tool) not in gone}
        if len(left) != len(self._tools):
            self._tools = left
            self._tell()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change of the offer; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def specs(self, switched_on: Callable[[str], bool]) -> tuple[ToolSpec, ...]:
        """What a model is told of the tools for which `switched_on(name)` holds.

        Sorted by name: a server that answers late must not change the order, which caches of the prefix rely on.
        """
        chosen = sorted((tool for tool in self._all().values() if switched_on(tool.name)), key=lambda tool: tool.name)
        return tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in chosen)

    def _all(self) -> dict[str, Tool]:
        if self._fill is not None:
            fill, self._fill = self._fill, None
            for tool in fill():
                self.add(tool)
        return self._tools

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
