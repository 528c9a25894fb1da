"""Model facts: what a model can do, takes and costs, as icons and words for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.messages.turn import Limits
from sam_py.providers.prices import FREE, KnownPrice
from sam_py.settings.model import ModelChoice


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """`label` is what the provider calls the model; empty: nothing else than its id."""

    limits: Limits
    price: KnownPrice | None = None
    label: str = ""


class ModelKnowledge(Protocol):
    """Where the picker learns of models, and keeps favourites."""

    @property
    def favourites(self) -> Sequence[ModelChoice]: ...
    def is_local(self, provider_id: str) -> bool:
        """Whether the provider runs on this computer."""
        ...

    def facts_of(self, provider_id: str, model: str) -> ModelFacts: ...
    def toggle_favourite(self, choice: ModelChoice) -> None: ...


def capabilities(limits: Limits) -> list[tuple[str, str]]:
    """An icon and its name for each thing that a model can do beside writing."""
    known = (
        (limits.images, "eye", _tr("sees pictures")),
        (limits.pdfs, "pdf", _tr("reads PDFs")),
        (limits.tools, "tool", _tr("uses tools")),
        (limits.thinking, "thinking", _tr("thinks")),
        (limits.draws, "brush", _tr("draws")),
    )
    return [(icon, name) for can, icon, name in known if can]


def context_words(limits: Limits) -> str:
    """How much the model takes in: ``128k context``."""
    if limits.context_tokens is None:
        return _tr("context not known")
    return _tr("{size} context").format(size=short_count(limits.context_tokens))


def price_words(known: KnownPrice | None) -> str:
    """Reading and writing a million tokens: ``$2.50 in, $10 out``."""
    if known is FREE:
        return _tr("free, it runs here")
    if known is None or known.price.input is None or known.price.output is None:
        return _tr("price not known")
    if not known.price.input and not known.price.output:
        return _tr("free")
    return _tr("{input} in, {output} out").format(
        input=_dollars(known.price.input), output=_dollars(known.price.output)
    )


def price_explained(known: KnownPrice | None) -> str:
    """What the words leave out, for a tooltip."""
    if known is None or known is FREE:
        return ""
    if known.is_listed:
        return _tr("Price for a million tokens, from the provider's list")
    words = _tr("Price for a million tokens as of {month}, from {source}")
    return words.format(month=known.as_of, source=known.source.removeprefix("https://"))


def short_count(tokens: int) -> str:
    """A number of tokens in three digits or so.

    >>> short_count(131072), short_count(1_048_576), short_count(512)
    ('131k', '1M', '512')
    """
    if tokens < 1000:
        return str(tokens)
    if tokens < 1_000_000:
        return f"{round(tokens / 1000)}k"
    millions = round(tokens / 1_000_000, 1)
    return f"{millions:g}M" if millions != int(millions) else f"{int(millions)}M"


def _dollars(usd: float) -> str:
    """
    >>> QLocale.setDefault(QLocale.c()); _dollars(2.5), _dollars(10.0), _dollars(0.075), _dollars(0)
    ('$2.50', '$10', '$0.075', '$0')
    """
    if usd == int(usd):
        return f"${QLocale().toString(int(usd))}"
    places = 2 if round(usd, 2) == usd else 3
    return f"${QLocale().toString(float(usd), 'f', places)}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("ModelFacts", text)
