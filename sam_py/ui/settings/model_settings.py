"""Fields for what a model is asked with: temperature, top-p, the longest reply and request, how hard to think."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QCoreApplication

from sam_py.providers.base import Effort
from sam_py.ui.settings.number_field import NumberField
from sam_py.ui.widgets.icons import Icons


def temperature_field(icons: Icons) -> NumberField:
    return NumberField(icons, 0, 2, whole=False, fault=_("Enter a number from 0 to 2, or nothing."))


def top_p_field(icons: Icons) -> NumberField:
    return NumberField(icons, 0, 1, whole=False, fault=_("Enter a number from 0 to 1, or nothing."))


def max_tokens_field(icons: Icons) -> NumberField:
    return NumberField(icons, 1, None, whole=True, fault=_("Enter a whole number above 0, or nothing."))


def context_tokens_field(icons: Icons) -> NumberField:
    field = NumberField(icons, 1024, None, whole=True, fault=_("Enter a whole number from 1024 on, or nothing."))
    field.setPlaceholderText(_("As much as the model takes"))
    return field


def effort_words(effort: Effort) -> str:
    match effort:
        case "none":
            return _("Not at all")
        case "minimal":
            return _("Hardly")
        case "low":
            return _("A little")
        case "medium":
            return _("Medium")
        case "high":
            return _("Hard")
        case "xhigh":
            return _("Very hard")
        case "max":
            return _("As hard as it can")
        case _:
            assert_never(effort)


def _(text: str) -> str:
    return QCoreApplication.translate("ModelSettings", text)
