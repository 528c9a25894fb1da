"""Two computers with one synced folder and the same conversation open: each shows what the other wrote."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sam_py.bus.deltas import Delta, Inserted, Recorded, Reset, Updated
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.paths import default_paths
from sam_py.store.autosave import Autosave
from sam_py.store.drafts import NEW, Draft
from sam_py.store.errors import gone_on_elsewhere
from sam_py.store.library import Library


class Computer:
    """A library with one conversation open, and what its bus told."""

    def __init__(self, home: Path, device: str) -> None:
        self.paths = default_paths(home).create()
        self.device = device
        self.library = Library(self.paths, device=device)
        self.bus = MessageBus()
        self.told: list[Delta] = []
        self.autosave: Autosave

    async def open(self, id: str = "") -> Computer:
        await self.library.start()
        self.bus = MessageBus(id or self.library.create())
        if id:
            self.bus.load((await self.library.open(id)).history)
        self.autosave = self.library.attach(self.bus)
        self.bus.subscribe(lambda delta: None if isinstance(delta, Recorded) else self.told.append(delta))
        return self

    @property
    def folder(self) -> Path:
        return self.paths.conversations / self.bus.conversation_id

    def say(self, text: str, **place: object) -> UserMessage:
        return self.bus.add_user_message(text, **place)  # type: ignore[arg-type]

    def answer(self, text: str, **place: object) -> AssistantMessage | None:
        reply = self.bus.begin_assistant(provider="p", model="m", **place)  # type: ignore[arg-type]
        self.bus.append_delta(reply, text)
        return self.bus.complete(reply)

    async def hear(self) -> list[Delta]:
        """Take in what lies in the folder; returns what the bus told of it."""
        self.told.clear()
        await self.library._others.take_in(self.bus.conversation_id)
        return list(self.told)

    def whole(self) -> dict[str, Message]:
        return {message.id: message for message in self.bus.tree()}

    def texts(self) -> list[str]:
        return [message.text for message in self.bus.messages()]


async def carry(*computers: Computer) -> None:
    """What a sync program does: every file of a device replaces the other's copy of it."""
    for source in computers:
        await source.autosave.save_now()
    for source in computers:
        for target in computers:
            path = source.folder / f"{source.device}.jsonl"
            if target is not source and path.exists():
                target.folder.mkdir(exist_ok=True)
                temporary = target.folder / f".syncthing.{path.name}.tmp"
                shutil.copyfile(path, temporary)
                os.replace(temporary, target.folder / path.name)


@asynccontextmanager
async def two(tmp_path: Path) -> AsyncIterator[tuple[Computer, Computer]]:
    """Two computers after "question" and "answer", with the same on the screen."""
    one = await Computer(tmp_path / "one", "aaaaaaaa").open()
    other = Computer(tmp_path / "other", "bbbbbbbb")
    try:
        one.say("question")
        one.answer("answer")
        await one.autosave.save_now()
        shutil.copytree(one.folder, other.paths.conversations / one.bus.conversation_id)
        await other.open(one.bus.conversation_id)
        yield one, other
    finally:
        await one.library.aclose()
        await other.library.aclose()


def at_both(tmp_path: Path, story: Callable[[Computer, Computer], object]) -> None:
    async def run() -> None:
        async with two(tmp_path) as computers:
            await story(*computers)  # type: ignore[misc]

    asyncio.run(run())


