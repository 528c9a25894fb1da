"""ConversationTools: which tools this conversation offers otherwise than the program's settings say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.bus.message_bus import MessageBus
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Switch, Words
from sam_py.ui.tool_groups import ALL, GROUPS, SERVER, group_words, tool_label, tool_words
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

_INDENT_PX = 28


class ConversationTools(QWidget):
    """A switch for all, then each group and each server with "as in the settings", on, off; they open to their tools.

    A tool's own choice counts before its group's. A group's holds for tools that its server brings later, too.
    """

    def __init__(self, services: Services, bus: MessageBus) -> None:
        super().__init__()
        self._services = services
        self._bus = bus
        icons = services.icons
        self.off = Switch(icons, self.tr("No tools in this conversation"))
        self.off.switched.connect(lambda off: self._choose(ALL, False if off else None))
        self.note = Words(icons, role="muted", small=True)
        head = QHBoxLayout()
        head.setSpacing(24)
        head.addWidget(Words(icons, self.tr("No tools in this conversation")), 1)
        head.addWidget(self.off, 0, Qt.AlignmentFlag.AlignVCenter)
        self.groups: dict[str, GroupRow] = {}
        self._box = QVBoxLayout()
        self._box.setSpacing(10)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self.note)
        column.addLayout(self._box)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.show_choices)
        self._off_registry = services.tools.registry.subscribe(self._soon.start)
        self.show_choices()

    def show_choices(self) -> None:
        """Bring everything to what holds now."""
        groups = self._grouped()
        if {key: row.names for key, row in self.groups.items()} != groups:
            self._build(groups)
        tools, chosen = self._services.tools, self._bus.settings.tools
        allowed = self._services.settings.current.tools.on
        all_off = chosen.get(ALL) is False
        self.off.setChecked(all_off)
        self.off.setEnabled(allowed)
        self.note.say("" if allowed else self.tr("Tools are switched off for all conversations, in the settings."))
        for row in self.groups.values():
            row.setEnabled(allowed and not all_off)
            row.show_choices(chosen, tools.is_wanted, tools.is_ready)

    def reset(self) -> None:
        """Nothing of its own any more."""
        self._bus.change_setting("tools", {})

    def leave(self) -> None:
        self._off_registry()

    # Inside

    def _grouped(self) -> dict[str, tuple[str, ...]]:
        """Group → the names of its tools; a server that is set up, but not there now, has none."""
        tools = self._services.tools
        found: dict[str, list[str]] = {key: [] for key in GROUPS}
        for server in self._services.settings.current.mcp_servers:
            if server.enabled:
                found[SERVER + server.id] = []
        for tool in tools.registry:
            found.setdefault(tools.group_of(tool.name), []).append(tool.name)
        order = {name: place for names in GROUPS.values() for place, name in enumerate(names)}
        for names in found.values():
            names.sort(key=lambda name: order.get(name, len(order)))
        return {key: tuple(names) for key, names in found.items() if names or key.startswith(SERVER)}

    def _build(self, groups: Mapping[str, tuple[str, ...]]) -> None:
        opened = {key for key, row in self.groups.items() if row.is_open}
        while (item := self._box.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.groups.clear()
        tools = self._services.tools.registry
        labels = {tool.name: one_line(tool_label(tool.name, tool.label)) for tool in tools}
        servers = {SERVER + each.id: one_line(each.label) for each in self._services.settings.current.mcp_servers}
        for key, names in groups.items():
            title = servers.get(key) or group_words(key)
            row = GroupRow(self._services.icons, key, title, {name: labels.get(name, name) for name in names})
            row.chosen.connect(self._choose)
            if key in opened:
                row.fold.click()
            self.groups[key] = row
            self._box.addWidget(row)

    def _choose(self, key: str, value: bool | None) -> None:
        chosen = {name: on for name, on in self._bus.settings.tools.items() if name != key}
        if key in self.groups:  # what was said of its tools one by one is said anew
            chosen = {name: on for name, on in chosen.items() if name not in self.groups[key].names}
        self._bus.change_setting("tools", {**chosen, key: value} if value is not None else {**chosen})


class GroupRow(QWidget):
    """One group: its name and its choice, and folded below it those of its tools."""

    chosen = Signal(str, object)
    """The key of a group or the name of a tool; True, False, or None: as in the settings."""

    def __init__(self, icons: Icons, key: str, title: str, labels: Mapping[str, str]) -> None:
        super().__init__()
        self._icons = icons
        self._key = key
        self._labels = dict(labels)
        self.choice = self._field(key, title)
        self.fold = IconButton(icons, "chevron-right", self._fold_words(title, opened=False), size_px=26, icon_px=14)
        self.fold.clicked.connect(lambda: self._open(title))
        self.fold.setEnabled(bool(labels))
        self.tools: dict[str, Choice] = {}
        self._hint = Words(icons, role="muted", small=True)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Words(icons, title))
        words.addWidget(self._hint)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        head.addWidget(self.choice, 0, Qt.AlignmentFlag.AlignTop)
        self._body = QWidget()
        self._body.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._body)
        self._shown: tuple[Mapping[str, bool], Callable[[str], bool]] = ({}, lambda _name: False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._labels)

    @property
    def is_open(self) -> bool:
        return not self._body.isHidden()

    def show_choices(
        self, chosen: Mapping[str, bool], is_wanted: Callable[[str], bool], is_ready: Callable[[str], bool]
    ) -> None:
        wanted = [is_wanted(name) for name in self._labels]
        own = chosen.get(self._key)
        mixed = any(name in chosen for name in self._labels)
        self.choice.set_values(_values(None if len(set(wanted)) != 1 else wanted[0]))
        self.choice.show_value(own)
        ready = [name for name in self._labels if is_ready(name)]
        words = ", ".join(self._labels.values())
        if not self._labels:
            words = _tr("Not connected now.")
        elif not ready:
            words = _tr("Waits for what it needs; see the settings.")
        self._hint.say(_tr("%1 · some chosen one by one").replace("%1", words) if mixed else words)
        self._shown = (chosen, is_wanted)
        self._show_tools()

    def _show_tools(self) -> None:
        chosen, is_wanted = self._shown
        own = chosen.get(self._key)
        for name, field in self.tools.items():
            field.set_values(_values(is_wanted(name) if own is None else own, of_group=own is not None))
            field.show_value(chosen.get(name))

    def _open(self, title: str) -> None:
        opened = self._body.isHidden()
        if opened and not self.tools:
            self._fill()
            self._show_tools()
        self._body.setVisible(opened)
        self.fold.set_icon("chevron-down" if opened else "chevron-right")
        self.fold.set_label(self._fold_words(title, opened=opened))

    def _fill(self) -> None:
        column = QVBoxLayout(self._body)
        column.setContentsMargins(_INDENT_PX + 24, 0, 0, 6)
        column.setSpacing(8)
        for name, label in self._labels.items():
            row = QHBoxLayout()
            row.setSpacing(24)
            words = QVBoxLayout()
            words.setSpacing(1)
            words.addWidget(Words(self._icons, label))
            if tool_words(name):
                words.addWidget(Words(self._icons, tool_words(name), role="muted", small=True))
            row.addLayout(words, 1)
            field = self.tools[name] = self._field(name, label)
            row.addWidget(field, 0, Qt.AlignmentFlag.AlignVCenter)
            column.addLayout(row)

    def _field(self, key: str, label: str) -> Choice:
        field = Choice(self._icons, label)
        field.setMinimumContentsLength(14)
        field.chosen.connect(lambda value: self.chosen.emit(key, value))
        return field

    def _fold_words(self, title: str, *, opened: bool) -> str:
        words = _tr("Hide the tools of %1") if opened else _tr("Show the tools of %1")
        return words.replace("%1", title)


def _values(default: bool | None, *, of_group: bool = False) -> list[tuple[object, str]]:
    """The three choices; the first says what it comes to, where that is one thing."""
    source = _tr("As the group") if of_group else _tr("As in settings")
    if default is not None:
        source = f"{source}: {_tr('on') if default else _tr('off')}"
    return [(None, source), (True, _tr("On")), (False, _tr("Off"))]


def _tr(text: str) -> str:
    return QCoreApplication.translate("ConversationTools", text)
