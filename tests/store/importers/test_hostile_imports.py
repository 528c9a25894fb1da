"""Files that somebody wrote to do harm, or that nest, break and lie: nothing leaves the data folder, what is sound
comes in, the rest is kept aside with a reason, and exports of what came in work."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.paths import Paths
from sam_py.store.exporters import nested
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.run import FORMS, Wanted, all_conversations
from sam_py.store.importers.gathering import Gathering
from tests.store.exporters.rich import put_rich
from tests.store.exporters.shelves import PNG, exported, imported, library
from tests.store.importers.sample_of_chatgpt import chatgpt_conversation
from tests.store.importers.samples import SAMPLES

IDS = [
    "../../evil",
    "/etc/passwd",
    "con",
    "NUL",
    "lpt1",
    "a\\b",
    "..",
    "C:evil",
    "x" * 300,
    "\x00",
    "a\nb",
    "A" * 32,
    "-rf",
]
HASH = hashlib.sha256(PNG).hexdigest()


@pytest.fixture
def home(tmp_path: Path) -> Paths:
    return library(tmp_path / "home")


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def said(id: object, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "id": id, "parent_id": None, "created_at": "2026-01-01T00:00:00Z", "parts": []}
    return {"event": "message_added", "message": {**message, "parts": [{"kind": "text", "text": "Hi"}], **more}}


EVENTS: list[Any] = [
    *[said(id) for id in ("m1", "../m2", "m\x003", "", 7, None)],
    *[
        None,
        7,
        [],
        {},
        {"event": 7},
        {"event": ""},
        {"event": "message_added"},
        {"event": "message_added", "message": 7},
    ],
    {**said("own"), "dev": "../x", "rev": 10**18, "crc": "x", "v": 99},
    *[said(f"v{n}", created_at=at) for n, at in enumerate(["x", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z"])],
    *[
        said(f"p{n}", parts=parts)
        for n, parts in enumerate([7, [7], [{"kind": 7}], [{"kind": {}}], [{"kind": "text"}]])
    ],
    said("picture", parts=[{"kind": "image", "attachment": "../../../etc/passwd"}]),
    said("file", parts=[{"kind": "file", "attachment": "/etc/passwd", "filename": "../../evil", "size": -5}]),
    *[said(role, role=role) for role in ("assistant", "tool", "boss")],
    said("circle1", parent_id="circle2"),
    said("circle2", parent_id="circle1"),
    *[{"event": "settings_changed", "key": key, "value": deep(60)} for key in ("title", "folder", "pinned", "tools")],
    {"event": "hologram_projected", "x": deep(100)},
    {"event": "hologram_projected", "x": deep(900)},
    {"event": "branch_selected", "parent_id": "m1", "message_id": "nowhere"},
    {"event": "tool_state_changed", "call_id": "c", "state": "nonsense"},
]
ATTACHMENTS: list[Any] = [
    *[
        {"sha256": name, "base64": base64.b64encode(PNG).decode()}
        for name in ("../../evil", "0" * 64, HASH.upper(), HASH)
    ],
    *[{"sha256": name, "size": 3} for name in ("../../../etc/passwd", "x/y")],
    *[{"sha256": HASH, "base64": what} for what in (7, "é", None)],
    *[7, None, [], {"sha256": 7}],
]


def test_a_hostile_file_of_our_own_form_writes_nothing_elsewhere_and_what_is_sound_comes_in(
    home: Paths, tmp_path: Path
) -> None:
    conversations: list[Any] = [{"id": id, "events": [said("m1")]} for id in IDS]
    conversations += [7, None, {}, {"id": 7, "events": [said("m")]}, {"id": "q", "events": {}}]
    conversations += [{"id": "e" * 32, "events": EVENTS}]
    document = {"format": "sam-py-export", "version": 1, "attachments": ATTACHMENTS, "conversations": conversations}
    text = (
        json.dumps(document)[:-2]
        + ',{"id":"last","events":['
        + json.dumps(said("m1"))
        + f",{'[' * 9000}{']' * 9000}]}}]}}"
    )
    file = tmp_path / "x.json"
    file.write_text(text)
    before = sorted(tmp_path.iterdir())
    report = imported(home, file)
    assert sorted(tmp_path.iterdir()) == before
    assert report.count("new") == len(IDS) + 2
    assert report.attachments == 1
    assert all(aside.why for aside in report.aside)
    folders = [path.name for path in home.conversations.iterdir()]
    assert not {"con", "nul", "NUL", "lpt1"} & set(folders)
    assert len({folder.lower() for folder in folders}) == len(IDS) + 2
    sound = StoredConversation(home.conversations, "e" * 32)
    assert {"m1", "../m2", "own", "v1", "picture", "circle1"} <= sound.tree.nodes.keys()
    assert StoredConversation(home.conversations, "last").damaged_lines == sound.damaged_lines == 0
    everything_can_be_exported(home, tmp_path)
    assert imported(home, file).count("known") == len(IDS) + 2


def everything_can_be_exported(home: Paths, folder: Path) -> None:
    everything = Wanted(tuple(all_conversations(home)), branches=True)
    for form in FORMS:
        exported(home, folder / f"exported.{form}", form, everything)
    other = library(folder / "other")
    assert imported(other, folder / "exported.json").aside == []
    assert exported(other, folder / "again.json") == (folder / "exported.json").read_bytes()


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1e308,
    10**30,
    "",
    "../../evil",
    "\x00",
    "\ud83c",
    [],
    {},
    [None],
    {"": None},
    deep(300),
]
ODD += [
    "9999-12-31T23:59:59.999999Z",
    "0001-01-01T00:00:00+23:59",
    253402300799,
    "data:image/png;base64,!",
    {"type": []},
]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in pairs for place in ((*at, key), *places(inner, (*at, key)))]


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """The file with something in it taken out, replaced or moved: a JSON value, or bytes."""
    if chance.random() < 0.3 or not raw.startswith((b"{", b"[")) or raw.count(b"\n{"):
        at, length = chance.randrange(len(raw)), chance.choice([1, 5, 500])
        return raw[:at] + chance.choice([b"", b'"', b"}", b"[" * 3000, b"\xff\x00", b"1" * 5000]) + raw[at + length :]
    whole = json.loads(raw)
    place = chance.choice(places(whole))
    holder = whole
    for key in place[:-1]:
        holder = holder[key]
    if chance.random() < 0.25:
        del holder[place[-1]]
    else:
        holder[place[-1]] = chance.choice(ODD)
    return json.dumps(whole).encode()


def own(folder: Path) -> Path:
    source = library(folder / "source")
    put_rich(source, PNG)
    exported(source, folder / "own.zip", "zip")
    return folder / "own.zip"


@pytest.mark.parametrize(("key", "write"), [(each.key, each.write) for each in SAMPLES] + [("sam-py", own)])
def test_a_file_with_something_changed_comes_in_whole_or_is_kept_aside(key: str, write: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    file = write(folder)
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as archive:
            archive.extractall(tmp_path / "unpacked")
        file = tmp_path / "unpacked"
    members = [path for path in file.rglob("*") if path.is_file()] if file.is_dir() else [file]
    chance = random.Random(key)
    for number in range(5):
        member = max(members, key=lambda path: (path.suffix in (".json", ".jsonl"), path.stat().st_size))
        sound = member.read_bytes()
        member.write_bytes(mutated(sound, chance))
        home = library(tmp_path / str(number) / "home")
        try:
            report = imported(home, file, key)
        except TransferError:
            report = None
        if report is not None and report.conversations:
            everything_can_be_exported(home, home.data.parent)
            again = imported(home, file, key)
            assert (again.count("new", "grown"), again.attachments) == (0, 0)
        member.write_bytes(sound)


def test_a_talk_of_seven_hundred_messages_comes_in_however_deep_it_nests(home: Paths, tmp_path: Path) -> None:
    """LibreChat's nested export puts each message into the one before it: far deeper than Python's own reader goes."""
    inner = ""
    for number in reversed(range(700)):
        fields = {"messageId": f"m{number}", "isCreatedByUser": number % 2 == 0, "text": f"Text {number}"}
        inner = f'{json.dumps(fields)[:-1]}, "children": [{inner}]}}'
    head = '{"conversationId": "long", "title": "Long", "recursive": true, "messages": '
    file = tmp_path / "librechat.json"
    file.write_text(f"{head}[{inner}]}}")
    report = imported(home, file)
    assert [(each.outcome, each.messages) for each in report.conversations] == [("new", 700)]
    conversation = StoredConversation(home.conversations, report.conversations[0].id)
    assert [conversation.message(id).text for id in conversation.path] == [f"Text {n}" for n in range(700)]


@pytest.mark.parametrize("key", ["chatgpt", "cherry-studio"])
def test_a_damaged_picture_in_an_archive_keeps_nothing_else_out(home: Paths, tmp_path: Path, key: str) -> None:
    file = next(each for each in SAMPLES if each.key == key).write(tmp_path)
    raw = file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        (picture,) = [each for each in archive.infolist() if each.filename.endswith(".png")]
    begin = picture.header_offset + 30 + len(picture.filename)
    file.write_bytes(raw[:begin] + bytes(picture.compress_size) + raw[begin + picture.compress_size :])
    report = imported(home, file)
    assert report.count("new") == 1
    assert [picture.filename in aside.what for aside in report.aside] == [True]
    conversation = StoredConversation(home.conversations, report.conversations[0].id)
    kept = [conversation.message(id).model_dump_json() for id in conversation.path]
    assert any("imported_" in each for each in kept)


def test_one_damaged_file_of_several_does_not_keep_out_the_others(home: Paths, tmp_path: Path) -> None:
    folder = tmp_path / "several"
    folder.mkdir()
    sample = next(each for each in SAMPLES if each.key == "librechat")
    whole = json.loads(sample.write(folder).read_text())
    (folder / "a.json").write_text('{"conversationId": "x", "messages": [')
    (folder / "z.json").write_text(json.dumps({**whole, "conversationId": "other"}))
    report = imported(home, folder)
    assert report.count("new") == 2
    assert [aside.what for aside in report.aside] == ["a.json"]


def test_conversations_without_an_id_stay_apart(home: Paths, tmp_path: Path) -> None:
    folder = tmp_path / "several"
    folder.mkdir()
    whole = json.loads(next(each for each in SAMPLES if each.key == "librechat").write(tmp_path).read_text())
    for name in ("a.json", "b.json"):
        (folder / name).write_text(json.dumps({**whole, "conversationId": ""}))
    assert imported(home, folder).count("new") == 2


def test_what_nests_too_deep_to_be_read_again_is_kept_as_text(home: Paths) -> None:
    gathering = Gathering("x", "1")
    gathering.user("a", None, [], None, odd=deep(400))
    gathering.reply("b", "a", [], None, odd=deep(400))
    found = gathering.found()
    assert found is None  # nothing was said in it
    gathering.result("c", "b", "", deep(2000), None)
    found = gathering.found()
    assert found is not None
    (result,) = [message for message in found.messages if isinstance(message, ToolResultMessage)]
    assert result.output_text == "[" * 2000 + "]" * 2000
    assert any(isinstance(message, AssistantMessage) for message in found.messages)


def test_json_is_read_and_written_alike_with_and_without_recursion() -> None:
    value = {"a": [1, -2.5e3, 'ü\n"', None, True, {}, [], {"b": [{}]}], "": "\u2028"}
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        assert nested.parse(f" {text}\n") == (value, len(text) + 1)
    assert json.loads(nested.written(value)) == value
    for text in ("", "[", "[1", "[1,]", '{"a"}', '{"a":}', "[1}", "{1:2}", "tru", '["a'):
        with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
            nested.parse(text)


def test_of_a_long_damaged_conversation_the_report_says_that_the_file_is_still_needed(
    home: Paths, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt_conversation(), {"mapping": {}, "more": "x" * 5_000_000}])[:-9])
    aside, *_others = imported(home, file).aside
    assert "keep the file that you imported" in aside.why
