"""What a session asks when tools are in the history: the ledger's word, its own thinking alone, ids told apart."""

from __future__ import annotations

import pytest

from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.parts import Part, TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import ToolResultPart
from sam_py.providers.base import Finished, StreamEvent, ToolCallStarted
from tests.agent.conftest import Talk

pytestmark = pytest.mark.anyio


def replied(talk: Talk, *parts: Part, provider: str = "stepped") -> None:
    talk.bus.add(
        AssistantMessage(parent_id=talk.bus.tip, parts=parts, stop_reason="tool_use", provider=provider, model="m")
    )


def call(call_id: str) -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="read", arguments_json="{}")


async def asked(talk: Talk, *events: StreamEvent) -> list[Part | ToolResultPart]:
    """All parts of the request that the next message makes."""
    task = await talk.streaming("Fine", said="And now?")
    talk.provider.say(*events, Finished("stop"))
    await task
    return [part for turn in talk.provider.requests[-1].turns for part in turn.parts]


async def test_a_request_says_of_calls_what_the_ledger_says(talk: Talk) -> None:
    talk.bus.add_user_message("Go")
    replied(talk, call("a"))
    talk.bus.ledger.writer().record("a", "aborted", reason="the person stopped it")
    (result,) = [part for part in await asked(talk) if isinstance(part, ToolResultPart)]
    assert (result.status, "the person stopped it" in result.text) == ("aborted", True)


async def test_a_request_holds_no_thinking_of_another_provider(talk: Talk) -> None:
    talk.bus.add_user_message("Go")
    for provider in ("other", "stepped"):
        signed = ThinkingSignaturePart(signature=f"of {provider}", provider=provider, model="m")
        replied(talk, ThinkingTextPart(text="Hm"), signed, TextPart(text="a"), provider=provider)
        talk.bus.add_user_message("b")
    parts = await asked(talk)
    assert [part.signature for part in parts if isinstance(part, ThinkingSignaturePart)] == ["of stepped"]


async def test_an_id_that_the_server_uses_again_is_told_apart_in_the_history(talk: Talk) -> None:
    talk.bus.add_user_message("Go")
    replied(talk, call("call_0"))
    talk.bus.add(
        ToolResultMessage(parent_id=talk.bus.tip, call_id="call_0", tool_name="read", status="success", output_text="1")
    )
    talk.bus.ledger.writer().record("call_1", "success")  # of another branch
    started = [ToolCallStarted(key, f"call_{key}", "read") for key in ("0", "1")]
    await asked(talk, *started, started[0])
    reply = talk.bus.at(len(talk.bus) - 1)
    assert [made.call_id for made in reply.tool_calls] == ["call_0_2", "call_1_2"]
