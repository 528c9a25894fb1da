"""TimelineRows: the timeline's text as the selection sees it: a numbered column for each block that holds text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
    from sam_py.ui.chat.timeline import Timeline

COLUMNS_PER_ROW = 16
"""A message's columns are numbered from ``row * 16`` on; text beyond the sixteenth cannot be selected by dragging."""


class TimelineRows:
    """Implements `selection.Rows` for a timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def row_at(self, y_px: int) -> int | None:
        """The number of the column at or nearest to a height of the viewport."""
        best: tuple[int, int] | None = None
        for number, column in self._columns():
            top = column.mapTo(self._timeline.viewport(), column.rect().topLeft()).y()
            away = max(top - y_px, y_px - top - column.height(), 0)
            if best is None or away < best[0]:
                best = (away, number)
        return best[1] if best is not None else None

    def column_of(self, row: int) -> MarkdownColumn | None:
        shown = self._timeline.row_shown(row // COLUMNS_PER_ROW)
        if shown is None:
            return None
        columns = shown.columns
        place = row % COLUMNS_PER_ROW
        return columns[place] if place < len(columns) else None

    def visible_rows(self) -> list[int]:
        return [number for number, _column in self._columns()]

    def plain_text_of(self, row: int) -> str:
        """Off screen a message counts as one text, at its first column."""
        return self._text_of(row)

    def markdown_of(self, row: int) -> str:
        return self._text_of(row - row % COLUMNS_PER_ROW)

    def _text_of(self, row: int) -> str:
        model = self._timeline.model
        index, place = divmod(row, COLUMNS_PER_ROW)
        if model is None or place or index >= len(model.bus):
            return ""
        return model.bus.at(index).plain_text

    def _columns(self) -> list[tuple[int, MarkdownColumn]]:
        model = self._timeline.model
        found: list[tuple[int, MarkdownColumn]] = []
        for shown in self._timeline.rows_in_order():
            index = model.bus.index_of(shown.message_id) if model is not None else None
            if index is None or not shown.isVisible():
                continue
            for place, column in enumerate(shown.columns[:COLUMNS_PER_ROW]):
                found.append((index * COLUMNS_PER_ROW + place, column))
        return found
