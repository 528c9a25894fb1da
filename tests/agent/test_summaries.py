"""Summaries: what the model is asked, what they stand for, and that nothing is lost by them."""

from __future__ import annotations

import asyncio

import pytest

from sam_py.agent.summaries import coverable, originals_of, reworded, summary_message, told, words_of
from sam_py.bus.message_bus import ROOT
from sam_py.errors import SamError
from sam_py.messages.message import DeveloperMessage, Message
from sam_py.messages.turn import Limits
from sam_py.providers.base import Finished
from sam_py.providers.errors import ProviderError
from tests.agent.conftest import Talk
from tests.agent.test_context_of_requests import long_talk, texts

pytestmark = pytest.mark.anyio


async def test_a_summary_is_sent_in_place_of_what_it_covers_and_nothing_is_lost(talk: Talk) -> None:
    long_talk(talk.bus, 8)
    path = talk.bus.path
    talk.provider.answer("They asked eight times.")
    summary_id = await talk.session.summarise()
    asked = texts(talk.provider.requests[-1])[0]
    assert "User: Question 0" in asked
    assert "Question 7" not in asked
    summary = talk.bus.get(summary_id)
    assert isinstance(summary, DeveloperMessage)
    assert summary.covers == path[:10]
    assert talk.bus.path == (*path[:10], summary_id, *path[10:])
    talk.provider.answer("Fine")
    await talk.session.send("And now?")
    sent = texts(talk.provider.requests[-1])
    assert "They asked eight times." in sent[0]
    assert sent[1] == "Question 5"
    assert len([text for text in sent if "They asked" in text]) == 1
    plan = talk.session.context.plan
    assert plan is not None
    assert [fate.fate for fate in plan.fates[:10]] == ["summarised"] * 10
    talk.session.remove(summary_id)
    talk.provider.answer("Fine")
    await talk.session.send("And then?")
    assert texts(talk.provider.requests[-1])[0] == "Question 0"


async def test_a_summary_waits_for_the_reply_that_streams(talk: Talk) -> None:
    long_talk(talk.bus, 8)
    task = await talk.streaming("Half")
    asking = asyncio.get_running_loop().create_task(talk.session.summarise(talk.bus.path[:4]))
    talk.provider.answer("Short.")  # whoever takes it: one stream has one queue
    talk.provider.say(" more", Finished("stop"))
    await task
    await asking
    roles = [message.role for message in talk.bus.messages()]
    assert roles.index("developer") == 4
    assert roles[-1] == "assistant"


async def test_what_no_longer_fits_is_summarised_by_itself_only_where_that_is_wanted(talk: Talk) -> None:
    long_talk(talk.bus, 30)
    talk.provider.limits = Limits(context_tokens=2500, output_tokens=200)
    talk.provider.answer("Fine")
    await talk.session.send("And now?")
    assert len(talk.provider.requests) == 1
    talk.session.defaults = talk.session.defaults.model_copy(update={"auto_summary": True})
    first, other = talk.bus.path[0], talk.bus.add_user_message("Something else", parent_id=ROOT)
    talk.session.select_branch(first)
    task = await talk.streaming("Fi", said="And elsewhere?")
    talk.session.select_branch(other.id)  # on which nothing is too long
    talk.provider.answer("ne")
    await task
    assert not any(state.is_summarising or state.summary_trouble for state in talk.states)
    talk.session.select_branch(first)
    talk.provider.answer("Fine")
    talk.provider.answer("In short: words.")
    await talk.session.send("And then?")
    await talk.until(lambda: any(message.role == "developer" for message in talk.bus.messages()))
    assert len(talk.provider.requests) == 4


async def test_with_nothing_to_summarise_nobody_is_asked(talk: Talk) -> None:
    long_talk(talk.bus, 2)
    with pytest.raises(SamError, match="nothing to summarise"):
        await talk.session.summarise()
    assert not talk.provider.requests


