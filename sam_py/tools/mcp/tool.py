"""McpTool: one tool of a server, as the model and the person see it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

from sam_py.settings.model import McpConsent
from sam_py.tools.base import BadArguments, Running, ToolError, ToolOutput, Touch
from sam_py.tools.mcp.consent import command_line, consent_hash
from sam_py.tools.mcp.names import one_line
from sam_py.tools.mcp.offer import OfferedTool

_LONGEST_DOING = 80
"""Characters: the card has a line for it and the progress together, and all of the arguments when it is opened."""


class Host(Protocol):
    """The server behind a tool."""

    async def call_tool(self, tool: McpTool, arguments: dict[str, Any], running: Running) -> ToolOutput: ...


class McpTool:
    """Satisfies `Tool`. Whatever the server says of it (read-only, harmless) changes nothing about what is asked."""

    icon = "tool"
    parallel_safe = False
    untrusted = True
    quotes = False

    def __init__(
        self, host: Host, name: str, offered: OfferedTool, *, server: str, consent: McpConsent, call_s: float
    ) -> None:
        self.name = name
        self.offered = offered
        self.server = server
        self._host = host
        self._where = consent.url or command_line((consent.command, *consent.args))
        self._effect: Any = "network" if consent.url else "run"
        self._deadline_s = call_s
        self._fingerprint = fingerprint(consent, offered)

    @property
    def label(self) -> str:
        return f"{self.offered.title or self.offered.name} ({self.server})"

    @property
    def description(self) -> str:
        return self.offered.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self.offered.schema

    @property
    def deadline_s(self) -> float:
        return self._deadline_s

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def parse(self, arguments_json: str) -> dict[str, Any]:
        """The arguments, an object with all that is required; whether they fit is the server's to say."""
        try:
            value = json.loads(arguments_json) if arguments_json.strip() else {}
        except (ValueError, RecursionError) as error:
            raise BadArguments(f"The arguments are not valid JSON ({error}). Send one JSON object.") from error
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise BadArguments("The arguments must be one JSON object.")
        required = self.offered.schema.get("required")
        missing = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        missing = [name for name in missing if name not in value]
        if missing:
            raise BadArguments(f"The arguments do not fit: {', '.join(missing)} must be given.")
        return value

    def doing(self, arguments: dict[str, Any]) -> str:
        given = ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
        return one_line(given or self.label, _LONGEST_DOING)

    def touches(self, arguments: dict[str, Any]) -> tuple[Touch, ...]:
        return (Touch(self._effect, f"{self.server}: {self._where}"),)

    async def run(self, arguments: dict[str, Any], running: Running) -> ToolOutput:
        return await self._host.call_tool(self, arguments, running)


def fingerprint(consent: McpConsent, offered: OfferedTool) -> str:
    """SHA-256 over what runs and over all that the server says of the tool: a grant ends when any of it changes."""
    about = [
        consent_hash(consent),
        offered.name,
        offered.title,
        offered.description,
        offered.schema,
        offered.read_only,
    ]
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def gone(tool: McpTool) -> ToolError:
    return ToolError(f"{tool.label} is no longer what it was when this call was made. Look at the tools again.")
