"""What a session's requests hold when a conversation is long, what they remind of, and what a look at them shows."""

from __future__ import annotations

import json

import pytest

from sam_py.agent.session import ChatSession
from sam_py.bus.deltas import Recorded
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import FilePart, TextPart
from sam_py.messages.turn import Limits
from sam_py.messages.usage import Usage
from sam_py.providers.base import ChatRequest, Finished, UsageReported
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.wire import Account
from sam_py.reminders.order import Reminders
from sam_py.settings.model import ChatSettings, ModelChoice
from tests.agent.conftest import Talk
from tests.fakes.fault_server import FaultServer, Reply

pytestmark = pytest.mark.anyio

WORDS = "some plain words that go on for a while "
SECRET = "a reminder that nobody may find on the disk"


def long_talk(bus: MessageBus, turns: int) -> None:
    """A conversation of questions that are pinned nowhere, and answers of about 80 tokens."""
    for number in range(turns):
        bus.add_user_message(f"Question {number}", pinned=False)
        parts = (TextPart(text=f"Answer {number}. {WORDS * 10}"),)
        bus.add(AssistantMessage(parent_id=bus.tip, parts=parts, stop_reason="stop", provider="stepped", model="m"))


def texts(request: ChatRequest) -> list[str]:
    return [part.text for turn in request.turns for part in turn.parts if isinstance(part, TextPart)]


async def test_a_request_holds_no_more_than_the_window_and_the_plan_says_why(talk: Talk) -> None:
    long_talk(talk.bus, 30)
    talk.provider.limits = Limits(context_tokens=1500, output_tokens=200)
    talk.provider.answer("Fine")
    await talk.session.send("And now?")
    plan = talk.session.context.plan
    assert plan is not None
    assert plan.tokens <= 1300
    assert len(plan.left_out) > 10
    sent = texts(talk.provider.requests[-1])
    assert sent[-1] == "And now?"
    assert any(text.startswith("Answer 29") for text in sent)
    assert not any(text.startswith("Answer 0.") for text in sent)


async def test_without_a_known_window_a_settings_limit_counts(talk: Talk) -> None:
    long_talk(talk.bus, 30)
    talk.session.defaults = talk.session.defaults.model_copy(update={"context_tokens": 2048})
    talk.provider.answer("Fine")
    await talk.session.send("And now?")
    assert talk.session.context.plan is not None
    assert talk.session.context.plan.tokens <= 2048


@pytest.mark.parametrize("numbers", [{"window_tokens": 1200, "prompt_tokens": 2900}, {"window_tokens": 1200}, {}])
async def test_a_request_that_is_too_long_is_made_shorter_and_sent_once_more(
    talk: Talk, numbers: dict[str, int]
) -> None:
    long_talk(talk.bus, 30)
    talk.provider.say(ProviderError("Too long.", code="too_long", retryable=False, **numbers))  # type: ignore[arg-type]
    talk.provider.answer("Fine")
    await talk.session.send("And now?")
    first, second = talk.provider.requests
    assert len(texts(second)) < len(texts(first))
    assert talk.lines()[-1] == "assistant: Fine [stop]"
    assert not [delta for delta in talk.deltas if isinstance(delta, Recorded) and delta.event.event == "error_occurred"]


async def test_what_is_too_long_twice_or_cannot_be_shorter_is_shown(talk: Talk) -> None:
    too_long = ProviderError("Too long.", code="too_long", retryable=False)
    talk.provider.say(too_long)
    await talk.session.send("Alone")
    assert len(talk.provider.requests) == 1
    long_talk(talk.bus, 30)
    talk.provider.say(too_long, too_long)
    await talk.session.send("And now?")
    assert len(talk.provider.requests) == 3
    assert talk.bus.error_of(talk.bus.tip) is not None


async def test_what_a_model_counts_is_learned_from_its_replies(talk: Talk) -> None:
    long_talk(talk.bus, 20)
    talk.provider.say("Fine", UsageReported(Usage(input_tokens=9_000)), Finished("stop"))
    await talk.session.send("And now?")
    preview = await talk.session.preview("Next?")
    assert preview.prepared.plan.tokens >= 4_000


