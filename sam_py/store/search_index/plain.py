"""Markdown as a reader sees its words, and what stands out in it: fenced code and links, with their places."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

_MOST_LINKS = 500
_FENCE = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([^`\n]*)$", re.MULTILINE)
_LABELLED = re.compile(
    r"(?P<image>!?)\[(?P<label>[^\[\]\n]{0,500})\]\(\s*<?(?P<url>[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?"
    r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)"
)
_BARE = re.compile(r"\bhttps?://[^\s<>\"`\\^{}|\x1f]{1,2000}", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?|ftp|mailto):", re.IGNORECASE)
_LINE_START = re.compile(r"^[ \t]{0,3}(?:(?:#{1,6}|>)[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)+", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:*_-]{3,}$", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*~_])[*~_]{1,3}(?=[^\s*~_])|(?<=[^\s*~_])[*~_]{1,3}(?![\w*~_])")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Code:
    """A fenced block. `offset` is the character of the Markdown at which its fence begins."""

    offset: int
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class Link:
    offset: int
    url: str
    label: str


@dataclass(slots=True)
class Plain:
    words: str
    codes: list[Code] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


def read_markdown(text: str) -> Plain:
    """The words of `text` without its code and signs, and that code and its links apart. Linear in its length.

    >>> found = read_markdown("# Look\\n**here**: [docs](https://a.org/b)\\n```py\\nx = 1\\n```\\nand `y`")
    >>> found.words
    'Look\\nhere: docs\\n\\nand y'
    >>> found.codes, found.links
    ([Code(offset=41, language='py', code='x = 1')], [Link(offset=17, url='https://a.org/b', label='docs')])
    """
    if "```" not in text and "~~~" not in text:
        links: list[Link] = []
        return Plain(_prose(text, 0, links), [], links)
    plain = Plain("")
    pieces: list[str] = []
    position = 0
    while (opened := _FENCE.search(text, position)) is not None:
        pieces.append(_prose(text[position : opened.start()], position, plain.links))
        end, position = _end_of_fence(text, opened)
        block = text[opened.end() + 1 : end]
        language = opened[3].strip().split(" ", 1)[0].strip("{}.").lower() if opened[3].strip() else ""
        plain.codes.append(Code(opened.start(), language[:40], _unindented(block, opened[1])))
    pieces.append(_prose(text[position:], position, plain.links))
    plain.words = "".join(pieces)
    return plain


def _end_of_fence(text: str, opened: re.Match[str]) -> tuple[int, int]:
    """Where the code ends, and where what follows its closing fence begins. An open fence goes on to the end."""
    sign = re.escape(opened[2][0])
    closing = re.compile(rf"^[ \t>]*{sign}{{{len(opened[2])},}}[ \t]*$", re.MULTILINE)
    closed = closing.search(text, min(opened.end() + 1, len(text)))
    if closed is None:
        return len(text), len(text)
    return max(opened.end() + 1, closed.start() - 1), closed.end()


def _unindented(block: str, before: str) -> str:
    width = len(before)
    if not width:
        return block
    return "\n".join(line[width:] if not line[:width].strip(" \t>") else line for line in block.split("\n"))


def _prose(text: str, at: int, links: list[Link]) -> str:
    if "](" in text:
        text, whole = _LABELLED.sub(lambda found: _take_labelled(found, at, links), text), text
    else:
        whole = text
    if "://" in whole:
        known = {link.url for link in links}
        for found in _BARE.finditer(whole):
            url = _trimmed(found[0])
            if url not in known and len(links) < _MOST_LINKS:
                known.add(url)
                links.append(Link(at + found.start(), url, ""))
    if "#" in text or ">" in text or "- " in text or "* " in text or "+ " in text:
        text = _LINE_START.sub("", text)
    if "---" in text or "***" in text or "___" in text:
        text = _RULE.sub("", text)
    if "*" in text or "_" in text or "~" in text:
        text = _EMPHASIS.sub("", text)
    if "|" in text:
        text = text.replace("|", " ")
    if "`" in text:
        text = text.replace("`", "")
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return text


def _take_labelled(found: re.Match[str], at: int, links: list[Link]) -> str:
    url, label = found["url"], found["label"]
    if _SCHEME.match(url) and len(links) < _MOST_LINKS and all(link.url != url for link in links):
        links.append(Link(at + found.start(), url, label.strip("*_`~ ")))
    return label


def _trimmed(url: str) -> str:
    """An address in running text without the punctuation of the sentence.

    >>> _trimmed("https://a.org/x_(y))."), _trimmed("https://a.org/x_(y)")
    ('https://a.org/x_(y)', 'https://a.org/x_(y)')
    """
    while url and (url[-1] in ".,;:!?'*_~]" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url
