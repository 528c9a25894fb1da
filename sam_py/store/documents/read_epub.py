"""EPUB: the chapters in reading order, each a section. A zip archive of HTML pages and a list of them."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sam_py.store.documents.limits import Gathering, Unreadable, checked_zip
from sam_py.store.documents.markup import markdown_of
from sam_py.store.documents.read_html import TOO_DEEP, parsed

_CONTAINER = "META-INF/container.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Ways to scramble fonts alone: the text stays readable."""


def read(path: Path, gathering: Gathering) -> None:
    with checked_zip(path) as archive:
        _refuse_locked(archive)
        listing, folder = _listing(archive)
        gathering.title = _found(listing, "title").strip()[:300]
        names = _reading_order(listing, folder)
        gathering.pages = len(names)
        missing = 0
        for number, name in enumerate(names, 1):
            gathering.progress(number - 1, len(names))
            try:
                tree, is_whole = parsed(archive.read(name))
            except (KeyError, zipfile.BadZipFile, zlib.error, EOFError):
                missing += 1
                continue
            if not is_whole:
                gathering.note(f"{TOO_DEEP}: the rest of chapter {number} is left out.")
            if tree is not None:
                text = markdown_of(tree, links=False, count_cells=gathering.count_cells)
                gathering.add(f"Chapter {number}", text)
        if missing:
            gathering.note(f"{missing} of {len(names)} chapters are missing or damaged.")


def _listing(archive: zipfile.ZipFile) -> tuple[Any, str]:
    """The package document (its XML), and the folder that it lies in."""
    roots = [element.get("full-path") for element in _xml(archive.read(_CONTAINER)).iter() if _is(element, "rootfile")]
    if not roots or not roots[0]:
        raise Unreadable("damaged", "no package document")
    return _xml(archive.read(roots[0])), posixpath.dirname(roots[0])


def _reading_order(listing: Any, folder: str) -> list[str]:
    pages = {}
    for item in listing.iter():
        if _is(item, "item") and "html" in (item.get("media-type") or ""):
            pages[item.get("id")] = posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))
    order = [item.get("idref") for item in listing.iter() if _is(item, "itemref")]
    return [pages[idref] for idref in order if idref in pages] or list(pages.values())


def _refuse_locked(archive: zipfile.ZipFile) -> None:
    try:
        locks = _xml(archive.read("META-INF/encryption.xml"))
    except KeyError:
        return
    ways = [element.get("Algorithm") for element in locks.iter() if _is(element, "EncryptionMethod")]
    if any(way not in _FONTS for way in ways):
        raise Unreadable("protected")


def _found(listing: Any, name: str) -> str:
    return next((element.text or "" for element in listing.iter() if _is(element, name)), "")


def _is(element: Any, name: str) -> bool:
    return isinstance(element.tag, str) and element.tag.rpartition("}")[2] == name


def _xml(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(
        data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    )
