"""Utterances come out of Markdown while it is written: the same ones however it comes in, and nothing but words."""

from __future__ import annotations

import random

import pytest

from sam_py.speech.base import Readout, Utterance
from sam_py.speech.speakable import Phrases, SpokenText, spoken
from tests.speech.corpus.reading import MarkdownDocument, markdown_documents

DOCUMENTS = markdown_documents()


def fed(markdown: str, sizes: list[int], readout: Readout | None = None) -> list[Utterance]:
    """The utterances of a text that comes in pieces of these sizes, again and again."""
    text = SpokenText(readout or Readout())
    said, at, turn = [], 0, 0
    while at < len(markdown):
        said += text.feed(markdown[at : at + sizes[turn % len(sizes)]])
        at += sizes[turn % len(sizes)]
        turn += 1
    return said + text.finish()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_what_is_said_does_not_depend_on_how_the_text_came_in(document: MarkdownDocument) -> None:
    whole = spoken(document.source)
    rng = random.Random(document.name)
    assert fed(document.source, [1]) == whole
    assert fed(document.source, [3]) == whole
    assert fed(document.source, [7]) == whole
    assert fed(document.source, [rng.randint(1, 12) for _ in range(40)]) == whole


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_utterances_neither_overlap_nor_go_back(document: MarkdownDocument) -> None:
    at = 0
    for each in spoken(document.source):
        assert at <= each.start <= each.end <= len(document.source)
        assert each.text == " ".join(each.text.split())
        assert 0 < len(each.text) <= 300
        at = each.end


def texts(markdown: str, readout: Readout | None = None, phrases: Phrases | None = None) -> list[str]:
    text = SpokenText(readout or Readout(), phrases)
    return [each.text for each in text.feed(markdown) + text.finish()]


def test_code_is_announced_with_its_language_once_and_never_read() -> None:
    said = texts("Look:\n\n```py\nx = 1. # Two. Three!\n```\n\n    indented. code\n\nDone.")
    assert said == ["Look:", "A block of code in Python.", "A block of code.", "Done."]
    assert texts("```py\nx\n```\n\nDone.", Readout(code="skip")) == ["Done."]


def test_the_phrases_are_handed_in() -> None:
    phrases = Phrases(code="Programmtext.", code_in="Programmtext in %1.")
    assert texts("```rust\nx\n```\n```\ny\n```", phrases=phrases) == ["Programmtext in rust.", "Programmtext."]


def test_code_that_streams_is_announced_when_its_first_line_is_there() -> None:
    text = SpokenText(Readout())
    assert text.feed("```python") == []
    assert [each.text for each in text.feed("\n")] == ["A block of code in Python."]
    assert text.feed("print('Hello. World.')\n" * 50) == []
    assert text.finish() == []


@pytest.mark.parametrize(
    "markdown",
    [
        "> ```\n> secret. one\n> ```",
        "- item\n\n  ```\n  secret. one\n  ```",
        "1. item\n```\nsecret. one\n```",
        "1. item\n        ```\n        secret. one\n        ```",
        "````\n```\nsecret. one\n```\nsecret\n````",
        "<pre>\nsecret. one\n\nsecret\n</pre>",
        "<script>\nsecret. one\n\nsecret\n</script>",
        "<!-- secret. one\n\nsecret -->",
        "```\nsecret without an end. Really",
        "[a](https://secret.example/secret?secret)",
        "[a]\n\n[a]: https://secret.example/secret 'secret'",
        "![a](data:image/png;base64," + "secret" * 2_000 + ")",
        "https://example.org/secret?secret=secret#secret",
        "<https://example.org/secret>",
        "<img src='secret.png' alt='a cat'>",
    ],
)
def test_neither_code_nor_addresses_nor_remarks_reach_the_engine(markdown: str) -> None:
    assert "secret" not in " ".join(texts(f"Before.\n\n{markdown}"))


def test_a_table_is_read_by_rows_with_the_names_of_its_columns() -> None:
    table = "| City | Country | People |\n|---|---|--:|\n| Oslo | Norway | 709,037 |\n| Bern | | ~~1~~ |\n\nEnd."
    assert texts(table) == [
        "City, Country, People",
        "Oslo, Country: Norway, People: 709,037",
        "Bern, People: 1",
        "End.",
    ]
    assert texts(table, Readout(tables="skip")) == ["End."]
    assert texts("a | b\n--|--\nc | d. e") == ["a, b", "c, d. e"]


def test_a_line_with_a_pipe_is_no_table_by_itself() -> None:
    assert texts("Use a | b here.\nAnd more.") == ["Use a | b here.", "And more."]


def test_formulas_are_described_or_skipped() -> None:
    markdown = "Here $x^2$ and \\(\\frac{a}{b}\\).\n\n$$\n\\sum_{i=1}^n i\n$$\n\n```math\n\\alpha\n```"
    assert texts(markdown) == ["Here x squared and a over b.", "the sum from i equals 1 to n of i", "alpha"]
    assert texts(markdown, Readout(maths="skip")) == ["Here and ."]


@pytest.mark.parametrize(
    "money",
    ["It costs $5 and $10.", "From $1,000-$2,000 a year.", "US$20 or A$30.", "Set $HOME and $PATH.", "5$ or 6$."],
)
def test_an_amount_of_money_is_no_formula(money: str) -> None:
    assert texts(money) == [money]


def test_emoji_are_left_out_or_called_by_name() -> None:
    markdown = "Great! 🎉 Go on ❤️ please. Done 👍🏽"
    assert texts(markdown) == ["Great!", "Go on please.", "Done"]
    named = ["Great! party popper", "Go on heavy black heart please.", "Done thumbs up sign"]
    assert texts(markdown, Readout(emoji=True)) == named


def test_what_each_utterance_came_from_is_told() -> None:
    markdown = "# A\n\nB\n\n- C\n\n> D\n\n```\n```\n\n$$\nE\n$$\n\n| F |\n|---|\n\nG\n="
    kinds = [each.kind for each in spoken(markdown)]
    assert kinds == ["heading", "prose", "item", "quote", "code", "maths", "table", "heading"]


def test_a_reply_of_nothing_but_marks_is_silent() -> None:
    assert texts("...\n\n—\n\n***\n\n- \n\n| | |\n|-|-|\n\n🎉") == []


def test_what_is_marked_is_what_was_read() -> None:
    markdown = "## A *title*\n\nSee [the page](https://example.org). **Then** go on, `a.b`."
    marked = [markdown[each.start : each.end] for each in spoken(markdown)]
    assert marked == ["A *title", "See [the page](https://example.org).", "Then** go on, `a.b`."]


def test_the_end_of_a_block_ends_its_sentence_at_once() -> None:
    text = SpokenText(Readout())
    assert text.feed("# A title") == []
    assert [each.text for each in text.feed("\n")] == ["A title"]
    assert text.feed("no stop\n") == []
    assert [each.text for each in text.feed("\n")] == ["no stop"]
    assert text.feed("- item\n") == []
    assert [each.text for each in text.feed("- ")] == []
    assert [each.text for each in text.feed("n")] == ["item"]
