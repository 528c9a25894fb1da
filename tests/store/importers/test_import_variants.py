"""The other shapes in which formats occur, and libraries that refuse, or are imported into twice at once."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import TextPart, ToolCallPart
from sam_py.paths import Paths
from sam_py.store.errors import StorageError
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.run import all_conversations
from sam_py.store.importers.gathering import Gathering
from sam_py.store.importers.run import format_of, import_blocking
from sam_py.store.importers.writing import ImportWriter
from tests.store.exporters.shelves import exported, imported, library
from tests.store.importers.sample_of_chatgpt import chatgpt_conversation
from tests.store.importers.samples import SAMPLES
from tests.store.kit import RefusingDisk


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


def unzipped(folder: Path, key: str) -> Path:
    """A sample's archive as a folder."""
    sample = next(each for each in SAMPLES if each.key == key)
    with zipfile.ZipFile(sample.write(folder)) as archive:
        archive.extractall(folder / "unzipped")
    return folder / "unzipped"


def split(folder: Path) -> Path:
    """ChatGPT's newer exports: several files of conversations."""
    home = unzipped(folder, "chatgpt")
    (home / "conversations.json").rename(home / "conversations-000.json")
    other = {**chatgpt_conversation(), "conversation_id": "other", "title": "Other"}
    (home / "conversations-001.json").write_text(json.dumps([other]))
    return home


def linear_claude(folder: Path) -> Path:
    """Claude's older exports: text alone, no parents."""
    messages = [
        {
            "uuid": f"m{n}",
            "sender": "human" if n % 2 == 0 else "assistant",
            "text": f"Text {n}",
            "created_at": "2025-01-01T00:00:00Z",
        }
        for n in range(4)
    ]
    path = folder / "claude.json"
    path.write_text(json.dumps({"conversations": [{"uuid": "c", "name": "Old", "chat_messages": messages}]}))
    return path


def one_chat(folder: Path) -> Path:
    path = folder / "chat.json"
    row = json.loads(next(each for each in SAMPLES if each.key == "open-webui").write(folder).read_text())[0]
    path.write_text(json.dumps(row))
    return path


def legacy(folder: Path) -> Path:
    path = folder / "legacy.jsonl"
    forms = [{"role": "user", "content": "Hello"}, {"thought": "They greet."}, {"role": "assistant", "content": "Hi"}]
    path.write_text("\n".join(json.dumps(form) for form in forms))
    return path


def old_chatbox(folder: Path) -> Path:
    path = folder / "old.json"
    session = {"id": "s", "name": "Old", "messages": [{"id": "a", "role": "user", "content": "Hello"}]}
    path.write_text(json.dumps({"chat-sessions": [session], "settings": {}}))
    return path


VARIANTS: list[tuple[Callable[[Path], Path], str, int, int]] = [
    (split, "ChatGPT", 2, 16),
    (lambda folder: unzipped(folder, "claude"), "Claude", 1, 8),
    (linear_claude, "Claude", 1, 4),
    (one_chat, "Open WebUI", 1, 9),
    (legacy, "pydantic-ai", 1, 3),
    (old_chatbox, "Chatbox", 1, 1),
]


@pytest.mark.parametrize(("write", "name", "conversations", "messages"), VARIANTS)
def test_other_shapes_come_in(
    write: Callable[[Path], Path], name: str, conversations: int, messages: int, home: Paths, tmp_path: Path
) -> None:
    path = write(tmp_path)
    assert format_of(path) == name
    report = imported(home, path)
    assert (report.format, report.count("new"), report.messages) == (name, conversations, messages)
    assert report.aside == []


def test_our_export_comes_in_also_when_another_program_indented_it(home: Paths, tmp_path: Path) -> None:
    imported(home, SAMPLES[0].write(tmp_path))
    first = exported(home, tmp_path / "x.json")
    (tmp_path / "x.json").write_text(json.dumps(json.loads(first), indent=4))
    other = library(tmp_path / "other")
    assert imported(other, tmp_path / "x.json").aside == []
    assert exported(other, tmp_path / "y.json") == first


def test_a_full_disk_stops_an_import_with_whole_conversations(home: Paths, tmp_path: Path) -> None:
    base = chatgpt_conversation()
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{**base, "conversation_id": f"c{n}"} for n in range(9)]))
    disk = RefusingDisk()
    disk.refuse, disk.free = "full", 20_000
    with pytest.raises(StorageError, match="disk is full"):
        import_blocking(home, file, disk=disk)
    before = all_conversations(home)
    assert 0 < len(before) < 9
    assert imported(home, file).count("known") == len(before)
    assert not list(home.data.glob("imports/*"))


def test_two_imports_of_one_file_at_once_end_as_one(home: Paths, tmp_path: Path) -> None:
    base = chatgpt_conversation()
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{**base, "conversation_id": f"c{n}"} for n in range(12)]))
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda _number: imported(home, file), range(2)))
    assert sum(report.count("new") for report in reports) == 12
    for id in all_conversations(home):
        assert len(StoredConversation(home.conversations, id).tree.nodes) == 8


def test_messages_that_share_an_id_are_all_kept() -> None:
    gathering = Gathering("test", "c")
    for text in ("one", "two", "one"):
        gathering.user("same", None, [TextPart(text=text)])
    found = gathering.found()
    assert found is not None
    assert [message.text for message in found.messages] == ["one", "two"]
    assert found.notes == ("Some messages shared an id; each is here.",)


trees = st.lists(
    st.tuples(
        st.integers(-1, 12),
        st.sampled_from(["user", "reply", "call", "result", "empty"]),
        st.none() | st.integers(0, 9),
    ),
    min_size=1,
    max_size=14,
)


@given(trees, st.integers(0, 13))
def test_any_tree_is_gathered_whole_and_told_with_each_message_once(told: list[Any], shown: int) -> None:
    gathering = Gathering("test", "c", title="T")
    for number, (parent, kind, at) in enumerate(told):
        above = str(parent) if 0 <= parent < number else None
        date = None if at is None else 1_700_000_000 + at
        match kind:
            case "user" | "empty":
                gathering.user(str(number), above, [TextPart(text="" if kind == "empty" else "x")], date)
            case "reply":
                gathering.reply(str(number), above, [TextPart(text="y")], date)
            case "call":
                gathering.reply(str(number), above, [ToolCallPart(call_id="c", tool_name="t")], date)
            case _:
                gathering.result(str(number), above, "c", "z", date)
    gathering.show(str(min(shown, len(told) - 1)))
    found = gathering.found()
    if found is None:
        assert all(kind == "empty" for _parent, kind, _at in told)
        return
    messages = found.messages
    by_id = {message.id: message for message in messages}
    assert len(by_id) == len(messages) >= sum(kind != "empty" for _parent, kind, _at in told)
    assert all(message.parent_id is None or message.parent_id in by_id for message in messages)
    assert all(m.parent_id is None or by_id[m.parent_id].created_at <= m.created_at for m in messages)
    calls = [call.call_id for message in messages for call in message.tool_calls]
    results = [message.call_id for message in messages if isinstance(message, ToolResultMessage)]
    assert sorted(calls) == sorted(results) == sorted(set(results))
    with tempfile.TemporaryDirectory() as name:
        paths = library(Path(name))
        with ImportWriter(paths) as writer:
            assert writer.put(found).outcome == "new"
        conversation = StoredConversation(paths.conversations, found.id)
        everything = [id for way in conversation.branches() for id in way]
        assert sorted(everything) == sorted(by_id)
        assert conversation.message(conversation.path[-1]) == by_id[conversation.path[-1]]
