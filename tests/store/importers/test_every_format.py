"""Every format: what its sample tells comes in, once, and can be gone on with over every wire."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import TextPart, ThinkingTextPart, UnknownPart
from sam_py.messages.turn import Limits
from sam_py.paths import Paths
from sam_py.providers.base import ChatRequest
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.run import Form, Wanted, all_conversations
from sam_py.store.importers.gathering import NO_RESULT, Gathering
from sam_py.transcript.attached import put_in_files
from sam_py.transcript.build import build
from tests.store.exporters.shelves import PNG, exported, imported, library
from tests.store.importers.sample_of_chatgpt import (
    AFTER,
    ANSWERED,
    ASKED,
    CALLED,
    FIRST_WAY,
    GIVEN,
    SECOND_WAY,
    THOUGHT,
)
from tests.store.importers.samples import SAMPLES, Sample, librechat_recursive, sam_conversation
from tests.wire.judge import judge
from tests.wire.wires import NAMES, wire_of


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


def taken_in(paths: Paths, path: Path) -> StoredConversation:
    """The conversation with the picture, after an import."""
    report = imported(paths, path)
    titles = {each.title: each.id for each in report.conversations}
    return StoredConversation(paths.conversations, titles.get("A picture") or report.conversations[0].id)


def shown(conversation: StoredConversation) -> list[Message]:
    return [conversation.message(id) for id in conversation.path]


def everything(conversation: StoredConversation) -> list[Message]:
    return [conversation.message(id) for way in conversation.branches() for id in way]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_story_comes_in(sample: Sample, home: Paths, tmp_path: Path) -> None:
    conversation = taken_in(home, sample.write(tmp_path))
    path, every = shown(conversation), everything(conversation)
    texts = [message.text for message in path]
    for told in (ASKED, ANSWERED, AFTER):
        assert sum(told in text for text in texts) == 1, texts
    assert any(FIRST_WAY in text or SECOND_WAY in text for text in texts)
    if sample.has_thinking:
        assert any(THOUGHT in message.thinking for message in path)
    if sample.has_tools:
        (call,) = [call for message in path for call in message.tool_calls if call.tool_name == "weather"][:1]
        assert "Köln" in call.arguments_json or call.arguments_json == CALLED
        (result,) = [m for m in path if isinstance(m, ToolResultMessage) and m.call_id == call.call_id]
        assert GIVEN in result.output_text
    if sample.has_branch:
        assert len(every) > len(path)
        asked_ways = [m.text for m in every if isinstance(m, UserMessage)]
        assert SECOND_WAY in asked_ways or any("Another model" in message.text for message in every)
    if sample.has_picture:
        (picture,) = next(message for message in path if message.has_images).images
        assert picture.attachment
        assert (home.attachments / picture.attachment[:2] / picture.attachment).read_bytes() == PNG
        assert picture.mime_type == "image/png"
    models = {message.model for message in path if isinstance(message, AssistantMessage)}
    assert sample.model in models
    assert all(datetime(2023, 1, 1, tzinfo=UTC) < m.created_at < datetime(2027, 1, 1, tzinfo=UTC) for m in every)
    for above, below in itertools.pairwise(path):
        assert above.created_at <= below.created_at


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_same_file_again_adds_nothing(sample: Sample, home: Paths, tmp_path: Path) -> None:
    path = sample.write(tmp_path)
    first = imported(home, path)
    before = exported(home, tmp_path / "x.json")
    again = imported(home, path)
    assert again.count("known") == len(first.conversations)
    assert (again.messages, again.attachments) == (0, 0)
    assert exported(home, tmp_path / "x.json") == before
    assert first.summary.count("new conversation") == 1


@pytest.mark.parametrize("wire_name", NAMES)
def test_an_imported_conversation_can_be_gone_on_with(wire_name: str, home: Paths, tmp_path: Path) -> None:
    wire = wire_of(wire_name)
    for number, sample in enumerate(SAMPLES):
        folder = tmp_path / str(number)
        folder.mkdir()
        imported(home, sample.write(folder))
    limits = Limits(images=True, pdfs=True, tools=True, thinking=True)
    for id in all_conversations(home):
        conversation = StoredConversation(home.conversations, id)
        for way in conversation.branches():
            line: list[str] = []
            step: str | None = way[-1]
            while step is not None:
                line.insert(0, step)
                step = conversation.tree.nodes[step].parent_id
            said = [conversation.message(each) for each in line]
            said.append(UserMessage(parent_id=line[-1], parts=(TextPart(text="Go on."),)))
            for model in wire.models:
                built = build(said, {}, (), limits, system="Be kind.", provider="mine", model=model)
                files = dict.fromkeys(_hashes(said), PNG)
                built = put_in_files(built, files)
                request = ChatRequest(
                    model=model,
                    turns=built.turns,
                    provider="mine",
                    limits=limits,
                    attachments=files,
                    system=built.system,
                )
                body = json.loads(json.dumps(wire.build_body(request), allow_nan=False))
                assert judge(wire_name, body, wire.service, model=model) == [], conversation.title
                assert "Go on." in json.dumps(body)


def _hashes(messages: list[Message]) -> set[str]:
    return {p.attachment for m in messages for p in m.parts if getattr(p, "attachment", None)}  # type: ignore[union-attr]


def test_what_has_no_place_is_kept(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "chatgpt")
    conversation = taken_in(home, sample.write(tmp_path))
    (lost,) = [part for message in shown(conversation) for part in message.parts if isinstance(part, UnknownPart)]
    assert "file_0000gone" in lost.model_dump_json()
    assert "g-1" in str((conversation.settings.model_extra or {})["imported"])
    answer = next(message for message in shown(conversation) if message.text == ANSWERED)
    assert "r1" in str((answer.model_extra or {})["imported"])
    assert conversation.settings.pinned
    (notes,) = [part for message in shown(conversation) for part in message.files]
    assert (notes.filename, notes.mime_type, notes.size) == ("notes.txt", "text/plain", 10)
    assert conversation.message(conversation.path[0]).text == "I cook.\n\nBe brief."


@pytest.mark.parametrize(("form", "named"), [("markdown", "\\_"), ("text", "_"), ("html", "_")])
def test_what_an_export_does_not_hold_is_named_in_what_is_read(
    form: Form, named: str, home: Paths, tmp_path: Path
) -> None:
    conversation = taken_in(home, SAMPLES[0].write(tmp_path))
    text = exported(home, tmp_path / "out", form, Wanted((conversation.id,))).decode()
    assert f"file{named}0000gone: not in the export" in text
    built = build(shown(conversation), {}, (), Limits(), provider="mine", model="x")
    assert "[file_0000gone: not in the export]" in str(built.turns)


def test_a_reply_that_failed_is_there_with_the_reason_and_what_is_empty_is_kept_beside(home: Paths) -> None:
    gathering = Gathering("x", "1")
    gathering.user("a", None, [TextPart(text="Hi")])
    gathering.user("b", "a", [], message={"hidden": True})
    gathering.reply("c", "b", [], stop_reason="error", message={"error": {"content": "no such model"}})
    gathering.reply("d", "b", [TextPart(text="It failed: no key")], stop_reason="error", message={"error": "no key"})
    gathering.reply("e", "b", [], stop_reason="error")
    found = gathering.found()
    assert found is not None
    asked, *replies = found.messages
    assert [reply.parent_id for reply in replies] == [asked.id] * 3
    words = [[getattr(part, "in_words", "") or part.text for part in reply.parts] for reply in replies]  # type: ignore[union-attr]
    failed = ["[The reply failed: no such model]"], ["It failed: no key"], ["[The reply failed: it is not said why.]"]
    assert tuple(words) == failed
    assert "hidden" in str([event for event in found.events if getattr(event, "key", "") == "imported"])


def test_a_call_whose_result_is_not_in_the_export_is_closed(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "claude")
    path = shown(taken_in(home, sample.write(tmp_path)))
    called = {call.call_id for message in path for call in message.tool_calls}
    results = {message.call_id: message for message in path if isinstance(message, ToolResultMessage)}
    assert called == results.keys()
    assert [result.status for result in results.values() if result.output_text == NO_RESULT] == ["aborted"]
    assert not any(part.kind == "imported_content" for message in path for part in message.parts)
    assert "token_budget" in str([message.model_extra for message in path])


def test_a_run_of_pydantic_ai_keeps_its_dates(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "pydantic-ai")
    path = shown(taken_in(home, sample.write(tmp_path)))
    assert {message.created_at.year for message in path[1:]} == {2026}
    assert path[-1].created_at < datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


def test_thinking_of_chatgpt_belongs_to_what_was_said_then(home: Paths, tmp_path: Path) -> None:
    conversation = taken_in(home, SAMPLES[0].write(tmp_path))
    (thinking,) = [m for m in shown(conversation) if any(isinstance(part, ThinkingTextPart) for part in m.parts)]
    assert thinking.tool_calls


def test_librechat_comes_in_alike_flat_and_nested(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "librechat")
    imported(home, sample.write(tmp_path))
    assert imported(home, librechat_recursive(tmp_path)).count("known") == 1


def test_sam_comes_in_alike_from_its_folder_and_as_a_package(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "sam")
    first = imported(home, sample.write(tmp_path))
    conversation = StoredConversation(home.conversations, first.conversations[0].id)
    asked = shown(conversation)[0]
    assert (asked.pinned, asked.importance) == (True, 0.9)
    assert conversation.settings.folder == "Trips"
    assert [each.what for each in first.aside] == ["the memories of “A picture”"]
    assert imported(home, sam_conversation(tmp_path)).count("known") == 1


def test_older_threads_of_chatbox_come_in_by_themselves(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "chatbox")
    titles = {each.title for each in imported(home, sample.write(tmp_path)).conversations}
    assert titles == {"A picture", "A picture – before"}


def test_details_blocks_of_open_webui_are_taken_for_what_they_stand_for(home: Paths, tmp_path: Path) -> None:
    sample = next(each for each in SAMPLES if each.key == "open-webui")
    path = shown(taken_in(home, sample.write(tmp_path)))
    assert [m.thinking for m in path if m.thinking] == [THOUGHT, "Older"]
    assert [m.output_text for m in path if isinstance(m, ToolResultMessage)] == [GIVEN, "sun"]
    assert path[-1].text == AFTER
