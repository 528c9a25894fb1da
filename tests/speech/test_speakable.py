"""Utterances come out of Markdown while it is written: the same ones however it comes in, and nothing but words."""

from __future__ import annotations

import random

import pytest

from sam_py.speech.base import Readout, Utterance
from sam_py.speech.speakable import SpokenText, spoken
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
