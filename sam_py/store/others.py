"""OtherDevices: what other computers wrote into the data folder, shown here without a restart.

A folder that is synced changes under the running program. A watcher tells of it at once where the system can; every
minute, and when the window is used again, the folders are looked through all the same: a network share tells nothing.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from sam_py.store.autosave import Autosave
from sam_py.store.conversation_list import Chores
from sam_py.store.errors import StorageError
from sam_py.store.folders import is_conversation_id
from sam_py.store.journal import SUFFIX, FromOthers, Journal, is_journal
from sam_py.store.writer import READ, Writer

log = logging.getLogger(__name__)

SOON_S = 0.2
LOOK_AGAIN_S = 60.0
_DEBOUNCE_MS = 200
_TRIES = 5


class OtherDevices:
    """Takes in what others wrote: into an open conversation through its bus, into the list otherwise."""

    def __init__(
        self,
        conversations: Path,
        writer: Writer,
        chores: Chores,
        *,
        journal_of: Callable[[str], tuple[Journal, Autosave] | None],
        open_ids: Callable[[], Iterable[str]],
        read_row: Callable[[str], Awaitable[None]],
        revive: Callable[[str], Awaitable[None]],
        put_away: Callable[[str], None],
        refresh: Callable[[], Awaitable[None]],
        tell: Callable[[StorageError], None],
    ) -> None:
        """`journal_of` gives what an open conversation is kept by, None where it is not open.

        `put_away` hears of one that is open and was deleted elsewhere.
        """
        self._conversations = conversations
        self._writer = writer
        self._chores = chores
        self._journal_of = journal_of
        self._open_ids = open_ids
        self._read_row = read_row
        self._revive = revive
        self._put_away = put_away
        self._refresh = refresh
        self._tell = tell
        self._named: set[str] = set()
        self._unapplied: dict[str, frozenset[str]] = {}
        self._at_work = asyncio.Lock()
        self._stop = threading.Event()
        self._watcher: threading.Thread | None = None
        self.device = ""
        """Ours, whose file is no news."""

    def start(self, device: str) -> None:
        """Watch the folder from now on; `device` is ours."""
        if self._watcher is None:
            self.device = device
            loop = asyncio.get_running_loop()
            self._watcher = threading.Thread(target=self._watch, args=(loop,), name="sam-folders", daemon=True)
            self._watcher.start()
            self._chores.later("look", LOOK_AGAIN_S, self._look_again)

    def stop(self) -> None:
        """End the watching; what was noticed is not looked into any more."""
        self._stop.set()

    def notice(self, ids: Iterable[str]) -> None:
        """Something changed in these conversations' folders: look into them soon."""
        self._named.update(ids)
        if self._named and not self._stop.is_set():
            self._chores.later("others", SOON_S, self._take_named)

    async def look(self) -> None:
        """Look through all folders now: the list, and the conversations that are open. Not before `start`."""
        if self._watcher is None or self._stop.is_set():
            return
        self.notice(self._open_ids())
        await self._refresh()

    async def take_in(self, id: str) -> None:
        """Merge what others wrote into an open conversation. Where it is not open, its row is read anew.

        What is said here meanwhile goes first: it is saved, and the merging begun anew.
        """
        async with self._at_work:
            if self._journal_of(id) is not None:
                await self._revive(id)
            for _try in range(_TRIES):
                kept = self._journal_of(id)
                if kept is None:
                    self._unapplied.pop(id, None)
                    await self._read_row(id)
                    return
                journal, autosave = kept
                if not (autosave.is_dirty or journal.has_unsaved) and await self._writer.run(journal.is_put_away, READ):
                    self._put_away(id)
                    return
                with suppress(StorageError):  # told already; what waits is merged as well
                    await autosave.save_now()
                count, known = autosave.count, self._unapplied.get(id, frozenset())
                if autosave.has_unhanded:
                    continue
                found = await self._writer.run(partial(journal.read_others, known), READ)
                if found is not None and found.trouble is not None:
                    self._tell(found.trouble)
                if self._apply(id, found, autosave, count):
                    return
            self.notice((id,))  # somebody clicks faster than we write: again soon

    def _apply(self, id: str, found: FromOthers | None, autosave: Autosave, count: int) -> bool:
        if found is None:
            return True
        self._unapplied[id] = found.subjects
        kept = self._journal_of(id)
        if kept is None or kept[1] is not autosave or autosave.count != count:
            return False
        del self._unapplied[id]
        autosave.bus.absorb(found.history, found.messages)
        return True

    async def _take_named(self) -> None:
        named, self._named = self._named, set()
        for id in sorted(named):
            try:
                await self.take_in(id)
            except StorageError as error:
                self._tell(error)

    async def _look_again(self) -> None:
        if not self._stop.is_set():
            self._chores.later("look", LOOK_AGAIN_S, self._look_again)
            await self.look()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """On its own thread: tell the loop of the conversations in whose folders another's file changed."""
        from watchfiles import watch  # takes 20 ms to import, and nothing needs it before the first paint

        changes = watch(
            self._conversations,
            watch_filter=lambda _change, path: _is_news(path, self.device + SUFFIX),
            debounce=_DEBOUNCE_MS,
            stop_event=self._stop,
            rust_timeout=500,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        try:
            for group in changes:
                ids = {_conversation_of(Path(path), self._conversations) for _change, path in group}
                loop.call_soon_threadsafe(self.notice, sorted(id for id in ids if id))
        except RuntimeError as error:  # the loop is closed
            log.info("the watching of folders ended: %s", error)
        except (OSError, UnicodeError) as error:  # too many watches, no such folder, no UTF-8: looking goes on
            log.warning("changes by other computers are only noticed every minute: %s", error)


def _is_news(path: str, own: str) -> bool:
    name = Path(path).name
    return name != own and (is_journal(name) or is_conversation_id(name))


def _conversation_of(path: Path, conversations: Path) -> str:
    """The conversation in whose folder `path` lies; "" where it is none's."""
    try:
        parts = path.relative_to(conversations).parts
    except ValueError:  # the system tells real paths where ours leads over a link
        parts = path.parts[-2:] if is_journal(path.name) else path.parts[-1:]
    return parts[0] if parts and is_conversation_id(parts[0]) else ""
