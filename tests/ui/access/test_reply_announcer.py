"""What a screen reader hears of a reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import ErrorOccurred
from sam_py.ui.chat.reply_announcer import ReplyAnnouncer, spoken
from tests.fakes.fault_server import DONE, FaultServer, Json, Stream, chunk
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


@pytest.fixture
def screen_reader(qapp: Any) -> Iterator[None]:
    was = QAccessible.isActive()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(was)


async def heard(sam: Sitting, server: FaultServer, *, stop_after: str = "") -> list[tuple[str, bool]]:
    said: list[tuple[str, bool]] = []
    announcer = ReplyAnnouncer(QWidget(sam.window), lambda text, urgent: said.append((text, urgent)))
    sam.use_server(server.base_url)
    announcer.attach(sam.bus)
    await sam.send("Hello")
    if stop_after:
        await sam.until(lambda: any(stop_after in text for text in sam.screen()), "the first words")
        sam.chat.stop()
    await sam.answered()
    announcer.detach()
    return said


def test_a_reply_is_heard_by_paragraphs_without_its_marks(screen_reader: None, run: Run, sit_down: SitDown) -> None:
    pieces = ("First **bo", "ld** words.\n", "\nThen `code`:\n\n```py\na\n\nb\n```\n\nThe", " end.")
    stream = Stream((*(chunk(piece) for piece in pieces), chunk(finish="stop"), DONE))

    async def scenario() -> None:
        async with FaultServer(stream) as server:
            sam = await sit_down().start()
            said = await heard(sam, server)
            assert " ".join(text for text, _urgent in said).split() == (
                ["First", "bold", "words.", "Then", "code:", "a", "b", "The", "end."]
            )
            assert not any(urgent for _text, urgent in said)
            await sam.close()

    run(scenario())


def test_a_stop_and_an_error_are_heard(screen_reader: None, run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((chunk("Half a"),), then="hang")) as server:
            sam = await sit_down().start()
            assert await heard(sam, server, stop_after="Half a") == [
                ("Half a", False),
                ("The reply was stopped.", False),
            ]
            server._behaviours[:] = [Json({"error": {"message": "bad key", "code": "invalid_api_key"}}, 401)]
            said = await heard(sam, server)
            assert said[-1][1]
            assert said[-1][0].startswith("Error: ")
            await sam.close()

    run(scenario())


def test_nothing_is_prepared_where_nobody_listens(run: Run, sit_down: SitDown) -> None:
    was = QAccessible.isActive()
    QAccessible.setActive(False)

    async def scenario() -> None:
        async with FaultServer(Stream((chunk("Words"), chunk(finish="stop"), DONE))) as server:
            sam = await sit_down().start()
            assert await heard(sam, server) == []
            await sam.close()

    run(scenario())
    QAccessible.setActive(was)


def test_the_message_walked_to_is_what_the_timeline_describes(screen_reader: None, run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Stream((chunk("Rivers run down."), chunk(finish="stop"), DONE))) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello")
            await sam.answered()
            sam.window.actions_by_name["messages"].trigger()
            interface = QAccessible.queryAccessibleInterface(sam.chat.timeline)
            assert interface.text(QAccessible.Text.Description) == "tiny: Rivers run down."
            sam.chat.timeline.walk.move(-1)
            assert interface.text(QAccessible.Text.Description) == "You: Hello"
            await sam.close()

    run(scenario())


def test_spoken_words_have_no_marks() -> None:
    assert spoken("# A *b* [c](https://example.org)") == "A b c"
    assert spoken("<script>x</script>") == "<script>x</script>"
    assert len(spoken("word " * 4_000)) == len("word " * 4_000) - 1


def test_where_our_own_voice_reads_replies_only_errors_are_said(screen_reader: None, qtbot: Any) -> None:
    said: list[str] = []
    bus = MessageBus("c")
    announcer = ReplyAnnouncer(QWidget(), lambda text, _urgent: said.append(text))
    announcer.attach(bus)
    announcer.is_quiet = True
    reply = bus.begin_assistant()
    bus.append_delta(reply, "A paragraph.\n\nAnother one.")
    bus.complete(reply)
    bus.record_error(ErrorOccurred(message_id=reply, code="server", text="It broke."))
    announcer.detach()
    assert said == ["Error: It broke."]
