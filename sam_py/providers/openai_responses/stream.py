"""StreamDecoder: the bytes of a Responses answer as `StreamEvent`s. Pure: no I/O.

Reads a stream or one whole JSON answer, cut anywhere. An error that the server reports inside an answer with
status 200 does not raise: `feed` returns what came before it and `error` is set from then on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sam_py.messages.message import StopReason
from sam_py.messages.usage import Usage
from sam_py.providers.base import Finished, Started, StreamEvent, UsageReported
from sam_py.providers.error_body import ErrorBody, error_of
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, cut_off, not_the_protocol, said_error
from sam_py.providers.form import MAX_JSON_BYTES, AnswerForm
from sam_py.providers.ids import new_own_id
from sam_py.providers.json_text import read_json
from sam_py.providers.openai_responses.items import ARGUMENTS, ItemAssembly, Place
from sam_py.providers.openai_responses.usage import usage_of
from sam_py.providers.sse import SseParser

_Pieces = tuple[str, str, str, bool]
"""The type of item that an event is about, its list, the key of the text, and whether that is the whole of it."""

_TEXTS: dict[str, _Pieces] = {
    "response.output_text.delta": ("message", "content", "delta", False),
    "response.output_text.done": ("message", "content", "text", True),
    "response.refusal.delta": ("message", "refusal", "delta", False),
    "response.refusal.done": ("message", "refusal", "refusal", True),
    "response.reasoning_summary_text.delta": ("reasoning", "summary", "delta", False),
    "response.reasoning_summary_text.done": ("reasoning", "summary", "text", True),
    "response.reasoning_text.delta": ("reasoning", "content", "delta", False),
    "response.reasoning_text.done": ("reasoning", "content", "text", True),
    "response.function_call_arguments.delta": ("function_call", "arguments", "delta", False),
    "response.function_call_arguments.done": ("function_call", "arguments", "arguments", True),
    "response.custom_tool_call_input.delta": ("custom_tool_call", "arguments", "delta", False),
    "response.custom_tool_call_input.done": ("custom_tool_call", "arguments", "input", True),
}
_PARTS: dict[str, _Pieces] = {
    "output_text": ("message", "content", "text", True),
    "text": ("message", "content", "text", True),
    "refusal": ("message", "refusal", "refusal", True),
    "summary_text": ("reasoning", "summary", "text", True),
    "reasoning_text": ("reasoning", "content", "text", True),
}
_ENDS = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
_SHOWN = 200
_MAX_ITEMS = 2000
_MAX_HELD = 32 << 20
"""Characters of one reply: a thousand times what the longest ones have."""
_MAX_STRAY_BYTES = 1 << 20
_OPEN = frozenset({"queued", "in_progress"})


class StreamDecoder:
    """Decodes one answer. `feed` its bytes, then `close` it once; `finished` or `error` is set when it has ended.

    Invariants: at most one `Finished`, and nothing after it or after an error; the events do not depend on
    how the bytes were cut.
    """

    def __init__(self, asked: Asked | None = None, *, new_call_id: Callable[[], str] = new_own_id) -> None:
        self.finished = False
        self.error: ProviderError | None = None
        self._asked = asked or Asked(label="The server")
        self._form = AnswerForm()
        self._sse = SseParser(MAX_JSON_BYTES)  # pictures stand in one event
        self._items = ItemAssembly(new_call_id)
        self._usage: Usage | None = None
        self._started = False
        self._read_any = False
        self._other = ""
        """The first thing that came and was none of this protocol's events."""

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Return the events that `chunk` completes; none once the answer has ended."""
        events: list[StreamEvent] = []
        for event in self._sse.feed(self._form.take(chunk)):
            self._read_event(event.event, event.data, events)
        if not self.finished and self.error is None:
            self._check_size(events)
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
                    self._read_event(event.event, event.data, events, at_end=True)
            case _:
                if self._form.kept.strip():
                    self._fail(not_the_protocol(self._form.kept, self._asked), events)
        if not self.finished and self.error is None:
            self._fail(self._broken(), events)
        return events

    def _check_size(self, events: list[StreamEvent]) -> None:
        """End what would grow without end."""
        if not self._read_any and self._sse.stray_bytes > _MAX_STRAY_BYTES:
            self._fail(self._broken(), events)
        elif self._sse.oversized or self._items.count > _MAX_ITEMS or self._items.held > _MAX_HELD:
            self._fail(self._too_large(), events)

    # Events

    def _read_whole(self, events: list[StreamEvent]) -> None:
        """One JSON object, or the events of a stream as a list or a line each."""
        kept = self._form.kept
        try:
            value = json.loads(kept)
        except (ValueError, RecursionError):
            for line in kept.splitlines():
                self._read_event("message", line.decode("utf-8", "replace"), events, at_end=True)
            if not self.finished and self.error is None:
                self._fail(cut_off(self._asked), events)
            return
        for each in value if isinstance(value, list) else [value]:
            self._read_value("message", each, events)

    def _read_event(self, name: str, data: str, events: list[StreamEvent], *, at_end: bool = False) -> None:
        if self.finished or self.error is not None or not data or data.isspace():
            return
        if data[:6] == "[DONE]":  # not OpenAI's: proxies add it
            if self._items.count and self._items.all_done:
                self._finish({}, "completed", events)
            return
        try:
            value = read_json(data)
        except (ValueError, RecursionError) as error:
            if at_end:
                return  # cut off in its middle
            text = f"{self._asked.label} sent a damaged piece of the reply. Try again."
            self._fail(ProviderError(text, code="bad_response", detail=f"{error}: {data[:200]}"), events)
            return
        self._read_value(name, value, events)

    def _read_value(self, name: str, value: Any, events: list[StreamEvent]) -> None:
        if not isinstance(value, dict) or self.finished or self.error is not None:
            return
        kind = _string(value.get("type")) or name
        pieces = _TEXTS.get(kind)
        if pieces is not None:
            self._read_any = True
            self._read_text(value, value, pieces, events)
        elif kind.startswith("response."):
            self._read_any = True
            self._read_response_event(kind, value, events)
        elif isinstance(value.get("output"), list) or value.get("object") == "response":
            self._read_any = True
            self._read_response(value, _string(value.get("status")) or "completed", events)
        elif "error" in (kind, name) or "type" not in value or value.get("error"):
            said = error_of(value)
            if said is not None or kind == "error":
                self._fail(said_error(said or ErrorBody(), self._asked), events)
            elif not self._other:
                self._other = json.dumps(value)[:_SHOWN]

    def _read_response_event(self, kind: str, value: dict[str, Any], events: list[StreamEvent]) -> None:
        item, part = value.get("item"), value.get("part")
        if kind == "response.output_item.added" and isinstance(item, dict):
            self._items.open(_string(item.get("type")), item, value.get("output_index"), events)
        elif kind == "response.output_item.done" and isinstance(item, dict):
            self._items.end(item, value.get("output_index"), events)
        elif isinstance(part, dict):  # content_part and reasoning_summary_part, added and done
            pieces = _PARTS.get(_string(part.get("type")))
            if pieces is not None:
                if kind.endswith(".added"):
                    self._items.find(value, pieces[0], events).parts += 1
                else:
                    self._read_text(value, part, pieces, events)
        elif isinstance(response := value.get("response"), dict):
            status = _ENDS.get(kind)
            said = _string(response.get("status"))
            if status is None:
                self._begin(response, events)
            else:
                self._read_response(response, said if said and said not in _OPEN else status, events)
        elif value.get("error"):
            self._fail(said_error(error_of(value) or ErrorBody(), self._asked), events)

    def _read_text(
        self, event: dict[str, Any], holder: dict[str, Any], pieces: _Pieces, events: list[StreamEvent]
    ) -> None:
        kind, name, key, whole = pieces
        item = self._items.find(event, kind, events)
        place: Place = ARGUMENTS
        if name != ARGUMENTS[0]:
            number = event.get("summary_index" if name == "summary" else "content_index")
            place = (name, number if isinstance(number, int) else max(item.parts - 1, 0))
        if whole:
            self._items.complete(item, place, holder.get(key), events)
        else:
            self._items.say(item, place, holder.get(key), events)

    def _begin(self, response: dict[str, Any], events: list[StreamEvent]) -> None:
        self._usage = usage_of(response.get("usage")) or self._usage
        response_id, model = _string(response.get("id")), _string(response.get("model"))
        if not self._started and (response_id or model):
            self._started = True
            events.append(Started(response_id=response_id, model=model))

    # The end

    def _read_response(self, response: dict[str, Any], status: str, events: list[StreamEvent]) -> None:
        """A whole response: the last event of a stream has it, and an answer that is no stream is one."""
        self._begin(response, events)
        error = response.get("error")
        if status in ("failed", "cancelled") or (error and status != "completed"):
            self._items.end_all(response.get("output"), events)
            said = error_of({"error": error}) if error else None
            self._fail(said_error(said or ErrorBody(message=f"the reply {status}"), self._asked), events)
        elif status not in _OPEN:
            self._finish(response, status, events)

    def _finish(self, response: dict[str, Any], status: str, events: list[StreamEvent]) -> None:
        self._items.end_all(response.get("output"), events)
        if self._sse.oversized:
            self._fail(self._too_large(), events)
            return
        self._report_usage(events)
        details = response.get("incomplete_details")
        why = _string(details.get("reason")) if isinstance(details, dict) else ""
        refusal = "".join(self._items.refusal)
        events.append(Finished(self._stop_reason(status, why), word=status, detail=refusal or why))
        self.finished = True

    def _stop_reason(self, status: str, why: str) -> StopReason:
        """By meaning: whether tools are wanted is told by the calls. A broken one is answered, never run."""
        if why == "content_filter":
            return "content_filter"
        if status == "incomplete":
            return "length"
        if self._items.refusal:
            return "refusal"
        return "tool_use" if self._items.has_calls else "stop"

    def _fail(self, error: ProviderError, events: list[StreamEvent]) -> None:
        """Keep what came; a call without an id gets none, as it will not run."""
        self._items.flush(events)
        self._report_usage(events)
        self.error = error

    def _report_usage(self, events: list[StreamEvent]) -> None:
        if self._usage is not None:
            events.append(UsageReported(self._usage))
            self._usage = None

    def _too_large(self) -> ProviderError:
        text = f"{self._asked.label} sent a piece of the reply that is too large. Try again."
        return ProviderError(text, code="bad_response")

    def _broken(self) -> ProviderError:
        if self._read_any:
            return cut_off(self._asked)
        other = self._sse.stray or self._form.kept.strip() or self._other
        if not other:
            return cut_off(self._asked, "the answer was empty")
        try:
            said = error_of(json.loads(other))
        except (ValueError, RecursionError):
            said = None
        return said_error(said, self._asked) if said else not_the_protocol(other, self._asked)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
