"""The lossless form: export, import into an empty library, export again: the same bytes."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
    UnknownEvent,
)
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.paths import Paths, resources
from sam_py.store.exporters.background import Task
from sam_py.store.exporters.errors import Cancelled, TransferError
from sam_py.store.exporters.run import Wanted, export_blocking
from sam_py.store.journal import Journal
from tests.messages.any_message import texts, times, with_extras
from tests.store.exporters.shelves import PNG, exported, imported, library, put, put_attachment
from tests.store.kit import answered, said

ids = st.sampled_from("abcdef")
events = st.one_of(
    st.builds(
        lambda message, id, parent: MessageAdded(message=message.model_copy(update={"id": id, "parent_id": parent})),
        with_extras,
        ids,
        st.none() | ids,
    ),
    st.builds(MessageRemoved, message_id=ids, parent_id=st.none() | ids),
    st.builds(MessageAnnotated, message_id=ids, pinned=st.booleans(), context=st.none() | st.just("keep")),
    st.builds(BranchSelected, parent_id=st.none() | ids, message_id=ids),
    st.builds(
        SettingsChanged, key=st.sampled_from(["title", "folder", "new"]), value=texts | st.floats(0, 1) | times.map(str)
    ),
    st.builds(ToolStateChanged, call_id=ids, state=st.sampled_from(["running", "success", "error"]), at=times),
    st.builds(ErrorOccurred, id=ids, message_id=ids, code=texts, text=texts, at=times, resolved=st.booleans()),
    st.builds(TaskRecorded, id=ids, cost_usd=st.none() | st.floats(0, 1), at=times),
    st.builds(lambda x: UnknownEvent.model_validate({"event": "hologram_projected", "x": x}), texts),
)
logs = st.dictionaries(
    st.sampled_from(["0" * 32, "1" * 32]),
    st.lists(st.tuples(st.sampled_from(["aaaa1111", "bbbb2222"]), events), min_size=1, max_size=12),
    min_size=1,
)


@settings(max_examples=40)
@given(logs, st.sampled_from(["json", "zip"]))
def test_any_history_of_any_devices_comes_back_byte_for_byte(log: dict, form: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, other = library(Path(folder) / "a"), library(Path(folder) / "b")
        for id, told in log.items():
            for device, event in told:
                put(home, id, [event], device)
        file = Path(folder) / f"x.{form}"
        first = exported(home, file, form)
        report = imported(other, file)
        assert not report.aside
        assert exported(other, Path(folder) / f"y.{form}", form) == first
        for id in log:
            here, there = (Journal(paths.conversations / id, "x").load(mend=False) for paths in (home, other))
            assert [m.load() for m in here.messages] == [m.load() for m in there.messages]
            assert (here.annotations, here.selected, here.settings) == (
                there.annotations,
                there.selected,
                there.settings,
            )


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    """Two conversations, one with a picture, a branch, and a line that no version of ours can read."""
    paths = library(tmp_path / "home")
    picture = put_attachment(paths, PNG)
    shown = UserMessage(id="m1", parts=(TextPart(text="Look <b>"), ImagePart(attachment=picture, alt="a dot")))
    put(
        paths,
        "a" * 32,
        [
            SettingsChanged(key="title", value="Soup"),
            MessageAdded(message=shown),
            answered("m2", "A dot.", "m1", at_s=1),
            answered("m3", "A red dot.", "m1", at_s=2),
            BranchSelected(parent_id="m1", message_id="m2"),
        ],
    )
    put(
        paths,
        "b" * 32,
        [said("n1", "Missing"), MessageAdded(message=UserMessage(parts=(ImagePart(attachment="f" * 64),)))],
    )
    journal = paths.conversations / ("b" * 32) / "hand.jsonl"
    journal.write_text(
        '{"v":1,"event":"message_added","rev":9,"dev":"hand","message":{"role":"user","id":"h1","parts":7}}\n'
        '{"v":3,"event":"message_added","rev":10,"dev":"hand","message":{"role":"user","id":"h2","cut":"\\ud83c"}}\n'
    )
    return paths


@pytest.mark.parametrize("form", ["json", "zip"])
def test_pictures_damage_and_newer_lines_come_back_byte_for_byte(home: Paths, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"x.{form}"
    first = exported(home, file, form)
    other = library(tmp_path / "other")
    report = imported(other, file)
    assert [(each.outcome, each.messages) for each in report.conversations] == [("new", 3), ("new", 4)]
    assert report.attachments == 1
    assert exported(other, tmp_path / f"y.{form}", form) == first


def test_the_documented_shape_holds(home: Paths, tmp_path: Path) -> None:
    document = json.loads(exported(home, tmp_path / "x.json"))
    assert (document["format"], document["version"]) == ("sam-py-export", 1)
    assert {tuple(each) for each in document["attachments"]} == {("sha256", "size", "base64"), ("sha256", "missing")}
    assert [each["id"] for each in document["conversations"]] == ["a" * 32, "b" * 32]
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("x", "")
    exported(home, tmp_path / "x.zip", "zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 2


def test_the_documentation_names_every_member_of_events_messages_and_parts() -> None:
    document = (resources() / "docs" / "export-format.md").read_text(encoding="utf-8")
    events = [MessageRemoved, MessageAnnotated, BranchSelected, ToolStateChanged, ErrorOccurred, TaskRecorded]
    said = [SystemMessage, DeveloperMessage, UserMessage, AssistantMessage, ToolResultMessage]
    parts = [TextPart, ImagePart, FilePart, CodePart, ThinkingTextPart, ThinkingSignaturePart, ToolCallPart]
    names = {name for model in (*events, *said, *parts, SettingsChanged, MessageAdded) for name in model.model_fields}
    assert [name for name in sorted(names - {"kind"}) if f"`{name}`" not in document] == []


def test_the_same_file_again_adds_nothing_and_what_is_removed_stays_removed(home: Paths, tmp_path: Path) -> None:
    first = exported(home, tmp_path / "x.json")
    other = library(tmp_path / "other")
    imported(other, tmp_path / "x.json")
    put(other, "a" * 32, [MessageRemoved(message_id="m3", parent_id="m1"), said("mine", "My own", "m2", at_s=9)])
    mine = exported(other, tmp_path / "mine.json")
    assert imported(other, tmp_path / "x.json").count("known") == 2
    assert exported(other, tmp_path / "again.json") == mine != first


def test_a_conversation_that_went_on_elsewhere_gains_what_is_new(home: Paths, tmp_path: Path) -> None:
    exported(home, tmp_path / "x.json")
    other = library(tmp_path / "other")
    imported(other, tmp_path / "x.json")
    put(home, "a" * 32, [said("m4", "And then?", "m2", at_s=5)])
    put(other, "a" * 32, [said("mine", "My own", "m2", at_s=9)])
    exported(home, tmp_path / "x.json")
    report = imported(other, tmp_path / "x.json")
    assert [(each.outcome, each.messages) for each in report.conversations] == [("grown", 1), ("known", 0)]
    history = Journal(other.conversations / ("a" * 32), "x").load(mend=False)
    assert {message.id for message in history.messages} == {"m1", "m2", "m3", "m4", "mine"}


def test_chosen_messages_become_a_conversation_of_their_own(home: Paths, tmp_path: Path) -> None:
    put(home, "a" * 32, [said("m4", "And then?", "m2", at_s=5)])
    wanted = Wanted(("a" * 32,), ("m4", "m1"))
    document = json.loads(exported(home, tmp_path / "x.json", wanted=wanted))
    (conversation,) = document["conversations"]
    added = [each["message"] for each in conversation["events"] if each["event"] == "message_added"]
    assert {(each["id"], each["parent_id"]) for each in added} == {("m1", None), ("m4", "m1")}
    assert conversation["id"] not in ("a" * 32, "b" * 32)
    assert json.loads(exported(home, tmp_path / "x.json", wanted=wanted)) == document
    with pytest.raises(TransferError, match="not in the conversation any more"):
        exported(home, tmp_path / "x.json", wanted=Wanted(("a" * 32,), ("gone",)))


def test_a_cancelled_or_refused_export_leaves_the_file_that_was_there(home: Paths, tmp_path: Path) -> None:
    target = tmp_path / "x.json"
    target.write_bytes(b"before")
    task = Task()
    task.stop()
    with pytest.raises(Cancelled):
        export_blocking(home, Wanted(("a" * 32,)), "json", target, task)
    with pytest.raises(TransferError, match="choose another one"):
        export_blocking(home, Wanted(("c" * 32,)), "json", target)
    with pytest.raises(TransferError, match="choose another folder"):
        export_blocking(home, Wanted(("a" * 32,)), "json", tmp_path / "nowhere" / "x.json")
    assert target.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "x.json"]


def test_of_several_conversations_the_unreadable_are_named(home: Paths, tmp_path: Path) -> None:
    report = export_blocking(home, Wanted(("a" * 32, "c" * 32)), "json", tmp_path / "x.json")
    assert (report.conversations, report.unreadable) == (1, ("c" * 32,))
