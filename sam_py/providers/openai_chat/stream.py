"""From the bytes of a Chat Completions answer to `StreamEvent`s: a pure state machine.

Feed it an event stream or a whole JSON answer, cut anywhere. An error that the server reports inside an
answer with status 200 does not raise: `feed` returns what came before it and `error` is set from then on,
so that the caller can hand on the partial text first and raise after it.
"""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Literal

from sam_py.messages.message import StopReason
from sam_py.messages.usage import Usage
from sam_py.providers.base import Finished, ImageProduced, Started, StreamEvent, UsageReported
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, ErrorBody, cut_off, error_of, not_the_protocol, said_error
from sam_py.providers.openai_chat.calls import CallAssembly
from sam_py.providers.openai_chat.reasoning import DetailsAssembly, reasoning_text
from sam_py.providers.openai_chat.usage import usage_of
from sam_py.providers.sse import SseParser
from sam_py.providers.surrogates import TextChannels

MAX_JSON_BYTES = 64 << 20

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


def _new_call_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"


class StreamDecoder:
    """Decodes one answer. `feed` its bytes, then `close` it once; `finished` or `error` is set when it has ended.

    Invariants: at most one `Finished`, and nothing after it or after an error; the events do not depend on
    how the bytes were cut, except that adjoining text may come in other pieces.
    """

    def __init__(self, asked: Asked | None = None, *, new_call_id: Callable[[], str] = _new_call_id) -> None:
        self.finished = False
        self.error: ProviderError | None = None
        self._asked = asked or Asked(label="The server")
        self._sse = SseParser()
        self._form: Literal["", "events", "json", "other"] = ""
        self._head = bytearray()
        """The first bytes until they tell the form; the whole of an answer that is JSON or something else."""
        self._started = False
        self._text = TextChannels()
        self._calls = CallAssembly(new_call_id)
        self._details = DetailsAssembly()
        self._usage: Usage | None = None
        self._word = ""
        self._refusal: list[str] = []
        self._said_something = False
        self._done = False

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Return the events that `chunk` completes; none once the answer has ended."""
        events: list[StreamEvent] = []
        if self._form in ("", "json", "other"):
            chunk = self._see_form(chunk)
        if self._form == "events":
            for event in self._sse.feed(chunk):
                self._read_event(event.event, event.data, events)
        return events

    def close(self) -> list[StreamEvent]:
        """The connection has ended: return the last events. Sets `error` where the reply was not complete."""
        events: list[StreamEvent] = []
        if self.finished or self.error is not None:
            return events
        match self._form:
            case "json":
                self._read_whole(events)
            case "events":
                for event in self._sse.close():
                    self._read_event(event.event, event.data, events)
            case _:
                if self._head.strip():
                    self.error = not_the_protocol(bytes(self._head), self._asked)
        if not self.finished and self.error is None:
            self._end(events)
        return events

    # The form of the answer

    def _see_form(self, chunk: bytes) -> bytes:
        """Tell an event stream from JSON and from anything else; returns what the event parser is to read."""
        if len(self._head) < MAX_JSON_BYTES:
            self._head += chunk
        if self._form:
            return b""
        head = bytes(self._head[:64]).removeprefix(b"\xef\xbb\xbf").lstrip()
        if not head or (len(self._head) < 3 and b"\xef\xbb\xbf".startswith(bytes(self._head))):
            return b""
        if head[:1] in (b"{", b"["):
            self._form = "json"
        elif head[:1] == b"<":
            self._form = "other"
        else:
            self._form = "events"
            chunk = bytes(self._head)
            self._head.clear()
            return chunk
        return b""

    def _read_whole(self, events: list[StreamEvent]) -> None:
        """A server that did not stream sends one JSON object with `message` where a chunk has `delta`."""
        try:
            value = json.loads(self._head)
        except (ValueError, RecursionError):
            # Some servers send a stream's chunks as bare JSON lines, or one error line and then markup.
            lines = bytes(self._head).splitlines()
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
            value = json.loads(data)
        except (ValueError, RecursionError) as error:
            self._flush(events)
            self.error = ProviderError(
                f"{self._asked.label} sent a damaged piece of the reply. Continue the reply or try again.",
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
            self._word = word
        if choice.get("error") or word == "error":  # OpenRouter, for the maker's own failure
            self._flush(events)
            self.error = said_error(error_of(choice) or ErrorBody(), self._asked)

    def _read_delta(self, delta: dict[str, Any], events: list[StreamEvent]) -> None:
        self._say("thinking", reasoning_text(delta), events)
        self._details.add(delta.get("reasoning_details"))
        for kind, text in _content_of(delta.get("content")):
            self._say(kind, text, events)
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refusal.append(refusal)
            self._say("text", refusal, events)
        for image in _images_of(delta.get("images")):
            self._said_something = True
            events.append(image)
        for started in self._calls.add(delta):
            self._said_something = True
            self._text.flush_into(events)
            events.append(started)

    def _say(self, kind: Literal["text", "thinking"], text: str, events: list[StreamEvent]) -> None:
        if text:
            self._said_something = True
            self._text.add(kind, text, events)

    # The end

    def _flush(self, events: list[StreamEvent]) -> None:
        self._text.flush_into(events)
        if self._usage is not None:
            events.append(UsageReported(self._usage))
            self._usage = None

    def _end(self, events: list[StreamEvent]) -> None:
        """`[DONE]`, or the end of the connection: say how the reply ended, or that it did not."""
        self._text.flush_into(events)
        if self._sse.oversized:
            self._flush(events)
            self.error = ProviderError(
                f"{self._asked.label} sent a piece of the reply that is too large. Continue the reply or try again.",
                code="bad_response",
            )
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
        events.extend(self._calls.end())
        signature = self._details.signature()
        if signature is not None:
            events.append(signature)
        self._flush(events)
        events.append(Finished(self._stop_reason(), word=self._word, detail="".join(self._refusal)))
        self.finished = True

    def _broken(self) -> ProviderError:
        if not self._started and self._sse.stray:
            said = error_of(_json_or_none(self._sse.stray))
            if said is not None:
                return said_error(said, self._asked)
            return not_the_protocol(self._sse.stray, self._asked)
        if not self._started:
            return cut_off(self._asked, "the answer was empty")
        return cut_off(self._asked)

    def _stop_reason(self) -> StopReason:
        """By meaning: whether tools are wanted is told by complete calls, not by the word."""
        if self._refusal:
            return "refusal"
        reason: StopReason = _STOP_REASONS.get(self._word, "stop")
        if reason in ("stop", "tool_use"):
            if self._calls.has_complete:
                return "tool_use"
            return "length" if self._calls.any else "stop"
        return reason


def _content_of(content: Any) -> Iterator[tuple[Literal["text", "thinking"], str]]:
    """A delta's content: text, or Mistral's list of text and thinking."""
    if isinstance(content, str):
        yield "text", content
    for item in content if isinstance(content, list) else ():
        if isinstance(item, str):
            yield "text", item
        elif isinstance(item, dict):
            thinking = item.get("thinking")
            if item.get("type") == "thinking":
                for kind, text in _content_of(thinking):
                    yield "thinking" if kind == "text" else kind, text
            elif isinstance(item.get("text"), str):
                yield "text", item["text"]


def _images_of(images: Any) -> Iterator[ImageProduced]:
    """OpenRouter's pictures: data URLs. An address is not loaded: nobody asked for it."""
    for image in images if isinstance(images, list) else ():
        holder = image.get("image_url") if isinstance(image, dict) else None
        url = holder.get("url") if isinstance(holder, dict) else holder
        if isinstance(url, str) and url.startswith("data:image/") and ";base64," in url[:100]:
            mime_type, _, data = url[5:].partition(";base64,")
            try:
                yield ImageProduced(base64.b64decode(data, validate=True), mime_type)
            except binascii.Error:
                continue


def _json_or_none(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
