"""What a server offers and how it is: our own forms of it, without the `mcp` package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sam_py.errors import SamError
from sam_py.settings.model import McpConsent, McpToolConsent
from sam_py.tools.mcp.consent import Change

Completed = Literal["prompt", "template"]
State = Literal["stopped", "needs_consent", "starting", "ready", "failed"]


class McpError(SamError):
    """A server did not do what was asked. `again`: the same may work in a moment; `edit`: its settings must change."""

    def __init__(self, message: str, *, again: bool = False, edit: bool = False, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.again = again
        self.edit = edit


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """`read_only` is what the server says of it: a hint for the eye, never a reason to skip a question."""

    name: str
    title: str = ""
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool that is not (or no longer) what the person accepted: `before` None is a new one, `now` None one gone."""

    before: McpToolConsent | None
    now: OfferedTool | None

    @property
    def name(self) -> str:
        known = self.now or self.before
        return known.name if known is not None else ""


@dataclass(frozen=True, slots=True)
class OfferedResource:
    """Something to read. `is_template`: `uri` has places in braces that must be filled in first."""

    uri: str
    name: str
    title: str = ""
    description: str = ""
    mime_type: str = ""
    size: int | None = None
    is_template: bool = False


@dataclass(frozen=True, slots=True)
class PromptArgument:
    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class OfferedPrompt:
    name: str
    title: str = ""
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """All that a server offers at a time; `left_out` says in sentences what of it is not used, and why."""

    name: str = ""
    version: str = ""
    instructions: str = ""
    tools: tuple[OfferedTool, ...] = ()
    resources: tuple[OfferedResource, ...] = ()
    prompts: tuple[OfferedPrompt, ...] = ()
    completes: bool = False
    """Whether it proposes values for what is filled in."""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadContent:
    """What was read of a resource, or came with a prompt: text, or bytes where `text` is None."""

    name: str
    mime_type: str = ""
    text: str | None = None
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """`attached` is what came with it that is no text of the message itself."""

    role: Literal["user", "assistant"]
    text: str
    attached: ReadContent | None = None


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server is. `would_run` is what to show when asking for consent; `changes` since it was last given."""

    id: str
    label: str
    state: State = "stopped"
    reason: str = ""
    """Why it failed or is started again, in a sentence with what to do."""
    wants_edit: bool = False
    """It failed by its settings: starting it again as it is does not help."""
    attempt: int = 0
    """Which start in a row this is, from 1; 0 where none is under way."""
    offer: Offer = Offer()
    retry_s: float = 0.0
    """How long after the last failure it is started again; 0 where that is not waited for."""
    tool_names: tuple[str, ...] = ()
    """As the model calls them."""
    tool_changes: tuple[ToolChange, ...] = ()
    """What the person has not accepted yet; new and changed tools are held back until then."""
    would_run: McpConsent | None = None
    changes: tuple[Change, ...] = ()
    log: str = ""
    """The file that keeps what the server writes to its standard error; empty where it has none."""
