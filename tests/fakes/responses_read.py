"""Reading a Responses answer in tests: the events, what they make, and how it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.openai_responses.stream import StreamDecoder
from tests.fakes.responses_events import Event, body


@dataclass
class Read:
    events: list[StreamEvent]
    error: ProviderError | None

    @property
    def reply(self) -> AssistantMessage:
        return fold(self.events, provider="p", model="m")

    @property
    def end(self) -> Finished:
        return next(event for event in self.events if isinstance(event, Finished))

    @property
    def calls(self) -> list[tuple[str, str, str]]:
        return [(each.call_id, each.tool_name, each.arguments_json) for each in self.reply.tool_calls]

    @property
    def kept(self) -> list[dict[str, Any]]:
        parts = self.reply.parts
        return [json.loads(each.signature) for each in parts if isinstance(each, ThinkingSignaturePart)]

    @property
    def kinds(self) -> list[str]:
        return [each.kind for each in self.reply.parts]


def read(*chunks: bytes) -> Read:
    numbers = iter(range(100))
    decoder = StreamDecoder(Asked("Acme"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    assert decoder.finished == (decoder.error is None)
    return Read(events, decoder.error)


def read_events(*events: Event | str) -> Read:
    return read(body(events))
