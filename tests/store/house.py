"""A library in a folder of its own, with a clock turned by hand and a disk that refuses when told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from sam_py.bus.message_bus import MessageBus
from sam_py.paths import Paths
from sam_py.store.errors import StorageError
from sam_py.store.library import Library, LibraryChange
from tests.store.kit import START, HandClock, RefusingDisk


class House:
    """A library in a folder of its own, with a clock turned by hand."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.clock = HandClock()
        self.disk = RefusingDisk()
        self.now = START
        self.library = Library(paths, clock=self.clock, disk=self.disk, now=lambda: self.now)
        self.changes: list[LibraryChange] = []
        self.problems: list[StorageError] = []
        self.library.subscribe(self.changes.append)
        self.library.on_problem(self.problems.append)

    async def talk(self, *texts: str, title: str = "") -> MessageBus:
        """A new conversation, saved; its autosave is `bus.autosave` for tests."""
        bus = MessageBus(self.library.create())
        autosave = self.library.attach(bus)
        for place, text in enumerate(texts):
            if place % 2 == 0:
                bus.add_user_message(text)
            else:
                reply = bus.begin_assistant(provider="p", model="m")
                bus.append_delta(reply, text)
                bus.complete(reply)
        if title:
            bus.change_setting("title", title)
        await autosave.save_now()
        return bus

    async def reopen(self, id: str) -> MessageBus:
        bus = MessageBus(id)
        bus.load((await self.library.open(id)).history)
        return bus


def at_home(paths: Paths, story: Callable[[House], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        house = House(paths)
        await house.library.start()
        try:
            await story(house)
        finally:
            house.disk.refuse = ""
            await house.library.aclose()

    asyncio.run(run())
