"""Prose as HTML: the Markdown of a message without anything in it that could act or load.

HTML in the Markdown is text; pictures become links; a link goes to the web or to a mail address, or is none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from sam_py.store.exporters.html_links import bare_links
from sam_py.store.exporters.html_maths import formula

LONGEST_PROSE = 300_000
"""Characters; what is longer stands there as it was written."""
LONGEST_CODE = 200_000
"""Characters that are coloured."""
_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_INLINE = re.compile(
    r"\$\$(?=\S)([^$\n]{1,400}?)(?<=\S)\$\$"
    r"|\$(?=[^\s$\d])([^$\n]{1,400}?)(?<![\s\\])\$(?![\w$])"
    r"|\$(?=\d)([^$\n]{0,200}?[\\^_=+{][^$\n]{0,200}?)(?<![\s\\])\$(?![\w$])"
    r"|\\\((.{1,400}?)\\\)",
    re.DOTALL,
)
_BEFORE_DOLLAR = re.compile(r"[\\\w$]")
_BLOCKS = (("$$", "$$"), ("\\[", "\\]"))
_LONGEST_FORMULA_LINES = 200
_BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


def prose(text: str) -> str:
    """The HTML of a message's Markdown."""
    text = clean(text)
    if len(text) > LONGEST_PROSE:
        return f'<pre class="plain">{escaped(text)}</pre>'
    rendered: str = _parser().render(text)
    return rendered


def code(source: str, language: str = "", filename: str = "") -> str:
    """A block of code, coloured where the language is known."""
    source = clean(source)
    name = " · ".join(filter(None, (filename.strip(), language.strip())))
    head = f'<figcaption dir="auto">{escaped(name)}</figcaption>' if name else ""
    return f'<figure class="code">{head}<pre dir="ltr"><code>{_coloured(source, language)}</code></pre></figure>'


def escaped(text: str) -> str:
    """`text` for anywhere in a page, attributes too."""
    return html.escape(clean(text), quote=True)


def clean(text: str) -> str:
    """`text` without what no page may hold.

    >>> clean("a\\x00b\\tc")
    'a\ufffdb\\tc'
    """
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n"))


def link(address: str, text: str) -> str:
    """A link where the address is one that a page may have; else its text.

    >>> link("javascript:alert(1)", "x"), link("https://example.org/?a&b", "x")[:44]
    ('x', '<a href="https://example.org/?a&amp;b" rel="')
    """
    if not _LINK.match(address.strip()):
        return escaped(text)
    return f'<a href="{escaped(address.strip())}" rel="noreferrer noopener">{escaped(text)}</a>'


def _coloured(source: str, language: str) -> str:
    name = language.strip().split()[0].lower() if language.strip() else ""
    if not name or len(source) > LONGEST_CODE:
        return html.escape(source, quote=False)
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return html.escape(source, quote=False)
    coloured: str = highlight(source, lexer, HtmlFormatter(nowrap=True, classprefix="p-"))
    return coloured


@cache
def _parser() -> Any:
    rules = {
        "fence": lambda tokens, at, *_rest: code(tokens[at].content.rstrip("\n"), tokens[at].info),
        "code_block": lambda tokens, at, *_rest: code(tokens[at].content.rstrip("\n")),
        "maths": lambda tokens, at, *_rest: formula(tokens[at].content, display=False),
        "maths_block": lambda tokens, at, *_rest: formula(tokens[at].content, display=True),
        "th_open": _cell_open,
        "td_open": _cell_open,
        "table_open": lambda *_rest: '<div class="scroll" dir="auto"><table>\n',
        "table_close": lambda *_rest: "</table></div>\n",
    }
    parser = markdown_parser(rules)
    parser.core.ruler.after("inline", "boxes", _task_boxes)
    parser.core.ruler.push("directions", _directions)
    return parser


