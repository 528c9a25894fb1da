"""Listing: asks the index for what the library shows, page by page as it is scrolled to, and again when it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from sam_py.store.search_index.errors import SearchError
from sam_py.store.search_index.extract import ItemKind
from sam_py.store.search_index.results import Counts, Cursor, Filters, IndexState, Item
from sam_py.store.search_index.service import SearchService
from sam_py.ui.library.model import LibraryModel

Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]

FIRST_PAGE = 120
PAGE = 500
_AHEAD = 200
"""Rows fetched beyond the last that was asked for."""
_REFRESH_MS = 700
_LOOK_FOR_FILES_MS = 4_000


class Listing(QObject):
    """Keeps `model` filled. It works only while it is `set_awake`; a new question ends the one before.

    An error stays until the next try, and what was listed by then stays, too.
    """

    counted = Signal()
    """`counts` are other ones."""
    changed = Signal()
    """It began or ended to look, or `error` is another one."""

    def __init__(
        self,
        search: SearchService,
        model: LibraryModel,
        spawn: Spawn,
        path_of: Callable[[str], Path | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._search = search
        self._spawn = spawn
        self._path_of = path_of
        self.model = model
        self.kind: ItemKind = "image"
        self.filters = Filters()
        self.counts: Counts | None = None
        self.error: SearchError | None = None
        self.is_looking = False
        """The first things of a new question are still being looked for."""
        self._next: Cursor | None = None
        self._is_whole = False
        self._wanted = 0
        self._is_stale = False
        self._is_awake = False
        self._revision = -1
        self._question = 0
        self._task: asyncio.Task[None] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_REFRESH_MS)
        self._soon.timeout.connect(self.refresh)
        self._files = QTimer(self)
        self._files.setInterval(_LOOK_FOR_FILES_MS)
        self._files.timeout.connect(self._look_for_files)

    def ask(self, kind: ItemKind, filters: Filters) -> None:
        """List these from now on. What is shown stays until the answer comes, unless it is of another kind."""
        if kind != self.kind:
            self.model.clear()
        self.kind, self.filters = kind, filters
        self._begin_again()

    def want(self, row: int) -> None:
        """Rows up to this one are to be seen."""
        wanted = min(row + _AHEAD, max(self.model.total, FIRST_PAGE))
        if wanted > self._wanted:
            self._wanted = wanted
            self._work()

    def refresh(self) -> None:
        """The index changed: list anew what is listed, without moving it."""
        self._is_stale = True
        self._work()

    def retry(self) -> None:
        self.error = None
        self.changed.emit()
        self._is_stale = True
        self._work()

    def follow(self, state: IndexState) -> None:
        """What the index says of itself."""
        if state.revision != self._revision:
            self._revision = state.revision
            if self._is_awake and not self._soon.isActive():
                self._soon.start()
            self._is_stale = True

    def set_awake(self, awake: bool) -> None:
        self._is_awake = awake
        if awake:
            self._files.start()
            self._work()
        else:
            self._files.stop()
            self._soon.stop()

    def stop(self) -> None:
        """Ask nothing any more."""
        self.set_awake(False)
        if self._task is not None:
            self._task.cancel()
            self._task = None

    # Inside

    def _begin_again(self) -> None:
        self._question += 1
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._next, self._is_whole = None, False
        self._wanted = FIRST_PAGE
        self._is_stale = True
        self.error = None
        self.is_looking = True
        self.changed.emit()
        self._work()

    def _work(self) -> None:
        if self._task is None and self._is_awake and self.error is None and (self._is_stale or self._is_short):
            self._task = self._spawn(self._fill(self._question))

    @property
    def _is_short(self) -> bool:
        return not self._is_whole and self.model.rowCount() < self._wanted

    async def _fill(self, question: int) -> None:
        try:
            while self._is_stale or self._is_short:
                if self._is_stale:
                    self._is_stale = False
                    await self._list_anew()
                else:
                    await self._add_page()
        except SearchError as error:
            self.error = error
        finally:
            if question == self._question:
                self._task = None
                self.is_looking = False
                self.changed.emit()

    async def _list_anew(self) -> None:
        """All that is listed, once more; of a new question the first page."""
        is_new = self.is_looking
        most = FIRST_PAGE if is_new else max(FIRST_PAGE, self.model.rowCount())
        items: list[Item] = []
        after: Cursor | None = None
        while True:
            page = await self._page(min(PAGE, most - len(items)), after)
            items += page.items
            after = page.next
            if after is None or len(items) >= most:
                break
        self._next, self._is_whole = after, after is None
        if is_new:
            self.model.clear()
        if self._is_whole or is_new:
            self.model.total = len(items)
        self.model.show(items)
        self.is_looking = False
        self.changed.emit()
        counts = await self._search.counts(replace(self.filters, kinds=frozenset()))
        self.counts = counts
        self._set_total(counts.items.get(self.kind, 0))
        self.counted.emit()
        await self._find_missing(items)

    async def _add_page(self) -> None:
        page = await self._page(PAGE, self._next)
        self._next, self._is_whole = page.next, page.next is None
        self.model.add(page.items)
        self._set_total(self.model.total)
        await self._find_missing(page.items)

    async def _page(self, limit: int, after: Cursor | None) -> Any:
        return await self._search.items(replace(self.filters, kinds=frozenset({self.kind})), limit=limit, after=after)

    def _set_total(self, counted: int) -> None:
        """What was counted may have changed between two questions: rows that are there count."""
        rows = self.model.rowCount()
        total = rows if self._is_whole else max(rows, counted)
        if total != self.model.total:
            self.model.total = total
            self.model.layoutChanged.emit()

    async def _find_missing(self, items: Any) -> None:
        hashes = {item.attachment for item in items if item.attachment}
        if hashes:
            missing = await asyncio.to_thread(self._not_there, hashes)
            self.model.set_missing((self.model.missing - hashes) | missing)

    def _look_for_files(self) -> None:
        if self.model.missing and self._task is None:
            self._task = self._spawn(self._look_again(self._question))

    async def _look_again(self, question: int) -> None:
        """Whether what was missing has come."""
        try:
            self.model.set_missing(await asyncio.to_thread(self._not_there, set(self.model.missing)))
        finally:
            if question == self._question:
                self._task = None
                self._work()

    def _not_there(self, hashes: set[str]) -> frozenset[str]:
        return frozenset(each for each in hashes if self._path_of(each) is None)
