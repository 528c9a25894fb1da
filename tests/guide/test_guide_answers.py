"""What the guide says, as a conversation."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.agent.prompt import CONTINUE
from sam_py.messages.parts import FilePart, ImagePart, TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.guide import answers
from sam_py.providers.guide.answers import NO_MODEL, answer
from sam_py.providers.guide.demos import demo_for, drawing, long_answer


def said(*questions: str) -> list[str]:
    """The guide's answers to these questions in one conversation."""
    turns: list[Turn] = []
    for question in questions:
        turns.append(Turn("user", (TextPart(text=question),)))
        turns.append(Turn("assistant", (TextPart(text=answer(turns).text),), "guide", "guide"))
    return ["".join(part.text for part in turn.parts) for turn in turns[1::2]]


@pytest.mark.parametrize("greeting", ["hello", "Hi!", "hey there", "Good morning.", "Hallo", "bonjour", "你好"])
def test_a_greeting_is_answered_with_who_it_is_and_how_to_get_a_model(greeting):
    [reply] = said(greeting)
    assert NO_MODEL in reply
    assert "Ollama" in reply
    assert "Ctrl+," in reply


def test_the_first_answer_says_that_it_comes_from_no_model_and_later_ones_do_not_repeat_it():
    first, second = said("how do I stop a reply", "dark mode")
    assert NO_MODEL in first
    assert NO_MODEL not in second


def test_an_answer_quotes_the_section_names_its_page_and_offers_related_questions():
    [reply] = said("how do I stop a reply")
    assert "### Stop a reply" in reply
    assert "Press **Esc**" in reply
    assert "Sending, stopping and changing replies" in reply
    assert "You can also ask: *" in reply


@pytest.mark.parametrize("question", ["What is the capital of France?", "calculate 17 * 23", "asdfgh"])
def test_what_it_cannot_answer_it_says_plainly(question):
    [reply] = said(question)
    assert reply.startswith("I cannot answer that.")
    assert NO_MODEL in reply
    assert "connect one" in reply


def test_more_gives_the_next_hit_each_time_until_there_is_none():
    replies = said("folders", *["more"] * 9)
    hits = [reply for reply in replies if reply.startswith("### ")]
    assert len(hits) >= 2
    assert len({reply.split("\n")[0] for reply in hits}) == len(hits)
    assert replies[-1].startswith("That is all that the handbook has on “folders”.")


def test_more_with_nothing_before_shows_the_contents():
    [reply] = said("more")
    assert "**First steps**" in reply


def test_another_language_is_answered_with_a_line_in_it_above_the_english_text():
    [reply] = said("Wie kann ich eine Unterhaltung löschen?")
    assert reply.startswith("Das Handbuch gibt es nur auf Englisch.")
    assert "### Delete and undo" in reply


def test_an_unknown_question_in_another_language_is_told_what_the_guide_can_do():
    [reply] = said("Wie wird das Wetter morgen in Wien, und was soll ich anziehen?")
    assert "The handbook is in English" in reply


def test_every_suggested_question_finds_something():
    replies = said("hello", "contents", "stop", "keys", "data")
    suggested = {piece for reply in replies for piece in reply.split("*") if 3 < len(piece) < 40 and "\n" not in piece}
    for question in ("add a key", "keyboard shortcuts", "where is my data", "connect a model"):
        assert not said(question)[0].startswith("I cannot")
    assert suggested


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("show me formatting", "```python"),
        ("Show me what formatting looks like", "```python"),
        ("show me a table", "|:-----|"),
        ("Table", "|:-----|"),
        ("show me some code, please", "```rust"),
        ("math", "\\frac"),
        ("maths", "$$"),
        ("a list", "- [x]"),
        ("task list", "- [ ]"),
        ("quotes", "> A quotation"),
        ("emoji", "👩‍💻"),
        ("rtl", "مرحبا"),
    ],
)
def test_formatting_is_shown_on_request(question, shown):
    assert shown in said(question)[0]


def test_several_kinds_of_formatting_are_shown_together():
    shown = demo_for("Show me tables, lists and some maths, please").text
    assert all(heading in shown for heading in ("## Tables", "## Lists"))
    assert "\\int" in shown
    assert "```" not in shown


@pytest.mark.parametrize(
    "question",
    ["show me the keyboard shortcuts", "where are the images kept", "how do I copy code", "links open where"],
)
def test_a_question_about_the_program_is_no_wish_for_a_demonstration(question):
    assert demo_for(question) is None


@pytest.mark.parametrize("words", [1, 7, 100, 2000, 9000])
def test_a_long_answer_has_the_words_that_were_asked_for(words):
    import re

    text = answer([Turn("user", (TextPart(text=f"write {words} words"),))]).text
    assert len(re.findall(r"\S*\w\S*", text)) == words
    assert text.count("```") % 2 == 0


def test_a_very_long_answer_is_limited():
    assert len(long_answer(10**7)) < 400_000


def test_thinking_and_an_image_are_shown_on_request():
    shown = answer([Turn("user", (TextPart(text="show me thinking"),))])
    assert shown.thinking
    assert "folded" in shown.text
    shown = answer([Turn("user", (TextPart(text="an image"),))])
    assert shown.image.startswith(b"\x89PNG")


def test_the_drawing_is_a_whole_png():
    data = drawing(30, 20)
    assert data[12:16] == b"IHDR"
    start = data.index(b"IDAT") + 4
    length = int.from_bytes(data[start - 8 : start - 4], "big")
    assert len(zlib.decompress(data[start : start + length])) == 20 * (30 * 3 + 1)


def test_reminders_of_the_program_are_not_the_question():
    reminder = TextPart(text="<system-reminder>where is my data</system-reminder>")
    reply = answer([Turn("user", (reminder, TextPart(text="dark mode")))]).text
    assert "Light and dark" in reply


def test_what_is_attached_is_said_to_be_unreadable():
    image = ImagePart(attachment="00", alt="x")
    assert answer([Turn("user", (image,))]).text.startswith("I cannot see images")
    file = FilePart(attachment="00", filename="a.txt")
    assert answer([Turn("user", (TextPart(text="dark mode"), file))]).text.startswith("I cannot read attached files")


def test_going_on_gives_exactly_the_rest():
    assert CONTINUE.startswith(answers._GOING_ON)
    question = Turn("user", (TextPart(text="write 300 words"),))
    whole = answer([question]).text
    half = whole[: len(whole) // 2].rstrip()
    turns = [question, Turn("assistant", (TextPart(text=half),)), Turn("user", (TextPart(text=CONTINUE),))]
    assert half + answer(turns).text == whole
    turns[1] = Turn("assistant", (TextPart(text=whole),))
    assert answer(turns).text == "That was all of it."


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(max_size=60) | st.sampled_from(["more", "hello", CONTINUE, "table", "write 5 words"]), max_size=4)
)
def test_whatever_is_said_there_is_an_answer(questions):
    for reply in said(*questions):
        assert reply.strip()
