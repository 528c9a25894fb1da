"""How the systems and the voice files spell languages. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable


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


_OTHERWISE = {"zh": "cmn", "no": "nb", "iw": "he", "in": "id"}
"""How a locale calls a language → how espeak does."""


def voice_of_language(tag: str, voices: Iterable[tuple[str, str]]) -> str:
    """The id of the voice that speaks a language best, of ids with their languages; "" where none does.

    >>> voices = [("gmw/en", "en"), ("gmw/en-us", "en-US"), ("roa/pt", "pt"), ("sit/cmn", "cmn")]
    >>> [voice_of_language(tag, voices) for tag in ("en-US", "en-NZ", "pt-BR", "zh-CN", "xx", "")]
    ['gmw/en-us', 'gmw/en', 'roa/pt', 'sit/cmn', '', '']
    """
    wanted = tag.lower()
    language = wanted.partition("-")[0]
    language = _OTHERWISE.get(language, language)
    near = [(spoken.lower(), voice) for voice, spoken in voices if spoken.lower().partition("-")[0] == language]
    exact = next((voice for spoken, voice in near if spoken == wanted), "")
    return exact or min(near, key=lambda each: len(each[0]), default=("", ""))[1]
