"""The labelled corpus of sentences beside this file, and how it is read.

Every sentence was written for it; where one ends was decided by reading. Two kinds of file:

``english.txt`` and the other languages: a sentence a line, a blank line between documents. A line that begins with
``%`` is a remark; ``% between: space`` (or ``nothing``) says what stands between the sentences of a document. A mark
at the end of a line says otherwise for that place: ``↵`` a line break, ``¶`` a blank line, ``␣`` a space, ``∅``
nothing.
What a splitter is given is the whole document; what it must find is where one sentence ends and the next begins.

``markdown.txt``: Markdown as a reply has it. ``@ NAME`` begins a document; below it stands its source, then a line
``@ spoken``, then what is to be heard, an utterance a line. A blank line there separates blocks. ``<*>`` in an
utterance stands for words that are ours to choose (an announcement, a formula put into words), or for none.

``….holdout.txt`` are texts on other topics, written after the rules: their figures are the honest ones. Once a rule has
been made with them they belong into the other file, and new ones are due: it has happened to four lots so far.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
LANGUAGES = ("english", "german", "french", "spanish", "chinese", "japanese")
ANYTHING = "<*>"

_BETWEEN = {"space": " ", "nothing": ""}
_MARKS = {"↵": "\n", "¶": "\n\n", "␣": " ", "∅": ""}


@dataclass(frozen=True, slots=True)
class Document:
    """Sentences of a text in their order, and what stands after each (after the last, nothing)."""

    sentences: tuple[str, ...]
    between: tuple[str, ...]
    line: int
    """Where it begins in its file, from 1."""

    @property
    def source(self) -> str:
        return "".join(part for pair in zip(self.sentences, self.between, strict=True) for part in pair)

    @property
    def boundaries(self) -> tuple[int, ...]:
        """Where a sentence ends and another follows, counted in characters that are no white space.

        >>> Document(("It is 3.14.", "Really?"), (" ", ""), 1).boundaries
        (9,)
        """
        ends, count = [], 0
        for sentence in self.sentences:
            count += len("".join(sentence.split()))
            ends.append(count)
        return tuple(ends[:-1])


@dataclass(frozen=True, slots=True)
class MarkdownDocument:
    """Markdown, and what of it is to be heard: blocks of utterances."""

    name: str
    source: str
    blocks: tuple[tuple[str, ...], ...]

    @property
    def utterances(self) -> tuple[str, ...]:
        return tuple(utterance for block in self.blocks for utterance in block)


@cache
def documents(language: str, *, holdout: bool = False) -> tuple[Document, ...]:
    """Read the documents of one of `LANGUAGES`. A file that is not as described raises `ValueError` with its line."""
    path = _path(language, holdout)
    between: str | None = None
    found: list[Document] = []
    lines: list[str] = []
    for number, line in enumerate([*path.read_text("utf-8").splitlines(), ""], start=1):
        if line.startswith("%"):
            if declared := re.fullmatch(r"% between: (\w+)", line):
                between = _BETWEEN[declared[1]]
        elif line:
            lines.append(line)
        elif lines:
            if between is None:
                raise ValueError(f"{path.name}: no line '% between: …' stands before line {number}")
            found.append(_document(lines, between, number - len(lines)))
            lines = []
    return tuple(found)


@cache
def markdown_documents(*, holdout: bool = False) -> tuple[MarkdownDocument, ...]:
    """Read the Markdown of the corpus."""
    path = _path("markdown", holdout)
    found = []
    for chunk in re.split(r"^@ (?!spoken$)", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = chunk.partition("\n")
        source, middle, spoken = rest.partition("\n@ spoken\n")
        if not middle:
            raise ValueError(f"{path.name}: '{name}' does not say what is spoken")
        blocks = tuple(tuple(block.splitlines()) for block in re.split(r"\n{2,}", spoken.strip("\n")) if block)
        found.append(MarkdownDocument(name, source.strip("\n"), blocks))
    return tuple(found)


def _path(language: str, holdout: bool) -> Path:
    return FOLDER / f"{language}{'.holdout' if holdout else ''}.txt"


def _document(lines: list[str], between: str, line: int) -> Document:
    sentences, gaps = [], []
    for text in lines:
        marked = text[-1] in _MARKS
        sentences.append(text[:-1] if marked else text)
        gaps.append(_MARKS[text[-1]] if marked else between)
    return Document(tuple(sentences), (*gaps[:-1], ""), line)
