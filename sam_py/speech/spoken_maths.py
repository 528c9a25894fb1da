r"""Puts a formula's LaTeX into simple words: ``\frac{a}{b}`` is "a over b".

The words are English, as names of functions and letters are wherever formulas are read; `WORDS` is the one table that
holds them, so that another language needs another table and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

MAX_CHARS = 1_500
"""A longer formula is only named."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_GREEK = _words(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi"
    " psi omega"
)
_FUNCTIONS = _words(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim ker gcd deg"
    " arg mod"
)

WORDS: Mapping[str, str] = {
    **{name: name for name in _GREEK},
    **{name.capitalize(): f"capital {name}" for name in _GREEK},
    **{f"var{name}": name for name in ("epsilon", "theta", "phi", "rho", "sigma", "pi", "kappa")},
    **{name: name for name in _FUNCTIONS},
    "lim": "the limit",
    "ln": "natural log",
    "=": "equals",
    "+": "plus",
    "-": "minus",
    "−": "minus",
    "*": "times",
    "/": "over",
    "<": "is less than",
    ">": "is greater than",
    "!": "factorial",
    "|": "bar",
    "'": "prime",
    "≤": "is at most",
    "≥": "is at least",
    "≠": "is not equal to",
    "×": "times",
    "·": "times",
    "÷": "divided by",
    "±": "plus or minus",
    "→": "to",
    "∞": "infinity",
    "∑": "the sum",
    "∏": "the product",
    "∫": "the integral",
    "√": "the square root of",
    "∈": "in",
    "π": "pi",
    "°": "degrees",
    "times": "times",
    "cdot": "times",
    "ast": "times",
    "div": "divided by",
    "pm": "plus or minus",
    "mp": "minus or plus",
    "le": "is at most",
    "leq": "is at most",
    "leqslant": "is at most",
    "ge": "is at least",
    "geq": "is at least",
    "geqslant": "is at least",
    "lt": "is less than",
    "gt": "is greater than",
    "ll": "is much less than",
    "gg": "is much greater than",
    "ne": "is not equal to",
    "neq": "is not equal to",
    "approx": "is about",
    "simeq": "is about",
    "sim": "is similar to",
    "equiv": "is equivalent to",
    "cong": "is congruent to",
    "propto": "is proportional to",
    "infty": "infinity",
    "to": "to",
    "rightarrow": "to",
    "longrightarrow": "to",
    "leftarrow": "from",
    "Rightarrow": "implies",
    "implies": "implies",
    "Longrightarrow": "implies",
    "Leftrightarrow": "if and only if",
    "iff": "if and only if",
    "mapsto": "maps to",
    "in": "in",
    "notin": "not in",
    "ni": "contains",
    "subset": "is a subset of",
    "subseteq": "is a subset of",
    "supset": "contains",
    "cup": "union",
    "cap": "intersection",
    "setminus": "without",
    "emptyset": "the empty set",
    "varnothing": "the empty set",
    "forall": "for all",
    "exists": "there is",
    "neg": "not",
    "land": "and",
    "wedge": "and",
    "lor": "or",
    "vee": "or",
    "sum": "the sum",
    "prod": "the product",
    "int": "the integral",
    "iint": "the double integral",
    "oint": "the contour integral",
    "partial": "partial",
    "nabla": "nabla",
    "sqrt": "the square root of",
    "ell": "l",
    "hbar": "h bar",
    "Re": "the real part of",
    "Im": "the imaginary part of",
    "circ": "circle",
    "degree": "degrees",
    "prime": "prime",
    "perp": "is perpendicular to",
    "parallel": "is parallel to",
    "mid": "given",
    "angle": "angle",
    "ldots": "and so on",
    "cdots": "and so on",
    "dots": "and so on",
    "vdots": "and so on",
    "therefore": "therefore",
    "because": "because",
    "%": "percent",
    "$": "dollars",
    "&": "",
    "#": "number",
    "squared": "squared",
    "cubed": "cubed",
    "power": "to the",
    "sub": "sub",
    "fraction": "over",
    "root": "the root of order",
    "of": "of",
    "from": "from",
    "until": "to",
    "as": "as",
    "choose": "choose",
    "hat": "hat",
    "bar": "bar",
    "overline": "bar",
    "vec": "vector",
    "tilde": "tilde",
    "dot": "dot",
    "ddot": "double dot",
    "absolute": "the absolute value of",
    "base": "base",
    "long": "a long formula",
}

