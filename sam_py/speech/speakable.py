"""What of a reply is spoken, while it is written: Markdown goes in piece by piece, utterances come out.

Blocks are found (`blocks`), their markup is taken out (`markup`), and their text is cut into sentences (`sentences`).
No Qt, no clock, no I/O.

Always true (tests check it): the utterances depend on the text alone, never on how it was cut into pieces; joined they
are the text without markup, nothing twice and nothing lost; feeding a piece costs what the piece costs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sam_py.speech.base import Kind, Readout, Utterance
from sam_py.speech.blocks import Blocks
from sam_py.speech.markup import Markup
from sam_py.speech.rows import split_row
from sam_py.speech.sentences import Sentences
from sam_py.speech.spoken_maths import describe

_LANGUAGE = re.compile(r"[{\s]*\.?([\w+#.-]{1,24})")
_LANGUAGES = {
    "py": "Python", "python": "Python", "python3": "Python", "js": "JavaScript", "javascript": "JavaScript",
    "jsx": "JavaScript", "ts": "TypeScript", "typescript": "TypeScript", "tsx": "TypeScript", "cpp": "C++",
    "c++": "C++", "cs": "C sharp", "csharp": "C sharp", "sh": "shell", "bash": "shell", "zsh": "shell",
    "shell": "shell", "console": "shell", "ps1": "PowerShell", "powershell": "PowerShell", "rb": "Ruby", "rs": "Rust",
    "kt": "Kotlin", "md": "Markdown", "yml": "YAML", "tex": "LaTeX", "latex": "LaTeX", "golang": "Go", "json": "JSON",
    "html": "HTML", "css": "CSS", "sql": "SQL", "xml": "XML", "yaml": "YAML", "toml": "TOML", "php": "PHP",
}  # fmt: skip
_NO_LANGUAGE = frozenset({"text", "txt", "plain", "plaintext", "none", "output"})


@dataclass(frozen=True, slots=True)
class Phrases:
    """What is said instead of what cannot be read aloud. The window hands them in, in its own language."""

    code: str = "A block of code."
    code_in: str = "A block of code in %1."
    """``%1`` is the language's name."""


class SpokenText:
    """Takes the Markdown of one text part piece by piece, and returns what can be spoken by now.

    `readout` may be exchanged at any time: it counts from the next block on.
    """

    def __init__(self, readout: Readout, phrases: Phrases | None = None) -> None:
        self.readout = readout
        self._phrases = phrases or Phrases()
        self._kind: Kind = "prose"
        self._said: list[Utterance] = []
        self._names: list[str] = []
        self._end = 0  # up to where the source was spoken
        self._sentences = Sentences(self._take)
        self._markup = Markup(self._sentences, self._describe, emoji=readout.emoji)
        self._blocks = Blocks(self)

    def feed(self, markdown: str) -> list[Utterance]:
        """Go on with `markdown`; return the utterances that are decided now. O(`markdown`)."""
        self._blocks.feed(markdown)
        return self._hand_over()

    def finish(self) -> list[Utterance]:
        """The part has ended: return what is left."""
        self._blocks.finish()
        return self._hand_over()

    def _hand_over(self) -> list[Utterance]:
        said, self._said = self._said, []
        return said

    def _take(self, text: str, start: int, end: int) -> None:
        if any(char.isalnum() for char in text):
            self._said.append(Utterance(text, start, end, self._kind))
            self._end = end

    def _describe(self, latex: str) -> str:
        return describe(latex) if self.readout.maths == "describe" else ""

    # What `Blocks` tells

    def begin(self, kind: Kind) -> None:
        self._kind = kind
        self._markup.emoji = self.readout.emoji

    def text(self, text: str, start: int) -> None:
        self._markup.feed(text, start)

    def end(self) -> None:
        self._markup.finish()

    def is_heading(self) -> None:
        self._kind = "heading"

    def take_back(self, start: int) -> None:
        self._markup.forget()
        self._sentences.forget_from(start)

    def code(self, info: str, start: int, end: int) -> None:
        if self.readout.code == "skip":
            return
        match = _LANGUAGE.match(info)
        language = match[1] if match else ""
        name = _LANGUAGES.get(language.lower(), language)
        named = name and name.lower() not in _NO_LANGUAGE
        self._speak("code", self._phrases.code_in.replace("%1", name) if named else self._phrases.code, start, end)

    def formula(self, latex: str, start: int, end: int) -> None:
        self._speak("maths", self._describe(latex), start, end)

    def header(self, row: str, start: int) -> None:
        cells = split_row(row)
        self._names = [re.sub(r"[*_`~\\]", "", cell) for cell, _ in cells]
        self._row(cells, start, ["" for _ in cells])

    def row(self, row: str, start: int) -> None:
        cells = split_row(row)[: len(self._names)]
        names = [name if len(self._names) > 2 and index else "" for index, name in enumerate(self._names)]
        self._row(cells, start, names)

    def _row(self, cells: list[tuple[str, int]], start: int, names: list[str]) -> None:
        """Read a row as one sentence: its cells, with the names of their columns where there are more than two."""
        if self.readout.tables == "skip":
            return
        self._kind = "table"
        self._sentences.whole = True
        first = True
        for (cell, place), name in zip(cells, names, strict=False):
            at = start + place
            spoken = max(0, self._end - at)  # a header's line may have begun with a sentence
            cell, at = cell[spoken:], at + spoken
            if not cell:
                continue
            lead = "" if first else ", "
            self._sentences.add_solid(f"{lead}{name}: " if name else lead, at, at)
            self._markup.feed(cell.replace("\\|", "|"), at)
            self._markup.finish_cell()
            first = False
        self._sentences.whole = False
        self._sentences.end()

    def _speak(self, kind: Kind, text: str, start: int, end: int) -> None:
        self._kind = kind
        self._sentences.whole = True
        self._sentences.add_solid(text, start, end)
        self._sentences.whole = False
        self._sentences.end()


def spoken(markdown: str, readout: Readout | None = None) -> list[Utterance]:
    """Return the utterances of a whole text.

    >>> [(said.text, said.start, said.end) for said in spoken("# Hi\\n\\n**Dr. No** is *here*. [Look](x.html)!")]
    [('Hi', 2, 4), ('Dr. No is here.', 8, 27), ('Look!', 29, 43)]
    """
    text = SpokenText(readout or Readout())
    return text.feed(markdown) + text.finish()
