"""Servers in the composer: resources become attachments, prompts words in the box, and nothing is sent by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from sam_py.errors import SamError
from sam_py.messages.parts import CodePart
from sam_py.reminders.mini_prompts import MiniPrompts
from sam_py.tools.base import ToolError
from sam_py.tools.mcp.offer import (
    Offer,
    OfferedPrompt,
    OfferedResource,
    PromptArgument,
    PromptMessage,
    ReadContent,
    ServerStatus,
)
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.server_offer_list import OfferRows
from sam_py.ui.chat.server_offers import Kind, ServerOffers
from sam_py.ui.chat.server_sources import ServerSources
from sam_py.ui.chat.server_taking import take_resource

NOTE = OfferedResource("note:///one", "one", mime_type="text/plain", size=4)
ANY = OfferedResource("note:///{name}", "any", is_template=True)
GREET = OfferedPrompt("greet", "Greet", "A greeting.", (PromptArgument("tone", "How", True), PromptArgument("to")))


class Server:
    """The program's servers with one in them, that answers what it is told to."""

    def __init__(self, offer: Offer) -> None:
        self.statuses: tuple[ServerStatus, ...] = (ServerStatus("s", "Notes", "ready", offer=offer),)
        self.listeners: list[Callable[[], None]] = []
        self.asked: list[Any] = []
        self.contents: tuple[ReadContent, ...] = (ReadContent("one.txt", "text/plain", "One."),)
        self.messages: tuple[PromptMessage, ...] = (PromptMessage("user", "Be kind."),)
        self.error: ToolError | None = None

    @property
    def running(self) -> Server:
        return self

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def become(self, **changed: Any) -> None:
        before = self.statuses[0]
        state, offer = changed.get("state", "ready"), changed.get("offer", before.offer)
        self.statuses = (ServerStatus("s", "Notes", state, offer=offer),)
        for listener in self.listeners:
            listener()

    async def read(self, server_id: str, uri: str) -> tuple[ReadContent, ...]:
        self.asked.append(uri)
        if self.error is not None:
            raise self.error
        return self.contents

    async def get_prompt(self, server_id: str, name: str, values: dict[str, str]) -> tuple[PromptMessage, ...]:
        self.asked.append((name, values))
        return self.messages

    async def complete(self, *asked: Any) -> list[str]:
        self.asked.append(asked)
        return ["kind", "kinder"]


class Room:
    def __init__(self, qtbot: Any, composer: Composer, running: Any) -> None:
        self.server = Server(Offer(resources=(NOTE, ANY), prompts=(GREET,), completes=True))
        self.mini_prompts = MiniPrompts()
        self.services: Any = SimpleNamespace(
            tools=SimpleNamespace(servers=self.server),
            icons=composer.attach_button._icons,
            tasks=SimpleNamespace(spawn=lambda work, _name="": running.spawn(work)),
            mini_prompts=self.mini_prompts,
        )
        self.composer, self.running, self.qtbot = composer, running, qtbot
        self.sources = ServerSources(self.services, composer)

    def open(self, kind: Kind) -> ServerOffers:
        dialog = ServerOffers(self.services, "s", kind, self.sources._take, self.composer)
        dialog.open()
        return dialog

    def press(self, button: QWidget) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        self.running.finish()


@pytest.fixture
def room(qtbot: Any, composer: Composer, running: Any) -> Iterator[Room]:
    room = Room(qtbot, composer, running)
    yield room
    for dialog in composer.findChildren(ServerOffers):
        dialog.close()
    room.sources.close()


def test_the_attach_menu_lists_a_server_while_it_runs(room: Room, qtbot: Any) -> None:
    button = room.composer.attach_button
    room.server.become()
    qtbot.waitUntil(lambda: len(button.sources) == 2)
    assert [source.name for source in button.sources] == ["Resource from Notes…", "Prompt from Notes…"]
    assert next(action.text() for action in button.menu().actions()) == "Files…"
    room.server.become(offer=Offer(prompts=(GREET,)))
    qtbot.waitUntil(lambda: [source.name for source in button.sources] == ["Prompt from Notes…"])
    room.server.become(state="failed")
    qtbot.waitUntil(lambda: button.sources == ())
    with qtbot.waitSignal(button.files_wanted):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_resource_becomes_an_attachment_that_says_where_it_is_from(room: Room, said: Any) -> None:
    dialog = room.open("resources")
    room.press(dialog.use)
    (item,) = room.composer.tray.items
    assert item.name == "Notes – one.txt"
    assert isinstance(item.part, CodePart)
    assert item.part.code == "One."
    assert not dialog.isVisible()
    assert said.sent == []


def test_a_template_is_filled_in_before_it_can_be_read(room: Room) -> None:
    dialog = room.open("resources")
    dialog.search.setText("any")
    assert not dialog.use.isEnabled()
    dialog.form.fields["name"].setText("a b")
    room.press(dialog.use)
    assert room.server.asked == ["note:///a%20b"]


