"""PlainText: the sentences of text that has no markup, as a selection on screen has none."""

from __future__ import annotations

import re

from sam_py.speech.base import Utterance
from sam_py.speech.sentences import Sentences

_FORMULA = re.compile(r"\$\$(?P<shown>[^$]+)\$\$|(?<![\w$\\])\$(?=\S)(?P<inline>[^$\n]*[^$\s])\$(?![\w$])")
"""An amount of money is none: what closes a formula stands behind a character and before no digit."""
_ROW = re.compile(r"^[^\n\t]*\t[^\n]*\n?", re.MULTILINE)
_RUNS = re.compile(r"[\n\u2028\u2029\ufffc]|[^\n\u2028\u2029\ufffc]+")


def as_heard(selected: str) -> str:
    """What is selected on screen, with formulas in words and each row of a table for itself.

    >>> as_heard("It costs $5 or $10. So $x^2$ is.")
    'It costs $5 or $10. So x squared is.'
    >>> as_heard("Brest\\t6.1 m\\nDover\\t5.9 m")
    'Brest, 6.1 m\\u2029Dover, 5.9 m\\u2029'
    """
    if "$" in selected:
        from sam_py.speech.spoken_maths import describe

        selected = _FORMULA.sub(lambda found: describe(found["shown"] or found["inline"]), selected)
    return _ROW.sub(_row, selected)


def _row(found: re.Match[str]) -> str:
    return ", ".join(filter(None, (cell.strip() for cell in found[0].split("\t")))) + "\u2029"


class PlainText:
    """Sentences as they become certain, whatever pieces the text comes in.

    A blank line ends a sentence, as does Qt's end of a paragraph (U+2029, in what is selected); Qt's sign for a
    picture (U+FFFC) is not read.

    >>> text = PlainText()
    >>> [each.text for each in [*text.feed("2 * 3 is six. Is"), *text.feed(" it?"), *text.finish()]]
    ['2 * 3 is six.', 'Is it?']
    """

    def __init__(self) -> None:
        self._found: list[Utterance] = []
        self._sentences = Sentences(self._take)
        self._at = 0
        self._line_is_blank = False

    def feed(self, text: str) -> list[Utterance]:
        """The sentences that are certain now. Costs what `text` costs."""
        for run in _RUNS.findall(text):
            self._read(run)
            self._at += len(run)
        return self._taken()

    def finish(self) -> list[Utterance]:
        """The rest."""
        self._sentences.end()
        return self._taken()

    def _read(self, run: str) -> None:
        if run == "\ufffc":
            return
        if run == "\u2029" or (run in ("\n", "\u2028") and self._line_is_blank):
            self._sentences.end()
        elif run in ("\n", "\u2028"):
            self._sentences.break_line(self._at)
            self._line_is_blank = True
        else:
            self._sentences.add(run, self._at)
            self._line_is_blank = self._line_is_blank and run.isspace()

    def _take(self, text: str, start: int, end: int) -> None:
        if any(char.isalnum() for char in text):
            self._found.append(Utterance(text, start, end, "text"))

    def _taken(self) -> list[Utterance]:
        found, self._found = self._found, []
        return found
