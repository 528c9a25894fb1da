"""The sentence that is read stands marked: found by its place in the Markdown, wherever markup shifts its words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.parts.spoken import SpokenMark, span_in
from sam_py.ui.theme import Themes

TEXT = """First **bold words** and a [link with words](https://example.org/first-bold-words). Second one is *short*.

- An item. It has two sentences.
- Another item with `code_in_it`.

```python
print("First bold words")
```

| a | b |
|---|---|
| 1 | 2 |

Second one is *short*. The last 🙂 sentence is here.
"""


@pytest.fixture
def column(qtbot: Any) -> MarkdownColumn:
    column = MarkdownColumn(Themes(), lambda _hash: None)
    qtbot.addWidget(column)
    column.resize(500, 600)
    return column


def marked(column: MarkdownColumn, mark: SpokenMark, sentence: str, nth: int = 0) -> str:
    """What is marked on screen for the `nth` place where `sentence` stands in the Markdown."""
    at = -1
    for _ in range(nth + 1):
        at = column.markdown().index(sentence, at + 1)
    mark.move(at, at + len(sentence))
    found = column.parts_between(at, at + len(sentence), (0, 0))
    shown = []
    for _index, part, begin in found:
        if part.kind != "prose":
            shown.append(f"<{part.kind}>")
            continue
        text = part.shown_text()  # type: ignore[attr-defined]
        span = span_in(part.source, text, max(0, at - begin), at + len(sentence) - begin)  # type: ignore[attr-defined]
        if span is not None:
            shown.append(text[slice(*span)])
    return "|".join(shown)


@pytest.mark.parametrize(
    ("sentence", "nth", "expected"),
    [
        (
            "First **bold words** and a [link with words](https://example.org/first-bold-words).",
            0,
            "First bold words and a link with words.",
        ),
        ("Second one is *short*.", 0, "Second one is short."),
        ("Second one is *short*.", 1, "Second one is short."),
        ("It has two sentences.", 0, "It has two sentences."),
        ("Another item with `code_in_it`.", 0, "Another item with code_in_it."),
        ('```python\nprint("First bold words")\n```', 0, "<code>"),
        ("| 1 | 2 |", 0, "<table>"),
        ("The last 🙂 sentence is here.", 0, "The last 🙂 sentence is here."),
    ],
)
def test_the_mark_lies_on_what_is_read(column: MarkdownColumn, sentence: str, nth: int, expected: str) -> None:
    column.set_text(TEXT)
    column.layout_for(500)
    mark = SpokenMark(column)
    assert marked(column, mark, sentence, nth) == expected
    assert not mark.rect().isEmpty()


def test_of_a_table_the_row_is_marked_that_is_read(column: MarkdownColumn) -> None:
    column.set_text("Before.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nAfter.")
    column.layout_for(500)
    mark = SpokenMark(column)
    places = []
    for row in ("| a | b |", "| 1 | 2 |", "| 3 | 4 |"):
        start = column.markdown().index(row)
        mark.move(start + 2, start + len(row))
        places.append(mark.rect())
    table = column.parts()[1]
    assert places[0].top() == table.top
    assert places[0].bottom() == places[1].top()
    assert places[1].bottom() == places[2].top() <= table.top + table.height
    assert len({round(place.height()) for place in places[1:]}) == 1


def test_the_second_of_two_equal_sentences_is_marked_lower(column: MarkdownColumn) -> None:
    column.set_text(TEXT)
    column.layout_for(500)
    mark = SpokenMark(column)
    marked(column, mark, "Second one is *short*.")
    above = mark.rect()
    marked(column, mark, "Second one is *short*.", 1)
    assert mark.rect().top() > above.bottom()
    marked(column, mark, "Second one is *short*.")
    assert mark.rect() == above


def test_the_mark_stays_on_its_words_while_the_text_grows(column: MarkdownColumn) -> None:
    mark = column.spoken = SpokenMark(column)
    column.append_text("Some *words")
    column.flush()
    column.layout_for(500)
    mark.move(0, 12)
    column.append_text("* stand here. And **more")
    column.flush()
    before = mark.rect()
    assert mark.is_found
    for piece in ("** comes", " and comes.\n\n", "Another paragraph. " * 60, "\n\nThe end."):
        column.append_text(piece)
        column.flush()
        column.layout_for(500)
        assert mark.rect() == before


def test_a_column_that_shows_another_message_marks_nothing(column: MarkdownColumn) -> None:
    column.set_text("One. Two.")
    column.layout_for(500)
    column.spoken = SpokenMark(column)
    column.spoken.move(0, 4)
    column.set_text("Three. Four.")
    assert column.spoken is None


def test_what_is_not_drawn_yet_is_not_found(column: MarkdownColumn) -> None:
    column.set_text("One.")
    column.layout_for(500)
    mark = SpokenMark(column)
    mark.move(200, 220)
    assert not mark.is_found
    assert mark.rect().isEmpty()


@pytest.mark.parametrize(
    ("source", "shown", "sentence", "expected"),
    [
        ("他说。“你好。”他走了。", "他说。“你好。”他走了。", "“你好。”", "“你好。”"),
        ("It is $x=1$. Next.", "It is \ufffc. Next.", "It is $x=1$.", "It is \ufffc."),
        ("End. $x$ is it.", "End. \ufffc is it.", "$x$ is it.", "\ufffc is it."),
        ("The value $x$. Next.", "The value \ufffc. Next.", "Next.", "Next."),
        ("So. (*In* brackets.) Out.", "So. (In brackets.) Out.", "(*In* brackets.)", "(In brackets.)"),
        ("$x$.", "\ufffc.", "$x$.", "\ufffc."),
        ("Tom &amp; **Eva**. Bye.", "Tom & Eva. Bye.", "Tom &amp; **Eva**.", "Tom & Eva."),
    ],
)
def test_words_are_found_where_markup_and_signs_stand_between(
    source: str, shown: str, sentence: str, expected: str
) -> None:
    start = source.index(sentence)
    span = span_in(source, shown, start, start + len(sentence))
    assert span is not None
    assert shown[slice(*span)] == expected


@given(st.lists(st.text("ab cÄ🙂*_`[]()$.!?。“”", max_size=12), min_size=1, max_size=8), st.data())
def test_any_place_of_any_text_is_answered_within_what_is_shown(pieces: list[str], data: st.DataObject) -> None:
    source = " ".join(pieces)
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    shown = source.replace("*", "").replace("`", "")
    span = span_in(source, shown, start, end)
    assert span is None or 0 <= span[0] < span[1] <= len(shown)
