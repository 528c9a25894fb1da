"""ImageSettingsBox: which account makes pictures for models, with which model, how large and how well."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCompleter, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.settings.model import ImageSettings, Settings
from sam_py.tools.image_service import SUGGESTED, ImageService, can_make_images, chosen_service, image_model
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Words
from sam_py.ui.widgets.plain import one_line

_SIZES = ("256x256", "512x512", "1024x1024")
_MADE_BY = ("image", "dall-e", "flux", "diffusion", "sdxl", "cogview", "imagen")
"""What the names of models that make pictures hold."""


class ImageSettingsBox(QWidget):
    """Changes count at once. What the chosen model does not take is not shown."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services
        icons = services.icons
        self.account = Choice(icons, self.tr("Made by"))
        self.model = QLineEdit()
        self.model.setAccessibleName(self.tr("Model for pictures"))
        self.quality = Choice(icons, self.tr("Quality"))
        self.pixels = Choice(icons, self.tr("Size"))
        self.note = Words(icons, role="muted", small=True)
        self._fields = QGridLayout()
        self._fields.setHorizontalSpacing(24)
        self._fields.setVerticalSpacing(10)
        self._fields.setColumnStretch(0, 1)
        self._names: dict[QWidget, Words] = {}
        for row, (name, field) in enumerate(
            (
                (self.tr("Made by"), self.account),
                (self.tr("Model"), self.model),
                (self.tr("Quality"), self.quality),
                (self.tr("Size"), self.pixels),
            )
        ):
            words = self._names[field] = Words(icons, name)
            words.setBuddy(field)
            self._fields.addWidget(words, row, 0)
            self._fields.addWidget(field, row, 1, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(self._fields)
        column.addWidget(self.note)
        self.account.chosen.connect(self._choose_account)
        self.model.editingFinished.connect(self._keep_model)
        self.quality.chosen.connect(lambda value: self._change(quality=value))
        self.pixels.chosen.connect(lambda value: self._change(size=value))

    def show_settings(self, settings: Settings) -> None:
        images = settings.tools.images
        accounts = [account for account in settings.providers if can_make_images(account)]
        nobody: list[tuple[object, str]] = [("", self.tr("Nobody"))]
        self.account.set_values(nobody + [(each.id, one_line(each.label) or each.id) for each in accounts])
        is_there = any(each.id == images.provider for each in accounts)
        self.account.show_value(images.provider if is_there else "")
        self.account.setEnabled(bool(accounts))
        if not self.model.isModified() and self.model.text() != images.model:
            self.model.setText(images.model)
        self._suggest(settings, images.provider)
        self._show_choices(images)
        for field in (self.model, self.quality, self.pixels):
            shown = is_there and (not isinstance(field, Choice) or field.count() > 1)
            field.setVisible(shown)
            self._names[field].setVisible(shown)
        self.model.setFixedWidth(self.account.sizeHint().width())
        self.note.say(self._note(settings, has_accounts=bool(accounts), is_there=is_there))

    def leave(self) -> None:
        """Keep what is being typed."""
        self._keep_model()

    # Inside

    def _show_choices(self, images: ImageSettings) -> None:
        takes = image_model(images.model)
        decides: list[tuple[object, str]] = [("", self.tr("The service decides"))]
        self.quality.set_values(decides + [(each, self._quality_words(each)) for each in takes.qualities])
        self.quality.show_value(images.quality if images.quality in takes.qualities else "")
        fits: list[tuple[object, str]] = [("", self.tr("As the picture wants"))]
        sizes = _SIZES if takes.takes_size and not takes.qualities else ()
        if images.size and takes.takes_size and images.size not in sizes:
            sizes = (*sizes, images.size)
        self.pixels.set_values(fits + [(each, each.replace("x", " × ")) for each in sizes])
        self.pixels.show_value(images.size if takes.takes_size else "")

    def _suggest(self, settings: Settings, provider: str) -> None:
        account = settings.provider(provider)
        names = list(SUGGESTED.get(account.preset, ())) if account is not None else []
        listed = account.models if account is not None else ()
        names += [each for each in listed if each not in names and any(word in each.lower() for word in _MADE_BY)]
        before = self.model.completer()
        if before is not None and before.property("names") == names:
            return
        completer = QCompleter(names, self.model)
        completer.setProperty("names", names)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.model.setCompleter(completer)
        self.model.setPlaceholderText(names[0] if names else self.tr("The model's name"))

    def _quality_words(self, quality: str) -> str:
        known = {
            "low": self.tr("Low"),
            "medium": self.tr("Medium"),
            "high": self.tr("High"),
            "standard": self.tr("Standard"),
            "hd": self.tr("High (HD)"),
        }
        return known.get(quality, quality)

    def _note(self, settings: Settings, *, has_accounts: bool, is_there: bool) -> str:
        if not has_accounts:
            return self.tr(
                "Pictures are made by accounts of OpenAI, xAI, Together and by servers with an images endpoint in "
                "OpenAI's way. There is none among your providers yet."
            )
        if not is_there:
            return self.tr("Nobody makes pictures until you choose an account.")
        service = chosen_service(settings)
        if service is None:
            return self.tr("Enter the model that makes the pictures.")
        return self._cost(service)

    def _cost(self, service: ImageService) -> str:
        asks = self.tr("Each picture asks you first, with its price where that is known.")
        if not service.is_paid:
            return self.tr("This computer makes them. %1").replace("%1", asks)
        words = self.tr("A square one: %1. %2")
        return words.replace("%1", service.cost_words("square")).replace("%2", asks)

    def _choose_account(self, provider: object) -> None:
        account = self._services.settings.current.provider(str(provider))
        suggested = SUGGESTED.get(account.preset, ()) if account is not None else ()
        self.model.setModified(False)
        self._change(provider=provider, model=suggested[0] if suggested else "", quality="", size="")

    def _keep_model(self) -> None:
        if self.model.isModified():
            self.model.setModified(False)
            self._change(model=self.model.text().strip())

    def _change(self, **fields: Any) -> None:
        def change(settings: Settings) -> Settings:
            images = ImageSettings.model_validate({**dict(settings.tools.images), **fields})
            tools = settings.tools.model_copy(update={"images": images})
            return settings.model_copy(update={"tools": tools})

        self._services.settings.change(change)
