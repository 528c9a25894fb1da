"""Words of the rules that mean something else in a set phrase score as what they mean there."""

from __future__ import annotations

import pytest

from sam_py.messages.importance import score
from sam_py.messages.importance_idioms import IDIOMS
from sam_py.messages.importance_rules import RULES

NOT_MEANT = """
What is the speed limit in Germany?
I was caught above the speed limit again.
I have to laugh when I read this.
I have to say, that looks great.
I must admit that I like it.
The word budget comes from an old French word for a purse.
The words limit and border are not the same.
How do you spell the word urgent?
This novel is required reading at my school.
The sky is the limit!
We flew with a budget airline.
It was a low-budget film from the eighties.
The federal budget was debated for weeks.
What does this have to do with me?
You must be joking!
It must have been a long night.
Never mind, I found it.
At least it didn't rain.
The central limit theorem is beautiful.
How is a priority queue implemented?
Tell me about critical thinking.
Which essential oils smell of lemon?
Correct the spelling in this text.
Exactly how does a fridge work?
My train goes 300 km/h.
What is the minimum wage in Spain?
The road there is off limits to us.
Ich muss lachen, wenn ich das lese.
Ich muss sagen, das sieht gut aus.
Wir wohnen an der Grenze zu Polen.
Woher kommt das Wort Budget?
Ich nehme an, dass es regnet.
Richtig schön hier.
Der Zug fährt 300 km/h.
Quelle est la limite de vitesse en Suisse ?
Je dois avouer que ça me plaît.
Ce roman est une lecture obligatoire au lycée.
Le mot budget vient de l'anglais.
La critique a aimé le film.
¿Cuál es el límite de velocidad?
Tengo que reírme de esto.
Tengo que admitir que me gusta.
La palabra presupuesto es larga.
A la crítica le gustó la película.
Qual é o limite de velocidade?
Tenho que rir disto.
A palavra limite tem seis letras.
A crítica gostou do filme.
这里的速度限制是多少？
我不得不笑。
这个关键词是什么意思？
人口最多的国家是哪个？
高速道路の速度制限を知りたい。
日本最大の湖はどこですか。
"""

MEANT = """
constraint | The limit is five pages.
constraint | Stay below the upper limit of 50.
constraint | I have to leave at nine and the flight leaves at ten.
constraint | Keep to a word budget of 500.
constraint | Our budget is 500 euros.
constraint | A signature is required.
constraint | The answer must be in French.
constraint | At least two examples, please.
constraint | Never delete my files.
constraint | The speed limit is 80, but my budget is the problem.
constraint | Ich muss um neun zu Hause sein.
constraint | Die Grenze liegt bei 20 Seiten.
constraint | Il faut une réponse en français.
constraint | La limite est de cinq pages.
constraint | Tengo que salir a las nueve.
constraint | El límite es de cinco páginas.
constraint | Tenho que sair às nove.
constraint | O limite é de cinco páginas.
constraint | 字数限制是五百。
constraint | 字数制限は500です。
decision | Exactly what I wanted.
decision | Correct, carry on.
decision | Ich nehme das blaue.
priority | Accuracy is critical here.
priority | This has priority.
priority | C'est critique.
priority | 关键是速度。
"""


@pytest.mark.parametrize("text", [line for line in NOT_MEANT.splitlines() if line])
def test_a_set_phrase_is_no_rule(text: str) -> None:
    assert score(text, "user") == (0.7, "base")


@pytest.mark.parametrize("labelled", [line for line in MEANT.splitlines() if line])
def test_the_same_word_is_a_rule_where_it_is_meant(labelled: str) -> None:
    rule, _, text = labelled.partition(" | ")
    assert score(text, "user")[1] == rule


def test_set_phrases_are_kept_for_every_language_of_the_rules() -> None:
    assert set(IDIOMS) == set(RULES[0].terms)
    assert all(phrases.strip() for phrases in IDIOMS.values())
