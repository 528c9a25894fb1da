"""The rules of importance as data: to teach the program a word, add it to its rule and language below.

How a term is written:

- lower case, whole words: ``limit`` is not found in *unlimited*; a space is any white space;
- ``*`` at a word's end stands for any ending (``priorit*``), ``#`` for a number;
- ``^`` in front: only where a sentence or clause begins (``^yes`` is not found in *she said yes*);
- ``!`` in front: a negation changes nothing (*must not* is as much of a constraint as *must*).

Any other term does not count where its language's negation stands before or after it (`NEGATIONS`):
"no limit", "pas urgent", "必要はありません"; or where it is only spoken of: "the word budget". Set phrases that mean
something else ("speed limit") are in `importance_idioms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "de", "fr", "es", "pt", "zh", "ja"]
SPACELESS: frozenset[Language] = frozenset({"zh", "ja"})
"""Languages without spaces between words: their terms are found anywhere."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`score` holds for a message of one of `roles` that is shorter than `shorter_than` and has one of the `terms`."""

    name: str
    score: float
    terms: dict[Language, str]
    """Separated by commas."""
    roles: frozenset[str] = frozenset({"user", "assistant"})
    shorter_than: int | None = None


BASE = {"user": 0.7, "assistant": 0.5}
LONG_FROM, LONG_GAIN = 300, 0.1
"""A message of the user with more characters than this gains so much."""
SMALL_TALK_SCORE, SMALL_TALK_SHORTER_THAN = 0.3, 50

