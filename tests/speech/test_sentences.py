"""Where a sentence ends: in many languages, while it grows, and never later than can be told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.speech.sentences import HARD_CHARS, Sentences, split

WHOLE = [
    "It costs 3.14 or 1,250.50 euros.",
    "Take v2.0.1 of main.py, not setup.cfg or Node.js.",
    "Use a short name, e.g. this one, i.e. not that.",
    "Dr. Smith met Prof. J. R. R. Tolkien and Mrs. Jones.",
    "See https://example.org/a.b?c=d. for it",
    "Write to j.doe@mail.example.org today.",
    "He waited... and waited… in vain.",
    "At 10:30 a.m. we left, at 5 p.m. Eastern time we came.",
    "He joined the U.S. Army.",
    "Yahoo! Inc. was sold.",
    '"Really?" she asked.',
    '"Why?" John said.',
    "Maj. (ret.) Jones came.",
    "Frau Dipl.-Ing. Weber wohnt in der Gartenstr. 12.",
    "EE. UU. y la UE.",
    "Vom 3. bis 5. Mai und im 1. und 2. Quartal.",
    "1. First things first.",
    "See Vol. II, Fig. 3, No. 5 and p. 12.",
    "Am 3. Mai und im 19. Jahrhundert war es z. B. so.",
    "Das gilt bzw. galt d. h. bis zum 1. 4. 2019 für ca. 5 Mio. Euro.",
    "Dr. med. Anna Vogel und Hr. Müller kamen.",
    "M. Dupont et Mme Durand, p. ex., sont là.",
    "Il demanda : « Pourquoi ? » en souriant.",
    "El Sr. García y la Dra. Pérez viven en EE. UU. desde ayer.",
    "—¿Vienes? —preguntó ella.",
    "「はい。」と言った。",
    "“你吃饭了吗？”她问。",
    "嗯……我想想。",
    "А. С. Пушкин родился в Москве, т. е. не здесь.",
]

SEVERAL = [
    ["He lives in the U.S.", "He likes it."],
    ["I have 3.", "You have 5."],
    ["So do I.", "You too."],
    ["We bought apples, pears, etc.", "The rest can wait."],
    ["It takes 5 min.", "Then it is done."],
    ["Take vitamin C.", "The dose is small."],
    ["Is it?", "Yes!", "Good."],
    ["He said “Go.”", "Then he left."],
    ["(See the note.)", "It is short."],
    ["No.", "I don't think so."],
    ["He never came...", "We waited."],
    ["hello there.", "how are you?", "fine."],
    ["Er kam um 8 Uhr.", "Danach ging er."],
    ["Brot, Käse usw.", "Das war alles."],
    ["« Bonjour ! »", "Puis il partit."],
    ["¿Vienes?", "¡Claro!", "Voy."],
    ["„Wer wartet, gewinnt.“", "Das sagte Oma."],
    ["He met Phil.", "They talked."],
    ["Never mind.", "I found it."],
    ["Il est arrivé à 18 h.", "Nous partons."],
]

WITHOUT_SPACES = [
    ["你好。", "你好吗？", "好！"],
    ["他说：“好。”", "然后他走了。"],
    ["今日は晴れです。", "明日も！", "「はい。」"],
    ["価格は３．１４です。", "次。"],
]

SCRIPTS = {
    "Hindi": ["यह पहला वाक्य है।", "यह दूसरा है।"],
    "Arabic": ["هل أنت هنا؟", "نعم."],
    "Urdu": ["یہ کتاب ہے۔", "وہ قلم ہے۔"],
    "Armenian": ["Սա առաջինն է։", "Սա երկրորդն է։"],
    "Amharic": ["ይህ የመጀመሪያው ነው።", "ይህ ሁለተኛው ነው።"],
    "Khmer": ["នេះជាប្រយោគទីមួយ។", "នេះជាប្រយោគទីពីរ។"],
    "Burmese": ["ဒါက ပထမ။", "ဒါက ဒုတိယ။"],
    "Tibetan": ["འདི་དང་པོ་རེད།", "འདི་གཉིས་པ་རེད།"],
    "Greek": ["Πού είναι;", "Εδώ είναι."],
    "Russian": ["Он пришёл.", "Она ушла!"],
    "Hebrew": ["שלום.", "מה שלומך?"],
    "Georgian": ["ეს პირველია.", "ეს მეორეა."],
    "Thaana": ["މިއީ އެކެއް.", "މިއީ ދޭއް."],
    "Korean": ["안녕하세요.", "반갑습니다!"],
    "Mongolian": ["ᠨᠢᠭᠡ᠃", "ᠬᠣᠶᠠᠷ᠃"],
}


@pytest.mark.parametrize("sentence", WHOLE)
def test_one_sentence_stays_one(sentence: str) -> None:
    assert split(sentence) == [sentence]


@pytest.mark.parametrize("sentences", SEVERAL, ids=lambda sentences: sentences[0])
def test_several_sentences_are_told_apart(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize("sentences", WITHOUT_SPACES, ids=lambda sentences: sentences[0])
def test_sentences_without_spaces_between_are_told_apart(sentences: list[str]) -> None:
    assert split("".join(sentences)) == sentences


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_full_stops_of_the_worlds_scripts_are_known(script: str) -> None:
    assert split(" ".join(SCRIPTS[script])) == SCRIPTS[script]


def test_a_line_break_ends_a_sentence_that_is_long_enough() -> None:
    line = "a line of more than forty characters without a stop"
    assert split(f"{line}\nAnother") == [line, "Another"]
    assert split(f"{line}\n另一行") == [line, "另一行"]
    assert split(f"{line}\nthat somebody wrapped. And so on") == [f"{line} that somebody wrapped.", "And so on"]
    assert split("a short line\nand another") == ["a short line and another"]
    assert split("We met Dr.\nSmith there.") == ["We met Dr. Smith there."]


def test_a_long_sentence_is_cut_at_a_comma() -> None:
    text = "word " * 45 + "then, and the rest goes on"
    assert [part[-5:] for part in split(text)] == ["then,", "es on"]


def test_a_long_sentence_without_commas_is_cut_between_words() -> None:
    parts = split("word " * 200)
    assert all(len(part) <= HARD_CHARS and part.endswith("word") for part in parts)
    assert " ".join(parts) == ("word " * 200).strip()


def test_a_long_text_without_spaces_is_cut_at_its_commas_or_anywhere() -> None:
    assert [len(part) for part in split("字" * 700)] == [300, 300, 100]
    assert [len(part) for part in split("字" * 210 + "，" + "字" * 50)] == [211, 50]


@pytest.mark.parametrize(
    ("text", "decides"),
    [
        ("Hello there. ", "H"),
        ("I have 3.", None),
        ("It is 3.", None),
        ("你好。", "你"),
        ("He lives in the U.S. ", None),
        ("He lives in the U.S. He", " "),
        ("Is that so? ", "Y"),
        ("He asked “Why?” ", "T"),
    ],
)
def test_a_sentence_is_handed_over_as_soon_as_its_end_can_be_told(text: str, decides: str | None) -> None:
    found: list[str] = []
    sentences = Sentences(lambda sentence, _start, _end: found.append(sentence))
    sentences.add(text, 0)
    assert found == []
    if decides is not None:
        sentences.add(decides, len(text))
        assert len(found) == 1
    sentences.end()
    assert len(found) >= 1


def test_the_places_of_a_sentence_are_those_of_its_source() -> None:
    found: list[tuple[str, int, int]] = []
    sentences = Sentences(lambda *sentence: found.append(sentence))
    sentences.add("One.  ", 10)
    sentences.add("Two ", 30)
    sentences.add_solid("a.b. c", 40, 52)
    sentences.add(" end.", 60)
    sentences.end()
    assert found == [("One.", 10, 14), ("Two a.b. c end.", 30, 65)]


WORDS = "Dr. word Word e.g. U.S. 3 3.14 I said The . ! ? … ... 。 「 」 “ ” \" ' ( ) « » , ， 你 好 No. p.m. Inc. z. B."
PIECES = st.sampled_from([*WORDS.split(), *"   \n\u0301é;Ω"])


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=120), st.integers(1, 9))
def test_sentences_are_the_text_however_it_is_fed(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    one, many = split(text), _fed(text, size)
    assert one == many
    assert "".join("".join(one).split()) == "".join(text.split())
    assert all(0 < len(sentence) <= HARD_CHARS for sentence in one)


def _fed(text: str, size: int) -> list[str]:
    found: list[str] = []
    sentences = Sentences(lambda sentence, _start, _end: found.append(sentence))
    at = 0
    for number, line in enumerate(text.split("\n")):
        if number:
            sentences.break_line(at)
            at += 1
        for start in range(0, len(line), size):
            sentences.add(line[start : start + size], at + start)
        at += len(line)
    sentences.end()
    return found
