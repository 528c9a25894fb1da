"""A house with backups, on one clock that is turned by hand."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from sam_py.paths import default_paths
from sam_py.store.backups.shelf import Backups
from tests.store.house import House, at_home
from tests.store.kit import START, RefusingDisk


class Kept:
    """A house and its backups, on one clock."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house = house
        self.folder = folder
        self.disk = RefusingDisk()
        self.backups = Backups(
            house.paths,
            folder_of=lambda: folder,
            flush=house.library.flush,
            changed_at=lambda: max((each.updated_at for each in house.library.summaries()), default=None),
            device=lambda: "bbbbbbbb",
            disk=self.disk,
            now=lambda: self.now,
        )
        self.now = START

    async def close(self, id: str) -> None:
        """Nobody shows that conversation any more: else it would be made whole again."""
        for autosave in list(self.house.library._autosaves[id]):
            autosave.close()
        await self.house.library.flush()


def with_backups(tmp_path: Path, story: Callable[[Kept], Coroutine[Any, Any, None]]) -> None:
    async def run(house: House) -> None:
        kept = Kept(house, tmp_path / "backups")
        try:
            await story(kept)
        finally:
            await kept.backups.aclose()

    at_home(default_paths(tmp_path / "home").create(), run)


async def texts(house: House, id: str) -> list[str]:
    return [message.text for message in (await house.reopen(id)).messages()]
