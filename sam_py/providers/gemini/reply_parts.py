"""ReplyParts: the parts of a reply as they come, as events; text is joined to runs and signatures keep their place."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.base import (
    CodeProduced,
    ImageProduced,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSigned,
    ToolCallDelta,
    ToolCallStarted,
)
from sam_py.providers.gemini.opaque import GrowingRun, Kept, KeptPart, RunKind, SignedNext, write_kept
from sam_py.providers.surrogates import Channel, TextChannels

_CHANNELS: dict[RunKind, Channel] = {"text": "text", "thought": "thinking"}


class ReplyParts:
    """Reads one part after another. A text's signatures are told when its run ends: call `end_run` before the end."""

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self.any = False
        """Whether the reply said anything yet."""
        self.has_calls = False
        self._new_call_id = new_call_id
        self._call_ids: set[str] = set()
        self._text = TextChannels()
        self._run: GrowingRun | None = None

    @property
    def kept(self) -> int:
        """How many calls and signatures are held here."""
        return len(self._call_ids) + (len(self._run.spans) if self._run is not None else 0)

    def read(self, part: dict[str, Any], events: list[StreamEvent]) -> None:
        """Append what `part` says to `events`. The kinds are those of the reference's ``Part``."""
        signature = _text(part.get("thoughtSignature"))
        text = part.get("text")
        data = _object(part.get("inlineData"))
        if isinstance(text, str) or part.keys() <= {"thought", "thoughtSignature"}:
            self._say("thought" if part.get("thought") is True else "text", text or "", signature, events)
        elif isinstance(part.get("functionCall"), dict):
            self._call(part["functionCall"], signature, events)
        elif data and _text(data.get("mimeType")).startswith("image/"):
            if part.get("thought") is not True:  # a draft of the picture: neither shown nor wanted back
                self._picture(data, signature, events)
        elif isinstance(part.get("executableCode"), dict):
            code = part["executableCode"]
            language = _text(code.get("language")).lower()
            self._server_part(part, _text(code.get("code")), "" if "unspecified" in language else language, events)
        elif isinstance(part.get("codeExecutionResult"), dict):
            result = part["codeExecutionResult"]
            self._server_part(part, _text(result.get("output")) or _text(result.get("outcome")), "", events)
        else:
            self._server_part(part, "", "", events)

    def end_run(self, events: list[StreamEvent]) -> None:
        """Nothing more comes to the open text: append what of it was signed."""
        run, self._run = self._run, None
        if run is None:
            return
        before = len(events)
        self._text.flush_into(events)
        _count(events[before:], run)
        if run.spans:
            self._keep(run.signed(), events)

    def _say(self, kind: RunKind, text: str, signature: str, events: list[StreamEvent]) -> None:
        if not text and not signature:
            return
        if self._run is None or self._run.on != kind:
            self.end_run(events)
            self._run = GrowingRun(kind)
        run, start = self._run, self._run.length
        if text:
            self.any = True
            before = len(events)
            self._text.add(_CHANNELS[kind], text, events)
            _count(events[before:], run)
        if signature:
            run.sign(start, signature)

    def _call(self, call: dict[str, Any], signature: str, events: list[StreamEvent]) -> None:
        self.end_run(events)
        self.any = self.has_calls = True
        if signature:
            self._keep(SignedNext("call", signature), events)
        call_id = _text(call.get("id"))
        if not call_id or call_id in self._call_ids:
            call_id = self._new_call_id()
        key = str(len(self._call_ids))
        self._call_ids.add(call_id)
        events.append(ToolCallStarted(key, call_id, _text(call.get("name"))))
        arguments = call.get("args")
        events.append(ToolCallDelta(key, json.dumps({} if arguments is None else arguments, ensure_ascii=False)))

    def _picture(self, data: dict[str, Any], signature: str, events: list[StreamEvent]) -> None:
        try:
            picture = base64.b64decode(str(data.get("data") or ""))
        except (binascii.Error, ValueError):
            picture = b""
        if not picture:
            return
        self.end_run(events)
        self.any = True
        if signature:
            self._keep(SignedNext("image", signature), events)
        events.append(ImageProduced(picture, _text(data["mimeType"])))

    def _server_part(self, part: dict[str, Any], code: str, language: str, events: list[StreamEvent]) -> None:
        """Of a tool that the service ran: shown as code where there is something to show, and kept whole."""
        self.end_run(events)
        shown = bool(code.strip())
        if shown:
            self.any = True
            events.append(CodeProduced(code, language))
        self._keep(KeptPart(part, shown), events)

    def _keep(self, kept: Kept, events: list[StreamEvent]) -> None:
        events.append(ThinkingSigned(write_kept(kept)))


def _count(events: list[StreamEvent], run: GrowingRun) -> None:
    for event in events:
        if isinstance(event, TextDelta | ThinkingDelta):
            run.add(event.text)


def _text(value: Any) -> str:
    return mend_surrogates(value) if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
