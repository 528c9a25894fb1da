"""EchoStripper: what a model copies of its reminders never reaches a person; what it says itself always does."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.reminders.echo import EchoStripper
from sam_py.reminders.wording import ANY_TAG, TAGS

SENT = "<miniPromptReminder>\nAlways answer in French. Keep it under 100 words.\n</miniPromptReminder>"


def stripped(*pieces: str, sent: tuple[str, ...] = (SENT,)) -> str:
    stripper = EchoStripper(sent)
    return "".join([*map(stripper.feed, pieces), stripper.close()])


ECHO = f"<system-reminder>\n{SENT}\n</system-reminder>"

CASES = [
    (f"{ECHO}\nBonjour.", "Bonjour."),
    (f"Bonjour.\n{ECHO}\nAu revoir.", "Bonjour.\nAu revoir."),
    (f"{ECHO}{ECHO}Bonjour.", "Bonjour."),
    (f"{SENT}\nBonjour.", "Bonjour."),
    ("</system-reminder>\nBonjour.", "Bonjour."),
    ("Bonjour.</miniPromptReminder>", "Bonjour."),
    ("<system-reminder>\nAlways answer in French. Keep it under 100 words.\nBonjour.", "Bonjour."),
    ("<system-reminder>Bonjour, all is well.", "Bonjour, all is well."),
    ("<system-reminder>\n" + "A long answer of its own. " * 60, "A long answer of its own. " * 60),
    ("<system-reminder></system-reminder>Bonjour.", "Bonjour."),
    (f"{ECHO.upper()}\nBonjour.", "Bonjour."),
    (ECHO.replace("er>", "er \n>").replace("</", "</ ") + "\nBonjour.", "Bonjour."),
    (ECHO.replace("<", "< ").replace("< /", "</").replace("sys", "Sys") + "\nBonjour.", "Bonjour."),
    ("<TODOLIST>\n1 of 2 done\n</todolist\t>\nBonjour.", "Bonjour."),
    ("Bonjour.</ MINIPROMPTREMINDER >", "Bonjour."),
    (f"< systemic > <  a{ECHO.lower()}", "< systemic > <  a"),
]


@pytest.mark.parametrize(("reply", "expected"), CASES)
def test_each_kind_of_echo_goes(reply: str, expected: str) -> None:
    assert stripped(reply).strip("\n") == expected


UNTOUCHED = [
    "if a < b and b > c: print('x')",
    "Use `<system-reminder>` to remind a model.",
    "```\n<system-reminder>\nAlways answer in French.\n</system-reminder>\n```\nThat is how.",
    "~~~xml\n<todoList>\n</todoList>\n~~~",
    "``a ` <todoList> b``",
    "<div>html</div> <systemd-reminder> <system-remind",
    "< system -reminder> <system-reminder x> <\n\nsystem-" + " " * 40 + "<" + " " * 40 + "todoList>",
    "a\n\n\nb",
    "    `",
    "````\n```\n<todoList>\n```\n````\nafter",
    "```inline``` then text",
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_text_that_only_speaks_of_tags_stays(text: str) -> None:
    assert stripped(text) == text


def cut(text: str, chance: random.Random) -> list[str]:
    places = sorted(chance.randrange(len(text) + 1) for _ in range(chance.randrange(1, 12)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@pytest.mark.parametrize("text", [*(reply for reply, _ in CASES), *UNTOUCHED])
def test_the_result_does_not_depend_on_the_cuts(text: str) -> None:
    whole = stripped(text)
    assert stripped(*text) == whole
    chance = random.Random(text)
    for _ in range(200):
        assert stripped(*cut(text, chance)) == whole


WORDS = st.sampled_from(
    ["Bonjour", " ", "\n", "\n\n", "`", "``", "```", "```\n", "~~~\n", "<", ">", "</", "a < b", ECHO, SENT, "\r\n"]
    + [f"<{tag}>" for tag in TAGS]
    + [f"</{tag}>" for tag in TAGS]
    + ["<SYSTEM-reminder >", "</ TODOLIST\n>", "< ", "system-reminder", " >"]
    + ["<system-rem", "Always answer in French. ", "    ", "é", "- x\n"]
)


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=14), st.integers(0, 2**32))
def test_any_text_cut_anywhere_gives_the_same(words: list[str], seed: int) -> None:
    text = "".join(words)
    whole = stripped(text)
    assert stripped(*cut(text, random.Random(seed))) == whole
    assert stripped(*text) == whole


@settings(max_examples=300)
@given(st.text(alphabet="ab<>/`~\n -_system", max_size=120))
def test_a_text_without_a_tag_is_not_changed(text: str) -> None:
    if ANY_TAG.search(text):
        return
    assert stripped(text) == text


def test_what_is_held_back_is_bounded() -> None:
    stripper = EchoStripper((SENT,))
    given_out = 0
    for _ in range(5_000):
        given_out += len(stripper.feed("word < word `x` "))
    assert given_out > 5_000 * 16 - 40
    assert len(EchoStripper((SENT,)).feed("<system-reminder>" + "x" * 50_000)) > 49_000