RULES = (
    Rule(
        "constraint",
        0.9,
        {
            "en": """
                !must, !must not, !mustn't, !cannot exceed, !can't exceed, !not exceed, !no more than,
                !no less than, !no later than, !at most, !at least, require, requires, required, requirement,
                requirements, need to, needs to, have to, has to, budget, limit, limits, limited to, maximum,
                minimum, constraint, constraints, deadline, within #, within a, within an, within the next,
                within budget, within walking distance, # miles, # km, radius, mandatory, obligatory,
                allergic to, !can't eat, !cannot eat, under #, less than #, fewer than #, !no longer than, ^never,
                ^always, ^avoid, !don't use, !do not use, only use, use only
            """,
            "de": """
                muss, musst, müssen, müsst, !darf nicht, !dürfen nicht, !darf kein*, !höchstens, !mindestens,
                !maximal, !minimal, !nicht mehr als, !nicht später als, !spätestens, erforderlich, anforderung,
                anforderungen, vorgabe, vorgaben, budget, limit, grenze, obergrenze, untergrenze, höchstgrenze,
                maximum, minimum, bedingung, einschränkung, einschränkungen, frist, innerhalb von,
                im umkreis von, # km, pflicht, zwingend, allergisch gegen, !bitte kein*, !vertrage kein*,
                !weniger als #, unter #, !nicht länger als, ^niemals, ^verwende nur, ^nimm nur
            """,
            "fr": """
                !doit, !dois, !doivent, !devons, !devez, !il faut, !il ne faut pas, !au plus, !au maximum,
                !au minimum, !au moins, !pas plus de, !pas moins de, !au plus tard, exigé, exigée, exigence,
                exigences, besoin de, obligatoire, obligatoirement, nécessaire, requis, requise, budget,
                limite, limites, maximum, minimum, contrainte, contraintes, délai, date limite,
                dans un rayon de, # km, allergique, impérativement, !moins de #, !sans gluten, !sans lactose,
                !n'utilise pas, !n'utilisez pas, !ne supprime jamais, ^uniquement
            """,
            "es": """
                !debe, !debes, !deben, !debemos, !como máximo, !como mínimo, !al menos, !por lo menos,
                !no más de, !no menos de, !a más tardar, tengo que, tienes que, tiene que, tenemos que,
                tienen que, hay que, requiere, requerido, requisito, requisitos, necesito, necesario,
                obligatorio, obligatoria, presupuesto, límite, límites, máximo, mínimo, restricción,
                restricciones, plazo, fecha límite, en un radio de, # km, alérgico, alérgica, !menos de #,
                !no puede costar, !no puede superar,
                !no puede pasar de, !no uses, !no use, ^nunca
            """,
            "pt": """
                !deve, !devem, !devemos, !não pode, !não podem, !no máximo, !no mínimo, !pelo menos, !ao menos,
                !não mais de, !não mais que, !o mais tardar, tenho que, tenho de, tem que, tem de, temos que,
                temos de, precisa, preciso, precisamos, exige, exigência, exigências, requisito, requisitos,
                necessário, obrigatório, obrigatória, orçamento, limite, limites, máximo, mínimo, restrição,
                restrições, prazo, num raio de, # km, alérgico, alérgica, !menos de #, !não use, !não usa, ^nunca
            """,
            "zh": """
                必须, 必要, 务必, 一定要, !不得, !不能超过, !不超过, !不可以, !最多, !最少, !至少, 预算, 上限, 下限,
                限制, 要求, 约束, 截止, 期限, 以内, 公里, 需要在, 过敏, !不要用, !不要使用, !请勿, !别用, !少于, !低于
            """,
            "ja": """
                必須, 必要, !なければなりません, !なければならない, !ないといけない, !してはいけ, !以内, !最大,
                !最低, !少なくとも, !多くても, 予算, 上限, 下限, 制限, 締め切り, 締切, 期限, 要件, 制約,
                アレルギー, !使わないで, !しないでください, !以下で, !未満
            """,
        },
    ),
    Rule(
        "decision",
        0.85,
        {
            "en": """
                ^yes, ^yep, ^yeah, ^exactly, ^correct, ^agreed, ^approved, ^confirmed, ^absolutely, 
                go ahead, proceed, approved, i approve, i confirm, confirmed, i agree, we agree, agreed,
                that's right, that is right, that's correct, that is correct, decided, we'll go with,
                i'll go with, let's go with, let's do that, let's do it, i'll take, i choose, we choose,
                make it so, ^go with, ^do it, ^do that, ^sure
            """,
            "de": """
                ^ja, ^genau, ^richtig, ^stimmt, ^korrekt, ^einverstanden, ^jawohl, ^bestätigt, einverstanden,
                bestätigt, ich bestätige, genehmigt, ich stimme zu, wir stimmen zu, mach weiter,
                machen sie weiter, mach das, leg los, legen sie los, entschieden, ich nehme, wir nehmen,
                so machen wir es, so machen wir's, ^passt
            """,
            "fr": """
                ^oui, ^exactement, ^d'accord, ^correct, ^c'est ça, ^tout à fait, ^approuvé, ^confirmé, vas-y,
                allez-y, je suis d'accord, nous sommes d'accord, je confirme, j'approuve, c'est exact,
                c'est correct, j'ai décidé, nous avons décidé, je choisis, on fait comme ça, ^continue, ^continuez
            """,
            "es": """
                ^sí, ^exacto, ^exactamente, ^correcto, ^de acuerdo, ^aprobado, ^confirmado, ^claro que sí,
                adelante, estoy de acuerdo, estamos de acuerdo, confirmo, apruebo, es correcto, he decidido,
                decidimos, elijo, vamos con, hagámoslo, procede
            """,
            "pt": """
                ^sim, ^exato, ^exatamente, ^correto, ^certo, ^de acordo, ^aprovado, ^confirmado, vá em frente,
                pode prosseguir, prossiga, concordo, concordamos, confirmo, aprovo, está correto, está certo,
                decidi, decidimos, escolho, vamos com, pode fazer, ^combinado, segue em frente, siga em frente
            """,
            "zh": """
                ^是的, ^对的, ^对，, ^没错, ^同意, ^确认, ^正确, ^就这样, ^好的，, 我同意, 我确认, 已确认, 继续吧,
                请继续, 开始吧, 就这么办, 就选, 我选, 决定了, 批准, ^就用, ^就这样做
            """,
            "ja": """
                ^はい, ^その通り, ^そのとおり, ^正しい, ^承認, ^了解です、, 同意します, 賛成です, 承認します,
                確認しました, 進めてください, 続けてください, お願いします、, それでいきましょう, それにします,
                に決めました, に決定, 番目にします, 案にします
            """,
        },
        shorter_than=200,
    ),
    Rule(
        "priority",
        0.85,
        {
            "en": """
                focus on, prioriti*, priority, priorities, !most important, !most importantly, critical,
                crucial, urgent, urgently, asap, as soon as possible, above all, key requirement,
                very important, really important, essential
            """,
            "de": """
                konzentriere dich auf, konzentrieren sie sich auf, konzentrieren wir uns auf, fokus auf,
                priorität, prioritäten, priorisier*, am wichtigsten, das wichtigste, wichtigste*, kritisch,
                entscheidend, dringend, eilig, vor allem, so bald wie möglich, so schnell wie möglich,
                sehr wichtig
            """,
            "fr": """
                concentre-toi sur, concentrez-vous sur, concentrons-nous sur, priorité, priorités, prioritaire,
                prioris*, le plus important, la plus importante, critique, crucial, cruciale, urgent, urgente,
                avant tout, dès que possible, essentiel, essentielle, très important
            """,
            "es": """
                céntrate en, concéntrate en, enfócate en, centrémonos en, prioridad, prioridades, prioritario,
                prioriza*, lo más importante, crítico, crítica, crucial, urgente, ante todo, sobre todo,
                cuanto antes, lo antes posible, esencial, muy importante
            """,
            "pt": """
                foque em, foca em, concentre-se em, vamos focar, prioridade, prioridades, prioritário,
                prioriz*, o mais importante, crítico, crítica, crucial, urgente, acima de tudo, antes de tudo,
                o quanto antes, assim que possível, essencial, muito importante
            """,
            "zh": """
                重点是, 优先, 首要, 最重要, 关键, 紧急, 尽快, 专注于, 非常重要
            """,
            "ja": """
                優先, 最も重要, 一番重要, 最重要, 重要なのは, 一番大事, 最も大事, 一番大切,
                緊急, 至急, できるだけ早く, に集中, とても重要
            """,
        },
    ),
    Rule(
        "question",
        0.85,
        {
            "en": """
                let me know, please tell me, please confirm, please specify, please provide, please clarify
            """,
            "de": """
                sag mir, sagen sie mir, bitte bestätige, bitte bestätigen sie, lass mich wissen
            """,
            "fr": """
                dis-moi, dites-moi, faites-moi savoir, merci de préciser, veuillez préciser
            """,
            "es": """
                dime, dígame, avísame, por favor indica, por favor confirma, házmelo saber
            """,
            "pt": """
                me diga, diga-me, me avise, por favor confirme, por favor informe
            """,
            "zh": """
                请告诉我, 请确认, 请说明, 请提供
            """,
            "ja": """
                教えてください, ご確認ください, お知らせください, ご指定ください
            """,
        },
        roles=frozenset({"assistant"}),
    ),
)
"""Where several hold, the highest score does; of equal ones the first. A question mark makes a question too."""

