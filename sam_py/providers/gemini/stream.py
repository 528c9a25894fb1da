"""From the bytes of a Gemini answer to `StreamEvent`s: a pure state machine.

Feed it an event stream (``alt=sse``), a JSON array of chunks (a stream without it) or one JSON answer, cut anywhere.
An error that the service reports inside an answer with status 200 does not raise: `feed` returns what came before
it and `error` is set from then on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.usage import Usage
from sam_py.providers.base import Finished, Started, StreamEvent, UsageReported
from sam_py.providers.error_body import ErrorBody, error_of, read_error
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, cut_off, not_the_protocol, said_error, too_large
from sam_py.providers.gemini.finish import detail_of, stop_reason_of, usage_of
from sam_py.providers.gemini.reply_parts import ReplyParts
from sam_py.providers.ids import new_own_id
from sam_py.providers.json_objects import JsonObjects
from sam_py.providers.json_text import read_json
from sam_py.providers.sse import SseParser

_BOM = b"\xef\xbb\xbf"
_MOST_KEPT = 10_000
"""Calls and signatures of one reply."""
_MOST_STRAY_BYTES = 1 << 20
"""Of what is no chunk: nobody means to say anything after so much of it."""


class StreamDecoder:
    """Decodes one answer. `feed` its bytes, then `close` it once; `finished` or `error` is set when it has ended.

    The service says no "done": a reply is complete when a `finishReason` came and the connection ended.

    Invariants: at most one `Finished`, and nothing after it or after an error; the events do not depend on
    how the bytes were cut.
    """

    def __init__(self, asked: Asked | None = None, *, new_call_id: Callable[[], str] = new_own_id) -> None:
        self.finished = False
        self.error: ProviderError | None = None
        self._asked = asked or Asked(label="The server")
        self._head = bytearray()
        """The first bytes until they tell the form."""
        self._form: Literal["", "events", "objects", "other"] = ""
        self._sse = SseParser()
        self._objects = JsonObjects()
        self._parts = ReplyParts(new_call_id)
        self._started = False
        self._usage: Usage | None = None
        self._word = ""
        self._word_message = ""

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Return the events that `chunk` completes; none once the answer has ended."""
        events: list[StreamEvent] = []
        if self.finished or self.error is not None:
            return events
        if not self._form:
            chunk = self._see_form(chunk)
        if self._form == "events":
            for event in self._sse.feed(chunk):
                self._read_data(event.data, events)
        elif self._form == "objects":
            for value in self._objects.feed(chunk):
                self._read_value(value, events)
        elif self._form == "other" and len(self._head) < 20_000:
            self._head += chunk
        self._check_size(events)
        return events

    def close(self) -> list[StreamEvent]:
        """The connection has ended: return the last events. Sets `error` where the reply was not complete."""
        events: list[StreamEvent] = []
        if self.finished or self.error is not None:
            return events
        if self._form == "events":
            for event in self._sse.close():
                self._read_data(event.data, events)
        elif self._form == "objects":
            for value in self._objects.close():
                self._read_value(value, events)
        elif self._head.strip():
            self.error = not_the_protocol(bytes(self._head), self._asked)
        if self.error is None:
            self._end(events)
        return events

    def _check_size(self, events: list[StreamEvent]) -> None:
        """End what would go on without end."""
        if self.error is not None:
            return
        if self._is_too_large or self._has_much_stray or self._objects.damaged:
            self._flush(events)
            self.error = self._broken()

    @property
    def _is_too_large(self) -> bool:
        return bool(self._sse.oversized) or self._objects.too_large or self._parts.kept > _MOST_KEPT

    @property
    def _has_much_stray(self) -> bool:
        return self._sse.stray_bytes + self._objects.stray_bytes > _MOST_STRAY_BYTES

    def _see_form(self, chunk: bytes) -> bytes:
        """Tell an event stream from JSON and from anything else; returns what is to be read as that."""
        self._head += chunk
        head = bytes(self._head).removeprefix(_BOM).lstrip()
        if not head or (len(self._head) < len(_BOM) and _BOM.startswith(bytes(self._head))):
            return b""
        if head[:1] == b"<":
            self._form = "other"
            return b""
        self._form = "objects" if head[:1] in (b"{", b"[") else "events"
        self._head.clear()
        return head

    # Chunks

    def _read_data(self, data: str, events: list[StreamEvent]) -> None:
        if self.error is not None or data.strip() in ("", "[DONE]"):  # the latter is of gateways
            return
        try:
            value = read_json(data)
        except (ValueError, RecursionError) as error:
            self._flush(events)
            self.error = _damaged(self._asked, f"{error}: {data[:200]}")
            return
        for each in value if isinstance(value, list) else [value]:
            self._read_value(each, events)

    def _read_value(self, value: Any, events: list[StreamEvent]) -> None:
        if self.error is not None or not isinstance(value, dict):
            return
        usage = usage_of(value.get("usageMetadata"))
        if usage is not None:
            self._usage = usage
        candidates = value.get("candidates")
        said = error_of(value) if value.get("error") or not self._is_chunk(value) else None
        if said is not None:
            self._flush(events)
            self.error = said_error(said, self._asked)
            return
        if not self._started and self._is_chunk(value):
            self._started = True
            events.append(Started(_text(value.get("responseId")), _text(value.get("modelVersion"))))
        for candidate in candidates if isinstance(candidates, list) else ():
            if isinstance(candidate, dict) and not candidate.get("index"):
                self._read_candidate(candidate, events)
        feedback = value.get("promptFeedback")
        if isinstance(feedback, dict) and not candidates:
            self._read_feedback(feedback, events)

    def _is_chunk(self, value: dict[str, Any]) -> bool:
        return any(key in value for key in ("candidates", "responseId", "modelVersion", "promptFeedback"))

    def _read_candidate(self, candidate: dict[str, Any], events: list[StreamEvent]) -> None:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                self._parts.read(part, events)
        word = candidate.get("finishReason")
        if isinstance(word, str) and word:
            self._word = word
            self._word_message = _text(candidate.get("finishMessage"))

    def _read_feedback(self, feedback: dict[str, Any], events: list[StreamEvent]) -> None:
        """The prompt was blocked: there will be no reply, or no more of it."""
        reason = _text(feedback.get("blockReason"))
        if not reason or reason == "BLOCKED_REASON_UNSPECIFIED":
            return
        if self._parts.any:
            self._word = self._word or ("PROHIBITED_CONTENT" if reason == "OTHER" else reason)
            return
        self._flush(events)
        message = _text(feedback.get("blockReasonMessage"))
        why = f": {message.rstrip('.')}." if message else f" ({reason.replace('_', ' ').lower()})."
        self.error = ProviderError(
            f"{self._asked.label} refused this request by its content rules{why} Rephrase it and try again.",
            code="refused",
            detail=" · ".join(text for text in (reason, message) if text),
            retryable=False,
        )

    # The end

    def _flush(self, events: list[StreamEvent]) -> None:
        self._parts.end_run(events)
        if self._usage is not None:
            events.append(UsageReported(self._usage))
            self._usage = None

    def _end(self, events: list[StreamEvent]) -> None:
        """The connection has ended: say how the reply ended, or that it did not."""
        self._flush(events)
        self.error = self._broken()
        if self.error is not None:
            return
        reason = stop_reason_of(self._word)
        if reason == "stop" and self._parts.has_calls:
            reason = "tool_use"  # the word is STOP with calls too
        detail = detail_of(self._word, self._word_message) if reason not in ("stop", "tool_use") else ""
        events.append(Finished(reason, word=self._word, detail=detail))
        self.finished = True

    def _broken(self) -> ProviderError | None:
        if self._is_too_large:
            return too_large(self._asked)
        if self._objects.damaged:
            return _damaged(self._asked, self._objects.damaged[:200].decode("utf-8", "replace"))
        stray = self._sse.stray or self._objects.stray
        if stray and (said := _stray_error(stray)):  # an error comes as bare JSON between the events
            return said_error(said, self._asked)
        if self._word and not self._has_much_stray:
            return None
        if not self._started or self._has_much_stray:
            if stray:
                return not_the_protocol(stray, self._asked)
            return cut_off(self._asked, "the answer was empty")
        return cut_off(self._asked)


def _stray_error(stray: bytes) -> ErrorBody | None:
    if b'"error"' not in stray:
        return None
    try:
        return error_of(json.loads(stray))
    except (ValueError, RecursionError):
        return read_error(stray)  # longer than what is kept of it


def _damaged(asked: Asked, detail: str) -> ProviderError:
    text = f"{asked.label} sent a damaged piece of the reply. Try again."
    return ProviderError(text, code="bad_response", detail=detail)


def _text(value: Any) -> str:
    return mend_surrogates(value) if isinstance(value, str) else ""
