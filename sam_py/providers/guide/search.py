"""Full-text search over the handbook: BM25 with fields, other words, word beginnings and small typing errors."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from sam_py.providers.guide.handbook import Page, Section, handbook
from sam_py.providers.guide.words import STOP_WORDS, SYNONYMS

_WORD = re.compile(r"[^\W_]+(?:[.+'’][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_MARKS = re.compile(r"[*`|#>]+")

# BM25 (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"), fields weighted as in BM25F.
_K1 = 1.4
_B = 0.4
_BODY, _PAGE, _PAGE_KEYWORDS, _HEADING, _KEYWORDS = 1.0, 1.2, 0.8, 4.0, 3.0
_WHOLE_KEYWORD = 3.0
"""Added for each keyword phrase of a section that the question has whole."""
_OPENING = 0.7
"""A page's opening says less than the section that the question is about."""
_MOST_WORDS = 40


@dataclass(frozen=True, slots=True)
class Hit:
    section: Section
    score: float
    coverage: float
    """How much of the question the section has, by the weight of its words: 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A word of the question: the handbook's words that it may stand for, each with how well."""

    matches: dict[str, float]
    idf: float


class Index:
    """The sections of the handbook, ready to be searched. Building takes about 10 ms, a search under 2 ms."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.sections = [section for page in pages for section in page.sections]
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        lengths: list[float] = []
        for number, section in enumerate(self.sections):
            length = 0.0
            for words, weight in _fields(section):
                for word in words:
                    postings = self._postings[word]
                    postings[number] = postings.get(number, 0.0) + weight
                    length += weight
            lengths.append(length)
        mean = sum(lengths) / max(1, len(lengths))
        self._norm = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
        self._vocabulary = sorted(self._postings)
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for word in self._vocabulary:
            self._by_start[word[:4]].append(word)

    def search(self, question: str, limit: int = 8) -> list[Hit]:
        """The sections that fit best, best first."""
        words = question_words(question)
        terms = [self._term(word) for word in words]
        weight = sum(term.idf for term in terms)
        if not weight:
            return []
        scores: dict[int, float] = defaultdict(float)
        covered: dict[int, float] = defaultdict(float)
        for term in terms:
            best: dict[int, float] = {}
            for word, quality in term.matches.items():
                for number, frequency in self._postings[word].items():
                    gain = quality * frequency * (_K1 + 1) / (frequency + self._norm[number])
                    best[number] = max(best.get(number, 0.0), gain)
            for number, gain in best.items():
                scores[number] += term.idf * gain
                covered[number] += term.idf
        phrase = " " + " ".join(_words(question)) + " "
        hits = []
        for number, score in scores.items():
            section = self.sections[number]
            whole = sum(f" {keyword} " in phrase for keyword in section.keywords if " " in keyword or keyword in words)
            hits.append(Hit(section, score + _WHOLE_KEYWORD * whole, covered[number] / weight))
        hits.sort(key=lambda hit: -hit.score * (0.3 + hit.coverage) * (_OPENING if hit.section.is_opening else 1))
        return hits[:limit]

    def _term(self, word: str) -> _Term:
        matches = self._matches(word)
        for other in SYNONYMS.get(word, "").split():
            for match, quality in self._matches(other).items():
                matches[match] = max(matches.get(match, 0.0), quality * 0.9)
        if not matches and len(word) > 4:
            for close in get_close_matches(word, self._vocabulary, n=2, cutoff=0.84):
                matches[close] = 0.7
        found = {number for match in matches for number in self._postings[match]}
        count = len(self.sections)
        idf = math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
        return _Term(matches, idf)

    def _matches(self, word: str) -> dict[str, float]:
        """The handbook's words that `word` is or begins like: "deleting" finds "delete", "attach" "attachment"."""
        matches = {word: 1.0} if word in self._postings else {}
        if len(word) < 4:
            plural = word + "s"
            if plural in self._postings:
                matches[plural] = 0.9
            return matches
        for other in self._by_start.get(word[:4], ()):
            if other == word:
                continue
            common = _common_start(word, other)
            if len(word) - common <= 3 and len(other) - common <= (3 if common < len(word) else 6):
                matches[other] = 0.85 if common >= min(len(word), len(other)) else 0.7
        return matches


@lru_cache(maxsize=1)
def index() -> Index:
    """The index of the installed handbook, built when first asked."""
    return Index(handbook())


def question_words(question: str) -> list[str]:
    """The words of a question that are worth looking up, each once, at most 40.

    >>> question_words("How do I delete the conversation?")
    ['delete', 'conversation']
    """
    every = _words(question)
    words = [word for word in every if word not in STOP_WORDS] or every  # "who are you" has no other words
    return list(dict.fromkeys(words))[:_MOST_WORDS]


def _fields(section: Section) -> Iterable[tuple[list[str], float]]:
    yield _words(section.text), _BODY
    yield _words(section.heading), _HEADING
    yield _words(" ".join(section.keywords)), _KEYWORDS
    if not section.is_opening:
        yield _words(section.page), _PAGE
        yield _words(" ".join(section.page_keywords)), _PAGE_KEYWORDS


def _words(text: str) -> list[str]:
    """Lower-case words; "llama.cpp" and "ctrl+k" stay whole and are also there in pieces."""
    words: list[str] = []
    for word in _WORD.findall(_MARKS.sub(" ", text.lower())):
        known = [other for other in SYNONYMS if other in word and _CJK.match(other)] if _CJK.search(word) else []
        words.extend(known or [word])  # Chinese and Japanese have no spaces: take the words that we know
        if "." in word or "+" in word:
            words.extend(re.split(r"[.+]", word))
    return words


def _common_start(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
