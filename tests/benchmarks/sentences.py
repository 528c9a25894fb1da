"""Sentences: how well ours and well-known splitters find where one ends, on the corpus in tests/speech/corpus.

As a program, ``python -m tests.benchmarks.sentences [LANGUAGE …] [--errors] [--holdout]``: a table of precision,
recall and F1, and what was wrong. A document's end is no boundary; ours is fed in chunks, as replies come.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sam_py.speech.base import Readout, Utterance
from sam_py.speech.speakable import SpokenText
from tests.benchmarks.run import Row
from tests.benchmarks.splitters import INSTALL, PEERS, Split
from tests.speech.corpus.reading import (
    ANYTHING,
    LANGUAGES,
    Document,
    MarkdownDocument,
    documents,
    markdown_documents,
)

CHUNK = 7
"""Characters that ours is fed at a time."""

Gap = tuple[int, int]
"""A predicted boundary, in characters that are no white space: it lies from the one to the other."""


@dataclass(slots=True)
class Score:
    """Boundaries that were found, missed, and seen where there are none."""

    found: int = 0
    missed: int = 0
    extra: int = 0
    errors: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.extra) if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found else 0.0

    @property
    def f1(self) -> float:
        """
        >>> Score(found=8, missed=2, extra=2).f1
        0.8
        """
        return 2 * self.found / (2 * self.found + self.missed + self.extra) if self.found else 0.0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.found + other.found, self.missed + other.missed, self.extra + other.extra, self.errors + other.errors
        )

    def __str__(self) -> str:
        return f"{self.precision:9.4f} {self.recall:9.4f} {self.f1:9.4f}"


def ours(text: str) -> list[Gap]:
    """Where `SpokenText` ends an utterance and begins the next."""
    ink = _ink(text)
    utterances = _utterances(text, Readout(emoji=True))
    return [(ink[one.end], ink[two.start]) for one, two in pairwise(utterances)]


def ours_aloud(document: MarkdownDocument) -> list[str]:
    """What `SpokenText` says, an utterance each."""
    return [each.text for each in _utterances(document.source, Readout())]


def score(gaps_of: Callable[[str], Sequence[Gap]], texts: Iterable[Document]) -> Score:
    """Compare what `gaps_of` a text says with the labels."""
    total = Score()
    for document in texts:
        total += _compared(document, gaps_of(document.source))
    return total


def score_markdown(spoken_of: Callable[[MarkdownDocument], Sequence[str]], texts: Iterable[MarkdownDocument]) -> Score:
    """Whole utterances instead of boundaries: one that is not exactly as expected is missed, what is said is extra."""
    total = Score()
    for document in texts:
        said = spoken_of(document)
        expected = document.utterances
        kept = _common(expected, said)
        wanted = [line for place, line in enumerate(expected) if place not in {one for one, _ in kept}]
        surplus = [line for place, line in enumerate(said) if place not in {two for _, two in kept}]
        errors = [f"{document.name}: not said: {line!r}" for line in wanted]
        errors += [f"{document.name}: said instead: {line!r}" for line in surplus]
        total += Score(len(kept), len(wanted), len(surplus), errors)
    return total


def gaps_of_peer(split: Split) -> Callable[[str], list[Gap]]:
    """Others are given a paragraph at a time, as they are meant to be: its end is theirs for nothing."""

    def gaps(text: str) -> list[Gap]:
        ink = _ink(text)
        starts = []
        for paragraph in re.finditer(r"(?:[^\n]|\n(?!\n))+", text):
            starts += [paragraph.start(), *(paragraph.start() + place for place in split(paragraph[0]))]
        return [(ink[start], ink[start]) for start in starts[1:]]

    return gaps


def markdown_of_peer(split: Split) -> Callable[[MarkdownDocument], list[str]]:
    """What a splitter makes of clean blocks: none of these reads Markdown, so that it is taken off for them."""

    def spoken(document: MarkdownDocument) -> list[str]:
        said = []
        for block in document.blocks:
            text = " ".join(line.replace(ANYTHING, "").strip() or ANYTHING for line in block)
            places = [0, *split(text), len(text)]
            said += [text[one:two].strip() for one, two in pairwise(places)]
        return said

    return spoken


def sentences(repeats: int) -> list[Row]:
    """14. Boundaries of sentences that are wrong (1 - F1), ours and others', on a labelled corpus."""
    rows = []
    for holdout in (False, True):
        for name, results in _table(holdout=holdout, languages=LANGUAGES).items():
            for language, result in results.items():
                limit = (1.0 if language == "english" else 3.0) if name == "SAM" and language != "all" else None
                title = f"{name}, {language}{', held out' if holdout else ''}"
                rows.append(Row(title, 100 * (1 - result.f1), "% wrong", None, limit))
    return rows


