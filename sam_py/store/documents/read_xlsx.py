"""XLSX: each sheet as a table, with the values that were last calculated, and formulas where none were."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from itertools import repeat
from pathlib import Path
from typing import Any

from sam_py.store.documents.limits import MOST_COLUMNS, Gathering, checked_zip, refuse_entities
from sam_py.store.documents.tables import table

# A cell with a formula and no value: written by a program that does not calculate.
_NOT_CALCULATED = re.compile(rb"</f>\s*(?:<v\s*/>|<v>\s*</v>|</c>)")
_EMPTY_ROWS = 50_000
"""So many in a row end a sheet: a stray cell far below is not worth the wait."""
_SLICE = 500


def read(path: Path, gathering: Gathering) -> None:
    """Gather the sheets. Macros stay unread, links to other files unfollowed."""
    import openpyxl

    with checked_zip(path) as archive:
        refuse_entities(archive)
        calculated = not _lacks_values(archive)
    with path.open("rb") as file, path.open("rb") as again:  # by their names it would refuse them
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        written = None if calculated else openpyxl.load_workbook(again, read_only=True, keep_links=False)
        _sheets(book, written, gathering)


def _sheets(book: Any, written: Any, gathering: Gathering) -> None:
    gathering.title = str(book.properties.title or "")[:300]
    names = book.sheetnames
    gathering.pages = len(names)
    for number, name in enumerate(names):
        gathering.progress(number, len(names))
        sheet = book[name]
        if not hasattr(sheet, "iter_rows"):  # a sheet that is one chart
            continue
        rows = _rows(sheet)
        if written is not None:
            rows = _with_formulas(rows, _rows(written[name]))
        kept: list[list[str]] = []
        label = f"Sheet {name}" if sheet.sheet_state == "visible" else f"Sheet {name}, hidden"
        try:
            _gather(rows, kept, name, gathering)
        finally:  # also where a limit, or damage, ends it
            gathering.add(label, table(kept))


def _gather(rows: Iterable[tuple[Any, ...]], kept: list[list[str]], name: str, gathering: Gathering) -> None:
    empty = 0
    for number, row in enumerate(rows):
        if number % _SLICE == 0:
            gathering.check_time()
        if all(value is None for value in row):
            empty += 1
            if empty >= _EMPTY_ROWS:
                gathering.note(f"What stands below {empty:,} empty rows of the sheet {name} is left out.")
                return
            continue
        empty = 0
        if len(row) > MOST_COLUMNS and any(value is not None for value in row[MOST_COLUMNS:]):
            gathering.note(f"The sheet {name} has more than {MOST_COLUMNS} columns: the others are left out.")
        cells = [_shown(value) for value in row[:MOST_COLUMNS]]
        kept.append(cells)
        gathering.count_cells(sum(1 for cell in cells if cell))


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    sheet.reset_dimensions()  # the file may say less than there is
    rows: Iterator[tuple[Any, ...]] = sheet.iter_rows(values_only=True)
    return rows


def _with_formulas(rows: Iterator[tuple[Any, ...]], written: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    for row, formulas in zip(rows, written, strict=False):
        yield tuple(
            formula if value is None else value
            for value, formula in zip(row, (*formulas, *repeat(None, len(row) - len(formulas))), strict=False)
        )


def _lacks_values(archive: zipfile.ZipFile) -> bool:
    for name in archive.namelist():
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            with archive.open(name) as sheet:
                if _NOT_CALCULATED.search(sheet.read(4_000_000)):
                    return True
    return False


def _shown(value: Any) -> str:
    """
    >>> [_shown(value) for value in (None, 2.0, 0.1 + 0.2, True, datetime(2026, 1, 2), "text")]
    ['', '2', '0.3', 'TRUE', '2026-01-02', 'text']
    """
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return f"{value:.15g}" if math.isfinite(value) else ""
        case datetime():
            return value.isoformat(" ").removesuffix(" 00:00:00")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            return str(getattr(value, "text", value))  # an array formula holds its text
