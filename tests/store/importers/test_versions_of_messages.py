"""What a file says otherwise than the library: it comes in beside what is here, or takes up what was half here."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.history import HistoryEvent, MessageAdded, MessageRemoved, SettingsChanged
from sam_py.messages.message import AssistantMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import TextPart, ToolCallPart
from sam_py.paths import Paths
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.run import all_conversations
from sam_py.store.importers.content import NO_RESULT
from tests.store.exporters.shelves import PNG, exported, imported, library, put
from tests.store.importers.sample_of_chatgpt import chatgpt_conversation


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


def ways(home: Paths) -> set[tuple[str, ...]]:
    """What is said on every way from the first message to a last one, the shown one among them."""
    (id,) = all_conversations(home)
    conversation = StoredConversation(home.conversations, id)
    told: set[tuple[str, ...]] = set()
    for way in conversation.branches():
        line: list[str] = []
        step: str | None = way[-1]
        while step is not None:
            line.insert(0, _words(conversation, step))
            step = conversation.tree.nodes[step].parent_id
        told.add(tuple(line))
    return told


def shown(home: Paths) -> list[str]:
    (id,) = all_conversations(home)
    conversation = StoredConversation(home.conversations, id)
    return [_words(conversation, each) for each in conversation.path]


def _words(conversation: StoredConversation, id: str) -> str:
    message = conversation.message(id)
    return message.output_text if isinstance(message, ToolResultMessage) else message.text


def nothing_comes_in_again(home: Paths, *files: Path) -> None:
    """Importing any of the files once more changes no byte."""
    for file in files:
        before = exported(home, file.parent / "before.json")
        report = imported(home, file)
        assert (report.count("known"), report.messages, report.notes) == (1, 0, []), file
        assert exported(home, file.parent / "before.json") == before


def lm_studio(file: Path, *texts: str) -> Path:
    """Messages of LM Studio have no ids: their places stand for them."""
    rows = [
        {"versions": [{"role": "assistant" if n % 2 else "user", "content": [{"type": "text", "text": text}]}]}
        for n, text in enumerate(texts)
    ]
    file.parent.mkdir()
    file.write_text(json.dumps({"name": "Animals", "createdAt": 1720000000000, "messages": rows}))
    return file


def test_a_talk_that_went_on_otherwise_stands_beside_the_one_that_is_here(home: Paths, tmp_path: Path) -> None:
    old = ("Name a bird", "Owl", "How old does it get?", "Ten years", "Thanks", "Yes")
    new = ("Name a bird", "Owl", "And a fish", "Pike", "Thanks", "Yes", "Bye")
    first = lm_studio(tmp_path / "a" / "5.conversation.json", *old)
    second = lm_studio(tmp_path / "b" / "5.conversation.json", *new)
    imported(home, first)
    report = imported(home, second)
    assert (report.messages, report.versions) == (5, 1)
    assert ways(home) == {old, new}
    assert shown(home) == list(new)
    assert any("another version" in note for note in report.notes)
    third = lm_studio(tmp_path / "c" / "5.conversation.json", *new, "See you")
    assert imported(home, third).messages == 1
    assert ways(home) == {old, (*new, "See you")}
    nothing_comes_in_again(home, first, second, third)


def open_webui(file: Path, answer: str, *, more: bool = True) -> Path:
    said = [("u1", None, "user", "What is it?"), ("a1", "u1", "assistant", answer)]
    said += [("u2", "a1", "user", "Thanks"), ("a2", "u2", "assistant", "Gladly")] if more else []
    messages = {id: {"id": id, "parentId": above, "role": role, "content": text} for id, above, role, text in said}
    chat = {"title": "Edit", "history": {"messages": messages, "currentId": said[-1][0]}}
    file.write_text(json.dumps([{"id": "c1", "chat": chat}]))
    return file


def test_an_answer_that_was_changed_in_its_place_is_another_version(home: Paths, tmp_path: Path) -> None:
    first = open_webui(tmp_path / "a.json", "A cat")
    second = open_webui(tmp_path / "b.json", "No, a dog")
    imported(home, first)
    imported(home, second)
    assert ways(home) == {("What is it?", answer, "Thanks", "Gladly") for answer in ("A cat", "No, a dog")}
    nothing_comes_in_again(home, second, second)


def test_a_reply_that_was_still_written_becomes_whole(home: Paths, tmp_path: Path) -> None:
    half, whole = open_webui(tmp_path / "a.json", "A c", more=False), open_webui(tmp_path / "b.json", "A cat")
    imported(home, half)
    report = imported(home, whole)
    assert (report.messages, report.completed, report.versions) == (3, 1, 0)
    assert ways(home) == {("What is it?", "A cat", "Thanks", "Gladly")}
    nothing_comes_in_again(home, half, whole)


def test_a_question_that_became_longer_is_another_one(home: Paths, tmp_path: Path) -> None:
    imported(home, lm_studio(tmp_path / "a" / "5.conversation.json", "Name a bird", "Owl"))
    imported(home, lm_studio(tmp_path / "b" / "5.conversation.json", "Name a bird that swims", "Owl"))
    assert ways(home) == {("Name a bird", "Owl"), ("Name a bird that swims", "Owl")}


def test_what_was_removed_here_stays_removed_also_below_another_version(home: Paths, tmp_path: Path) -> None:
    imported(home, open_webui(tmp_path / "a.json", "A cat"))
    (id,) = all_conversations(home)
    path = StoredConversation(home.conversations, id).path
    put(home, id, [MessageRemoved(message_id=path[2], parent_id=path[1])])
    second = open_webui(tmp_path / "b.json", "No, a dog")
    imported(home, second)
    assert ways(home) == {("What is it?", answer, "Gladly") for answer in ("A cat", "No, a dog")}
    (changed,) = [way for way in _ids(home) if way not in path and _text(home, way) == "No, a dog"]
    put(home, id, [MessageRemoved(message_id=changed, parent_id=path[0])])
    nothing_comes_in_again(home, second, second)


def _ids(home: Paths) -> list[str]:
    (id,) = all_conversations(home)
    return list(StoredConversation(home.conversations, id).tree.nodes)


def _text(home: Paths, message_id: str) -> str:
    (id,) = all_conversations(home)
    return StoredConversation(home.conversations, id).message(message_id).text


def claude(file: Path, text: str, result: str | None, *asked: str) -> Path:
    """A reply with a call: `result` None where the export lacks it, "" where nothing was called."""
    asked = asked or ("Good",)
    called: list[Any] = [{"type": "text", "text": text}]
    if result != "":
        called.append({"type": "tool_use", "id": "t1", "name": "look", "input": {}})
    if result:
        called.append({"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": result}]})
    rows = [("m1", "", "human", [{"type": "text", "text": "Look"}]), ("m2", "m1", "assistant", called)]
    rows += [
        (id, "m2", "human", [{"type": "text", "text": said}]) for id, said in zip(("m3", "m4"), asked, strict=False)
    ]
    messages = [
        {"uuid": id, "parent_message_uuid": above, "sender": sender, "content": content}
        for id, above, sender, content in rows
    ]
    file.write_text(json.dumps([{"uuid": "c", "name": "Calls", "chat_messages": messages}]))
    return file


def test_calls_of_another_version_have_names_of_their_own_and_their_results(home: Paths, tmp_path: Path) -> None:
    first = claude(tmp_path / "a.json", "I look.", "A cat")
    second = claude(tmp_path / "b.json", "Let me see.", "A cat")
    imported(home, first)
    imported(home, second)
    assert ways(home) == {("Look", text, "A cat", "Good") for text in ("I look.", "Let me see.")}
    (id,) = all_conversations(home)
    conversation = StoredConversation(home.conversations, id)
    for way in conversation.branches():
        calls = [call.call_id for each in way for call in conversation.message(each).tool_calls]
        answered = [m.call_id for m in map(conversation.message, way) if isinstance(m, ToolResultMessage)]
        assert (len(calls), answered) == (1, calls)
    nothing_comes_in_again(home, first, second)


def test_calls_and_ways_that_only_another_version_has_come_in_once(home: Paths, tmp_path: Path) -> None:
    first = claude(tmp_path / "a.json", "I look.", "")
    second = claude(tmp_path / "b.json", "Let me see.", "A cat", "Good", "Bad")
    imported(home, first)
    imported(home, second)
    told = {("Look", "Let me see.", "A cat", said) for said in ("Good", "Bad")}
    assert ways(home) == {("Look", "I look.", "Good"), *told}
    nothing_comes_in_again(home, first, second)


def test_a_result_that_an_earlier_export_lacked_takes_its_place(home: Paths, tmp_path: Path) -> None:
    lacking, whole = claude(tmp_path / "a.json", "I look.", None), claude(tmp_path / "b.json", "I look.", "A cat")
    imported(home, lacking)
    assert shown(home) == ["Look", "I look.", NO_RESULT, "Good"]
    imported(home, whole)
    assert ways(home) == {("Look", "I look.", "A cat", "Good")}
    nothing_comes_in_again(home, lacking, whole)


def test_an_export_that_lacks_a_result_adds_no_empty_one(home: Paths, tmp_path: Path) -> None:
    lacking, whole = claude(tmp_path / "a.json", "I look.", None), claude(tmp_path / "b.json", "I look.", "A cat")
    imported(home, whole)
    nothing_comes_in_again(home, lacking, whole)


def test_an_own_export_of_a_half_reply_becomes_whole_and_never_half_again(home: Paths, tmp_path: Path) -> None:
    question = UserMessage(id="q" * 32, parts=(TextPart(text="Count"),))
    call = ToolCallPart(call_id="c1", tool_name="look")
    parts = {"half": (TextPart(text="One, t"),), "whole": (TextPart(text="One, two"), call)}
    for name, reply in parts.items():
        source = library(tmp_path / name)
        events: list[HistoryEvent] = [SettingsChanged(key="title", value="Count"), MessageAdded(message=question)]
        stop = "aborted" if name == "half" else "tool_use"
        answer = AssistantMessage(id="r" * 32, parent_id=question.id, parts=reply, stop_reason=stop)  # type: ignore[arg-type]
        put(source, "c" * 32, [*events, MessageAdded(message=answer)])
        exported(source, tmp_path / f"{name}.json")
    imported(home, tmp_path / "half.json")
    report = imported(home, tmp_path / "whole.json")
    assert (report.completed, report.versions) == (1, 0)
    assert ways(home) == {("Count", "One, two")}
    nothing_comes_in_again(home, tmp_path / "whole.json")
    before = exported(home, tmp_path / "x.json")
    assert imported(home, tmp_path / "half.json").count("known") == 1
    assert exported(home, tmp_path / "x.json") == before


def test_a_picture_that_came_later_is_shown(home: Paths, tmp_path: Path) -> None:
    alone = tmp_path / "conversations.json"
    alone.write_text(json.dumps([chatgpt_conversation()]))
    imported(home, alone)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(alone, "conversations.json")
        archive.writestr("file-Abc123-photo.png", PNG)
    report = imported(home, tmp_path / "export.zip")
    assert (report.count("grown"), report.attachments, report.versions) == (1, 1, 0)
    assert any("now whole" in note for note in report.notes)
    (id,) = all_conversations(home)
    conversation = StoredConversation(home.conversations, id)
    assert sum(conversation.message(each).has_images for each in conversation.path) == 1
    before = exported(home, tmp_path / "x.json")
    assert [imported(home, file).count("known") for file in (alone, tmp_path / "export.zip")] == [1, 1]
    assert exported(home, tmp_path / "x.json") == before


def test_a_talk_that_got_its_title_later_is_called_so(home: Paths, tmp_path: Path) -> None:
    file = open_webui(tmp_path / "a.json", "A cat")
    row = json.loads(file.read_text())[0]
    for title in ("", "Animals", "Beasts"):
        row["chat"]["title"] = title
        file.write_text(json.dumps([row]))
        imported(home, file)
        (id,) = all_conversations(home)
        given = StoredConversation(home.conversations, id).settings
        assert (given.title, given.title_source) == (("Animals", "person") if title else ("What is it?", "first_words"))
