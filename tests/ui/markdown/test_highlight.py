"""Code gets its colours line by line, the same as all at once, and readable in both themes."""

from __future__ import annotations

import pytest

from sam_py.ui.markdown.highlight import DARK_CODE, LIGHT_CODE, MAX_CHARS, Highlighter
from sam_py.ui.theme import DARK, LIGHT

SOURCES = {
    "python": 'def f(x):\n    """Doc\n    of f."""\n    return [x,\n        f"{x}"]  # end\n\n\nclass A: ...\n',
    "c": "int x; /* a\nb\nc */ int y;\n",
    "javascript": "const a = `x\n${y}`;\nfunction f() { return 1 }\n",
    "html": "<div\n class='a'>\n<script>let a = 1;\n</script></div>\n",
    "json": '{"a":\n [1,\n true]}\n',
    "bash": "for i in 1 2; do\n  echo 'x\ny' $i\ndone\n",
    "css": "a {\n  color: red;\n}\n",
    "rust": 'fn main() {\n    let x = "a"; // c\n}\n',
    "sql": "select *\nfrom t -- c\nwhere a = 'b';\n",
}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("colours", "palette"), [(LIGHT_CODE, LIGHT), (DARK_CODE, DARK)])
def test_every_code_colour_can_be_read_on_its_surface(colours, palette):
    for role, colour in colours.items():
        low, high = sorted((luminance(colour), luminance(palette.code)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, role


@pytest.mark.parametrize("language", SOURCES)
def test_lines_that_come_one_by_one_look_as_if_they_came_together(language):
    lines = SOURCES[language].split("\n")
    together, one_by_one = Highlighter(language), Highlighter(language)
    together.update(lines, len(lines))
    for upto in range(1, len(lines) + 1):
        one_by_one.update(lines, upto)
    assert one_by_one.spans == together.spans
    assert any(together.spans)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("python", "    x = 1  # a comment to the end of the line"),
        ("python", "    'a string in a line of its own'"),
        ("c", "    int x = 1; // a comment to the end of the line"),
        ("typescript", "  let x = 1 // a comment to the end of the line"),
        ("rust", '    "a string",  // c'),
        ("bash", "x=1 # a comment"),
        ("yaml", "key: value # a comment"),
        ("json", '    "a": "b",'),
        ("sql", "select 1 -- a comment"),
        ("css", "a { b: c } /* a comment */"),
        ("html", "<p>text</p> <!-- a comment -->"),
    ],
)
def test_a_line_that_ends_in_a_comment_or_a_string_is_not_read_again(language, line):
    block, lines, reread = Highlighter(language), [], []
    for _ in range(60):
        lines.append(line)
        block.update(lines, len(lines))
        reread.append(len(lines) - block.next_line)
    assert max(reread) <= 2


def test_an_unknown_language_stays_plain():
    plain = Highlighter("no-such-language")
    plain.update(["x = 1"], 1)
    assert not plain.active
    assert not plain.spans


def test_a_comment_that_never_ends_does_not_read_everything_again():
    lines = ["/* begin"] + ["text in the comment"] * 3_000
    block = Highlighter("c")
    block.update(lines, len(lines))
    assert block._safe > 2_000


def test_very_long_code_stops_getting_colours():
    block = Highlighter("python")
    block._read = MAX_CHARS + 1
    assert not block.active
    assert block.update(["x = 1"], 1) == 1
    assert not block.spans
