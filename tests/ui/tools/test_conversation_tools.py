"""Which tools one conversation offers otherwise than the settings say: all off, by group or server, by tool."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from sam_py.bus.message_bus import MessageBus
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import McpServerSettings
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolOutput
from sam_py.tools.questions import PersonQuestions
from sam_py.ui.chat.conversation_tools import ConversationTools
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.theme import Themes
from sam_py.ui.tool_groups import GROUPS, tool_label, tool_words
from sam_py.ui.widgets.icons import Icons


class Named(BuiltinTool[Arguments]):
    description = "Does."
    takes = Arguments

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]
        self.label = name.title()  # type: ignore[misc]

    def doing(self, arguments: Arguments) -> str:
        return "Doing"

    async def run(self, arguments: Arguments, running: Running) -> ToolOutput:
        return ToolOutput("Done")


class Desk:
    def __init__(self, qtbot: Any, folder: Path) -> None:
        self.file = SettingsFile(folder / "settings.json")
        server = McpServerSettings(id="hub", label="The hub", command="hub", enabled=True)
        self.file.change(lambda now: now.model_copy(update={"mcp_servers": (server,)}))
        self.tools = ProgramTools(self.file, [Named(name) for name in ("calculate", "current_time", "remember")])
        self.bus = MessageBus("talk")
        self.statuses: list[Any] = []
        self.tools.servers = SimpleNamespace(statuses=self.statuses)  # type: ignore[assignment]
        services: Any = SimpleNamespace(icons=Icons(Themes()), tools=self.tools, settings=self.file)
        self.form = ConversationTools(services, self.bus)
        qtbot.addWidget(self.form)
        self.bus.subscribe(lambda _delta: self.form.show_choices())

    def on(self) -> list[str]:
        return [tool.name for tool in self.tools.registry if self.tools.is_on(tool.name, self.bus)]

    def choose(self, group: str, value: bool | None, tool: str = "") -> None:
        row = self.form.groups[group]
        field = row.tools[tool] if tool else row.choice
        field.setCurrentIndex(field.findData(value))
        field.activated.emit(field.currentIndex())


@pytest.fixture
def desk(qtbot: Any, tmp_path: Path) -> Any:
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.form.leave()
    desk.file.close()


def test_a_group_is_switched_for_one_conversation_alone_and_goes_back(desk: Desk) -> None:
    assert desk.on() == ["calculate", "current_time"]
    desk.choose("group:sums", False)
    desk.choose("group:notes", True)
    assert desk.on() == ["remember"]
    assert desk.tools.is_on("calculate")
    assert not desk.tools.is_on("remember")
    desk.choose("group:sums", None)
    assert desk.on() == ["calculate", "current_time", "remember"]
    desk.form.reset()
    assert desk.on() == ["calculate", "current_time"]
    assert desk.bus.settings.tools == {}


def test_a_tool_s_own_choice_counts_before_that_of_its_group_until_the_group_is_chosen_anew(desk: Desk) -> None:
    row = desk.form.groups["group:sums"]
    row.fold.click()
    desk.choose("group:sums", False, tool="calculate")
    assert desk.on() == ["current_time"]
    assert "one by one" in row._hint.text()
    assert row.tools["current_time"].currentText() == "As in settings: on"
    desk.choose("group:sums", True)
    assert desk.on() == ["calculate", "current_time"]
    assert row.tools["current_time"].currentText() == "As the group: on"


def test_one_switch_takes_all_tools_from_a_conversation_and_gives_the_same_back(qtbot: Any, desk: Desk) -> None:
    desk.choose("group:notes", True)
    qtbot.mouseClick(desk.form.off, Qt.MouseButton.LeftButton)
    assert desk.on() == []
    assert desk.tools.is_on("calculate")
    assert not desk.form.groups["group:sums"].isEnabled()
    qtbot.mouseClick(desk.form.off, Qt.MouseButton.LeftButton)
    assert desk.on() == ["calculate", "current_time", "remember"]


def test_a_server_that_is_switched_off_here_stays_so_for_tools_that_it_brings_later(qtbot: Any, desk: Desk) -> None:
    row = desk.form.groups["server:hub"]
    assert row._hint.text() == "Not connected now."
    desk.choose("server:hub", False)
    desk.statuses.append(SimpleNamespace(id="hub", tool_names=("hub__dig",)))
    desk.tools.registry.add(Named("hub__dig"))
    qtbot.waitUntil(lambda: desk.form.groups["server:hub"].names == ("hub__dig",))
    assert desk.tools.is_on("hub__dig")
    assert "hub__dig" not in desk.on()
    assert desk.form.groups["server:hub"].choice.currentText() == "Off"


def test_where_tools_are_off_for_all_conversations_that_is_said(desk: Desk) -> None:
    off = desk.file.current.tools.model_copy(update={"on": False})
    desk.file.change(lambda now: now.model_copy(update={"tools": off}))
    desk.form.show_choices()
    assert "switched off for all" in desk.form.note.text()
    assert not desk.form.off.isEnabled()


def test_each_of_our_tools_is_in_a_group_and_has_words_for_a_person() -> None:
    from sam_py.tools.builtin.catalogue import Doors, builtin_tools

    nothing: Any = None
    notes: Any = object()
    doors = Doors(nothing, lambda _id: None, (), nothing, nothing, nothing, notes=notes, ask=PersonQuestions().ask)
    tools = builtin_tools(doors)
    names = {tool.name for tool in tools}
    assert all(tool_label(tool.name, "") == tool.label for tool in tools)
    assert names == {name for group in GROUPS.values() for name in group}
    assert all(tool_words(name) for name in names)
