"""``sam-py search --meaning``: what means the same, asked as in the window, where the person switched it on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sam_py.errors import SamError
from sam_py.paths import Paths
from sam_py.providers.embedders import Chosen, chosen_in, embedder_of
from sam_py.providers.registry import Registry
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import Settings
from sam_py.settings.secrets import Secrets
from sam_py.store.search_index.results import Filters, Hit
from sam_py.store.search_index.service import SearchService
from sam_py.store.semantic.service import MeaningService, MeaningState

Wanted = tuple[Settings, Chosen]
_SHORT_S = 3.0
"""A shorter pause is for the sake of a window, and left out here."""


def wanted_in(paths: Paths) -> Wanted:
    """The settings, and who makes the vectors. Raises SamError where the person has not switched it on."""
    file = SettingsFile(paths.config / "settings.json")
    try:
        settings = file.current
    finally:
        file.close()
    chosen = chosen_in(settings)
    if chosen is None or not settings.search.semantic:
        raise SamError("The search by meaning is not switched on: do that in the window, in Settings > Data > Search.")
    return settings, chosen


async def similar(
    paths: Paths,
    wanted: Wanted,
    words: SearchService,
    text: str,
    filters: Filters,
    limit: int,
    tell: Callable[[MeaningState], None],
) -> list[Hit]:
    """What means something like `text`, after all that is not embedded yet was; `tell` hears how far that is.

    Raises SamError.
    """
    settings, chosen = wanted

    def address_of(account: str) -> str:
        found = settings.provider(account)
        return found.base_url if found is not None else ""

    secrets = Secrets(address_of)
    registry = Registry(secrets.key_of)
    meaning = MeaningService(paths, words, sleep=_sleep)
    meaning.subscribe(tell)
    try:
        trouble = await meaning.why_not()
        if trouble:
            raise SamError(trouble)
        await meaning.use(await embedder_of(chosen, registry, secrets))
        await meaning.settled()
        return await meaning.similar(text, filters, limit=limit, typing=False)
    finally:
        await meaning.aclose()
        await registry.aclose()


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds if seconds > _SHORT_S else 0)
