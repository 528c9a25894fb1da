"""Tools about the conversation itself: its task list, earlier messages, long results, attached files, notes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import SettingsChanged
from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import FilePart
from sam_py.paths import default_paths
from sam_py.store.library import Library
from sam_py.store.notes import Note, Notes
from sam_py.store.writer import Writer
from sam_py.tools.base import BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.builtin.conversation import PIECE, ReadResultTool, RecallHistoryTool
from sam_py.tools.builtin.read_document import ReadDocumentTool
from sam_py.tools.builtin.remember import RecallTool, RememberTool
from sam_py.tools.builtin.todo import TodoTool, todo_of


async def told(tool: BuiltinTool[Any], **arguments: object) -> ToolOutput:
    parsed = tool.parse(json.dumps(arguments))
    assert tool.doing(parsed)
    tool.touches(parsed)
    return await tool.run(parsed, Running("call", "c"))


def ask(tool: BuiltinTool[Any], **arguments: object) -> ToolOutput:
    return asyncio.run(told(tool, **arguments))


# The task list


def test_the_task_list_is_written_updated_and_read() -> None:
    bus = MessageBus("c")
    tool = TodoTool(lambda _id: bus)
    assert ask(tool, action="read").text == "The list is empty."
    items = [{"title": "Look", "status": "in_progress"}, {"title": "Leap", "depends_on": [1], "priority": "high"}]
    assert ask(tool, action="write", items=items).text.splitlines() == [
        "▶ 1. Look [in_progress]",
        "○ 2. Leap [not_started] (high), after 1",
    ]
    changes = [{"id": 1, "status": "completed"}, {"id": 2, "status": "in_progress"}]
    ask(tool, action="update", items=changes)
    ask(tool, action="add", items=[{"title": "Rest", "status": "blocked", "blocked_reason": "no bed"}])
    assert ask(tool, action="read").details == (
        "✓ 1. Look [completed]",
        "▶ 2. Leap [in_progress] (high)",
        "⏸ 3. Rest [blocked]: no bed",
    )


def test_a_mistake_in_the_task_list_changes_nothing() -> None:
    bus = MessageBus("c")
    recorded: list[object] = []
    bus.subscribe(lambda delta: recorded.append(getattr(delta, "event", None)))
    tool = TodoTool(lambda _id: bus)
    ask(tool, action="write", items=[{"title": "a"}])
    before, count = todo_of(bus), sum(isinstance(event, SettingsChanged) for event in recorded)
    for arguments, words in (
        ({"action": "update", "items": [{"id": 1, "status": "completed"}, {"id": 2}]}, "no task 2"),
        ({"action": "update", "items": [{"title": "b"}]}, "needs its id"),
        ({"action": "add", "items": []}, "Give the tasks"),
        ({"action": "add", "items": [{"status": "completed"}]}, "title"),
        ({"action": "write", "items": [{"title": "b", "depends_on": [4]}]}, "Nothing was changed"),
    ):
        with pytest.raises(ToolError, match=words):
            ask(tool, **arguments)  # type: ignore[arg-type]
    assert todo_of(bus) == before
    assert sum(isinstance(event, SettingsChanged) for event in recorded) == count
    with pytest.raises(ToolError, match="closed"):
        ask(TodoTool(lambda _id: None), action="read")


def test_the_task_list_survives_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        paths = default_paths(tmp_path).create()
        library = Library(paths)
        await library.start()
        bus = MessageBus(library.create())
        autosave = library.attach(bus)
        bus.add_user_message("Go")
        await told(TodoTool(lambda _id: bus), action="write", items=[{"title": "a"}, {"title": "b"}])
        await autosave.save_now()
        await library.aclose()
        again = Library(paths)
        await again.start()
        other = MessageBus(bus.conversation_id)
        other.load((await again.open(bus.conversation_id)).history)
        assert [item.title for item in todo_of(other).items] == ["a", "b"]
        await again.aclose()

    asyncio.run(main())


# Earlier messages


def _talk() -> MessageBus:
    bus = MessageBus("c")
    for said, answered in (
        ("The budget must stay below 5000 euros.", "Noted."),
        ("Which colour for the door?", "Green would fit. " + "Because of the garden. " * 2000),
        ("ok", "Fine."),
    ):
        bus.add_user_message(said)
        reply = bus.begin_assistant()
        bus.append_delta(reply, answered)
        bus.complete(reply)
    return bus


def test_earlier_messages_are_found_by_words() -> None:
    bus = _talk()
    tool = RecallHistoryTool(lambda _id: bus)
    output = ask(tool, words="budget euro")
    assert output.text.startswith("1 message fits, 1 shown")
    assert f"[{bus.path[0]}]" in output.text
    assert "importance 0.90: The budget must stay" in output.text
    assert "No earlier message fits" in ask(tool, words="elephant").text
    with pytest.raises(ToolError, match="Give words"):
        ask(tool, words="?!")


def test_earlier_messages_are_found_by_importance() -> None:
    bus = _talk()
    text = ask(RecallHistoryTool(lambda _id: bus), least_importance=0.9).text
    assert text.startswith("1 message fits")
    assert "budget" in text


def test_an_earlier_message_is_read_whole_in_pieces() -> None:
    bus = _talk()
    tool = RecallHistoryTool(lambda _id: bus)
    long = bus.path[3]
    first = ask(tool, message_id=long)
    assert f"characters 0 to {PIECE:,} of " in first.text
    assert f"go on with offset {PIECE}" in first.text
    whole = bus.get(long).text
    second = ask(tool, message_id=f"[{long}]", offset=PIECE)
    assert first.text.partition("\n\n")[2] + second.text.partition("\n\n")[2] == whole[: 2 * PIECE]
    with pytest.raises(ToolError, match="only"):
        ask(tool, message_id=long, offset=10**6)
    with pytest.raises(ToolError, match="no message"):
        ask(tool, message_id="x")


# Long results and documents


def test_a_long_result_is_read_in_pieces() -> None:
    bus = MessageBus("c")
    bus.add_user_message("Go")
    whole = "".join(f"{n:06} ü\n" for n in range(6000))
    result = ToolResultMessage(
        parent_id=bus.tip, call_id="x", tool_name="fetch_page", status="success", output_text="cut", whole="hash"
    )
    bus.add(result)
    bus.ledger.writer().record("x", "success", tool_name="fetch_page", result_id=result.id)

    async def read(hash: str) -> bytes:
        assert hash == "hash"
        return whole.encode()

    tool = ReadResultTool(lambda _id: bus, read)
    pieces = []
    for offset in range(0, len(whole), PIECE):
        pieces.append(ask(tool, call_id="x", offset=offset).text.partition("\n\n")[2])
    assert "".join(pieces) == whole
    assert tool.untrusted
    with pytest.raises(ToolError, match="no result of a call 'y'"):
        ask(tool, call_id="y")
    with pytest.raises(ToolError, match="has only"):
        ask(tool, call_id="x", offset=10**6)


def test_an_attached_file_is_read_by_name() -> None:
    bus = MessageBus("c")
    files = {"t": "naïve\ntext".encode("cp1252"), "p": b"%PDF-1.7 \x00\x01"}
    parts = (
        FilePart(attachment="t", filename="Notes.TXT", mime_type="text/plain", size=10),
        FilePart(attachment="p", filename="a.pdf", mime_type="application/pdf", size=12),
    )
    bus.add_user_message("Look", parts)

    async def read(hash: str) -> bytes:
        return files[hash]

    tool = ReadDocumentTool(lambda _id: bus, read)
    assert ask(tool).text == "Notes.TXT (text/plain, 10 bytes)\na.pdf (application/pdf, 12 bytes)"
    assert ask(tool, name="notes.txt").text.endswith("naïve\ntext")
    with pytest.raises(ToolError, match="a PDF document"):
        ask(tool, name="a.pdf")
    with pytest.raises(ToolError, match=r"Attached are:\nNotes"):
        ask(tool, name="b.txt")
    assert "No files" in ask(ReadDocumentTool(lambda _id: MessageBus("c"), read)).text


# Notes


def with_notes(tmp_path: Path, work: Callable[[Notes], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        writer = Writer("notes of a test")
        await work(Notes(tmp_path / "notes", writer))
        await writer.aclose()

    asyncio.run(main())


def test_a_note_is_remembered_found_and_removed(tmp_path: Path) -> None:
    async def work(notes: Notes) -> None:
        remember, recall = RememberTool(notes), RecallTool(notes)
        assert (await told(recall)).text == "There are no notes yet."
        await told(remember, text="Prefers metric units.")
        await told(remember, text="Has a dog called Bo.")
        assert "noted already" in (await told(remember, text="has a dog called bo.")).text
        found = (await told(recall, words="which units")).text
        assert found.endswith(": Prefers metric units.")
        assert len((await told(recall)).text.splitlines()) == 2
        id = (await notes.all())[0].id
        await told(remember, action="remove", id=id)
        assert len(await notes.all()) == 1
        for arguments in ({"action": "remove", "id": "../../x"}, {"action": "remove", "id": id}, {"text": "  "}):
            with pytest.raises(ToolError):
                await told(remember, **arguments)

    with_notes(tmp_path, work)


def test_a_note_survives_a_restart_and_a_damaged_one_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def first(notes: Notes) -> None:
        await notes.add(Note(text="kept", conversation_id="c"))

    async def second(notes: Notes) -> None:
        assert [(note.text, note.conversation_id) for note in await notes.all()] == [("kept", "c")]

    with_notes(tmp_path, first)
    damaged = tmp_path / "notes" / f"{'0' * 32}.json"
    damaged.write_text("{")
    (tmp_path / "notes" / "readme.txt").write_text("not ours")
    with_notes(tmp_path, second)
    assert damaged.read_text() == "{"
    assert "cannot be read" in caplog.text


def test_remembering_asks_first() -> None:
    tool = RememberTool(Notes(Path(), Writer()))
    (touch,) = tool.touches(tool.parse('{"text": "x"}'))
    assert (touch.effect, touch.free) == ("write", False)