SMALL_TALK: dict[Language, str] = {
    "en": """
        thanks, thanks a lot, many thanks, thank you, thank you very much, thank you so much, thx, ok, okay, k,
        got it, i see, sounds good, perfect, great, cool, nice, awesome, hi, hello, hey, hi there,
        good morning, good evening, good night, bye, goodbye, no problem, you're welcome, lol, haha,
        hey there, thanks again, thanks for your help, ok thanks, okay thanks, great thanks, perfect thanks,
        cool thanks, ok cool, ok great, ok good
    """,
    "de": """
        danke, danke schön, dankeschön, vielen dank, danke dir, ok, okay, alles klar, verstanden, super,
        perfekt, klasse, toll, prima, hallo, hi, guten morgen, guten tag, guten abend, gute nacht, tschüss,
        bis bald, gern geschehen, kein problem, ok danke, okay danke, super danke, perfekt danke, danke dir sehr,
        danke für die hilfe
    """,
    "fr": """
        merci, merci beaucoup, ok, compris, parfait, super, génial, bien, très bien, bonjour, salut, bonsoir,
        bonne nuit, au revoir, de rien, pas de problème, ça marche, merci à toi, merci à vous, ok merci,
        super merci, parfait merci, merci bien
    """,
    "es": """
        gracias, muchas gracias, ok, vale, entendido, perfecto, genial, estupendo, muy bien, hola, buenos días,
        buenas tardes, buenas noches, adiós, hasta luego, de nada, sin problema, gracias por todo,
        muchas gracias por todo, hola buenos días, ok gracias, vale gracias, perfecto gracias
    """,
    "pt": """
        obrigado, obrigada, muito obrigado, muito obrigada, valeu, ok, entendi, beleza, perfeito, ótimo, legal,
        muito bem, olá, oi, bom dia, boa tarde, boa noite, tchau, até logo, de nada, sem problema, ok obrigado,
        ok obrigada, obrigado pela ajuda, obrigada pela ajuda, muito obrigado pela ajuda, muito obrigada pela ajuda
    """,
    "zh": """
        谢谢, 谢谢你, 多谢, 非常感谢, 好, 好的, 好吧, 行, 嗯, 明白, 明白了, 知道了, 收到, 不错, 很好, 太好了,
        你好, 您好, 早上好, 晚上好, 晚安, 再见, 不客气, 没问题, 好的谢谢, 好的 谢谢, 谢谢啦, 谢谢你的帮助
    """,
    "ja": """
        ありがとう, ありがとうございます, どうも, はい、ありがとう, わかりました, 分かりました, 了解, 了解です,
        了解しました, なるほど, いいね, いいですね, 素晴らしい, 完璧, こんにちは, こんばんは, おはよう,
        おはようございます, ありがとうございました, どうもありがとう,
        おやすみ, さようなら, どういたしまして, 問題ありません
    """,
}
"""A whole message of under 50 characters that says only this; punctuation does not count."""


