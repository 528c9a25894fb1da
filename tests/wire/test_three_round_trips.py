"""Three round trips on every wire: from typed text, through calls and results, to the final history.

The scenario of the tool ledger: the model thinks and reads a file, thinks and changes three at once, thinks and
tells. Real session, bus, ledger, transcript and provider; the service is a stream that we wrote.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest

from sam_py.agent.session import ChatSession
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest
from sam_py.providers.registry import _speaking
from sam_py.providers.wire import Account, WireProvider
from sam_py.settings.model import ChatSettings, ModelChoice
from sam_py.transcript.build import build
from tests.fakes.replayed_http import ReplayedHttp
from tests.wire.judge import judge
from tests.wire.streams import SIGNS, STREAMS, Answer
from tests.wire.wires import NAMES, WIRES, Wire, wire_of

TYPED = "hi let's go edit a bunch of files by hand"
ANSWERS = [
    Answer(1, "The person wants files changed, so first I read.", calls=[("read_file", {"path": "foo.ts"})]),
    Answer(
        2,
        "That is interesting, all three change at once.",
        calls=[("replace", {"path": f"{name}.ts", "text": "ünï"}) for name in ("foo", "bar", "baz")],
    ),
    Answer(3, "It is done, so I tell.", text="I changed all three files. 🎉"),
]
RESULTS = [["content of foo"], ["foo done", "bar done", "baz done"]]
LIMITS = Limits(images=True, pdfs=True, tools=True, thinking=True)
SPOKEN = [(wire, service) for wire, service in STREAMS if wire in NAMES]


class Story:
    """One conversation over one wire, up to its end."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.model = wire.models[0]
        self.http = ReplayedHttp([STREAMS[wire.name, wire.service](answer) for answer in ANSWERS])
        self.bus = MessageBus("talk")
        self.writer = self.bus.ledger.writer()
        account = Account(id="mine", label="Mine", base_url="https://example.org/v1", preset=wire.service)
        self.provider: WireProvider = _speaking(wire.name)(account, http=self.http, key_of=_no_key)  # type: ignore[arg-type]
        self.provider._limits[self.model] = LIMITS
        self.session = ChatSession(
            self.bus,
            provider_of=lambda _id: self.provider,
            save_now=_nothing,
            read_attachment=_no_attachment,
            defaults=ChatSettings(
                default=ModelChoice(provider="mine", model=self.model), system_prompt="Be kind.", model_titles=False
            ),
        )

    async def tell(self) -> None:
        await self.session.send(TYPED)
        for texts in RESULTS:
            reply = self.bus.at(len(self.bus) - 1)
            assert isinstance(reply, AssistantMessage)
            assert reply.stop_reason == "tool_use", self.bus.error_of(reply.id)
            self._run_tools(reply, texts)
            await self.session.retry()
        await self.session.aclose()

    def _run_tools(self, reply: AssistantMessage, texts: list[str]) -> None:
        """What the scheduler does: each call through its states, results in the order in which they come."""
        for call in reply.tool_calls:
            self.writer.record(call.call_id, "scheduled", tool_name=call.tool_name)
            self.writer.record(call.call_id, "running")
        for call, text in reversed(list(zip(reply.tool_calls, texts, strict=True))):
            result = ToolResultMessage(
                parent_id=self.bus.tip,
                call_id=call.call_id,
                tool_name=call.tool_name,
                status="success",
                output_text=text,
            )
            self.bus.add(result)
            self.writer.record(call.call_id, "success", result_id=result.id)


async def _no_key(_id: str) -> str | None:
    return "key"


async def _nothing() -> None:
    return None


async def _no_attachment(attachment: str) -> bytes:
    raise FileNotFoundError(attachment)


def told(wire: Wire) -> Story:
    async def run() -> Story:
        story = Story(wire)
        await story.tell()
        return story

    return asyncio.run(run())


def faults(story: Story, body: dict[str, Any]) -> list[str]:
    return [str(fault) for fault in judge(story.wire.name, body, story.wire.service, model=story.model)]


