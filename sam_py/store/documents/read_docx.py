"""DOCX: paragraphs, headings, lists, tables and footnotes as Markdown; what was deleted with tracking stays out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sam_py.store.documents.limits import Gathering, checked_zip, refuse_entities
from sam_py.store.documents.tables import table

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_SLICE = 200
_SPANS = 100
"""Columns that one cell may cover."""


def read(path: Path, gathering: Gathering) -> None:
    """Gather the body as one section, and the footnotes below it."""
    import docx

    with checked_zip(path) as archive:
        refuse_entities(archive)
    package = docx.Document(str(path))
    gathering.title = (package.core_properties.title or "")[:300]
    reading = _Reading(_headings(package), _numbered(package), gathering)
    blocks: list[str] = []
    try:
        for number, block in enumerate(reading.blocks(package.element.body)):
            if number % _SLICE == 0:
                gathering.check_time()
            blocks.append(block)
        blocks += _footnotes(package)
    finally:  # also where a limit ends it
        gathering.add("", _joined(blocks))


class _Reading:
    """Turns elements into text. Lists are counted as they are met."""

    def __init__(self, headings: dict[str, int], numbered: dict[tuple[str, int], bool], gathering: Gathering) -> None:
        self._headings = headings
        self._numbered = numbered
        self._counts: Counter[tuple[str, int]] = Counter()
        self._gathering = gathering

    def blocks(self, parent: Any) -> Iterator[str]:
        """The paragraphs and tables below `parent`, through content controls and insertions."""
        waiting = [iter(parent)]
        while waiting:
            element = next(waiting[-1], None)
            if element is None:
                waiting.pop()
            elif element.tag == f"{_W}p":
                yield self._paragraph(element)
            elif element.tag == f"{_W}tbl":
                yield self._table(element)
            elif element.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml", f"{_W}moveTo"):
                waiting.append(iter(element))

    def _paragraph(self, paragraph: Any) -> str:
        text = _text(paragraph).strip()
        if not text:
            return ""
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return text
        style = properties.find(f"{_W}pStyle")
        level = self._headings.get(style.get(f"{_W}val", ""), 0) if style is not None else 0
        if level:
            return f"{'#' * level} {' '.join(text.split())}"
        number = properties.find(f"{_W}numPr/{_W}numId")
        is_list_style = style is not None and style.get(f"{_W}val", "").startswith("List")
        if number is None and not is_list_style:
            return text
        depth = properties.find(f"{_W}numPr/{_W}ilvl")
        return self._item(
            text,
            number.get(f"{_W}val", "") if number is not None else style.get(f"{_W}val", ""),
            _number(depth.get(f"{_W}val") if depth is not None else "0"),
        )

    def _item(self, text: str, list_id: str, depth: int) -> str:
        if not self._numbered.get((list_id, depth), "Number" in list_id):
            return f"{'  ' * depth}- {text}"
        self._counts[list_id, depth] += 1
        for deeper in [key for key in self._counts if key[0] == list_id and key[1] > depth]:
            del self._counts[deeper]
        return f"{'   ' * depth}{self._counts[list_id, depth]}. {text}"

    def _table(self, element: Any) -> str:
        rows: list[list[str]] = []
        for row in element.iter(f"{_W}tr"):
            if next(row.iterancestors(f"{_W}tbl")) is not element:
                continue  # of a table within a cell, which is part of the cell's text
            cells: list[str] = []
            for each in row.iter(f"{_W}tc"):
                if next(each.iterancestors(f"{_W}tr")) is not row:
                    continue
                span = each.find(f"{_W}tcPr/{_W}gridSpan")
                covered = _number(span.get(f"{_W}val") if span is not None else "1")
                cells += [_cell(each), *[""] * (min(covered, _SPANS) - 1)]
            self._gathering.count_cells(len(cells))
            rows.append(cells)
        if len(rows) == 1 and len(rows[0]) == 1:  # a frame around text
            return rows[0][0]
        return table(rows)


def _cell(cell: Any) -> str:
    return " ".join(text for paragraph in cell.iter(f"{_W}p") if (text := _text(paragraph).strip()))


def _text(paragraph: Any) -> str:
    """The paragraph's text, that of text boxes in it too, each once."""
    pieces: list[str] = []
    for element in paragraph.iter(
        f"{_W}t", f"{_M}t", f"{_W}tab", f"{_W}br", f"{_W}cr", f"{_W}noBreakHyphen", f"{_W}footnoteReference", f"{_W}p"
    ):
        match element.tag.rpartition("}")[2]:
            case "t":
                if not _is_hidden(element, paragraph):
                    pieces.append(element.text or "")
            case "tab":
                if element.getparent().tag == f"{_W}r":
                    pieces.append("\t")
            case "br" | "cr":
                pieces.append("\n")
            case "noBreakHyphen":
                pieces.append("-")
            case "footnoteReference":
                pieces.append(f"[^{element.get(f'{_W}id', '')}]")
            case _:
                if pieces:  # a paragraph of a text box
                    pieces.append("\n")
    return "".join(pieces)


