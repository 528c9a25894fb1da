"""Importance, as tables: what scores, in seven languages, and what only looks as if it did."""

from __future__ import annotations

import pytest

from sam_py.messages.importance import HEAD, TAIL, score
from sam_py.messages.importance_rules import NEGATIONS, RULES, SMALL_TALK

CONSTRAINTS = """
It must fit into a carry-on bag.
You must not use any library.
We need to be there by noon.
My budget is 500 euros.
Stay within 20 miles of Boston.
No more than three pages, please.
At least two of them have to be vegetarian.
The maximum is 10 MB.
Python 3.11 is required.
I’m allergic to nuts, so keep that in mind.
The deadline is Friday.
Das muss bis Freitag fertig sein.
Es darf nicht mehr als 500 Euro kosten.
Unser Budget liegt bei 1000 Euro.
Höchstens drei Seiten.
Mindestens zwei Zimmer, bitte.
Die Frist endet am Montag.
Il faut que ce soit prêt vendredi.
Il ne faut pas dépasser la page.
Mon budget est de 500 euros.
Au maximum trois pages.
C'est une contrainte importante.
Pas plus de trois pages.
Tengo que entregarlo el viernes.
El presupuesto es de 500 euros.
Como máximo tres páginas.
No debes usar bibliotecas externas.
Hay que terminarlo hoy.
Preciso terminar até sexta.
O orçamento é de 500 euros.
No máximo três páginas.
Não pode passar de três páginas.
O prazo é sexta-feira.
预算是五百元。
必须在周五之前完成。
最多三页。
不能超过一千字。
予算は5万円です。
金曜日までに提出しなければなりません。
3ページ以内でお願いします。
締め切りは金曜日です。
"""

DECISIONS = """
Yes, that one.
Go ahead with the second option.
That's right.
I agree with the plan.
Let's go with blue.
Approved.
Okay. Exactly what I wanted
Ja, genau so.
Einverstanden, wir nehmen das blaue.
Stimmt, mach weiter.
Oui, la deuxième.
D'accord, vas-y.
Je confirme la réservation.
Sí, la segunda opción.
Estoy de acuerdo con el plan.
Adelante con el plan.
Sim, a segunda opção.
Concordo com o plano.
Pode prosseguir.
是的，第二个。
我同意这个方案。
对，第二个。
就选蓝色的。
はい、二番目です。
その通りです。
それでいきましょう。
"""

PRIORITIES = """
Focus on the second chapter.
Please prioritise speed over beauty.
The most important thing is that it works offline.
This is urgent.
Accuracy is critical here.
Above all, keep it short.
Konzentriere dich auf das zweite Kapitel.
Das ist dringend.
Am wichtigsten ist die Lesbarkeit.
Concentre-toi sur le deuxième chapitre.
C'est urgent.
Le plus important, c'est la clarté.
C'est le plus urgent.
Céntrate en el segundo capítulo.
Es urgente.
Lo más importante es la claridad.
Foque em clareza.
É urgente.
O mais importante é a clareza.
重点是第二章。
这件事很紧急。
最重要的是清楚。
第二章を優先してください。
至急です。
一番重要なのは読みやすさです。
"""

PLAIN = """
I love mustard.
Right now I am at home.
He came yesterday.
I disagree with you.
That is incorrect.
Unlimited storage sounds nice to me.
There is no limit to what we can do.
It is not urgent.
You don't have to hurry.
You do not need to answer today.
It isn't very important to me.
There's no deadline for this.
No budget, no problem for us.
This is not a priority.
Please don't focus on the colours.
I have not decided.
She said yes to the dress last year.
Critics loved the film.
Tell me about the mustang.
Du musst nicht antworten.
Es ist nicht dringend.
Das ist keine Anforderung.
Ohne Limit ist es schöner.
Es gibt kein Budget dafür.
Der Jahrmarkt war schön.
Ce n'est pas urgent.
Il n'y a pas de limite.
Sans contrainte, tout va bien.
Je ne suis pas d'accord avec toi.
Aucune exigence de ma part.
No es urgente.
No hay límite para eso.
Sin presupuesto definido todavía.
No tienes que responder hoy.
Não é urgente.
Não há limite para isso.
Sem prazo definido.
Não precisa responder hoje.
不急，没有限制。
没有必要。
对不起，我来晚了。
这不是必须的。
不要求完美。
我不同意。
急ぎではありません。
特に制限はありません。
返事は必要ないです。
優先ではないです。
"""

SMALL = """
Thanks!
thank you
OK.
Got it
Sounds good!
Perfect
Danke!
Alles klar.
Merci !
D’accord, merci
Gracias
Vale.
Obrigada!
谢谢！
好的。
ありがとうございます。
了解です
"""

