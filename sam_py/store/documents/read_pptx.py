"""PPTX: each slide's title, texts, tables and the numbers of its charts, with the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sam_py.store.documents.limits import Gathering, checked_zip, refuse_entities
from sam_py.store.documents.tables import table

_DEEPEST = 20
"""Of groups within groups."""


def read(path: Path, gathering: Gathering) -> None:
    import pptx

    with checked_zip(path) as archive:
        refuse_entities(archive)
    show = pptx.Presentation(str(path))
    gathering.title = (show.core_properties.title or "")[:300]
    slides = list(show.slides)
    gathering.pages = len(slides)
    for number, slide in enumerate(slides, 1):
        gathering.progress(number - 1, len(slides))
        blocks = [text for shape in slide.shapes for text in _texts(shape, 0, gathering)]
        if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None and frame.text.strip():
            blocks.append(f"Notes: {frame.text.strip()}")
        hidden = ", hidden" if slide._element.get("show") == "0" else ""
        gathering.add(f"Slide {number}{hidden}", "\n\n".join(block for block in blocks if block.strip()))


def _texts(shape: Any, depth: int, gathering: Gathering) -> Iterator[str]:
    if hasattr(shape, "shapes"):  # a group
        if depth < _DEEPEST:
            for inner in shape.shapes:
                yield from _texts(inner, depth + 1, gathering)
    elif getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        gathering.count_cells(sum(map(len, rows)))
        yield table(rows)
    elif getattr(shape, "has_chart", False):
        yield _chart(shape.chart)
    elif getattr(shape, "has_text_frame", False):
        text = "\n".join(_lines(shape.text_frame.paragraphs))
        is_title = (
            shape.is_placeholder
            and shape.placeholder_format.type is not None
            and "TITLE" in str(shape.placeholder_format.type)
        )
        yield f"# {' '.join(text.split())}" if is_title and text.strip() else text


def _lines(paragraphs: Iterable[Any]) -> Iterator[str]:
    for paragraph in paragraphs:
        if text := paragraph.text.replace("\v", "\n").strip():
            yield f"{'  ' * paragraph.level}- {text}" if paragraph.level else text


def _chart(chart: Any) -> str:
    """The chart's numbers as a table: a row for each category, a column for each series."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    plots = list(chart.plots)
    if not plots:
        return f"Chart: {title}" if title else ""
    series = list(plots[0].series)
    rows = [["", *(each.name or "" for each in series)]]
    columns = [list(each.values) for each in series]
    for index, category in enumerate(plots[0].categories):
        numbers = [column[index] if index < len(column) else None for column in columns]
        rows.append([str(category), *("" if number is None else f"{number:.15g}" for number in numbers)])
    return f"Chart: {title}\n{table(rows)}".strip()
