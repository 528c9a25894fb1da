"""Where a text is cut into pages: nothing is lost, nothing is cut that fits, and no heading is left alone."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sam_py.ui.export.paper import Band, cuts, merged

PAGE = 100.0

columns = st.lists(
    st.tuples(st.floats(1, 60, allow_nan=False, width=16), st.booleans(), st.sampled_from([0.0, 0.0, 3.0])),
    min_size=1,
    max_size=40,
)


def _bands(column: list[tuple[float, bool, float]]) -> list[Band]:
    bands, top = [], 0.0
    for height, holds, gap in column:
        bands.append(Band(top, top + height, holds))
        top += height + gap
    return bands


@given(columns, st.floats(0, PAGE, allow_nan=False, width=16))
def test_every_line_stands_whole_on_exactly_one_page(column: list[tuple[float, bool, float]], room: float) -> None:
    bands = _bands(column)
    pieces = list(cuts(bands, room, PAGE))
    for band in bands:
        holders = [piece for piece in pieces if piece[0] <= band.top + 0.01 and band.bottom <= piece[1] + 0.01]
        assert len(holders) == 1, "a line is on one page, and whole"
    assert all(end - start <= (PAGE if number else room) + 0.02 + 3 for number, (start, end) in enumerate(pieces))
    assert all(first[1] == second[0] for first, second in pairwise(pieces))


@given(columns, st.floats(0, PAGE, allow_nan=False, width=16))
def test_a_heading_is_not_the_last_of_a_page_where_a_page_has_room_for_both(
    column: list[tuple[float, bool, float]], room: float
) -> None:
    bands = [Band(each.top, each.bottom, holds_next=number % 3 == 0) for number, each in enumerate(_bands(column))]
    ends = [end for _start, end in cuts(bands, room, PAGE)]
    for heading, after in pairwise(bands):
        if heading.holds_next and after.bottom - heading.top <= PAGE:
            assert after.top not in ends or heading.top == after.top


def test_a_picture_higher_than_a_page_is_cut_where_the_page_ends() -> None:
    assert list(cuts([Band(0, 20), Band(20, 270)], 60, PAGE)) == [(0, 20), (20, 120), (120, 220), (220, 270)]


def test_cells_side_by_side_are_one_band() -> None:
    assert merged([Band(10, 30), Band(10, 20), Band(0, 10)]) == [Band(0, 10), Band(10, 30)]
