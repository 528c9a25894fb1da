"""Lists of roles and texts: they have no ids, and are told apart, and known again, by what is said in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.history import MessageAdded
from sam_py.messages.message import UserMessage
from sam_py.messages.parts import TextPart
from sam_py.paths import Paths
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.run import all_conversations
from tests.store.exporters.shelves import imported, library, put

SYSTEM = {"role": "system", "content": "You are a helpful assistant."}
GREETED = ("Hi", "Hello! How can I help you?")
MONDAY = (*GREETED, "What is the capital of France?", "Paris.")
TUESDAY = (*GREETED, "Name a bird.", "The owl.", "Another.", "The swift.")


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


def dump(file: Path, texts: tuple[str, ...], **more: Any) -> Path:
    roles = ("user", "assistant")
    said = [{"role": roles[n % 2], "content": text, **more} for n, text in enumerate(texts)]
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps([SYSTEM, *said]))
    return file


def talks(home: Paths) -> set[tuple[str, ...]]:
    conversations = [StoredConversation(home.conversations, id) for id in all_conversations(home)]
    assert all(len(each.tree.nodes) == len(each.path) for each in conversations)
    return {tuple(each.message(id).text for id in each.path[1:]) for each in conversations}


def test_talks_with_one_system_prompt_and_one_greeting_stay_apart(home: Paths, tmp_path: Path) -> None:
    for name, texts in (("a", MONDAY), ("b", TUESDAY), ("c", MONDAY[:2])):
        dump(tmp_path / "folder" / f"{name}.json", texts)
    assert imported(home, tmp_path / "folder").count("new") == 2  # the greeting came first, and one went on with it
    assert talks(home) == {MONDAY, TUESDAY}
    again = imported(home, tmp_path / "folder")
    assert (again.count("known"), again.messages) == (3, 0)


def test_the_same_talk_longer_adds_what_is_new(home: Paths, tmp_path: Path) -> None:
    for length in (2, 4, 6):
        report = imported(home, dump(tmp_path / "tuesday.json", TUESDAY[:length], note=length))
        assert (report.messages, len(report.conversations)) == (3 if length == 2 else 2, 1)
    assert talks(home) == {TUESDAY}
    assert imported(home, dump(tmp_path / "other.json", (*TUESDAY[:4], "Why?"))).count("new") == 1


def test_what_was_said_here_since_does_not_make_it_another_talk(home: Paths, tmp_path: Path) -> None:
    imported(home, dump(tmp_path / "tuesday.json", TUESDAY[:4]))
    (id,) = all_conversations(home)
    last = StoredConversation(home.conversations, id).path[-1]
    put(home, id, [MessageAdded(message=UserMessage(parent_id=last, parts=(TextPart(text="Here"),)))])
    assert imported(home, dump(tmp_path / "tuesday.json", TUESDAY)).count("grown") == 1


def test_a_talk_without_a_title_is_called_after_its_first_question(home: Paths, tmp_path: Path) -> None:
    report = imported(home, dump(tmp_path / "monday.json", MONDAY[2:]))
    assert [each.title for each in report.conversations] == ["What is the capital of France?"]
    (id,) = all_conversations(home)
    settings = StoredConversation(home.conversations, id).settings
    assert (settings.title, settings.title_source) == ("What is the capital of France?", "first_words")
