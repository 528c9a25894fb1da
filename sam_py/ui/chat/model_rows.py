"""ModelRows: the lines of the model picker: favourites, recent ones, then every provider with its models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.ui.chat.model_facts import (
    ModelFacts,
    ModelKnowledge,
    capabilities,
    context_words,
    price_explained,
    price_words,
)
from sam_py.ui.chat.model_names import GUIDE, model_name
from sam_py.ui.widgets.plain import tooltip

SEARCH_FROM = 9
_RECENT_SHOWN = 3

Index = QModelIndex | QPersistentModelIndex


class PickerRow:
    """A line of the list: a provider's name, a model, or a note that there is none yet.

    `facts` are asked for when the line is first seen: a list of hundreds opens at once.
    """

    __slots__ = ("_facts", "_known", "choice", "current", "detail", "favourite", "kind", "label")

    def __init__(
        self,
        kind: Literal["header", "model", "note"],
        label: str,
        choice: ModelChoice | None = None,
        detail: str = "",
        current: bool = False,
        favourite: bool = False,
        known: ModelKnowledge | None = None,
    ) -> None:
        self.kind = kind
        self.label = label
        self.choice = choice
        self.detail = detail
        self.current = current
        self.favourite = favourite
        self._known = known
        self._facts: ModelFacts | None = None

    @property
    def facts(self) -> ModelFacts | None:
        if self._facts is None and self._known is not None and self.choice is not None:
            self._facts = self._known.facts_of(self.choice.provider, self.choice.model)
        return self._facts

    @property
    def has_facts(self) -> bool:
        return self._known is not None and self.choice is not None


class ModelRows(QAbstractListModel):
    """The rows that match what was typed; every word must occur in the model's or its provider's name, or in what
    the model can do."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._providers: tuple[ProviderSettings, ...] = ()
        self._current: ModelChoice | None = None
        self._recent: tuple[ModelChoice, ...] = ()
        self._known: ModelKnowledge | None = None
        self._favourites: frozenset[ModelChoice] = frozenset()
        self._words: dict[ModelChoice, str] = {}
        self._rows: list[PickerRow] = []

    def set_models(
        self,
        providers: Sequence[ProviderSettings],
        current: ModelChoice | None,
        recent: Sequence[ModelChoice],
        known: ModelKnowledge | None = None,
    ) -> None:
        offered = [provider for provider in providers if provider.enabled and provider.id != GUIDE]
        if known is not None:
            offered.sort(key=lambda provider: not known.is_local(provider.id))  # stable: else as the person has them
        self._providers = tuple(offered)
        self._current = current
        self._recent = tuple(recent)
        self._known = known
        self._favourites = frozenset(known.favourites) if known is not None else frozenset()
        self._words.clear()
        self.search("")

    @property
    def model_count(self) -> int:
        return sum(len(models_of(provider)) for provider in self._providers) + 1

    def search(self, words: str) -> None:
        self.beginResetModel()
        self._rows = self._matching(words.lower().split())
        self.endResetModel()

    def row(self, index: Index | int) -> PickerRow:
        return self._rows[index if isinstance(index, int) else index.row()]

    def first_choice(self) -> int:
        """The row to begin at: the current model, otherwise the first."""
        rows = [at for at, row in enumerate(self._rows) if row.choice is not None]
        return next((at for at in rows if self._rows[at].current), rows[0] if rows else -1)

    def place_of(self, choice: ModelChoice, near: int) -> int:
        """The row of `choice` that is nearest to `near`; -1 where it is not shown."""
        places = [at for at, row in enumerate(self._rows) if row.choice == choice]
        return min(places, key=lambda at: abs(at - near), default=-1)

    def toggle_favourite(self, choice: ModelChoice) -> None:
        if self._known is not None and choice.provider != GUIDE:
            self._known.toggle_favourite(choice)

    def _matching(self, words: list[str]) -> list[PickerRow]:
        rows: list[PickerRow] = []
        if not words:
            rows += self._favourite_rows()
            rows += self._recent_rows()
        for provider in self._providers:
            models = [model for model in models_of(provider) if self._has_all(words, provider, model)]
            if models:
                rows.append(PickerRow("header", provider.label))
                rows += [self._model_row(provider.id, model) for model in models]
            elif not words:
                rows.append(PickerRow("header", provider.label))
                rows.append(PickerRow("note", self.tr("No models listed yet. Refresh asks for them.")))
        guide = self.tr("Offline guide")
        if _all_in(words, guide):
            choice = ModelChoice(provider=GUIDE, model=GUIDE)
            rows.append(PickerRow("header", self.tr("Built in")))
            detail = self.tr("the handbook, no model")
            current = self._current is not None and self._current.provider == GUIDE
            rows.append(PickerRow("model", guide, choice, detail, current))
        return rows or [PickerRow("note", self.tr("No model has that name."))]

    def _has_all(self, words: list[str], provider: ProviderSettings, model: str) -> bool:
        if not words or _all_in(words, f"{model} {provider.label}"):
            return True
        choice = ModelChoice(provider=provider.id, model=model)
        if choice not in self._words:
            facts = self._known.facts_of(*_pair(choice)) if self._known is not None else None
            can = " ".join(name for _icon, name in capabilities(facts.limits)) if facts is not None else ""
            label = facts.label if facts is not None else ""
            self._words[choice] = f"{model} {provider.label} {label} {can}"
        return _all_in(words, self._words[choice])

    def _favourite_rows(self) -> list[PickerRow]:
        labels = {provider.id: provider.label for provider in self._providers}
        chosen = self._known.favourites if self._known is not None else ()
        rows = [
            self._model_row(*_pair(choice), labels[choice.provider]) for choice in chosen if choice.provider in labels
        ]
        return [PickerRow("header", self.tr("Favourites")), *rows] if rows else []

    def _recent_rows(self) -> list[PickerRow]:
        """Recently used ones come first, where there is more than a screen to choose from."""
        known = {(provider.id, model): provider for provider in self._providers for model in models_of(provider)}
        recent = [choice for choice in self._recent if _pair(choice) in known and choice not in self._favourites]
        if not recent or self.model_count < SEARCH_FROM:
            return []
        rows = [self._model_row(*_pair(choice), known[_pair(choice)].label) for choice in recent[:_RECENT_SHOWN]]
        return [PickerRow("header", self.tr("Recently used")), *rows]

    def _model_row(self, provider_id: str, model: str, detail: str = "") -> PickerRow:
        choice = ModelChoice(provider=provider_id, model=model)
        favourite = choice in self._favourites
        current = choice == self._current
        return PickerRow("model", model_name(model), choice, detail, current, favourite, self._known)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.row(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.label
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip("\n".join(self._told(row))) if row.choice else None
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(self._said(row))
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.row(index).choice is not None:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemNeverHasChildren

    def _told(self, row: PickerRow) -> list[str]:
        """The lines of a tooltip."""
        assert row.choice is not None
        lines = [row.choice.model]
        if row.facts is not None:
            can = ", ".join(name for _icon, name in capabilities(row.facts.limits))
            lines += [row.facts.label, can, context_words(row.facts.limits), price_words(row.facts.price)]
            lines.append(price_explained(row.facts.price))
        return [line for line in dict.fromkeys(lines) if line]

    def _said(self, row: PickerRow) -> list[str]:
        """What a screen reader says."""
        words = [row.label, row.detail]
        if row.facts is not None:
            words += [name for _icon, name in capabilities(row.facts.limits)]
            words += [context_words(row.facts.limits), price_words(row.facts.price)]
        words.append(self.tr("favourite") if row.favourite else "")
        words.append(self.tr("chosen") if row.current else "")
        return [word for word in words if word]


def models_of(provider: ProviderSettings) -> tuple[str, ...]:
    """What is known of a provider's models: the list, with the last chosen one in it."""
    if provider.model and provider.model not in provider.models:
        return (provider.model, *provider.models)
    return provider.models


def _pair(choice: ModelChoice) -> tuple[str, str]:
    return choice.provider, choice.model


def _all_in(words: list[str], text: str) -> bool:
    text = text.lower()
    return all(word in text for word in words)
