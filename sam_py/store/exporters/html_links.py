"""Addresses that stand in a text without the marks of a link, made links of: as the window shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_ADDRESS = re.compile(r"(?<![\w@/.-])(?:https?://|www\.)[^\s<>\"`|\\^{}\u3000-\u303f\uff00-\uffef]+", re.IGNORECASE)
_AFTER = ".,;:!?'*_~…”’»"
"""What ends a sentence and not an address."""
_BRACKETS = {")": "(", "]": "["}


def bare_links(state: Any) -> None:
    """A rule for markdown-it's core, after its inline rules."""
    from markdown_it.token import Token

    for block in state.tokens:
        if block.type != "inline" or not block.children or ("://" not in block.content and "www." not in block.content):
            continue
        children, depth = [], 0
        for token in block.children:
            depth += (token.type == "link_open") - (token.type == "link_close")
            if token.type != "text" or depth:
                children.append(token)
                continue
            for text, address in addresses_in(token.content):
                if address:
                    children.append(Token("link_open", "a", 1, attrs={"href": address}))
                children.append(Token("text", "", 0, content=text))
                if address:
                    children.append(Token("link_close", "a", -1))
        block.children = children


def addresses_in(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of `text`, each with the address that it is, or "".

    >>> list(addresses_in("See (https://a.org/b_(c)), or www.d.org."))[1::2]
    [('https://a.org/b_(c)', 'https://a.org/b_(c)'), ('www.d.org', 'http://www.d.org')]
    >>> list(addresses_in("http:// is none"))
    [('http:// is none', '')]
    """
    at = 0
    for match in _ADDRESS.finditer(text):
        found = _without_what_follows(match[0])
        if not found.rpartition("//")[2].strip("wW."):  # nothing but the beginning of one
            continue
        if at < match.start():
            yield text[at : match.start()], ""
        yield found, found if "://" in found[:8] else f"http://{found}"
        at = match.start() + len(found)
    if at < len(text):
        yield text[at:], ""


def _without_what_follows(found: str) -> str:
    """The address without the brackets and full stops of the sentence around it."""
    too_many = {last: found.count(last) - found.count(first) for last, first in _BRACKETS.items()}
    end = len(found)
    while end and (found[end - 1] in _AFTER or too_many.get(found[end - 1], 0) > 0):
        end -= 1
        if found[end] in too_many:
            too_many[found[end]] -= 1
    return found[:end]
