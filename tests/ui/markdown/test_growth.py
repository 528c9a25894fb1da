"""Words put behind a parsed text make the document that parsing it all would have made."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.ui.chat.parts import prose
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.parts.prose import ProsePart
from sam_py.ui.theme import LIGHT, Theme, Themes

WIDTH_PX = 300
PIECES = (
    "word", "word ", "another, longer one. ", " and", "**bold** ", "`code` ", "`co", "de` ", "**", "*", "_", "# ", "\n",
    "\n\n", "- ", "1. ", "> ", "===", "[a link](http://x.example) ", "[label]", "\n[label]: http://y.example\n", "www",
    ".", "example.org", "  \n", " | ", "~~gone~~ ", "[ ] ", "---", "    ", "http", "://", "schön ", "字", "\\",
    "&", "amp;", "<b>", "me@", "2", ") ", "it's ", "!",
)  # fmt: skip


def content_of(column: MarkdownColumn) -> list[object]:
    """Everything about the text that a person could see or copy."""
    found: list[object] = [column.content_height()]
    for part in column.parts():
        if not isinstance(part, ProsePart):
            continue
        decorations = part.decorations
        found += [part.gap_above, part.gap_below, part.height, str(decorations.markers), decorations.links]
        found += [decorations.code_spans, decorations.quotes, decorations.rules, decorations.code_blocks]
        found.append(part.document.toHtml())
    return found


def column_of(pieces: list[str]) -> MarkdownColumn:
    column = MarkdownColumn(Themes(Theme(LIGHT, dark=False)), lambda _hash: None)
    column.layout_for(WIDTH_PX)
    for piece in pieces:
        column.append_text(piece)
        column.flush()
    return column


@settings(max_examples=120, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=16))
def test_a_text_in_pieces_becomes_the_document_of_the_whole_text(qapp, pieces):
    streamed, whole = column_of(pieces), column_of(["".join(pieces)])
    assert content_of(streamed) == content_of(whole)
    streamed.deleteLater()
    whole.deleteLater()


def test_words_behind_words_are_not_parsed_again(qapp, monkeypatch):
    column = column_of(["A paragraph with **bold** and `code` in it, ", "that "])
    parsed: list[object] = []
    monkeypatch.setattr(prose, "fill", lambda *arguments: parsed.append(arguments))
    column.append_text("goes on. ")
    column.flush()
    assert column.plain_text() == "A paragraph with bold and code in it, that goes on."
    assert not parsed
