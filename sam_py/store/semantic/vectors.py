"""Vectors: the database of passages and their vectors. All blocking, on one thread; raises SearchError."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sam_py.store.search_index.errors import SearchError
from sam_py.store.semantic.passages import Span

if TYPE_CHECKING:
    import apsw

NAME = "meaning.sqlite"
SCHEMA = "2"
"""Of the tables, and of how texts are cut: any change of either makes another, and all is built anew."""
_DIGEST_BYTES = 16

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE conversation (id TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE source (
    key INTEGER PRIMARY KEY, conversation TEXT NOT NULL, message TEXT NOT NULL, version INTEGER NOT NULL,
    UNIQUE (conversation, message));
CREATE TABLE passage (
    source INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, vector INTEGER NOT NULL,
    PRIMARY KEY (source, start)) WITHOUT ROWID;
CREATE INDEX passage_of ON passage (vector);
CREATE TABLE vector (key INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, embedding BLOB);
"""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Near:
    """A passage. `message` is empty for a conversation's title; `similarity` is the cosine."""

    conversation: str
    message: str
    span: Span
    digest: bytes
    similarity: float


@dataclass(frozen=True, slots=True)
class Cut:
    """A message's text as it is embedded: its passages, and the digest of each."""

    message: str
    version: int
    spans: tuple[Span, ...]
    digests: tuple[bytes, ...]


class DifferentLengthError(Exception):
    """A vector has another length than those that are kept: another model answers under the same name."""


def digest_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).digest()


def why_not() -> str:
    """Why vectors cannot be kept here, as a sentence; "" where they can. Imports what is needed for it."""
    try:
        import apsw
        import sqlite_vec
    except ImportError:
        return (
            "The search by meaning needs the packages apsw and sqlite-vec, which this installation does not have: "
            "install them with “pip install apsw sqlite-vec” and start the program again."
        )
    try:
        connection = apsw.Connection(":memory:")
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.close()
    except (apsw.Error, AttributeError) as error:
        return f"The search by meaning does not work here, because SQLite cannot load the extension sqlite-vec: {error}"
    return ""


class Vectors:
    """The vectors that one `identity` makes. Opened by the first call; made anew where they are of another one."""

    def __init__(self, path: Path, identity: str) -> None:
        self._path = path
        self._identity = identity
        self._connection: apsw.Connection | None = None

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def discard(self) -> None:
        """Delete all of it. Raises SearchError."""
        self.close()
        discard(self._path)

    # What is there

    def conversations(self) -> dict[str, str]:
        """The state in which each conversation was when all of it was embedded."""
        return self._do(lambda db: {id: state for id, state in db.execute("SELECT id, state FROM conversation")})

    def versions(self, conversation: str) -> dict[str, int]:
        """The versions of the messages that are embedded."""
        sql = "SELECT message, version FROM source WHERE conversation = ?"
        return self._do(lambda db: {message: version for message, version in db.execute(sql, (conversation,))})

    def unknown(self, digests: Iterable[bytes]) -> set[bytes]:
        """Those of which no vector is kept."""

        def look(db: apsw.Connection) -> set[bytes]:
            sql = "SELECT 1 FROM vector WHERE digest = ?"
            return {each for each in set(digests) if db.execute(sql, (each,)).fetchone() is None}

        return self._do(look)

    def count(self) -> int:
        """How many passages can be found."""
        return self._do(lambda db: int(db.execute("SELECT count(*) FROM passage").fetchone()[0]))  # type: ignore[index]

    def nearest(self, question: Sequence[float], most: int, conversation: str = "") -> list[Near]:
        """The passages of the `most` nearest vectors, the nearest first. Compares every one."""

        def look(db: apsw.Connection) -> list[Near]:
            self._check_length(db, question)
            where, values = "", []
            if conversation:
                where = (
                    "AND key IN (SELECT vector FROM passage JOIN source ON source.key = passage.source "
                    "WHERE conversation = ?)"
                )
                values = [conversation]
            rows = db.execute(
                "SELECT conversation, message, start, stop, near.digest, near.distance FROM ("  # noqa: S608 - ours
                "SELECT key, digest, vec_distance_cosine(embedding, ?) AS distance FROM vector "
                f"WHERE embedding IS NOT NULL {where} ORDER BY distance LIMIT ?) AS near "
                "CROSS JOIN passage ON passage.vector = near.key CROSS JOIN source ON source.key = passage.source "
                "ORDER BY near.distance, source.key DESC, start",
                (_blob(question), *values, most),
            )
            return [
                Near(id, message, (start, stop), digest, 1.0 - far) for id, message, start, stop, digest, far in rows
            ]

        return self._do(look)

    # Changing it

    def put(self, conversation: str, cuts: Sequence[Cut], vectors: dict[bytes, Sequence[float] | None]) -> None:
        """Write messages anew. `vectors` has those that were `unknown`; None for a text that no model took."""

        def write(db: apsw.Connection) -> None:
            for vector in vectors.values():
                if vector is not None:
                    self._check_length(db, vector)
            for digest, vector in vectors.items():
                blob = _blob(vector) if vector is not None else None
                db.execute("INSERT OR IGNORE INTO vector (digest, embedding) VALUES (?, ?)", (digest, blob))
            for cut in cuts:
                before = self._drop(db, conversation, cut.message)
                db.execute(
                    "INSERT INTO source (conversation, message, version) VALUES (?, ?, ?)",
                    (conversation, cut.message, cut.version),
                )
                source = db.last_insert_rowid()
                db.executemany(
                    "INSERT INTO passage SELECT ?, ?, ?, key FROM vector WHERE digest = ?",
                    [(source, *span, digest) for span, digest in zip(cut.spans, cut.digests, strict=True)],
                )
                _drop_orphans(db, before)
            _drop_orphans(db, [int(key) for digest in vectors for (key,) in _keys(db, digest)])

        self._do(write)

    def finished(self, conversation: str, state: str) -> None:
        """All of a conversation is embedded, as it was in `state`."""
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO conversation VALUES (?, ?)", (conversation, state)))

    def remove(self, conversation: str, messages: Iterable[str]) -> None:
        def write(db: apsw.Connection) -> None:
            for message in messages:
                _drop_orphans(db, self._drop(db, conversation, message))

        self._do(write)

    def remove_conversation(self, conversation: str) -> None:
        self.remove(conversation, list(self.versions(conversation)))
        self._do(lambda db: db.execute("DELETE FROM conversation WHERE id = ?", (conversation,)))

    # Inside

    def _drop(self, db: apsw.Connection, conversation: str, message: str) -> list[int]:
        """Take a message out; returns the vectors that it had."""
        sql = "SELECT key FROM source WHERE conversation = ? AND message = ?"
        found = db.execute(sql, (conversation, message)).fetchone()
        if found is None:
            return []
        vectors = [int(key) for (key,) in db.execute("SELECT vector FROM passage WHERE source = ?", found)]
        db.execute("DELETE FROM passage WHERE source = ?", found)
        db.execute("DELETE FROM source WHERE key = ?", found)
        return vectors

    def _check_length(self, db: apsw.Connection, vector: Sequence[float]) -> None:
        known = db.execute("SELECT value FROM about WHERE name = 'length'").fetchone()
        if known is None:
            db.execute("INSERT INTO about VALUES ('length', ?)", (str(len(vector)),))
        elif int(known[0]) != len(vector):
            raise DifferentLengthError

    def _do(self, work: Callable[[apsw.Connection], Answer]) -> Answer:
        """Do `work` in a transaction; damage is thrown away and begun anew, all else becomes a SearchError."""
        trouble = why_not() if self._connection is None else ""
        if trouble:
            raise SearchError(trouble, kind="unsupported")
        import apsw

        for attempt in (1, 2):
            try:
                connection = self._opened()
                with connection:
                    answer = work(connection)
            except (apsw.Error, OSError) as error:
                if attempt == 2 or not _is_damage(error):
                    self.close()
                    raise _trouble(error, self._path) from error
                self.discard()
            else:
                return answer
        raise AssertionError("unreachable")

    def _opened(self) -> apsw.Connection:
        if self._connection is not None and not self._path.exists():
            self.close()
        if self._connection is None:
            self._connection = _open(self._path, self._identity)
        return self._connection


