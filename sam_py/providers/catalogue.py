"""Catalogue: what is known of the models of the accounts: from the last listing, the price table, and names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from sam_py.providers.base import ModelInfo, Price
from sam_py.providers.presets import preset_of
from sam_py.providers.prices import FREE, KnownPrice, known_price
from sam_py.settings.model import ProviderSettings

if TYPE_CHECKING:
    from sam_py.settings.listings import ListedModel, Listings


class Catalogue:
    """Reads and keeps listings in the types of the providers. Lookups are O(1) after the first of an account."""

    def __init__(self, path: Path) -> None:
        """`path` is where listings are kept; it is read when first asked for."""
        self._path = path
        self._opened: Listings | None = None
        self._models: dict[tuple[str, str], dict[str, ModelInfo]] = {}

    def models(self, account: ProviderSettings) -> tuple[ModelInfo, ...]:
        """What the account's address said of its models when last asked; empty where it was not."""
        return tuple(self._of(account).values())

    def listed(self, account: ProviderSettings, model: str) -> ModelInfo | None:
        return self._of(account).get(model)

    def price(self, account: ProviderSettings, model: str) -> KnownPrice | None:
        """The price that the listing says, else that of the table for the account's address; None: not known."""
        listed = self.listed(account, model)
        if listed is not None and listed.price is not None:
            return KnownPrice(listed.price)
        address = account.base_url or preset_of(account.preset).base_url
        known = known_price(address, model)
        # A cloud model that a local program passes on has a price that nobody told us.
        return None if known is FREE and model.endswith("-cloud") else known

    def keep(self, account: ProviderSettings, models: Iterable[ModelInfo]) -> None:
        """Remember what the account answered, across restarts too."""
        models = tuple(models)
        self._models[account.id, account.base_url] = {model.id: model for model in models}
        self._listings.keep(account.id, account.base_url, [_written(model) for model in models])

    def close(self, accounts: Iterable[ProviderSettings] | None = None) -> None:
        """Forget what was said of other accounts than `accounts`, and wait until all is written. Blocks."""
        if self._opened is None:
            return
        if accounts is not None and self._models:  # else nothing was read, and nothing changes
            self._opened.keep_only([account.id for account in accounts])
        self._opened.close()

    @property
    def _listings(self) -> Listings:
        if self._opened is None:
            from sam_py.settings.listings import Listings  # the window opens without it

            self._opened = Listings(self._path)
        return self._opened

    def _of(self, account: ProviderSettings) -> dict[str, ModelInfo]:
        place = (account.id, account.base_url)
        if place not in self._models:
            listing = self._listings.of(*place)
            self._models[place] = {model.id: _read(model) for model in listing.models} if listing else {}
        return self._models[place]


def _written(model: ModelInfo) -> ListedModel:
    price = asdict(model.price) if model.price is not None else {}
    known = {kind: value for kind, value in price.items() if value is not None}
    from sam_py.settings.listings import ListedModel

    return ListedModel(id=model.id, label=model.label, limits=model.limits, price=known)


def _read(model: ListedModel) -> ModelInfo:
    """Kinds of prices that a newer version wrote are passed over."""
    kinds = Price.__dataclass_fields__
    price = Price(**{kind: value for kind, value in model.price.items() if kind in kinds}) if model.price else None
    return ModelInfo(id=model.id, label=model.label, limits=model.limits, price=price)
