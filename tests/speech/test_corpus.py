"""The labelled corpus is as it says, and our splitter finds its sentences. See corpus/reading.py for the format."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.benchmarks.sentences import ours, ours_aloud, score, score_markdown
from tests.speech.corpus.reading import FOLDER, LANGUAGES, documents, markdown_documents

FEWEST = {"english": 400, "german": 180, "french": 180, "spanish": 180, "chinese": 180, "japanese": 180}
FEWEST_HELD_OUT = 30
HELD_OUT_F1 = 0.95  # of few sentences: one more that is wrong takes 0.02
FEWEST_OF_MARKDOWN = 150


def test_the_corpus_is_large_enough_and_a_part_of_it_is_held_out() -> None:
    for language, fewest in FEWEST.items():
        held_out = sum(len(document.sentences) for document in documents(language, holdout=True))
        assert len(_sentences(language)) >= fewest
        assert held_out >= FEWEST_HELD_OUT
    aloud = [
        line for holdout in (False, True) for each in markdown_documents(holdout=holdout) for line in each.utterances
    ]
    assert len(aloud) >= FEWEST_OF_MARKDOWN
    assert sum(len(_sentences(language)) for language in LANGUAGES) + len(aloud) >= 1_500


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_of_the_corpus_stands_there_twice(language: str) -> None:
    repeated = [sentence for sentence, times in Counter(_sentences(language)).items() if times > 1]
    assert [each for each in repeated if len(each) > 20] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_of_the_corpus_read_as_they_are_written(language: str) -> None:
    """No stray blanks or marks, none so long that it may be cut softly, and nothing lost between file and text."""
    for holdout in (False, True):
        lines = (FOLDER / f"{language}{'.holdout' if holdout else ''}.txt").read_text("utf-8").splitlines()
        written = [line.rstrip("↵¶␣∅") for line in lines if line and not line.startswith("%")]
        assert [each for document in documents(language, holdout=holdout) for each in document.sentences] == written
        assert [line for line in written if line != line.strip() or len(line) > 180] == []
        for document in documents(language, holdout=holdout):
            assert len(document.sentences) > 1, f"{language}, line {document.line}: a boundary needs two sentences"
            ink = "".join(document.source.split())
            ends = (0, *document.boundaries, len(ink))
            parts = [ink[one:two] for one, two in pairwise(ends)]
            assert parts == ["".join(each.split()) for each in document.sentences]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_end_where_a_reader_says_they_do(language: str) -> None:
    held_out = score(ours, documents(language, holdout=True))
    result = score(ours, documents(language)) + held_out
    assert result.f1 >= (0.99 if language == "english" else 0.97), "\n".join(result.errors)
    assert held_out.f1 >= HELD_OUT_F1, "\n".join(held_out.errors)


def test_of_markdown_is_heard_what_a_reader_would_read_aloud() -> None:
    held_out = score_markdown(ours_aloud, markdown_documents(holdout=True))
    result = score_markdown(ours_aloud, markdown_documents()) + held_out
    assert result.f1 >= 0.97, "\n".join(result.errors)
    assert held_out.f1 >= HELD_OUT_F1, "\n".join(held_out.errors)


def test_a_score_tells_what_is_missed_from_what_is_too_much() -> None:
    texts = documents("english")[:5]
    labels = {document.source: document.boundaries for document in texts}
    perfect = score(lambda text: [(place, place) for place in labels[text]], texts)
    assert (perfect.f1, perfect.errors) == (1.0, [])
    nothing = score(lambda text: [], texts)
    assert (nothing.found, nothing.extra, nothing.f1) == (0, 0, 0.0)
    assert nothing.missed == perfect.found == sum(len(document.sentences) - 1 for document in texts)
    doubtful = score(lambda text: [(place - 1, place - 1) for place in labels[text]], texts)
    assert (doubtful.found, doubtful.missed, doubtful.extra) == (0, perfect.found, perfect.found)


def _sentences(language: str) -> list[str]:
    both = (*documents(language), *documents(language, holdout=True))
    return [sentence for document in both for sentence in document.sentences]
