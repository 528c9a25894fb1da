"""From the bytes of an Ollama answer to `StreamEvent`s: a pure state machine.

Feed it a stream (an object a line) or one JSON answer, cut anywhere. An error that the server reports inside an
answer with status 200 does not raise: `feed` returns what came before it and `error` is set from then on.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.message import StopReason
from sam_py.messages.usage import Usage
from sam_py.providers.base import (
    Finished,
    ImageProduced,
    Started,
    StreamEvent,
    ToolCallDelta,
    ToolCallStarted,
    UsageReported,
)
from sam_py.providers.error_body import error_of
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, cut_off, not_the_protocol, said_error, too_large
from sam_py.providers.ids import new_own_id
from sam_py.providers.json_objects import JsonObjects
from sam_py.providers.surrogates import Channel, TextChannels

_STOP_REASONS: dict[str, StopReason] = {"stop": "stop", "length": "length", "limit": "length"}
_MOST_CALLS = 10_000
_MOST_STRAY_BYTES = 1 << 20
"""Of what is no object: nobody means to say anything after so much of it."""
_KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"RIFF", "image/webp"))


class StreamDecoder:
    """Decodes one answer. `feed` its bytes, then `close` it once; `finished` or `error` is set when it has ended.

    Invariants: at most one `Finished`, and nothing after it or after an error; the events do not depend on
    how the bytes were cut.
    """

    def __init__(self, asked: Asked | None = None, *, new_call_id: Callable[[], str] = new_own_id) -> None:
        self.finished = False
        self.error: ProviderError | None = None
        self._asked = asked or Asked(label="The server")
        self._new_call_id = new_call_id
        self._objects = JsonObjects()
        self._text = TextChannels()
        self._call_ids: set[str] = set()
        self._started = False

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Return the events that `chunk` completes; none once the answer has ended."""
        events: list[StreamEvent] = []
        if self._is_over():
            return events
        for value in self._objects.feed(chunk):
            self._read(value, events)
        objects = self._objects
        if not self._is_over() and (objects.too_large or objects.damaged or self._is_endless()):
            self._text.flush_into(events)
            self.error = self._broken()
        return events

    def close(self) -> list[StreamEvent]:
        """The connection has ended: return the last events. Sets `error` where the reply was not complete."""
        events: list[StreamEvent] = []
        if self._is_over():
            return events
        for value in self._objects.close():
            self._read(value, events)
        if not self._is_over():
            self._text.flush_into(events)
            self.error = self._broken()
        return events

    def _is_over(self) -> bool:
        return self.finished or self.error is not None

    def _is_endless(self) -> bool:
        return self._objects.stray_bytes > _MOST_STRAY_BYTES or len(self._call_ids) > _MOST_CALLS

    def _read(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        if self._is_over():
            return
        said = error_of(value) if value.get("error") else None
        if said is not None:
            self._text.flush_into(events)
            self.error = said_error(said, self._asked)
            return
        message = value.get("message")
        if not self._started and (isinstance(message, dict) or "done" in value):
            self._started = True
            events.append(Started(model=_text(value.get("model"))))
        if isinstance(message, dict):
            self._read_message(message, events)
        if value.get("done") is True:
            self._end(value, events)

    def _read_message(self, message: dict[str, Any], events: list[StreamEvent]) -> None:
        self._say("thinking", message.get("thinking"), events)
        self._say("text", message.get("content"), events)
        images, calls = message.get("images"), message.get("tool_calls")
        for image in images if isinstance(images, list) else ():
            self._picture(image, events)
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._call(call, events)

    def _say(self, channel: Channel, text: Any, events: list[StreamEvent]) -> None:
        if isinstance(text, str) and text:
            self._text.add(channel, text, events)

    def _call(self, call: dict[str, Any], events: list[StreamEvent]) -> None:
        """A call comes whole; older servers give it no id."""
        function = call.get("function")
        if not isinstance(function, dict):
            return
        self._text.flush_into(events)
        call_id = _text(call.get("id"))
        if not call_id or call_id in self._call_ids:
            call_id = self._new_call_id()
        key = str(len(self._call_ids))
        self._call_ids.add(call_id)
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = json.dumps({} if arguments is None else arguments, ensure_ascii=False)
        events += [ToolCallStarted(key, call_id, _text(function.get("name"))), ToolCallDelta(key, arguments)]

    def _picture(self, image: Any, events: list[StreamEvent]) -> None:
        try:
            data = base64.b64decode(image) if isinstance(image, str) else b""
        except (binascii.Error, ValueError):
            data = b""
        mime_type = next((mime for sign, mime in _KINDS if data.startswith(sign)), "")
        if mime_type:
            self._text.flush_into(events)
            events.append(ImageProduced(data, mime_type))

    def _end(self, value: dict[str, Any], events: list[StreamEvent]) -> None:
        self._text.flush_into(events)
        usage = Usage(
            input_tokens=_count(value.get("prompt_eval_count")), output_tokens=_count(value.get("eval_count"))
        )
        if usage != Usage():
            events.append(UsageReported(usage))
        word = _text(value.get("done_reason"))
        reason = _STOP_REASONS.get(word, "stop")
        if reason == "stop" and self._call_ids:
            reason = "tool_use"  # the word is stop with calls too
        events.append(Finished(reason, word=word))
        self.finished = True

    def _broken(self) -> ProviderError:
        objects, label = self._objects, self._asked.label
        if objects.too_large or len(self._call_ids) > _MOST_CALLS:
            return too_large(self._asked)
        if objects.damaged:
            text = f"{label} sent a damaged piece of the reply. Try again."
            detail = objects.damaged[:200].decode("utf-8", "replace")
            return ProviderError(text, code="bad_response", detail=detail)
        if objects.stray and (not self._started or self._is_endless()):
            return not_the_protocol(objects.stray, self._asked)
        return cut_off(self._asked, "" if self._started else "the answer was empty")


def _text(value: Any) -> str:
    return mend_surrogates(value) if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
