"""The splitters that ours is measured beside, each with its setting for a language where it has one.

None is a dependency of the program or of its tests. `INSTALL` is the command that installs them;
``python -m nltk.downloader punkt_tab`` fetches what Punkt was trained on (without it, it is trained here, see `punkt`).
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.speech.corpus.reading import documents

INSTALL = "pip install pysbd syntok nltk blingfire sentencex sentence-splitter"

Split = Callable[[str], Sequence[int]]
"""A text → where its second and every further sentence begins, in characters."""

_CODES = {"english": "en", "german": "de", "french": "fr", "spanish": "es", "chinese": "zh", "japanese": "ja"}


@dataclass(frozen=True, slots=True)
class Peer:
    """A splitter of others. `remark` says what a reader of its figures must know for a language ("": nothing)."""

    name: str
    package: str
    make: Callable[[str], Split]
    remark: Callable[[str], str]

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.package) is not None


def pysbd(language: str) -> Split:
    """Rules for 22 languages. Its sentences are found again in the text, since it offers no positions of Chinese."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in its source
        import pysbd as package

    segmenter: Any = package.Segmenter(language=_CODES[language], clean=False)

    return lambda text: _places(segmenter.segment(text), text)


def syntok(language: str) -> Split:
    """Made for English, Spanish and German; has no setting for a language."""
    from syntok import segmenter

    def split(text: str) -> list[int]:
        sentences = [sentence for paragraph in segmenter.analyze(text) for sentence in paragraph]
        return [next(iter(sentence)).offset for sentence in sentences][1:]

    return split


def punkt(language: str) -> Split:
    """Trained statistics: NLTK's own where they are installed, else what Punkt learns, unsupervised, of our corpus.

    It has none for Chinese and Japanese: English is the nearest.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTokenizer

    tokenizer: Any = (
        PunktTokenizer(_nearest(language))
        if _has_punkt()
        else PunktSentenceTokenizer("\n\n".join(document.source for document in documents(language)))
    )

    def split(text: str) -> list[int]:
        return [start for start, _ in tokenizer.span_tokenize(text)][1:]

    return split


def blingfire(language: str) -> Split:
    """One compiled automaton for all languages."""
    import blingfire as package

    def split(text: str) -> list[int]:
        _, offsets = package.text_to_sentences_and_offsets(text)
        return [start for start, _ in offsets][1:]

    return split


def sentencex(language: str) -> Split:
    """Wikimedia's, for Wikipedia's languages."""
    import sentencex as package

    return lambda text: _places(package.segment(_CODES[language], text), text)


def moses(language: str) -> Split:
    """The splitter of the Moses translation system in Python, with lists of prefixes of European languages."""
    from sentence_splitter import SentenceSplitter

    splitter: Any = SentenceSplitter(language=_CODES[_nearest(language)])
    return lambda text: _places(splitter.split(text), text)


def _places(sentences: Iterable[str], text: str) -> list[int]:
    """Where the second and every further of `sentences` begins, for those who return no positions."""
    starts, at = [], 0
    for sentence in map(str.strip, sentences):
        found = text.find(sentence, at) if sentence else -1
        if found < 0:  # it changed the text: there is no place to give it credit for
            continue
        starts.append(found)
        at = found + len(sentence)
    return starts[1:]


def _nearest(language: str) -> str:
    return "english" if language in ("chinese", "japanese") else language


def _has_punkt() -> bool:
    import nltk

    try:
        nltk.data.find("tokenizers/punkt_tab/english/")
    except LookupError:
        return False
    return True


def _remark_of_punkt(language: str) -> str:
    if not _has_punkt():
        return "trained on the corpus itself: its own data is not installed (python -m nltk.downloader punkt_tab)"
    return _remark_of_nearest(language)


def _remark_of_nearest(language: str) -> str:
    return "" if _nearest(language) == language else "has no such language: measured with English"


PEERS = (
    Peer("pysbd", "pysbd", pysbd, lambda language: ""),
    Peer(
        "syntok",
        "syntok",
        syntok,
        lambda language: "" if language in ("english", "german", "spanish") else "made for other languages",
    ),
    Peer("Punkt", "nltk", punkt, _remark_of_punkt),
    Peer("BlingFire", "blingfire", blingfire, lambda language: ""),
    Peer("sentencex", "sentencex", sentencex, lambda language: ""),
    Peer("Moses", "sentence_splitter", moses, _remark_of_nearest),
)
