"""Prose for paper: Markdown in the tags that QTextDocument knows, which a printer completes.

Code is ``<pre class="language-NAME">``; a formula is a picture whose name `maths_name` says, with nothing to load.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from sam_py.store.exporters.html_maths import can_be_drawn
from sam_py.store.exporters.html_prose import LONGEST_PROSE, clean, escaped, markdown_parser

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TAB = 4
_BOXES = {"[ ] ": "unchecked", "[x] ": "checked", "[X] ": "checked"}


def paper_prose(text: str) -> str:
    """The HTML of a message's Markdown, for paper."""
    return "".join(paper_slices(text))


def paper_slices(text: str, about: int = 8_000) -> Iterator[str]:
    """The same in slices of about so many characters, as setting one stops all else that the program does.

    A paragraph, a list and a block are in one; a table that is longer goes on in the next, below its head.
    """
    text = clean(text)
    if len(text) > LONGEST_PROSE:
        yield from _as_written(text, about)
        return
    parser = _parser()
    surroundings: dict[str, Any] = {}
    gathered: list[Any] = []
    length = begins = 0
    head: list[Any] = []
    tokens = parser.parse(text, surroundings)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "table_open":
            begins = len(gathered)
        gathered.append(token)
        length += len(token.content)
        if token.type == "tbody_open" and token.level == 1:  # in no list and no quotation
            head = gathered[begins:]
        is_full = length >= about
        if is_full and head and token.type == "tr_close" and following is not None and following.type == "tr_open":
            yield parser.renderer.render([*gathered, *_table_ends()], parser.options, surroundings)
            gathered, length, begins = list(head), 0, 0
        elif token.level == 0 and token.nesting <= 0:
            head = []
            if is_full:
                yield parser.renderer.render(gathered, parser.options, surroundings)
                gathered, length = [], 0
    if gathered:
        yield parser.renderer.render(gathered, parser.options, surroundings)


def _table_ends() -> tuple[Any, ...]:
    from markdown_it.token import Token

    return Token("tbody_close", "tbody", -1), Token("table_close", "table", -1)


def _as_written(text: str, about: int) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start + about, start + 2 * about) + 1 or start + 2 * about
        yield f'<p style="white-space:pre-wrap;">{escaped(text[start:end].removesuffix(chr(10)))}</p>'
        start = end


def boxed(source: str, language: str = "") -> str:
    """Code, or whatever else stands there as it was written.

    >>> boxed("a\\tb", "c++ x")
    '<pre class="language-c++" style="white-space:pre-wrap;">a   b</pre>'
    """
    name = _LANGUAGE.match(language.strip().lower())
    said = escaped(source.rstrip("\n").expandtabs(_TAB))
    return f'<pre class="language-{name[0] if name else "text"}" style="white-space:pre-wrap;">{said}</pre>'


def maths_name(latex: str, *, display: bool) -> str:
    """What the picture of a formula is called.

    >>> maths_name("x^2", display=False), latex_of(maths_name("x^2", display=True))
    ('maths:inline:eF4y', ('x^2', True))
    """
    kind = "display" if display else "inline"
    return f"maths:{kind}:{base64.urlsafe_b64encode(latex.encode()).decode()}"


def latex_of(name: str) -> tuple[str, bool] | None:
    """The formula of a picture that is called so, and whether it stands on a line of its own; None if it is none."""
    scheme, _, rest = name.partition(":")
    kind, _, coded = rest.partition(":")
    if scheme != "maths":
        return None
    try:
        return base64.urlsafe_b64decode(coded).decode(), kind == "display"
    except (binascii.Error, UnicodeDecodeError):
        return None


@cache
def _parser() -> Any:
    rules = {
        "fence": lambda tokens, at, *_rest: boxed(tokens[at].content, tokens[at].info),
        "code_block": lambda tokens, at, *_rest: boxed(tokens[at].content),
        "maths": lambda tokens, at, *_rest: _formula(tokens[at].content, display=False),
        "maths_block": lambda tokens, at, *_rest: _formula(tokens[at].content, display=True),
        "s_open": lambda *_rest: "<s>",
        "s_close": lambda *_rest: "</s>",
        "table_open": lambda *_rest: '<table border="1" cellspacing="0" cellpadding="4">',
    }
    parser = markdown_parser(rules)
    parser.core.ruler.after("inline", "boxes", _task_boxes)
    return parser


def _formula(latex: str, *, display: bool) -> str:
    if not can_be_drawn(latex):
        return boxed(latex) if display else f"<code>{escaped(latex)}</code>"
    picture = f'<img src="{maths_name(latex, display=display)}">'
    return f'<p align="center">{picture}</p>' if display else picture


def _task_boxes(state: Any) -> None:
    """The boxes of a list of tasks: Qt draws those of items of these classes."""
    tokens: Sequence[Any] = state.tokens
    for item, before, token in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "list_item_open" or before.type != "paragraph_open" or not token.children:
            continue
        first = token.children[0]
        if first.type == "text" and (name := _BOXES.get(first.content[:4])) is not None:
            first.content = first.content[4:]
            item.attrSet("class", name)
