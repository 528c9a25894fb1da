"""ServerEditor: a server's fields; what looks like a secret goes to the keyring, and what was there is never shown."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.settings.model import McpServerSettings
from sam_py.ui.settings.fields import Stepper, Words
from sam_py.ui.settings.server_text import TextField
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

IN_KEYRING = "(in the keyring)"
"""What stands for a secret here: kept as it is, it stays the secret that it was."""
_LINE_BREAK = "⏎"
"""What stands for a line break within a value: here each value has one line."""


class ServerEditor(QDialog):
    """`accepted` means `server`: as it was edited, its new secrets still in it."""

    def __init__(self, icons: Icons, server: McpServerSettings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Edit a server"))
        self.server = server
        self._icons = icons
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 20, 24, 16)
        self._column.setSpacing(6)
        self.label = self._line(self.tr("Name"), server.label)
        self._references = _references({**server.env, **server.headers})
        if server.url:
            self._add_address(server)
        else:
            self._add_program(server)
        self._add_times(server)
        self.problem = Words(icons, small=True)
        self.problem.hide()
        self._column.addWidget(self.problem)
        self._add_buttons()
        scale = icons.themes.current.scale
        self.resize(round(560 * scale), round((420 if server.url else 600) * scale))
        self.label.setFocus()

    def keep(self) -> None:
        """Close with what stands in the fields; where it cannot be read, say so and stay."""
        update = self._read()
        if update is not None:
            self.server = self.server.model_copy(update=update)
            self.accept()

    # Inside

    def _add_program(self, server: McpServerSettings) -> None:
        self.command = self._line(self.tr("Program"), server.command)
        hint = self.tr("One in each line; what stands in a line goes to the program as it is, blanks included.")
        self.args = self._lines(
            self.tr("Arguments"), "\n".join(each.replace("\n", _LINE_BREAK) for each in server.args), hint
        )
        self.cwd = self._line(self.tr("Folder that it starts in (empty: a default)"), server.cwd)
        hint = self.tr("NAME=value, one in each line. Keys, tokens and passwords go to the system keyring.")
        self.env = self._lines(self.tr("Variables"), _as_lines(server.env, "=", self._references), hint)

    def _add_address(self, server: McpServerSettings) -> None:
        self.url = self._line(self.tr("Address"), server.url)
        hint = self.tr("Name: value, one in each line. The values go to the system keyring.")
        self.headers = self._lines(self.tr("Headers"), _as_lines(server.headers, ": ", self._references), hint)

    def _add_times(self, server: McpServerSettings) -> None:
        def seconds(value: int) -> str:
            return self.tr("%1 s").replace("%1", str(value))

        self.start_s = Stepper(self._icons, self.tr("It may take so long to start"), 5, 600, 5, seconds)
        self.call_s = Stepper(self._icons, self.tr("A call may take so long"), 5, 3600, 15, seconds)
        for field, value, name in (
            (self.start_s, server.start_s, self.tr("It may take so long to start")),
            (self.call_s, server.call_s, self.tr("A call may take so long")),
        ):
            field.show_value(round(value))
            row = QHBoxLayout()
            row.addWidget(Words(self._icons, name), 1)
            row.addWidget(field)
            self._column.addLayout(row)

    def _add_buttons(self) -> None:
        row = QHBoxLayout()
        row.addStretch(1)
        cancel = PillButton(self._icons, self.tr("Cancel"), kind="outline")
        cancel.clicked.connect(self.reject)
        self.save = PillButton(self._icons, self.tr("Save"), kind="accent")
        self.save.clicked.connect(self.keep)
        row.addWidget(cancel)
        row.addWidget(self.save)
        self._column.addSpacing(8)
        self._column.addLayout(row)

    def _line(self, name: str, value: str) -> QLineEdit:
        field = QLineEdit(value)
        field.setAccessibleName(name)
        self._column.addWidget(Words(self._icons, name))
        self._column.addWidget(field)
        return field

    def _lines(self, name: str, value: str, hint: str) -> TextField:
        field = TextField(self._icons, name, value)
        field.setAccessibleDescription(hint)
        self._column.addWidget(Words(self._icons, name))
        self._column.addWidget(field, 1)
        self._column.addWidget(Words(self._icons, hint, role="muted", small=True))
        return field

    def _read(self) -> dict[str, object] | None:
        label = self.label.text().strip()
        update: dict[str, object] = {"label": label or self.server.label}
        for name, field in (("start_s", self.start_s), ("call_s", self.call_s)):
            if field.value != round(getattr(self.server, name)):
                update[name] = float(field.value)
        try:
            if self.server.url:
                update["url"] = self._needed(self.url, self.tr("Give the address of the server."))
                update["headers"] = self._values(self.headers, ":")
            else:
                update["command"] = self._needed(self.command, self.tr("Give the program that is the server."))
                text = self.args.toPlainText()
                update["args"] = tuple(each.replace(_LINE_BREAK, "\n") for each in text.split("\n")) if text else ()
                update["cwd"] = self.cwd.text().strip()
                update["env"] = self._values(self.env, "=")
        except _Unreadable as fault:
            self.problem.say(str(fault), "error")
            return None
        return update

    def _needed(self, field: QLineEdit, sentence: str) -> str:
        if not field.text().strip():
            raise _Unreadable(sentence)
        return field.text().strip()

    def _values(self, field: TextField, between: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in filter(str.strip, field.toPlainText().split("\n")):
            name, mark, value = line.partition(between)
            name = name.strip()
            if not name or not mark:
                said = self.tr("“%1” is not understood: a name, then “%2”, then the value.").replace("%2", between)
                raise _Unreadable(said.replace("%1", line.strip()[:80]))
            if name in found:
                raise _Unreadable(self.tr("“%1” is there twice. Leave one of them.").replace("%1", name[:80]))
            value = (value.strip() if between == ":" else value).replace(_LINE_BREAK, "\n")
            if IN_KEYRING in value:
                if name not in self._references:
                    said = self.tr("The keyring has no value for “%1”. Enter it in place of “%2”.")
                    raise _Unreadable(said.replace("%2", IN_KEYRING).replace("%1", name[:80]))
                value = value.replace(IN_KEYRING, self._references[name])
            found[name] = value
        return found


class _Unreadable(Exception):
    """What stands in a field cannot be taken; the words are for the person."""


def _references(values: Mapping[str, str]) -> dict[str, str]:
    """By name, what stands in the settings for the secret of it."""
    from sam_py.tools.mcp.secrets import reference, referenced

    found = {}
    for name, value in values.items():
        for secret in referenced({name: value})[:1]:
            found[name] = reference(secret)
    return found


def _as_lines(values: Mapping[str, str], between: str, references: Mapping[str, str]) -> str:
    lines = []
    for name, value in values.items():
        shown = value.replace(references[name], IN_KEYRING) if name in references else value
        lines.append(f"{name}{between}{shown}".replace("\n", _LINE_BREAK))
    return "\n".join(lines)
