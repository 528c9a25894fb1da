"""Fault: one thing that is wrong with a request body, as the judges of all wires say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """`code` names the rule, `path` the place. `strict`: servers forgive it, our own bodies must not need that."""

    code: str
    path: str
    text: str = ""
    strict: bool = False

    def __str__(self) -> str:
        return f"{self.code} at {self.path or 'the top'}{': ' + self.text if self.text else ''}"


class Faults:
    """Collects faults of one body."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, code: str, path: str, text: str = "", *, strict: bool = False) -> None:
        self.found.append(Fault(code, path, text, strict))


def blank(value: Any) -> bool:
    """Whether a content says nothing: absent, empty, or white space alone."""
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def utf8_faults(value: Any, faults: Faults, path: str = "") -> None:
    """No text may hold half a character (a lone surrogate), no key may be given as null."""
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                faults.add("surrogate", path, "half a character: no UTF-8 holds it")
    elif isinstance(value, dict):
        for key, inner in value.items():
            where = f"{path}.{key}" if path else str(key)
            if inner is None:
                faults.add("null", where, "leave the key out", strict=True)
            utf8_faults(inner, faults, where)
            utf8_faults(key, faults, where)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            utf8_faults(inner, faults, f"{path}.{place}")
