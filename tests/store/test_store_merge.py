"""Merging devices: the same conversation in whatever order lines and files are read; the same as the bus had it."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.bus.deltas import Recorded
from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    HistoryEvent,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
)
from sam_py.store.journal import Journal
from sam_py.store.lines import Record, read_lines, write_line
from sam_py.store.merge import history_of, take
from tests.store.kit import said


def merged(lines: list[bytes]) -> LoadedHistory:
    winners: dict[str, Record] = {}
    for record in read_lines(b"".join(lines)).records:
        take(winners, record)
    return history_of(winners)


def picture(history: LoadedHistory) -> object:
    """All that a history says, comparable."""
    return (
        [(m.id, m.parent_id, m.role, m.load()) for m in history.messages],
        sorted(history.annotations.items()),
        sorted(history.selected.items()),
        history.errors,
        sorted(history.settings.items()),
        sorted(history.calls.items()),
        list(history.tasks),
    )


ids = st.sampled_from("abcdef")
parents = st.one_of(st.none(), ids, st.just("nowhere"))
events = st.one_of(
    st.builds(said, ids, st.text(max_size=5), parents, at_s=st.integers(0, 3)),
    st.builds(MessageRemoved, message_id=ids, parent_id=parents),
    st.builds(MessageAnnotated, message_id=ids, pinned=st.booleans()),
    st.builds(BranchSelected, parent_id=parents, message_id=ids),
    st.builds(SettingsChanged, key=st.sampled_from(["title", "folder"]), value=st.text(max_size=5)),
    st.builds(ToolStateChanged, call_id=ids, state=st.sampled_from(["running", "success"])),
    st.builds(TaskRecorded, id=ids),
    st.builds(ErrorOccurred, id=ids, message_id=ids, code=st.just("server"), text=st.just("x")),
)


@st.composite
def journals(draw: st.DrawFn) -> list[bytes]:
    """Lines of up to three devices that saw each other's changes or not."""
    lines = []
    for device in draw(st.lists(st.sampled_from(["aa", "bb", "cc"]), unique=True)):
        rev = 0
        for event in draw(st.lists(events, max_size=12)):
            rev += draw(st.integers(1, 2))
            lines.append(write_line(event, rev, device))
    return lines


@given(journals(), st.randoms(use_true_random=False))
def test_any_order_of_lines_gives_the_same_conversation(lines: list[bytes], rnd: random.Random) -> None:
    expected = picture(merged(lines))
    shuffled = lines + lines[:3]
    rnd.shuffle(shuffled)
    assert picture(merged(shuffled)) == expected


