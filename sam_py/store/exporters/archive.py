"""Several conversations, or Markdown with its files, as one ZIP: names that are safe everywhere, and a list of them."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from sam_py.store.exporters.background import Task
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.html_page import foot, head
from sam_py.store.exporters.html_prose import escaped
from sam_py.store.exporters.lossless import Find
from sam_py.store.exporters.pictures import ENDINGS, kind_of_picture
from sam_py.store.exporters.reading import local_time

_UNSAFE = re.compile(r"[^\w .,()&+'!\u2600-\u27bf\U0001f300-\U0001faff-]+")
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))})


class Names:
    """File names made of titles, each given once, whatever letters count as equal on the disk."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def take(self, title: str, suffix: str) -> str:
        """A name that every system can hold.

        >>> names = Names()
        >>> names.take("a/b: c?", ".md"), names.take("A b c", ".md"), names.take("..", ".md")
        ('a b c.md', 'A b c (2).md', 'conversation.md')
        """
        stem = safe_stem(title)
        name, number = f"{stem}{suffix}", 2
        while name.lower() in self._given:
            name, number = f"{stem} ({number}){suffix}", number + 1
        self._given.add(name.lower())
        return name


def safe_stem(title: str) -> str:
    """A title as the name of a file without its ending, at most 80 characters long.

    Windows keeps some names for devices, also with something behind a dot: they get a line in front.

    >>> safe_stem("aux.md"), safe_stem("auxiliary"), safe_stem("🦉")
    ('_aux.md', 'auxiliary', '🦉')
    """
    stem = " ".join(_UNSAFE.sub(" ", title).split())[:80].strip(" .")
    if stem.partition(".")[0].strip().lower() in _RESERVED:
        return f"_{stem}"
    return stem or "conversation"


class FilesBeside:
    """The attachments that Markdown links to: each lies once, under its name, in a folder beside the text."""

    def __init__(self, folder: str, find: Find) -> None:
        self.folder = folder
        self._find = find
        self._names = Names()
        self.files: dict[str, tuple[str, Path]] = {}
        """hash → name in the folder, and where its content lies"""

    def place(self, hash: str, name: str) -> str:
        """The address of an attachment for a link; "" where it is not here."""
        if hash not in self.files:
            path = self._find(hash)
            if path is None:
                return ""
            with path.open("rb") as file:
                ending = ENDINGS.get(kind_of_picture(file.read(16)), "")
            suffix = ending or (Path(name).suffix if re.fullmatch(r"\.\w{1,8}", Path(name).suffix) else "")
            stem = name.removesuffix(suffix) if name.strip() else hash[:12]
            self.files[hash] = (self._names.take(stem[:60], suffix), path)
        address = f"{self.folder}/{self.files[hash][0]}"
        return f"<{address}>" if re.search(r"[\s()]", address) else address


def write_archive(
    out: BinaryIO,
    conversations: Iterable[StoredConversation],
    suffix: str,
    written: Callable[[StoredConversation, FilesBeside], Iterator[str]],
    find: Find,
    task: Task,
) -> None:
    """A file for each conversation, the files that they link to, and for pages a list to begin with."""
    names, listed = Names(), []
    if suffix == ".html":
        names.take("index", suffix)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for conversation in conversations:
            name = names.take(conversation.title, suffix)
            beside = FilesBeside(f"{Path(name).stem} files", find)
            with archive.open(name, "w", force_zip64=True) as member:
                for piece in written(conversation, beside):
                    task.check()
                    member.write(piece.encode("utf-8", "replace"))
            for file, path in beside.files.values():
                with path.open("rb") as source, archive.open(f"{beside.folder}/{file}", "w") as member:
                    shutil.copyfileobj(source, member)
            listed.append((conversation, name))
        if suffix == ".html":
            archive.writestr("index.html", "".join(_index(listed)))


def _index(listed: list[tuple[StoredConversation, str]]) -> Iterator[str]:
    yield from head("Conversations")
    yield f'<header class="top"><h1>Conversations</h1><p>{len(listed):,}</p></header>\n<ul class="list">\n'
    for conversation, name in listed:
        when = conversation.settings.created_at
        facts = [local_time(when)] if when is not None else []
        facts.append(f"{len(conversation.path):,} messages")
        address = escaped(name.replace("%", "%25").replace("?", "%3F").replace("#", "%23"))
        title = f'<a href="{address}" dir="auto">{escaped(conversation.title)}</a>'
        yield f"<li>{title}<span>{' · '.join(facts)}</span></li>\n"
    yield "</ul>\n"
    yield foot()
