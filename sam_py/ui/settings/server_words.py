"""How a server is, in words: what a person reads in its line of the settings."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.settings.model import McpServerSettings
from sam_py.tools.mcp.offer import ServerStatus
from sam_py.ui.chat.tool_words import made_visible, visible_line
from sam_py.ui.settings.server_changes import summary_words
from sam_py.ui.widgets.icons import Role


def state_words(server: McpServerSettings, status: ServerStatus | None) -> tuple[str, Role]:
    """The line, or lines, below the server's name, and their colour."""
    what = server.url or " ".join((server.command, *server.args))
    if not server.enabled:
        return _tr("Off: %1").replace("%1", visible_line(what)), "muted"
    if status is None:
        return _tr("Starting…"), "muted"
    match status.state:
        case "ready":
            return _ready(status), "warning" if status.tool_changes else "muted"
        case "starting":
            return _starting(status), "warning" if status.reason else "muted"
        case "needs_consent":
            return _tr("What it would run is not what you agreed to. It does not start until you have looked."), "error"
        case "failed":
            return made_visible(status.reason) or _tr("It could not be started."), "error"
        case "stopped":
            return _tr("Stopped"), "muted"


def _ready(status: ServerStatus) -> str:
    offer = status.offer
    counts = [
        (len(status.tool_names), _tr("1 tool"), _tr("%1 tools")),
        (len(offer.resources), _tr("1 resource"), _tr("%1 resources")),
        (len(offer.prompts), _tr("1 prompt"), _tr("%1 prompts")),
    ]
    said = [one if count == 1 else many.replace("%1", str(count)) for count, one, many in counts if count]
    lines = [_tr("Ready: %1").replace("%1", ", ".join(said)) if said else _tr("Ready")]
    if status.tool_changes:
        held = _tr("Held back until you have looked: %1")
        lines.append(held.replace("%1", summary_words(status.tool_changes)))
    return "\n".join((*lines, *map(made_visible, offer.left_out)))


def _starting(status: ServerStatus) -> str:
    if not status.reason:
        if status.attempt > 1:
            return _tr("Starting, attempt %1…").replace("%1", str(status.attempt))
        return _tr("Starting…")
    if not status.retry_s:
        return f"{made_visible(status.reason)} {_tr('It is started again…')}"
    again = _tr("It is started again in %1 s (attempt %2).").replace("%2", str(status.attempt))
    seconds = QLocale().toString(float(status.retry_s), "g", 3)
    return f"{made_visible(status.reason)} {again.replace('%1', seconds)}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("ServerWords", text)
