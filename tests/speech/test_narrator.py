"""Narrator: which of a conversation is heard, and what silences it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import UnknownMessageError
from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.parts import TextPart, ThinkingTextPart
from sam_py.speech.base import Manner, Readout, SpeechError
from sam_py.speech.narrator import FOLLOWS_S, Narrator
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.voice_state import VoiceNews, VoiceState
from tests.fakes.speech import FakePlayer, FakeSpeech, FakeSpoken, stepped


class Room:
    """A conversation with a question in it, a narrator that reads replies, and who listens."""

    def __init__(self) -> None:
        now = asyncio.get_running_loop().time
        self.engine = FakeSpeech(took_s=0.01)
        self.player = FakePlayer()
        self.queue = SpeechQueue(lambda: self.engine, Manner, self.player)
        self.narrator = Narrator(self.queue, Readout, lambda _readout: FakeSpoken(), plain=FakeSpoken, now=now)
        self.bus = MessageBus("conversation", monotonic=now)
        self.bus.add_user_message("What is it?")
        self.narrator.follow(self.bus)
        self.narrator.reads_replies = True
        self.news: list[VoiceNews] = []
        self.narrator.subscribe(self.news.append)

    @property
    def heard(self) -> list[str]:
        return self.player.texts(self.engine)

    @property
    def errors(self) -> list[str]:
        return [str(news) for news in self.news if isinstance(news, SpeechError)]

    def reply(self, *texts: str, stop_reason: Any = "stop") -> str:
        """A whole reply."""
        reply = self.bus.begin_assistant()
        for text in texts:
            self.bus.append_delta(reply, text)
        self.bus.complete(reply, stop_reason)
        return reply

    def call(self, reply: str) -> None:
        self.bus.begin_call(reply, "0", f"call {reply}", "tool")

    def result(self, reply: str) -> None:
        self.bus.add(
            ToolResultMessage(
                parent_id=self.bus.tip, call_id=f"call {reply}", tool_name="tool", status="success", output_text="Yes."
            )
        )

    async def hears(self, text: str) -> None:
        """Wait until `text` is heard."""
        while not self.heard or self.heard[-1] != text:
            await asyncio.sleep(0.05)

    async def silent(self) -> None:
        while self.narrator.state.phase != "silent":
            await asyncio.sleep(0.05)
        await asyncio.sleep(5)


def in_room(test: Callable[[Room], Coroutine[Any, Any, None]]) -> Room:
    async def run() -> Room:
        room = Room()
        await test(room)
        assert room.narrator.state.phase == "silent"
        room.narrator.follow(None)
        await room.queue.aclose()
        return room

    return stepped(run)


def test_a_reply_is_read_while_it_streams_without_thinking_and_tools() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "Do not say this. ", "thinking_text")
        room.bus.append_delta(reply, "\n\nFirst comes one. Sec")
        await room.hears("First comes one.")
        room.bus.append_delta(reply, "ond comes two, with")
        room.bus.append_delta(reply, "out an end")
        room.call(reply)
        room.bus.append_arguments(reply, "0", '{"never": "this. Nor this."}')
        await room.hears("Second comes two, without an end")
        room.bus.append_delta(reply, "A second text. ")
        room.bus.complete(reply, "tool_use")
        room.result(reply)
        room.reply("After the tool.")
        await room.silent()

    room = in_room(run)
    expected = ["First comes one.", "Second comes two, without an end", "A second text.", "After the tool."]
    assert room.heard == expected


def test_marks_stand_where_the_text_is_after_the_end_of_a_reply_trimmed_it() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "\n")
        room.bus.append_delta(reply, "Hm.", "thinking_text")
        room.bus.append_delta(reply, "\n\nHere it is. And here. \n")
        room.bus.complete(reply)
        await room.silent()
        text = room.bus.get(reply).parts
        marked = [news.utterance for news in room.news if isinstance(news, VoiceState) and news.utterance]
        assert [each.text for each in marked] == ["Here it is.", "And here."]
        for each in marked:
            part = text[each.part_index]
            assert isinstance(part, TextPart)
            assert part.text[each.start : each.end] == each.text
            assert each.message_id == reply

    in_room(run)


def test_a_reply_that_the_person_stops_falls_silent_and_so_does_the_rest_of_its_turn() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. Three. Fo")
        await room.hears("One.")
        room.bus.abort(reply)
        assert room.narrator.state == VoiceState()
        await room.silent()
        room.bus.add_user_message("Go on.")
        room.reply("A new reply.")
        await room.silent()

    assert in_room(run).heard == ["One.", "A new reply."]


def test_a_reply_that_failed_is_read_as_far_as_it_came() -> None:
    async def run(room: Room) -> None:
        room.reply("One. Two is brok", stop_reason="error")
        await room.silent()

    assert in_room(run).heard == ["One.", "Two is brok"]


@pytest.mark.parametrize("silences", ["edit", "remove", "branch", "regenerate", "leave", "close", "load", "off"])
def test_what_is_no_longer_to_be_heard_falls_silent_at_once(silences: str) -> None:
    async def run(room: Room) -> None:
        earlier = room.reply("Earlier.")
        await room.silent()
        again = room.bus.add_user_message("Again?", parent_id=earlier)
        reply = room.reply("One. Two. Three.")
        await room.hears("One.")
        match silences:
            case "edit":
                room.bus.replace(room.bus.get(reply).model_copy(update={"parts": (TextPart(text="Other. Two."),)}))
            case "remove":
                room.bus.remove(reply)
            case "branch":
                room.bus.add_user_message("Otherwise?", parent_id=earlier)
            case "regenerate":
                room.bus.begin_assistant(parent_id=again.id)
            case "leave":
                room.narrator.follow(MessageBus("another"))
            case "close":
                room.narrator.follow(None)
            case "load":
                room.bus.load(LoadedHistory())
            case _:
                room.narrator.reads_replies = False
        heard = room.player.heard[-1].end_s
        assert heard == asyncio.get_running_loop().time()
        for streaming in room.bus.streaming_ids:
            room.bus.abort(streaming)
        await room.silent()

    assert in_room(run).heard == ["Earlier.", "One."]


def test_a_pin_does_not_disturb_the_reading() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. ")
        await room.hears("One.")
        room.bus.annotate(reply, pinned=True)
        room.bus.append_delta(reply, "Three.")
        room.bus.complete(reply)
        room.bus.annotate(reply, pinned=False)
        await room.silent()

    assert in_room(run).heard == ["One.", "Two.", "Three."]


def test_turned_on_in_the_middle_it_begins_with_the_sentence_that_is_being_written() -> None:
    async def run(room: Room) -> None:
        room.narrator.reads_replies = False
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. Thr")
        room.narrator.reads_replies = True
        room.bus.append_delta(reply, "ee. Four. ")
        await room.hears("Four.")
        room.narrator.reads_replies = False
        room.narrator.reads_replies = True
        room.bus.append_delta(reply, "Five.")
        room.bus.complete(reply)
        await room.silent()

    assert in_room(run).heard == ["Three.", "Four.", "Five."]


def test_what_the_person_silenced_stays_silent_to_the_end_of_its_turn() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. ")
        await room.hears("One.")
        room.narrator.stop()
        room.bus.append_delta(reply, "Three. ")
        room.call(reply)
        room.bus.complete(reply, "tool_use")
        room.result(reply)
        again = room.bus.begin_assistant()
        room.bus.append_delta(again, "The same turn. ")
        room.call(again)
        room.bus.complete(again, "tool_use")
        room.result(again)
        room.reply("Still the same.")
        await room.silent()
        room.bus.add_user_message("Next?")
        room.reply("The next turn.")
        await room.silent()

    assert in_room(run).heard == ["One.", "The next turn."]


def test_a_new_question_takes_over_but_one_that_was_queued_lets_the_reply_end() -> None:
    async def run(room: Room) -> None:
        room.reply("One. Two. Three.")
        room.bus.add_user_message("It was queued.")
        room.reply("Four. Five. Six.")
        await room.hears("Four.")
        await asyncio.sleep(FOLLOWS_S)
        room.bus.add_user_message("Now I want to know this.")
        room.reply("Seven.")
        await room.silent()

    assert in_room(run).heard == ["One.", "Two.", "Three.", "Four.", "Seven."]


def test_a_chosen_message_is_read_whole_and_on_while_it_streams() -> None:
    async def run(room: Room) -> None:
        room.narrator.reads_replies = False
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. Thr")
        room.narrator.read(reply)
        await room.hears("Two.")
        room.bus.append_delta(reply, "ee. Fo")
        await room.hears("Three.")
        room.narrator.reads_replies = True
        room.narrator.reads_replies = False  # only what it started falls silent
        room.bus.append_delta(reply, "ur.")
        room.bus.complete(reply)
        await room.silent()
        room.narrator.read(room.bus.path[0])
        await room.silent()

    assert in_room(run).heard == ["One.", "Two.", "Three.", "Four.", "What is it?"]


def test_a_chosen_message_or_selection_takes_the_place_of_what_is_read() -> None:
    async def run(room: Room) -> None:
        long = room.reply("Long one. " * 2_000)
        await room.hears("Long one.")
        room.narrator.read_text("A selection.")
        assert room.narrator.state.phase == "speaking"
        await room.silent()
        assert room.heard[-1] == "A selection."
        room.narrator.read(long)
        await room.hears("Long one.")
        room.narrator.read_text("Again. And on.")
        await room.silent()

    room = in_room(run)
    assert room.heard == ["Long one.", "A selection.", "Long one.", "Again.", "And on."]


def test_what_has_nothing_to_read_says_so() -> None:
    async def run(room: Room) -> None:
        reply = AssistantMessage(
            parent_id=room.bus.tip, parts=(ThinkingTextPart(text="Only thinking."),), stop_reason="stop"
        )
        room.bus.add(reply)
        room.narrator.read(reply.id)
        room.narrator.read_text("  ")
        await room.silent()
        with pytest.raises(UnknownMessageError):
            room.narrator.read("unknown")

    room = in_room(run)
    assert room.heard == []
    assert room.errors == ["There is nothing to read aloud here: choose some text."] * 2


def test_messages_off_the_path_are_not_heard() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. Three. ")
        await room.hears("One.")
        other = room.bus.add_user_message("Another branch", parent_id=room.bus.path[0]).id
        room.bus.append_delta(reply, "Four. Fi")
        room.narrator.read(reply)
        assert room.narrator.state == VoiceState()
        room.bus.select_branch(reply)
        room.bus.append_delta(reply, "ve. Six.")
        room.bus.select_branch(other)
        room.bus.select_branch(reply)
        room.bus.complete(reply)
        await room.silent()

    assert in_room(run).heard == ["One.", "Six."]


def test_a_voice_that_gave_up_does_not_try_again_in_the_same_turn() -> None:
    async def run(room: Room) -> None:
        texts = [f"Sentence {n}." for n in range(10)]
        room.engine.fails = {text: [SpeechError("Broken: mend it.")] * 2 for text in texts}
        reply = room.bus.begin_assistant()
        for text in texts:
            room.bus.append_delta(reply, f"{text} ")
            await asyncio.sleep(1)
        room.bus.complete(reply)
        await room.silent()
        room.bus.add_user_message("Next?")
        room.reply("Works.")
        await room.silent()

    room = in_room(run)
    assert room.heard == ["Works."]
    assert len(room.errors) == 2


def test_a_chosen_message_that_was_heard_is_not_read_on_when_it_goes_on() -> None:
    async def run(room: Room) -> None:
        room.narrator.reads_replies = False
        reply = room.reply("One. Two.", stop_reason="length")
        room.narrator.read(reply)
        await room.silent()
        room.bus.resume_assistant(reply)
        room.bus.append_delta(reply, " Three. ")
        room.bus.complete(reply)
        await room.silent()

    assert in_room(run).heard == ["One.", "Two."]


def test_a_reply_that_goes_on_is_read_on_from_the_sentence_that_was_cut() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        room.bus.append_delta(reply, "One. Two. Three is c")
        room.bus.complete(reply, "length")
        await room.hears("One.")
        room.bus.resume_assistant(reply)
        room.bus.append_delta(reply, "ut. Four.")
        room.bus.complete(reply)
        await room.silent()

    assert in_room(run).heard == ["One.", "Two.", "Three is c", "Three is cut.", "Four."]


def test_the_first_sentence_is_with_the_engine_as_soon_as_it_is_known_to_end() -> None:
    async def run(room: Room) -> None:
        reply = room.bus.begin_assistant()
        assert room.engine.warmed
        room.bus.append_delta(reply, "One is here")
        await asyncio.sleep(1)
        assert not room.engine.asked
        room.bus.append_delta(reply, ". Two")
        await asyncio.sleep(0)
        assert room.engine.asked[0][0] == "One is here."
        room.narrator.stop()
        room.bus.abort(reply)

    in_room(run)