async def test_a_reminder_opens_the_last_question_and_leaves_a_receipt_alone(talk: Talk) -> None:
    session = reminding(talk)
    talk.provider.answer("Fine")
    await session.send("And now?")
    assert texts(talk.provider.requests[-1]) == [
        f"<system-reminder>\n<todoList>{SECRET}</todoList>\n</system-reminder>",
        "And now?",
    ]
    reply = talk.bus.at(1)
    assert isinstance(reply, AssistantMessage)
    (receipt,) = reply.reminders
    assert (receipt.kind, receipt.tokens > 5) == ("todo_list", True)
    stored = [delta.event.model_dump_json() for delta in talk.deltas if isinstance(delta, Recorded)]
    assert stored
    assert not [line for line in stored if SECRET in line]
    await session.aclose()


@pytest.mark.parametrize("cut", [1, 7, 1000])
async def test_what_a_model_repeats_of_a_reminder_is_never_shown(talk: Talk, cut: int) -> None:
    session = reminding(talk)
    said = f"<system-reminder>\n<todoList>{SECRET}</todoList>\n</system-reminder>\nIt is x < y."
    talk.provider.say(*(said[start : start + cut] for start in range(0, len(said), cut)), Finished("stop"))
    await session.send("And now?")
    assert talk.bus.at(1).text == "It is x < y."
    await session.aclose()


async def test_what_was_held_back_is_kept_when_a_reply_is_stopped(talk: Talk) -> None:
    task = await talk.streaming("It is a <system")
    await talk.until(lambda: talk.provider.open)
    talk.session.stop()
    await task
    assert talk.bus.at(1).text == "It is a <system"


def reminding(talk: Talk) -> ChatSession:
    return ChatSession(
        talk.bus,
        provider_of=lambda _id: talk.provider,
        save_now=talk._save,
        read_attachment=talk._read,
        defaults=talk.session.defaults,
        reminders=Reminders(todo_list=lambda _bus, _messages: f"<todoList>{SECRET}</todoList>"),
    )


async def test_a_look_at_a_request_shows_the_bytes_that_then_travel(talk: Talk) -> None:
    async def no_key(_id: str) -> None:
        return None

    long_talk(talk.bus, 30)
    talk.attachments["h1"] = b"a,b\n1,2\n"
    file = FilePart(attachment="h1", filename="t.csv", mime_type="text/csv", size=8)
    async with FaultServer(Reply("Fine")) as server:
        http = Http()
        account = Account("local", "Local", server.base_url, extra_body={"seed": 7})
        provider = OpenAIChatProvider(account, http=http, key_of=no_key)
        session = ChatSession(
            talk.bus,
            provider_of=lambda _id: provider,
            save_now=talk._save,
            read_attachment=talk._read,
            defaults=ChatSettings(
                default=ModelChoice(provider="local", model="m"),
                model_titles=False,
                context_tokens=2048,
                temperature=0.5,
            ),
            reminders=Reminders(todo_list=lambda _bus, _messages: "<todoList>one</todoList>"),
        )
        for text, parts in (("And now, über alles?", (file,)), ("Again?", ())):
            before = [talk.bus.path, session.context.plan]
            preview = await session.preview(text, parts)
            assert [talk.bus.path, session.context.plan] == before
            await session.send(text, parts)
            assert preview.body == server.requests[-1].raw
            assert json.loads(preview.body)["seed"] == 7
            assert preview.prepared.plan.left_out
        await session.aclose()
        await http.aclose()


async def test_a_conversation_may_have_a_limit_of_its_own(talk: Talk) -> None:
    assert talk.session.window is None
    talk.session.defaults = talk.session.defaults.model_copy(update={"context_tokens": 4000})
    assert talk.session.window == 4000
    talk.bus.change_setting("context_tokens", 9000)
    assert talk.session.window == 9000
    talk.provider.limits = Limits(context_tokens=2500)
    assert talk.session.window == 2500
