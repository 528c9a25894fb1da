"""What the benchmarks' models say: the same words in the measured process and on the server."""

from __future__ import annotations

from collections.abc import Iterator

WORDS = [
    "lorem",
    "ipsum",
    "dolor",
    "sit",
    "amet,",
    "consectetur",
    "**adipiscing**",
    "elit,",
    "sed",
    "do",
    "`eiusmod`",
    "tempor",
    "incididunt",
    "ut",
    "labore",
    "et",
    "dolore",
    "magna",
    "aliqua.",
    "",
]


def word(number: int) -> str:
    """The `number`-th piece of prose, now and then the end of a paragraph, as a model streams it."""
    return WORDS[number % len(WORDS)] + ("\n\n" if number % 70 == 69 else " ")


def words(count: int) -> Iterator[str]:
    return map(word, range(count))
