"""ChatSession: retry, regenerate, continue, edit, branches, the choice of the model, attachments."""

from __future__ import annotations

import asyncio

import pytest

from sam_py.agent.prompt import CONTINUE
from sam_py.errors import SamError
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import FilePart, ImagePart, TextPart
from sam_py.providers.base import (
    Finished,
)
from sam_py.providers.errors import ProviderError
from tests.agent.conftest import Talk

pytestmark = pytest.mark.anyio


# Retry, regenerate, continue, edit


async def test_retrying_a_broken_reply_makes_a_sibling(talk: Talk) -> None:
    talk.provider.say("Half", ProviderError("Cut off.", code="cut_off"))
    await talk.session.send("Hi")
    broken = talk.bus.path[1]
    talk.provider.answer("Whole")
    await talk.session.retry()
    assert talk.lines() == ["user: Hi", "assistant: Whole [stop]"]
    assert talk.bus.siblings(talk.bus.path[1]) == (broken, talk.bus.path[1])


async def test_retrying_a_question_in_the_middle_answers_it_again(talk: Talk) -> None:
    for text in ("one", "two"):
        talk.provider.answer(f"answer {text}")
        await talk.session.send(text)
    talk.provider.answer("answer one, again")
    await talk.session.retry(talk.bus.path[0])
    assert talk.lines() == ["user: one", "assistant: answer one, again [stop]"]


async def test_regenerating_makes_a_sibling_and_shows_the_model_only_what_came_before(talk: Talk) -> None:
    for text in ("one", "two"):
        talk.provider.answer(f"answer {text}")
        await talk.session.send(text)
    first = talk.bus.path[1]
    talk.provider.answer("another answer")
    await talk.session.regenerate(first)
    assert talk.lines() == ["user: one", "assistant: another answer [stop]"]
    assert len(talk.provider.requests[-1].turns) == 1
    talk.session.select_branch(first)
    assert len(talk.bus) == 4


async def test_a_regeneration_that_never_came_shows_the_old_reply_with_the_error(talk: Talk) -> None:
    talk.provider.answer("first")
    await talk.session.send("Hi")
    first = talk.bus.path[1]
    talk.provider.answer("second")
    await talk.session.regenerate(first)
    talk.session.select_branch(first)
    talk.provider.say(ProviderError("Too many requests.", code="rate_limited"))
    await talk.session.regenerate(first)
    assert talk.bus.path[1] == first
    error = talk.bus.error_of(first)
    assert error is not None
    assert error.code == "rate_limited"
    talk.provider.answer("third")
    await talk.session.retry()
    assert talk.lines()[1] == "assistant: third [stop]"
    assert talk.bus.error_of(first) is None


async def test_a_reply_whose_question_was_deleted_is_not_asked_for_again(talk: Talk) -> None:
    for word in ("one", "two"):
        talk.provider.answer(f"reply {word}")
        await talk.session.send(word)
    talk.session.remove(talk.bus.path[2])
    reply = talk.bus.path[2]
    await talk.session.regenerate(reply)
    assert len(talk.provider.requests) == 2
    assert talk.lines()[-1] == "assistant: reply two [stop]"
    error = talk.bus.error_of(reply)
    assert error is not None
    assert "write a message" in error.text


