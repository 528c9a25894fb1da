"""IndexWriter: what goes into the database, a message, a title, a document's text at a time. On the index's thread."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sam_py.messages.parts import FilePart
from sam_py.store.search_index.database import COLUMNS
from sam_py.store.search_index.extract import Extracted
from sam_py.store.search_index.letters import as_token, bare
from sam_py.store.search_index.words import LONGEST_WORD, TAG, entered, is_unspaced, storable, words_of

_MESSAGE, _CHUNK = 0, 1
_SLOT_BITS = 6


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message as its journals have it now, but for its words."""

    id: str
    parent: str | None
    role: str
    created_ms: int
    rev: int
    sure: bool
    dev: str
    crc: int
    note: int
    on_path: bool
    pinned: bool
    importance: float
    rule: str
    model: str
    prompt: int
    has_image: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of an attached file's text: from its `place`-th piece, which stands on `label` ("Page 3")."""

    part_index: int
    place: int
    label: str
    filename: str
    text: str


class IndexWriter:
    """Writes within a transaction that is begun by the first change and ended by `commit`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.is_bulk = False
        """Very much is written: its words are gathered afterwards, by `gather_words`, for a fifth of the cost."""
        self._words: Counter[str] = Counter()
        self._are_words_owed = False
        self._is_open = False

    @property
    def is_open(self) -> bool:
        """Whether something is written that nobody else sees yet."""
        return self._is_open

    def begin(self) -> None:
        if not self._is_open:
            self.connection.execute("BEGIN IMMEDIATE")
            self._is_open = True

    def commit(self) -> None:
        if self._is_open:
            self._write_words()
            self.connection.execute("COMMIT")
            self._is_open = False

    def roll_back(self) -> None:
        """Forget what was written since the last commit."""
        self._words.clear()
        self._are_words_owed = False
        self._is_open = False
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    # Conversations

    def conversation(self, id: str) -> int:
        """The key of a conversation, made where it has none."""
        self.begin()
        found = self.connection.execute("SELECT key FROM conversation WHERE id = ?", (id,)).fetchone()
        if found is None:
            found = self.connection.execute("INSERT INTO conversation (id) VALUES (?) RETURNING key", (id,)).fetchone()
        return int(found[0])

    def describe(
        self, conversation: int, *, title: str, created_ms: int, updated_ms: int, tip: str | None, is_loose: bool
    ) -> None:
        """`is_loose`: a message hangs elsewhere than it says; then its place has to be found among all again."""
        self.begin()
        self.connection.execute(
            "UPDATE conversation SET title = ?, created = ?, updated = ?, tip = ?, is_loose = ? WHERE key = ?",
            (title, created_ms, updated_ms, tip, is_loose, conversation),
        )
        said = entered(title)
        known = self.connection.execute("SELECT title FROM heading WHERE rowid = ?", (conversation,)).fetchone()
        if (known[0] if known is not None else "") != said:
            self.connection.execute("DELETE FROM heading WHERE rowid = ?", (conversation,))
            if said:
                self.connection.execute("INSERT INTO heading (rowid, title) VALUES (?, ?)", (conversation, said))

    def forget_conversation(self, id: str) -> None:
        """Take a conversation out of every result at once; `clear_some` takes its messages away after that."""
        self.begin()
        found = self.connection.execute("SELECT key FROM conversation WHERE id = ?", (id,)).fetchone()
        if found is None:
            return
        self.connection.execute("DELETE FROM conversation WHERE key = ?", found)
        self.connection.execute("DELETE FROM heading WHERE rowid = ?", found)
        self.connection.execute("DELETE FROM journal WHERE conversation = ?", found)
        self.connection.execute("DELETE FROM removed WHERE conversation = ?", found)
        self.connection.execute("INSERT OR IGNORE INTO cleared VALUES (?)", found)

    def clear_some(self, most: int) -> bool:
        """Take away up to `most` messages of conversations that are gone; False where nothing was left of any."""
        found = self.connection.execute("SELECT conversation FROM cleared LIMIT 1").fetchone()
        if found is None:
            return False
        self.begin()
        keys = self.connection.execute(
            "SELECT key FROM message WHERE conversation = ? LIMIT ?", (found[0], most)
        ).fetchall()
        for (key,) in keys:
            self.remove_message(key)
        if len(keys) < most:
            self.connection.execute("DELETE FROM cleared WHERE conversation = ?", found)
        return True

    def set_journal(self, conversation: int, rows: Sequence[tuple[str, int, int, int, bytes]]) -> None:
        """How far each file was read: name, size, time of change, bytes read, the last of these bytes."""
        self.begin()
        self.connection.execute("DELETE FROM journal WHERE conversation = ?", (conversation,))
        self.connection.executemany(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)", [(conversation, *row) for row in rows]
        )

    def set_removed(self, conversation: int, ids: Iterable[str]) -> None:
        self.begin()
        self.connection.execute("DELETE FROM removed WHERE conversation = ?", (conversation,))
        self.connection.executemany("INSERT INTO removed VALUES (?, ?)", [(conversation, id) for id in set(ids)])

    # Messages

    def put_message(self, conversation: int, row: MessageRow, found: Extracted, key: int | None) -> int:
        """Write a message anew. `key`: that of its last version, which goes; None where it is new."""
        self.begin()
        if key is None:  # another program on this folder may have been quicker
            known = self.connection.execute(
                "SELECT key FROM message WHERE conversation = ? AND id = ?", (conversation, row.id)
            ).fetchone()
            key = known[0] if known is not None else None
        is_new = key is None
        if key is None:
            key = self._free_key(_MESSAGE, row.created_ms, row.id)
        else:
            self._remove_words(key)
        self.connection.execute(
            "INSERT OR REPLACE INTO message VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                key, conversation, row.id, row.parent, row.role, row.created_ms, row.rev, row.sure, row.dev, row.crc,
                row.note, row.on_path, row.pinned, row.importance, row.rule, row.model, row.prompt, row.has_image,
            ),
        )  # fmt: skip
        columns = [entered(found.column(name)) if name in found.columns else None for name in COLUMNS]
        tags = _tags(conversation, row.model)
        self.connection.execute("INSERT INTO entry (rowid, text, code, tool, thinking, image, file, link, document, "
                                "tags) VALUES (?,?,?,?,?,?,?,?,?,?)", (key, *columns, tags))  # fmt: skip
        self._learn(columns, count=1 if is_new else 0)
        if found.items:
            self._put_items(key, found)
        if found.files:
            self.connection.executemany(
                "INSERT INTO attached VALUES (?, ?, ?, 0)",
                [(key, index, _as_json(part)) for index, part in found.files],
            )
        return key

    def _put_items(self, key: int, found: Extracted) -> None:
        self.connection.executemany(
            "INSERT INTO item VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    item.kind, key, number, item.part_index, item.offset, storable(item.name), storable(item.detail),
                    storable(item.text), storable(item.url), storable(item.attachment), storable(item.mime_type),
                    item.size, item.width, item.height,
                    bare(storable(f"{item.name}\n{item.detail}\n{item.text}\n{item.url}")),
                )
                for number, item in enumerate(found.items)
            ],
        )  # fmt: skip

    def place_message(self, key: int, parent: str | None, on_path: bool) -> None:
        self.begin()
        self.connection.execute("UPDATE message SET parent = ?, on_path = ? WHERE key = ?", (parent, on_path, key))

    def remove_message(self, key: int) -> None:
        self.begin()
        self._remove_words(key)
        self.connection.execute("DELETE FROM message WHERE key = ?", (key,))

    # The text of attached files

    def awaited(self, most: int, after: tuple[int, int]) -> list[tuple[int, int, FilePart]]:
        """Files whose text is not in the index: the message's key, the part's index, the part; in this order."""
        rows = self.connection.execute(
            "SELECT message, part_index, part FROM attached WHERE NOT is_read AND (message, part_index) > (?, ?) "
            "ORDER BY message, part_index LIMIT ?",
            (*after, most),
        ).fetchall()
        return [(message, index, FilePart.model_validate_json(part)) for message, index, part in rows]

    def put_pieces(self, message: int, part_index: int, pieces: Iterable[Piece]) -> None:
        """The text of one attached file."""
        self.begin()
        found = self.connection.execute(
            "SELECT conversation, created, id, model FROM message WHERE key = ?", (message,)
        ).fetchone()
        if found is None:
            return
        for piece in pieces:
            key = self._free_key(_CHUNK, found[1], f"{found[2]}{part_index}.{piece.place}")
            text = entered(piece.text)
            self.connection.execute(
                "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?)",
                (key, message, part_index, piece.place, piece.label, piece.filename),
            )
            tags = _tags(found[0], found[3])
            self.connection.execute("INSERT INTO entry (rowid, document, tags) VALUES (?, ?, ?)", (key, text, tags))
            self._learn([text])
        self.connection.execute(
            "UPDATE attached SET is_read = 1 WHERE message = ? AND part_index = ?", (message, part_index)
        )

    # Inside

    def _remove_words(self, key: int) -> None:
        chunks = self.connection.execute("SELECT key FROM chunk WHERE message = ?", (key,)).fetchall()
        self.connection.executemany("DELETE FROM entry WHERE rowid = ?", [(key,), *chunks])
        for table in ("item", "chunk", "attached"):
            self.connection.execute(f"DELETE FROM {table} WHERE message = ?", (key,))  # noqa: S608 - names of ours

    def _free_key(self, sort: int, created_ms: int, id: str) -> int:
        """A key that rises with the date: newest first is then an order in which the index can be read.

        Its lowest bits say what it is of. Where many have one date, later keys are tried, ever farther away.
        """
        base = (created_ms // 1000 << _SLOT_BITS) | sort
        table = "message" if sort == _MESSAGE else "chunk"
        attempt = 0
        while True:
            slot = attempt if attempt < 16 else zlib.crc32(f"{id}{attempt}".encode()) % (16 << min(attempt - 14, 24))
            key = base + (slot << 2)
            taken = self.connection.execute(f"SELECT 1 FROM {table} WHERE key = ?", (key,))  # noqa: S608 - ours
            if taken.fetchone() is None:
                return key
            attempt += 1

    def _learn(self, texts: Sequence[str | None], *, count: int = 1) -> None:
        """Have the words of `texts` in the vocabulary; `count` is added to how many messages have each."""
        if self.is_bulk:
            if not self._are_words_owed:
                self.connection.execute("DELETE FROM owed_words")
                self.connection.execute("INSERT INTO owed_words VALUES ('')")
                self._are_words_owed = True
            return
        for text in texts:
            if text:
                words = set(words_of(as_token(text)))
                self._words.update(dict.fromkeys(words, count))

    def _write_words(self) -> None:
        rows = [(word, count) for word, count in sorted(self._words.items()) if _is_kept(word)]
        self._words.clear()
        self.connection.executemany(
            "INSERT INTO vocabulary (word, count) VALUES (?, ?) "
            "ON CONFLICT (word) DO UPDATE SET count = count + excluded.count",
            rows,
        )

    def gather_words(self, most: int) -> bool:
        """Take up to `most` words of the whole index into the vocabulary; False where none is owed to it."""
        found = self.connection.execute("SELECT after_word FROM owed_words").fetchone()
        if found is None:
            return False
        self.begin()
        self._are_words_owed = False
        rows = self.connection.execute(
            "SELECT term, doc FROM spoken WHERE term > ? LIMIT ?", (found[0], most)
        ).fetchall()
        self.connection.executemany(
            "INSERT INTO vocabulary (word, count) VALUES (?, ?) "
            "ON CONFLICT (word) DO UPDATE SET count = excluded.count",
            [(term, count) for term, count in rows if _is_kept(term)],
        )
        self.connection.execute("DELETE FROM owed_words")
        if len(rows) == most:
            self.connection.execute("INSERT INTO owed_words VALUES (?)", (rows[-1][0],))
        return True


def _as_json(part: FilePart) -> str:
    """What `FileTexts` asks of it."""
    name = storable(part.filename)
    known = FilePart(
        attachment=storable(part.attachment), filename=name, mime_type=storable(part.mime_type), size=part.size
    )
    return known.model_dump_json()


def _is_kept(word: str) -> bool:
    return len(word) <= LONGEST_WORD and word[:1] != TAG and not is_unspaced(word)


def model_tag(model: str) -> str:
    return f"{TAG}m{zlib.crc32(model.encode('utf-8', 'replace')):08x}"


def conversation_tag(conversation: int) -> str:
    return f"{TAG}c{conversation}"


def _tags(conversation: int, model: str) -> str:
    return f"{conversation_tag(conversation)} {model_tag(model)}" if model else conversation_tag(conversation)
