"""What of a Markdown text is to be heard, found in another way than ours: from markdown-it-py's tokens."""

from __future__ import annotations

import re
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sam_py.speech.base import Readout
from sam_py.speech.speakable import Phrases, spoken

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_TAG = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
_ADDRESS = re.compile(r"\bhttps?://(?:www\.)?([\w.-]*\w)[^\s<>\"`|]*?(?=[.,;:!?'*_~)\]}…’]*(?:\s|$))")
_NAMED_CODE = re.compile(r"(A block of code) in [^.]{1,24}\.")


def cleaned(markdown: str, readout: Readout) -> str:
    """The whole text as it is to be heard, its letters and digits."""
    found: list[str] = []
    numbers: list[int | None] = []
    number = ""
    for token in _PARSER.parse(markdown):
        match token.type:
            case "ordered_list_open":
                numbers.append(1)
            case "bullet_list_open":
                numbers.append(None)
            case "ordered_list_close" | "bullet_list_close":
                numbers.pop()
            case "list_item_open":
                number = f"{token.info}." if numbers[-1] is not None else ""
            case "inline":
                found.append(number + _inline(token))
                number = ""
            case "fence" | "code_block":
                found.append(Phrases().code if readout.code == "announce" else "")
            case "html_block":
                found.append(unescape(_TAG.sub("", token.content)))
    return _letters("".join(found))


def heard(markdown: str, readout: Readout) -> str:
    """What is spoken, in the same form."""
    return _letters("".join(_NAMED_CODE.sub(r"\1.", each.text) for each in spoken(markdown, readout)))


def first_difference(one: str, two: str) -> str:
    """Where two texts part, for a person to look at; nothing where they do not."""
    if one == two:
        return ""
    same = next(
        (at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), min(len(one), len(two))
    )
    return f"…{one[max(0, same - 40) : same]} ¦ {one[same : same + 40]} ¦ {two[same : same + 40]}"


def _inline(token: Token) -> str:
    said = ""
    for child in token.children or []:
        match child.type:
            case "text":
                said += child.content if child.content.count("://") == 0 else _ADDRESS.sub(r"\1", child.content)
            case "code_inline" | "image":
                said += child.content
            case "softbreak" | "hardbreak":
                said += "\n"
    return said


def _letters(text: str) -> str:
    """Letters and digits: a sentence of nothing but marks is not spoken."""
    return "".join(char for char in text if char.isalnum())
