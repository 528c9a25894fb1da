"""A conversation's title: first words, then the model's, the person's for good."""

from __future__ import annotations

import pytest

from sam_py.agent.titles import FIRST_WORDS, LONGEST, clean_title, title_from
from sam_py.messages.parts import FilePart
from sam_py.messages.usage import Usage
from sam_py.providers.base import Finished, UsageReported
from sam_py.providers.errors import ProviderError
from sam_py.settings.model import ModelChoice
from tests.agent.conftest import Talk


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("# Plan the **summer** holidays", "Plan the summer holidays"),
        ("- [ ] buy `milk` and _bread_", "buy milk and bread"),
        ("See [the page](https://example.org/a) please", "See the page please"),
        ("> quoted\nmore", "quoted"),
        ("\n\n  second   line  \n", "second line"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("2 * 3 * 4 = 24 and snake_case_name", "2 * 3 * 4 = 24 and snake_case_name"),
        ("Please tell me everything about the history of rye bread", "Please tell me everything about the history of…"),
        ("a" * 80, "a" * (FIRST_WORDS - 1) + "…"),
        ("请用简单的语言解释量子力学", "请用简单的语言解释量子力学"),
        ("", ""),
    ],
)
def test_a_title_of_first_words_has_no_markup_and_ends_at_a_word(text: str, title: str) -> None:
    assert title_from(text) == title
    assert len(title) <= FIRST_WORDS


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ('"Baking rye bread"', "Baking rye bread"),
        ("Title: **Baking rye bread.**", "Baking rye bread"),
        ("«Хлеб»\n\nThat is the title.", "Хлеб"),
        ("「ライ麦パンの焼き方」", "ライ麦パンの焼き方"),
        ("<think>The user wants bread.</think>\nRye bread", "Rye bread"),
        ("<think>It never ends", ""),
        ("\n\n", ""),
        ("What is rye?", "What is rye?"),
        ("word " * 40, "word word word word word word word word word word word word"[: LONGEST - 1].rstrip()),
    ],
)
def test_a_models_title_is_one_clean_line(answer: str, title: str) -> None:
    cleaned = clean_title(answer)
    assert cleaned.removesuffix("…").startswith(title[:40])
    assert len(cleaned) <= LONGEST
    assert "\n" not in cleaned
    assert bool(cleaned) == bool(title)


@pytest.mark.parametrize("text", ["*" * 100_000, "[" * 100_000, "`a " * 50_000, "# " * 50_000, "_a" * 50_000])
def test_hostile_text_is_titled_in_no_time(text: str) -> None:
    assert len(title_from(text)) <= FIRST_WORDS
    assert len(clean_title(text)) <= LONGEST


@pytest.fixture
def titled(talk: Talk) -> Talk:
    talk.session.defaults = talk.session.defaults.model_copy(update={"model_titles": True})
    return talk


@pytest.mark.anyio
async def test_a_conversation_is_titled_at_once_by_its_first_words(talk: Talk) -> None:
    asking = await talk.streaming("Hm", said="How do I bake **rye** bread?")
    assert (talk.bus.settings.title, talk.bus.settings.title_source) == ("How do I bake rye bread?", "first_words")
    talk.session.stop()
    await asking


@pytest.mark.anyio
async def test_a_file_alone_gives_its_name(talk: Talk) -> None:
    talk.provider.answer("A file.")
    await talk.session.send("", [FilePart(attachment="h", filename="taxes.pdf", mime_type="application/pdf")])
    assert talk.bus.settings.title == "taxes.pdf"


@pytest.mark.anyio
async def test_later_messages_do_not_change_the_title_but_an_edited_first_one_does(talk: Talk) -> None:
    for text in ("first", "second"):
        talk.provider.answer("answer")
        await talk.session.send(text)
    assert talk.bus.settings.title == "first"
    talk.provider.answer("answer")
    first = talk.bus.path[0]
    await talk.session.edit_and_resend(first, "other")
    assert talk.bus.settings.title == "other"
    asking = await talk.streaming("A reply", said="third")
    await talk.session.send("queued on a branch that is not shown then")
    talk.session.select_branch(first)
    for answer in (" that ends", "answer"):
        talk.provider.answer(answer)
    await asking
    assert talk.bus.settings.title == "other"


@pytest.mark.anyio
async def test_after_the_first_exchange_the_model_names_the_conversation(titled: Talk) -> None:
    titled.provider.answer("With rye.")
    titled.provider.say('"Rye bread."', UsageReported(Usage(output_tokens=4)), Finished("stop"))
    await titled.session.send("How do I bake bread?")
    await titled.until(lambda: titled.bus.settings.title_source == "model")
    assert titled.bus.settings.title == "Rye bread"
    request = titled.provider.requests[1]
    assert (len(request.turns), request.max_tokens, request.conversation_id) == (1, 64, "")
    assert titled.bus.tasks[-1].usage == Usage(output_tokens=4)
    titled.provider.answer("Yes.")
    await titled.session.send("Really?")
    assert len(titled.provider.requests) == 3


@pytest.mark.anyio
async def test_the_model_for_titles_is_a_setting(titled: Talk) -> None:
    choice = ModelChoice(provider="other", model="small")
    titled.session.defaults = titled.session.defaults.model_copy(update={"title_model": choice})
    titled.provider.answer("With rye.")
    titled.other.answer("Rye bread")
    await titled.session.send("How do I bake bread?")
    await titled.until(lambda: titled.bus.settings.title == "Rye bread")
    assert titled.other.requests[0].model == "small"


@pytest.mark.anyio
async def test_a_title_by_the_person_is_never_overwritten(titled: Talk) -> None:
    titled.provider.answer("With rye.")
    await titled.session.send("How do I bake bread?")
    await titled.until(lambda: len(titled.provider.requests) == 2)
    titled.bus.change_setting("title", "Mine")
    titled.bus.change_setting("title_source", "person")
    titled.provider.answer("Rye bread")
    await titled.until(lambda: titled.provider.open == 0)
    assert titled.bus.settings.title == "Mine"


@pytest.mark.anyio
async def test_a_title_that_fails_is_silent(titled: Talk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    titled.provider.answer("With rye.")
    titled.provider.say(ProviderError("Too many requests.", code="rate_limited"))
    await titled.session.send("How do I bake bread?")
    await titled.until(lambda: "no title" in caplog.text)
    assert titled.bus.settings.title == "How do I bake bread?"
    assert titled.bus.error_of(titled.bus.path[1]) is None


@pytest.mark.anyio
async def test_the_person_is_answered_before_the_title(titled: Talk) -> None:
    titled.provider.answer("With rye.")
    await titled.session.send("How do I bake bread?")
    await titled.until(lambda: titled.provider.open == 1)
    titled.other.answer("Yes.")
    titled.session.set_model("other", "m")
    await titled.session.send("Really?")
    assert titled.provider.open == 0
    titled.other.answer("Rye bread")
    await titled.until(lambda: titled.bus.settings.title == "Rye bread")


@pytest.mark.anyio
async def test_the_guide_names_nothing(titled: Talk) -> None:
    titled.provider.id = "guide"
    titled.session._provider_of = lambda _: titled.provider
    titled.session.set_model("guide", "guide")
    titled.provider.answer("I am no model.")
    await titled.session.send("Hello")
    await titled.session.aclose()
    assert len(titled.provider.requests) == 1
