"""What every provider offers and takes: `Provider`, `ChatRequest`, `StreamEvent`, `ModelInfo`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.message import StopReason
from sam_py.messages.turn import Limits, Turn
from sam_py.messages.usage import Usage
from sam_py.providers.errors import ProviderError

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything a request body is made of: `build_body(request)` reads nothing else.

    `attachments` holds the bytes of every attachment (by content hash) that the turns name.
    """

    model: str
    turns: tuple[Turn, ...]
    provider: str = ""
    """The id of the provider that is asked: thinking goes back only where it and the model's family wrote it."""
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "none", "required"] = "auto"
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning_effort: Effort | None = None
    """How hard to think; None: as the model does by itself. A mapper takes the nearest word that its API has."""
    stream: bool = True
    limits: Limits = field(default_factory=Limits)
    attachments: Mapping[str, bytes] = field(default_factory=dict)
    conversation_id: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Keys that a person set for this provider; they are merged into the body last."""


def _mend(event: object, *names: str) -> None:
    """Servers may send half characters in names too, which no file and no window takes: they become U+FFFD."""
    for name in names:
        text = getattr(event, name)
        if not text.isascii():
            object.__setattr__(event, name, mend_surrogates(text))


@dataclass(frozen=True, slots=True)
class Started:
    """The reply has begun; either may be unknown ("")."""

    response_id: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        _mend(self, "response_id", "model")


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingSigned:
    """Something opaque of the provider, at its place in the reply: a signature of the thinking before it, an
    encrypted thought, a block of a tool that the provider ran. Text or JSON text that its own mapper alone reads."""

    signature: str

    def __post_init__(self) -> None:
        _mend(self, "signature")


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """`key` tells calls of one reply apart; sent again when id or name come late (empty: not changed)."""

    key: str
    call_id: str
    tool_name: str

    def __post_init__(self) -> None:
        _mend(self, "call_id", "tool_name")


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of the arguments of the call `key`, as JSON text."""

    key: str
    arguments_json: str


@dataclass(frozen=True, slots=True)
class ImageProduced:
    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class CodeProduced:
    """Code that the provider ran itself, or what it printed (then `language` is "")."""

    code: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class UsageReported:
    """Running totals: the last one holds."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing to show yet, and why, in words for a person ("Trying again in 4 s: …")."""

    text: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """The end. `word` is the provider's own; `detail` refines it (a refusal's explanation)."""

    stop_reason: StopReason
    word: str = ""
    detail: str = ""

    def __post_init__(self) -> None:
        _mend(self, "word", "detail")


StreamEvent = (
    Started
    | TextDelta
    | ThinkingDelta
    | ThinkingSigned
    | ToolCallStarted
    | ToolCallDelta
    | ImageProduced
    | CodeProduced
    | UsageReported
    | Waiting
    | Finished
)


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars per million tokens; None: not said."""

    input: float | None = None
    output: float | None = None
    cached_input: float | None = None
    """Of the part of a prompt that the provider's cache held."""
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that a provider offers. `price` is None where the listing does not say it."""

    id: str
    label: str = ""
    limits: Limits = field(default_factory=Limits)
    price: Price | None = None


class Decoder(Protocol):
    """What every wire's `StreamDecoder` is: bytes in any split go in, events come out.

    An error inside the answer does not raise: it is in `error`, and the events before it were handed out.
    """

    finished: bool
    error: ProviderError | None

    def feed(self, chunk: bytes) -> list[StreamEvent]: ...
    def close(self) -> list[StreamEvent]:
        """The connection has ended. Sets `error` where the reply was not complete."""
        ...


class Provider(Protocol):
    """One account or server. `id` names it in settings and in messages.

    One whose server is asked about a model before `limits_of` is right has an ``async learn(model)`` as well.
    """

    @property
    def id(self) -> str: ...
    @property
    def label(self) -> str: ...

    def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Send `request` and yield what comes. Closing the iterator closes the socket. Raises `ProviderError`."""
        ...

    async def list_models(self) -> list[ModelInfo]:
        """Ask for the models on offer. Raises `ProviderError`."""
        ...

    def limits_of(self, model: str) -> Limits:
        """What `model` can take, as far as is known without asking."""
        ...

    async def aclose(self) -> None: ...
