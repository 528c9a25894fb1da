"""SearchService: the search's one door for the window and the command line. Its methods run on the loop's thread."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from sam_py.messages.history import HistoryEvent, MessageAdded, MessageRemoved
from sam_py.messages.message import utc_now
from sam_py.paths import Paths
from sam_py.store.conversation_list import LibraryChange, join
from sam_py.store.library import Library
from sam_py.store.search_index import lists
from sam_py.store.search_index.database import NAME, note_left
from sam_py.store.search_index.errors import SearchError, is_damage, trouble_of
from sam_py.store.search_index.indexer import Indexer
from sam_py.store.search_index.narrowing import Hidden
from sam_py.store.search_index.reader import Reader, Work, is_broken_off
from sam_py.store.search_index.results import Counts, Cursor, Filters, IndexState, Items, Order, Pins, Results
from sam_py.store.search_index.search import search

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

PAGE = 30
_EVERYTHING = Filters()


class SearchService:
    """Make it when search is first wanted, or some seconds after the start; call `start`, then `follow` the library.

    Everything may be asked at once, and while the index is being built: it answers with what is in it by then.
    Cancelling a question ends it: a search field cancels the task of the search before.
    """

    def __init__(self, paths: Paths, *, is_gentle: bool = True, now: Callable[[], datetime] = utc_now) -> None:
        """`is_gentle`: the index is built at half speed, so that a window in the same process stays smooth."""
        self._path = paths.state / NAME
        self._now = now
        self._state = IndexState()
        self._listeners: list[Callable[[IndexState], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._searcher = Reader(self._path, "sam-search")
        self._lister = Reader(self._path, "sam-library")
        self._indexer = Indexer(paths, self._hear_from_thread, self._let_go, is_gentle=is_gentle)
        self._hidden_conversations: set[str] = set()
        self._hidden_messages: set[tuple[str, str]] = set()
        self._unsubscribe: list[Callable[[], None]] = []
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._opened: asyncio.Event | None = None

    # Its life

    def start(self) -> None:
        """Open the index, make it where there is none, and bring it up to date in the background."""
        self._loop = asyncio.get_running_loop()
        self._opened = asyncio.Event()
        self._indexer.start()

    def follow(self, library: Library) -> None:
        """Take in what is said in `library` from now on, and what comes from other devices."""
        self._unsubscribe += [
            library.subscribe(self._hear_list),
            library.on_stored(self._indexer.changed),
            library.on_recorded(self._hear_event),
        ]
        self._indexer.check()  # what was stored between the start and now

    async def aclose(self) -> None:
        """End its threads. What is written by then stays; the next start goes on from there."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._unsubscribe = []
        thread = self._indexer.stop()
        while thread is not None and thread.is_alive():
            await asyncio.sleep(0.005)
        await self._searcher.aclose()
        await self._lister.aclose()
        note_left(self._path)
        for _number, future in self._waiting:
            future.cancel()

    # Its state

    @property
    def state(self) -> IndexState:
        return self._state

    def subscribe(self, listener: Callable[[IndexState], None]) -> Callable[[], None]:
        """Call `listener` with each state of the index from now on; returns the function that ends it."""
        return join(self._listeners, listener)

    async def settled(self) -> None:
        """Return when all that lies on the disk now is in the index. Raises SearchError where it cannot be written."""
        number = self._indexer.check()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((number, future))
        await future

    async def rebuild(self) -> None:
        """Delete the index and build it anew in the background."""
        self._indexer.rebuild()

    # Questions. All raise SearchError.

    async def search(
        self,
        text: str,
        filters: Filters = _EVERYTHING,
        *,
        limit: int = PAGE,
        after: Cursor | None = None,
        order: Order = "best",
        typing: bool = True,
    ) -> Results:
        """Messages, titles and attached files that have all the words of `text`.

        ``"words in quotes"`` stand together, ``-word`` must not occur; `typing`: the last word may be a beginning.
        `order`: ``best`` ranks by words, importance and age; the others by date alone. `after`: a page's `next`.
        """
        now, hidden = self._now(), self._hidden()
        return await self._ask(
            self._searcher,
            lambda connection: search(
                connection,
                text,
                filters,
                limit=limit,
                after=after,
                order=order,
                now=now,
                hidden=hidden,
                typing=typing,
            ),
        )

    async def items(self, filters: Filters = _EVERYTHING, *, limit: int = 100, after: Cursor | None = None) -> Items:
        """Images, code, files, links, documents and tool results of all conversations, the newest first."""
        hidden = self._hidden()
        return await self._ask(
            self._lister, lambda connection: lists.items(connection, filters, limit=limit, after=after, hidden=hidden)
        )

    async def pinned(self, filters: Filters = _EVERYTHING, *, limit: int = 100, after: Cursor | None = None) -> Pins:
        """Pinned messages, the newest first; of one conversation where the filters say so."""
        hidden = self._hidden()
        return await self._ask(
            self._lister, lambda connection: lists.pinned(connection, filters, limit=limit, after=after, hidden=hidden)
        )

    async def important(self, filters: Filters, *, limit: int = 100, after: Cursor | None = None) -> Pins:
        """Messages of at least `filters.min_importance` that are not pinned, the newest first."""
        hidden = self._hidden()
        return await self._ask(
            self._lister,
            lambda connection: lists.important(connection, filters, limit=limit, after=after, hidden=hidden),
        )

    async def counts(self, filters: Filters = _EVERYTHING) -> Counts:
        """How many items of each kind, pinned messages and messages there are, and by which models."""
        return await self._ask(self._lister, lambda connection: lists.counts(connection, filters))

    # For what is built on it

    async def read(self, work: Work[Answer]) -> Answer:
        """What `work` finds in the database, on a thread where no search waits for it."""
        return await self._ask(self._lister, work)

    @property
    def hidden(self) -> Hidden:
        """What is gone, whether the index knows it yet or not."""
        return self._hidden()

    # Inside

    async def _ask(self, reader: Reader, work: Work[Answer]) -> Answer:
        if self._opened is not None:
            await self._opened.wait()
        try:
            try:
                return await reader.ask(work)
            except sqlite3.OperationalError as error:
                if not is_broken_off(error):
                    raise
                return await reader.ask(work)  # the index was replaced under it
        except (sqlite3.Error, OSError) as error:
            if is_damage(error):
                self._indexer.rebuild()
            else:
                self._indexer.look()
            trouble = trouble_of(error, self._path)
            if self._state.error is not None and trouble.kind != "damaged":
                trouble = self._state.error
            raise trouble from error

    def _hidden(self) -> Hidden:
        return frozenset(self._hidden_conversations), frozenset(self._hidden_messages)

    def _hear_list(self, change: LibraryChange) -> None:
        match change.kind:
            case "removed":
                self._hidden_conversations.add(change.id)
                self._indexer.removed(change.id)
            case "added":
                self._hidden_conversations.discard(change.id)
            case "reset":
                self._hidden_conversations.clear()
                self._indexer.check()
            case _:
                pass

    def _hear_event(self, conversation_id: str, event: HistoryEvent) -> None:
        match event:
            case MessageRemoved():
                self._hidden_messages.add((conversation_id, event.message_id))
            case MessageAdded():
                self._hidden_messages.discard((conversation_id, event.message.id))
            case _:
                pass

    def _let_go(self) -> None:
        self._searcher.let_go()
        self._lister.let_go()

    def _hear_from_thread(self, state: IndexState) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hear, state)

    def _hear(self, state: IndexState) -> None:
        self._state = state
        if self._opened is not None and state.phase != "opening":
            self._opened.set()
        waiting, self._waiting = self._waiting, []
        for number, future in waiting:
            if future.done():
                continue
            if state.answered >= number and state.phase == "ready":
                future.set_result(None)
            elif state.phase == "failed" and state.error is not None and state.error.kind != "damaged":
                future.set_exception(state.error)
            else:
                self._waiting.append((number, future))
        for listener in tuple(self._listeners):
            try:
                listener(state)
            except Exception:  # one broken view must not stop the others
                log.exception("a listener failed on %s", state)


__all__ = ["PAGE", "SearchError", "SearchService"]