_TEXTUAL = _words(
    "text mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak mathscr operatorname boldsymbol textbf textit"
    " textrm bm mbox hbox emph"
)
_TOKEN = re.compile(
    rf"\\(?:{'|'.join(_TEXTUAL)})\s*\{{[^{{}}]*\}}|\\[A-Za-z]+\*?|\\.|\d+(?:[.,]\d+)*|[^\W\d_]|\S", re.DOTALL
)
_ACCENTS = _words("hat bar overline vec tilde dot ddot widehat widetilde")
_SILENT = _words(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle textstyle limits nolimits quad qquad , ; : !"
    " nonumber middle hline notag scriptstyle phantom"
)
_LARGE = _words("sum prod int iint iiint oint lim max min sup inf bigcup bigcap ∑ ∏ ∫")
_WHOLE = _words("begin end label tag color textcolor hspace vspace ref")
_FRACTIONS = _words("frac dfrac tfrac cfrac")
_PUNCTUATION = frozenset(",.;:()[]")


def describe(latex: str, words: Mapping[str, str] = WORDS) -> str:
    r"""Return how a formula is said.

    >>> describe(r"x^2 + \frac{a}{b} \le \sqrt{\pi}")
    'x squared plus a over b is at most the square root of pi'
    >>> describe(r"\sum_{i=1}^{n} i"), describe(r"a_1^3"), describe("x'")
    ('the sum from i equals 1 to n of i', 'a sub 1 cubed', 'x prime')
    """
    if len(latex) > MAX_CHARS:
        return words["long"]
    said = _Reading(_TOKEN.findall(latex.replace("{,}", ",")), words).whole()
    return re.sub(r"\s+([,.;:)\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", " ".join(said.split())))