@given(journals())
def test_parents_come_before_children_and_nobody_is_lost(lines: list[bytes]) -> None:
    records = read_lines(b"".join(lines)).records
    winners: dict[str, Record] = {}
    for record in records:
        take(winners, record)
    history = merged(lines)
    seen: set[str | None] = {None}
    for message in history.messages:
        assert message.parent_id in seen
        seen.add(message.id)
    assert {f"message:{id}" for id in seen - {None}} == {
        s for s, r in winners.items() if r.event_name == "message_added"
    }
    bus = MessageBus()
    bus.load(history)
    assert bus.tree_size == len(history.messages)


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    pictures = []
    parts = [
        [write_line(said("a", "one"), 1, "aa"), write_line(said("b", "two", "a", at_s=2), 2, "aa")],
        [write_line(said("c", "other", "a", at_s=1), 2, "bb"), write_line(MessageRemoved(message_id="a"), 3, "bb")],
        [write_line(said("b", "changed", "a", at_s=2), 3, "cc")],
    ]
    for number, order in enumerate(
        itertools.permutations(["1.jsonl", "2.sync-conflict-x.jsonl", "3 (conflicted copy).jsonl"])
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, lines in zip(order, parts, strict=True):
            (folder / name).write_bytes(b"".join(lines))
        pictures.append(picture(Journal(folder, "dd").load()))
    assert all(found == pictures[0] for found in pictures)
    assert [(m[0], m[1], m[3].text) for m in pictures[0][0]] == [("c", None, "other"), ("b", None, "changed")]  # type: ignore[index]


def test_children_of_a_removed_message_move_to_its_nearest_living_ancestor() -> None:
    lines = [write_line(said(id, id, parent), n, "aa") for n, (id, parent) in enumerate(["a_", "ba", "cb", "dc"], 1)]
    lines[0] = write_line(said("a", "a"), 1, "aa")
    lines += [
        write_line(MessageRemoved(message_id="c", parent_id="b"), 5, "aa"),
        write_line(MessageRemoved(message_id="b", parent_id="a"), 6, "aa"),
    ]
    for kept in (lines, lines[:1] + lines[3:]):  # and when compaction dropped the removed ones
        history = merged(kept)
        assert [(m.id, m.parent_id) for m in history.messages] == [("a", None), ("d", "a")]
        assert history.messages[1].load().parent_id == "a"


def test_what_hung_from_a_lost_message_hangs_from_the_one_before() -> None:
    told = ["a_", "ba", "cb", "dc", "ec", "fd", "ga"]
    lines = [write_line(said(id, id, p.strip("_") or None, at_s=n), n + 1, "aa") for n, (id, p) in enumerate(told)]
    lost = lines[:2] + lines[3:]
    assert [(m.id, m.parent_id) for m in merged(lost).messages] == [
        ("a", None),
        ("b", "a"),
        ("d", "b"),
        ("e", "b"),  # a version of d, as before
        ("f", "d"),
        ("g", "a"),
    ]
    assert merged(lines[1:]).messages[0].parent_id is None


def test_a_circle_of_parents_is_opened() -> None:
    lines = [write_line(said("a", "a", "b", at_s=1), 1, "aa"), write_line(said("b", "b", "a", at_s=2), 1, "bb")]
    assert [(m.id, m.parent_id) for m in merged(lines).messages] == [("a", None), ("b", "a")]


def test_messages_of_the_same_second_sort_by_their_fraction() -> None:
    lines = [
        write_line(said(id, id, at_s=at), n, "aa") for n, (id, at) in enumerate([("late", 0.5), ("early", 0.0)], 1)
    ]
    assert [m.id for m in merged(lines).messages] == ["early", "late"]


def test_two_answers_of_two_devices_become_branches(tmp_path: Path) -> None:
    Journal(tmp_path / "c", "aa").save([said("q", "?")])
    first, second = Journal(tmp_path / "c", "aa"), Journal(tmp_path / "c", "bb")
    first.load()
    second.load()
    first.save([said("x", "from aa", "q", at_s=1)])
    second.save([said("y", "from bb", "q", at_s=2)])
    bus = MessageBus()
    bus.load(Journal(tmp_path / "c", "aa").load())
    assert bus.siblings("x") == ("x", "y")


class _Screen:
    """What a person sees of a bus: the path with its messages, branches and errors."""

    @staticmethod
    def of(bus: MessageBus) -> object:
        return (
            [(m, bus.siblings(m.id), bus.error_of(m.id), bus.role_at(i)) for i, m in enumerate(bus.messages())],
            sorted(m.id for m in bus.tree()),
            bus.settings,
            bus.tasks,
        )


@settings(max_examples=80)
@given(st.lists(st.tuples(st.sampled_from("ueraxpbsRt"), st.integers(0, 10**6)), max_size=30))
def test_a_replayed_log_shows_what_the_screen_showed(steps: list[tuple[str, int]]) -> None:
    bus = MessageBus()
    events: list[HistoryEvent] = []
    bus.subscribe(lambda delta: events.append(delta.event) if isinstance(delta, Recorded) else None)
    for step, number in steps:
        _take_step(bus, step, number)
    lines = [write_line(event, rev, "aa") for rev, event in enumerate(events, 1)]
    replayed = MessageBus()
    replayed.load(merged(lines))
    assert _Screen.of(replayed) == _Screen.of(bus)


def _take_step(bus: MessageBus, step: str, number: int) -> None:
    everyone = [message.id for message in bus.tree()]
    one = everyone[number % len(everyone)] if everyone else None
    match step:
        case "u":
            bus.add_user_message(f"question {number}")
        case "e" if one is not None:
            bus.add_user_message(f"edit {number}", parent_id=bus.parent_of(one) or ROOT)
        case "r":
            reply = bus.begin_assistant(parent_id=one)
            bus.append_delta(reply, f"answer {number}" if number % 5 else " ")
            bus.complete(reply)
        case "a":
            reply = bus.begin_assistant()
            bus.append_delta(reply, "half")
            bus.abort(reply)
        case "x" if one is not None:
            bus.remove(one)
        case "p" if one is not None:
            bus.annotate(one, pinned=number % 2 == 0)
        case "b" if one is not None:
            bus.select_branch(one)
        case "s":
            bus.change_setting("title", f"title {number}")
        case "R":
            bus.record_error(ErrorOccurred(message_id=one, code="server", text=f"it broke {number}"))
        case "t":
            bus.record_task(TaskRecorded(model=f"m{number}"))
        case _:
            pass
