"""Markup: an HTML tree as Markdown: headings, lists, tables, links, code. What a browser would not show stays out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from sam_py.store.documents.tables import table

_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "head", "iframe", "object", "embed", "canvas",
                     "math", "select", "textarea", "audio", "video", "map"})  # fmt: skip
_BLOCKS = frozenset({"p", "div", "section", "article", "main", "header", "footer", "nav", "aside", "blockquote", "dl",
                     "dt", "dd", "figure", "figcaption", "address", "form", "fieldset", "details", "summary", "center",
                     "body", "ul", "ol", "li", "pre", "table", "caption", "tr", "hr", "h1", "h2", "h3", "h4", "h5",
                     "h6"})  # fmt: skip
_CLOSE = frozenset({"li", "dt", "dd", "tr"})
"""Blocks without a blank line around them."""
_UNSEEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_BLANK = re.compile(r"\n{3,}")
_STARTS = {f"h{level}": f"{'#' * level} " for level in range(1, 7)} | {"blockquote": "> ", "hr": "---"}
_LAYOUT_CHARACTERS = 600
"""A table with a longer cell holds a page's layout and no data."""
_SPANS = 50
_DEEPEST_LIST = 8


def markdown_of(root: Any, *, links: bool, count_cells: Callable[[int], None]) -> str:
    """The visible text below `root` (an lxml element). No recursion: nesting may be as deep as it likes."""
    return _Walk(links, count_cells).over(root)


class _Walk:
    def __init__(self, links: bool, count_cells: Callable[[int], None]) -> None:
        self._links = links
        self._count_cells = count_cells
        self._out: list[str] = []
        self._lists: list[tuple[str, int]] = []
        self._tables: list[_Table] = []
        self._verbatim = 0

    def over(self, root: Any) -> str:
        from lxml import etree

        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if event in ("comment", "pi"):
                self._words(element.tail)
            elif event == "start":
                if self._is_unseen(element):
                    walker.skip_subtree()
                else:
                    self._start(element.tag, element)
                    self._words(element.text)
            else:
                if not self._is_unseen(element):
                    self._end(element.tag, element)
                if element is not root:
                    self._words(element.tail)
        while self._tables:
            self._end_table()
        return _BLANK.sub("\n\n", "".join(self._out)).strip()

    def _is_unseen(self, element: Any) -> bool:
        if not isinstance(element.tag, str) or _local(element.tag) in _UNSEEN or element.get("hidden") is not None:
            return True
        style = element.get("style")
        return style is not None and _UNSEEN_STYLE.search(style) is not None

    def _words(self, text: str | None) -> None:
        if not text:
            return
        if self._verbatim:
            self._put(text)
            return
        text = _SPACES.sub(" ", text)
        if text.startswith(" ") and self._at_line_start():
            text = text[1:]
        self._put(text)

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._tables:
            self._tables[-1].put(text)
        else:
            self._out.append(text)

    def _at_line_start(self) -> bool:
        if self._tables:
            return self._tables[-1].at_start()
        return not self._out or self._out[-1].endswith(("\n", " "))

    def _break(self, lines: int = 2) -> None:
        """End the line; with 2, leave a blank one."""
        if self._tables:
            self._tables[-1].put(" ")
        elif self._out and (lines == 2 or not self._out[-1].endswith("\n")):
            self._out.append("\n" * lines)

    def _start(self, tag: str, element: Any) -> None:
        name = _local(tag)
        if name in _BLOCKS:
            self._break(1 if name in _CLOSE or (name in ("ul", "ol") and self._lists) else 2)
        match name:
            case "ul" | "ol":
                self._lists.append((name, 0))
            case "li":
                self._item()
            case "pre":
                self._verbatim += 1
                self._put("```\n" if not self._tables else "")
            case "code" if not self._verbatim:
                self._put("`")
            case "img" if alt := (element.get("alt") or "").strip():
                self._put(f"[picture: {_SPACES.sub(' ', alt)[:300]}]")
            case "a" if self._address(element):
                self._put("[")
            case "table":
                self._tables.append(_Table())
            case "tr" if self._tables:
                self._tables[-1].rows.append([])
            case "td" | "th" if self._tables:
                self._tables[-1].cell()
            case "br":
                self._put(" " if self._tables else "\n")
            case _:
                self._put(_STARTS.get(name, ""))

    def _end(self, tag: str, element: Any) -> None:
        name = _local(tag)
        match name:
            case "ul" | "ol" if self._lists:
                self._lists.pop()
            case "pre":
                self._verbatim = max(0, self._verbatim - 1)
                self._put("\n```" if not self._tables else "")
            case "code" if not self._verbatim:
                self._put("`")
            case "a" if address := self._address(element):
                self._put(f"]({address})")
            case "td" | "th" if self._tables:
                self._tables[-1].pad(element.get("colspan"))
            case "table" if self._tables:
                self._end_table()
            case _:
                pass
        if name in _BLOCKS and name != "table":
            self._break(1 if name in _CLOSE or (name in ("ul", "ol") and self._lists) else 2)

    def _item(self) -> None:
        depth = min(max(0, len(self._lists) - 1), _DEEPEST_LIST)
        kind, count = self._lists[-1] if self._lists else ("ul", 0)
        if self._lists:
            self._lists[-1] = (kind, count + 1)
        self._put(f"{'  ' * depth}{f'{count + 1}.' if kind == 'ol' else '-'} ")

    def _address(self, element: Any) -> str:
        if not self._links:
            return ""
        address: str = (element.get("href") or "").strip()
        try:
            scheme = urlsplit(address).scheme
        except ValueError:
            return ""
        return address if scheme in ("http", "https", "mailto") and len(address) <= 500 and " " not in address else ""

    def _end_table(self) -> None:
        done = self._tables.pop()
        rows = done.texts()
        self._count_cells(sum(map(len, rows)))
        if self._tables:  # a table within a cell is that cell's text
            self._tables[-1].put(" ".join(text for row in rows for text in row if text))
            return
        width = max((len(row) for row in rows), default=0)
        longest = max((len(text) for row in rows for text in row), default=0)
        if width < 2 or longest > _LAYOUT_CHARACTERS:
            shown = "\n\n".join(text for row in rows for text in row if text)
        else:
            shown = table(rows)
        self._out.append(f"\n\n{shown}\n\n" if shown else "")


class _Table:
    """A table that is being read: its rows of cells, each a list of pieces of text."""

    def __init__(self) -> None:
        self.rows: list[list[list[str]]] = []
        self._loose: list[str] = []
        """Text outside of all cells."""

    def cell(self) -> None:
        if not self.rows:
            self.rows.append([])
        self.rows[-1].append([])

    def pad(self, span: str | None) -> None:
        """Empty cells beside the last one, which covers `span` columns."""
        covered = int(span) if span is not None and span.isdigit() and len(span) < 4 else 1
        if self.rows:
            self.rows[-1].extend([] for _ in range(min(covered, _SPANS) - 1))

    def put(self, text: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1].append(text)
        else:
            self._loose.append(text)

    def at_start(self) -> bool:
        cell = self.rows[-1][-1] if self.rows and self.rows[-1] else self._loose
        return not cell or cell[-1].endswith(" ")

    def texts(self) -> list[list[str]]:
        rows = [[" ".join("".join(cell).split()) for cell in row] for row in self.rows]
        loose = " ".join("".join(self._loose).split())
        return [[loose], *rows] if loose else rows


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()
