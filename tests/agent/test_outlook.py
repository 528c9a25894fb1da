"""The outlook: what the next request would hold, told before it is built, and the same as what then goes out."""

from __future__ import annotations

import pytest

from sam_py.agent.outlook import _shares
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits
from sam_py.transcript.plan import MessageFate, Plan, Room
from tests.agent.conftest import Talk

pytestmark = pytest.mark.anyio


def say_much(talk: Talk, turns: int = 30) -> None:
    for number in range(turns):
        talk.bus.add_user_message(f"Question {number}", pinned=number < 2)
        parts = (TextPart(text=f"Answer {number}. " + "some plain words that go on for a while " * 10),)
        talk.bus.add(AssistantMessage(parent_id=talk.bus.tip, parts=parts, stop_reason="stop"))


async def test_an_outlook_names_the_fates_that_the_request_then_has(talk: Talk) -> None:
    say_much(talk)
    talk.provider.limits = Limits(context_tokens=1500, output_tokens=200)
    before = await talk.session.outlook("And now?")
    assert talk.session.context.plan is None
    talk.provider.answer("Fine")
    await talk.session.send("And now?")
    sent = talk.session.context.plan
    assert sent is not None
    assert before.plan.fates[:-1] == sent.fates[:-1]
    assert before.draft is not None
    assert before.draft.text == "And now?"
    assert before.plan.tokens == sent.tokens


async def test_the_shares_are_together_the_window(talk: Talk) -> None:
    say_much(talk)
    talk.bus.change_setting("system_prompt", "Be brief, and kind.")
    talk.provider.limits = Limits(context_tokens=1500, output_tokens=200)
    look = await talk.session.outlook("And now?")
    shares = look.shares
    assert shares.window == 1500
    assert shares.sent == look.plan.tokens
    assert shares.sent + shares.reserve + shares.free == 1500
    assert shares.system > 0
    assert shares.pinned == sum(fate.tokens for fate in look.plan.fates if fate.reason == "pinned")
    assert shares.left_out == sum(fate.whole_tokens for fate in look.plan.fates if fate.fate == "left_out")


@pytest.mark.parametrize("offset", [-700.0, 60.0])
def test_what_a_service_takes_or_adds_beside_the_words_makes_no_share_negative(offset: float) -> None:
    fates = (MessageFate("a", "sent", "fits", 80, 80), MessageFate("b", "sent", "pinned", 40, 40))
    for tools in (0.0, 500.0):
        whole = max(0, round(120 + 30 + 20 + tools + offset))
        shares = _shares(Plan(fates=fates, tokens=whole), Room(2000, 200, 50 + tools, 1.0, offset), 30.0, tools, 20.0)
        assert min(shares.system, shares.tools, shares.reminders, shares.pinned, shares.kept, shares.free) >= 0
        if offset > 0:
            assert shares.sent == whole


async def test_an_empty_conversation_with_an_unknown_window_has_an_outlook_too(talk: Talk) -> None:
    look = await talk.session.outlook()
    assert (look.plan.fates, look.draft, look.shares.window, look.shares.free) == ((), None, None, 0)


async def test_what_is_said_in_place_of_an_earlier_message_stands_below_its_parent(talk: Talk) -> None:
    say_much(talk, turns=3)
    second = talk.bus.id_at(2)
    look = await talk.session.outlook("Another second", instead_of=second)
    assert look.draft is not None
    assert [fate.message_id for fate in look.plan.fates] == [talk.bus.id_at(0), talk.bus.id_at(1), look.draft.id]
    shown = await talk.session.preview("Another first", instead_of=talk.bus.id_at(0))
    assert [len(turn.parts) for turn in shown.prepared.request.turns] == [1]
    reply = await talk.session.outlook("A better reply", instead_of=talk.bus.id_at(1))
    assert (reply.draft, len(reply.plan.fates), reply.pinned) == (None, 6, (talk.bus.id_at(0), second))
