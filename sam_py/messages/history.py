"""History events: the ordered log that a conversation is, and what replay rebuilds the screen from.

Streaming deltas are not events. An interrupt is not an event: it is read off `stop_reason` or `status`.
Each event has a `subject`; of two events about one subject, the later (higher ``(rev, dev)`` on disk) holds.
"""

from __future__ import annotations

import zlib
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Discriminator, Field, JsonValue, Tag, TypeAdapter

from sam_py.messages.message import Message, new_id, utc_now
from sam_py.messages.parts import Frozen
from sam_py.messages.usage import Usage

CallState = Literal["scheduled", "awaiting_approval", "running", "success", "error", "aborted"]


class MessageAdded(Frozen):
    """A message, whole. The same message again, later, supersedes it (a streaming reply is saved so)."""

    event: Literal["message_added"] = "message_added"
    message: Message

    @property
    def subject(self) -> str:
        return f"message:{self.message.id}"


class MessageRemoved(Frozen):
    """A tombstone: the message is gone and its children move up to its parent."""

    event: Literal["message_removed"] = "message_removed"
    message_id: str
    parent_id: str | None = None
    """Where its children move to."""

    @property
    def subject(self) -> str:
        return f"message:{self.message_id}"


class MessageAnnotated(Frozen):
    """What is said about a message after it was added; None leaves a field as it is.

    The writer fills in every field it knows, so that the latest annotation of a message stands alone.
    """

    event: Literal["message_annotated"] = "message_annotated"
    message_id: str
    pinned: bool | None = None
    importance: float | None = Field(default=None, ge=0.0, le=1.0)
    context: str | None = None

    @property
    def subject(self) -> str:
        return f"annotation:{self.message_id}"


class BranchSelected(Frozen):
    """Of the children of `parent_id` (None: of the first messages) this one is on the active path."""

    event: Literal["branch_selected"] = "branch_selected"
    parent_id: str | None
    message_id: str

    @property
    def subject(self) -> str:
        return f"branch:{self.parent_id or ''}"


class ToolStateChanged(Frozen):
    """A tool call has reached a state. `result_id` is the message with its result, where there is one.

    `inferred`: nobody saw it happen; the program had died, and the ledger concluded it when it was loaded.
    """

    event: Literal["tool_state_changed"] = "tool_state_changed"
    call_id: str
    state: CallState
    tool_name: str = ""
    reason: str = ""
    result_id: str = ""
    inferred: bool = False
    at: AwareDatetime = Field(default_factory=utc_now)

    @property
    def subject(self) -> str:
        return f"call:{self.call_id}"


class ErrorOccurred(Frozen):
    """What went wrong at a message, in words for a person; shown below that message.

    `code` names the kind (``unreachable``, ``bad_key``, ``no_model``, ``rate_limited``, ``cut_off``,
    ``bad_response``, ``too_long``, ``refused``, ``server``, ``storage``, ``internal``); `action` is
    what the window offers beside Retry (``settings`` opens the provider's settings). The same error
    again, `resolved`, says that it is over: the request was made again.
    """

    event: Literal["error_occurred"] = "error_occurred"
    id: str = Field(default_factory=new_id)
    message_id: str | None
    code: str
    text: str
    detail: str = ""
    retryable: bool = True
    action: str = ""
    resolved: bool = False
    at: AwareDatetime = Field(default_factory=utc_now)

    @property
    def subject(self) -> str:
        return f"error:{self.id}"


class TaskRecorded(Frozen):
    """Usage and cost of one run of the loop."""

    event: Literal["task_recorded"] = "task_recorded"
    id: str = Field(default_factory=new_id)
    provider: str = ""
    model: str = ""
    usage: Usage = Usage()
    cost_usd: float | None = None
    at: AwareDatetime = Field(default_factory=utc_now)

    @property
    def subject(self) -> str:
        return f"task:{self.id}"


class SettingsChanged(Frozen):
    """One setting of the conversation. Keys in use: see `ConversationSettings`."""

    event: Literal["settings_changed"] = "settings_changed"
    key: str
    value: JsonValue

    @property
    def subject(self) -> str:
        return f"setting:{self.key}"


class UnknownEvent(Frozen):
    """An event of a newer version: kept and written back whole."""

    event: str

    @property
    def subject(self) -> str:
        return f"unknown:{self.event}:{zlib.crc32(self.model_dump_json().encode()):08x}"


class ConversationSettings(Frozen):
    """The settings of one conversation, one `SettingsChanged` key per field."""

    title: str = ""
    title_source: Literal["", "first_words", "model", "person"] = ""
    created_at: AwareDatetime | None = None
    provider: str = ""
    model: str = ""
    system_prompt: str | None = None
    """None: the program's default applies."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    """How hard the model thinks (one of `providers.base.Effort`); None: the program's default applies."""
    context_tokens: int | None = None
    """At most so many tokens make a request and its reply; None: the program's default applies."""
    folder: str = ""
    pinned: bool = False
    archived: bool = False
    mini_prompts: tuple[str, ...] = ()
    tools: dict[str, bool] = Field(default_factory=dict)
    """Tool name → on or off in this conversation, where the person chose; else the program's setting applies."""
    duplicate_of: str | None = None


_KNOWN = frozenset(
    {
        "message_added",
        "message_removed",
        "message_annotated",
        "branch_selected",
        "tool_state_changed",
        "error_occurred",
        "task_recorded",
        "settings_changed",
    }
)


def _tag(value: Any) -> str:
    event = value.get("event") if isinstance(value, dict) else getattr(value, "event", None)
    return event if isinstance(event, str) and event in _KNOWN else "unknown"


HistoryEvent = Annotated[
    Annotated[MessageAdded, Tag("message_added")]
    | Annotated[MessageRemoved, Tag("message_removed")]
    | Annotated[MessageAnnotated, Tag("message_annotated")]
    | Annotated[BranchSelected, Tag("branch_selected")]
    | Annotated[ToolStateChanged, Tag("tool_state_changed")]
    | Annotated[ErrorOccurred, Tag("error_occurred")]
    | Annotated[TaskRecorded, Tag("task_recorded")]
    | Annotated[SettingsChanged, Tag("settings_changed")]
    | Annotated[UnknownEvent, Tag("unknown")],
    Discriminator(_tag),
]

event_adapter: TypeAdapter[HistoryEvent] = TypeAdapter(HistoryEvent, config=ConfigDict(defer_build=True))
