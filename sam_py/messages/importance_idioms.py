"""Set phrases in which a word of the importance rules means something else: to except one, add it to its language.

Written like the terms of `importance_rules`; they are taken out before the rules are looked for.
"""

from __future__ import annotations

from sam_py.messages.importance_rules import Language

IDIOMS: dict[Language, str] = {
    "en": """
        speed limit, speed limits, age limit, credit limit, city limits, off limits, sky is the limit, sky's the limit,
        limited edition, limited editions, limited company, limit of a, limit of the function, limit of the sequence,
        limit theorem, limits of integration, to the limit,
        required reading, required viewing, budget airline, budget airlines, budget speech, budget cut, budget cuts,
        budget deficit, federal budget, state budget, low-budget, low budget film, big-budget, big budget film,
        minimum wage, maximum likelihood, minimum viable, local minimum, local maximum, global minimum, global maximum,
        radius of the earth, radius of a circle, # km/h, # km per hour, # miles per hour, # miles an hour,
        have to laugh, has to laugh, have to smile, have to giggle, have to chuckle, have to say, have to admit,
        have to confess, have to agree, have to hand it, have to do with, has to do with, have to go now, have to run,
        i must say, i must admit, i must confess, must be joking, must be kidding, must be tired, must be nice,
        must be hard, must be fun, must be proud, must have been, must have forgotten, must have missed,
        must-have, must-haves, must-see, must have had, must've, need to laugh, need to vent, need-to-know,
        at least i, at least it, at least it's, at least that, at least that's, at least we, at least he, at least she,
        at least you, at least they, within an inch, allergic to mondays, allergic to work,
        never mind, never heard, never knew, never thought, never a dull, always a pleasure, always nice, always loved,
        critical acclaim, critical thinking, critical theory, critical essay, critical mass, essential oil,
        essential oils, urgent care, priority mail, priority queue, priority queues, priority boarding, priority seat,
        correct the, correct this, correct my, correct any, correct all, correct these, correct me if, yes or no,
        exactly how, exactly why, exactly when, exactly where, exactly what is, exactly what are, exactly what does,
        exactly what happened, yeah right, do it yourself, sure about
    """,
    "de": """
        muss lachen, musste lachen, muss schmunzeln, muss grinsen, muss sagen, muss zugeben, muss gestehen, muss los,
        muss weg, muss schön sein, muss toll sein, muss schön gewesen sein, muss toll gewesen sein,
        muss anstrengend sein, müssen lachen, pflicht und kür, an der grenze, über die grenze, grenze zu,
        grenze zwischen, # km/h, maximal cool, stimmt das, stimmt es, stimmt etwas nicht, richtig gut, richtig schön,
        richtig toll, richtig lecker, richtig viel, richtig cool, ich nehme an, wir nehmen an, ich nehme ab,
        ich nehme zu, kritische theorie, genau wie
    """,
    "fr": """
        limite de vitesse, limites de vitesse, à la limite, dois dire, dois avouer, dois admettre, dois reconnaître,
        dois rire, il faut dire, il faut avouer, il faut reconnaître, doit être tard, doit pleuvoir, doit plaisanter,
        lecture obligatoire, lectures obligatoires, budget de l'état, la critique, une critique, critique de film,
        critique littéraire, au moins il, au moins c'est, au moins j'ai, # km/h, point critique
    """,
    "es": """
        límite de velocidad, límites de velocidad, tengo que reír*, tengo que decir, tengo que admitir,
        tengo que reconocer, tengo que confesar, hay que ver, hay que decir, debe de, debes de, deben de,
        lectura obligatoria, lecturas obligatorias, salario mínimo, presupuestos del estado, la crítica,
        crítica de cine, crítica literaria, al menos lo, al menos no, # km/h
    """,
    "pt": """
        limite de velocidade, limites de velocidade, tenho que rir, tenho de rir, tenho que dizer, tenho de dizer,
        tenho que admitir, tenho de admitir, tenho que confessar, tem que ver com, deve ter, deve estar,
        leitura obrigatória, leituras obrigatórias, salário mínimo, a crítica, crítica de cinema, crítica literária,
        pelo menos tentei, pelo menos não, # km/h
    """,
    "zh": """
        速度限制, 关键词, 关键字, 关键帧, 优先队列, 优先级队列, 优先座位, 必须承认, 必须说, 不得不, 不得了, 舍不得,
        最多的, 最少的, 最低工资, 必要条件, 公里每小时, 要求不高
    """,
    "ja": """
        速度制限, 制限速度, 最大の, 最大限, 最低だ, 最低な, 最低賃金, 必要以上, 必要条件, 優先席, 優先度付き,
        緊急事態宣言
    """,
}
