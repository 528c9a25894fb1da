"""What the tests of the search index share: an index without threads, and all that one says, without its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sam_py.paths import Paths
from sam_py.store.disk import Disk
from sam_py.store.folders import conversation_ids
from sam_py.store.search_index import database
from sam_py.store.search_index.backlog import find_changes
from sam_py.store.search_index.files import FileTexts
from sam_py.store.search_index.sync import sync
from sam_py.store.search_index.writer import IndexWriter

TABLES = {
    "conversation": "SELECT id, title, created, updated, tip, is_loose FROM conversation",
    "heading": "SELECT c.id, h.title FROM heading h JOIN conversation c ON c.key = h.rowid",
    "message": "SELECT c.id, m.id, m.parent, m.role, m.created, m.rev, m.sure, m.dev, m.crc, m.note, m.on_path, "
    "m.pinned, m.importance, m.rule, m.model, m.prompt, m.has_image, e.text, e.code, e.tool, e.thinking, e.image, "
    "e.file, e.link, e.document FROM message m JOIN conversation c ON c.key = m.conversation "
    "JOIN entry e ON e.rowid = m.key",
    "item": "SELECT c.id, m.id, i.kind, i.number, i.part_index, i.offset, i.name, i.detail, i.text, i.url, "
    "i.attachment, i.folded FROM item i JOIN message m ON m.key = i.message JOIN conversation c "
    "ON c.key = m.conversation",
    "chunk": "SELECT c.id, m.id, k.part_index, k.place, k.label, k.filename, e.document FROM chunk k "
    "JOIN message m ON m.key = k.message JOIN conversation c ON c.key = m.conversation "
    "JOIN entry e ON e.rowid = k.key",
    "removed": "SELECT c.id, r.id FROM removed r JOIN conversation c ON c.key = r.conversation",
    "journal": "SELECT c.id, j.name, j.size, j.mtime_ns, j.read_to, j.ends_with FROM journal j "
    "JOIN conversation c ON c.key = j.conversation",
    "lost entries": "SELECT rowid FROM entry WHERE rowid NOT IN (SELECT key FROM message UNION SELECT key FROM chunk)",
    "lost items": "SELECT message FROM item WHERE message NOT IN (SELECT key FROM message)",
}


class Shelf:
    """An index of `paths`, brought up to date by hand."""

    def __init__(self, paths: Paths, name: str = database.NAME) -> None:
        self.paths = paths
        self.path = paths.state / name
        self.connection = database.open_to_write(self.path)
        self.writer = IndexWriter(self.connection)
        self.written = 0

    def update(self, *ids: str) -> int:
        """Take in what changed (in `ids`, or anywhere); returns how many messages were written."""
        self.written = 0
        if not ids:
            behind, gone = find_changes(self.connection, self.paths.conversations, Disk())
            for id in gone:
                self.writer.forget_conversation(id)
            ids = tuple(each.id for each in behind)
        for id in ids:
            self.written += sum(sync(self.writer, str(self.paths.conversations / id), id, Disk()))
        while self.writer.clear_some(50):
            pass
        texts, after = FileTexts(self.paths), (-(2**62), -1)
        while found := self.writer.awaited(10, after):
            for message, index, part in found:
                after = (message, index)
                if (pieces := texts.pieces(index, part)) is not None:
                    self.writer.put_pieces(message, index, pieces)
        self.writer.commit()
        return self.written

    def says(self) -> dict[str, list[Any]]:
        return {name: sorted(self.connection.execute(sql).fetchall(), key=repr) for name, sql in TABLES.items()}

    def read(self) -> Any:
        """A reader's connection."""
        return database.open_to_read(self.path)

    def close(self) -> None:
        self.writer.roll_back()
        self.connection.close()


def built_anew(paths: Paths) -> dict[str, list[Any]]:
    """What an index says that is made from what lies on the disk now."""
    database.discard(paths.state / "anew.sqlite")
    shelf = Shelf(paths, "anew.sqlite")
    for id in conversation_ids(paths.conversations, Disk()):
        shelf.update(id)
    said = shelf.says()
    shelf.close()
    return said


def folder_of(paths: Paths, id: str) -> Path:
    return paths.conversations / id
