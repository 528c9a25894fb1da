"""Any Markdown: what is spoken, joined, is the cleaned whole, however the text comes in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.speech.base import Readout, Utterance
from sam_py.speech.speakable import SpokenText, spoken
from tests.speech.cleaning import cleaned, first_difference, heard

GUIDE = sorted((Path(__file__).parents[2] / "resources" / "guide").glob("*.md"))
PAGES = [page for page in GUIDE if not re.search(r"^\|(.*\|){3}", page.read_text("utf-8"), re.MULTILINE)]

WORDS = "Alpha beta gamma 3.14 e.g. Dr. U.S. v2.0.1 main.py naïve größer 12 x a@b.org end. So? Go! well… No."
word = st.sampled_from(WORDS.split())
plain = st.lists(word, min_size=1, max_size=9).map(" ".join)
styled = st.one_of(
    plain,
    plain.map(lambda text: f"**{text}**"),
    plain.map(lambda text: f"*{text}*"),
    plain.map(lambda text: f"~~{text}~~"),
    plain.map(lambda text: f"`{text}`"),
    plain.map(lambda text: f"``{text} ` x``"),
    plain.map(lambda text: f'[{text}](https://example.org/a_b(c)?d=e.f "A. title")'),
    plain.map(lambda text: f"![{text}](picture.png)"),
    st.sampled_from(
        ["<b>bold</b>", "&amp;", "\\*", "\\_", "https://www.example.org/x/y.html?a=b", "<https://example.org>"]
    ),
    st.sampled_from(["snake_case_name", "2 * 3", "a < b", "AT&T", "C#", "100 %", "(see there)", "“quoted.”"]),
)
text = st.lists(styled, min_size=1, max_size=5).map(" ".join)
block = st.one_of(
    text,
    st.lists(text, min_size=2, max_size=3).map("\n".join),
    st.tuples(st.integers(1, 6), text).map(lambda pair: "#" * pair[0] + " " + pair[1]),
    text.map(lambda title: f"{title}\n---"),
    st.lists(text, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(text, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))
    ),
    st.tuples(text, text).map(lambda pair: f"- {pair[0]}\n  - {pair[1]}\n\n  {pair[0]}"),
    st.lists(text, min_size=1, max_size=3).map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    plain.map(lambda code: f"```python\n{code}. Secret\n```"),
    plain.map(lambda code: f"~~~\n{code}\n```\nSecret\n~~~"),
    plain.map(lambda code: f"Type:\n\n        {code} Secret"),
    st.tuples(plain, plain).map(lambda cells: f"| One | Two |\n|---|:-:|\n| {cells[0]} | {cells[1]} |"),
    st.sampled_from(["---", "***", "<!-- Secret. -->", "<div>\n\nInside.\n\n</div>"]),
)
markdown = st.lists(block, min_size=1, max_size=5).map("\n\n".join)


def in_pieces(source: str, sizes: list[int], readout: Readout) -> list[Utterance]:
    said, at = SpokenText(readout), 0
    found: list[Utterance] = []
    for size in sizes:
        found += said.feed(source[at : at + size])
        at += size
    return found + said.feed(source[at:]) + said.finish()


@settings(max_examples=80, deadline=None)
@given(markdown)
def test_what_is_spoken_is_the_whole_text_and_nothing_else(source: str) -> None:
    assert first_difference(cleaned(source, Readout()), heard(source, Readout())) == ""
    assert "Secret" not in heard(source, Readout())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_handbook_is_spoken_whole(page: Path) -> None:
    source = page.read_text("utf-8")
    assert first_difference(cleaned(source, Readout()), heard(source, Readout())) == ""


FRAGMENTS = """
* ** _ ` `` ``` ~~~ $ $$ \\( \\) \\[ \\] [ ] ]( ](http://x.y/z) ! ![ < <b> <!-- --> <br> <script> </script> <pre> &amp;
& | |a|b| |---|---| # ## > - + 1. 2) --- === [^1] [^1]: [a]: http:// https://a.b/c?d=e.f www.x.org Dr. e.g. 3.14 U.S.
He word. Word? Yes! … ... 。 「 」 你好 さん “ ” „ « » " ' ( ) . , : 🎉 ❤️ é م ؟ x^2 \\frac{a}{b} { } I said 5 $5 \\ \\*
[!NOTE] ([x]
"""
fragment = st.sampled_from(
    [*FRAGMENTS.split(), *["\n", "\n", "\n\n", " ", " ", "  \n", "    ", "\t", "\r\n", "\x00", "\ufffc"]]
)
readouts = st.builds(
    Readout,
    code=st.sampled_from(["announce", "skip"]),
    tables=st.sampled_from(["rows", "skip"]),
    maths=st.sampled_from(["describe", "skip"]),
    emoji=st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(fragment, max_size=70).map("".join), st.lists(st.integers(1, 9), max_size=60), readouts)
def test_any_text_is_spoken_alike_however_it_comes_in(source: str, sizes: list[int], readout: Readout) -> None:
    whole = spoken(source, readout)
    assert in_pieces(source, sizes, readout) == whole
    assert in_pieces(source, [1] * len(source), readout) == whole
    at = 0
    for each in whole:
        assert at <= each.start <= each.end <= len(source)
        assert 0 < len(each.text) <= 300
        assert each.text == " ".join(each.text.split())
        assert any(char.isalnum() for char in each.text)
        at = each.end
