"""A clock that is wrong, put back or put forward by years, within a run and between runs: nothing lost, sane order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.messages.message import UserMessage, utc_now
from sam_py.messages.parts import TextPart
from sam_py.paths import default_paths
from sam_py.store.backups.shelf import Backups
from sam_py.store.journal import Journal
from tests.store.house import House, at_home
from tests.store.kit import START, answered, said

YEARS = timedelta(days=4 * 365)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-(10**9), 10**9), st.booleans()), min_size=2, max_size=12))
def test_words_come_back_in_the_order_in_which_they_were_said(
    tmp_path_factory: pytest.TempPathFactory, jumps: list[tuple[int, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("clock")
    parent = None
    journal = Journal(folder, "aa", min_bytes=1)
    for number, (at_s, is_restarted) in enumerate(jumps):
        if is_restarted:
            journal = Journal(folder, "aa", min_bytes=1)
        journal.save([said(f"m{number}", f"words {number}", parent, at_s=at_s)])
        parent = f"m{number}"
    bus = MessageBus("c")
    bus.load(Journal(folder, "bb").load())
    assert [message.text for message in bus.messages()] == [f"words {number}" for number in range(len(jumps))]


def test_versions_keep_their_order_when_the_clock_is_put_back_by_hours(tmp_path: Path) -> None:
    hours_s = 6 * 3600.0
    future = (utc_now() - START).total_seconds() + hours_s

    async def story(house: House) -> None:
        id = house.library.create()
        journal = Journal(house.paths.conversations / id, "aaaaaaaa")
        journal.save([said("first", "asked", at_s=future), answered("one", "answered", "first", at_s=future + 60)])
        bus = await house.reopen(id)
        house.library.attach(bus)
        for number in range(3):  # regenerated, then edited, with the right time again
            reply = bus.begin_assistant(parent_id="first")
            bus.append_delta(reply, f"again {number}")
            bus.complete(reply)
        edited = bus.add_user_message("asked otherwise", parent_id=ROOT)
        replies, questions = bus.siblings("one"), bus.siblings("first")
        assert (replies[0], len(replies), questions) == ("one", 4, ("first", edited.id))
        await house.library.flush()
        again = await house.reopen(id)
        assert (again.siblings("one"), again.siblings("first")) == (replies, questions)
        assert [message.text for message in again.messages()] == [message.text for message in bus.messages()]

    at_home(default_paths(tmp_path / "home").create(), story)


def test_something_can_be_said_beside_what_is_dated_at_the_end_of_time() -> None:
    bus, end = MessageBus("c"), datetime.max.replace(tzinfo=UTC)
    first = UserMessage(created_at=end, parts=(TextPart(text="from a damaged file"),))
    bus.add(first)
    second = bus.add_user_message("said after it", parent_id=ROOT)
    assert bus.siblings(first.id) == (first.id, second.id)


@pytest.mark.parametrize("jump", [-YEARS, YEARS])
def test_a_conversation_goes_on_when_the_clock_jumps(tmp_path: Path, jump: timedelta) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("before", "answer")
        house.now += jump
        bus.add(UserMessage(parent_id=bus.tip, created_at=house.now, parts=(TextPart(text="after the jump"),)))
        house.clock.pass_s(5)  # the autosave's clock is the loop's, that no one can put back
        await house.library.flush()
        other = await house.talk("another one")
        assert [message.text for message in (await house.reopen(bus.conversation_id)).messages()] == [
            "before",
            "answer",
            "after the jump",
        ]
        assert {each.id for each in house.library.summaries()} == {bus.conversation_id, other.conversation_id}

    at_home(default_paths(tmp_path / "home").create(), story)


def test_a_backup_from_the_future_does_not_stop_the_next_ones(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        changed = START + YEARS
        backups = Backups(
            house.paths,
            folder_of=lambda: tmp_path / "backups",
            flush=house.library.flush,
            changed_at=lambda: changed,
            device=lambda: "bbbbbbbb",
            now=lambda: house.now,
        )
        await house.talk("while the clock was wrong")
        house.now = START + YEARS + timedelta(minutes=1)
        future = await backups.make()
        house.now = START
        assert await backups.is_due()
        made = await backups.make()
        assert {each.path.name for each in await backups.made()} == {future.path.name, made.path.name}
        assert not await backups.is_due()
        house.now += timedelta(hours=7)
        assert await backups.is_due()
        await backups.aclose()

    at_home(default_paths(tmp_path / "home").create(), story)


def test_a_clock_that_is_years_ahead_does_not_empty_the_shelf(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        backups = Backups(
            house.paths,
            folder_of=lambda: tmp_path / "backups",
            flush=house.library.flush,
            changed_at=lambda: house.now,
            device=lambda: "bbbbbbbb",
            now=lambda: house.now,
        )
        await house.talk("kept often")
        for _day in range(10):
            house.now += timedelta(days=1)
            await backups.make()
        before = {each.path.name for each in await backups.made()}
        right = house.now
        house.now += YEARS
        for _hours in range(4):
            house.now += timedelta(hours=7)
            await backups.make()
        assert before <= {each.path.name for each in await backups.made()}
        house.now = right + timedelta(hours=30)
        newest = await backups.make()
        listed = await backups.made()
        assert listed[0].path == newest.path, "what is dated ahead stands behind"
        assert sum(map(backups.is_ahead, listed)) == len(listed) - len(before) - 1
        assert before <= {each.path.name for each in listed}
        await backups.aclose()

    at_home(default_paths(tmp_path / "home").create(), story)
