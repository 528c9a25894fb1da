"""ToolsPage: which tools models are offered, the folder that they may work in, and what was allowed for good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.settings.model import Settings, ToolSettings
from sam_py.tools.approval import Grant
from sam_py.tools.base import Tool
from sam_py.ui.chat.tool_words import granted_words, made_visible
from sam_py.ui.program_tools import MAKES_IMAGES
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.settings.image_settings import ImageSettingsBox
from sam_py.ui.settings.own_hosts import OwnHosts
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.settings.tool_servers import ToolServers
from sam_py.ui.tool_groups import GROUPS, SERVER, group_words, tool_label, tool_words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line

_HINT_CHARACTERS = 160


class ToolsPage(SettingsPage):
    """Follows the registry and the approvals while it is open: servers bring tools, and grants come by the cards."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.switches: dict[str, Switch] = {}
        self._needs: dict[str, Words] = {}
        self.revokers: dict[Grant, PillButton] = {}
        self.on = Switch(self.icons, self.tr("Models may use tools"))
        self.on.switched.connect(lambda on: self._change(on=on))
        self.add_row(
            self.tr("Models may use tools"),
            self.on,
            self.tr("What changes something, or leaves this computer, still asks you first."),
        )
        self.folder = Words(self.icons, small=True, role="muted")
        self.folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.choose = PillButton(self.icons, self.tr("Choose a folder…"), kind="outline", icon="folder-open")
        self.choose.clicked.connect(self._choose_folder)
        self.forget = PillButton(self.icons, self.tr("Forget it"), label=self.tr("Close the work folder to tools"))
        self.forget.clicked.connect(lambda: self._change(work_folder=""))
        self._add_folder()
        self.hosts = OwnHosts()
        self.hosts.kept.connect(lambda hosts: self._change(private_hosts=hosts))
        self.add_wide(
            self.tr("Pages in your own network"),
            self.hosts,
            self.tr("Besides the internet, tools fetch pages from these hosts alone. They ask each time."),
        )
        self.add_heading(self.tr("Tools"))
        self._tools = self._box()
        self.add_heading(self.tr("Pictures"))
        self.images = ImageSettingsBox(services)
        self.column.addWidget(self.images)
        self.add_heading(self.tr("Allowed without asking"))
        self._grants = self._box()
        self.servers = ToolServers(services)
        self.column.addWidget(self.servers)
        self.column.addStretch(1)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._refresh)
        self._off = [
            services.tools.registry.subscribe(self._soon.start),
            services.tools.approvals.subscribe(self._soon.start),
        ]

    def show_settings(self, settings: Settings) -> None:
        self.on.setChecked(settings.tools.on)
        folder = settings.tools.work_folder
        none = self.tr("None was chosen: tools cannot read or write files.")
        self.folder.setText(made_visible(folder) if folder else none)
        self.forget.setVisible(bool(folder))
        self.hosts.show_hosts(settings.tools.private_hosts)
        self.images.show_settings(settings)
        self.servers.show_settings(settings)
        self._refresh()

    def leave(self) -> None:
        for off in self._off:
            off()
        self.hosts.keep()
        self.images.leave()
        self.servers.leave()

    # Inside

    def _add_folder(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self.icons, self.tr("Work folder")))
        words.addWidget(self.folder)
        hint = self.tr("Tools read in it without asking, and ask before they change anything. They reach no other.")
        words.addWidget(Words(self.icons, hint, role="muted", small=True))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(self.forget)
        row.addWidget(self.choose)
        self.column.addLayout(row)

    def _box(self) -> QVBoxLayout:
        box = QVBoxLayout()
        box.setSpacing(12)
        self.column.addLayout(box)
        return box

    def _refresh(self) -> None:
        tools = {tool.name: tool for tool in self.services.tools.registry}
        if set(tools) != set(self.switches) or not tools:
            self._list_tools(tools)
        for name, switch in self.switches.items():
            settings = self.services.settings.current.tools
            ready = self.services.tools.is_ready(name)
            # What waits for a folder may be switched beforehand; what costs money only once it is known who is paid.
            can_be_on = ready or name != MAKES_IMAGES
            switch.setChecked(self.services.tools.is_wanted(name) and can_be_on)
            switch.setEnabled(settings.on and can_be_on)
            self._needs[name].say("" if ready else self._need(name), "muted")
        grants = list(self.services.tools.approvals.grants)
        if grants != list(self.revokers) or not grants:
            self._list_grants(grants, tools)

    def _need(self, name: str) -> str:
        if name == MAKES_IMAGES:
            return self.tr("Choose below who makes the pictures.")
        return self.tr("Waits for a work folder.")

    def _list_tools(self, tools: dict[str, Tool]) -> None:
        _empty(self._tools)
        self.switches.clear()
        self._needs.clear()
        groups: dict[str, list[Tool]] = {key: [] for key in GROUPS}
        for name, tool in tools.items():
            groups.setdefault(self.services.tools.group_of(name), []).append(tool)
        servers = {SERVER + each.id: one_line(each.label) for each in self.services.settings.current.mcp_servers}
        for key, members in groups.items():
            if members:
                heading = servers.get(key) or group_words(key)
                self._tools.addWidget(Words(self.icons, heading, role="muted", small=True, heavy=True))
            for tool in members:
                label = one_line(tool_label(tool.name, tool.label))
                switch = self.switches[tool.name] = Switch(self.icons, label)
                switch.switched.connect(lambda on, name=tool.name: self._switch(name, on))
                self._needs[tool.name] = Words(self.icons, small=True)
                self._tools.addWidget(self._row(label, _hint(tool), switch, self._needs[tool.name]))
        if not tools:
            self._tools.addWidget(Words(self.icons, self.tr("There are none yet."), role="muted", small=True))

    def _list_grants(self, grants: list[Grant], tools: dict[str, Tool]) -> None:
        _empty(self._grants)
        self.revokers.clear()
        for grant in grants:
            label = tools[grant.tool_name].label if grant.tool_name in tools else grant.tool_name
            label = one_line(tool_label(grant.tool_name, label))
            effects = ", ".join(granted_words(effect) for effect in grant.effects)
            button = PillButton(
                self.icons,
                self.tr("Ask again"),
                kind="outline",
                label=self.tr("Ask again before this runs: %1").replace("%1", label),
            )
            button.clicked.connect(lambda _checked=False, grant=grant: self.services.tools.approvals.revoke(grant))
            self.revokers[grant] = button
            self._grants.addWidget(self._row(label, f"{self._where(grant)}: {effects}", button))
        if not grants:
            hint = self.tr("Nothing: each call that changes something or leaves this computer asks you.")
            self._grants.addWidget(Words(self.icons, hint, role="muted", small=True))

    def _where(self, grant: Grant) -> str:
        if not grant.conversation_id:
            return self.tr("In all conversations")
        summary = self.services.library.summary(grant.conversation_id)
        if summary is None or not summary.title:
            return self.tr("In one conversation")
        return self.tr("In “%1”").replace("%1", one_line(summary.title))

    def _row(self, name: str, hint: str, field: QWidget, more: QWidget | None = None) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(24)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self.icons, name))
        if hint:
            words.addWidget(Words(self.icons, hint, role="muted", small=True))
        if more is not None:
            words.addWidget(more)
        row.addLayout(words, 1)
        row.addWidget(field, 0, Qt.AlignmentFlag.AlignVCenter)
        field.setAccessibleDescription(hint)
        return holder

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("The folder that tools may work in"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setDirectory(self.services.settings.current.tools.work_folder or str(Path.home()))
        dialog.fileSelected.connect(lambda folder: self._change(work_folder=folder))
        dialog.open()

    def _switch(self, name: str, on: bool) -> None:
        self._change(switches={**self.services.settings.current.tools.switches, name: on})

    def _change(self, **fields: Any) -> None:
        def change(settings: Settings) -> Settings:
            tools = ToolSettings.model_validate({**dict(settings.tools), **fields})
            return settings.model_copy(update={"tools": tools})

        self.services.settings.change(change)


def _hint(tool: Tool) -> str:
    """What a tool does: in our words, or as its server describes it to models, cut."""
    hint = tool_words(tool.name) or one_line(tool.description.split("\n\n", 1)[0])
    return hint if len(hint) <= _HINT_CHARACTERS else hint[: _HINT_CHARACTERS - 1].rstrip() + "…"


def _empty(box: QVBoxLayout) -> None:
    while (item := box.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