async def test_regenerating_a_reply_that_streams_stops_it_first(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    reply = talk.bus.path[1]
    talk.provider.answer("Anew")
    await talk.session.regenerate(reply)
    await asking
    assert [talk.bus.get(each).text for each in talk.bus.siblings(reply)] == ["Half", "Anew"]


async def test_continuing_goes_on_in_the_same_message(talk: Talk) -> None:
    talk.provider.say("One, two,", Finished("length"))
    await talk.session.send("Count")
    reply = talk.bus.path[1]
    talk.provider.answer(" three")
    await talk.session.continue_reply(reply)
    assert talk.lines() == ["user: Count", "assistant: One, two, three [stop]"]
    assert talk.bus.path[1] == reply


async def test_the_request_to_go_on_is_never_stored(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    talk.session.stop()
    await asking
    talk.provider.answer(" whole")
    await talk.session.continue_reply(talk.bus.path[1])
    last = talk.provider.requests[-1].turns[-1]
    assert last.role == "user"
    assert last.parts[-1] == TextPart(text=CONTINUE)
    assert all(CONTINUE not in message.text for message in talk.bus.tree())


@pytest.mark.parametrize(
    ("before", "then", "whole"),
    [
        ("The quick", "brown fox", "The quick brown fox"),
        ("The quick", " brown fox", "The quick brown fox"),
        ("The quick", ", brown fox", "The quick, brown fox"),
        ("One,", "two", "One,two"),
        ("快速", "的狐狸", "快速的狐狸"),
    ],
)
async def test_a_continued_reply_is_joined_at_words(talk: Talk, before: str, then: str, whole: str) -> None:
    talk.provider.say(before, Finished("length"))
    await talk.session.send("Hi")
    talk.provider.answer(then)
    await talk.session.continue_reply(talk.bus.path[1])
    assert talk.bus.at(1).text == whole


async def test_continuing_that_fails_keeps_what_was_there(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    talk.session.stop()
    await asking
    talk.provider.say(ProviderError("Nothing answers.", code="unreachable"))
    await talk.session.continue_reply(talk.bus.path[1])
    assert talk.lines() == ["user: question", "assistant: Half [error]"]
    assert talk.bus.error_of(talk.bus.path[1]) is not None


async def test_only_a_reply_can_be_continued(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    with pytest.raises(SamError, match="Only a reply"):
        await talk.session.continue_reply(talk.bus.path[0])


async def test_an_edited_message_is_a_sibling_and_keeps_what_was_attached(talk: Talk) -> None:
    file = FilePart(attachment="h", filename="notes.txt", mime_type="text/plain")
    talk.attachments["h"] = b"some notes"
    talk.provider.answer("Hello")
    await talk.session.send("Hi", [file])
    first = talk.bus.path[0]
    talk.provider.answer("Good day")
    await talk.session.edit_and_resend(first, "Good morning")
    assert talk.lines() == ["user: Good morning", "assistant: Good day [stop]"]
    assert talk.bus.at(0).files == (file,)
    assert talk.bus.siblings(first) == (first, talk.bus.path[0])
    talk.provider.answer("Bare")
    await talk.session.edit_and_resend(first, "Without", ())
    assert talk.bus.at(0).files == ()


async def test_an_edit_in_the_middle_keeps_what_stands_before_it(talk: Talk) -> None:
    for text in ("one", "two"):
        talk.provider.answer(f"answer {text}")
        await talk.session.send(text)
    talk.provider.answer("answer three")
    await talk.session.edit_and_resend(talk.bus.path[2], "three")
    assert [line.split(" [")[0] for line in talk.lines()] == [
        "user: one",
        "assistant: answer one",
        "user: three",
        "assistant: answer three",
    ]


async def test_an_edit_to_nothing_is_refused(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    with pytest.raises(SamError, match="Write something"):
        await talk.session.edit_and_resend(talk.bus.path[0], " ")
    with pytest.raises(SamError, match="Only your own"):
        await talk.session.edit_and_resend(talk.bus.path[1], "x")


async def test_editing_while_a_reply_streams_stops_it(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    talk.provider.answer("Anew")
    await talk.session.edit_and_resend(talk.bus.path[0], "otherwise")
    await asking
    assert talk.lines() == ["user: otherwise", "assistant: Anew [stop]"]


async def test_a_reply_goes_on_while_another_branch_is_shown_and_what_is_queued_keeps_its_branch(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    first = talk.bus.path[1]
    regenerating = asyncio.get_running_loop().create_task(talk.session.regenerate(first))
    talk.provider.say("Good")
    await talk.until(lambda: talk.session.state.phase == "streaming")
    written = talk.bus.path[1]
    await talk.session.send("said below the one that streams")
    talk.session.select_branch(first)
    assert talk.session.works_at == written
    await talk.session.send("said below the first")
    for answer in (" day", "One", "Two"):
        talk.provider.answer(answer)
    await regenerating
    await talk.until(lambda: not talk.session.state.is_busy)
    assert talk.lines() == [
        "user: Hi",
        "assistant: Hello [stop]",
        "user: said below the first",
        "assistant: Two [stop]",
    ]
    talk.session.select_branch(written)
    assert talk.lines() == [
        "user: Hi",
        "assistant: Good day [stop]",
        "user: said below the one that streams",
        "assistant: One [stop]",
    ]


async def test_a_retry_ends_a_reply_on_another_branch_and_none_that_is_shown(talk: Talk) -> None:
    talk.provider.say(ProviderError("refused", code="server"))
    await talk.session.send("Hi")
    failed = talk.bus.path[0]
    edited = asyncio.get_running_loop().create_task(talk.session.edit_and_resend(failed, "Otherwise"))
    talk.provider.say("Half")
    await talk.until(lambda: talk.session.state.phase == "streaming")
    written = talk.bus.path[1]
    await talk.session.retry(failed)
    assert talk.session.works_at == written
    talk.session.select_branch(failed)
    talk.provider.answer("Hello")
    await talk.session.retry(failed)
    await edited
    assert talk.lines() == ["user: Hi", "assistant: Hello [stop]"]
    assert talk.bus.get(written).text == "Half"


async def test_deleting_a_reply_that_streams_stops_it(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    talk.session.remove(talk.bus.path[1])
    await asking
    assert talk.lines() == ["user: question"]
    assert talk.session.state.phase == "idle"
    assert talk.bus.error_of(talk.bus.path[0]) is None


async def test_a_reply_that_is_deleted_behind_the_sessions_back_ends_quietly(talk: Talk) -> None:
    asking = await talk.streaming("Half")
    talk.bus.remove(talk.bus.path[1])
    talk.provider.say("more", Finished("stop"))
    await asking
    assert talk.lines() == ["user: question"]
    assert talk.bus.error_of(talk.bus.path[0]) is None
    assert talk.session.state.phase == "idle"


async def test_a_question_that_is_deleted_while_it_is_saved_ends_quietly(talk: Talk) -> None:
    talk.disk.clear()
    asking = asyncio.get_running_loop().create_task(talk.session.send("Hi"))
    await talk.until(lambda: talk.lines())
    talk.session.remove(talk.bus.path[0])
    talk.disk.set()
    await asking
    assert talk.provider.requests == []
    assert len(talk.bus) == 0


# Models and requests


async def test_the_model_can_be_changed_after_any_message(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    talk.session.set_model("other", "m2")
    talk.other.answer("Bonjour")
    await talk.session.send("And you?")
    assert talk.other.requests[0].model == "m2"
    assert [turn.model for turn in talk.other.requests[0].turns] == ["", "m", ""]
    reply = talk.bus.at(3)
    assert isinstance(reply, AssistantMessage)
    assert (reply.provider, reply.model) == ("other", "m2")


async def test_a_conversation_keeps_the_model_it_began_with(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    settings = talk.bus.settings
    assert (settings.provider, settings.model) == ("stepped", "m")


async def test_the_conversations_own_parameters_come_before_the_programs(talk: Talk) -> None:
    talk.session.defaults = talk.session.defaults.model_copy(update={"system_prompt": "Be kind.", "max_tokens": 100})
    talk.bus.change_setting("temperature", 0.2)
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    request = talk.provider.requests[0]
    assert (request.system, request.temperature, request.max_tokens) == ("Be kind.", 0.2, 100)
    talk.bus.change_setting("system_prompt", "")
    talk.provider.answer("Hello")
    await talk.session.send("Hi")
    assert talk.provider.requests[1].system == ""
    assert talk.provider.requests[1].conversation_id == "talk"


async def test_the_bytes_of_attachments_go_with_the_request_and_text_files_as_text(talk: Talk) -> None:
    talk.attachments.update(picture=b"png", notes="Grüße".encode())
    parts = [
        ImagePart(attachment="picture"),
        FilePart(attachment="notes", filename="notes.md", mime_type="text/markdown"),
    ]
    talk.provider.answer("Hello")
    await talk.session.send("Look", parts)
    request = talk.provider.requests[0]
    assert request.attachments["picture"] == b"png"
    assert TextPart(text='<file name="notes.md">\nGrüße\n</file>') in request.turns[0].parts


async def test_a_missing_attachment_is_said_in_its_place(talk: Talk) -> None:
    talk.provider.answer("Hello")
    await talk.session.send("Look", [ImagePart(attachment="gone", alt="cat.png")])
    assert TextPart(text="[picture: cat.png; it is missing]") in talk.provider.requests[0].turns[0].parts
