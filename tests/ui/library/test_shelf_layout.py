"""Where things stand in the library: arithmetic that holds for any width and any months."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from sam_py.ui.library.shelf_layout import Shape, ShelfLayout

shapes = st.builds(
    Shape,
    cell_width=st.integers(20, 300),
    cell_height=st.sampled_from([0, 30, 90]),
    gap=st.integers(0, 12),
    head=st.integers(0, 40),
    most_columns=st.sampled_from([0, 1, 2]),
    margin=st.integers(0, 20),
    widest=st.sampled_from([0, 500]),
)


@st.composite
def layouts(draw):
    sizes = draw(st.lists(st.integers(1, 40), max_size=6))
    firsts = [0, *accumulate(sizes)][:-1] if sizes else []
    return ShelfLayout(draw(shapes), draw(st.integers(30, 1500)), firsts, sum(sizes))


@given(layouts())
def test_every_thing_is_found_where_it_stands(layout):
    for row in range(layout.count):
        box = layout.box(row)
        for x in (box.x, box.x + box.width - 1):
            for y in (box.y, box.y + box.height - 1):
                assert layout.row_at(x, y) == row
        assert box.y + box.height <= layout.height


@given(layouts(), st.integers(-50, 4000), st.integers(1, 900))
def test_what_is_to_be_painted_are_the_rows_that_are_seen(layout, top, height):
    seen = layout.rows_between(top, top + height)
    for row in range(layout.count):
        box = layout.box(row)
        if box.y < top + height and box.y + box.height > top:
            assert row in seen
    for row in seen:
        box = layout.box(row)
        assert box.y + layout._line > top
        assert box.y < top + height + layout._line


@given(layouts(), st.data())
def test_up_and_down_go_a_line_and_stay_below_each_other(layout, data):
    if not layout.count:
        return
    row = data.draw(st.integers(0, layout.count - 1))
    below = layout.beside(row, 1)
    assert below >= row
    assert below == row or layout.box(below).y > layout.box(row).y
    if below != row and layout.box(below).x == layout.box(row).x:
        assert layout.beside(below, -1) == row
    assert layout.beside(row, -layout.count - 6) <= row
    assert layout.box(layout.beside(row, layout.count + 6)).y == layout.box(layout.count - 1).y