def _is_hidden(element: Any, paragraph: Any) -> bool:
    """Written twice for older programs, or moved elsewhere."""
    for above in element.iterancestors():
        if above is paragraph:
            return False
        if above.tag in (_FALLBACK, f"{_W}moveFrom", f"{_W}del"):
            return True
    return False


def _headings(package: Any) -> dict[str, int]:
    """Style id → level of heading."""
    found = {}
    for style in package.styles:
        name = (style.name or "").lower()
        if name == "title":
            found[style.style_id] = 1
        elif name.startswith("heading ") and name[8:].isdigit():
            found[style.style_id] = min(6, max(1, int(name[8:])))
    return found


def _numbered(package: Any) -> dict[tuple[str, int], bool]:
    """(list id, level) → whether its items have numbers and no bullets."""
    try:
        root = package.part.numbering_part.element
    except (KeyError, NotImplementedError):  # a document without lists
        return {}
    kinds: dict[str, dict[int, bool]] = {}
    for abstract in root.iter(f"{_W}abstractNum"):
        levels = {}
        for level in abstract.iter(f"{_W}lvl"):
            form = level.find(f"{_W}numFmt")
            is_number = form is not None and form.get(f"{_W}val") not in ("bullet", "none")
            levels[_number(level.get(f"{_W}ilvl"))] = is_number
        kinds[abstract.get(f"{_W}abstractNumId", "")] = levels
    found = {}
    for number in root.iter(f"{_W}num"):
        link = number.find(f"{_W}abstractNumId")
        for level, is_number in kinds.get(link.get(f"{_W}val", "") if link is not None else "", {}).items():
            found[number.get(f"{_W}numId", ""), level] = is_number
    return found


def _footnotes(package: Any) -> list[str]:
    from docx.oxml.parser import parse_xml  # resolves no entities

    notes: list[str] = []
    for relation in package.part.rels.values():
        if relation.is_external or not relation.reltype.endswith("/footnotes"):
            continue
        for note in parse_xml(relation.target_part.blob).iter(f"{_W}footnote"):
            if note.get(f"{_W}type") is None and (text := _cell(note)):
                notes.append(f"[^{note.get(f'{_W}id', '')}]: {text}")
    return notes


def _number(value: str | None) -> int:
    return int(value) if value is not None and value.isdigit() and len(value) < 4 else 0


def _joined(blocks: list[str]) -> str:
    """Items of a list stand close to each other, all else has a blank line between."""
    out: list[str] = []
    for block in blocks:
        if not block:
            continue
        if out:
            close = _is_item(out[-1]) and _is_item(block)
            out.append("\n" if close else "\n\n")
        out.append(block)
    return "".join(out)


def _is_item(block: str) -> bool:
    start = block.lstrip()
    return start.startswith("- ") or start.partition(". ")[0].isdigit()
