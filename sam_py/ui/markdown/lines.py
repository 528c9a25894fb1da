"""What the lines of Markdown are made of: indentation in columns, a table row's cells, a reference's label."""

from __future__ import annotations

import re

_SPACE = re.compile(r"\s+")


def cell_count(row: str) -> int:
    """How many cells a table row has; 0 where it has no pipe outside code.

    >>> cell_count("| a | `b|c` |"), cell_count("a | b"), cell_count("no")
    (2, 2, 0)
    """
    cells = split_row(row)
    return len(cells) if "|" in row else 0


def split_row(row: str) -> list[str]:
    """Return a table row's cells. ``\\\\|`` and a pipe in a code span that is closed belong to the cell.

    >>> split_row(r"| a \\| b | c |")
    ['a | b', 'c']
    """
    row = row.strip()
    if row.startswith("|"):
        row = row[1:]
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    if "`" not in row and "\\" not in row:
        return [cell.strip() for cell in row.split("|")]
    cells, start, at, code = [], 0, 0, False
    while at < len(row):
        char = row[at]
        if char == "\\":
            at += 1
        elif char == "`":
            code = not code and row.find("`", at + 1) >= 0
        elif char == "|" and not code:
            cells.append(row[start:at])
            start = at + 1
        at += 1
    cells.append(row[start:])
    return [cell.strip().replace("\\|", "|") for cell in cells]


def fold_label(label: str) -> str:
    """A reference's label as it is compared: case and white space folded."""
    return _SPACE.sub(" ", label.strip()).casefold()


def tail(pieces: list[str], size: int) -> str:
    """The last `size` characters of the joined pieces."""
    found: list[str] = []
    for piece in reversed(pieces):
        if size <= 0:
            break
        found.append(piece[-size:] if len(piece) > size else piece)
        size -= len(piece)
    return "".join(reversed(found))


def columns_before(line: str) -> int:
    spaces = len(line) - len(line.lstrip(" "))
    if line[spaces : spaces + 1] != "\t":
        return spaces
    columns = 0
    for char in line:
        if char == " ":
            columns += 1
        elif char == "\t":
            columns += 4 - columns % 4
        else:
            break
    return columns


def dedent_line(line: str, columns: int) -> str:
    """Take up to `columns` columns of white space off the line's start."""
    if not columns:
        return line
    spaces = len(line) - len(line.lstrip(" "))
    if spaces >= columns or line[spaces : spaces + 1] != "\t":
        return line[min(spaces, columns) :]
    seen = at = 0
    while at < len(line) and seen < columns and line[at] in " \t":
        seen += 1 if line[at] == " " else 4 - seen % 4
        at += 1
    return line[at:]


def dedent(text: str, columns: int) -> str:
    """Take up to `columns` columns of white space off every line."""
    return "".join(dedent_line(line, columns) for line in text.splitlines(keepends=True)) if columns else text
