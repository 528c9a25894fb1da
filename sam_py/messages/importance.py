"""Importance of a message, 0.0 to 1.0, and the rule that decided. The rules themselves are in `importance_rules`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sam_py.messages.importance_idioms import IDIOMS
from sam_py.messages.importance_rules import (
    BASE,
    LONG_FROM,
    LONG_GAIN,
    NEGATIONS,
    RULES,
    SMALL_TALK,
    SMALL_TALK_SCORE,
    SMALL_TALK_SHORTER_THAN,
    SPACELESS,
    Language,
    Rule,
)

HEAD, TAIL = 4000, 2000
"""Characters looked at from a long message's beginning and end: what it asks for stands there. It bounds the cost."""
_NEGATION_REACH = 40
_CLAUSE_ENDS = frozenset('.!?;:,\n—–-…。！？；：，、「『(（"“*_>')
_QUESTION = re.compile(r"[?？؟](?=[\s\"'”’»)\]*_」』）]|$)")
_PUNCTUATION = re.compile(r"[\s.!¡。！…,，、~:;()\-\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]+")


def score(text: str, role: Literal["user", "assistant"]) -> tuple[float, str]:
    """Return the importance of `text` and the name of the rule that scored it (``base`` where none fired).

    At most `HEAD` + `TAIL` characters are looked at, code blocks not at all.

    >>> score("It must not exceed 500 euros.", "user")
    (0.9, 'constraint')
    >>> score("There is no limit, I love mustard.", "user")
    (0.7, 'base')
    """
    stripped = text.strip() if len(text) < 2 * (HEAD + TAIL) else text
    if len(stripped) < SMALL_TALK_SHORTER_THAN and _bare(stripped) in _small_talk():
        return SMALL_TALK_SCORE, "small talk"
    looked_at = _prose(stripped)
    best, name = BASE[role], "base"
    for rule in RULES:
        if rule.score <= best or role not in rule.roles:
            continue
        if rule.shorter_than is not None and len(stripped) >= rule.shorter_than:
            continue
        if _fires(rule, looked_at):
            best, name = rule.score, rule.name
    if role == "user" and len(stripped) > LONG_FROM:
        best, name = min(1.0, round(best + LONG_GAIN, 2)), ("long" if name == "base" else f"{name}, long")
    return best, name


def _prose(text: str) -> str:
    """What is looked at: lower case, straight apostrophes, no fenced code, no set phrases."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    if "```" in text:
        text = "\n".join(text.split("```")[::2])
    text = text.lower().replace("’", "'")
    for idioms in _idioms():
        text = idioms.sub(" ~ ", text)
    return text


@cache
def _idioms() -> tuple[re.Pattern[str], ...]:
    """The set phrases of each language, in which the words of the rules are not meant."""
    patterns = (_pattern(language, _split(phrases)) for language, phrases in IDIOMS.items())
    return tuple(pattern for pattern in patterns if pattern is not None)


@cache
def _small_talk() -> frozenset[str]:
    return frozenset(_bare(phrase) for phrases in SMALL_TALK.values() for phrase in _split(phrases))


def _bare(text: str) -> str:
    """`text` without punctuation, smileys and the difference between upper and lower case."""
    return _PUNCTUATION.sub(" ", text.lower().replace("’", "'")).strip()


@dataclass(frozen=True, slots=True)
class _Terms:
    """One rule's terms of one language, compiled: those that negation takes back, those at a start, the others."""

    negatable: re.Pattern[str] | None
    at_start: re.Pattern[str] | None
    always: re.Pattern[str] | None
    not_before: re.Pattern[str]
    not_after: re.Pattern[str] | None

    def places(self, text: str) -> Iterator[tuple[int, bool]]:
        """Where the terms stand that negation may take back, and whether it does."""
        for pattern in (self.negatable, self.at_start):
            if pattern is None:
                continue
            for found in pattern.finditer(text):
                if pattern is self.negatable or _begins_clause(text, found.start()):
                    yield found.start(), self._is_negated(text, found)

    def _is_negated(self, text: str, found: re.Match[str]) -> bool:
        before = text[max(0, found.start() - _NEGATION_REACH) : found.start()]
        if self.not_before.search(before):
            return True
        return self.not_after is not None and self.not_after.match(text, found.end()) is not None


def _fires(rule: Rule, text: str) -> bool:
    if rule.name == "question" and _QUESTION.search(text):
        return True
    compiled = _compiled(rule.name)
    if any(terms.always is not None and terms.always.search(text) for terms in compiled):
        return True
    # Languages share words ("limit", "urgent"): what one of those that have a word takes back is taken back.
    plain: set[int] = set()
    negated: set[int] = set()
    for terms in compiled:
        for place, is_negated in terms.places(text):
            (negated if is_negated else plain).add(place)
    return bool(plain - negated)


@cache
def _compiled(name: str) -> tuple[_Terms, ...]:
    rule = next(rule for rule in RULES if rule.name == name)
    return tuple(_compile(language, _split(terms)) for language, terms in rule.terms.items())


def _split(terms: str) -> list[str]:
    return [term.strip() for term in re.split(r"[,\n]", terms) if term.strip()]


def _compile(language: Language, terms: list[str]) -> _Terms:
    negation = NEGATIONS[language]
    return _Terms(
        negatable=_pattern(language, [term for term in terms if term[0] not in "!^"]),
        always=_pattern(language, [term[1:] for term in terms if term[0] == "!"]),
        at_start=_pattern(language, [term[1:] for term in terms if term[0] == "^"]),
        not_before=re.compile(rf"(?:{negation.before})$"),
        not_after=re.compile(negation.after) if negation.after else None,
    )


def _pattern(language: Language, terms: list[str]) -> re.Pattern[str] | None:
    """Any of `terms`, longest first, at word boundaries where the language has words."""
    if not terms:
        return None
    written = "|".join(_written(term) for term in sorted(terms, key=len, reverse=True))
    # A term in quotation marks of its own is spoken of, not meant: What does "must" mean?
    quoted = rf"(?<=[\"“„«])(?:{written})[\"”“»]"
    return re.compile(written if language in SPACELESS else rf"(?<!\w)(?!{quoted})(?:{written})(?!\w)")


def _written(term: str) -> str:
    return re.escape(term).replace(r"\ ", r"\s+").replace(r"\*", r"\w*").replace(r"\#", r"\d[\d.,]*")


def _begins_clause(text: str, at: int) -> bool:
    before = text[max(0, at - 8) : at].rstrip(" \t")
    return not before or before[-1] in _CLAUSE_ENDS
