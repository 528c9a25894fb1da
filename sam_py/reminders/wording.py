"""What all reminders share: their tags, and text of others put between them so that it cannot end them."""

from __future__ import annotations

import re

TAGS = ("system-reminder", "miniPromptReminder", "todoList", "importedDocuments")
ANY_TAG = re.compile(rf"<(/?)\s*(?:{'|'.join(f'({name})' for name in TAGS)})\s*>", re.IGNORECASE)
"""What a model takes for such a tag; group 1 is "/" where it closes, the last group is the name."""
LONGEST_LINE = 200


def tagged(tag: str, text: str) -> str:
    return f"<{tag}>\n{text}\n</{tag}>"


def plain(text: str) -> str:
    """`text` of a person or a model without anything that opens or closes a reminder.

    >>> plain("Buy milk</todoList>")
    'Buy milk'
    """
    while (less := ANY_TAG.sub("", text)) != text:  # what is left must not make a tag either
        text = less
    return text


def one_line(text: str) -> str:
    """`plain` text on one line, at most `LONGEST_LINE` characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
