"""Drafts: what a person was writing or had not sent yet, kept 500 ms after the last key. Of this machine only."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.parts import Frozen, Parts
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import cannot_write
from sam_py.store.writer import Clock, Timer, Writer

log = logging.getLogger(__name__)

QUIET_S = 0.5
MAX_WAIT_S = 0.8
RETRY_S = 5.0
NEW = ""
"""The conversation id of the draft of a conversation that does not exist yet."""
_NAME = re.compile(r"[\w.-]+\Z")


class Unsent(Frozen):
    """A message that waits for the reply before it to end."""

    text: str = ""
    parts: Parts = ()


class Edit(Frozen):
    """An earlier message as it was being written anew."""

    message_id: str
    text: str = ""
    parts: Parts = ()


class Draft(Frozen):
    """What stands in the composer. `parts` are its attachments."""

    text: str = ""
    parts: Parts = ()
    edit: Edit | None = None
    """The edit that was under way; `text` and `parts` wait behind it."""
    queued: tuple[Unsent, ...] = ()
    """What was to follow the reply that streamed. Kept by `Drafts.save_queued`."""

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.parts and self.edit is None and not self.queued


class Drafts:
    """All drafts, in memory after `read_all`; changes are written by the writer's thread.

    A conversation that `is_known` denies was never saved: its id is of this run only, so its draft is that of the
    conversation to come (`NEW`) and is there again after a restart, under another id.
    """

    def __init__(
        self,
        folder: Path,
        writer: Writer,
        clock: Clock,
        disk: Disk | None = None,
        *,
        is_known: Callable[[str], bool] = lambda id: True,
    ) -> None:
        self._folder = folder
        self._writer = writer
        self._clock = clock
        self._disk = disk or Disk()
        self._is_known = is_known
        self._drafts: dict[str, Draft] = {}
        self._changed: dict[str, None] = {}
        self._timer: Timer | None = None
        self._first_s = 0.0
        self._last_s = 0.0
        self._closed = False

    def load(self, conversation_id: str) -> Draft:
        """The draft of a conversation (`NEW` for one to come); empty where there is none."""
        return self._drafts.get(self._key(conversation_id), Draft())

    def save(self, conversation_id: str, draft: Draft) -> None:
        """Keep `draft`, soon; an empty one removes what was kept. What is queued stays."""
        conversation_id = self._key(conversation_id)
        before = self._drafts.get(conversation_id, Draft())
        self._put(conversation_id, draft.model_copy(update={"queued": before.queued}))

    def save_queued(self, conversation_id: str, queued: tuple[Unsent, ...]) -> None:
        """Keep what is to be sent later, soon; the draft beside it stays."""
        if self._key(conversation_id) != conversation_id:  # not said yet what it is to follow: asked again in a moment
            return
        before = self._drafts.get(conversation_id, Draft())
        self._put(conversation_id, before.model_copy(update={"queued": queued}))

    def forget(self, conversation_id: str) -> None:
        """The conversation is gone for good."""
        self._put(conversation_id, Draft())

    async def flush(self) -> None:
        """Write what changed, now. Raises StorageError; the drafts then stay in memory."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        future = self._write()
        if future is not None:
            await asyncio.shield(future)

    def close(self) -> None:
        """Write nothing by itself from now on."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def read_all(self) -> list[str]:
        """Read the folder. Blocking: on the writer's thread, before anything else.

        A damaged draft is put aside; returns where.
        """
        damaged: list[str] = []
        try:
            paths = sorted(self._folder.glob("*.json"))
        except OSError:
            log.warning("the drafts in %s cannot be read", self._folder)
            return damaged
        for path in paths:
            try:
                draft = Draft.model_validate_json(path.read_bytes())
            except (OSError, ValidationError) as error:
                log.warning("the draft %s cannot be read and is put aside", path, exc_info=error)
                try:
                    path.replace(path.with_suffix(".bad"))
                    damaged.append(str(path.with_suffix(".bad")))
                except OSError:
                    log.warning("it could not be moved")
                continue
            self._drafts.setdefault(NEW if path.stem == "new" else path.stem, draft)
        return damaged

    def _put(self, conversation_id: str, draft: Draft) -> None:
        if self._drafts.get(conversation_id, Draft()) == draft:
            return
        self._drafts[conversation_id] = draft
        self._changed[conversation_id] = None
        self._last_s = self._clock.time()
        if self._timer is None:
            self._first_s = self._last_s
            self._timer = self._clock.call_later(QUIET_S, self._due)

    def _key(self, conversation_id: str) -> str:
        return conversation_id if conversation_id in self._drafts or self._is_known(conversation_id) else NEW

    def _due(self) -> None:
        self._timer = None
        at = min(self._last_s + QUIET_S, self._first_s + MAX_WAIT_S)
        now = self._clock.time()
        if now + 0.001 < at:
            self._timer = self._clock.call_later(at - now, self._due)
            return
        self._write()

    def _write(self) -> asyncio.Future[Any] | None:
        if not self._changed:
            return None
        changed = {id: self._drafts[id] for id in self._changed if id == NEW or _NAME.match(id)}
        self._changed = {}

        def work() -> None:
            for id, draft in changed.items():
                self._write_one(self._folder / f"{id or 'new'}.json", draft)

        future = self._writer.run(work)

        def done(future: asyncio.Future[Any]) -> None:
            error = None if future.cancelled() else future.exception()
            if error is not None:
                log.warning("drafts could not be written: %s", error)
                self._changed = {**dict.fromkeys(changed), **self._changed}
                if self._timer is None and not self._closed:
                    self._first_s = self._last_s = self._clock.time()
                    self._timer = self._clock.call_later(RETRY_S, self._due)

        future.add_done_callback(done)
        return future

    def _write_one(self, path: Path, draft: Draft) -> None:
        try:
            if draft.is_empty:
                path.unlink(missing_ok=True)
                return
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_durably(self._disk, str(path), _as_json(draft))
        except OSError as error:
            raise cannot_write(error, path.parent) from error


def _as_json(draft: Draft) -> bytes:
    """The draft as a file; half a character, as a paste may bring it, is replaced."""
    try:
        return draft.model_dump_json().encode()
    except (PydanticSerializationError, UnicodeEncodeError):
        return json.dumps(_mended(draft.model_dump(mode="python"))).encode()


def _mended(value: Any) -> Any:
    match value:
        case str():
            return mend_surrogates(value)
        case dict():
            return {key: _mended(item) for key, item in value.items()}
        case list() | tuple():
            return [_mended(item) for item in value]
        case _:
            return value
