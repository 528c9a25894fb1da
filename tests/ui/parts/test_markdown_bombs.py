"""Markdown made to hurt: no step of showing it holds the window up."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QRect

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.theme import Themes

K = 1_000
STEP_MS = 100
BOMBS = {
    "quotes": ">" * 10 * K + "a",
    "nested lists": "\n".join("  " * i + "- a" for i in range(K)),
    "emphasis": "*a _b " * 20 * K,
    "brackets": "[" * 50 * K,
    "backticks": "".join("`" * i + " " for i in range(200)),
    "table": "|" + "a|" * 50 + "\n|" + "-|" * 50 + "\n" + ("|" + "x|" * 50 + "\n") * 2 * K,
    "one line": "word " * 60 * K,
    "no space": "x" * 300 * K,
    "code": "```python\n" + "x = 1\n" * 50 * K + "```",
    "code comment": "```c\n/*" + "x = 1\n" * 20 * K + "```",
    "links": "[a](http://b) " * 10 * K,
    "tags": "<b>" * 50 * K,
    "entities": "&amp;" * 60 * K,
    "combining": "a" + "\u0301" * 50 * K,
    "override": "\u202e" * 10 * K + "abc",
    "headings": "# a\n" * 20 * K,
    "references": "".join(f"[a{i}]: http://x\n" for i in range(5 * K)) + "[a1] " * 5 * K,
    "nul": "a\0b",
    "surrogate": "a\ud800b",
    "row": "|a|b|\n|-|-|\n|" + "x" * 300 * K + "|y|\n",
    "dollars": "$" * 50 * K,
    "quote lines": "> q\n" * 30 * K,
    "pipes": "a|b\n" * 20 * K,
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_step_of_a_bomb_holds_the_window_up(name, qtbot):
    worst_ms = worst_step_ms(BOMBS[name], qtbot)
    if worst_ms >= STEP_MS:  # a collection of the test run's own garbage may have fallen into it
        worst_ms = worst_step_ms(BOMBS[name], qtbot)
    assert worst_ms < STEP_MS


def worst_step_ms(text: str, qtbot) -> float:
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.layout_for(600)
    worst_s = 0.0

    def step(do) -> None:
        nonlocal worst_s
        start = time.thread_time()
        do()
        worst_s = max(worst_s, time.thread_time() - start)

    for at in range(0, min(len(text), 40 * K), 2 * K):
        column.append_text(text[at : at + 2 * K])
        step(column.flush)
    step(lambda: column.set_text(text))
    step(lambda: column.layout_for(700))
    column.resize(700, 800)
    step(lambda: column.grab(QRect(0, 0, 700, 800)))
    for _ in range(40):
        step(column._lay_out_rest)
    return worst_s * 1000


def test_a_long_text_is_whole_in_the_end(qtbot):
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.layout_for(600)
    text = "\n\n".join(f"Paragraph {n} says something." for n in range(12 * K))
    column.set_text(text)
    assert column.plain_text() == text
    qtbot.waitUntil(lambda: not column._unlaid, timeout=20_000)
    assert column.content_height() == sum(part.height for part in column.parts()) + sum(
        column._gap(a, b) for a, b in zip(column.parts(), column.parts()[1:], strict=False)
    )
