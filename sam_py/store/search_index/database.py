"""The database: its tables, how it is opened, judged and discarded. All blocking; raises sqlite3.Error or OSError."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from sam_py.store.search_index.letters import bare
from sam_py.store.search_index.words import shown

NAME = "search.sqlite"
SCHEMA = 3
"""Of the tables, and of what is put into them: any change of either adds one, and every index is built anew."""
BUSY_S = 10.0

COLUMNS = ("text", "code", "tool", "thinking", "image", "file", "link", "document")
"""Of the full-text table, in its order; after them stand `tags`: words of ours that narrow a search cheaply."""

_TABLES = """
CREATE TABLE conversation (
    key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL DEFAULT '',
    created INTEGER NOT NULL DEFAULT 0, updated INTEGER NOT NULL DEFAULT 0,
    tip TEXT, is_loose INTEGER NOT NULL DEFAULT 0);
CREATE TABLE cleared (conversation INTEGER PRIMARY KEY);
CREATE TABLE journal (
    conversation INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    read_to INTEGER NOT NULL, ends_with BLOB NOT NULL,
    PRIMARY KEY (conversation, name)) WITHOUT ROWID;
CREATE TABLE message (
    key INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, id TEXT NOT NULL, parent TEXT, role TEXT NOT NULL,
    created INTEGER NOT NULL, rev INTEGER NOT NULL, sure INTEGER NOT NULL, dev TEXT NOT NULL, crc INTEGER NOT NULL,
    note INTEGER NOT NULL, on_path INTEGER NOT NULL, pinned INTEGER NOT NULL, importance REAL NOT NULL,
    rule TEXT NOT NULL, model TEXT NOT NULL, prompt INTEGER NOT NULL, has_image INTEGER NOT NULL,
    UNIQUE (conversation, id));
CREATE INDEX pinned_message ON message (key) WHERE pinned;
CREATE TABLE removed (conversation INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY (conversation, id)) WITHOUT ROWID;
CREATE TABLE item (
    kind TEXT NOT NULL, message INTEGER NOT NULL, number INTEGER NOT NULL, part_index INTEGER NOT NULL,
    offset INTEGER NOT NULL, name TEXT NOT NULL, detail TEXT NOT NULL, text TEXT NOT NULL, url TEXT NOT NULL,
    attachment TEXT NOT NULL, mime_type TEXT NOT NULL, size INTEGER NOT NULL, width INTEGER NOT NULL,
    height INTEGER NOT NULL, folded TEXT NOT NULL,
    PRIMARY KEY (kind, message, number)) WITHOUT ROWID;
CREATE INDEX item_of ON item (message);
CREATE TABLE chunk (
    key INTEGER PRIMARY KEY, message INTEGER NOT NULL, part_index INTEGER NOT NULL, place INTEGER NOT NULL,
    label TEXT NOT NULL, filename TEXT NOT NULL);
CREATE INDEX chunk_of ON chunk (message);
CREATE TABLE attached (
    message INTEGER NOT NULL, part_index INTEGER NOT NULL, part TEXT NOT NULL, is_read INTEGER NOT NULL,
    PRIMARY KEY (message, part_index)) WITHOUT ROWID;
CREATE INDEX awaited ON attached (message) WHERE NOT is_read;
CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, count INTEGER NOT NULL);
CREATE VIRTUAL TABLE fragments USING fts5 (word, content='vocabulary', content_rowid='id', tokenize='trigram');
CREATE TABLE owed_words (after_word TEXT NOT NULL);
CREATE TRIGGER new_word AFTER INSERT ON vocabulary WHEN length(new.word) > 3 BEGIN
    INSERT INTO fragments (rowid, word) VALUES (new.id, new.word); END;
CREATE VIRTUAL TABLE heading USING fts5 (
    title, prefix='1 2 3', tokenize="unicode61 remove_diacritics 2 categories 'L* N*'");
CREATE VIRTUAL TABLE entry USING fts5 (
    text, code, tool, thinking, image, file, link, document, tags,
    tokenize="unicode61 remove_diacritics 2 categories 'L* N*'");
CREATE VIRTUAL TABLE spoken USING fts5vocab (entry, 'row');
INSERT INTO entry (entry, rank) VALUES ('hashsize', 8000000);
"""


def open_to_write(path: Path) -> sqlite3.Connection:
    """The writer's connection. Raises where this is no index of ours: `discard` it then."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -8000")
        connection.execute("PRAGMA journal_size_limit = 4000000")
        connection.execute("BEGIN IMMEDIATE")
        if version_of(connection) == 0 and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            _create(connection)
        connection.execute("COMMIT")
        if version_of(connection) != SCHEMA:
            raise sqlite3.DatabaseError("malformed: of another version")
    except BaseException:
        connection.close()
        raise
    with contextlib.suppress(OSError):
        path.chmod(0o600)
    return connection


def open_to_read(path: Path) -> sqlite3.Connection:
    """A reader's connection, to what a writer has made. Raises sqlite3.Error where there is nothing yet."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.create_function("folded", 1, lambda text: bare(shown(text or "")), deterministic=True)
        connection.execute("PRAGMA cache_size = -8000")
        if version_of(connection) != SCHEMA:
            raise sqlite3.OperationalError("unable to open: not made yet")
    except BaseException:
        connection.close()
        raise
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_whole(connection: sqlite3.Connection) -> bool:
    """Look at every page. About a second for each gigabyte; waits for nobody."""
    return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")


def discard(path: Path) -> None:
    """Delete the database with what belongs to it. Raises OSError."""
    for suffix in ("", "-wal", "-shm", "-journal", ".left"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")


def identity(path: Path) -> tuple[int, int] | None:
    """Which file lies at `path`: another one after it was replaced; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def note_left(path: Path) -> None:
    """Write down how the database was left, if nobody else has it open: what it is then is what it has to be later."""
    if os.path.exists(f"{path}-wal"):
        return
    with contextlib.suppress(OSError):
        found = os.stat(path)
        Path(f"{path}.left").write_text(f"{found.st_size} {found.st_mtime_ns}", encoding="ascii")


def how_left(path: Path) -> str:
    """``well``: as we left it. ``changed``: something else wrote into it. ``unknown``: a crash, or another program."""
    note = Path(f"{path}.left")
    try:
        said = note.read_text(encoding="ascii")
        note.unlink()
        found = os.stat(path)
    except (OSError, ValueError):
        return "unknown"
    return "well" if said == f"{found.st_size} {found.st_mtime_ns}" else "changed"


def _create(connection: sqlite3.Connection) -> None:
    for statement in _statements():
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _statements() -> list[str]:
    """One by one, within the caller's transaction: `executescript` would end it."""
    statements: list[str] = []
    gathered = ""
    for line in _TABLES.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            statements.append(gathered)
            gathered = ""
    return statements
