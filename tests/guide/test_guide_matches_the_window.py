"""The handbook says what the window does: shortcuts and offered questions are compared with the code."""

from __future__ import annotations

import re

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.guide.answers import answer
from sam_py.providers.guide.handbook import handbook
from sam_py.ui.actions import specs

SPELT = {"PgDown": "Page Down", "PgUp": "Page Up", "Return": "Enter"}
PLACES = {"Enter", "Shift+Enter", "Up", "Esc", "F2", "Delete", "Tab", "Shift+Tab", "Left", "Right", "Down", "Ctrl+U"}
SYSTEM = {"Ctrl+C", "Ctrl+V", "Ctrl+Enter"}


def spelt(shortcut: str) -> str:
    for written, said in SPELT.items():
        shortcut = shortcut.replace(written, said)
    return shortcut


def keyboard_page() -> str:
    page = next(page for page in handbook() if page.title == "Keyboard")
    return "\n".join(section.text for section in page.sections)


@pytest.mark.parametrize("spec", [spec for spec in specs() if spec.shortcuts], ids=lambda spec: spec.name)
def test_the_keyboard_page_names_every_shortcut_of_the_window(spec):
    shortcut = {"Ctrl++": "Ctrl + and", "Ctrl+-": "Ctrl −"}.get(spec.shortcuts[0], spelt(spec.shortcuts[0]))
    assert re.search(rf"(?<![\w+]){re.escape(shortcut)}(?![\w+])", keyboard_page()), spec.text


def test_the_handbook_names_no_shortcut_that_the_window_lacks():
    known = {spelt(shortcut) for spec in specs() for shortcut in spec.shortcuts} | PLACES | SYSTEM
    text = "\n".join(section.text for page in handbook() for section in page.sections)
    named = set(re.findall(r"\*\*((?:Ctrl|Shift|Alt)\+[^*]+)\*\*", text))
    named |= {each for cell in re.findall(r"^\| (.+?) \|", text, re.M) for each in re.findall(r"Ctrl\+\S+", cell)}
    named = {name if name.endswith("+,") else name.rstrip(",") for name in named}
    named = {name for name in named if name not in ("Ctrl+Page",)}
    assert named - known == set()


@pytest.mark.parametrize(
    "question",
    [
        "How do I connect a local model?",
        "Which keys can I press?",
        "Where is my data kept?",
        "Show me what formatting looks like",
    ],
)
def test_what_the_empty_window_offers_to_ask_is_answered(question):
    text = answer([Turn("user", (TextPart(text=question),))]).text
    assert not text.startswith("I cannot")
    assert len(text) > 200
