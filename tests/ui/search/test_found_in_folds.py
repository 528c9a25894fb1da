"""Words that stand in thinking and on folded tool cards: they are counted, gone to, opened and marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import TextPart, ThinkingTextPart, ToolCallPart
from sam_py.paths import default_paths
from sam_py.store.library import Library
from sam_py.ui.chat.tool_text import ToolText
from tests.fakes.sitting import Sitting

FILLING = "\n\n".join(["A paragraph of other words. " * 9] * 6)


async def fill(home: Path) -> tuple[str, list[str]]:
    """A conversation with one word in a thought, in a call, in its long result, and in plain words."""
    library = Library(default_paths(home).create())
    await library.start()
    bus = MessageBus(library.create(), auto_pin=0)
    save = library.attach(bus)
    for number in range(8):
        bus.add(UserMessage(parent_id=bus.tip, parts=(TextPart(text=f"Question {number}"),)))
        parts: tuple[Any, ...] = (TextPart(text=FILLING),)
        if number == 3:
            thought = ThinkingTextPart(text=f"{FILLING}\n\nThe **walrus** thinks of a 🐟 Walrus.")
            call = ToolCallPart(call_id="c1", tool_name="look", arguments_json='{"for": "a walrus"}')
            parts = (thought, *parts, call)
        if number == 5:
            parts = (TextPart(text=f"```\n{'x = 1; ' * 60}heron()\n```\n{FILLING}\n\n$$\\theta_{{osprey}}$$"),)
        bus.add(AssistantMessage(parent_id=bus.tip, stop_reason="stop", parts=parts))
        if number == 3:
            seen = "\n".join([f"🌊 line {line}" for line in range(60)] + ["here is the WALRUS"])
            bus.add(
                ToolResultMessage(parent_id=bus.tip, call_id="c1", tool_name="look", status="success", output_text=seen)
            )
    bus.add(UserMessage(parent_id=bus.tip, parts=(TextPart(text="Where is the walrus?"),)))
    ids = list(bus.path)
    await save.save_now()
    await library.aclose()
    return bus.conversation_id, ids


def is_seen(sitting: Sitting, rect: QRect) -> bool:
    return sitting.chat.timeline.viewport().rect().contains(rect)


def test_thinking_and_tool_cards_are_found_opened_marked_and_folded_again(
    run: Callable[[Any], Any], sit_down: Callable[[], Sitting], home: Path
) -> None:
    async def work() -> None:
        conversation, ids = await fill(home)
        reply, result = ids[7], ids[8]
        sitting = await sit_down().start()
        window, timeline = sitting.window, sitting.chat.timeline
        window.open_conversation(conversation)
        await sitting.until(lambda: sitting.bus.conversation_id == conversation, "the conversation")
        window.actions_by_name["find"].trigger()
        bar: Any = window.pages._bar
        finder = bar._finder
        QTest.keyClicks(bar.field, "walrus")
        await sitting.until(lambda: bar.count.text() == "5 of 5", "the count")  # it begins at the end, in plain words
        QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.count.text() == "1 of 5"
        for number in (1, 2):
            assert bar.count.text() == f"{number} of 5"
            await sitting.until(lambda: is_seen(sitting, finder._rect(finder.current)), "a thought")
            thought = timeline.row_of(reply).columns[0]
            assert thought.found is not None
            assert thought.found.count() == 2
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
        card = timeline.row_of(reply).block_of(2).card
        for number, said in ((3, "a walrus"), (4, "the walrus")):
            assert bar.count.text() == f"{number} of 5"
            await sitting.until(lambda: is_seen(sitting, finder._rect(finder.current)), "a card")
            text: ToolText = card.details.texts[number - 3]
            mark: Any = text.extraSelections()[0]
            assert mark.cursor.selectedText().lower() == "walrus"
            assert said in text.toPlainText().lower()
            assert text.viewport().rect().contains(text.cursorRect(mark.cursor))
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
        assert bar.count.text() == "5 of 5"
        for hidden in ("heron", "osprey"):  # beyond the edge of a line of code, and in a formula
            bar.field.setText(hidden)
            await sitting.until(lambda: bar.count.text() == "1 of 1", hidden)
            await sitting.until(lambda: is_seen(sitting, finder._rect(finder.current)), hidden)
            assert not finder._rect(finder.current).isEmpty()
        QTest.keyClick(bar.field, Qt.Key.Key_Escape)
        assert not sitting.chat.context.calls.is_open(card.call)
        row = timeline.row_of(reply)
        assert row is None or not row.block_of(0).columns

        window.pages.open_message(conversation, result, "line walrus")
        await sitting.until(lambda: finder.current is not None, "the jump")
        assert finder.hits.split(finder.current) == ((2, True, 1), 59)  # where both words are closest
        await sitting.until(lambda: is_seen(sitting, finder._rect(finder.current)), "the result")
        await sitting.close()

    run(work())
