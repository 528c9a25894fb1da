"""The list of conversations: its order, its filter, and that it changes by deltas."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt

from sam_py.store.summary import ConversationSummary
from sam_py.ui.sidebar.conversation_list_model import (
    SECTION_ROLE,
    STATE_ROLE,
    ConversationListModel,
)
from sam_py.ui.sidebar.sections import Section, arrange, next_midnight
from sam_py.ui.widgets.plain import one_line

NOW = datetime(2026, 3, 18, 15, 0, tzinfo=UTC)


def conversation(id: str, age_h: float = 1, **fields: Any) -> ConversationSummary:
    when = NOW - timedelta(hours=age_h)
    return ConversationSummary(id, fields.pop("title", f"Title {id}"), when, when, **fields)


def model_of(*summaries: ConversationSummary, now: Callable[[], datetime] = lambda: NOW) -> ConversationListModel:
    model = ConversationListModel(now)
    model.reset(summaries)
    return model


def shown(model: ConversationListModel) -> list[str]:
    return [model.index(row).data() for row in range(model.rowCount())]


def test_conversations_stand_under_the_day_they_were_last_written_in() -> None:
    ages_h = {"a": 1, "b": 20, "c": 24 * 5, "d": 24 * 20, "e": 24 * 60, "f": 24 * 100, "g": 24 * 900}
    model = model_of(*(conversation(id, age, title=id) for id, age in ages_h.items()))
    assert shown(model) == [
        *("Today", "a", "Yesterday", "b", "Previous 7 days", "c", "Previous 30 days", "d"),
        *("January", "e", "2025", "f", "2023", "g"),
    ]


def test_pinned_come_first_then_folders_then_days_and_archived_last() -> None:
    model = model_of(
        conversation("a", title="plain"),
        conversation("b", title="filed", folder="Work"),
        conversation("c", title="old", archived=True, pinned=True),
        conversation("d", title="kept", pinned=True, folder="Work"),
    )
    assert shown(model) == ["Pinned", "kept", "Work", "filed", "Today", "plain", "Archived"]
    model.toggle("§archived")
    assert shown(model)[-2:] == ["Archived", "old"]


def test_a_closed_section_hides_its_conversations_and_opens_again() -> None:
    model = model_of(conversation("a", folder="Work"), conversation("b"))
    model.toggle("§folder/Work")
    assert shown(model) == ["Work", "Today", "Title b"]
    assert model.index(0).data(SECTION_ROLE).collapsed
    model.toggle("§folder/Work")
    assert shown(model) == ["Work", "Title a", "Today", "Title b"]


def test_the_filter_finds_words_in_titles_folders_and_previews_even_in_closed_sections() -> None:
    model = model_of(
        conversation("a", title="Lisbon in MAY"),
        conversation("b", title="Bread", preview="not before may", archived=True),
        conversation("c", title="Else"),
    )
    model.set_filter("may")
    assert shown(model) == ["Today", "Lisbon in MAY", "Archived", "Bread"]
    model.set_filter("may lis")
    assert shown(model) == ["Today", "Lisbon in MAY"]
    model.set_filter("")
    assert shown(model) == ["Today", "Lisbon in MAY", "Else", "Archived"]


def test_a_new_conversation_is_one_inserted_row(qtbot: Any) -> None:
    model = model_of(conversation("a"), conversation("b", 2))
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    with qtbot.waitSignal(model.rowsInserted) as inserted:
        model.apply({"c": conversation("c", 0.5)})
    assert inserted.args[1:] == [1, 1]
    assert not resets


def test_an_answered_conversation_moves_up_without_a_reset() -> None:
    model = model_of(conversation("a"), conversation("b", 2), conversation("c", 30))
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    model.apply({"c": conversation("c", 0.1)})
    assert shown(model) == ["Today", "Title c", "Title a", "Title b"]
    assert not resets


def test_a_new_title_repaints_one_row(qtbot: Any) -> None:
    model = model_of(conversation("a"), conversation("b", 2))
    with qtbot.waitSignal(model.dataChanged) as repaint:
        model.apply({"b": conversation("b", 2, title="Other")})
    assert repaint.args[0].row() == 2
    assert shown(model)[2] == "Other"


def test_midnight_makes_today_yesterday() -> None:
    now = [NOW]
    model = model_of(conversation("a"), now=lambda: now[0])
    now[0] = next_midnight(NOW)
    model.regroup()
    assert shown(model) == ["Yesterday", "Title a"]


def test_an_answer_that_nobody_saw_is_unread_until_it_is_opened() -> None:
    model = model_of(conversation("a"))
    index = model.index(1)
    model.set_busy("a", True, seen=False)
    assert index.data(STATE_ROLE) == "busy"
    model.set_busy("a", False, seen=False)
    assert index.data(STATE_ROLE) == "unread"
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Title a, new answer"
    model.mark_read("a")
    assert index.data(STATE_ROLE) == ""


def test_a_hostile_title_stays_on_its_line_and_is_no_markup() -> None:
    model = model_of(conversation("a", title="<b>x</b>\n\u202eevil\x00"))
    assert shown(model)[1] == "<b>x</b> evil"
    assert "<b>" not in model.index(1).data(Qt.ItemDataRole.ToolTipRole)


def test_a_conversation_without_a_title_is_called_by_its_preview_or_new_chat() -> None:
    model = model_of(conversation("a", title="", preview="Hello there"), conversation("b", 2, title=" "))
    assert shown(model)[1:] == ["Hello there", "New chat"]


def test_renaming_asks_and_an_empty_title_does_not(qtbot: Any) -> None:
    model = model_of(conversation("a"))
    asked: list[tuple[str, str]] = []
    model.rename_requested.connect(lambda id, title: asked.append((id, title)))
    assert not model.setData(model.index(1), "  \n ")
    assert model.setData(model.index(1), "Bread\nand butter")
    assert asked == [("a", "Bread and butter")]
    assert not model.setData(model.index(0), "a heading has no name of its own")


def test_dropping_on_a_folder_files_and_on_pinned_pins() -> None:
    model = model_of(conversation("a"), conversation("b", folder="Work"), conversation("c", pinned=True))
    moved: list[tuple[list[str], str]] = []
    pinned: list[list[str]] = []
    model.move_requested.connect(lambda ids, folder: moved.append((ids, folder)))
    model.pin_requested.connect(pinned.append)
    row = model.row_of("a")
    assert row is not None
    mime = model.mimeData([model.index(row)])
    for key in ("§folder/Work", "§pinned", "b"):
        target = model.row_of(key)
        assert target is not None
        assert model.dropMimeData(mime, Qt.DropAction.MoveAction, -1, -1, model.index(target))
    assert moved == [(["a"], "Work"), (["a"], "Work")]
    assert pinned == [["a"]]
    assert not model.dropMimeData(mime, Qt.DropAction.MoveAction, -1, -1, QModelIndex())


def test_the_list_keeps_qt_s_rules_while_it_changes(qtmodeltester: Any) -> None:
    model = model_of(*(conversation(f"{n:02}", n * 5, pinned=n % 7 == 0, archived=n % 5 == 0) for n in range(40)))
    qtmodeltester.check(model)
    chance = random.Random(7)
    for n in range(60):
        id = f"{chance.randrange(50):02}"
        new = conversation(id, chance.random() * 900, pinned=n % 6 == 0, folder="Work" if n % 4 == 0 else "")
        model.apply({id: None if n % 5 == 0 else new})
        if n % 8 == 0:
            model.set_filter("" if n % 16 else "title 1")
        if n % 9 == 0:
            model.toggle("§today")
    qtmodeltester.check(model)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"),
        st.one_of(st.none(), st.floats(0, 2000)),
        st.booleans(),
        st.booleans(),
        st.sampled_from(["", "", "Work", "Play"]),
    ),
    max_size=20,
)


@given(CHANGES, st.sampled_from(["", "title", "c"]))
def test_changes_one_by_one_show_what_reading_anew_would(changes: list[Any], needle: str) -> None:
    model = model_of(conversation("a"), conversation("b", 50, folder="Work"))
    model.set_filter(needle)
    everything = {"a": conversation("a"), "b": conversation("b", 50, folder="Work")}
    for id, age_h, pinned, archived, folder in changes:
        if age_h is None:
            everything.pop(id, None)
            model.apply({id: None})
        else:
            everything[id] = conversation(id, age_h, pinned=pinned, archived=archived, folder=folder)
            model.apply({id: everything[id]})
    anew = model_of(*everything.values())
    anew.set_filter(needle)
    assert shown(model) == shown(anew)
    assert model.ids_shown() == anew.ids_shown()


@given(st.lists(st.datetimes(datetime(1, 1, 2), datetime(2026, 3, 18)), max_size=30))
def test_every_date_has_a_section_and_none_is_lost(dates: list[datetime]) -> None:
    summaries = [replace(conversation(str(n)), updated_at=date.replace(tzinfo=UTC)) for n, date in enumerate(dates)]
    summaries.sort(key=lambda each: each.updated_at, reverse=True)
    rows = arrange(summaries, NOW, {})
    assert [row for row in rows if isinstance(row, str)] == [each.id for each in summaries]
    sections = [row for row in rows if isinstance(row, Section)]
    assert sum(section.count for section in sections) == len(dates)
    assert len({section.key for section in sections}) == len(sections)


@given(st.text(max_size=60))
def test_one_line_is_one_line(text: str) -> None:
    assert not set(one_line(text)) & set("\n\r\x00\u202e\u2066")


@pytest.mark.parametrize("date", ["2026-01-01", "2026-01-31", "2026-12-31", "2024-02-29"])
def test_the_calendar_s_edges_are_no_trouble(date: str) -> None:
    now = datetime.fromisoformat(f"{date}T12:00:00+00:00")
    old = [replace(conversation(str(n)), updated_at=now - timedelta(days=n * 13)) for n in range(60)]
    rows = arrange(old, now, {})
    assert len([row for row in rows if isinstance(row, str)]) == 60
