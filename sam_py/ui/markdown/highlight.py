"""Code to coloured spans, while it streams: only what follows the last safe line is read again.

Pygments is imported when the first block of code with a language it knows is met. A *safe line* is one to start again
from: a token begins with it, in a known state of the lexer, so what comes later cannot change what stands before it.
Lexers that do not tell their state start again at a line without indentation, unless a string or a comment that may
go on stands before it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

MAX_CHARS = 200_000
"""Longer code stays plain."""
WINDOW_CHARS = 2_000
"""Never more than this is read again, whatever the code looks like."""

Span = tuple[int, int, str]
"""start and length in the line, and the role of the colour"""

LIGHT_CODE = {
    "keyword": "#8a3a9b",
    "string": "#2a6b33",
    "number": "#9a4a00",
    "comment": "#676b70",
    "function": "#1d5aa8",
    "type": "#86591a",
    "name": "#0b6a75",
    "operator": "#555a60",
    "inserted": "#1f6b35",
    "deleted": "#a32a22",
    "error": "#a32a22",
}
"""Colours on `Palette.code` in the light theme; a test measures their contrast."""
DARK_CODE = {
    "keyword": "#d3a1e6",
    "string": "#a3cf8f",
    "number": "#e5b07b",
    "comment": "#969ba1",
    "function": "#8ebcf0",
    "type": "#e3c98b",
    "name": "#84cdd3",
    "operator": "#b5b9be",
    "inserted": "#93d3a2",
    "deleted": "#f0a49d",
    "error": "#f0a49d",
}

_ROLES = {
    "Keyword.Type": "type",
    "Keyword.Constant": "number",
    "Keyword": "keyword",
    "Operator.Word": "keyword",
    "Operator": "operator",
    "Punctuation": "operator",
    "Literal.String": "string",
    "Literal.Number": "number",
    "Literal.Date": "number",
    "Comment.Preproc": "keyword",
    "Comment": "comment",
    "Name.Function": "function",
    "Name.Class": "type",
    "Name.Exception": "type",
    "Name.Builtin": "name",
    "Name.Decorator": "function",
    "Name.Tag": "keyword",
    "Name.Attribute": "name",
    "Name.Namespace": "type",
    "Name.Constant": "number",
    "Name.Variable": "name",
    "Generic.Inserted": "inserted",
    "Generic.Deleted": "deleted",
    "Generic.Heading": "function",
    "Generic.Subheading": "function",
    "Generic.Prompt": "comment",
    "Generic.Error": "error",
}
_NAME_CHARS = 40
"""What is longer names no language."""
_REMEMBERED = 200
_UNSAFE = frozenset({"string", "comment"})
_WHOLE_COMMENT = re.compile(r"(?s)\s*(?://|#|--(?!\[)|;|%|/\*.*\*/|<!--.*-->)")
"""A comment that is over when its line, or its token, is."""
_LINE_BY_LINE = frozenset({"JsonLexer", "JsonLdLexer"})
"""Lexers without states, of languages where nothing but a rare comment goes over the end of a line."""


class Highlighter:
    """Colours one block of code line by line; the same lines give the same spans in whatever steps they come."""

    def __init__(self, language: str) -> None:
        self._lexer = _lexer(language)
        self.spans: list[list[Span]] = []
        """The spans of each line that was read so far."""
        self._safe = 0  # the line to start again from
        self._stack: tuple[str, ...] = ("root",)
        self._read = 0  # characters in lines before `_safe`

    @property
    def active(self) -> bool:
        return self._lexer is not None and self._read <= MAX_CHARS

    @property
    def next_line(self) -> int:
        """The first line that `update` will read, perhaps once more: spans before it do not change."""
        return self._safe

    def update(self, lines: list[str], upto: int) -> int:
        """Read the lines before `upto` that are new, or may look different now. Returns the first line that changed."""
        first = self._safe
        if not self.active:
            return len(lines)
        while True:
            end = self._safe
            size = 0
            while end < upto and size <= WINDOW_CHARS:
                size += len(lines[end]) + 1
                end += 1
            if end <= self._safe:
                break
            before = self._safe
            self._read_window(lines[self._safe : end])
            if end >= upto:
                break
            if self._safe == before:  # no safe line in a whole window: go on as if the last one were
                self._read += sum(len(line) + 1 for line in lines[before : end - 1])
                self._safe = max(before + 1, end - 1)
        return first

    def _read_window(self, lines: list[str]) -> None:
        text = "\n".join(lines) + "\n"
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        spans: list[list[Span]] = [[] for _ in lines]
        number = 0
        safe: tuple[int, tuple[str, ...]] | None = None
        previous = ""
        blank_from = len(text)  # where the white space before the token begins
        guesses = _table(self._lexer) is None
        knows_lines = type(self._lexer).__name__ in _LINE_BY_LINE
        for at, token, value, stack in _tokens(self._lexer, text, self._stack):
            role = _role(token)
            while number < len(lines) and at >= starts[number + 1]:
                number += 1
            if number and number < len(lines) and (at == starts[number] or blank_from < starts[number]):
                if stack is not None:
                    safe = (number, stack)
                elif knows_lines or (guesses and previous not in _UNSAFE and lines[number][:1].strip()):
                    safe = (number, ("root",))
            blank_from = len(text)
            if not value.strip():
                blank_from = at
            else:
                previous = "" if role == "comment" and _WHOLE_COMMENT.match(value) else role
            if role:
                _add(spans, starts, number, at, value, role)
        del self.spans[self._safe :]
        self.spans.extend(spans)
        if safe is not None:
            self._read += starts[safe[0]]
            self._safe += safe[0]
            self._stack = safe[1]


def _add(spans: list[list[Span]], starts: list[int], number: int, at: int, value: str, role: str) -> None:
    """Note a token, which may run over several lines."""
    end = at + len(value)
    while at < end and number < len(spans):
        stop = min(end, starts[number + 1] - 1)
        if stop > at:
            line, start, length = spans[number], at - starts[number], stop - at
            if line and line[-1][2] == role and line[-1][0] + line[-1][1] == start:
                line[-1] = (line[-1][0], line[-1][1] + length, role)
            else:
                line.append((start, length, role))
        number += 1
        at = starts[number] if number < len(starts) else end


def _tokens(lexer: Any, text: str, stack: tuple[str, ...]) -> Iterator[tuple[int, Any, str, tuple[str, ...] | None]]:
    """Yield (offset, type, text, state before it); the state is None where the lexer does not tell."""
    table = _table(lexer)
    if table is None or any(state not in table for state in stack):
        for at, token, value in lexer.get_tokens_unprocessed(text):
            yield at, token, value, None
    elif _is_renaming(_kind(lexer)):
        known = {at: before for at, _token, _value, before in _walk(lexer, table, text, stack)}
        for at, token, value in lexer.get_tokens_unprocessed(text, stack):
            yield at, token, value, known.get(at)
    else:
        yield from _walk(lexer, table, text, stack)


def _walk(
    lexer: Any, table: Any, text: str, stack: tuple[str, ...]
) -> Iterator[tuple[int, Any, str, tuple[str, ...] | None]]:
    """Go over `text` by the rules of a state machine, as Pygments does, and tell the states."""
    states = list(stack)
    at = 0
    while at < len(text):
        for match_at, action, following in table[states[-1]]:
            match = match_at(text, at)
            if not match or (match.end() == at and following is None):
                continue
            before = tuple(states)
            if action is not None:
                if not isinstance(action, tuple):  # a token type is a tuple of names; all else is a callback
                    for where, token, value in action(lexer, match):
                        yield where, token, value, before if where == at else None
                else:
                    yield at, action, match[0], before
            at = match.end()
            if following is not None:
                _move(states, following)
            break
        else:
            from pygments.token import Error, Whitespace

            if text[at] == "\n":
                states = ["root"]
                yield at, Whitespace, "\n", ("root",)
            else:
                yield at, Error, text[at], tuple(states)
            at += 1


def _move(states: list[str], following: Any) -> None:
    """Apply a rule's new state, in any of the forms that Pygments' tables hold."""
    if isinstance(following, int):
        del states[max(1, len(states) + following) :]
        return
    for state in following if isinstance(following, tuple) else (following,):
        if state == "#pop":
            if len(states) > 1:
                states.pop()
        elif state == "#push":
            states.append(states[-1])
        else:
            states.append(state)


def _table(lexer: Any) -> Any:
    """The rules of a lexer that is a state machine, else None."""
    from pygments.lexer import ExtendedRegexLexer, RegexLexer

    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer):
        return None
    plain = type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
    return lexer._tokens if plain or _is_renaming(_kind(lexer)) else None


@lru_cache(maxsize=64)
def _is_renaming(kind: Any) -> bool:
    """Whether a lexer of this kind walks from a state that it is told, and then calls some tokens otherwise, as C's."""
    from pygments.lexer import RegexLexer

    method = kind.get_tokens_unprocessed
    return method is not RegexLexer.get_tokens_unprocessed and "stack" in inspect.signature(method).parameters


def _kind(lexer: Any) -> Any:
    return type(lexer)


_loaded: set[str] = set()


def is_loaded(language: str) -> bool:
    """Whether a `Highlighter` of the language is there at once: the first takes 30 ms, most of it Pygments' import."""
    return language in _loaded or len(language) > _NAME_CHARS


def load(language: str) -> None:
    """Do now what the first `Highlighter` of a language takes time for."""
    if not is_loaded(language):
        _lexer(language)
        if len(_loaded) >= _REMEMBERED:  # names are the model's: there may be any number of them
            _loaded.clear()
        _loaded.add(language)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    """Return Pygments' lexer for a language, None where there is none."""
    if len(language) > _NAME_CHARS or language in ("", "text", "txt", "plain", "plaintext", "output"):
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _role(token: Any) -> str:
    names = [str(part) for part in token]
    for end in range(len(names), 0, -1):
        if role := _ROLES.get(".".join(names[:end])):
            return role
    return ""