def markdown_parser(rules: Mapping[str, Callable[..., str]]) -> Any:
    """A parser of Markdown whose pages load nothing, with formulas and tables; `rules` set its parts."""
    from markdown_it import MarkdownIt

    parser: Any = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "maths", _inline_maths)
    parser.block.ruler.before("paragraph", "maths_block", _block_maths, {"alt": ["paragraph", "reference", "list"]})
    parser.core.ruler.after("inline", "bare links", bare_links)
    everywhere: dict[str, Callable[..., str]] = {
        "image": _picture,
        "link_open": _link_open,
        "html_inline": lambda tokens, at, *_rest: escaped(tokens[at].content),
        "html_block": lambda tokens, at, *_rest: escaped(tokens[at].content),
    }
    parser.renderer.rules.update({**everywhere, **rules})
    return parser


def _directions(state: Any) -> None:
    """Lists and quotes begin at the side of their own script; paragraphs do by the style sheet."""
    for token in state.tokens:
        if token.type in ("bullet_list_open", "ordered_list_open", "blockquote_open"):
            token.attrSet("dir", "auto")


def _picture(tokens: Sequence[Any], at: int, *_rest: Any) -> str:
    """A picture at an address is a link to it: a page loads nothing."""
    return link(str(tokens[at].attrs.get("src", "")), f"🖼 {tokens[at].content or 'picture'}")


def _link_open(tokens: Sequence[Any], at: int, *_rest: Any) -> str:
    address = str(tokens[at].attrs.get("href", ""))
    if not _LINK.match(address):
        return "<a>"
    return f'<a href="{escaped(address)}" rel="noreferrer noopener">'


def _cell_open(tokens: Sequence[Any], at: int, *_rest: Any) -> str:
    """A cell of a table; how it is aligned is a class, as the page's policy allows no style in an element."""
    style = str(tokens[at].attrs.get("style", ""))
    name = "right" if "right" in style else "middle" if "center" in style else ""
    return f'<{tokens[at].tag} class="{name}">' if name else f"<{tokens[at].tag}>"


def _inline_maths(state: Any, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _INLINE.match(state.src, state.pos)
    if found is None or (found[4] is None and state.pos and _BEFORE_DOLLAR.match(state.src[state.pos - 1])):
        return False
    latex = next(group for group in found.groups() if group is not None)
    if not latex.strip() or "`" in latex:
        return False
    if not silent:
        token = state.push("maths", "", 0)
        token.content = latex
    state.pos = found.end()
    return True


def _block_maths(state: Any, start: int, end: int, silent: bool) -> bool:
    line = state.getLines(start, start + 1, state.blkIndent, False).strip()
    marks = next((pair for pair in _BLOCKS if line.startswith(pair[0])), None)
    if marks is None or state.is_code_block(start):
        return False
    opening, closing = marks
    begin = state.bMarks[start] + state.tShift[start] + len(opening)
    furthest = state.eMarks[min(start + _LONGEST_FORMULA_LINES, end - 1)]
    if not begin <= _next(state, closing, begin) <= furthest:
        return False
    gathered = [line[len(opening) :]]
    last = start
    while not gathered[-1].rstrip().endswith(closing):
        last += 1
        if last >= end or last - start > _LONGEST_FORMULA_LINES:
            return False
        gathered.append(state.getLines(last, last + 1, state.blkIndent, False))
    latex = "\n".join(gathered).rstrip().removesuffix(closing).strip()
    if not latex or closing in latex:
        return False
    if not silent:
        token = state.push("maths_block", "", 0)
        token.content = latex
        token.map = [start, last + 1]
        state.line = last + 1
    return True


def _next(state: Any, mark: str, at: int) -> int:
    """Where `mark` comes next in the text; looked for once, however many formulas are begun before it. -1: nowhere."""
    known: dict[str, int] = state.env.setdefault("next marks", {})
    if mark not in known or -1 < known[mark] < at:
        known[mark] = state.src.find(mark, at)
    return known[mark]


def _task_boxes(state: Any) -> None:
    """The boxes of a list of tasks."""
    for before, token in zip(state.tokens[1:], state.tokens[2:], strict=False):
        if token.type == "inline" and before.type == "paragraph_open" and token.level >= 2 and token.children:
            first = token.children[0]
            if first.type == "text" and (box := _BOXES.get(first.content[:4])) is not None:
                first.content = box + first.content[4:]
