"""The matrix: our wires, how each reaches a server, and one conversation with it through `Registry`."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from sam_py.messages.message import AssistantMessage, ToolStatus
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits, ToolResultPart, Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, Provider, StreamEvent, ToolSpec, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.presets import Wire
from sam_py.providers.registry import Registry
from sam_py.settings.model import ProviderSettings

Result = TypeVar("Result")
PATIENCE_S = 60.0
PROVIDER = "here"
TOOLS = (
    ToolSpec(
        "weather",
        "The weather of a city.",
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    ),
)
SEES = Limits(context_tokens=100_000, output_tokens=4_000, images=True, pdfs=True, tools=True, thinking=True)


@dataclass(frozen=True)
class Spoken:
    """How one wire reaches a server: `preset` speaks it, `path` follows the server's address."""

    wire: Wire
    preset: str
    path: str
    model: str

    def __str__(self) -> str:
        return self.wire


WIRES = (
    Spoken("openai_chat", "compatible", "/v1", "deepseek-reasoner"),
    Spoken("openai_responses", "responses-compatible", "/v1", "gpt-5"),
    Spoken("anthropic", "anthropic-compatible", "/v1", "claude-sonnet-4-5"),
    Spoken("gemini", "gemini", "/v1beta", "gemini-2.5-pro"),
    Spoken("ollama", "ollama", "", "qwen3"),
)


def only(*names: Wire) -> pytest.MarkDecorator:
    """Run a test for these wires alone, in place of all."""
    return pytest.mark.parametrize("spoken", [wire for wire in WIRES if wire.wire in names], ids=str)


@dataclass
class Heard:
    """What came of one request. `error` ended it; the events before it are kept."""

    events: list[StreamEvent]
    model: str
    error: ProviderError | None = None

    @property
    def reply(self) -> AssistantMessage:
        return fold(self.events, provider=PROVIDER, model=self.model)

    @property
    def waits(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Waiting)]

    def all_of(self, kind: type[StreamEvent]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@dataclass
class Place:
    """A server as one wire of ours sees it. `headers` are the account's; `slept_s` what retries waited."""

    spoken: Spoken
    url: str
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    test_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    slept_s: list[float] = field(default_factory=list)

    @property
    def model(self) -> str:
        return self.spoken.model

    def with_model(self, model: str) -> Place:
        return replace(self, spoken=replace(self.spoken, model=model))

    def with_headers(self, **headers: str) -> Place:
        return replace(self, headers={**self.headers, **{n.replace("_", "-"): v for n, v in headers.items()}})

    @asynccontextmanager
    async def provider(self) -> AsyncIterator[Provider]:
        async def key_of(_provider_id: str) -> str | None:
            return self.key

        async def sleep(seconds: float) -> None:
            """Waiting for a retry takes no time here; whoever watches for silence waits as ever."""
            task = asyncio.current_task()
            if task is not None and task.get_name().startswith("watch"):
                await asyncio.sleep(seconds)
            else:
                self.slept_s.append(seconds)

        registry = Registry(key_of, http=Http(sleep=sleep, chance=lambda: 0.0))
        account = ProviderSettings(
            id=PROVIDER,
            preset=self.spoken.preset,
            label="The server",
            base_url=self.url + self.spoken.path,
            model=self.model,
            headers={"X-Test-Id": self.test_id, **self.headers},
        )
        registry.configure((account,))
        try:
            yield registry.get(PROVIDER)
        finally:
            await registry.aclose()

    def use(self, what: Callable[[Provider], Awaitable[Result]]) -> Result:
        """Run `what` with the provider, on a loop of its own."""

        async def main() -> Result:
            async with asyncio.timeout(PATIENCE_S), self.provider() as provider:
                return await what(provider)

        return asyncio.run(main())

    def request(self, *turns: Turn, **more: Any) -> ChatRequest:
        return ChatRequest(**{"model": self.model, "turns": turns, "max_tokens": 400, "limits": SEES, **more})

    def hear(self, *turns: Turn, **more: Any) -> Heard:
        """Ask and listen to the end, good or bad."""
        return self.use(lambda provider: listen(provider, self.request(*turns, **more)))


async def listen(provider: Provider, request: ChatRequest) -> Heard:
    heard = Heard([], request.model)
    try:
        async for event in provider.stream(request):
            heard.events.append(event)
    except ProviderError as error:
        heard.error = error
    return heard


def says(text: str, *parts: Any) -> Turn:
    """A user turn."""
    return Turn("user", (TextPart(text=text), *parts))


def replied(reply: AssistantMessage) -> Turn:
    """The reply as a turn of the next request."""
    return Turn("assistant", reply.parts, reply.provider or "", reply.model or "")


def results(reply: AssistantMessage, *texts: str, status: ToolStatus = "success") -> Turn:
    """The results of all calls of `reply`, in order."""
    return Turn(
        "user",
        tuple(
            ToolResultPart(call_id=call.call_id, tool_name=call.tool_name, status=status, text=text)
            for call, text in zip(reply.tool_calls, texts, strict=True)
        ),
    )


def given(reply: AssistantMessage) -> list[tuple[str, Any]]:
    """Names and parsed arguments of the calls."""
    return [(call.tool_name, json.loads(call.arguments_json or "{}")) for call in reply.tool_calls]
