"""Markdown is cut at block boundaries, the same way however it arrives."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.ui.markdown.segments import HARD_CHARS, Segmenter, split

LINES = st.sampled_from(
    [
        "", "", "text here", "more. And *more* of it", "# Heading", "Title", "===", "---", "- item", "  - nested",
        "1. one", "1. also one", "2) two", "   inside an item", "```", "```python", "   ```sh", "~~~", "````", "x = 1",
        "| a | b |", "|---|:-:|", "| 1 | 2 |", "a | b", "> quote", "> ```", "$$", "$$x^2$$", "\\[", "\\]", "a = b",
        "![alt](attach:abc)", "![x](http://a.b/c.png)", "[r]: http://x.y", "<b>html</b>", "\tx", "        deep",
        "- [ ] task", "word " * 700, "`" * 9, "ünïcödé 🎉", "\r", "long. " * 300,
    ]
)  # fmt: skip
TEXTS = st.builds("\n".join, st.lists(LINES, max_size=25))


def kinds(text: str) -> list[str]:
    return [segment.kind for segment in split(text)]


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 4000), max_size=12))
def test_segments_do_not_depend_on_how_the_text_was_chunked(text: str, cuts: list[int]) -> None:
    segmenter = Segmenter()
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    start = 0
    for end in ends:
        segmenter.feed(text[start:end])
        start = end
    segmenter.finish()
    whole = split(text)
    for one, other in zip(segmenter.segments, whole, strict=True):
        assert (one.source, one.body) == (other.source, other.body)
        one.pieces = other.pieces = one.content = other.content = []
        assert one == other


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_the_sources_joined_are_the_text(text: str) -> None:
    assert "".join(segment.source for segment in split(text)) == text


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_what_is_shown_while_streaming_is_never_less_than_what_came(text: str) -> None:
    segmenter = Segmenter()
    for at in range(0, len(text), 7):
        segmenter.feed(text[at : at + 7])
        shown = "".join(segment.source for segment in segmenter.segments) + segmenter.provisional
        came = text[: at + 7]
        held_back = len(came) - len(shown)
        assert came.startswith(shown)
        assert held_back <= len(came) - came.rfind("\n")


@pytest.mark.parametrize(
    "text", ["para " * 40_000, "x" * 200_000, "- item\n" * 30_000, "line\n" * 40_000, "> q\n" * 50_000]
)
def test_no_prose_segment_outgrows_a_frame(text: str) -> None:
    assert max(s.size for s in split(text) if s.kind == "prose") <= HARD_CHARS * 2


def test_a_fence_inside_a_list_becomes_code_at_the_lists_depth() -> None:
    segments = split("1. Install:\n   ```sh\n   pip install x\n     deeper\n   ```\n1. Run\n")
    assert [s.kind for s in segments] == ["prose", "code", "prose"]
    assert (segments[1].depth, segments[1].language, segments[1].body) == (1, "sh", "pip install x\n  deeper\n")
    assert (segments[2].depth, segments[2].number) == (0, 2)


def test_text_after_a_fence_still_belongs_to_its_item() -> None:
    segments = split("- a\n  ```\n  x\n  ```\n  then\n- b\n")
    assert [(s.kind, s.depth) for s in segments] == [("prose", 0), ("code", 1), ("prose", 1), ("prose", 0)]


def test_an_unclosed_fence_runs_to_the_end() -> None:
    code = split("```js\nlet a\n\nlet b")[0]
    assert (code.body, code.terminated) == ("let a\n\nlet b", False)


def test_a_longer_fence_holds_a_shorter_one() -> None:
    assert [s.body for s in split("````md\n```py\nx\n```\n````\n")] == ["```py\nx\n```\n"]


def test_a_table_needs_a_delimiter_row_of_the_same_width() -> None:
    assert kinds("before\n| a | b |\n|---|---|\n| 1 | 2 |\nafter\n") == ["prose", "table", "prose"]
    assert kinds("| a | b |\n|---|\n") == ["prose"]


def test_display_maths_stands_on_lines_of_its_own() -> None:
    assert [s.body.strip() for s in split("$$\nx\n$$\n\\[ y \\]\n$$z$$\n") if s.kind == "math"] == ["x", "y", "z"]
    assert kinds("$$x$$ is inline\n") == ["prose"]


def test_an_empty_line_ends_a_formula_that_was_never_closed() -> None:
    segments = split("$$\nx\n\ntext\n")
    assert [(s.kind, s.terminated) for s in segments] == [("math", False), ("prose", False)]


def test_an_image_alone_on_its_line_is_a_segment() -> None:
    segments = split("see\n![a cat](attach:12)\nand ![b](http://x/y.png) inline\n")
    assert [s.kind for s in segments] == ["prose", "image", "prose"]
    assert (segments[1].info, segments[1].url) == ("a cat", "attach:12")


def test_feeding_costs_the_chunk_not_the_message() -> None:
    def cost(text: str) -> float:
        segmenter = Segmenter()
        segmenter.feed(text)
        start = time.process_time()
        for _ in range(2_000):
            segmenter.feed("word and ")
        return time.process_time() - start

    assert cost("A paragraph.\n\n" * 20_000) < 8 * cost("A paragraph.\n\n") + 0.05