def test_what_a_server_refuses_is_said_and_nothing_is_attached(room: Room) -> None:
    room.server.error = ToolError("Notes refused: no such note\u202e")
    dialog = room.open("resources")
    room.press(dialog.use)
    assert dialog.problem.text() == "Notes refused: no such note⟨U+202E⟩"
    assert dialog.isVisible()
    assert room.composer.tray.items == ()
    assert dialog.use.isEnabled()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ReadContent("x.bin", "application/x", data=bytes(range(256))), "is not text, an image or a"),
        (ReadContent("x.png", "image/png", data=b"\x89PNG\r\n\x1a\n" + b"x" * 21_000_000), "may have at most"),
    ],
)
def test_a_resource_that_no_message_can_hold_is_refused_in_words(room: Room, content: ReadContent, words: str) -> None:
    room.server.contents = (content,)
    dialog = room.open("resources")
    room.press(dialog.use)
    assert room.composer.tray.items == ()
    (sentence,) = room.composer.errors.sentences
    assert words in sentence


def test_a_resource_that_says_it_is_too_large_is_not_even_asked_for() -> None:
    server = Server(Offer())
    large = OfferedResource("note:///all", "all", size=50_000_000)
    with pytest.raises(SamError, match=r"“all” has 47.7 MB; at most 10 MB"):
        asyncio.run(take_resource(server, "s", "Notes", large, {}))  # type: ignore[arg-type]
    assert server.asked == []


def test_an_empty_resource_is_said_to_be_empty() -> None:
    server = Server(Offer())
    server.contents = (ReadContent("one.txt", "text/plain", ""),)
    with pytest.raises(SamError, match="nothing to attach"):
        asyncio.run(take_resource(server, "s", "Notes", NOTE, {}))  # type: ignore[arg-type]


def test_a_prompt_is_written_into_the_box_with_nothing_hidden_and_not_sent(room: Room, said: Any) -> None:
    room.server.messages = (
        PromptMessage("user", "Be kind.\u200b"),
        PromptMessage("assistant", "I am."),
        PromptMessage("user", "", ReadContent("rules.md", "text/markdown", "# Rules")),
    )
    room.composer.text.insert_as_typed("Dear model, ")
    dialog = room.open("prompts")
    assert not dialog.use.isEnabled()
    dialog.form.fields["tone"].setText("kind")
    room.press(dialog.use)
    assert room.server.asked == [("greet", {"tone": "kind"})]
    assert room.composer.text.text() == "Dear model, Be kind.⟨U+200B⟩\n\nAssistant: I am."
    assert [item.name for item in room.composer.tray.items] == ["Notes – rules.md"]
    assert said.sent == []


def test_a_prompt_can_be_kept_as_a_mini_prompt(room: Room) -> None:
    dialog = room.open("prompts")
    dialog.form.fields["tone"].setText("kind")
    room.press(dialog.keep)
    (kept,) = room.mini_prompts.all()
    assert (kept.name, kept.text) == ("Greet (Notes)", "Be kind.")
    assert "switched off" in dialog.problem.text()
    assert room.composer.text.is_empty()


def test_the_server_proposes_values_for_what_is_typed(room: Room, qtbot: Any) -> None:
    dialog = room.open("prompts")
    field = dialog.form.fields["tone"]
    dialog.form.fields["to"].setText("Ann")
    dialog.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, "ki")
    dialog.form._pause.timeout.emit()
    room.running.finish()
    assert room.server.asked == [("s", "prompt", "greet", "tone", "ki", {"to": "Ann"})]
    popup = field.completer().popup()
    assert popup.isVisible()
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert field.text() == "kinder"
    assert dialog.isVisible(), "this Enter took a proposal, nothing more"


def test_the_list_follows_the_server_and_keeps_what_was_chosen(room: Room, qtbot: Any) -> None:
    dialog = room.open("resources")
    dialog.list.setCurrentIndex(dialog.rows.index(1, 0))
    new = OfferedResource("note:///new", "new")
    room.server.become(offer=Offer(resources=(new, NOTE, ANY)))
    qtbot.waitUntil(lambda: dialog.rows.rowCount() == 3)
    assert dialog.list.currentIndex().row() == 2
    room.server.become(state="starting")
    qtbot.waitUntil(lambda: "does not run" in dialog.problem.text())
    assert not dialog.use.isEnabled()


def test_the_list_of_offers_is_a_sound_model(qtmodeltester: Any) -> None:
    rows = OfferRows()
    rows.set_offered([NOTE, ANY, GREET])
    qtmodeltester.check(rows)
    rows.search("note:///one 4")
    assert rows.data(rows.index(0, 0)) == "one"
    assert rows.rowCount() == 1
