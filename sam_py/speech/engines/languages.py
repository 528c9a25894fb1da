"""How the systems and the voice files spell languages. Pure."""

from __future__ import annotations

import re


def language_tag(tag: str) -> str:
    """A language as BCP 47 spells it; the systems write "pt_BR", "pt-br" or "en-029".

    >>> language_tag("pt_br"), language_tag("cmn-latn-pinyin"), language_tag("Unknown Locale: 3")
    ('pt-BR', 'cmn-Latn-pinyin', '')
    """
    if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*", tag):
        return ""
    first, *rest = re.split("[-_]", tag)
    spelt = [each.upper() if len(each) == 2 else each.title() if len(each) == 4 else each.lower() for each in rest]
    after_x = rest.index("x") if "x" in rest else len(rest)
    return "-".join((first.lower(), *spelt[:after_x], *(each.lower() for each in rest[after_x:])))
