"""ServerImport: takes the usual ``mcpServers`` JSON and adds its servers, switched off; secrets go to the keyring."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.settings.model import McpServerSettings
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.server_secrets import without_secrets
from sam_py.ui.settings.server_text import TextField
from sam_py.ui.widgets.buttons import PillButton

_EXAMPLE = '{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"]}}}'


class ServerImport(QDialog):
    """What could not be read is said; the dialog stays open then, with what was pasted."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Add servers"))
        scale = services.themes.current.scale
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        said = self.tr(
            "Paste what the server's own page says for other programs, or open the file of one. Nothing starts before "
            "you agree."
        )
        column.addWidget(Words(services.icons, said))
        self.text = TextField(services.icons, self.tr("Servers as JSON"))
        self.text.setPlaceholderText(_EXAMPLE)
        column.addWidget(self.text, 1)
        self.problem = Words(services.icons, small=True)
        self.problem.hide()
        column.addWidget(self.problem)
        row = QHBoxLayout()
        self.open_file = PillButton(services.icons, self.tr("Open a file…"), kind="outline", icon="folder-open")
        self.open_file.clicked.connect(self._choose_file)
        row.addWidget(self.open_file)
        row.addStretch(1)
        self._cancel = cancel = PillButton(services.icons, self.tr("Cancel"), kind="outline")
        cancel.clicked.connect(self.reject)
        self.add = PillButton(services.icons, self.tr("Add"), kind="accent")
        self.add.clicked.connect(self.read)
        row.addWidget(cancel)
        row.addWidget(self.add)
        column.addLayout(row)
        self.resize(round(560 * scale), round(380 * scale))
        self.text.setFocus()

    def read_file(self, path: str) -> None:
        """Show what the file holds, to be looked at and added."""
        from sam_py.tools.mcp.config import LARGEST

        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read(LARGEST + 1)
        except OSError as error:
            said = self.tr("The file cannot be read: %1").replace("%1", error.strerror or str(error))
            self.problem.say(made_visible(said), "error")
            return
        self.problem.say("")
        self.text.setPlainText(text)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("A file with servers"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Servers (*.json)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(self.read_file)
        dialog.open()

    def read(self) -> None:
        """Add what was pasted; close where all of it could be used."""
        from sam_py.tools.mcp.config import parse_servers

        taken = [each.id for each in self._services.settings.current.mcp_servers]
        try:
            found = parse_servers(self.text.toPlainText(), taken)
        except SamError as error:
            self.problem.say(made_visible(str(error)), "error")
            return
        self.add.setEnabled(False)
        self._services.tasks.spawn(self._add(found.servers, list(found.problems)), "add servers")

    async def _add(self, servers: tuple[McpServerSettings, ...], problems: list[str]) -> None:
        """Keep secrets in the keyring, the rest in the settings."""
        secrets = self._services.secrets
        kept = tuple([await without_secrets(server, secrets, problems) for server in servers])
        self._services.settings.change(lambda now: now.model_copy(update={"mcp_servers": (*now.mcp_servers, *kept)}))
        if not shiboken6.isValid(self):
            return
        self.add.setEnabled(True)
        if problems:
            self.problem.say(made_visible("\n".join(problems)), "warning")
            self.text.clear()
            self._cancel.set_words(self.tr("Close"))
        else:
            self.accept()
