"""What a store keeps of marks, summaries and reminders: all that a person said, and no word of a reminder."""

from __future__ import annotations

from pathlib import Path

import pytest

from sam_py.agent.session import ChatSession
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, DeveloperMessage
from sam_py.paths import default_paths
from sam_py.reminders.order import Reminders
from sam_py.settings.model import ChatSettings, ModelChoice
from sam_py.store.library import Library
from tests.agent.test_context_of_requests import long_talk
from tests.fakes.stepped_provider import SteppedProvider

pytestmark = pytest.mark.anyio
SECRET = "a reminder that nobody may find on the disk"


async def test_marks_and_summaries_are_there_after_a_restart_and_no_reminder_ever_is(tmp_path: Path) -> None:
    paths = default_paths(tmp_path).create()
    library = Library(paths)
    await library.start()
    bus, provider = MessageBus(library.create()), SteppedProvider()
    autosave = library.attach(bus)
    session = ChatSession(
        bus,
        provider_of=lambda _id: provider,
        save_now=autosave.save_now,
        read_attachment=library.attachments.read,
        defaults=ChatSettings(default=ModelChoice(provider="stepped", model="m"), model_titles=False),
        reminders=Reminders(todo_list=lambda _bus, _messages: SECRET),
    )
    long_talk(bus, 5)
    bus.annotate(bus.path[0], context="keep")
    bus.annotate(bus.path[1], context="never")
    bus.annotate(bus.path[1], context="")
    provider.answer("In short.")
    summary = await session.summarise()
    provider.answer("Fine")
    await session.send("And now?")
    await session.aclose()
    path = bus.path
    await library.aclose()

    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(b"And now?" in file.read_bytes() for file in files)
    assert not [file for file in files if SECRET.encode() in file.read_bytes()]

    again = Library(paths)
    await again.start()
    loaded = MessageBus(bus.conversation_id)
    loaded.load((await again.open(bus.conversation_id)).history)
    assert loaded.path == path
    assert [loaded.at(index).context for index in range(2)] == ["keep", ""]
    found = loaded.get(summary)
    assert isinstance(found, DeveloperMessage)
    assert found.covers == path[1:4]
    reply = loaded.at(len(loaded) - 1)
    assert isinstance(reply, AssistantMessage)
    assert [receipt.kind for receipt in reply.reminders] == ["todo_list"]
    await again.aclose()
