"""Prices: what models cost, from a dated table of the makers' public price pages, and what a reply cost by them. Pure.

The table is ``resources/models/prices.json``. It holds for the maker's own address alone: whoever else serves the
same model has prices of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from sam_py.messages.usage import Usage
from sam_py.paths import resources
from sam_py.providers.base import Price
from sam_py.providers.hosts import is_same_machine

_MILLION = 1_000_000
# What may follow a name that is in the table and still mean the same model: a date, a number of a build, a mark.
_VERSION = re.compile(r"^(-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{2}-\d{4}|-\d{2}-\d{2}|-\d{3,4}|-latest|-preview|-exp|@\d{8})*$")


@dataclass(frozen=True, slots=True)
class KnownPrice:
    """A price and where it is from. Above `long_above_tokens` of prompt, `long` holds for the whole request.

    `as_of` is the month of a price of the table ("2026-03"); empty where the provider's own list said it.
    """

    price: Price
    source: str = ""
    as_of: str = ""
    long: Price | None = None
    long_above_tokens: int = 0

    @property
    def is_listed(self) -> bool:
        """Whether the provider's own list of models said it."""
        return not self.as_of


FREE = KnownPrice(Price(input=0.0, output=0.0), source="this computer")
"""What runs on this computer charges nothing."""


def known_price(base_url: str, model: str) -> KnownPrice | None:
    """The price of `model` at an address by the table; None where it is not known.

    >>> known_price("https://api.openai.com/v1", "gpt-4o-2024-11-20").price.output
    10
    >>> known_price("https://api.example.com/v1", "gpt-4o") is None
    True
    """
    if is_same_machine(base_url):
        return FREE
    models = _table().get(_host(base_url))
    if models is None:
        return None
    name = model.removeprefix("models/")
    best = max((each for each in models if _names(each, name)), key=len, default=None)
    return models[best] if best is not None else None


def cost_usd(usage: Usage, known: KnownPrice) -> float | None:
    """What `usage` costs at a price; None where tokens or prices that it takes are not known.

    >>> cost_usd(Usage(input_tokens=1_000_000, output_tokens=100_000), KnownPrice(Price(input=2.0, output=8.0)))
    2.8
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    price = known.price
    if known.long is not None and usage.input_tokens > known.long_above_tokens:
        price = known.long
    if price.input is None or price.output is None:
        return None
    cached = min(usage.cached_input_tokens or 0, usage.input_tokens)
    written = min(usage.cache_write_tokens or 0, usage.input_tokens - cached)
    fresh = usage.input_tokens - cached - written
    parts = (
        fresh * price.input,
        cached * (price.input if price.cached_input is None else price.cached_input),
        written * (price.input if price.cache_write is None else price.cache_write),
        usage.output_tokens * price.output,
    )
    return sum(parts) / _MILLION


def _names(name: str, model: str) -> bool:
    """Whether `model` is the one called `name`, in some version of it."""
    return model == name or (model.startswith(name) and bool(_VERSION.match(model[len(name) :])))


@cache
def _table() -> Mapping[str, Mapping[str, KnownPrice]]:
    """Host → model → price."""
    document = json.loads((resources() / "models" / "prices.json").read_text(encoding="utf-8"))
    table: dict[str, dict[str, KnownPrice]] = {}
    for maker in document["makers"]:
        models = {entry["id"]: _known(entry, maker) for entry in maker["models"]}
        for host in maker["hosts"]:
            table[host] = models
    return table


def _known(entry: Mapping[str, Any], maker: Mapping[str, Any]) -> KnownPrice:
    long = entry.get("long")
    return KnownPrice(
        price=_price(entry),
        source=maker["source"],
        as_of=maker["as_of"],
        long=_price(long) if long else None,
        long_above_tokens=long["above_tokens"] if long else 0,
    )


def _price(entry: Mapping[str, Any]) -> Price:
    return Price(
        input=entry.get("input"),
        output=entry.get("output"),
        cached_input=entry.get("cached_input"),
        cache_write=entry.get("cache_write"),
    )


def _host(base_url: str) -> str:
    try:
        return (urlsplit(base_url).hostname or "").lower()
    except ValueError:
        return ""
