"""ProviderOffers: which models there are, what they are called, which servers run here, and links and pictures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from sam_py.errors import SamError
from sam_py.messages.turn import Limits
from sam_py.providers.base import ModelInfo
from sam_py.providers.prices import KnownPrice
from sam_py.settings.model import ChatSettings, ModelChoice, ProviderSettings, Settings
from sam_py.ui.chat.model_facts import ModelFacts
from sam_py.ui.services import Services
from sam_py.ui.settings.account import is_local

if TYPE_CHECKING:
    from sam_py.providers.local import FoundServer

log = logging.getLogger(__name__)

_LOOK_AFTER_S = 0.2
"""The window is painted by then: what looks for servers takes as long to load as all of the sidebar."""


class ProviderOffers(QObject):
    """The window's view of the registry."""

    changed = Signal()
    chosen = Signal(str, str)
    """provider, model: to be used in the conversation that is shown"""
    failed = Signal(str)
    """A sentence about what could not be done."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services

    def label_of(self, provider_id: str, model: str) -> str:
        """What a person calls the model: the guide by its name, others by the model's id without its path."""
        if not provider_id and not model:
            return ""
        if provider_id == "guide":
            return self.tr("Offline guide")
        name = model.rsplit("/", 1)[-1]
        name = name.removesuffix(".gguf")
        if name:
            return name
        settings = self._services.settings.current.provider(provider_id)
        return settings.label if settings is not None else provider_id

    def provider_label(self, provider_id: str) -> str:
        """What the person called the account; its id where it is gone."""
        settings = self._services.settings.current.provider(provider_id)
        return settings.label if settings is not None and settings.label else provider_id

    def price_of(self, provider_id: str, model: str) -> KnownPrice | None:
        settings = self._services.settings.current.provider(provider_id)
        return self._services.catalogue.price(settings, model) if settings is not None else None

    # What the model picker asks (`model_facts.ModelKnowledge`)

    @property
    def favourites(self) -> Sequence[ModelChoice]:
        return self._services.settings.current.chat.favourites

    def is_local(self, provider_id: str) -> bool:
        settings = self._services.settings.current.provider(provider_id)
        return settings is not None and is_local(settings)

    def facts_of(self, provider_id: str, model: str) -> ModelFacts:
        settings = self._services.settings.current.provider(provider_id)
        listed = self._services.catalogue.listed(settings, model) if settings is not None else None
        price = self.price_of(provider_id, model)
        if listed is not None:  # nothing of the provider is loaded for what its list said
            return ModelFacts(listed.limits, price, listed.label)
        try:
            return ModelFacts(self._services.registry.get(provider_id).limits_of(model), price)
        except SamError:  # of a provider that is switched off, or of a wire that this version does not speak
            return ModelFacts(Limits(), price)

    def toggle_favourite(self, choice: ModelChoice) -> None:
        now = self.favourites
        after = tuple(each for each in now if each != choice) if choice in now else (*now, choice)

        def change(settings: Settings) -> Settings:
            return settings.model_copy(update={"chat": settings.chat.model_copy(update={"favourites": after})})

        self._services.settings.change(change)

    def refresh(self) -> None:
        """Settings changed."""
        self.changed.emit()

    def ask_everyone(self) -> None:
        """Ask all providers for their models anew; who does not answer keeps the old list and says so."""
        for settings in self._services.settings.current.providers:
            if settings.enabled:
                self._services.tasks.spawn(self.ask_for_models(settings.id), f"list the models of {settings.id}")

    def learn_limits(self) -> None:
        """Ask the servers of this machine what their models can take; one that does not answer now is asked later."""
        for settings in self._services.settings.current.providers:
            if settings.enabled and not settings.needs_key:
                self._services.tasks.spawn(self._learn(settings.id), f"limits of {settings.id}")

    async def _learn(self, provider_id: str) -> None:
        try:
            await self._list(provider_id)
        except SamError as error:
            log.info("the models of %s are not known yet: %s", provider_id, error)

    async def ask_for_models(self, provider_id: str) -> None:
        """Ask a provider for its models and remember them. Raises `SamError`."""
        models = tuple(model.id for model in await self._list(provider_id))
        self._change_provider(provider_id, lambda settings: settings.model_copy(update={"models": models}))
        self.changed.emit()  # what was learned of a model may be news where the list is not

    async def _list(self, provider_id: str) -> list[ModelInfo]:
        models = await self._services.registry.get(provider_id).list_models()
        account = self._services.settings.current.provider(provider_id)
        if account is not None:
            self._services.catalogue.keep(account, models)
        return models

    def remember_choice(self, provider_id: str, model: str) -> None:
        """New conversations begin with what was chosen last."""

        def change(settings: Settings) -> Settings:
            choice = ModelChoice(provider=provider_id, model=model)
            chat = ChatSettings.model_validate({**settings.chat.model_dump(), "default": choice})
            return settings.model_copy(update={"chat": chat})

        self._services.settings.change(change)
        self._change_provider(provider_id, lambda settings: settings.model_copy(update={"model": model}))

    def look_for_servers(self, show: Callable[[list[FoundServer]], None]) -> None:
        """Look for servers on this machine, unless the settings say not to."""
        if self._services.settings.current.detect_local_servers:
            self._services.tasks.spawn(self._look(show), "look for servers")

    def adopt_server(self, server: FoundServer) -> None:
        """Add a server that was found and use it at once."""
        existing = next(
            (each for each in self._services.settings.current.providers if each.base_url == server.base_url), None
        )
        model = server.models[0] if server.models else ""
        if existing is None:
            taken = {each.id for each in self._services.settings.current.providers}
            name = next(
                name for name in (server.preset, *(f"{server.preset}-{n}" for n in range(2, 99))) if name not in taken
            )
            existing = ProviderSettings(
                id=name,
                preset=server.preset,
                label=server.label,
                base_url=server.base_url,
                model=model,
                models=tuple(server.models),
            )
            added = existing
            self._services.settings.change(
                lambda settings: settings.model_copy(update={"providers": (*settings.providers, added)})
            )
        self.remember_choice(existing.id, model or existing.model)
        self.chosen.emit(existing.id, model or existing.model)

    def open_link(self, url: str) -> None:
        """Show where a link of a message leads and open it in the browser when the person agrees.

        Raises `SamError` for one that is not opened at all.
        """
        from sam_py.ui.links import open_url, safe_target
        from sam_py.ui.widgets.confirm import Confirm

        target = safe_target(url)
        if target is None:
            raise SamError(f"This link is not opened, because it leads to a program or a file: {url[:200]}")
        parent = self.parent()
        assert isinstance(parent, QWidget)
        title = self.tr("Open this address?")
        Confirm.ask(parent, self._services.icons, title, target, self.tr("Open"), lambda: open_url(target))

    def open_image(self, picture: object) -> None:
        """Show a `ShownPicture` large."""
        from sam_py.ui.chat.image_viewer import ImageViewer
        from sam_py.ui.chat.parts.pictures import ShownPicture

        parent = self.parent()
        assert isinstance(parent, QWidget)
        assert isinstance(picture, ShownPicture)
        name = picture.name or self.tr("Picture")
        viewer = ImageViewer(self._services.icons, picture.path, name, parent=parent)
        viewer.failed.connect(self.failed)
        viewer.finished.connect(viewer.deleteLater)
        viewer.open()

    def open_log(self) -> None:
        from sam_py.ui.links import open_folder

        open_folder(self._services.paths.logs)

    async def _look(self, show: Callable[[list[FoundServer]], None]) -> None:
        await asyncio.sleep(_LOOK_AFTER_S)
        known = {each.base_url for each in self._services.settings.current.providers}
        show([server for server in await self._services.find_servers() if server.base_url not in known])

    def _change_provider(self, provider_id: str, change: Callable[[ProviderSettings], ProviderSettings]) -> None:
        def replace(settings: Settings) -> Settings:
            providers = tuple(change(each) if each.id == provider_id else each for each in settings.providers)
            return settings.model_copy(update={"providers": providers})

        self._services.settings.change(replace)
