"""From the bytes of a Messages answer to `StreamEvent`s: a pure state machine.

Feed it an event stream or a whole JSON answer, cut anywhere. An error that the server reports inside an
answer with status 200 does not raise: `feed` returns what came before it and `error` is set from then on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.message import StopReason
from sam_py.providers.anthropic.blocks import BlockAssembly
from sam_py.providers.anthropic.usage import UsageTotals
from sam_py.providers.base import Finished, Started, StreamEvent, UsageReported
from sam_py.providers.error_body import ErrorBody, error_of
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, cut_off, not_the_protocol, said_error
from sam_py.providers.form import AnswerForm
from sam_py.providers.ids import new_own_id
from sam_py.providers.json_text import read_json
from sam_py.providers.sse import SseParser

_MAX_HELD = 32 << 20
"""Characters of thinking, arguments and opaque blocks, which are held until the block ends or the reply."""
_MAX_BLOCKS = 10_000
_MAX_STRAY_BYTES = 1 << 20
"""So much that is neither event nor comment is no event stream."""

_STOP_REASONS: dict[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",  # a server tool wants more time: the reply is sent back as it is, and goes on
    "compaction": "stop",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    # of gateways that translate another wire and forget this
    "stop": "stop",
    "tool_calls": "tool_use",
    "length": "length",
    "content_filter": "content_filter",
}


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
        self._sse = SseParser()
        self._blocks = BlockAssembly(new_call_id)
        self._usage = UsageTotals()
        self._started = False
        self._understood = False
        """Whether anything came that is of this wire."""
        self._word = ""
        self._detail = ""

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
        if self._form.form == "json":
            self._read_json(self._form.kept, events)
        for event in self._sse.close():
            self._read_event(event.event, event.data, events)
        if not self.finished and self.error is None:
            if self._word:
                self._finish(events)
            else:
                self._fail(self._broken(), events)
        return events

    # Forms

    def _read_json(self, body: bytes, events: list[StreamEvent]) -> None:
        """An answer that was not streamed, or events as bare JSON, one a line."""
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            for line in body.splitlines():
                self._read_event("message", line.decode("utf-8", "replace"), events)
            return
        if isinstance(value, dict) and value.get("type") == "message":
            self._read_message(value, events)
        else:
            self._read_value("", value[0] if isinstance(value, list) and value else value, events)

    def _read_message(self, message: dict[str, Any], events: list[StreamEvent]) -> None:
        self._start(message, events)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            self._blocks.start(index, block, events)
            self._blocks.stop(index, events)
        self._read_end(message, message.get("usage"), events)
        self._finish(events)

    # Events

    def _read_event(self, name: str, data: str, events: list[StreamEvent]) -> None:
        data = data.strip()
        if self.finished or self.error is not None or not data:
            return
        if data == "[DONE]":  # of gateways; Anthropic sends none
            self._stop(events)
            return
        try:
            value = read_json(data)
        except (ValueError, RecursionError) as error:
            if name == "error":
                self._fail(said_error(ErrorBody(message=data[:200]), self._asked), events)
            else:
                self._fail(self._damaged(f"{error}: {data[:200]}"), events)
            return
        self._read_value(name, value, events)

    def _read_value(self, name: str, value: Any, events: list[StreamEvent]) -> None:
        if not isinstance(value, dict):
            value = {"error": value} if name == "error" else {}
        kind = value.get("type")
        if name == "error" or value.get("error"):  # Anthropic's own shape, OpenAI's, and those of gateways
            kind = "error"
        elif not isinstance(kind, str):
            kind = name
        match kind:
            case "content_block_delta":
                self._understood = True
                self._blocks.delta(value.get("index"), value.get("delta"), events)
            case "content_block_start":
                self._understood = True
                self._blocks.start(value.get("index"), value.get("content_block"), events)
            case "content_block_stop":
                self._blocks.stop(value.get("index"), events)
            case "message_start":
                message = value.get("message")
                self._start(message if isinstance(message, dict) else {}, events)
            case "message_delta":
                self._understood = True
                self._read_end(value.get("delta"), value.get("usage"), events)
            case "message_stop":
                self._stop(events)
            case "error":
                error = value if value.get("error") else {"error": value}
                self._fail(said_error(error_of(error) or ErrorBody(), self._asked), events)
            case _:
                pass  # a ping, or an event of a newer version

    def _start(self, message: dict[str, Any], events: list[StreamEvent]) -> None:
        self._understood = True
        if self._started:  # gateways send it twice
            return
        self._started = True
        events.append(Started(response_id=_text(message.get("id")), model=_text(message.get("model"))))
        self._report(message.get("usage"), events)

    def _read_end(self, delta: Any, usage: Any, events: list[StreamEvent]) -> None:
        """``message_delta``: how the reply ended, and what it cost."""
        if isinstance(delta, dict):
            word = _text(delta.get("stop_reason"))
            if word:
                self._word = word
                self._detail = _detail(delta)
                self._blocks.end(events)
        self._report(usage, events)

    def _report(self, usage: Any, events: list[StreamEvent]) -> None:
        total = self._usage.take(usage)
        if total is not None:
            events.append(UsageReported(total))

    # The end

    def _stop(self, events: list[StreamEvent]) -> None:
        """``message_stop``. Before anything of an answer it means nothing."""
        if self._understood:
            self._finish(events)

    def _finish(self, events: list[StreamEvent]) -> None:
        self._blocks.end(events)
        if self._sse.oversized:
            self._fail(self._too_large(), events)
            return
        self.finished = True
        events.append(Finished(self._stop_reason(), self._word, self._detail))

    def _fail(self, error: ProviderError, events: list[StreamEvent]) -> None:
        """Keep what came and say what went wrong after it."""
        self._blocks.end(events)
        self.error = error

    def _stop_reason(self) -> StopReason:
        """By meaning: whether tools are wanted is told by the calls, not by the word. A broken one is answered."""
        reason = _STOP_REASONS.get(self._word, "stop")
        if reason in ("stop", "tool_use"):
            return "tool_use" if self._blocks.any_calls else "stop"
        return reason

    def _broken(self) -> ProviderError:
        if self._understood:
            return cut_off(self._asked)
        stray = self._sse.stray if self._form.form == "events" else self._form.kept
        if not stray.strip():
            return cut_off(self._asked, "the answer was empty")
        return not_the_protocol(stray, self._asked)

    def _check_size(self, events: list[StreamEvent]) -> None:
        """End what would grow without end."""
        if self.finished or self.error is not None:
            return
        if not self._understood and self._sse.stray_bytes > _MAX_STRAY_BYTES:
            self.error = not_the_protocol(self._sse.stray, self._asked)
        elif self._sse.oversized or self._blocks.held > _MAX_HELD or self._blocks.count > _MAX_BLOCKS:
            self._fail(self._too_large(), events)

    def _too_large(self) -> ProviderError:
        return ProviderError(
            f"{self._asked.label} sent a piece of the reply that is too large. Try again.",
            code="bad_response",
        )

    def _damaged(self, detail: str) -> ProviderError:
        return ProviderError(
            f"{self._asked.label} sent a damaged piece of the reply. Try again.",
            code="bad_response",
            detail=detail,
        )


def _detail(delta: dict[str, Any]) -> str:
    """Why the model refused, in its provider's words, or the text at which it was told to stop."""
    details = delta.get("stop_details")
    if isinstance(details, dict):
        said = _text(details.get("explanation")) or _text(details.get("category"))
        if said:
            return said
    return _text(delta.get("stop_sequence"))


def _text(value: Any) -> str:
    return mend_surrogates(value) if isinstance(value, str) else ""
