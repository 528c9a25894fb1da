"""NumberField: a number between two ends, or nothing; what is not one is said beside it and not kept."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.icons import Icons

_LARGEST = 10**9


class NumberField(QLineEdit):
    """`kept` comes with the number, or None for nothing, when the field is left. `error` is placed by its owner."""

    kept = Signal(object)

    def __init__(self, icons: Icons, least: float, most: float | None, *, whole: bool, fault: str) -> None:
        super().__init__()
        self.error = Words(icons, small=True)
        self.error.hide()
        self._least, self._most, self._whole, self._fault = least, most, whole, fault
        self._value: float | None = None
        self.editingFinished.connect(self.keep)

    def show_value(self, value: float | None) -> None:
        """Bring the field to a value; one that is being typed in stays."""
        self._value = value
        if not self.hasFocus() and not self.isModified():
            self.setText("" if value is None else f"{value:g}" if isinstance(value, float) else str(value))

    def keep(self) -> None:
        """Take what was typed. A fault stays in the field."""
        text = self.text().strip().replace(",", ".")
        value = self._read(text) if text else None
        if text and value is None:
            self.error.say(self._fault, "error")
            return
        self.error.say("")
        self.setModified(False)
        if value != self._value:
            self._value = value
            self.kept.emit(value)

    def _read(self, text: str) -> float | None:
        if self._whole and not (text.isascii() and text.isdigit()):
            return None
        try:
            value = int(text) if self._whole else float(text)
        except ValueError:
            return None
        return value if self._least <= value <= (_LARGEST if self._most is None else self._most) else None
