"""What a person may ask of a conversation, and what then happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from sam_py.bus.deltas import Recorded
from sam_py.errors import SamError
from sam_py.messages.history import TaskRecorded
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import FilePart, ImagePart, ThinkingSignaturePart
from sam_py.messages.usage import Usage
from sam_py.providers.base import (
    ChatRequest,
    Finished,
    ImageProduced,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSigned,
    ToolCallDelta,
    ToolCallStarted,
    UsageReported,
    Waiting,
)
from sam_py.providers.errors import ProviderError
from tests.agent.conftest import Talk
from tests.fakes.stepped_provider import SteppedProvider

pytestmark = pytest.mark.anyio


# Sending


async def test_a_message_is_answered(talk: Talk) -> None:
    talk.provider.say(
        Started("r1", "m-2026"), "Hello", " there", UsageReported(Usage(output_tokens=2)), Finished("stop")
    )
    await talk.session.send("  Hi  ")
    assert talk.lines() == ["user: Hi", "assistant: Hello there [stop]"]
    reply = talk.bus.at(1)
    assert isinstance(reply, AssistantMessage)
    assert (reply.provider, reply.model, reply.response_id) == ("stepped", "m", "r1")
    assert reply.usage == Usage(output_tokens=2)


async def test_the_message_is_durable_before_the_request_leaves(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    assert talk.log.index("message_added") < talk.log.index("save after 0 requests")


async def test_the_end_of_a_reply_is_saved_at_once(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    await talk.until(lambda: talk.log[-1] == "save after 1 requests")


async def test_what_could_not_be_saved_is_not_sent_and_not_lost(talk: Talk) -> None:
    talk.save_error = SamError("The disk is full. Make room and try again.")
    await talk.session.send("Hi")
    assert talk.provider.requests == []
    assert talk.lines() == ["user: Hi"]
    error = talk.bus.error_of(talk.bus.path[0])
    assert error is not None
    assert (error.code, error.text) == ("storage", "The disk is full. Make room and try again.")
    talk.save_error = None
    talk.provider.answer("Hello")
    await talk.session.retry()
    assert talk.lines() == ["user: Hi", "assistant: Hello [stop]"]
    assert talk.bus.error_of(talk.bus.path[0]) is None


async def test_an_empty_message_is_refused_and_nothing_begins(talk: Talk) -> None:
    with pytest.raises(SamError, match="Write something"):
        await talk.session.send("  \n")
    assert not talk.session.state.is_busy
    assert len(talk.bus) == 0


async def test_the_states_are_waiting_streaming_idle(talk: Talk) -> None:
    talk.provider.say(Waiting("Trying again in 4 s: the server is busy."), "Hello", Finished("stop"))
    await talk.session.send("Hi")
    reply = talk.bus.path[1]
    assert [(state.phase, state.text, state.reply_id) for state in talk.states] == [
        ("waiting", "", None),
        ("waiting", "", reply),
        ("waiting", "Trying again in 4 s: the server is busy.", reply),
        ("streaming", "", reply),
        ("idle", "", None),
    ]


async def test_every_kind_of_event_finds_its_place(talk: Talk) -> None:
    talk.provider.say(
        ThinkingDelta("Hm. "),
        ThinkingDelta("Yes."),
        ThinkingSigned("sig"),
        TextDelta("Look:"),
        ImageProduced(b"picture", "image/webp"),
        ToolCallDelta("0", '{"a":'),
        ToolCallStarted("0", "call_1", "search"),
        ToolCallDelta("0", "1}"),
        Finished("tool_use"),
    )
    await talk.session.send("Hi")
    reply = talk.bus.at(1)
    assert [part.kind for part in reply.parts] == ["thinking_text", "thinking_signature", "text", "image", "tool_call"]
    assert reply.thinking == "Hm. Yes."
    assert ThinkingSignaturePart(signature="sig", provider="stepped", model="m") in reply.parts
    assert reply.images == (ImagePart(attachment="hash of image/webp", mime_type="image/webp"),)
    assert reply.tool_calls[0].arguments_json == '{"a":1}'
    assert reply.tool_calls[0].tool_name == "search"


async def test_the_usage_of_each_run_is_recorded(talk: Talk) -> None:
    talk.provider.say("Hello", UsageReported(Usage(input_tokens=3, output_tokens=1)), Finished("stop"))
    await talk.session.send("Hi")
    assert [(task.provider, task.model, task.usage) for task in talk.bus.tasks] == [
        ("stepped", "m", Usage(input_tokens=3, output_tokens=1))
    ]
    assert any(isinstance(delta, Recorded) and isinstance(delta.event, TaskRecorded) for delta in talk.deltas)


async def test_plenty_of_buffered_events_let_the_window_paint(talk: Talk) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    talk.provider.say(*["word "] * 20_000, Finished("stop"))
    ticking = asyncio.get_running_loop().create_task(tick())
    await talk.session.send("Hi")
    ticking.cancel()
    assert ticks > 5


# Stopping


async def test_a_stopped_reply_keeps_its_text_and_the_session_is_idle_at_once(talk: Talk) -> None:
    asking = await talk.streaming("Half a sent")
    assert talk.provider.open == 1
    talk.session.stop()
    assert talk.session.state.phase == "idle"
    assert talk.lines() == ["user: question", "assistant: Half a sent [aborted]"]
    await asking
    await talk.until(lambda: talk.provider.closed == 1)
    await talk.until(lambda: talk.log[-1].startswith("save"))


async def test_the_connection_is_closed_a_few_turns_of_the_loop_after_stopping(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    talk.session.stop()
    turns = 0
    while talk.provider.open:
        await asyncio.sleep(0)
        turns += 1
        assert turns < 20
    await asking


async def test_stopping_before_the_first_word_leaves_the_question(talk: Talk) -> None:
    asking = asyncio.get_running_loop().create_task(talk.session.send("Hi"))
    await talk.provider.asked.wait()
    talk.session.stop()
    await asking
    assert talk.lines() == ["user: Hi"]
    talk.provider.answer("Hello")
    await talk.session.retry()
    assert talk.lines() == ["user: Hi", "assistant: Hello [stop]"]


async def test_stopping_while_the_message_is_saved_sends_nothing(talk: Talk) -> None:
    talk.disk.clear()
    asking = asyncio.get_running_loop().create_task(talk.session.send("Hi"))
    await talk.until(lambda: talk.lines())
    talk.session.stop()
    talk.disk.set()
    await asking
    assert talk.provider.requests == []
    assert talk.lines() == ["user: Hi"]


async def test_stopping_at_any_round_of_the_loop_leaves_a_usable_session(talk: Talk) -> None:
    for rounds in range(30):
        talk.provider.say(Started("r"), "one ", "two ", "three", UsageReported(Usage()), Finished("stop"))
        asking = asyncio.get_running_loop().create_task(talk.session.send(f"question {rounds}"))
        for _ in range(rounds):
            await asyncio.sleep(0)
        talk.session.stop()
        assert talk.session.state.phase == "idle"
        assert talk.bus.streaming_ids == ()
        await asking
        await talk.until(lambda: talk.provider.open == 0)
        while not talk.provider._events.empty():
            talk.provider._events.get_nowait()
    talk.provider.answer("fine")
    await talk.session.send("And now?")
    assert talk.lines()[-1] == "assistant: fine [stop]"


async def test_stopping_when_nothing_runs_does_nothing(talk: Talk) -> None:
    talk.session.stop()
    assert talk.states == []


async def test_a_cancelled_caller_stops_the_reply(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert talk.lines() == ["user: question", "assistant: Half [aborted]"]
    assert talk.session.state.phase == "idle"


async def test_what_a_stopped_stream_still_says_is_not_heard(talk: Talk) -> None:
    class Deaf(SteppedProvider):
        """Takes no notice of being cancelled."""

        async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
            yield TextDelta("before")
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            yield TextDelta(" after")
            yield Finished("stop")

    talk.provider = Deaf()
    asking = asyncio.get_running_loop().create_task(talk.session.send("Hi"))
    await talk.until(lambda: talk.session.state.phase == "streaming")
    talk.session.stop()
    await asking
    await asyncio.sleep(0)
    assert talk.lines() == ["user: Hi", "assistant: before [aborted]"]


# Queueing


async def test_a_message_sent_meanwhile_waits_and_goes_out_after_the_reply(talk: Talk) -> None:
    asking = await talk.streaming("First")
    await talk.session.send("second question")
    await talk.session.send("third question")
    assert [each.text for each in talk.session.state.queued] == ["second question", "third question"]
    talk.provider.say(" answer", Finished("stop"))
    talk.provider.answer("Second answer")
    talk.provider.answer("Third answer")
    await asking
    assert talk.lines() == [
        "user: question",
        "assistant: First answer [stop]",
        "user: second question",
        "assistant: Second answer [stop]",
        "user: third question",
        "assistant: Third answer [stop]",
    ]
    assert talk.session.state.queued == ()


async def test_after_a_stop_the_queue_is_held_and_not_sent_by_itself(talk: Talk) -> None:
    asking = await talk.streaming("First")
    await talk.session.send("second question")
    talk.session.stop()
    await asking
    assert [(each.text, each.held) for each in talk.session.state.queued] == [("second question", True)]
    talk.provider.answer("Something else")
    await talk.session.send("something else")
    assert [each.text for each in talk.session.state.queued] == ["second question"]
    talk.provider.answer("Second answer")
    await talk.session.send_queued()
    assert talk.lines()[-2:] == ["user: second question", "assistant: Second answer [stop]"]


async def test_after_an_error_the_queue_is_held_and_goes_on_after_a_retry(talk: Talk) -> None:
    asking = await talk.streaming("First")
    await talk.session.send("second question")
    talk.provider.say(ProviderError("Cut off.", code="cut_off"))
    await asking
    assert talk.session.state.queued[0].held
    talk.provider.answer("First answer")
    talk.provider.answer("Second answer")
    await talk.session.retry()
    assert talk.lines()[1:] == [
        "assistant: First answer [stop]",
        "user: second question",
        "assistant: Second answer [stop]",
    ]


async def test_a_queued_message_can_be_taken_back(talk: Talk) -> None:
    asking = await talk.streaming("First")
    await talk.session.send("second", [file := FilePart(attachment="h", filename="a.txt", mime_type="text/plain")])
    message = talk.session.remove_queued(0)
    assert (message.text, message.parts) == ("second", (file,))
    assert talk.session.state.queued == ()
    talk.session.stop()
    await asking
    with pytest.raises(IndexError):
        talk.session.remove_queued(0)


# Errors


async def test_an_error_before_the_first_word_stands_at_the_question(talk: Talk) -> None:
    talk.provider.say(ProviderError("Nothing answers at this address.", code="unreachable", detail="refused"))
    await talk.session.send("Hi")
    error = talk.bus.error_of(talk.bus.path[0])
    assert error is not None
    assert (error.code, error.text, error.detail, error.action) == (
        "unreachable",
        "Nothing answers at this address.",
        "refused",
        "settings",
    )
    assert talk.lines() == ["user: Hi"]
    assert talk.session.state.phase == "idle"


async def test_an_error_in_the_middle_keeps_the_text_and_stands_at_the_reply(talk: Talk) -> None:
    talk.provider.say("Half", ProviderError("Cut off.", code="cut_off", retryable=True))
    await talk.session.send("Hi")
    assert talk.lines() == ["user: Hi", "assistant: Half [error]"]
    error = talk.bus.error_of(talk.bus.path[1])
    assert error is not None
    assert error.code == "cut_off"


async def test_a_stream_without_an_end_is_an_error(talk: Talk) -> None:
    class Endless(SteppedProvider):
        async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
            yield TextDelta("Half")

    talk.provider = Endless()
    await talk.session.send("Hi")
    error = talk.bus.error_of(talk.bus.path[1])
    assert error is not None
    assert error.code == "cut_off"


@pytest.mark.parametrize(
    ("reason", "code"), [("stop", "bad_response"), ("refusal", "refused"), ("length", "too_long"), ("error", "server")]
)
async def test_a_reply_without_a_word_says_why(talk: Talk, reason: str, code: str) -> None:
    talk.provider.say(Finished(reason, detail="because"))  # type: ignore[arg-type]
    await talk.session.send("Hi")
    error = talk.bus.error_of(talk.bus.path[0])
    assert error is not None
    assert (error.code, error.detail) == (code, "because")


async def test_a_bug_is_logged_shown_and_survived(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    talk.provider.say("Half", RuntimeError("a bug"))
    await talk.session.send("Hi")
    error = talk.bus.error_of(talk.bus.path[1])
    assert error is not None
    assert (error.code, error.detail) == ("internal", "RuntimeError: a bug")
    assert "Traceback" in caplog.text
    talk.provider.answer("fine")
    await talk.session.send("And now?")
    assert talk.lines()[-1] == "assistant: fine [stop]"


async def test_a_provider_that_is_gone_points_to_the_settings(talk: Talk) -> None:
    talk.session.set_model("gone", "m")
    await talk.session.send("Hi")
    error = talk.bus.error_of(talk.bus.path[0])
    assert error is not None
    assert (error.text, error.action) == ("There is no provider gone any more. Choose another model.", "settings")


async def test_a_broken_listener_does_not_stop_the_reply(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    def broken(state: object) -> None:
        raise RuntimeError("broken view")

    end = talk.session.subscribe(broken)
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    end()
    assert talk.lines()[-1] == "assistant: Hello [stop]"
    assert "a listener of the session failed" in caplog.text
