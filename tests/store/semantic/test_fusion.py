"""Words and meaning made one rank: neither hides what the other found first, and together they find more."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.paths import default_paths
from sam_py.store.search_index.results import Hit, Place, Results
from sam_py.store.semantic.fusion import mixed
from sam_py.store.semantic.vectors import why_not
from tests.fakes.recall import asked, measured, remembered

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_RANK = st.lists(st.integers(0, 40), unique=True, max_size=30)


def hit(number: int, *, is_similar: bool = False) -> Hit:
    return Hit(Place("c", "", str(number), _AT), "text", "", (), is_similar=is_similar)


@settings(max_examples=80, deadline=None)
@given(_RANK, _RANK, st.integers(1, 40))
def test_what_stands_first_in_either_rank_stands_among_the_first_of_both(
    by_words: list[int], by_meaning: list[int], limit: int
) -> None:
    words = Results(tuple(hit(number) for number in by_words[:limit]), total=len(by_words))
    similar = [hit(number, is_similar=True) for number in by_meaning[:limit]]
    both = mixed(words, similar, limit)
    order = [int(each.place.message_id) for each in both.hits]
    assert len(set(order)) == len(order)
    assert set(by_words[:limit]) <= set(order), "the next page goes on behind all of them"
    for rank in (by_words[:limit], by_meaning[: (limit + 1) // 2]):
        for place, number in enumerate(rank):
            assert order.index(number) <= 2 * place + 1
    assert {each.place.message_id for each in both.hits if not each.is_similar} == set(map(str, by_words[:limit]))


@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_both_together_find_no_less_than_the_better_of_them(tmp_path: Path) -> None:
    some = 6
    kinds = measured(default_paths(tmp_path).create(), (asked(some), remembered(some)), most_talks=some, chatters=20)
    for kind in kinds:
        assert kind.fused >= max(kind.words, kind.meaning) - 0.01, kind
    questions, words = kinds
    assert questions.meaning > questions.words, "it is other words that are asked for"
    assert words.words > words.meaning, "it is these words that are asked for"
