"""Messages, told apart by `role`. A conversation is a tree by `parent_id`: an edit adds a sibling."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AwareDatetime, ConfigDict, Discriminator, Field, Tag, TypeAdapter, model_validator

from sam_py.messages.parts import (
    CodePart,
    FilePart,
    Frozen,
    ImagePart,
    Parts,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.usage import Metrics, ReminderReceipt, Usage

Role = Literal["system", "developer", "user", "assistant", "tool"]
StopReason = Literal["stop", "length", "tool_use", "content_filter", "refusal", "error", "aborted"]
"""`aborted` means that the person or a cancelled task interrupted it, never a failure."""
ToolStatus = Literal["success", "error", "aborted"]
DisplayKind = Literal["user", "assistant", "system", "thinking", "tool_execution"]


def new_id() -> str:
    """A fresh message or conversation id: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def utc_now() -> datetime:
    return datetime.now(UTC)


class _Message(Frozen):
    """What all messages share. The first four fields stay first: the journal reads them without parsing the rest."""

    allowed_parts: ClassVar[frozenset[str]] = frozenset()

    role: str
    id: str = Field(default_factory=new_id)
    parent_id: str | None = None
    created_at: AwareDatetime = Field(default_factory=utc_now)
    pinned: bool = False
    importance: float = Field(default=0.5, ge=0.0, le=1.0)
    context: str = ""
    """What the person said of its place in requests: ``keep`` (always sent), ``never``, or empty: as it fits."""
    parts: Parts = ()

    @model_validator(mode="after")
    def _parts_fit_the_role(self) -> Self:
        for part in self.parts:
            if part.kind not in self.allowed_parts and not isinstance(part, UnknownPart):
                raise ValueError(f"a {self.role} message cannot hold a {part.kind} part")
        return self

    @property
    def text(self) -> str:
        """All text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def thinking(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, ThinkingTextPart))

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))

    @property
    def images(self) -> tuple[ImagePart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ImagePart))

    @property
    def files(self) -> tuple[FilePart, ...]:
        return tuple(part for part in self.parts if isinstance(part, FilePart))

    @property
    def has_images(self) -> bool:
        return any(isinstance(part, ImagePart) for part in self.parts)

    @property
    def is_empty(self) -> bool:
        """True where nothing would be seen or sent: no part but blank text and signatures of thinking."""
        return all(
            isinstance(part, ThinkingSignaturePart)
            or (isinstance(part, TextPart | ThinkingTextPart) and not part.text.strip())
            for part in self.parts
        )

    @property
    def plain_text(self) -> str:
        """What search, titles and the clipboard take: text and code parts, in order, a blank line between."""
        pieces = [
            part.text if isinstance(part, TextPart) else part.code
            for part in self.parts
            if isinstance(part, TextPart | CodePart)
        ]
        return "\n\n".join(piece for piece in pieces if piece)


class SystemMessage(_Message):
    allowed_parts: ClassVar[frozenset[str]] = frozenset({"text"})
    role: Literal["system"] = "system"


class DeveloperMessage(_Message):
    """An instruction of the program in the history; attached to the message before it when sent."""

    allowed_parts: ClassVar[frozenset[str]] = frozenset({"text", "image"})
    role: Literal["developer"] = "developer"
    covers: tuple[str, ...] = ()
    """A summary: the ids of the messages that it stands for. It is sent where the first of them stood, and they are
    not; they stay in the history."""
    provider: str = ""
    model: str = ""
    """Who wrote it, where a model did."""


class UserMessage(_Message):
    allowed_parts: ClassVar[frozenset[str]] = frozenset({"text", "image", "file", "code"})
    role: Literal["user"] = "user"


class AssistantMessage(_Message):
    """A reply. `stop_reason` is None only while it streams or where an import did not say."""

    allowed_parts: ClassVar[frozenset[str]] = frozenset(
        {"text", "image", "code", "thinking_text", "thinking_signature", "tool_call"}
    )
    role: Literal["assistant"] = "assistant"
    stop_reason: StopReason | None = None
    usage: Usage | None = None
    provider: str = ""
    model: str = ""
    response_id: str | None = None
    metrics: Metrics | None = None
    reminders: tuple[ReminderReceipt, ...] = ()
    """What the request reminded the model of; the text of reminders is nowhere kept."""


class ToolResultMessage(_Message):
    """The result of one call. `output_text` is all of its text, joined; `parts` are never text."""

    allowed_parts: ClassVar[frozenset[str]] = frozenset({"image", "file", "code"})
    role: Literal["tool"] = "tool"
    call_id: str
    tool_name: str
    status: ToolStatus
    output_text: str = ""
    details: tuple[str, ...] = ()
    duration_s: float | None = None
    whole: str | None = None
    """The attachment with all of the text, where `output_text` is a part of it."""


def _role_of(value: Any) -> str:
    role = value.get("role") if isinstance(value, dict) else getattr(value, "role", None)
    return str(role)


Message = Annotated[
    Annotated[SystemMessage, Tag("system")]
    | Annotated[DeveloperMessage, Tag("developer")]
    | Annotated[UserMessage, Tag("user")]
    | Annotated[AssistantMessage, Tag("assistant")]
    | Annotated[ToolResultMessage, Tag("tool")],
    Discriminator(_role_of),
]

message_adapter: TypeAdapter[Message] = TypeAdapter(Message, config=ConfigDict(defer_build=True))
"""Parses a message of any role: ``message_adapter.validate_json(line)``."""


def display_kind(message: Message) -> DisplayKind:
    """How a message is drawn: computed from role and parts, never stored."""
    match message:
        case UserMessage():
            return "user"
        case SystemMessage() | DeveloperMessage():
            return "system"
        case ToolResultMessage():
            return "tool_execution"
        case AssistantMessage():
            kinds = {part.kind for part in message.parts}
            if kinds and kinds <= {"thinking_text", "thinking_signature"}:
                return "thinking"
            if message.tool_calls and not message.text.strip():
                return "tool_execution"
            return "assistant"
