"""From the bytes of a Chat Completions answer to `StreamEvent`s: a pure state machine.

Feed it an event stream or a whole JSON answer, cut anywhere. An error that the server reports inside an
answer with status 200 does not raise: `feed` returns what came before it and `error` is set from then on,
so that the caller can hand on the partial text first and raise after it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.message import StopReason
from sam_py.messages.usage import Usage
from sam_py.providers.base import Finished, Started, StreamEvent, UsageReported
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, ErrorBody, cut_off, error_of, not_the_protocol, said_error, too_large
from sam_py.providers.form import AnswerForm
from sam_py.providers.ids import new_own_id
from sam_py.providers.json_text import read_json
from sam_py.providers.openai_chat.calls import MAX_CALLS, CallAssembly
from sam_py.providers.openai_chat.dialect import ReasoningField
from sam_py.providers.openai_chat.reasoning import DetailsAssembly, reasoning_text
from sam_py.providers.openai_chat.said import images_of, said_in
from sam_py.providers.openai_chat.usage import usage_of
from sam_py.providers.sse import SseParser
from sam_py.providers.surrogates import TextChannels

MAX_EVENT_BYTES = 64 << 20
"""A picture comes as one event."""
MAX_HELD_CHARACTERS = 32 << 20
"""Of arguments, opaque reasoning and refusals, which are held until the reply ends."""
MAX_STRAY_BYTES = 1 << 20
"""So much that is neither event nor comment is no event stream."""

_STOP_REASONS: dict[str, StopReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "tool_use": "tool_use",
    "content_filter": "content_filter",
    "refusal": "refusal",
}


class StreamDecoder:
    """Decodes one answer. `feed` its bytes, then `close` it once; `finished` or `error` is set when it has ended.

    Invariants: at most one `Finished`, and nothing after it or after an error; the events do not depend on
    how the bytes were cut, except that adjoining text may come in other pieces.
    """

    def __init__(self, asked: Asked | None = None, *, new_call_id: Callable[[], str] = new_own_id) -> None:
        self.finished = False
        self.error: ProviderError | None = None
        self.reasoning_field: ReasoningField = ""
        """The field in which readable reasoning came, once it did."""
        self._asked = asked or Asked(label="The server")
        self._form = AnswerForm()
        self._sse = SseParser(MAX_EVENT_BYTES)
        self._started = False
        self._text = TextChannels()
        self._calls = CallAssembly(new_call_id)
        self._details = DetailsAssembly()
        self._usage: Usage | None = None
        self._word = ""
        self._refusal: list[str] = []
        self._refusal_size = 0
        self._said_something = False
        self._done = False

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Return the events that `chunk` completes; none once the answer has ended."""
        events: list[StreamEvent] = []
        if self.finished or self.error is not None:
            return events
        chunk = self._form.take(chunk)
        if self._form.form == "events":
            for event in self._sse.feed(chunk):
                self._read_event(event.event, event.data, events)
            self._check_size(events)
        elif self._form.is_full:
            self.error = not_the_protocol(self._form.kept, self._asked)
        return events

    def close(self) -> list[StreamEvent]:
        """The connection has ended: return the last events. Sets `error` where the reply was not complete."""
        events: list[StreamEvent] = []
        if self.finished or self.error is not None:
            return events
        match self._form.form:
            case "json":
                self._read_whole(events)
            case "events":
                for event in self._sse.close():
                    self._read_event(event.event, event.data, events)
            case _:
                if self._form.kept.strip():
                    self.error = not_the_protocol(self._form.kept, self._asked)
        if not self.finished and self.error is None:
            self._end(events)
        return events

    def _check_size(self, events: list[StreamEvent]) -> None:
        """End what would grow without end."""
        if self.finished or self.error is not None:
            return
        if not self._started and self._sse.stray_bytes > MAX_STRAY_BYTES:
            self.error = not_the_protocol(self._sse.stray, self._asked)
        held = self._calls.size + self._details.size + self._refusal_size
        if self._sse.oversized or held > MAX_HELD_CHARACTERS or self._calls.count > MAX_CALLS:
            self._fail_with_size(events)

    def _fail_with_size(self, events: list[StreamEvent]) -> None:
        self._flush(events)
        self.error = too_large(self._asked)

    # The form of the answer

    def _read_whole(self, events: list[StreamEvent]) -> None:
        """A server that did not stream sends one JSON object with `message` where a chunk has `delta`."""
        try:
            value = json.loads(self._form.kept)
        except (ValueError, RecursionError):
            # Some servers send a stream's chunks as bare JSON lines, or one error line and then markup.
            lines = self._form.kept.splitlines()
            for line in lines:
                self._read_event("message", line.decode("utf-8", "replace"), events)
                if self.error is not None:
                    return
            return
        self._read_value(value[0] if isinstance(value, list) and value else value, events)
        self._done = self._done or self._started

    # Events

    def _read_event(self, name: str, data: str, events: list[StreamEvent]) -> None:
        if self.finished or self.error is not None:
            return
        data = data.strip()
        if not data:
            return
        if data == "[DONE]":
            self._done = True
            self._end(events)
            return
        try:
            value = read_json(data)
        except (ValueError, RecursionError) as error:
            self._flush(events)
            self.error = ProviderError(
                f"{self._asked.label} sent a damaged piece of the reply. Try again.",
                code="bad_response",
                detail=f"{error}: {data[:200]}",
            )
            return
        if name == "error" and isinstance(value, dict) and "error" not in value:
            value = {"error": value}
        self._read_value(value, events)

    def _read_value(self, value: Any, events: list[StreamEvent]) -> None:
        if not isinstance(value, dict):
            return
        choices = value.get("choices")
        self._read_usage(value, choices)
        if value.get("error") or (not isinstance(choices, list) and value.get("object") in (None, "error")):
            said = error_of(value)
            if said is not None:
                self._flush(events)
                self.error = said_error(said, self._asked)
                return
        if not self._started and (value.get("id") or value.get("model") or choices):
            self._started = True
            events.append(Started(response_id=_string(value.get("id")), model=_string(value.get("model"))))
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index") and self.error is None:
                self._read_choice(choice, events)

    def _read_usage(self, value: dict[str, Any], choices: Any) -> None:
        groq = value.get("x_groq")
        first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        for holder in (first, groq, value):
            usage = usage_of(holder.get("usage")) if isinstance(holder, dict) else None
            if usage is not None:
                self._usage = usage

    def _read_choice(self, choice: dict[str, Any], events: list[StreamEvent]) -> None:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            delta = choice.get("message")
        if isinstance(delta, dict):
            self._read_delta(delta, events)
        elif isinstance(choice.get("text"), str):  # the old completions form
            self._say("text", choice["text"], events)
        word = choice.get("finish_reason")
        if isinstance(word, str) and word:
            self._word = _string(word)
        if choice.get("error") or word == "error":  # OpenRouter, for the maker's own failure
            self._flush(events)
            self.error = said_error(error_of(choice) or ErrorBody(), self._asked)

    def _read_delta(self, delta: dict[str, Any], events: list[StreamEvent]) -> None:
        text, where = reasoning_text(delta)
        self.reasoning_field = self.reasoning_field or where
        detailed = self._details.add(delta.get("reasoning_details"))
        self._say("thinking", text or detailed, events)
        for kind, text in said_in(delta.get("content")):
            self._say(kind, text, events)
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refusal.append(refusal)
            self._refusal_size += len(refusal)
            self._say("text", refusal, events)
        for image in images_of(delta):
            self._said_something = True
            self._end_thinking(events)
            events.append(image)
        for started in self._calls.add(delta):
            self._said_something = True
            self._end_thinking(events)
            events.append(started)

    def _say(self, kind: Literal["text", "thinking"], text: str, events: list[StreamEvent]) -> None:
        if text:
            self._said_something = True
            if kind == "text":
                self._end_thinking(events)
            self._text.add(kind, text, events)

    def _end_thinking(self, events: list[StreamEvent]) -> None:
        """Something else than thinking comes: what is opaque of the thinking stands before it."""
        signature = self._details.signature()
        if signature is not None:
            self._text.flush_into(events)
            events.append(signature)

    # The end

    def _flush(self, events: list[StreamEvent]) -> None:
        self._end_thinking(events)
        self._text.flush_into(events)
        if self._usage is not None:
            events.append(UsageReported(self._usage))
            self._usage = None

    def _end(self, events: list[StreamEvent]) -> None:
        """`[DONE]`, or the end of the connection: say how the reply ended, or that it did not."""
        if self._sse.oversized:
            self._fail_with_size(events)
            return
        if not self._word and not self._done:
            self._flush(events)
            self.error = self._broken()
            return
        if not self._said_something and not self._word:
            self._flush(events)
            text = f"{self._asked.label} sent an empty reply. Try again, or choose another model."
            self.error = ProviderError(text, code="bad_response")
            return
        self._end_thinking(events)
        self._text.flush_into(events)
        events.extend(self._calls.end())
        self._flush(events)
        refusal = mend_surrogates("".join(self._refusal))
        events.append(Finished(self._stop_reason(), word=self._word, detail=refusal))
        self.finished = True

    def _broken(self) -> ProviderError:
        if self._sse.stray:
            said = error_of(_json_or_none(self._sse.stray))
            if said is not None:
                return said_error(said, self._asked)
            if not self._started:
                return not_the_protocol(self._sse.stray, self._asked)
        if not self._started:
            return cut_off(self._asked, "the answer was empty")
        return cut_off(self._asked)

    def _stop_reason(self) -> StopReason:
        """By meaning: whether tools are wanted is told by the calls, not by the word. A broken one is answered."""
        if self._refusal:
            return "refusal"
        reason: StopReason = _STOP_REASONS.get(self._word, "stop")
        if reason in ("stop", "tool_use"):
            return "tool_use" if self._calls.count else "stop"
        return reason


def _json_or_none(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _string(value: Any) -> str:
    return mend_surrogates(value[:1000]) if isinstance(value, str) else ""
