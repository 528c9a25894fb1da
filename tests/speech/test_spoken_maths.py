"""Formulas are put into words that a listener can follow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.speech.spoken_maths import WORDS, describe


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("x^2 + y^3", "x squared plus y cubed"),
        (r"\frac{a+b}{2}", "a plus b over 2"),
        (r"E = mc^2", "E equals m c squared"),
        (r"\sqrt{x} \ne \sqrt[3]{y}", "the square root of x is not equal to the root of order 3 of y"),
        (r"\int_0^\infty e^{-x}\,dx", "the integral from 0 to infinity of e to the minus x d x"),
        (r"\lim_{x \to 0} \sin x", "the limit as x to 0 of sin x"),
        (r"\alpha_1 \le \Omega", "alpha sub 1 is at most capital omega"),
        (r"90^\circ", "90 degrees"),
        (r"\text{if so, } x > 0", "if so, x is greater than 0"),
        (r"v_{\mathrm{max}} = \operatorname{arg max} f", "v sub max equals arg max f"),
        (r"|x| + \left| y \right|", "the absolute value of x plus the absolute value of y"),
        (r"\log_2 8 = 3", "log base 2 of 8 equals 3"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "a, b; c, d"),
        (r"\mathbb{R}^n, \hat{y}, f'(x)", "R to the n, y hat, f prime (x)"),
        (r"3{,}5 \times 10^{-3}", "3,5 times 10 to the minus 3"),
        (r"\unknowncommand{x}", "unknowncommand x"),
        ("x" * 2_000, "a long formula"),
    ],
)
def test_a_formula_is_said_in_words(latex: str, words: str) -> None:
    assert describe(latex) == words


def test_another_language_is_another_table() -> None:
    assert describe("x^2 = 4", {**WORDS, "squared": "hoch zwei", "=": "gleich"}) == "x hoch zwei gleich 4"


TOKENS = r"\frac \sqrt \sum \int \lim \text \begin{matrix} \end \left \right \\ { } [ ] ^ _ | ' & x 2 + = , \% ~ \hat"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(TOKENS.split()), max_size=60).map(" ".join))
def test_no_formula_is_too_broken_to_be_said(latex: str) -> None:
    said = describe(latex)
    assert "\\" not in said
    assert said == " ".join(said.split())
