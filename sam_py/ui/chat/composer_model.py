"""ModelButton: names the model that the next message goes to; pressed, it offers the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.ui.chat.model_facts import ModelKnowledge
from sam_py.ui.chat.model_names import GUIDE, model_name
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.ui.chat.model_picker import ModelPicker

_Models = tuple[Sequence[ProviderSettings], ModelChoice, Sequence[ModelChoice], ModelKnowledge | None]


class ModelButton(PillButton):
    """Its picker is made when it is first wanted: the first paint does not need it."""

    menu_requested = Signal()
    """The picker is about to open: whoever knows the models may still `set_models`."""
    model_chosen = Signal(str, str)
    """provider id, model id"""
    refresh_requested = Signal()
    add_provider_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(
            icons,
            "",
            icon="model",
            trailing_icon="chevron-down",
            label=self.tr("Choose the model"),
            max_width_px=280,
            parent=parent,
        )
        self._picker: ModelPicker | None = None
        self._models: _Models = ((), ModelChoice(provider=GUIDE, model=GUIDE), (), None)
        self.placeholder = self.tr("Message")
        """What stands in the empty text box while this model is chosen."""

    def set_models(
        self,
        providers: Sequence[ProviderSettings],
        current: ModelChoice,
        recent: Sequence[ModelChoice] = (),
        known: ModelKnowledge | None = None,
    ) -> None:
        """Offer these models, and name `current` as the one that the next message goes to."""
        self._models = (providers, current, recent, known)
        if self._picker is not None:
            self._picker.set_models(*self._models)
        if current.provider == GUIDE:
            self.set_model(self.tr("Offline guide"), "guide")
        else:
            self.set_model(model_name(current.model), "model")

    def set_model(self, label: str, icon: str = "model") -> None:
        """Name the model that the next message goes to."""
        words = self.tr("Message {model}").format(model=label) if label else self.tr("Message")
        self.placeholder = self.tr("Ask the offline guide") if icon == "guide" else words
        self.set_words(label or self.tr("Choose a model"), icon=icon)
        self.set_label(self.tr("Model: {name}. Choose another").format(name=label or self.tr("none")))

    def open_picker(self) -> None:
        self.menu_requested.emit()
        self.picker.popup(self)

    @property
    def picker(self) -> ModelPicker:
        if self._picker is None:
            from sam_py.ui.chat.model_picker import ModelPicker

            self._picker = ModelPicker(self._icons, self)
            self._picker.set_models(*self._models)
            self._picker.model_chosen.connect(self.model_chosen)
            self._picker.refresh_requested.connect(self.refresh_requested)
            self._picker.add_provider_requested.connect(self.add_provider_requested)
        return self._picker