def test_what_is_said_elsewhere_appears_below_what_is_shown(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        other.say("and then?")
        other.answer("then this")
        await carry(one, other)
        told = await one.hear()
        assert one.texts() == ["question", "answer", "and then?", "then this"]
        assert [type(delta) for delta in told] == [Inserted, Inserted]
        assert await one.hear() == []

    at_both(tmp_path, story)


def test_two_answers_to_one_message_are_branches_and_each_goes_on_showing_its_own(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        one.say("mine")
        other.say("theirs")
        await carry(one, other)
        assert [type(delta) for delta in await one.hear()] == [Updated]
        await other.hear()
        assert one.texts() == ["question", "answer", "mine"]
        assert other.texts() == ["question", "answer", "theirs"]
        assert one.whole() == other.whole()
        assert len(one.bus.siblings(one.bus.id_at(2))) == 2

    at_both(tmp_path, story)


def test_an_edit_a_pin_a_title_and_an_error_cross_over(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        reply = other.bus.get(other.bus.id_at(1))
        other.bus.replace(reply.model_copy(update={"parts": (TextPart(text="better"),)}))
        other.bus.annotate(other.bus.id_at(0), pinned=False, context="keep")
        other.bus.change_setting("title", "Named there")
        await carry(one, other)
        told = await one.hear()
        assert one.texts() == ["question", "better"]
        assert (one.bus.at(0).pinned, one.bus.at(0).context) == (False, "keep")
        assert one.bus.settings.title == "Named there"
        assert {delta.index for delta in told if isinstance(delta, Updated)} == {0, 1}
        summary = one.library.summary(one.bus.conversation_id)
        assert summary is not None
        assert summary.title == "Named there"

    at_both(tmp_path, story)


def test_a_message_removed_elsewhere_leaves_the_screen_and_what_stands_below_moves_up(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        one.say("below")
        other.bus.remove(other.bus.id_at(1))
        await carry(one, other)
        told = await one.hear()
        await other.hear()
        assert one.texts() == other.texts() == ["question", "below"]
        assert Reset(1) in told

    at_both(tmp_path, story)


def test_a_reply_that_streams_here_goes_on_when_others_write(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        reply = one.bus.begin_assistant(provider="p", model="m")
        one.bus.append_delta(reply, "half ")
        other.say("meanwhile")
        await carry(one, other)
        await one.hear()
        one.bus.append_delta(reply, "whole")
        assert one.texts() == ["question", "answer", "half whole"]
        one.bus.complete(reply)
        await carry(one, other)
        await other.hear()
        assert one.whole() == other.whole()
        assert other.bus.get(reply).text == "half whole"

    at_both(tmp_path, story)


def test_what_is_said_while_others_are_read_is_not_lost(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        other.say("theirs")
        await carry(other, one)
        hearing = asyncio.ensure_future(one.hear())
        for number in range(30):
            if not hearing.done() and number % 3 == 0:
                one.say(f"mine {number}")
            await asyncio.sleep(0)
        await hearing
        await one.hear()
        await carry(one, other)
        await other.hear()
        assert one.whole() == other.whole()
        assert "theirs" in {message.text for message in one.bus.tree()}

    at_both(tmp_path, story)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_two_people_do_both_end_with_the_same(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)

    def act(computer: Computer) -> None:
        bus = computer.bus
        ids = list(bus.path) or [""]
        some = rnd.choice(ids)
        what = rnd.choice(["say", "say", "answer", "edit", "again", "remove", "pin", "branch", "title", "insert"])
        match what:
            case "say":
                computer.say(f"{computer.device[0]} {rnd.random():.6f}")
            case "answer" if len(bus):
                computer.answer(f"{computer.device[0]} answers {rnd.random():.6f}")
            case "edit" if some:
                parent = bus.parent_of(some)
                computer.say(f"edited {rnd.random():.6f}", parent_id=ROOT if parent is None else parent)
            case "again" if some and bus.get(some).role == "assistant":
                message = bus.get(some)
                bus.replace(message.model_copy(update={"parts": (TextPart(text=f"anew {rnd.random():.6f}"),)}))
            case "remove" if some and len(bus) > 3:
                bus.remove(some)
            case "pin" if some:
                bus.annotate(some, pinned=rnd.random() < 0.5, importance=round(rnd.random(), 3))
            case "branch" if some:
                bus.select_branch(rnd.choice(bus.siblings(some)))
            case "title":
                bus.change_setting("title", f"title {rnd.random():.6f}")
            case "insert" if some:
                bus.insert(UserMessage(parent_id=some, parts=(TextPart(text=f"between {rnd.random():.6f}"),)))
            case _:
                pass

    async def story(one: Computer, other: Computer) -> None:
        for _step in range(40):
            for computer in (one, other):
                if rnd.random() < 0.7:
                    act(computer)
                if rnd.random() < 0.3:
                    shown = computer.bus.path
                    await computer.hear()
                    left = [each for each in shown if each in computer.bus]
                    assert not left or computer.bus.index_of(left[-1]) is not None
            if rnd.random() < 0.3:
                await carry(*rnd.choice([(one, other), (other, one)]))
        for _round in range(2):
            await carry(one, other)
            for computer in (one, other):
                await computer.hear()
        assert one.whole() == other.whole()
        assert one.bus.settings == other.bus.settings
        read_again = MessageBus(one.bus.conversation_id)
        read_again.load((await Library(one.paths, device="cccccccc").open(one.bus.conversation_id)).history)
        assert {message.id: message for message in read_again.tree()} == one.whole()

    at_both(tmp_path, story)


def test_the_watcher_tells_of_others_and_not_of_ourselves(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        seen: list[str] = []
        notice = one.library._others.notice
        one.library._others.notice = lambda ids: (seen.extend(ids), notice(ids))  # type: ignore[method-assign,func-returns-value]
        one.library.follow_others()
        other.say("from afar")
        for _wait in range(500):
            if "from afar" in one.texts():
                break
            await carry(other, one)  # the watcher may not yet look when the first file comes
            await asyncio.sleep(0.02)
        assert "from afar" in one.texts()
        assert set(seen) == {one.bus.conversation_id}

    at_both(tmp_path, story)


def test_a_conversation_deleted_here_and_gone_on_with_there_is_whole_again(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        id, told = one.bus.conversation_id, list[str]()
        one.library.on_problem(lambda news: told.append(str(news)))
        other.say("gone on with, off the network")
        await other.autosave.save_now()
        one.autosave.close()
        await one.library.flush()
        await one.library.delete(id)
        place = next((one.paths.data / "trash").iterdir())
        # On its way out there: the copies in the trash have come, the files are still in their place.
        shutil.copytree(place, other.paths.data / "trash" / place.name)
        (other.folder / f"{other.device}.jsonl").rename(tmp_path / "kept")
        await other.library.refresh()
        assert (other.paths.data / "trash" / place.name).is_dir()
        # What differs wins over a deletion, in every sync program: it comes back to the one as well.
        (other.folder / f"{one.device}.jsonl").unlink()
        (tmp_path / "kept").rename(other.folder / f"{other.device}.jsonl")
        for computer in (one, other):
            folder = computer.paths.conversations / id
            folder.mkdir(exist_ok=True)
            if computer is one:
                shutil.copyfile(other.folder / f"{other.device}.jsonl", folder / f"{other.device}.jsonl")
            await computer.library.refresh()
            read = MessageBus(id)
            read.load((await Library(computer.paths, device="cccccccc").open(id)).history)
            assert [message.text for message in read.messages()][:2] == ["question", "answer"]
            assert [message.text for message in read.messages()][2:] == ["gone on with, off the network"]
        assert told == [str(gone_on_elsewhere(id, "gone on with, off the network"))]

    at_both(tmp_path, story)


def test_what_another_computer_deleted_stays_deleted_until_somebody_writes_in_it(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        id, told = one.bus.conversation_id, list[str]()
        other.library.on_problem(lambda news: told.append(str(news)))
        other.bus.change_setting("title", "Precious")
        await carry(other, one)
        await other.library.refresh()
        other.library.drafts.save(NEW, Draft(text="not sent"))
        await one.library.delete(id)
        place = next((one.paths.data / "trash").iterdir())
        shutil.copytree(place, other.paths.data / "trash" / place.name)
        shutil.rmtree(other.folder)
        for _twice in range(2):
            await other.hear()
            await other.library.flush()
        assert not other.folder.exists()
        assert other.library.summary(id) is None
        assert [words.partition(".")[0] for words in told] == ["“Precious” was deleted on another computer"]
        other.library.drafts.save(id, Draft(text="I need"))
        assert other.library.drafts.load(id).text == "I need"
        other.say("I need it")
        await other.library.flush()
        await other.hear()
        assert other.library.summary(id) is not None
        assert told[1:] == [str(gone_on_elsewhere(id, "Precious"))]
        assert not list((other.paths.data / "trash").iterdir())
        assert other.library.drafts.load(NEW).text == "not sent"
        read = MessageBus(id)
        read.load((await Library(other.paths, device="cccccccc").open(id)).history)
        assert [message.text for message in read.messages()] == ["question", "answer", "I need it"]

    at_both(tmp_path, story)


def test_a_conversation_of_another_computer_appears_in_the_list_and_goes_with_its_folder(tmp_path: Path) -> None:
    async def story(one: Computer, other: Computer) -> None:
        made = MessageBus(other.library.create())
        autosave = other.library.attach(made)
        made.add_user_message("quite another")
        await autosave.save_now()
        folder = other.paths.conversations / made.conversation_id
        shutil.copytree(folder, one.paths.conversations / made.conversation_id)
        await one.library._others.take_in(made.conversation_id)
        assert one.library.summary(made.conversation_id) is not None
        shutil.rmtree(one.paths.conversations / made.conversation_id)
        await one.library._others.take_in(made.conversation_id)
        assert one.library.summary(made.conversation_id) is None

    at_both(tmp_path, story)
