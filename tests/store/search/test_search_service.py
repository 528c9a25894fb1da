"""The service with its threads: kept up to date by the library, whatever becomes of its database."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.history import SettingsChanged
from sam_py.paths import Paths
from sam_py.store.journal import Journal
from sam_py.store.search_index import database, indexer
from sam_py.store.search_index.errors import SearchError
from sam_py.store.search_index.results import IndexState, Phase
from sam_py.store.search_index.service import SearchService
from tests.store.house import House, at_home
from tests.store.kit import answered, said
from tests.store.search.shelf import folder_of


class Watched:
    """A service, and the states that it told of."""

    def __init__(self, paths: Paths) -> None:
        self.service = SearchService(paths)
        self.path = paths.state / database.NAME
        self.states: list[IndexState] = []
        self._news = asyncio.Event()
        self.service.subscribe(self._hear)

    def _hear(self, state: IndexState) -> None:
        self.states.append(state)
        self._news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                self._news.clear()
                await self._news.wait()

    async def finds(self, text: str) -> list[str]:
        return [hit.place.message_id for hit in (await self.service.search(text)).hits]

    async def until_found(self, text: str, count: int = 1) -> list[str]:
        async with asyncio.timeout(20):
            while True:
                self._news.clear()
                if len(found := await self.finds(text)) == count:
                    return found
                await self._news.wait()

    def phases(self) -> list[Phase]:
        return [state.phase for state in self.states]


@asynccontextmanager
async def watched(paths: Paths) -> AsyncIterator[Watched]:
    watch = Watched(paths)
    watch.service.start()
    try:
        yield watch
    finally:
        await watch.service.aclose()


def fill(paths: Paths, *, conversations: int = 3, messages: int = 40) -> None:
    for number in range(conversations):
        journal = Journal(folder_of(paths, f"c{number}"), "aa")
        first = [SettingsChanged(key="title", value=f"Trip {number}"), said(f"{number}-0", "where is the lighthouse")]
        more = [answered(f"{number}-{n}", f"it is far {n}", f"{number}-{n - 1}", at_s=n) for n in range(1, messages)]
        journal.save([*first, *more])


def story(told: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(told())


def test_what_is_said_is_found_and_what_is_removed_is_not(paths: Paths) -> None:
    async def told(house: House) -> None:
        async with watched(paths) as watch:
            watch.service.follow(house.library)
            bus = await house.talk("How tall is the lighthouse?", "Forty metres", title="Sea")
            question, reply = bus.path
            assert await watch.until_found("lighthouse") == [question]
            assert await watch.until_found("forty met") == [reply]
            await watch.until_found("sea")
            bus.remove(question)
            assert await watch.finds("lighthouse") == []  # before it is saved
            house.clock.pass_s(1)
            await watch.until(lambda: watch.service.state.phase == "ready")
            assert await watch.finds("forty") == [reply]
            await house.library.delete(bus.conversation_id)
            assert await watch.finds("forty") == []
            await house.library.restore(bus.conversation_id)
            assert await watch.until_found("forty") == [reply]

    at_home(paths, told)


def test_what_another_device_wrote_is_found_after_the_library_looked(paths: Paths) -> None:
    fill(paths, conversations=1, messages=3)

    async def told(house: House) -> None:
        async with watched(paths) as watch:
            watch.service.follow(house.library)
            await watch.until_found("lighthouse")
            Journal(folder_of(paths, "c0"), "bb").save([said("0-1", "changed by the other one", "0-0", at_s=1)])
            await house.library.refresh()
            assert await watch.until_found("changed") == ["0-1"]

    at_home(paths, told)


def spoil_deleted(path: Path) -> None:
    path.unlink()


def spoil_damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 4 : len(content) // 2] = os.urandom(len(content) // 2 - len(content) // 4)
    path.write_bytes(content)


def spoil_garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def spoil_cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


def spoil_version(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 77")
    connection.close()


SPOILERS = [spoil_deleted, spoil_damaged, spoil_garbage, spoil_cut, spoil_version]


@pytest.mark.parametrize("crashed", [False, True], ids=["left well", "after a crash"])
@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__)
def test_a_spoilt_index_is_built_anew_with_progress(paths: Paths, spoil: Callable[[Path], None], crashed: bool) -> None:
    fill(paths)

    async def told() -> None:
        async with watched(paths) as watch:
            await watch.service.settled()
        spoil(watch.path)
        if crashed:
            Path(f"{watch.path}.left").unlink(missing_ok=True)
        async with watched(paths) as watch:
            await watch.service.settled()
            assert len(await watch.finds("lighthouse")) == 3
            assert max(state.total for state in watch.states) == 3
            assert watch.service.state.phase == "ready"
            assert watch.service.state.error is None

    story(told)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let an open file be replaced")
@pytest.mark.parametrize("spoil", [spoil_deleted, spoil_cut], ids=lambda spoil: spoil.__name__)
def test_an_index_that_is_spoilt_while_it_is_open_comes_back_by_itself(
    paths: Paths, spoil: Callable[[Path], None]
) -> None:
    fill(paths)

    async def told() -> None:
        async with watched(paths) as watch:
            await watch.service.settled()
            spoil(watch.path)
            async with asyncio.timeout(20):
                while True:
                    try:
                        if len(await watch.finds("lighthouse")) == 3 and await watch.service.counts():
                            break
                    except SearchError as error:
                        assert str(error).endswith(("moment. Your chats are whole.", "chats are not affected."))  # noqa: PT017
                    await asyncio.sleep(0.01)
            await watch.service.settled()
            Journal(folder_of(paths, "c0"), "bb").save([said("new", "a foghorn", "0-0", at_s=90)])
            await watch.service.settled()
            assert await watch.finds("foghorn") == ["new"]

    story(told)


def test_a_full_disk_is_told_and_tried_again(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(paths)
    pages = 1
    opened = database.open_to_write

    def open_on_a_small_disk(path: Path) -> sqlite3.Connection:
        connection = opened(path)
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(database, "open_to_write", open_on_a_small_disk)
    monkeypatch.setattr(indexer, "RETRY_S", 0.01)

    async def told() -> None:
        nonlocal pages
        async with watched(paths) as watch:
            with pytest.raises(SearchError, match=r"disk that holds .* is full"):
                await watch.service.settled()
            pages = 1_000_000
            await watch.until(lambda: watch.service.state.phase == "ready")
            assert len(await watch.finds("lighthouse")) == 3

    story(told)


def test_a_state_folder_that_cannot_be_written_is_told_and_tried_again(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(paths)
    monkeypatch.setattr(indexer, "RETRY_S", 0.01)
    path = paths.state / database.NAME
    path.mkdir()

    async def told() -> None:
        async with watched(paths) as watch:
            with pytest.raises(SearchError, match="allow it to"):
                await watch.service.search("lighthouse")
            path.rmdir()
            await watch.until(lambda: watch.service.state.phase == "ready")
            assert len(await watch.finds("lighthouse")) == 3

    story(told)


def test_an_outdated_question_ends_at_once(paths: Paths) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT sum(x) FROM n"

    async def told() -> None:
        async with watched(paths) as watch:
            await watch.service.settled()
            reader = watch.service._searcher
            begun = asyncio.Event()
            loop = asyncio.get_running_loop()

            def never_ends(connection: sqlite3.Connection) -> None:
                loop.call_soon_threadsafe(begun.set)
                connection.execute(endless).fetchone()

            running = asyncio.create_task(reader.ask(never_ends))
            waiting = asyncio.create_task(reader.ask(never_ends))
            await begun.wait()
            waiting.cancel()
            running.cancel()
            async with asyncio.timeout(10):
                assert await reader.ask(lambda connection: connection.execute("SELECT 7").fetchone()) == (7,)
            assert running.cancelled() or await asyncio.wait([running])

    story(told)


def test_two_programs_on_one_state_folder_do_not_harm_the_index(paths: Paths) -> None:
    async def told() -> None:
        async with watched(paths) as one, watched(paths) as other:
            await asyncio.gather(one.service.settled(), other.service.settled())
            for number in range(6):
                fill(paths, conversations=number + 1, messages=5)
                await asyncio.gather(one.service.settled(), other.service.settled())
            assert len(await one.finds("lighthouse")) == len(await other.finds("lighthouse")) == 6
        connection = database.open_to_write(one.path)
        assert database.is_whole(connection)
        connection.execute("INSERT INTO entry (entry) VALUES ('integrity-check')")
        assert connection.execute("SELECT count(*) FROM message").fetchone() == (30,)
        assert connection.execute("SELECT count(*) FROM entry").fetchone() == (30,)
        connection.close()

    story(told)


def test_the_window_s_thread_is_never_kept_waiting_while_the_index_is_built(paths: Paths) -> None:
    """Not a figure: only that questions, saves and the loop go on while there is much to build."""
    fill(paths, conversations=4, messages=200)

    async def told(house: House) -> None:
        async with watched(paths) as watch:
            watch.service.follow(house.library)
            await watch.until(lambda: "building" in watch.phases())
            bus = await house.talk("Is the foghorn working?")
            assert await watch.until_found("foghorn") == list(bus.path)
            seen = [state for state in watch.states if state.total == 4]
            assert all(0 <= state.share <= 1 for state in seen)
            await watch.until(lambda: watch.service.state.phase == "ready")
            assert (await watch.service.counts()).messages == 801

    at_home(paths, told)


def test_very_much_that_comes_at_once_is_taken_in_behind_what_is_said(paths: Paths) -> None:
    async def told(house: House) -> None:
        async with watched(paths) as watch:
            watch.service.follow(house.library)
            await watch.until(lambda: watch.service.state.phase == "ready")
            fill(paths, conversations=3, messages=100)
            await house.library.refresh()
            bus = await house.talk("Is the foghorn working?")
            assert await watch.until_found("foghorn") == list(bus.path)
            await watch.until_found("lighthouse", 3)
            await watch.service.settled()
            assert (await watch.service.counts()).messages == 301
            assert max(state.total for state in watch.states) >= 1

    at_home(paths, told)


def test_closing_ends_the_threads_and_goes_on_later(paths: Paths) -> None:
    fill(paths, conversations=3, messages=150)

    async def told() -> None:
        others = set(threading.enumerate())
        async with watched(paths) as watch:
            await watch.until(lambda: watch.service.state.done >= 1)
        assert not any(thread.name.startswith("sam-") for thread in set(threading.enumerate()) - others)
        async with watched(paths) as watch:
            await watch.service.settled()
            assert (await watch.service.counts()).messages == 450
            assert max(state.total for state in watch.states) < 3

    story(told)
