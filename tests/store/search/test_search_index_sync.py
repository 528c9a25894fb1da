"""The index after any sequence of changes is the index built anew; what only adds costs what was added."""

from __future__ import annotations

import json
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sam_py.messages.history import (
    BranchSelected,
    HistoryEvent,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
)
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import FilePart, ImagePart, TextPart, ToolCallPart
from sam_py.paths import Paths, default_paths
from sam_py.store.disk import Disk
from sam_py.store.journal import Journal
from sam_py.store.search_index.results import Filters
from sam_py.store.search_index.search import search
from sam_py.store.search_index.sync import sync
from tests.store.kit import START, answered, said
from tests.store.search.shelf import Shelf, built_anew, folder_of

WORDS = ["soup", "Café", "hotel in Lyon", "你好世界", "`x = 1`", "see [docs](https://a.org)", "```py\nprint(1)\n```"]
EVERYTHING = Filters()
PNG = "a" * 64
NOTES = "b" * 64


def found(shelf: Shelf, text: str, filters: Filters = EVERYTHING) -> list[str]:
    connection = shelf.read()
    try:
        results = search(connection, text, filters, limit=50, after=None, order="best", now=START)
    finally:
        connection.close()
    return [hit.place.message_id for hit in results.hits]


def message(kind: str, id: str, parent: str | None, text: str, at_s: int) -> Message:
    at = START + timedelta(seconds=at_s)
    match kind:
        case "user":
            return UserMessage(id=id, parent_id=parent, created_at=at, parts=(TextPart(text=text),), pinned=at_s == 1)
        case "drawn":
            parts = (TextPart(text=text), ImagePart(attachment=PNG))
            return AssistantMessage(id=id, parent_id=parent, created_at=at, parts=parts, model="m")
        case "call":
            call = ToolCallPart(call_id=f"call {parent}", tool_name="draw", arguments_json=f'{{"prompt": "a {text}"}}')
            return AssistantMessage(id=id, parent_id=parent, created_at=at, parts=(call,))
        case "result":
            return ToolResultMessage(
                id=id, parent_id=parent, created_at=at, call_id="call None", tool_name="draw", status="success",
                output_text=text, parts=(ImagePart(attachment=PNG, alt="drawn"),),
            )  # fmt: skip
        case _:
            file = FilePart(attachment=NOTES, filename=f"{text[:4]}.txt", mime_type="text/plain", size=9)
            return UserMessage(id=id, parent_id=parent, created_at=at, parts=(TextPart(text=text), file))


KINDS = st.sampled_from(["user", "user", "drawn", "call", "result", "file"])
STEP = st.one_of(
    st.tuples(st.just("say"), KINDS, st.integers(0, 9), st.integers(-1, 9), st.sampled_from(WORDS), st.integers(0, 9)),
    st.tuples(st.just("answer"), KINDS, st.sampled_from(WORDS)),
    st.tuples(st.just("again"), st.sampled_from(WORDS)),
    st.tuples(st.just("remove"), st.integers(0, 9)),
    st.tuples(st.just("note"), st.integers(0, 9), st.booleans(), st.sampled_from([0.2, 0.9])),
    st.tuples(st.just("branch"), st.integers(-1, 9), st.integers(0, 9)),
    st.tuples(st.just("title"), st.sampled_from(["Trip", "", "旅行"])),
    st.tuples(st.just("task")),
    st.tuples(st.just("delete")),
    st.tuples(st.just("notes")),
    st.tuples(st.just("index")),
)


class HastyDisk(Disk):
    """Waits for no disk: forty stories write ten thousand lines."""

    def sync(self, fd: int) -> None:
        pass

    def sync_folder(self, path: str) -> None:
        pass


