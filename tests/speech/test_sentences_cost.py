"""What feeding costs, counted in calls of functions: in proportion to the piece, whatever came before it."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from sam_py.speech.base import Readout
from sam_py.speech.speakable import SpokenText, spoken

WORST = [
    "a, ", "[a ", "[a](", "[a](b[c](d)", "*", "``a` ", "$a ", "\\( ", "\\[\n", '<a b="', "&amp", "![", "> ", "1. ",
    "| a ", "a|b\n", "https://a(", "A. ", "« ", "! I ", "」", "~~~ x\n", "[a]: b\n", "[[[[a]", "🎉", "你好", "p.m. E",
]  # fmt: skip


def calls(markdown: str, piece: int = 5, text: SpokenText | None = None) -> int:
    """How many functions are called while `markdown` is fed."""
    text = text or SpokenText(Readout(emoji=True))
    count = 0

    def tick(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        for at in range(0, len(markdown), piece):
            text.feed(markdown[at : at + piece])
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("unit", WORST)
def test_the_worst_texts_cost_no_more_than_their_length(unit: str) -> None:
    short, long = (calls((unit * (size // len(unit) + 1))[:size]) for size in (2_500, 7_500))
    assert long < 4.5 * short
    assert long < 7_500 * 150


def test_a_piece_costs_the_same_in_a_long_message_as_in_a_short_one() -> None:
    paragraph = "A sentence of some words, **bold** and `code`. Another one!\n\n"
    costs = []
    for before in (10, 1_000):
        text = SpokenText(Readout())
        text.feed(paragraph * before)
        costs.append(calls(paragraph, 5, text))
    assert costs[1] <= costs[0]


def test_a_piece_costs_the_same_in_a_line_without_end() -> None:
    costs = []
    for before in (1_000, 100_000):
        text = SpokenText(Readout())
        text.feed("word " * (before // 5))
        costs.append(calls("word " * 200, 5, text))
    assert costs[1] < 1.1 * costs[0]


def test_a_line_of_200_kb_without_a_full_stop_comes_out_in_pieces_of_300() -> None:
    said = spoken("word " * 40_000)
    assert max(len(each.text) for each in said) <= 300
    assert sum(len(each.text.split()) for each in said) == 40_000
