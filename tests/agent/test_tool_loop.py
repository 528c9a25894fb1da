"""The loop: replies, tools and results in turn, stopped, broken off and limited, and never an invalid history."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from sam_py.agent.loop import MAX_ROUNDS
from sam_py.agent.session import ChatSession
from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.parts import ToolCallPart
from sam_py.messages.turn import Limits, ToolResultPart
from sam_py.providers.base import Finished, StreamEvent, ToolCallDelta, ToolCallStarted
from sam_py.providers.errors import ProviderError
from sam_py.settings.model import ChatSettings, ModelChoice
from sam_py.tools.approval import Approvals
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolOutput, Touch
from sam_py.tools.registry import ToolRegistry
from sam_py.tools.runner import ToolRunner
from sam_py.tools.toolbox import Toolbox
from sam_py.transcript.build import build
from tests.agent.conftest import Talk

pytestmark = pytest.mark.anyio


class City(Arguments):
    city: str


class Weather(BuiltinTool[City]):
    name = "weather"
    label = "Weather"
    description = "The weather of a city."
    takes = City

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    def doing(self, arguments: City) -> str:
        return f"Looking up {arguments.city}"

    async def run(self, arguments: City, running: Running) -> ToolOutput:
        self.asked.append(arguments.city)
        await self.gate.wait()
        return ToolOutput(f"Sunny in {arguments.city}.")


class Note(Weather):
    name = "note"
    parallel_safe = False

    def touches(self, arguments: City) -> tuple[Touch, ...]:
        return (Touch("write", f"/papers/{arguments.city}.txt"),)


class Acting(Talk):
    """A conversation whose model has tools."""

    def __init__(self) -> None:
        super().__init__()
        self.weather, self.note = Weather(), Note()
        self.approvals = Approvals()
        self.off: set[str] = set()
        registry = ToolRegistry([self.weather, self.note])
        self.runner = ToolRunner(
            self.bus,
            self.bus.ledger.writer(),
            registry,
            self.approvals,
            save_now=self._save,
            put_attachment=self._put,
        )
        self.session = ChatSession(
            self.bus,
            provider_of=self._provider_of,
            save_now=self._save,
            read_attachment=self._read,
            put_attachment=self._put,
            defaults=ChatSettings(default=ModelChoice(provider="stepped", model="m"), model_titles=False),
            tools=Toolbox(registry, self.runner, lambda name: name not in self.off),
        )
        self.session.subscribe(self.states.append)

    def lines(self) -> list[str]:
        results = [each.output_text for each in self.bus.messages() if isinstance(each, ToolResultMessage)]
        return [f"tool: {results.pop(0)}" if line == "tool: " else line for line in super().lines()]

    def results(self) -> list[tuple[str, str]]:
        return [(each.call_id, each.status) for each in self.bus.messages() if isinstance(each, ToolResultMessage)]


@pytest.fixture
async def acting(anyio_backend: str) -> AsyncIterator[Acting]:
    acting = Acting()
    yield acting
    await acting.session.aclose()
    assert acting.provider.open == 0


def calls(*wanted: tuple[str, str, str], ended: str = "tool_use") -> list[StreamEvent]:
    """A reply that calls tools: id, name, arguments."""
    events: list[StreamEvent] = []
    for call_id, name, arguments in wanted:
        events += [ToolCallStarted(call_id, call_id, name), ToolCallDelta(call_id, arguments)]
    return [*events, Finished(ended)]  # type: ignore[arg-type]


PARIS = ("c1", "weather", '{"city": "Paris"}')
OSLO = ("c2", "weather", '{"city": "Oslo"}')


async def test_the_model_asks_gets_its_results_and_answers(acting: Acting) -> None:
    acting.provider.say("Let me look. ", *calls(PARIS, OSLO))
    acting.provider.answer("Both are sunny.")
    await acting.session.send("How is the weather?")
    assert acting.lines() == [
        "user: How is the weather?",
        "assistant: Let me look. [tool_use]",
        "tool: Sunny in Paris.",
        "tool: Sunny in Oslo.",
        "assistant: Both are sunny. [stop]",
    ]
    first, second = acting.provider.requests
    assert [tool.name for tool in first.tools] == ["note", "weather"]
    told = second.turns[-1]
    assert [(part.call_id, part.text) for part in told.parts if isinstance(part, ToolResultPart)] == [
        ("c1", "Sunny in Paris."),
        ("c2", "Sunny in Oslo."),
    ]
    phases = [state.phase for state in acting.states]
    assert phases.index("acting") < len(phases) - 1 - phases[::-1].index("streaming")
    assert acting.session.state.phase == "idle"


async def test_a_model_that_takes_no_tools_is_told_of_none(acting: Acting) -> None:
    acting.provider.limits = Limits()
    acting.provider.answer("Hello.")
    await acting.session.send("Hi")
    assert acting.provider.requests[0].tools == ()


async def test_a_tool_that_is_switched_off_is_neither_offered_nor_run(acting: Acting) -> None:
    acting.off.add("weather")
    acting.provider.say(*calls(PARIS))
    acting.provider.answer("I cannot.")
    await acting.session.send("Weather?")
    assert [tool.name for tool in acting.provider.requests[0].tools] == ["note"]
    assert acting.weather.asked == []
    assert acting.results() == [("c1", "error")]


async def test_the_state_is_durable_before_a_tool_runs(acting: Acting) -> None:
    acting.disk.clear()
    acting.provider.say(*calls(PARIS))
    acting.provider.answer("Done.")
    sending = asyncio.ensure_future(acting.session.send("Weather?"))
    for _ in range(200):
        await asyncio.sleep(0)
    assert acting.provider.requests == []
    acting.disk.set()
    await sending
    assert acting.weather.asked == ["Paris"]


@pytest.mark.parametrize("ended", ["content_filter", "refusal"])
async def test_calls_of_a_reply_that_was_refused_are_not_run(acting: Acting, ended: str) -> None:
    acting.provider.say("I ", *calls(PARIS, ended=ended))
    await acting.session.send("Weather?")
    assert acting.weather.asked == []
    assert len(acting.provider.requests) == 1


async def test_a_call_that_was_cut_off_is_answered_with_what_was_wrong(acting: Acting) -> None:
    acting.provider.say(*calls(PARIS, ("c2", "weather", '{"ci'), ended="length"))
    acting.provider.answer("Once more.")
    await acting.session.send("Weather?")
    assert acting.results() == [("c1", "success"), ("c2", "error")]
    assert acting.weather.asked == ["Paris"]


async def test_a_stop_while_a_tool_runs_leaves_it_aborted_and_the_session_idle(acting: Acting) -> None:
    acting.weather.gate.clear()
    acting.provider.say(*calls(PARIS))
    sending = asyncio.ensure_future(acting.session.send("Weather?"))
    await acting.until(lambda: acting.weather.asked)
    acting.session.stop()
    assert acting.session.state.phase == "idle"
    assert acting.results() == [("c1", "aborted")]
    await sending
    acting.provider.answer("You stopped me.")
    await acting.session.send("Go on")
    texts = [part.text for turn in acting.provider.requests[-1].turns for part in turn.parts if hasattr(part, "call_id")
             and isinstance(part, ToolResultPart)]  # fmt: skip
    assert texts == ["The person stopped it."]


async def test_a_request_that_fails_after_a_round_shows_its_error_where_it_happened(acting: Acting) -> None:
    acting.provider.say(*calls(PARIS))
    acting.provider.say(ProviderError("The server has a fault. Try again.", code="server"))
    await acting.session.send("Weather?")
    last = acting.bus.tip
    assert last is not None
    assert isinstance(acting.bus.get(last), ToolResultMessage)
    assert acting.bus.error_of(last) is not None
    acting.provider.answer("Sunny.")
    await acting.session.retry()
    assert acting.lines()[-1] == "assistant: Sunny. [stop]"
    assert acting.weather.asked == ["Paris"]  # what was done is not done again


async def test_a_model_that_calls_for_ever_is_stopped_and_may_be_let_on(acting: Acting) -> None:
    for number in range(MAX_ROUNDS):
        acting.provider.say(*calls((f"c{number}", "weather", '{"city": "Paris"}')))
    await acting.session.send("Weather?")
    assert len(acting.provider.requests) == MAX_ROUNDS
    tip = acting.bus.tip
    assert tip is not None
    error = acting.bus.error_of(tip)
    assert error is not None
    assert error.code == "too_many_rounds"
    acting.provider.answer("Enough.")
    await acting.session.retry()
    assert acting.lines()[-1] == "assistant: Enough. [stop]"


async def test_what_is_queued_goes_out_after_the_last_round(acting: Acting) -> None:
    acting.weather.gate.clear()
    acting.provider.say(*calls(PARIS))
    sending = asyncio.ensure_future(acting.session.send("Weather?"))
    await acting.until(lambda: acting.weather.asked)
    await acting.session.send("And thank you")
    acting.provider.answer("Sunny.")
    acting.provider.answer("You are welcome.")
    acting.weather.gate.set()
    await sending
    assert acting.lines()[-3:] == [
        "assistant: Sunny. [stop]",
        "user: And thank you",
        "assistant: You are welcome. [stop]",
    ]


async def test_a_second_answer_asks_its_tools_anew(acting: Acting) -> None:
    acting.provider.say(*calls(PARIS))
    acting.provider.answer("Sunny.")
    await acting.session.send("Weather?")
    first = next(each for each in acting.bus.messages() if isinstance(each, AssistantMessage))
    acting.provider.say(*calls(("c9", "weather", '{"city": "Rome"}')))
    acting.provider.answer("Sunny in Rome.")
    await acting.session.regenerate(first.id)
    assert acting.lines()[-1] == "assistant: Sunny in Rome. [stop]"
    assert acting.weather.asked == ["Paris", "Rome"]


@pytest.mark.parametrize("seed", range(150))
async def test_a_stop_at_any_instant_leaves_a_history_that_can_be_sent(acting: Acting, seed: int) -> None:
    chance = random.Random(seed)
    for turn in range(3):
        for round_ in range(chance.randrange(3)):
            wanted = [
                (
                    f"c{turn}_{round_}_{number}",
                    chance.choice(("weather", "note", "nothing")),
                    chance.choice(('{"city": "Paris"}', "{", "", '{"city": 7}')),
                )
                for number in range(chance.randrange(1, 5))
            ]
            acting.provider.say(*(["Let me see. "] if chance.random() < 0.5 else []), *calls(*wanted))
        acting.provider.answer("That is all.")
        sending = asyncio.ensure_future(acting.session.send(f"Question {turn}"))
        for _ in range(1 + chance.randrange(120)):  # at least until it is asked
            await asyncio.sleep(0)
            for question in acting.approvals.questions:
                if chance.random() < 0.3:
                    answer = chance.choice(("once", "deny", "conversation"))
                    acting.approvals.answer(question.call_id, question.conversation_id, answer)
        acting.session.stop()
        assert acting.session.state.phase == "idle"
        await sending
        acting.provider.forget()
        await acting.until(lambda: acting.provider.open == 0)
        assert not acting.bus.ledger.open_calls
        messages = acting.bus.messages()
        made = [part.call_id for each in messages for part in each.parts if isinstance(part, ToolCallPart)]
        answered = [call_id for call_id, _status in acting.results()]
        assert len(answered) == len(set(answered))
        assert set(answered) <= set(made)
        transcript = build(list(messages), acting.bus.ledger, limits=acting.provider.limits)
        assert_valid(transcript.turns)


def assert_valid(turns: object) -> None:
    """Sides alternate, and each call has exactly one result in the next turn, in its order."""
    assert isinstance(turns, tuple)
    due: list[str] = []
    for place, turn in enumerate(turns):
        assert turn.role == ("user" if place % 2 == 0 else "assistant")
        results = [part.call_id for part in turn.parts if isinstance(part, ToolResultPart)]
        assert results == due
        due = [part.call_id for part in turn.parts if isinstance(part, ToolCallPart)]
    assert due == []


async def test_a_reply_whose_calls_ended_with_the_program_is_gone_on_with_and_kept(acting: Acting) -> None:
    said = acting.bus.add_user_message("Weather?")
    acting.bus.insert(
        AssistantMessage(
            parent_id=said.id,
            parts=(ToolCallPart(call_id="c1", tool_name="weather", arguments_json="{}"),),
            stop_reason="tool_use",
        )
    )
    acting.provider.answer("It could not be looked up.")
    await acting.session.retry()
    assert [message.role for message in acting.bus.messages()] == ["user", "assistant", "assistant"]
    (result,) = [part for part in acting.provider.requests[-1].turns[-1].parts if isinstance(part, ToolResultPart)]
    assert result.call_id == "c1"
    assert acting.weather.asked == []


@pytest.mark.parametrize("who", ["the person", "another computer"])
async def test_a_reply_that_is_deleted_while_its_tool_runs_leaves_other_branches_alone(
    acting: Acting, who: str
) -> None:
    acting.provider.answer("Hello.")
    await acting.session.send("Hi")
    first = acting.bus.path[0]
    shown = acting.lines()
    acting.weather.gate.clear()
    acting.provider.say("Let me look.", *calls(PARIS))
    acting.provider.answer("It is sunny.")
    sending = asyncio.ensure_future(acting.session.edit_and_resend(first, "Weather?"))
    await acting.until(lambda: acting.weather.asked)
    reply = acting.bus.tip
    assert reply is not None
    (acting.session if who == "the person" else acting.bus).remove(reply)
    acting.session.select_branch(first)
    acting.weather.gate.set()
    await sending
    assert acting.lines() == shown
    assert acting.session.state.phase == "idle"
    assert len(acting.provider.requests) == 2
    acting.provider.forget()