@dataclass(frozen=True, slots=True)
class Negation:
    """Regular expressions for what stands right before a term, or right after it, and takes its meaning back."""

    before: str
    after: str = ""


NEGATIONS: dict[Language, Negation] = {
    "en": Negation(
        before=r"(?:(?<!\ba )(?<!\bmy )(?<!\bour )\b(?:word|words|term|verb|noun|adjective)\s+)|"
        r"(?:\b(?:no|not|never|without|neither|nor|cannot|dont|doesnt|isnt|hardly)|n't)"
        r"(?:\s+(?:a|an|the|any|so|that|very|really|real|all|hard|strict|fixed|upper|lower|particularly|especially"
        r"|terribly|too|yet|quite|my|our|top|be|is|been|currently|longer)){0,3}\s+",
        after=r"\s+or\s+no\b",
    ),
    "de": Negation(
        before=r"\b(?:wort|begriff|verb|substantiv)\s+|\b(?:nicht|kein\w{0,2}|ohne|nie|niemals|weder|noch kein\w{0,2})"
        r"(?:\s+(?:so|sehr|wirklich|besonders|ganz|die|der|das|ein|eine|einen|unbedingt|fest\w{0,2}|hohe|mehr)){0,2}\s+",
        after=r"\s+(?:(?:du|ich|er|sie|es|wir|ihr|das|dies|dich|mich|sich|uns|dafür|noch|heute|aber)\s+){0,2}nicht\b",
    ),
    "fr": Negation(
        before=r"\b(?:mot|terme|verbe|nom)\s+|\b(?:pas|sans|aucun|aucune|jamais|ni)"
        r"(?:\s+(?:de|du|des|la|le|une|un|très|si|vraiment|besoin|une\s+grande|encore|forcément))*?\s+(?:d'|l')?",
    ),
    "es": Negation(
        before=r"\b(?:palabra|término|verbo)\s+|\b(?:no|sin|ningún|ninguna|nunca|tampoco)"
        r"(?:\s+(?:es|son|hay|era|fue|está|muy|tan|un|una|el|la|los|las|realmente|demasiado|estoy|me|se|tengo|tiene)){0,3}\s+",
    ),
    "pt": Negation(
        before=r"\b(?:palavra|termo|verbo)\s+|\b(?:não|sem|nenhum|nenhuma|nunca|nem)"
        r"(?:\s+(?:é|são|há|era|foi|está|muito|tão|um|uma|o|a|os|as|realmente|estou|se|tenho|tem)){0,3}\s+",
    ),
    "zh": Negation(before=r"(?:不是|没有|没|无需|无须|不用|不必|并非|并不|不|无|非)(?:很|太|那么|什么|特别|任何|有)?"),
    "ja": Negation(
        before=r"特に無",
        after=r"(?:性|な)?(?:は|が|も|では|じゃ|で)?(?:な(?:い|く|し|かった)|ありません|無(?:い|し))",
    ),
}