QUESTIONS = """
Which colour would you like?
Do you want **two** or **three**?
Soll ich weitermachen?
Que préférez-vous ?
¿Cuál prefieres?
Qual você prefere?
你喜欢哪个？
どちらがいいですか？
Let me know which one you like.
请告诉我你的想法。
"""


def lines(table: str) -> list[str]:
    return [line for line in table.splitlines() if line.strip()]


@pytest.mark.parametrize("text", lines(CONSTRAINTS))
def test_a_constraint_scores_high_for_both_sides(text: str) -> None:
    assert score(text, "user") == (0.9, "constraint")
    assert score(text, "assistant") == (0.9, "constraint")


@pytest.mark.parametrize("text", lines(DECISIONS))
def test_a_short_decision_scores(text: str) -> None:
    assert score(text, "user") == (0.85, "decision")


@pytest.mark.parametrize("text", lines(PRIORITIES))
def test_a_shift_of_focus_scores(text: str) -> None:
    assert score(text, "user") == (0.85, "priority")


@pytest.mark.parametrize("text", lines(PLAIN))
def test_what_only_looks_like_a_rule_is_plain(text: str) -> None:
    assert score(text, "user") == (0.7, "base")


@pytest.mark.parametrize("text", [line for line in lines(SMALL) if "," not in line])
def test_small_talk_scores_low(text: str) -> None:
    assert score(text, "user") == (0.3, "small talk")
    assert score(text, "assistant") == (0.3, "small talk")


@pytest.mark.parametrize("text", lines(QUESTIONS))
def test_a_question_of_the_assistant_scores(text: str) -> None:
    assert score(text, "assistant") == (0.85, "question")


@pytest.mark.parametrize("text", ["Which one is it?", "What do you think?", "好吗？"])
def test_a_question_of_the_user_is_not_more_than_another_message(text: str) -> None:
    assert score(text, "user") == (0.7, "base")


@pytest.mark.parametrize(
    "text",
    [
        "Here is how to show it.",
        "See https://example.org/?q=1 for more.",
        "Done:\n```js\nconst x = a ? b : c // must it? yes \n```",
    ],
)
def test_code_and_addresses_ask_nothing(text: str) -> None:
    assert score(text, "assistant") == (0.5, "base")


def test_a_decision_in_a_long_message_is_none() -> None:
    text = "Yes, " + "and then there was the house by the sea " * 5
    assert len(text) >= 200
    assert score(text, "user") == (0.7, "base")


def test_a_long_message_of_the_user_gains() -> None:
    words = "the house by the sea was white " * 12
    assert score(words, "user") == (0.8, "long")
    assert score(words, "assistant") == (0.5, "base")
    assert score(words + "and it must stay so", "user") == (1.0, "constraint, long")


def test_the_highest_rule_decides() -> None:
    assert score("Yes, it is urgent and must be done.", "user") == (0.9, "constraint")


@pytest.mark.parametrize(
    "piece",
    [
        "x",
        "no ",
        "not a ",
        "不",
        "must not ",
        "pas une grande ",
        "^yes, ",
        "?",
        "need\t",
        "`",
        "```",
        "é",
        "\U0001f389",
    ],
)
def test_of_a_megabyte_its_head_and_tail_are_looked_at(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert score(text, "user") == score(f"{text[:HEAD]}\n{text[-TAIL:]}", "user")


def test_every_rule_and_negation_speaks_seven_languages() -> None:
    assert all(len(rule.terms) == 7 for rule in RULES)
    assert len(NEGATIONS) == len(SMALL_TALK) == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keep it under 200 words.", 0.9),
        ("Don't use any external libraries.", 0.9),
        ("Never delete the logs.", 0.9),
        ("Bitte keine Fremdwörter verwenden.", 0.9),
        ("Sans gluten, s'il te plaît.", 0.9),
        ("No puede costar más de 30 euros.", 0.9),
        ("不要用任何第三方库。", 0.9),
        ("外部ライブラリは使わないでください。", 0.9),
        ("OK, go with plan B.", 0.85),
        ("Passt, mach das so.", 0.85),
        ("Combinado, segue em frente.", 0.85),
        ("好的,就用第二个方案。", 0.85),
        ("一番大事なのは速度です。", 0.85),
        ("Thank you so much :)", 0.3),
        ("¡Gracias!", 0.3),
        ("Super, danke 👍", 0.3),
        ("好的,谢谢", 0.3),
        ("ありがとうございました", 0.3),
        ('What does "must" mean in German?', 0.7),
        ("Yes or no: is the earth flat?", 0.7),
    ],
)
def test_what_people_write_in_chats_is_scored_as_they_mean_it(text: str, expected: float) -> None:
    assert score(text, "user")[0] == expected
