"""Autosave with a clock turned by hand: when it writes, how often, and what a refused save does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import HistoryEvent, MessageAdded
from sam_py.messages.message import AssistantMessage
from sam_py.store.autosave import Autosave
from sam_py.store.errors import StorageError
from tests.store.kit import HandClock


class Desk:
    """A bus with its autosave; `saves` are the events handed over, each save a list."""

    def __init__(self, *, is_new: bool = False) -> None:
        self.clock = HandClock()
        self.bus = MessageBus("c", monotonic=self.clock.time)
        self.saves: list[tuple[float, list[HistoryEvent]]] = []
        self.refuse: StorageError | None = None
        self.problems: list[StorageError] = []
        self.autosave = Autosave(self.bus, self._keep, self.clock, is_new=is_new, on_problem=self.problems.append)

    def _keep(self, events: list[HistoryEvent]) -> asyncio.Future[Any]:
        self.saves.append((self.clock.time(), events))
        future = asyncio.get_running_loop().create_future()
        if self.refuse is None:
            future.set_result(None)
        else:
            future.set_exception(self.refuse)
        return future

    def kinds(self) -> list[list[str]]:
        return [[event.event for event in events] for _at, events in self.saves]

    async def settle(self) -> None:
        """Let the futures' callbacks run."""
        await asyncio.sleep(0)


def with_desk(story: Callable[[Desk], Coroutine[Any, Any, None]], *, is_new: bool = False) -> None:
    async def run() -> None:
        await story(Desk(is_new=is_new))

    asyncio.run(run())


def test_five_rapid_updates_are_one_write() -> None:
    async def story(desk: Desk) -> None:
        message = desk.bus.add_user_message("hello")
        for number in range(4):
            desk.bus.annotate(message.id, importance=number / 10)
            desk.clock.pass_s(0.05)
        desk.clock.pass_s(5)
        assert desk.kinds() == [["message_added"] + ["message_annotated"] * 4]
        assert desk.bus.metrics.saves_scheduled == 5
        assert desk.bus.metrics.saves_executed == 1

    with_desk(story)


def test_a_change_is_written_half_a_second_after_the_last_one() -> None:
    async def story(desk: Desk) -> None:
        start = desk.clock.time()
        desk.bus.add_user_message("one")
        desk.clock.pass_s(0.2)
        desk.bus.add_user_message("two")
        desk.clock.pass_s(3)
        assert [at - start for at, _events in desk.saves] == pytest.approx([0.7])

    with_desk(story)


def test_a_streaming_reply_is_written_whole_in_time_to_lose_less_than_a_second() -> None:
    async def story(desk: Desk) -> None:
        desk.bus.add_user_message("tell me")
        reply = desk.bus.begin_assistant()
        start = desk.clock.time()
        for _ in range(95):
            desk.bus.append_delta(reply, "word ")
            desk.clock.pass_s(0.1)
        times = [0.0, *(at - start for at, _events in desk.saves)]
        assert max(later - earlier for earlier, later in pairwise(times)) <= 0.86
        assert len(desk.saves) == 11
        snapshots = [events[-1] for _at, events in desk.saves]
        lengths = []
        for event in snapshots:
            assert isinstance(event, MessageAdded)
            assert isinstance(event.message, AssistantMessage)
            assert event.message.stop_reason == "aborted"
            lengths.append(len(event.message.text))
        assert lengths == sorted(lengths)
        assert desk.bus.metrics.saves_executed == 11

    with_desk(story)


def test_a_reply_that_never_ends_is_written_less_often_the_longer_it_gets() -> None:
    async def story(desk: Desk) -> None:
        reply = desk.bus.begin_assistant()
        for _ in range(300):
            desk.bus.append_delta(reply, "x" * 20_000)
            desk.clock.pass_s(0.1)
        times = [at for at, _events in desk.saves]
        assert times[1] - times[0] == pytest.approx(0.85, abs=0.11)
        assert times[-1] - times[-2] > 3
        desk.bus.complete(reply)
        desk.bus.append_delta(desk.bus.begin_assistant(), "short")
        end = desk.clock.time()
        desk.clock.pass_s(5)
        assert desk.saves[-1][0] - end <= 0.75

    with_desk(story)


