"""What a message says on screen, as plain words: what is looked through when words are looked for in a conversation."""

from __future__ import annotations

import re

from sam_py.messages.message import AssistantMessage, DeveloperMessage, Message, ToolResultMessage
from sam_py.messages.parts import CodePart, TextPart
from sam_py.store.search_index.plain import read_markdown
from sam_py.store.search_index.words import fold

_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_MARKUP = re.compile(r"[*_~`\[\]#>&|]")


def seen_words(message: Message) -> str:
    """The text and code of a message as they are read, folded. Thinking and tool calls stand folded: not they."""
    if isinstance(message, ToolResultMessage):
        return ""
    is_markdown = isinstance(message, AssistantMessage | DeveloperMessage)
    pieces = []
    for part in message.parts:
        match part:
            case TextPart():
                pieces.append(without_markup(part.text) if is_markdown else part.text)
            case CodePart():
                pieces.append(part.code)
            case _:
                pass
    return fold("\n\n".join(pieces))


def without_markup(text: str) -> str:
    """Markdown as its words and code, in order.

    >>> without_markup("A **bold** [link](http://a.b).\\n```py\\nx = [1]\\n```\\nand `y`")
    'A bold link.\\n\\nx = [1]\\n\\nand y'
    """
    if not _MARKUP.search(text):
        return text
    pieces = _FENCE.split(text)
    return "".join(piece if number % 2 else read_markdown(piece).words for number, piece in enumerate(pieces))


def pattern_of_phrase(typed: str) -> re.Pattern[str] | None:
    """What finds the words just as they were typed, in folded text, anywhere in a word; None for nothing typed.

    >>> pattern_of_phrase("Foo  bar(").search("a fOO\\nbar()".lower()).span()
    (2, 10)
    """
    words = fold(typed).split()
    return re.compile(r"\s+".join(map(re.escape, words))) if words else None
