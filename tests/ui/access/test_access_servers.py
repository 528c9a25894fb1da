"""The dialogs of servers: names and roles for a screen reader, words for a translator, and no label that reads HTML."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QWidget

from sam_py.settings.model import McpServerSettings
from sam_py.tools.mcp.consent import what_would_run
from sam_py.tools.mcp.offer import Offer, OfferedPrompt, OfferedResource, OfferedTool, PromptArgument, ServerStatus
from sam_py.tools.mcp.review import tool_changes
from sam_py.ui.chat.server_offers import ServerOffers
from sam_py.ui.settings.server_consent import ServerConsent
from sam_py.ui.settings.server_editor import ServerEditor
from sam_py.ui.settings.server_import import ServerImport
from sam_py.ui.settings.server_log import ServerLogView
from sam_py.ui.settings.server_review import ServerReview
from sam_py.ui.settings.server_row import ServerRow
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.ui.access.test_access_names import _ours, _seen, _texts, _unnamed, brackets

__all__ = ["brackets"]

LOCAL = McpServerSettings(id="s", label="Test server", command=sys.executable, env={"A": "1"}, enabled=True)
REMOTE = McpServerSettings(id="r", label="Test server", url="http://127.0.0.1:1/mcp", headers={"A": "1"})
TOOL = OfferedTool("bench", "bench", "Hello", {"type": "object"})
STATUS = ServerStatus(
    "s",
    "Test server",
    "ready",
    offer=Offer(
        tools=(TOOL,),
        resources=(OfferedResource("/a/{guide}", "guide", is_template=True),),
        prompts=(OfferedPrompt("guide", "guide", "Hello", (PromptArgument("bench", "Hello", True),)),),
    ),
    tool_changes=tool_changes((), (TOOL,)),
)


def _services() -> Any:
    themes = Themes()
    servers = SimpleNamespace(statuses=(STATUS,), subscribe=lambda _listener: lambda: None)
    return SimpleNamespace(icons=Icons(themes), themes=themes, tools=SimpleNamespace(servers=servers))


def _row(services: Any, parent: QWidget) -> QDialog:
    dialog = QDialog(parent)
    row = ServerRow(services.icons, LOCAL)
    row.setParent(dialog)
    row.show_state(LOCAL, STATUS)
    return dialog


DIALOGS: dict[str, Callable[[Any, QWidget], QDialog]] = {
    "its row": _row,
    "consent": lambda services, parent: ServerConsent(services.icons, LOCAL, what_would_run(LOCAL), parent),
    "review": lambda services, parent: ServerReview(services.icons, STATUS, parent),
    "edit a program": lambda services, parent: ServerEditor(services.icons, LOCAL, parent),
    "edit an address": lambda services, parent: ServerEditor(services.icons, REMOTE, parent),
    "log": lambda services, parent: ServerLogView(services.icons, "Test server", Path("/log"), parent),
    "import": lambda services, parent: ServerImport(services, parent),
    "resources": lambda services, parent: ServerOffers(services, "s", "resources", lambda *_: None, parent),
    "prompts": lambda services, parent: ServerOffers(services, "s", "prompts", lambda *_: None, parent),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_of_servers_can_be_said_and_translated(brackets: None, qtbot: Any, name: str) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = DIALOGS[name](_services(), parent)
    dialog.show()
    faults = [fault for widget in _seen(dialog) for fault in _unnamed(widget)]
    faults += [text for widget in _seen(dialog) for text in _texts(widget) if _ours(text)]
    labels = [widget for widget in _seen(dialog) if isinstance(widget, QLabel)]
    faults += [label.text() for label in labels if label.textFormat() != Qt.TextFormat.PlainText]
    assert faults == []
    dialog.close()
