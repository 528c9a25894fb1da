"""The handbook as pages and sections, read from ``resources/guide/*.md``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sam_py.errors import SamError
from sam_py.paths import resources

_KEYWORDS = re.compile(r"<!-- keywords: (.*?) -->\n*", re.DOTALL)
_HEADING = re.compile(r"^(#{1,2}) +(.+?)[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page under one heading; the page's opening has the page's title for a heading."""

    page: str
    heading: str
    text: str
    keywords: tuple[str, ...]
    page_keywords: tuple[str, ...]

    @property
    def is_opening(self) -> bool:
        return self.page == self.heading


@dataclass(frozen=True, slots=True)
class Page:
    name: str
    title: str
    sections: tuple[Section, ...]


@lru_cache(maxsize=1)
def handbook() -> tuple[Page, ...]:
    """All pages in order, read once (about 3 ms). Raises SamError where the folder is not there."""
    try:
        files = sorted((resources() / "guide").glob("*.md"))
    except FileNotFoundError as error:
        raise SamError("The handbook is missing from this installation. Install the program again.") from error
    if not files:
        raise SamError("The handbook is missing from this installation. Install the program again.")
    return tuple(read_page(file) for file in files)


def read_page(file: Path) -> Page:
    """One page: ``# Title``, then ``## Heading`` sections, each with an optional keywords comment on top."""
    text = file.read_text(encoding="utf-8")
    # A comment in a code block may look like a heading: blank the blocks before looking for headings.
    plain = _FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)
    headings = list(_HEADING.finditer(plain))
    if not headings or headings[0].group(1) != "#":
        raise ValueError(f"{file} does not begin with a title")
    title = headings[0].group(2)
    page_keywords: tuple[str, ...] = ()
    sections: list[Section] = []
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=True):
        body = text[heading.end() : end].strip()
        found = _KEYWORDS.match(body)
        keywords = tuple(word.strip().lower() for word in found.group(1).split(",")) if found else ()
        body = body[found.end() :].strip() if found else body
        if not sections:
            page_keywords = keywords
        sections.append(Section(title, heading.group(2), body, keywords, page_keywords))
    return Page(file.stem, title, tuple(sections))