def test_pins_and_marks_are_never_covered_and_summaries_may_be(talk: Talk) -> None:
    long_talk(talk.bus, 8)
    talk.bus.annotate(talk.bus.path[0], pinned=True)
    talk.bus.annotate(talk.bus.path[1], context="keep")
    messages: list[Message] = list(talk.bus.messages())
    old = DeveloperMessage(covers=(messages[2].id,))
    covered = [message.id for message in coverable([*messages[:4], old, *messages[4:]])]
    assert covered[:2] == [messages[3].id, old.id]
    silent = old.model_copy(update={"context": "never"})
    again = [message.id for message in coverable([*messages[:4], silent, *messages[4:]])]
    assert again[:3] == [message.id for message in messages[2:5]]


def test_what_is_told_to_the_model_keeps_the_important_longest(talk: Talk) -> None:
    long_talk(talk.bus, 20)
    talk.bus.annotate(talk.bus.path[3], importance=0.95)
    text = told(list(talk.bus.messages()), 2_000)
    assert len(text) <= 2_100
    assert "Assistant (important): Answer 1." in text
    assert "Answer 0." not in text


async def test_the_state_tells_of_a_summary_and_it_can_be_stopped(talk: Talk) -> None:
    long_talk(talk.bus, 8)
    before = talk.bus.path
    asking = asyncio.get_running_loop().create_task(talk.session.summarise())
    await talk.until(lambda: talk.provider.requests)
    assert talk.session.state.is_summarising
    with pytest.raises(SamError, match="already"):
        await talk.session.summarise()
    assert talk.session.state.is_summarising
    talk.session.stop_summarising()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not talk.session.state.is_summarising
    assert not talk.session.state.summary_trouble
    assert talk.bus.path == before
    talk.provider.answer("")
    with pytest.raises(SamError, match="empty"):
        await talk.session.summarise()
    assert "empty" in talk.session.state.summary_trouble
    talk.provider.answer("In short: words.")
    summary = talk.bus.get(await talk.session.summarise())
    assert not talk.session.state.summary_trouble
    assert isinstance(summary, DeveloperMessage)
    assert (summary.provider, summary.model) == ("stepped", "m")


async def test_a_summary_that_is_written_anew_still_says_what_it_is(talk: Talk) -> None:
    long_talk(talk.bus, 8)
    talk.provider.answer("They asked.")
    summary = talk.bus.get(await talk.session.summarise())
    assert isinstance(summary, DeveloperMessage)
    assert words_of(summary) == "They asked."
    again = reworded(summary, " They asked eight times. ")
    assert again.text == "Summary of 10 earlier messages:\n\nThey asked eight times."
    assert again.covers == summary.covers
    with pytest.raises(SamError, match="stand for nothing"):
        reworded(summary, " ")
    wider = summary_message("All of it.", [again, *list(talk.bus.messages())[11:13]], None)
    assert originals_of(reworded(wider, "Nearly all.")) == 12
    assert set(again.covers) < set(wider.covers)


async def test_the_guide_is_not_asked_for_a_summary(talk: Talk) -> None:
    long_talk(talk.bus, 8)
    talk.session.set_model("guide", "guide")
    with pytest.raises(SamError, match="Choose a model"):
        await talk.session.summarise()


async def test_where_all_is_too_long_for_the_model_less_of_it_is_told(talk: Talk) -> None:
    long_talk(talk.bus, 40)
    refusal = ProviderError("Too long.", code="too_long", window_tokens=2048, prompt_tokens=8000)
    talk.provider.say(refusal)
    talk.provider.answer("In short: words.")
    await talk.session.summarise()
    first, second = (len(texts(request)[0]) for request in talk.provider.requests[-2:])
    assert second < first * 0.25
    assert talk.provider.requests[-1].max_tokens == 512
    talk.bus.remove(next(message.id for message in talk.bus.messages() if message.role == "developer"))
    for _ in range(9):
        talk.provider.say(refusal)
    with pytest.raises(SamError, match="Too long"):
        await talk.session.summarise()
