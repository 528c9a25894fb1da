"""AppearancePage: theme, text size, motion, and what stands under a reply."""

from __future__ import annotations

from sam_py.settings.model import Settings
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Stepper, Switch
from sam_py.ui.settings.page import SettingsPage


class AppearancePage(SettingsPage):
    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.theme = Choice(
            self.icons,
            self.tr("Theme"),
            [("system", self.tr("As the system")), ("light", self.tr("Light")), ("dark", self.tr("Dark"))],
        )
        self.text_scale = Stepper(self.icons, self.tr("Text size"), 80, 200, 10, lambda value: f"{value} %")
        self.reduced_motion = Switch(self.icons, self.tr("Less motion"))
        self.show_metrics = Switch(self.icons, self.tr("Model, time and tokens under each reply"))
        self.add_row(self.tr("Theme"), self.theme)
        self.add_row(self.tr("Text size"), self.text_scale, self.tr("Also with Ctrl + and Ctrl −; Ctrl 0 for 100 %."))
        self.add_row(
            self.tr("Less motion"), self.reduced_motion, self.tr("Nothing glides or pulses; all changes are at once.")
        )
        self.add_row(self.tr("Model, time and tokens under each reply"), self.show_metrics)
        self.column.addStretch(1)
        self.theme.chosen.connect(lambda value: self.change_appearance(theme=value))
        self.text_scale.changed.connect(lambda value: self.change_appearance(text_scale=value))
        self.reduced_motion.switched.connect(lambda on: self.change_appearance(reduced_motion=on))
        self.show_metrics.switched.connect(lambda on: self.change_appearance(show_metrics=on))

    def show_settings(self, settings: Settings) -> None:
        appearance = settings.appearance
        self.theme.show_value(appearance.theme)
        self.text_scale.show_value(appearance.text_scale)
        self.reduced_motion.setChecked(appearance.reduced_motion)
        self.show_metrics.setChecked(appearance.show_metrics)
