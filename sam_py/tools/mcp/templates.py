"""Addresses with places to fill in (RFC 6570), as far as servers use them: ``{name}`` and ``{+path}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from sam_py.errors import SamError

_PLACE = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"\+?[A-Za-z0-9_.%-]+\*?\Z")
_RESERVED = ":/?#[]@!$&'()*+,;="


class TemplateError(SamError):
    """An address that cannot be filled in here."""


def places(template: str) -> tuple[str, ...]:
    """The names to fill in, each once. Raises `TemplateError` for a form that is not known here.

    >>> places("repo://{owner}/{+path}{owner}")
    ('owner', 'path')
    """
    found: list[str] = []
    for inside in _PLACE.findall(template):
        for part in inside.split(","):
            if not _PLAIN.match(part):
                raise TemplateError(f"The address “{template[:200]}” has a form that is not known here: {{{inside}}}.")
            name = part.strip("+*")
            if name not in found:
                found.append(name)
    return tuple(found)


def filled(template: str, values: Mapping[str, str]) -> str:
    """`template` with `values` in its places, coded as the standard says. Raises `TemplateError`.

    >>> filled("file:///{name}/{+path}", {"name": "a b/c", "path": "x/y z"})
    'file:///a%20b%2Fc/x/y%20z'
    """
    places(template)

    def value_of(match: re.Match[str]) -> str:
        safe = _RESERVED if match[1].startswith("+") else ""
        return ",".join(quote(values.get(part.strip("+*"), ""), safe=safe) for part in match[1].split(","))

    return _PLACE.sub(value_of, template)