class _Reading:
    """Reads tokens in their order; each method returns words and leaves `at` behind what it read."""

    def __init__(self, tokens: list[str], words: Mapping[str, str], depth: int = 0) -> None:
        self.tokens = tokens
        self.words = words
        self.depth = depth
        self.at = 0
        self.in_matrix = False

    def whole(self) -> str:
        said = []
        while self.at < len(self.tokens):
            said.append(self.item())
        return " ".join(word for word in said if word)

    def item(self) -> str:
        """A mark with what it takes, and its indices."""
        mark = self.tokens[self.at]
        if mark == "{":
            base = self.group_words()
        elif mark.startswith("\\") and len(mark) > 1:
            self.at += 1
            name = mark[1:].rstrip("*")
            if name in _LARGE:
                return self.large(name)
            base = self.command(name)
        elif mark in ("^", "_"):
            base = ""
        else:
            self.at += 1
            if mark in _LARGE:
                return self.large(mark)
            if mark == "|" and (said := self.absolute()):
                return self.indices(said)
            if mark == "&":
                return "," if self.in_matrix else ""
            base = "" if mark in ("}", "~", "\\") else self.words.get(mark, mark)
        return self.indices(base)

    def command(self, name: str) -> str:
        words = self.words
        if "{" in name:
            return " ".join(name[name.index("{") + 1 : -1].replace("$", "").replace("\\", " ").split())
        if name in _FRACTIONS:
            upper, lower = self.argument(), self.argument()
            return f"{upper} {words['fraction']} {lower}"
        if name == "binom":
            return f"{self.argument()} {words['choose']} {self.argument()}"
        if name == "sqrt":
            return self.root()
        if name in _TEXTUAL:
            return self.plain()
        if name in _ACCENTS:
            said = self.argument()
            return f"{said} {words.get(name.removeprefix('wide'), name)}"
        if name in _WHOLE:
            group = "".join(self.group())
            self.in_matrix = name == "begin" and ("matrix" in group or group == "array")
            return ""
        if name == "\\":
            return ";"
        if name in _SILENT or name in ("\\", " ", "{", "}"):
            if name in ("left", "right") and self.at < len(self.tokens) and self.tokens[self.at] == ".":
                self.at += 1
            return ""
        return words.get(name, name if name.isalpha() else "")

    def absolute(self) -> str:
        """What stands up to the next bar, if there is one."""
        rest = self.tokens[self.at : self.at + 40]
        if "|" not in rest or rest[0] == "|":
            return ""
        end = rest.index("|")
        self.at += end + 1
        return f"{self.words['absolute']} {self.inner(rest[:end])}"

    def root(self) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at] == "[":
            end = self.at
            while end < len(self.tokens) and self.tokens[end] != "]":
                end += 1
            order = self.inner(self.tokens[self.at + 1 : end])
            self.at = end + 1
            return f"{self.words['root']} {order} {self.words['of']} {self.argument()}"
        return f"{self.words['sqrt']} {self.argument()}"

    def large(self, name: str) -> str:
        """A sum, an integral, a limit: from where to where."""
        words = self.words
        said = words.get(name, name)
        lower = upper = ""
        while self.at < len(self.tokens) and self.tokens[self.at] in ("^", "_", "\\limits"):
            mark = self.tokens[self.at]
            self.at += 1
            if mark == "_":
                lower = self.argument()
            elif mark == "^":
                upper = self.argument()
        if name in ("lim", "max", "min", "sup", "inf"):
            return f"{said} {words['as']} {lower} {words['of']}" if lower else said
        if lower:
            said += f" {words['from']} {lower}"
        if upper:
            said += f" {words['until']} {upper}"
        return f"{said} {words['of']}"

    def indices(self, base: str) -> str:
        said = base
        while self.at < len(self.tokens) and self.tokens[self.at] in ("^", "_", "'"):
            mark = self.tokens[self.at]
            self.at += 1
            if mark == "'":
                said += f" {self.words[chr(39)]}"
                continue
            index = self.argument()
            if mark == "^":
                said += f" {self.power(index)}"
            elif base == self.words["log"]:
                said += f" {self.words['base']} {index} {self.words['of']}"
            else:
                said += f" {self.words['sub']} {index}"
        return said

    def power(self, index: str) -> str:
        words = self.words
        simple = {"2": words["squared"], "3": words["cubed"], words["circ"]: words["degree"], words["'"]: words["'"]}
        return simple.get(index) or f"{words['power']} {index}"

    def argument(self) -> str:
        """What a command or an index takes: a group, or the next mark."""
        if self.at >= len(self.tokens):
            return ""
        mark = self.tokens[self.at]
        if mark == "{":
            return self.group_words()
        self.at += 1
        if mark.startswith("\\") and len(mark) > 1:
            return self.command(mark[1:])
        return "" if mark in ("}", "\\", "~") else self.words.get(mark, mark)

    def group(self) -> list[str]:
        """The tokens of the group that begins here, without its braces."""
        if self.at >= len(self.tokens) or self.tokens[self.at] != "{":
            return []
        start, depth = self.at + 1, 0
        while self.at < len(self.tokens):
            mark = self.tokens[self.at]
            self.at += 1
            depth += (mark == "{") - (mark == "}")
            if not depth:
                return self.tokens[start : self.at - 1]
        return self.tokens[start:]

    def group_words(self) -> str:
        return self.inner(self.group())

    def inner(self, tokens: list[str]) -> str:
        if self.depth > 20:
            return ""
        return _Reading(tokens, self.words, self.depth + 1).whole()

    def plain(self) -> str:
        r"""The words of ``\text{…}``, whose letters belong together."""
        said = ""
        for mark in (each.lstrip("\\") for each in self.group()):
            joined = said[-1:].isalnum() and mark.isalnum()
            said += mark if joined or mark in _PUNCTUATION else f" {mark}"
        return said.strip()
