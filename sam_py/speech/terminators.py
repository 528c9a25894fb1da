"""The marks that end sentences, close and open them, in the world's scripts.

`TERMINATORS` is Unicode's property Sentence_Terminal (PropList.txt, version 16) without the Burmese ``၊``, which is a
comma, and with the ellipsis and the Tibetan shads.
"""

from __future__ import annotations

_RANGES = (
    "21 2E 3F 589 61D-61F 6D4 700-702 7F9 837 839 83D-83E 964-965 F0D-F11 104B 1362 1367-1368 166E 1735-1736 17D4-17D5"
    " 1803 1809 1944-1945 1AA8-1AAB 1B4E-1B4F 1B5A-1B5B 1B5E-1B5F 1B7D-1B7F 1C3B-1C3C 1C7E-1C7F 2024 2026 203C-203D"
    " 2047-2049 2CF9-2CFB 2E2E 2E3C 2E53-2E54 2E60-2E61 3002 A4FF A60E-A60F A6F3 A6F7 A876-A877 A8CE-A8CF A92F"
    " A9C8-A9C9 AA5D-AA5F AAF0-AAF1 ABEB FE12 FE15-FE16 FE52 FE56-FE57 FF01 FF0E FF1F FF61 10A56-10A57 10F55-10F59"
    " 10F86-10F89 11047-11048 110BE-110C1 11141-11143 111C5-111C6 111CD 111DE-111DF 11238-11239 1123B-1123C 112A9"
    " 113D4-113D5 1144B-1144C 115C2-115C3 115C9-115D7 11641-11642 1173C-1173E 11944 11946 11A42-11A43 11A9B-11A9C"
    " 11C41-11C42 11EF7-11EF8 11F43-11F44 16A6E-16A6F 16AF5 16B37-16B38 16B44 16D6E-16D6F 16E98 1BC9F 1DA88"
)


def _expand(ranges: str) -> frozenset[str]:
    found: set[str] = set()
    for item in ranges.split():
        first, _, last = item.partition("-")
        found.update(chr(code) for code in range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(found)


TERMINATORS = _expand(_RANGES)
STOPS = frozenset(".…․﹒")
"""Marks that also shorten words and stand in numbers, or trail off."""
NEED_SPACE = frozenset(".!?…․‼‽⁇⁈⁉؟۔։")
"""Marks of scripts that write white space behind a sentence, and may stand inside a word."""
FREE = TERMINATORS - NEED_SPACE
"""Marks that end a sentence whatever follows."""
OPENERS = frozenset("\"'([{“‘„‚«‹¿¡–—-•*「『（【《〈〔")
"""What may stand before the first word of a sentence."""
CLOSERS = frozenset("\"')]}”’“‘»›」』）】》〉〕］｝＂＇﹂﹄")
COMMAS = frozenset(",;:—，、；：،؛၊፣፤፥՝")
QUOTES = frozenset("\"'”’“‘»«›‹」』")
"""Closing quotation marks."""
QUOTATIONS = frozenset("\"'“‘„‚«»‹「『")
"""Opening ones."""
GREEK_QUESTION = frozenset(";\u037e")
"""A question mark, behind Greek letters."""
QUOTES_OF_HAN = frozenset("「『“")
"""Opening ones of Chinese and Japanese."""
