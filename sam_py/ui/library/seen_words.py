"""What a message says on screen, as plain words: what is looked through when words are looked for in a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sam_py.messages.message import AssistantMessage, DeveloperMessage, Message, SystemMessage, ToolResultMessage
from sam_py.messages.parts import CodePart, FilePart, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.store.search_index.plain import read_markdown
from sam_py.store.search_index.words import fold
from sam_py.ui.chat.row_note import said_in
from sam_py.ui.chat.tool_calls import ToolCalls
from sam_py.ui.chat.tool_details import texts_of

_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_CODE_IN_LINE = re.compile(r"(`+[^`\n]*`+)")
_STRONG = re.compile(r"(?<!\*)(\*{1,3})(?=\S)([^*\n]{1,300}?)(?<=\S)\1(?!\*)")
"""Also in the middle of a word, where the index leaves the signs."""
_MARKUP = re.compile(r"[*_~`\[\]#>&|]")


class Place(NamedTuple):
    """Where in a row a text is drawn: the part's block, and there the how manieth text of its card, or of its own."""

    part_index: int
    """-1: what is no part, as the text of a note."""
    is_card: bool
    number: int


@dataclass(frozen=True, slots=True)
class Seen:
    """One text of a message: its words, folded, and where they are drawn.

    `said_by` is the message whose words they are: what a tool answered stands on the card of its call.
    """

    place: Place
    words: str
    said_by: str


def seen_words(message: Message, calls: ToolCalls) -> tuple[Seen, ...]:
    """What is read in the row of a message, from top to bottom, and what is read once its cards are opened."""
    found: list[Seen] = []

    def see(part_index: int, words: str, place: int = 0, card: bool = False, by: str = message.id) -> None:
        found.append(Seen(Place(part_index, card, place), fold(words), by))

    if isinstance(message, ToolResultMessage):
        if calls.reply_of(message):
            return ()
        see(-1, without_markup(message.output_text))
    elif isinstance(message, DeveloperMessage | SystemMessage):
        see(-1, without_markup(said_in(message)))
        return tuple(found)
    is_markdown = isinstance(message, AssistantMessage)
    for index, part in enumerate(message.parts):
        match part:
            case TextPart():
                see(index, without_markup(part.text) if is_markdown else part.text)
            case CodePart():
                see(index, _titled(part))
            case ThinkingTextPart():
                see(index, without_markup(part.text))
            case ToolCallPart():
                call = calls.show(part, message.id)
                result = call.result.id if call.result is not None else message.id
                for number, (_name, text, _lines, is_answer) in enumerate(texts_of(call)):
                    see(index, text, number, True, result if is_answer else message.id)
                drawn = (each for each in (call.result.parts if call.result else ()) if not isinstance(each, FilePart))
                for number, brought in enumerate(drawn):
                    if isinstance(brought, CodePart):
                        see(index, _titled(brought), number, by=result)
            case _:
                pass
    return tuple(found)


def _titled(part: CodePart) -> str:
    return f"{part.filename}\n\n{part.code}" if part.filename else part.code


def without_markup(text: str) -> str:
    """Markdown as its words and code, in order.

    >>> without_markup("A **bold** [link](http://a.b).\\n```py\\nx = [1]\\n```\\nand `y`")
    'A bold link.\\n\\nx = [1]\\n\\nand y'
    """
    if not _MARKUP.search(text):
        return text
    pieces = _FENCE.split(text)
    return "".join(piece if number % 2 else _prose(piece) for number, piece in enumerate(pieces))


def _prose(text: str) -> str:
    """
    >>> _prose("**bo**ld, `2**3**4`")
    'bold, 2**3**4'
    """
    if "*" in text:
        pieces = _CODE_IN_LINE.split(text)
        text = "".join(piece if at % 2 else _STRONG.sub(r"\2", piece) for at, piece in enumerate(pieces))
    return read_markdown(text).words


def pattern_of_phrase(typed: str) -> re.Pattern[str] | None:
    """What finds the words just as they were typed, in folded text, anywhere in a word; None for nothing typed.

    >>> pattern_of_phrase("Foo  bar(").search("a fOO\\nbar()".lower()).span()
    (2, 10)
    """
    words = fold(typed).split()
    return re.compile(r"\s+".join(map(re.escape, words))) if words else None


def closest(found: Sequence[tuple[int, int]], terms: int) -> int:
    """Which of the places to go to first: where all of the terms stand closest together.

    `found` are, in order, which term was found and at which character.

    >>> closest([(0, 1), (0, 40), (1, 900), (0, 950), (1, 960)], 2)
    3
    """
    best: tuple[int, int] | None = None
    latest: dict[int, int] = {}
    for number, (term, at) in enumerate(found):
        latest[term] = number
        first = min(latest.values())
        length = at - found[first][1]
        if len(latest) == terms and (best is None or length < best[0]):
            best = length, first
    return best[1] if best is not None else 0
