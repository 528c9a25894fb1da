"""ServerForm: the values that a prompt or an address wants, with what the server proposes while one is typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QCompleter, QFormLayout, QLabel, QLineEdit, QListView, QWidget

from sam_py.tools.mcp.offer import PromptArgument
from sam_py.ui.chat.tool_words import visible_line
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.plain import tooltip

_PAUSE_MS = 250
"""After the last key, before the server is asked for proposals."""


class ServerForm(QWidget):
    """One line a value; those that must be given are marked. `asked` wants proposals for a field."""

    changed = Signal()
    submitted = Signal()
    asked = Signal(str, str)
    """argument, what was typed of it"""

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self.fields: dict[str, QLineEdit] = {}
        self._required: set[str] = set()
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(8)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        self._typed_in = ""

    @property
    def values(self) -> dict[str, str]:
        """What was given; a field that was left empty is not among it."""
        return {name: field.text() for name, field in self.fields.items() if field.text()}

    @property
    def is_complete(self) -> bool:
        return all(self.fields[name].text().strip() for name in self._required)

    def set_arguments(self, arguments: Sequence[PromptArgument]) -> None:
        """Ask for these, and for nothing else."""
        self._pause.stop()
        while self._form.rowCount():
            self._form.removeRow(0)
        self.fields.clear()
        self._required = {each.name for each in arguments if each.required}
        for each in arguments:
            name = visible_line(each.name)
            label = QLabel(f"{name} *" if each.required else name, self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            field = self.fields[each.name] = QLineEdit(self)
            field.setPlaceholderText(visible_line(each.description)[:120])
            field.setToolTip(tooltip(visible_line(each.description)))
            must = self.tr("%1, must be given").replace("%1", name)
            field.setAccessibleName(must if each.required else name)
            field.setAccessibleDescription(visible_line(each.description))
            field.setCompleter(self._completer(field))
            field.textChanged.connect(self.changed)
            field.textEdited.connect(self._edited(each.name))
            field.installEventFilter(self)
            field.returnPressed.connect(self._entered(field))
            self._form.addRow(label, field)
        self.setVisible(bool(arguments))
        self.changed.emit()

    def propose(self, argument: str, typed: str, values: Sequence[str]) -> None:
        """Offer `values`, if the person has not typed on since."""
        field = self.fields.get(argument)
        if field is None or field.text() != typed or not values or [*values] == [typed]:
            return
        completer = field.completer()
        model = completer.model()
        if isinstance(model, QStringListModel):
            model.setStringList(list(values))
        if field.hasFocus():
            completer.complete()

    def _completer(self, field: QLineEdit) -> QCompleter:
        colours = self._themes.current.palette
        completer = QCompleter(QStringListModel(field), field)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        popup = QListView(field)
        completer.setPopup(popup)
        popup.setStyleSheet(
            f"QAbstractItemView {{ background: {colours.raised}; color: {colours.text}; padding: 4px;"
            f" border: 1px solid {colours.border}; }}"
            f"QAbstractItemView::item {{ padding: 4px; }}"
            f"QAbstractItemView::item:selected {{ background: {colours.selected}; color: {colours.text}; }}"
        )
        return completer

    def _edited(self, argument: str) -> Callable[[], None]:
        def ask_soon() -> None:
            self._typed_in = argument
            self._pause.start()

        return ask_soon

    def _entered(self, field: QLineEdit) -> Callable[[], None]:
        def submit() -> None:
            popup = field.completer().popup()
            if popup is not None and popup.isVisible() and popup.currentIndex().isValid():
                return  # this Enter takes a proposal
            self.submitted.emit()

        return submit

    def _ask(self) -> None:
        field = self.fields.get(self._typed_in)
        if field is not None:
            self.asked.emit(self._typed_in, field.text())

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QLineEdit) and not watched.text():
            self._typed_in = next((name for name, field in self.fields.items() if field is watched), "")
            self._pause.start()
        return super().eventFilter(watched, event)
