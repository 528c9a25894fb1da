"""A row that comes back from the pool shows its next message with the widgets that it has."""

from __future__ import annotations

import pytest

from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.ui.chat.row import MessageRow
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.theme import LIGHT, Theme, Themes
from sam_py.ui.widgets.icons import Icons

WIDTH_PX = 500


@pytest.fixture
def row(qtbot):
    themes = Themes(Theme(LIGHT, dark=False))
    made = MessageRow(RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model))
    qtbot.addWidget(made)
    return made


def show(row: MessageRow, message: Message, *, streaming: bool = False) -> int:
    row.show_message(message, streaming=streaming, error=None, branch=(1, 1), is_last=True)
    return row.layout_for(WIDTH_PX)


@pytest.mark.parametrize("kind", [UserMessage, AssistantMessage])
def test_a_row_shows_its_next_message_in_the_block_it_has(row, kind):
    show(row, kind(parts=(TextPart(text="The first, which is much longer than a line. " * 9),)))
    block = row.blocks[0]
    row.clear()
    height = show(row, kind(parts=(TextPart(text="The **second**"),)))
    assert row.blocks == [block]
    assert not block.isHidden()
    assert row.columns[0].plain_text() == ("The **second**" if kind is UserMessage else "The second")
    fresh = MessageRow(row._context)
    assert show(fresh, kind(parts=(TextPart(text="The **second**"),))) == height
    fresh.deleteLater()


def test_a_row_goes_from_my_message_to_a_reply_and_back(row):
    show(row, UserMessage(parts=(TextPart(text="mine"),)))
    row.clear()
    show(row, AssistantMessage(parts=(TextPart(text="*yours*"),)))
    assert [column.plain_text() for column in row.columns] == ["yours"]
    row.clear()
    show(row, UserMessage(parts=(TextPart(text="mine again"),)))
    assert [column.plain_text() for column in row.columns] == ["mine again"]
    assert sum(not child.isHidden() for child in row.blocks) == 1


def test_a_reply_streams_in_a_block_that_showed_another(row):
    show(row, AssistantMessage(parts=(TextPart(text="before"),)))
    row.clear()
    show(row, AssistantMessage(parts=(TextPart(text="now "),)), streaming=True)
    row.blocks[0].append("it goes on")
    row.flush()
    assert row.columns[0].plain_text() == "now it goes on"
