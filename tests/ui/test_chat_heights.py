"""Heights: prefix sums that agree with a plain list, whatever is done to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sam_py.ui.chat.heights import Heights

_heights = st.lists(st.integers(0, 5000), max_size=60)
_steps = st.lists(
    st.tuples(st.sampled_from(["set", "append", "insert", "remove"]), st.integers(0, 80), st.integers(0, 5000)),
    max_size=30,
)


@given(_heights, _steps)
def test_heights_agree_with_a_plain_list(first: list[int], steps: list[tuple[str, int, int]]) -> None:
    heights, plain = Heights(first), list(first)
    for step, place, height in steps:
        match step:
            case "append":
                heights.append(height)
                plain.append(height)
            case "insert":
                row = place % (len(plain) + 1)
                heights.insert(row, height)
                plain.insert(row, height)
            case "set" if plain:
                row = place % len(plain)
                assert heights.set(row, height) == height - plain[row]
                plain[row] = height
            case "remove" if plain:
                row = place % len(plain)
                last = min(len(plain) - 1, row + height % 4)
                heights.remove(row, last)
                del plain[row : last + 1]
    assert [heights[row] for row in range(len(heights))] == plain
    assert [heights.top(row) for row in range(len(plain) + 1)] == [sum(plain[:row]) for row in range(len(plain) + 1)]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=60), st.integers(-50, 40_000))
def test_the_row_at_a_pixel_covers_it(plain: list[int], y: int) -> None:
    heights = Heights(plain)
    row = heights.row_at(y)
    if y < 0:
        assert row == 0
    elif y >= sum(plain):
        assert row == len(plain) - 1
    else:
        assert heights.top(row) <= y < heights.top(row + 1)


def test_no_rows_have_no_height() -> None:
    heights = Heights()
    assert (len(heights), heights.total, heights.row_at(10)) == (0, 0, 0)
