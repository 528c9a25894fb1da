"""Listings: what providers said of their models when last asked, kept across restarts. Derived: it may be deleted.

A listing belongs to the address that it came from and is given out for no other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from sam_py.messages.message import utc_now
from sam_py.messages.parts import Frozen
from sam_py.messages.turn import Limits
from sam_py.settings.file import write_atomically

log = logging.getLogger(__name__)

_VERSION = 1


class ListedModel(Frozen):
    """A model as its provider described it. `price` is in US dollars per million tokens, by the kind of token."""

    id: str
    label: str = ""
    limits: Limits = Limits()
    price: dict[str, float] = Field(default_factory=dict)


class Listing(Frozen):
    base_url: str
    asked_at: AwareDatetime
    models: tuple[ListedModel, ...] = ()


class _Document(Frozen):
    version: int = _VERSION
    listings: dict[str, Listing] = Field(default_factory=dict)
    """By the account's id."""


_document: TypeAdapter[_Document] = TypeAdapter(_Document)


class Listings:
    """Read when first asked (about 10 ms for 400 models), written on a thread of its own after a change.

    A file that is missing, damaged or of another version means that nothing is known yet. One that cannot
    be written costs a question at the next start, and is logged.
    """

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._path = path
        self._clock = clock
        self._kept: dict[str, Listing] | None = None
        self._writer: ThreadPoolExecutor | None = None
        self._last: Future[None] | None = None

    def of(self, account_id: str, base_url: str) -> Listing | None:
        """What the account's present address said last; None where it was not asked yet."""
        listing = self._all().get(account_id)
        return listing if listing is not None and listing.base_url == base_url else None

    def keep(self, account_id: str, base_url: str, models: Sequence[ListedModel]) -> None:
        """Remember an answer in place of the one before."""
        listings = self._all()
        listings[account_id] = Listing(base_url=base_url, asked_at=self._clock(), models=tuple(models))
        self._save()

    def keep_only(self, account_ids: Sequence[str]) -> None:
        """Forget the listings of accounts that are gone."""
        listings = self._all()
        gone = [each for each in listings if each not in account_ids]
        for account_id in gone:
            del listings[account_id]
        if gone:
            self._save()

    def close(self) -> None:
        """Wait until the last answer is written. Blocks."""
        if self._last is not None:
            self._last.result()
        if self._writer is not None:
            self._writer.shutdown()
            self._writer = None

    def _all(self) -> dict[str, Listing]:
        if self._kept is None:
            self._kept = self._read()
        return self._kept

    def _read(self) -> dict[str, Listing]:
        try:
            document = _document.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            log.warning("what the providers said of their models is asked anew: %s", type(error).__name__)
            return {}
        return dict(document.listings) if document.version == _VERSION else {}

    def _save(self) -> None:
        document = _Document(version=_VERSION, listings=dict(self._all()))
        if self._writer is None:
            self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="listings")
        self._last = self._writer.submit(self._write, document)

    def _write(self, document: _Document) -> None:
        try:
            write_atomically(self._path, _document.dump_json(document, exclude_unset=True))
        except OSError as error:
            log.warning("what the providers said of their models is not kept: %s", error)