@pytest.mark.parametrize(("wire", "service"), SPOKEN)
def test_three_round_trips_from_typed_text_to_final_history(wire: str, service: str) -> None:
    story = told(wire_of(wire, service))
    first, second, third = story.http.bodies
    for body in (first, second, third):
        assert faults(story, body) == []
        assert "Be kind." in json.dumps(body)
    sent = [json.dumps(body, ensure_ascii=False) for body in (first, second, third)]
    assert [TYPED in text for text in sent] == [True, True, True]
    assert ["content of foo" in text for text in sent] == [False, True, True]
    assert ["bar done" in text for text in sent] == [False, False, True]
    assert sent[2].index("foo done") < sent[2].index("bar done") < sent[2].index("baz done")  # in call order
    if (wire, service) in SIGNS:
        assert [[answer.signature in text for text in sent] for answer in ANSWERS[:2]] == [
            [False, True, True],
            [False, False, True],
        ]
    else:  # thinking goes back as the text that it is
        assert [ANSWERS[0].thinking in text for text in sent] == [False, True, True]

    history = list(story.bus.messages())
    assert [message.role for message in history] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        *["tool"] * 3,
        "assistant",
    ]
    assert history[0].text == TYPED
    replies = [message for message in history if isinstance(message, AssistantMessage)]
    assert [reply.thinking for reply in replies] == [answer.thinking for answer in ANSWERS]
    assert [reply.stop_reason for reply in replies] == ["tool_use", "tool_use", "stop"]
    assert [[(call.tool_name, json.loads(call.arguments_json)) for call in reply.tool_calls] for reply in replies] == [
        list(answer.calls) for answer in ANSWERS
    ]
    assert replies[-1].text == ANSWERS[-1].text
    assert replies[-1].usage is not None
    called = [call.call_id for reply in replies for call in reply.tool_calls]
    assert {call_id: entry.state for call_id, entry in story.bus.ledger.items()} == dict.fromkeys(called, "success")
    assert len(set(called)) == 4


@pytest.mark.parametrize(("wire", "service"), SPOKEN)
def test_the_requests_of_one_talk_begin_alike(wire: str, service: str) -> None:
    """Prompt caches live from it: what was sent is sent again as it was, but for the marks of the cache."""
    story = told(wire_of(wire, service))
    key = {"openai_responses": "input", "gemini": "contents"}.get(wire, "messages")
    plain = [_without_marks(body[key]) for body in story.http.bodies]
    for before, after in itertools.pairwise(plain):
        assert after[: len(before)] == before


def _without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_marks(inner) for key, inner in value.items() if key != "cache_control"}
    return [_without_marks(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("wire", "service"), SPOKEN)
@pytest.mark.parametrize("other", WIRES, ids=str)
def test_after_a_switch_any_provider_takes_the_history_and_none_of_the_thinking(
    wire: str, service: str, other: Wire
) -> None:
    story = _told_once(wire, service)
    for model in other.models:
        transcript = build(list(story.bus.messages()), story.bus.ledger, limits=LIMITS, provider="another", model=model)
        body = other.build_body(
            ChatRequest(model=model, turns=transcript.turns, provider="another", system="Be kind.", limits=LIMITS)
        )
        assert [str(fault) for fault in judge(other.name, body, other.service, model=model)] == []
        text = json.dumps(body, ensure_ascii=False)
        assert all(answer.signature not in text and answer.thinking not in text for answer in ANSWERS)
        assert all(said in text for said in (TYPED, "content of foo", "baz done", ANSWERS[2].text, "And now you?"))


_STORIES: dict[tuple[str, str], Story] = {}


def _told_once(wire: str, service: str) -> Story:
    if (wire, service) not in _STORIES:
        _STORIES[wire, service] = told(wire_of(wire, service))
        _STORIES[wire, service].bus.add_user_message("And now you?")
    return _STORIES[wire, service]