def _table(*, holdout: bool, languages: Iterable[str]) -> dict[str, dict[str, Score]]:
    """Splitter → language (then "markdown", "all") → score. `all` is of the languages, Markdown apart."""
    languages = list(languages)
    table: dict[str, dict[str, Score]] = {}
    table["SAM"] = {each: score(ours, documents(each, holdout=holdout)) for each in languages}
    table["SAM"]["markdown"] = score_markdown(ours_aloud, markdown_documents(holdout=holdout))
    for peer in PEERS:
        if not peer.is_installed:
            continue
        table[peer.name] = {
            each: score(gaps_of_peer(peer.make(each)), documents(each, holdout=holdout)) for each in languages
        }
        split = markdown_of_peer(peer.make("english"))
        table[peer.name]["markdown"] = score_markdown(split, markdown_documents(holdout=holdout))
    for results in table.values():
        results["all"] = sum((result for each, result in results.items() if each != "markdown"), Score())
    return table


def _compared(document: Document, gaps: Sequence[Gap]) -> Score:
    text, ink = document.source, _ink(document.source)
    place = {count: index for index, count in reversed(list(enumerate(ink)))}
    result, open_gaps = Score(), list(gaps)
    for boundary in document.boundaries:
        match = next((gap for gap in open_gaps if gap[0] <= boundary <= gap[1]), None)
        if match is None:
            result.missed += 1
            result.errors.append(f"line {document.line}: missed  {_around(text, place[boundary])}")
        else:
            result.found += 1
            open_gaps.remove(match)
    result.extra = len(open_gaps)
    result.errors += [f"line {document.line}: extra   {_around(text, place[gap[1]])}" for gap in open_gaps]
    return result


def _common(expected: Sequence[str], said: Sequence[str]) -> list[tuple[int, int]]:
    """The longest series of pairs, in order, in which what was said is as expected."""
    patterns = [re.compile(".*".join(re.escape(part) for part in line.split(ANYTHING)), re.DOTALL) for line in expected]
    best = [[0] * (len(said) + 1) for _ in range(len(expected) + 1)]
    for one in reversed(range(len(expected))):
        for two in reversed(range(len(said))):
            fits = patterns[one].fullmatch(said[two]) is not None
            best[one][two] = max(best[one + 1][two], best[one][two + 1], (1 + best[one + 1][two + 1]) if fits else 0)
    pairs, one, two = [], 0, 0
    while one < len(expected) and two < len(said):
        if best[one][two] == best[one + 1][two]:
            one += 1
        elif best[one][two] == best[one][two + 1]:
            two += 1
        else:
            pairs.append((one, two))
            one, two = one + 1, two + 1
    return pairs


def _ink(text: str) -> list[int]:
    """How many characters that are no white space stand before each place of `text`."""
    counts = [0]
    for character in text:
        counts.append(counts[-1] + (not character.isspace()))
    return counts


def _utterances(markdown: str, readout: Readout) -> list[Utterance]:
    spoken = SpokenText(readout)
    chunks = (markdown[at : at + CHUNK] for at in range(0, len(markdown), CHUNK))
    return [*(each for chunk in chunks for each in spoken.feed(chunk)), *spoken.finish()]


def _around(text: str, place: int) -> str:
    return f"{text[max(0, place - 40) : place]} ¦ {text[place : place + 40]}".replace("\n", "↵")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sentences", description=__doc__.splitlines()[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"which ({', '.join(LANGUAGES)}); all without")
    parser.add_argument("--errors", nargs="?", const="SAM", metavar="NAME", help="list what ours (or NAME) got wrong")
    parser.add_argument("--holdout", action="store_true", help="the texts that no rule was made with")
    options = parser.parse_args()
    if unknown := set(options.languages) - set(LANGUAGES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(LANGUAGES)}")
    table = _table(holdout=options.holdout, languages=options.languages or LANGUAGES)
    print(f"{'':12} {'':10} {'precision':>9} {'recall':>9} {'F1':>9}   boundaries")
    for name, results in table.items():
        for language, result in results.items():
            remark = next((peer.remark(language) for peer in PEERS if peer.name == name and language in LANGUAGES), "")
            print(f"{language:12} {name:10} {result}   {result.found + result.missed:5}  {remark}")
        print()
    if missing := [peer.name for peer in PEERS if not peer.is_installed]:
        print(f"Not measured, because not installed: {', '.join(missing)}. To install them: {INSTALL}")
    for language, result in table.get(options.errors, {}).items():
        if language != "all":
            print(*(f"{language}, {error}" for error in result.errors), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
