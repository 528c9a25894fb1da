"""What the model no longer gets: seen in the conversation, said once, decided by the person, and summarised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu

from sam_py.messages.message import AssistantMessage, DeveloperMessage
from sam_py.messages.parts import TextPart
from sam_py.settings.model import Settings
from sam_py.ui.chat.row import MessageRow
from sam_py.ui.chat.row_note import NoteCard
from sam_py.ui.window_commands import tab_stops_of
from tests.fakes.fault_server import FaultServer, Json, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

MODELS = {"/v1/models": Json({"data": [{"id": "tiny"}]})}


def small_window(settings: Settings) -> Settings:
    chat = settings.chat.model_copy(update={"context_tokens": 1600, "max_tokens": 100, "auto_pin": 0})
    tools = settings.tools.model_copy(update={"on": False})
    return settings.model_copy(update={"chat": chat, "tools": tools})


async def talk(sam: Sitting, base_url: str, turns: int = 24) -> None:
    """A conversation that does not fit, without a request for each of its replies."""
    sam.use_server(base_url)
    sam.program._settings.change(small_window)
    for number in range(turns):
        sam.bus.add_user_message(f"Question {number}", pinned=False)
        parts = (TextPart(text=f"Answer {number}. " + "some plain words that go on for a while " * 9),)
        sam.bus.add(AssistantMessage(parent_id=sam.bus.tip, model="tiny", parts=parts, stop_reason="stop"))
    await sam.send("And now?")
    await sam.answered()


def row_of(sam: Sitting, message_id: str) -> MessageRow:
    sam.chat.timeline.show_message(message_id, mark=False)
    row = sam.chat.timeline.row_of(message_id)
    assert isinstance(row, MessageRow)
    return row


def strip(sam: Sitting) -> Any:
    return sam.chat.chat_context.strip


def kind_of_note(sam: Sitting) -> str:
    """What kind of note the strip shows; empty: none."""
    return strip(sam).note.kind if strip(sam).note is not None else ""


def menu_entry(sam: Sitting, message_id: str, text: str) -> QAction:
    """An entry of the menu that the keyboard opens at a message."""
    row_of(sam, message_id)
    sam.chat.timeline.actions_on_rows.open_menu(message_id)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    entry = next(action for action in menu.actions() if action.text() == text)
    menu.close()
    return entry


def test_what_no_longer_fits_is_dimmed_and_the_person_decides(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Fine"), paths=MODELS) as server:
            sam = await sit_down().start()
            await talk(sam, server.base_url)
            first, last = sam.bus.id_at(1), sam.bus.id_at(len(sam.bus) - 3)
            assert row_of(sam, first).accessible_text().endswith("Not sent: least important.")
            assert row_of(sam, last).foot.sign is None
            assert strip(sam).isVisible()
            assert "no longer fit" in strip(sam).note.words
            stops = tab_stops_of(sam.window)
            assert stops.index(strip(sam).buttons["show"]) < stops.index(sam.chat.composer.text)
            strip(sam).close_button.click()
            assert not strip(sam).isVisible()

            menu_entry(sam, first, "Always keep in context").trigger()
            assert row_of(sam, first).accessible_text().endswith("Always sent.")
            assert menu_entry(sam, first, "Always keep in context").isChecked()
            menu_entry(sam, last, "Never send").trigger()
            assert row_of(sam, last).accessible_text().endswith("Not sent: your choice.")
            sam.window.notices.notices[-1].action.click()
            assert row_of(sam, last).foot.sign is None
            menu_entry(sam, last, "Never send").trigger()
            await sam.send("And then?")
            await sam.answered()
            sent = str(server.requests[-1].body["messages"])
            assert "Answer 0." in sent
            assert "Answer 23." not in sent
            assert not strip(sam).isVisible()  # it was put away

            def wider(settings: Settings) -> Settings:
                chat = settings.chat.model_copy(update={"context_tokens": None})
                return settings.model_copy(update={"chat": chat})

            third = sam.bus.id_at(3)
            assert row_of(sam, third).foot.sign is not None
            sam.program._settings.change(wider)
            await sam.until(lambda: row_of(sam, third).foot.sign is None, "room for all")
            await sam.close()

    run(scenario())


def test_a_summary_is_made_seen_edited_and_taken_back(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("They spoke of pumps.\n\n" + "It went on. " * 40), paths=MODELS) as server:
            sam = await sit_down().start()
            await talk(sam, server.base_url)
            said: list[str] = []
            sam.chat.conversation.session.subscribe(lambda _state: said.append(kind_of_note(sam)))
            strip(sam).buttons["summarise"].click()
            await sam.until(lambda: kind_of_note(sam) == "made", "the summary")
            assert said[0] == "busy"
            summary = next(message for message in sam.messages if isinstance(message, DeveloperMessage))
            above = sam.bus.id_at((sam.bus.index_of(summary.id) or 0) - 1)
            assert above == summary.covers[-1]
            strip(sam).buttons["summary"].click()
            await sam.until(lambda: not strip(sam).isVisible(), "nothing more to say")
            card = row_of(sam, summary.id).blocks[0]
            assert isinstance(card, NoteCard)
            assert card.accessibleName() == f"Summary of {len(summary.covers)} earlier messages, by tiny"
            await sam.until(lambda: "stands in the summary" in row_of(sam, above).accessible_text(), "its sign")
            folded = row_of(sam, summary.id).height()
            card.head.click()
            await sam.answered()
            assert row_of(sam, summary.id).height() > folded
            assert card.jump is not None
            card.jump.click()
            assert sam.chat.timeline.current_id == summary.covers[0]

            menu_entry(sam, summary.id, "Edit the summary").trigger()
            assert sam.chat.composer.text.toPlainText().startswith("They spoke of pumps.")
            sam.chat.composer.edit_submitted.emit(summary.id, "They spoke of valves.", ())
            assert sam.bus.get(summary.id).text.endswith("earlier messages:\n\nThey spoke of valves.")
            sam.chat.composer.cancel_edit()
            path = sam.bus.path
            await sam.close()

            again = await sit_down().start()
            await again.answered()
            assert again.bus.path == path
            assert "valves" in row_of(again, summary.id).accessible_text()
            await again.until(lambda: row_of(again, above).foot.sign is not None, "the sign after a restart")
            menu_entry(again, summary.id, "Remove the summary").trigger()
            assert summary.id not in again.bus
            again.window.notices.notices[-1].action.click()
            assert again.bus.path == path
            await again.close()

    run(scenario())


def test_a_summary_that_fails_says_why_in_its_place_and_can_be_asked_for_again(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Fine"), paths=MODELS) as server:
            sam = await sit_down().start()
            sam.window.actions_by_name["summarise"].trigger()
            await sam.until(lambda: strip(sam).isVisible(), "the strip")
            assert "offline guide cannot summarise" in strip(sam).note.words
            assert not sam.window.notices.notices
            await talk(sam, server.base_url)
            strip(sam).buttons["again"].click()
            await sam.until(lambda: kind_of_note(sam) == "made", "the summary")
            await sam.close()

    run(scenario())
