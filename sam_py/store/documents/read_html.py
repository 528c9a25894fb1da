"""HTML: what a browser would show, as Markdown. Nothing is loaded, no script runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sam_py.store.documents.decoding import decoded
from sam_py.store.documents.limits import Enough, Gathering
from sam_py.store.documents.markup import markdown_of

_DECLARED = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.I)
TOO_DEEP = "The page's elements are nested too deep to be read"


def read(path: Path, gathering: Gathering) -> None:
    tree, is_whole = parsed(path.read_bytes())
    if not is_whole:
        gathering.note(f"{TOO_DEEP}: what follows is left out.")
    if tree is None:
        return
    title = tree.findtext(".//title")
    gathering.title = " ".join((title or "").split())[:300]
    gathering.check_time()
    gathering.add("", markdown_of(tree, links=True, count_cells=gathering.count_cells))
    if not is_whole:
        raise Enough


def parsed(data: bytes) -> tuple[Any, bool]:
    """The tree of an HTML page, however broken, or None where it holds nothing; and whether that is all of the page.

    The parser ends where elements are nested more than 2,048 deep: libxml2's limit, which cannot be moved.
    """
    import lxml.html
    from lxml.etree import ErrorTypes, ParserError

    text = _text(data).replace("\x00", "")
    if not text.strip():
        return None, True
    # A "huge" tree may hold texts of more than 10 MB, which else vanish; what it may take is limited outside.
    parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    try:
        tree = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except ParserError:
        tree = None
    return tree, all(error.type != ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log)


def _text(data: bytes) -> str:
    if found := _DECLARED.search(data[:4096]):
        try:
            return data.decode(found.group(1).decode("ascii"))
        except (LookupError, UnicodeError):  # an unknown name, or a wrong one
            pass
    return decoded(data)