def discard(path: Path) -> None:
    """Delete the database at `path` with what belongs to it. Raises SearchError."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        try:
            os.unlink(f"{path}{suffix}")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _trouble(error, path) from error


def _open(path: Path, identity: str) -> apsw.Connection:
    import apsw
    import sqlite_vec

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for attempt in (1, 2):
        connection = apsw.Connection(str(path))
        try:
            connection.set_busy_timeout(10_000)
            connection.execute("PRAGMA page_size = 32768")  # twenty vectors of a small model to a page
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA secure_delete = ON")  # what was removed is gone from the file, too
            connection.execute("PRAGMA cache_size = -8000")
            connection.enable_load_extension(True)
            connection.load_extension(sqlite_vec.loadable_path())
            connection.enable_load_extension(False)
            if _is_for(connection, identity):
                with suppress(OSError):
                    path.chmod(0o600)
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
        if attempt == 1:
            discard(path)
    raise SearchError("The search by meaning cannot be kept: another program uses it.", kind="busy")


def _is_for(connection: apsw.Connection, identity: str) -> bool:
    """Whether the database holds what `identity` makes; an empty one is made for it."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not names:
        with connection:
            connection.execute(_TABLES)
            connection.execute("INSERT INTO about VALUES ('schema', ?), ('identity', ?)", (SCHEMA, identity))
        return True
    if "about" not in names:
        return False
    about = {name: value for name, value in connection.execute("SELECT name, value FROM about")}
    return about.get("schema") == SCHEMA and about.get("identity") == identity


def _keys(db: apsw.Connection, digest: bytes) -> list[tuple[int]]:
    return db.execute("SELECT key FROM vector WHERE digest = ?", (digest,)).fetchall()  # type: ignore[return-value]


def _drop_orphans(db: apsw.Connection, vectors: Iterable[int]) -> None:
    sql = "DELETE FROM vector WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM passage WHERE vector = ?1)"
    db.executemany(sql, [(key,) for key in set(vectors)])


def _blob(vector: Sequence[float]) -> bytes:
    return array("f", vector).tobytes()


def _is_damage(error: Exception) -> bool:
    return type(error).__name__ in ("CorruptError", "NotADBError") or "no such table" in str(error)


def _trouble(error: Exception, path: Path) -> SearchError:
    name = type(error).__name__
    detail = f"{name}: {error}"
    if name == "FullError" or "no space" in str(error).lower():
        text = (
            f"The search by meaning cannot go on, because the disk that holds {path.parent} is full: free some space."
        )
        return SearchError(text, kind="full", detail=detail)
    if name in ("ReadOnlyError", "CantOpenError", "PermissionsError", "PermissionError"):
        text = f"The search by meaning needs to write in {path.parent}: allow it to. Your chats are not affected."
        return SearchError(text, kind="read_only", detail=detail)
    if name in ("BusyError", "LockedError"):
        text = "Another program is working on the search by meaning: it is tried again by itself."
        return SearchError(text, kind="busy", detail=detail)
    text = f"The search by meaning does not work at the moment ({error}): it is tried again by itself."
    return SearchError(text, kind="failed", detail=detail)
