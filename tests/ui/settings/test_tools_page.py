"""Settings · Tools: switches, the work folder, what was allowed, and servers that start only by consent."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from sam_py.providers.catalogue import Catalogue
from sam_py.settings.file import SettingsFile
from sam_py.settings.listings import Listings
from sam_py.settings.model import McpConsent, McpServerSettings, ProviderSettings
from sam_py.settings.secrets import Secrets
from sam_py.tools.approval import Grant
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolOutput
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.services import Services
from sam_py.ui.settings.server_consent import ServerConsent, lines_of
from sam_py.ui.settings.server_import import ServerImport
from sam_py.ui.settings.settings_dialog import SettingsDialog
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.fakes.memory_keyring import MemoryKeyring
from tests.fakes.run_now import RunNow


class Ring(BuiltinTool[Arguments]):
    name = "ring"
    label = "Ring"
    description = "Rings the bell.\n\nFor a model alone."
    takes = Arguments

    def doing(self, arguments: Arguments) -> str:
        return "Ringing"

    async def run(self, arguments: Arguments, running: Running) -> ToolOutput:
        return ToolOutput("Ding")


class Remember(Ring):
    name = "remember"
    label = "Remember"


class Room:
    def __init__(self, qtbot: Any, folder: Path) -> None:
        from sam_py.paths import default_paths

        paths = default_paths(folder).create()
        self.file = SettingsFile(paths.config / "settings.json")
        self.tools = ProgramTools(self.file, [Ring(), Remember()])
        self.keyring = MemoryKeyring()
        themes = Themes()
        self.services = Services(
            paths=paths,
            library=None,  # type: ignore[arg-type]
            registry=None,  # type: ignore[arg-type]
            catalogue=Catalogue(Listings(paths.state / "models.json")),
            settings=self.file,
            secrets=Secrets(lambda _id: "", backend=lambda: self.keyring, environ={}),
            themes=themes,
            icons=Icons(themes),
            tasks=RunNow(),  # type: ignore[arg-type]
            find_servers=self._none,
            tools=self.tools,
        )
        self.qtbot = qtbot
        self.dialog = SettingsDialog(self.services)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(self.dialog)
        self.dialog.open()
        self.dialog.show_page("tools")
        self.page: Any = self.dialog.pages["tools"]

    async def _none(self) -> list[Any]:
        return []

    def press(self, button: Any) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def room(qtbot: Any, tmp_path: Path) -> Iterator[Room]:
    room = Room(qtbot, tmp_path)
    yield room
    room.dialog.close()
    room.file.close()


def test_a_tool_that_is_switched_off_stays_off_after_a_restart(room: Room, tmp_path: Path) -> None:
    room.press(room.page.switches["ring"])
    assert not room.tools.is_on("ring")
    room.file.flush()
    again = SettingsFile(room.file.path)
    assert not ProgramTools(again, [Ring()]).is_on("ring")
    again.close()


def test_a_tool_that_keeps_notes_is_off_until_the_person_wants_it(room: Room) -> None:
    assert not room.page.switches["remember"].isChecked()
    room.press(room.page.switches["remember"])
    assert room.tools.is_on("remember")


def test_one_switch_takes_all_tools_away_and_gives_the_same_ones_back(room: Room) -> None:
    room.press(room.page.on)
    assert not room.tools.is_on("ring")
    assert not room.page.switches["ring"].isEnabled()
    room.press(room.page.on)
    assert room.tools.is_on("ring")
    assert not room.tools.is_on("remember")


def test_what_was_allowed_for_good_is_kept_listed_and_revocable(room: Room) -> None:
    grant = Grant(tool_name="ring", fingerprint="builtin", effects=("network",))
    room.tools.approvals._add(grant)
    room.tools.approvals._tell()
    assert [each.tool_name for each in room.file.current.tools.grants] == ["ring"]
    room.qtbot.waitUntil(lambda: grant in room.page.revokers)
    room.press(room.page.revokers[grant])
    assert room.file.current.tools.grants == ()
    assert room.tools.approvals.grants == ()


def test_the_work_folder_is_shown_and_can_be_forgotten(room: Room) -> None:
    room.page._change(work_folder="/papers/\u202eterces")
    assert room.tools.work_folder == Path("/papers/\u202eterces")
    assert "⟨U+202E⟩" in room.page.folder.text()
    room.press(room.page.forget)
    assert room.tools.work_folder is None


def test_a_new_tool_comes_into_the_list(room: Room) -> None:
    class Other(Ring):
        name = "other"

    room.tools.registry.add(Other())
    room.qtbot.waitUntil(lambda: "other" in room.page.switches)


def _add(room: Room, text: str) -> ServerImport:
    room.page.servers.open_import()
    (dialog,) = room.page.servers.findChildren(ServerImport)
    dialog.text.setPlainText(text)
    room.press(dialog.add)
    return dialog


def test_pasted_servers_are_added_switched_off_and_their_secrets_go_to_the_keyring(room: Room) -> None:
    _add(
        room,
        '{"mcpServers": {"search": {"command": "x", "env": {"API_KEY": "sk-1234567", "MODE": "fast"}},'
        ' "far": {"url": "https://far.example/mcp", "headers": {"Authorization": "Bearer t0ken-77"}}}}',
    )
    search, far = room.file.current.mcp_servers
    assert (search.enabled, far.enabled) == (False, False)
    assert search.env == {"API_KEY": "${keyring:mcp/search/API_KEY}", "MODE": "fast"}
    assert far.headers == {"Authorization": "Bearer ${keyring:mcp/far/Authorization}"}
    room.file.flush()
    written = room.file.path.read_text()
    assert "sk-1234567" not in written
    assert "t0ken" not in written
    assert list(room.page.servers.switches) == ["search", "far"]


def test_what_cannot_be_read_is_said_and_what_was_pasted_stays(room: Room) -> None:
    dialog = _add(room, "no json")
    assert dialog.problem.text()
    assert dialog.text.toPlainText() == "no json"
    dialog.reject()


def test_a_server_starts_only_after_the_person_saw_what_would_run(room: Room) -> None:
    server = McpServerSettings(id="s", label="S", command=sys.executable, args=("-c", "x" * 500), env={"TOKEN": "1"})
    room.file.change(lambda now: now.model_copy(update={"mcp_servers": (server,)}))
    room.press(room.page.servers.switches["s"])
    assert not room.file.current.mcp_servers[0].enabled
    (dialog,) = room.page.servers.findChildren(ServerConsent)
    assert "x" * 500 in dialog.text.toPlainText()
    assert "Variable: TOKEN" in dialog.text.toPlainText()
    assert not dialog.findChildren(QPushButton)
    room.press(dialog.agree)
    kept = room.file.current.mcp_servers[0]
    assert kept.enabled
    assert kept.agreed is not None
    assert kept.agreed.args == server.args


def test_a_line_break_in_an_argument_cannot_pass_for_another_line() -> None:
    lines = lines_of(McpConsent(command="/bin/x", args=("a\nVariable: NOTHING",)))
    assert lines == ["Program: /bin/x", "Argument 1: a⟨U+000A⟩Variable: NOTHING"]


class Paint(Ring):
    name = "generate_image"
    label = "Generate an image"


def test_who_makes_pictures_is_chosen_among_accounts_that_can_and_the_tool_waits_for_it(room: Room) -> None:
    room.tools.registry.add(Paint())
    room.qtbot.waitUntil(lambda: "generate_image" in room.page.switches)
    switch, box = room.page.switches["generate_image"], room.page.images
    assert (switch.isEnabled(), box.account.isEnabled()) == (False, False)
    accounts = (
        ProviderSettings(id="o", preset="openai", label="OpenAI", base_url="https://api.openai.com/v1"),
        ProviderSettings(id="a", preset="anthropic", label="Anthropic"),
    )
    room.file.change(lambda now: now.model_copy(update={"providers": accounts}))
    assert [box.account.itemText(place) for place in range(box.account.count())] == ["Nobody", "OpenAI"]
    box.account.chosen.emit("o")
    assert box.model.text() == "gpt-image-1.5"
    assert switch.isEnabled()
    assert not switch.isChecked()  # it costs money: choosing who makes pictures is not yet wanting any
    box.quality.chosen.emit("low")
    assert "$0.009" in box.note.text()
    room.press(switch)
    assert room.tools.is_on("generate_image")
    box.account.chosen.emit("")
    assert (switch.isEnabled(), switch.isChecked(), room.tools.is_on("generate_image")) == (False, False, False)


def test_the_model_that_makes_pictures_may_be_any_and_shows_what_it_takes(room: Room) -> None:
    account = ProviderSettings(id="l", label="Local", base_url="http://127.0.0.1:8080/v1", models=("sdxl", "llama"))
    room.file.change(lambda now: now.model_copy(update={"providers": (account,)}))
    box = room.page.images
    box.account.chosen.emit("l")
    assert "Enter the model" in box.note.text()
    box.model.setFocus()
    room.qtbot.keyClicks(box.model, "sdxl")
    room.qtbot.keyClick(box.model, Qt.Key.Key_Return)
    assert room.file.current.tools.images.model == "sdxl"
    assert (box.quality.isHidden(), box.pixels.isHidden()) == (True, False)
    assert "This computer" in box.note.text()
    box.pixels.chosen.emit("512x512")
    assert room.file.current.tools.images.size == "512x512"


def test_what_was_allowed_in_a_conversation_names_it(room: Room) -> None:
    titles: Any = SimpleNamespace(summary=lambda id: SimpleNamespace(title="The\nplan") if id == "known" else None)
    room.services.library = titles
    for conversation in ("known", "gone"):
        room.tools.approvals._add(
            Grant(
                tool_name="ring",
                fingerprint="builtin",
                effects=("network", "write:/bees"),
                conversation_id=conversation,
            )
        )
    room.tools.approvals._tell()
    room.qtbot.waitUntil(lambda: len(room.page.revokers) == 2)
    hints = [button.accessibleDescription() for button in room.page.revokers.values()]
    assert hints == [
        "In “The plan”: sends something out, changes files in /bees",
        "In one conversation: sends something out, changes files in /bees",
    ]


def test_a_page_of_the_own_network_is_fetched_only_from_hosts_that_the_person_named(room: Room) -> None:
    room.qtbot.keyClicks(room.page.hosts, "http://LocalHost:3000/x, 10.0.0.7 [")
    room.qtbot.keyClick(room.page.hosts, Qt.Key.Key_Return)
    assert room.file.current.tools.private_hosts == ("localhost", "10.0.0.7")
    assert room.page.hosts.text() == "localhost, 10.0.0.7"