def test_a_finished_reply_is_written_once_and_not_as_a_snapshot() -> None:
    async def story(desk: Desk) -> None:
        reply = desk.bus.begin_assistant()
        desk.bus.append_delta(reply, "short")
        desk.bus.complete(reply)
        desk.clock.pass_s(5)
        (_at, events) = desk.saves[0]
        assert desk.kinds() == [["message_added"]]
        assert events[0] == MessageAdded(message=desk.bus.get(reply))

    with_desk(story)


def test_a_chunk_sets_no_timer_of_its_own() -> None:
    async def story(desk: Desk) -> None:
        reply = desk.bus.begin_assistant()
        for _ in range(1000):
            desk.bus.append_delta(reply, "x")
        assert desk.clock.pending == 1

    with_desk(story)


def test_nothing_is_written_while_nothing_changes() -> None:
    async def story(desk: Desk) -> None:
        desk.bus.add_user_message("hello")
        desk.clock.pass_s(60)
        assert len(desk.saves) == 1
        assert desk.clock.pending == 0

    with_desk(story)


def test_save_now_writes_at_once_and_not_again_later() -> None:
    async def story(desk: Desk) -> None:
        desk.bus.add_user_message("hello")
        await desk.autosave.save_now()
        assert len(desk.saves) == 1
        desk.clock.pass_s(5)
        assert len(desk.saves) == 1

    with_desk(story)


def test_a_refused_save_is_told_once_tried_again_and_its_end_is_told() -> None:
    async def story(desk: Desk) -> None:
        desk.refuse = StorageError("The disk is full: free some space.", kind="full")
        desk.bus.add_user_message("hello")
        with pytest.raises(StorageError, match="disk is full"):
            await desk.autosave.save_now()
        await desk.settle()
        assert [problem.kind for problem in desk.problems] == ["full"]
        for _ in range(3):
            desk.clock.pass_s(16)
            await desk.settle()
        assert len(desk.saves) >= 4
        assert len(desk.problems) == 1
        desk.refuse = None
        desk.clock.pass_s(31)
        await desk.settle()
        assert [problem.solved for problem in desk.problems] == [False, True]
        assert not desk.autosave.is_dirty
        done = len(desk.saves)
        desk.clock.pass_s(300)
        assert len(desk.saves) == done

    with_desk(story)


def test_the_first_retry_comes_after_two_seconds_and_a_change_does_not_wait_for_it() -> None:
    async def story(desk: Desk) -> None:
        desk.refuse = StorageError("full", kind="full")
        desk.bus.add_user_message("one")
        desk.clock.pass_s(0.5)
        await desk.settle()
        desk.refuse = None
        desk.bus.add_user_message("two")
        desk.clock.pass_s(0.5)
        await desk.settle()
        assert len(desk.saves) == 2
        assert desk.autosave.problem is None

    with_desk(story)


def test_a_conversation_with_settings_only_is_not_worth_a_file() -> None:
    async def story(desk: Desk) -> None:
        desk.bus.change_setting("model", "m")
        desk.clock.pass_s(5)
        await desk.autosave.save_now()
        assert desk.saves == []
        desk.bus.add_user_message("now")
        desk.clock.pass_s(5)
        assert desk.kinds() == [["settings_changed", "message_added"]]

    with_desk(story, is_new=True)


def test_closing_hands_over_what_is_left_and_listens_no_more() -> None:
    async def story(desk: Desk) -> None:
        desk.bus.add_user_message("last words")
        desk.autosave.close()
        desk.bus.add_user_message("unheard")
        desk.clock.pass_s(5)
        assert desk.kinds() == [["message_added"]]
        desk.autosave.close()

    with_desk(story)