class Teller:
    """Writes conversations as two devices would."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self.count = 0
        self.tips: dict[str, str | None] = {}

    def tell(self, step: tuple, conversation: str, device: str) -> None:
        folder = folder_of(self.paths, conversation)
        self.count += 1
        match step:
            case ("delete",):
                shutil.rmtree(folder, ignore_errors=True)
                self.tips.pop(conversation, None)
                return
            case ("notes",):
                place = self.paths.attachments / NOTES[:2]
                place.mkdir(parents=True, exist_ok=True)
                (place / NOTES).write_bytes(b"groceries, eggs")
                return
            case ("index",):
                return
        journal = Journal(folder, device, HastyDisk(), ratio=1.2, min_bytes=1_500)
        journal.load()
        journal.save([self.event(step, conversation)])

    def event(self, step: tuple, conversation: str) -> HistoryEvent:
        tip = self.tips.get(conversation)
        match step:
            case ("say", kind, number, parent, text, at_s):
                above = None if parent < 0 else f"m{parent}"
                self.tips[conversation] = f"m{number}"
                return MessageAdded(message=message(kind, f"m{number}", above, text, at_s))
            case ("answer", kind, text):
                self.tips[conversation] = f"a{self.count}"
                return MessageAdded(message=message(kind, f"a{self.count}", tip, text, 100 + self.count))
            case ("again", text):
                return MessageAdded(message=message("user", tip or "m0", None, text + " again", 3))
            case ("remove", number):
                return MessageRemoved(message_id=f"m{number}", parent_id=None)
            case ("note", number, pinned, importance):
                return MessageAnnotated(message_id=f"m{number}", pinned=pinned, importance=importance)
            case ("branch", parent, number):
                return BranchSelected(parent_id=None if parent < 0 else f"m{parent}", message_id=f"m{number}")
            case ("title", text):
                return SettingsChanged(key="title", value=text)
            case _:
                return TaskRecorded(id=f"t{self.count}", at=START)


@given(st.lists(st.tuples(STEP, st.sampled_from(["c1", "c2"]), st.sampled_from(["aa", "aa", "bb"])), max_size=40))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_after_any_changes_the_index_says_what_one_built_anew_says(steps: list) -> None:
    with tempfile.TemporaryDirectory() as home:
        paths = default_paths(home).create()
        shelf, teller = Shelf(paths), Teller(paths)
        for step, conversation, device in steps:
            teller.tell(step, conversation, device)
            if step[0] in ("index", "answer", "again"):
                shelf.update()
        shelf.update()
        said_now = shelf.says()
        shelf.connection.execute("INSERT INTO entry (entry) VALUES ('integrity-check')")
        shelf.connection.execute("INSERT INTO fragments (fragments) VALUES ('integrity-check')")
        shelf.close()
        assert said_now == built_anew(paths)
        assert not said_now["lost entries"]
        assert not said_now["lost items"]


def test_a_new_message_is_taken_in_without_reading_what_was_said_before(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    journal.save([said("m0", "first"), *(answered(f"m{n}", "more", f"m{n - 1}", at_s=n) for n in range(1, 50))])
    shelf = Shelf(paths)
    assert shelf.update() == 50
    monkeypatch.setattr(Journal, "load", lambda *_a, **_k: pytest.fail("the whole conversation was read"))
    journal.save([said("u", "where is the lighthouse?", "m49", at_s=60), TaskRecorded(id="t")])
    assert shelf.update() == 1
    journal.save([answered("r", "On the", "u", at_s=61)])
    journal.save([answered("r", "On the northern cliff", "u", at_s=61)])
    assert shelf.update() == 1
    assert found(shelf, "lighthouse") == ["u"]
    assert found(shelf, "northern cliff") == ["r"]
    assert shelf.update() == 0
    shelf.close()


def test_a_half_written_line_is_read_when_it_is_whole(paths: Paths) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    journal.save([said("m0", "first")])
    shelf = Shelf(paths)
    shelf.update()
    before = Path(journal.path).read_bytes()
    journal.save([answered("m1", "second", "m0", at_s=1)])
    whole = Path(journal.path).read_bytes()
    Path(journal.path).write_bytes(whole[: len(before) + 40])
    shelf.update()
    assert found(shelf, "second") == []
    Path(journal.path).write_bytes(whole)
    shelf.update()
    assert found(shelf, "second") == ["m1"]
    shelf.close()


def test_work_that_was_broken_off_goes_on_where_it_was(paths: Paths) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    journal.save([said("m0", "first"), *(answered(f"m{n}", f"more {n}", f"m{n - 1}", at_s=n) for n in range(1, 60))])
    shelf = Shelf(paths)
    steps = sync(shelf.writer, journal.folder, "c1", Disk())
    written = next(steps) + next(steps)
    shelf.writer.commit()
    steps.close()
    assert 0 < written < 60
    assert shelf.update() == 60 - written
    assert shelf.says() == built_anew(paths)
    shelf.close()


def test_two_programs_half_way_through_one_conversation_leave_each_message_once(paths: Paths) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    journal.save([said("m0", "first"), *(answered(f"m{n}", f"more {n}", f"m{n - 1}", at_s=n) for n in range(1, 60))])
    one, other = Shelf(paths), Shelf(paths)
    steps = sync(one.writer, journal.folder, "c1", Disk())
    next(steps)
    one.writer.commit()
    other.update()
    for _written in steps:
        pass
    one.writer.commit()
    assert one.says() == built_anew(paths)
    one.close()
    other.close()


def test_what_was_pinned_stays_pinned_when_the_message_is_said_anew(paths: Paths) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    journal.save([said("m0", "first")])
    shelf = Shelf(paths)
    shelf.update()
    journal.save([MessageAnnotated(message_id="m0", pinned=True, importance=0.9)])
    shelf.update()
    journal.save([said("m0", "first, with more words")])
    assert shelf.update() == 1
    assert shelf.connection.execute("SELECT pinned, importance, rule FROM message").fetchone() == (
        1,
        0.9,
        "set by hand",
    )
    shelf.close()


def test_a_picture_is_found_by_the_words_that_it_was_made_from(paths: Paths) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    asked = MessageAdded(message=message("user", "u", None, "paint a lighthouse", 0))
    journal.save([asked, MessageAdded(message=message("drawn", "d", "u", "Here it is", 1))])
    shelf = Shelf(paths)
    shelf.update()
    assert found(shelf, "lighthouse", Filters(kinds=frozenset({"image"}))) == ["d"]
    journal.save([MessageAdded(message=message("user", "u", None, "paint a windmill", 0))])
    shelf.update()
    assert found(shelf, "lighthouse", Filters(kinds=frozenset({"image"}))) == []
    assert found(shelf, "windmill", Filters(kinds=frozenset({"image"}))) == ["d"]
    shelf.close()


def test_words_of_very_much_are_gathered_afterwards_and_are_the_same(paths: Paths) -> None:
    journal = Journal(folder_of(paths, "c1"), "aa")
    texts = [f"{word} {number} ﾊﾝｶｸ Überraschung{number}" for number, word in enumerate(WORDS * 20)]
    journal.save([said("m0", "first"), *(answered(f"m{n + 1}", text, f"m{n}", at_s=n) for n, text in enumerate(texts))])
    one, much = Shelf(paths, "one.sqlite"), Shelf(paths, "much.sqlite")
    one.update()
    much.writer.is_bulk = True
    much.update()
    assert not much.connection.execute("SELECT * FROM vocabulary").fetchall()
    much.close()
    much = Shelf(paths, "much.sqlite")  # also where the program ended in between
    steps = 0
    while much.writer.gather_words(50):
        much.writer.commit()
        steps += 1
    assert steps > 2
    words = "SELECT word FROM vocabulary ORDER BY word"
    assert much.connection.execute(words).fetchall() == one.connection.execute(words).fetchall()
    assert found(much, "raschung13") == found(one, "raschung13") != []
    one.close()
    much.close()


def test_what_no_program_of_ours_wrote_harms_nothing(paths: Paths) -> None:
    def line(id: str, text: str, created: str = "2026-01-02T03:04:05Z", **more: object) -> str:
        fields = {"role": "user", "id": id, "parent_id": None, "created_at": created, **more}
        fields.setdefault("parts", [{"kind": "text", "text": text}])
        return json.dumps({"v": 1, "event": "message_added", "rev": 1, "dev": "x", "message": fields})

    def setting(key: str, value: object) -> str:
        return json.dumps({"v": 1, "event": "settings_changed", "rev": 3, "dev": "x", "key": key, "value": value})

    file = {"kind": "file", "attachment": "../evil", "filename": "half \ud800.txt", "mime_type": "text/plain"}
    call = {"kind": "tool_call", "call_id": "1", "tool_name": "t", "arguments_json": "[" * 50_000}
    lines = [
        line("half", "half a \ud800 pair"),
        line("nul", "nul \x00 byte", "0001-01-01T00:00:00Z"),
        line("late", "far future", "9999-12-31T23:59:59Z"),
        line("strange \ud800", "strange id"),
        line("never", "no date", "never"),
        line("deep", "", role="assistant", parts=[call]),
        line("new", "", role="assistant", parts=[{"kind": "text", "text": "hologram"}, {"kind": "hologram"}]),
        line("file", "", parts=[file]),
        line("weight", "too important", importance=7),
        line("model", "other", role="assistant", model="m\ud800"),
        setting("title", ["no", "title"]),
        setting("created_at", "99999-01-01"),
        '{"v":1,"event":"message_added","rev":',
        line("last", "after the damage"),
    ]
    folder = folder_of(paths, "c1")
    folder.mkdir()
    (folder / "x.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shelf = Shelf(paths)
    shelf.update()
    for text, id in (("pair", "half"), ("byte", "nul"), ("future", "late"), ("hologram", "new"), ("damage", "last")):
        assert found(shelf, text) == [id]
    assert found(shelf, "half") == ["file", "half"]
    lines += [line("once more \ud800", "x"), line("end", "the end")]
    (folder / "x.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shelf.update()
    assert found(shelf, '"the end"') == ["end"]
    assert shelf.says() == built_anew(paths)
    shelf.close()
