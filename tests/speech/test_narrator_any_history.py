"""The narrator on any history of a conversation: what sounds belongs on screen, once, and nothing else is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.parts import TextPart
from sam_py.speech.base import Manner, Readout, Utterance
from sam_py.speech.narrator import Narrator
from sam_py.speech.queue import SpeechQueue
from tests.fakes.speech import FakePlayer, FakeSpeech, FakeSpoken, stepped

QUIET = ["begin", "text", "text", "text", "think", "call", "result", "end", "blank", "pin", "ask"]
"""What a conversation does by itself."""
LOUD = ["abort", "edit", "remove", "branch", "again", "go on", "switch", "stop", "skip", "read", "select", "other"]
"""What a person does."""
STEP = st.tuples(st.sampled_from(QUIET * 2 + LOUD), st.sampled_from([0.0, 0.0, 0.02, 0.3, 1.0, 4.0]), st.integers(0, 5))


class History:
    """A conversation, another one, and a narrator; `lost` are replies of which something may not be heard."""

    def __init__(self) -> None:
        now = asyncio.get_running_loop().time
        self.engine, self.player = FakeSpeech(took_s=0.01), FakePlayer()
        self.queue = SpeechQueue(lambda: self.engine, Manner, self.player)
        self.narrator = Narrator(self.queue, Readout, lambda _readout: FakeSpoken(), plain=FakeSpoken, now=now)
        self.bus = MessageBus("shown", monotonic=now)
        self.other = MessageBus("other", monotonic=now)
        self.followed = self.bus
        self.bus.add_user_message("Say it.")
        self.narrator.follow(self.bus)
        self.narrator.reads_replies = True
        self.reply: str | None = None
        self.count = 0
        self.sentences: dict[str, list[str]] = {}
        """Of each reply what should be heard of it, unless it is `lost`."""
        self.lost: set[str] = set()
        self.turn_is_lost = False
        self.again: set[str] = set()
        """Sentences that may be heard again: they were asked for, or were cut and went on."""

    def lose(self) -> None:
        """Of all that was said, and of this turn, something may not be heard."""
        self.lost.update(self.sentences)
        self.turn_is_lost = True

    def do(self, act: str, number: int) -> None:
        bus, reply = self.bus, self.reply
        streams = reply is not None and reply in bus and bus.is_streaming(reply)
        replies = [each for each in bus.path if isinstance(bus.get(each), AssistantMessage)]
        chosen = replies[number % len(replies)] if replies else None
        match act:
            case "ask" if not streams:
                bus.add_user_message("Next.")
                self.lose()  # it may take over, and then
                self.turn_is_lost = False
            case "begin" if not streams:
                self._begin(None)
            case "again" if not streams and chosen is not None:
                self.lose()
                self.turn_is_lost = False
                self._begin(bus.parent_of(chosen))
                self.lost.add(self.reply or "")
            case "text" if streams and reply is not None:
                self.count += 1
                text = f"Say {self.count:03}."
                self.sentences[reply].append(text)
                bus.append_delta(reply, text[:5])
                bus.append_delta(reply, f"{text[5:]} ")
            case "blank" if streams and reply is not None:
                bus.append_delta(reply, "\n")
            case "think" if streams and reply is not None:
                bus.append_delta(reply, f"Think {number}. ", "thinking_text")
            case "call" if streams and reply is not None:
                bus.begin_call(reply, str(number), f"{reply}{number}", "tool")
                bus.append_arguments(reply, str(number), '{"a": "Never. This."}')
            case "end" | "abort" if streams and reply is not None:
                if act == "abort":
                    self.lose()
                done = bus.abort(reply) if act == "abort" else bus.complete(reply)
                self.reply = reply if done is not None else None
            case "result" if not streams and bus.tip is not None and bus.tip in replies:
                bus.add(
                    ToolResultMessage(
                        parent_id=bus.tip, call_id=bus.tip, tool_name="tool", status="success", output_text="Never."
                    )
                )
            case "pin" if chosen is not None:
                bus.annotate(chosen, pinned=number % 2 == 0)
            case "edit" if chosen is not None and not bus.is_streaming(chosen):
                self.lose()
                bus.replace(bus.get(chosen).model_copy(update={"parts": (TextPart(text="Edited. Text."),)}))
            case "remove" if chosen is not None:
                self.lose()
                bus.remove(chosen)
            case "branch" if not streams:
                self.lose()
                bus.add_user_message("Otherwise.", parent_id=bus.parent_of(bus.path[-1]) or bus.path[0])
                self.turn_is_lost = False
            case "select":
                self.lose()
                every = [each.id for each in bus.tree()]
                bus.select_branch(every[number % len(every)])
            case "go on" if chosen is not None and not streams:
                self.lose()
                self.again.update(self.sentences.get(chosen, ()))
                bus.resume_assistant(chosen)
                bus.append_delta(chosen, " ")  # its end was trimmed: else two sentences of ours became one
                self.reply = chosen
            case "switch":
                self.lose()
                self.narrator.reads_replies = not self.narrator.reads_replies
            case "stop":
                self.lose()
                self.narrator.stop()
            case "skip":
                self.lose()
                self.narrator.skip()
            case "read" if chosen is not None and self.followed is bus:
                self.lose()
                self.again.update(self.sentences.get(chosen, ()))
                self.narrator.read(chosen)
            case "other":
                self.lose()
                self.followed = self.other if self.followed is self.bus else self.bus
                self.narrator.follow(self.followed)
            case _:
                pass

    def _begin(self, parent_id: str | None) -> None:
        self.reply = self.bus.begin_assistant(parent_id=parent_id)
        self.sentences[self.reply] = []
        if self.turn_is_lost or self.followed is not self.bus or not self.narrator.reads_replies:
            self.lost.add(self.reply)

    def waiting(self) -> Iterator[Utterance]:
        if self.queue.state.utterance is not None:
            yield self.queue.state.utterance
        yield from (line.utterance for line in self.queue._lines)
        yield from self.queue._waiting

    def check(self) -> None:
        """All that is heard or waits stands in the text on screen, where it says."""
        for each in self.waiting():
            assert self.followed.index_of(each.message_id) is not None, "not on screen"
            part = self.followed.get(each.message_id).parts[each.part_index]
            assert isinstance(part, TextPart)
            assert part.text[each.start : each.end] == each.text
        if not self.narrator.reads_replies and not self.narrator._is_chosen:
            assert self.narrator.state.phase == "silent"


async def _run(steps: list[tuple[str, float, int]]) -> None:
    history = History()
    for act, wait_s, number in steps:
        history.do(act, number)
        history.check()
        await asyncio.sleep(wait_s)
        history.check()
    if history.reply is not None and history.reply in history.bus and history.bus.is_streaming(history.reply):
        history.bus.complete(history.reply)
    await asyncio.sleep(600)
    assert history.narrator.state.phase == "silent", "the voice comes to an end"
    heard = history.player.texts(history.engine)
    assert not [text for text in heard if "Think" in text or "Never" in text]
    once = [text for text in heard if text not in history.again and text.startswith("Say") and text[4:5] != "i"]
    assert len(once) == len(set(once)), "nothing twice"
    expected = [text for reply, texts in history.sentences.items() if reply not in history.lost for text in texts]
    assert [text for text in heard if text in expected] == expected, "nothing lost, and in order"
    history.narrator.follow(None)
    await history.queue.aclose()


@settings(max_examples=120)
@given(st.lists(STEP, min_size=4, max_size=40))
def test_what_sounds_is_on_screen_and_nothing_is_lost_that_nobody_silenced(steps: list[tuple[str, float, int]]) -> None:
    stepped(lambda: _run([("begin", 0.0, 0), ("text", 0.0, 0), *steps]))


@given(
    st.lists(st.tuples(st.sampled_from(QUIET[:-1]), st.sampled_from([0.0, 0.02, 1.0]), st.integers(0, 5)), max_size=40)
)
def test_a_conversation_that_nobody_disturbs_is_heard_whole(steps: list[tuple[str, float, int]]) -> None:
    stepped(lambda: _run([("begin", 0.0, 0), ("text", 0.0, 0), *steps]))
