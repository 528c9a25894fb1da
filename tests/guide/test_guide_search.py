"""The handbook and its search: a question in a person's words finds the section that answers it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.providers.guide.handbook import handbook, read_page
from sam_py.providers.guide.search import index, question_words
from sam_py.providers.guide.words import STOP_WORDS, SYNONYMS, language_of

QUESTIONS = {
    "how do I import my chatgpt conversations": "Import from another program",
    "save chat as html": "Export conversations",
    "save a chat as pdf": "Export conversations",
    "how do I restore a backup": "Restore from a backup",
    "move my conversations to another disk": "Move the data folder",
    "how do I add an api key": "Enter a key",
    "stop the answer": "Stop a reply",
    "dark mode": "Light and dark",
    "connect ollama": "Ollama",
    "lm studio": "LM Studio",
    "llama.cpp server": "llama.cpp",
    "does it send telemetry": "What leaves your computer",
    "error 429": "Too many requests",
    "401 unauthorized": "The key was refused",
    "bring back a deleted chat": "Delete and undo",
    "how to go back to the previous version of my message": "Branches",
    "I made a typo in my message, how to correct it": "Edit a message",
    "what is importance": "Importance",
    "could not load the Qt platform plugin xcb": "The window does not open",
    "can it see pictures": "Images",
    "the text is too small": "Text size",
    "custom instructions": "System prompt",
    "use it from a script": "Ask from a terminal",
    "exit code": "Exit codes",
    "where are my keys kept": "Where keys are kept",
    "hide a conversation without deleting it": "Archive",
    "who are you": "What the offline guide is",
    "emoji show as boxes": "Emoji are boxes",
    "my disk is full": "The disk is full or cannot be written",
    "keybord shortcuts": "Keyboard",
    "Which keys can I press?": "Keyboard",
    "How do I connect a local model?": "Connecting a server on this computer",
    "Where is my data kept?": "Where your data is",
    "find an old conversation": "Find a conversation by its words",
    "Wie lösche ich eine Unterhaltung?": "Delete and undo",
    "comment ajouter une clé": "Enter a key",
    "如何删除对话": "Delete and undo",
    "Why is an old message grey?": "Why a message is dimmed",
    "The model forgets what I said at the start": "Why a message is dimmed",
    "Can you read replies aloud to me?": "Have replies read aloud",
    "make the voice speak faster": "Choose a voice, its speed and the loudspeaker",
    "how do I make it shut up": "Pause, skip and stop the voice",
    "I cannot hear the voice": "When nothing is heard",
    "read the selected text aloud": "Read one message or a selection",
    "save speech as mp3": "Save speech as an audio file",
}


@pytest.mark.parametrize(("question", "heading"), QUESTIONS.items())
def test_a_question_in_a_person_s_words_finds_its_section(question, heading):
    assert index().search(question)[0].section.heading == heading


@pytest.mark.parametrize(
    "question", ["What is the capital of France?", "2+2", "solve x^2 = 4", "xyzzy", "latest football results"]
)
def test_what_the_handbook_does_not_say_is_not_covered(question):
    assert all(hit.coverage < 0.5 for hit in index().search(question))


@pytest.mark.parametrize("page", handbook(), ids=lambda page: page.name)
def test_every_page_has_a_title_keywords_and_sections_that_say_something(page):
    assert page.title
    assert len(page.sections) >= 2
    for section in page.sections:
        assert section.keywords, section.heading
        assert section.is_opening or section.text
        assert "<!--" not in section.text


def test_every_section_is_found_by_its_own_heading():
    for page in handbook():
        for section in page.sections:
            hits = [hit.section for hit in index().search(section.heading)[:3]]
            same = [hit for hit in hits if hit.heading == section.heading or hit.page == section.page]
            assert same, section.heading


def test_headings_are_unique_so_that_a_suggested_one_leads_to_its_section():
    headings = [section.heading for page in handbook() for section in page.sections if not section.is_opening]
    assert len(headings) == len(set(headings))


def test_a_comment_in_a_code_block_is_no_heading(tmp_path):
    file = tmp_path / "page.md"
    file.write_text("# Title\n\n```bash\n# a comment\n## another\n```\n\n## Real\nText.\n")
    page = read_page(file)
    assert [section.heading for section in page.sections] == ["Title", "Real"]
    assert "# a comment" in page.sections[0].text


def test_every_synonym_stands_for_words_that_the_handbook_has():
    found = index()
    for word, others in SYNONYMS.items():
        assert any(found.search(other) for other in others.split()), word
        assert word not in STOP_WORDS, word


def test_of_a_pasted_megabyte_the_first_forty_words_are_asked_for():
    assert len(question_words("word " * 1000 + " ".join(f"w{n}" for n in range(5000)))) == 40


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=80))
def test_any_question_is_searched_without_an_error(question):
    for hit in index().search(question):
        assert 0 <= hit.coverage <= 1.000001


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I send a message?", "en"),
        ("Wie sende ich eine Nachricht?", "de"),
        ("Où sont mes données ? je ne sais pas", "fr"),
        ("¿Dónde está la clave?", "es"),
        ("Onde posso ver o meu modelo?", "pt"),
        ("Come posso cambiare il modello?", "it"),
        ("設定はどこですか", "ja"),
        ("Как удалить чат?", "ru"),
        ("", "en"),
    ],
)
def test_the_language_of_a_question_is_known(text, language):
    assert language_of(text) == language


def test_pages_hold_no_line_that_markdown_would_take_for_something_else():
    for page in handbook():
        for section in page.sections:
            assert section.text.count("```") % 2 == 0, section.heading
            assert not re.search(r"^\s*\|[^|\n]*$", section.text, re.MULTILINE), section.heading
