"""Decoding: our `StreamDecoder` and `fold` against each official SDK's own decoder and accumulator, on recordings.

As a program, ``python -m tests.benchmarks.decoding WIRE``: measure one wire and print a JSON object.

Both sides get the same bytes in pieces of 4 kB and make a whole message of them; neither sees a network. The
SDKs of OpenAI and Anthropic are entered at their stream classes. Those of Gemini and Ollama have no such door: they
are asked through a transport that answers at once, and what a request with one event costs is taken off again.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.run import ROOT, Row, apart

FASTEST_STREAM = 3_000.0
"""Events a second of the fastest real stream: Cerebras advertises 3,000 tokens a second, at most one event each. The
fastest recording, by its server's own clock, is Cerebras's too (2,270); the next is Groq's (495)."""
TOKENS_AN_EVENT = {"gemini": 4.0}
"""Where an event is more than a token: the median of Gemini's recordings is 4, its long ones have nearly 40."""
GOAL = 20
PIECE = 4096
FEWEST_EVENTS = 8
"""Shorter recordings measure the beginning and the end of a reply."""
AT_LEAST_S = 0.4

FOLDERS = {
    "openai_chat": (
        *("openai_chat", "openrouter", "deepseek", "groq"),
        *("mistral", "xai", "llamacpp", "other_compatible"),
    ),
    "openai_responses": ("openai_responses",),
    "anthropic": ("anthropic",),
    "gemini": ("gemini",),
    "ollama": ("ollama",),
}
Decode = Callable[[bytes], object]


@dataclass(frozen=True)
class Recording:
    data: bytes
    events: int


def decoding(repeats: int) -> list[Row]:
    """6. A streamed reply decoded and folded, against the official SDK: µs of CPU an event, over all recordings."""
    rows: list[Row] = []
    for wire in FOLDERS:
        measured = [_measured(wire) for _ in range(repeats)]
        ours = statistics.median(each["ours_us"] for each in measured)
        sdk = statistics.median(each["sdk_us"] for each in measured)
        ratio = statistics.median(each["ours_us"] / each["sdk_us"] for each in measured)
        events = measured[0]["events"]
        limit = 1e6 / (GOAL * FASTEST_STREAM) * TOKENS_AN_EVENT.get(wire, 1.0)
        name = f"{wire}, {events:,.0f} events"
        rows += [
            Row(f"{name}: ours against the SDK", ours, "µs CPU", ratio, 1.0),
            Row("  the SDK", sdk, "µs CPU"),
            Row(f"  against {GOAL} × the fastest stream", ours, "µs CPU", None, limit),
            Row("  events", 1e6 / ours, "1/s"),
            Row("  bytes", measured[0]["bytes"] / events / ours, "MB/s"),
        ]
    return rows


def _measured(wire: str) -> dict[str, float]:
    return apart("decoding", wire)


def measure(wire: str) -> dict[str, float]:
    recordings = list(_recordings(wire))
    if not recordings:
        raise SystemExit("there are no recordings on this machine: set SAM_RECORDINGS to their folder")
    theirs, overhead_s = _sdk(wire)
    recordings = [each for each in recordings if _can_read(theirs, each)]
    events = sum(each.events for each in recordings)
    ours_s = _seconds(lambda: _all(_ours(wire), recordings))
    sdk_s = _seconds(lambda: _all(theirs, recordings)) - overhead_s * len(recordings)
    size = sum(len(each.data) for each in recordings)
    return {"events": events, "bytes": size, "ours_us": ours_s / events * 1e6, "sdk_us": sdk_s / events * 1e6}


def _recordings(wire: str) -> Iterator[Recording]:
    root = Path(os.environ.get("SAM_RECORDINGS") or ROOT.parent / "shared" / "recordings")
    for folder in FOLDERS[wire]:
        for path in sorted((root / folder).glob("*.*")):
            if path.suffix not in (".sse", ".ndjson"):
                continue
            expected = json.loads(path.with_suffix("").with_name(f"{path.stem}.expected.json").read_text("utf-8"))
            if expected["outcome"] == "ok" and expected["chunks"] >= FEWEST_EVENTS:
                yield Recording(path.read_bytes(), expected["chunks"])


def _can_read(decode: Decode, recording: Recording) -> bool:
    """An SDK that crashes on what a gateway sends is not measured with it."""
    try:
        decode(recording.data)
    except (IndexError, KeyError, TypeError, ValueError, AssertionError):
        return False
    return True


def _all(decode: Decode, recordings: list[Recording]) -> None:
    for recording in recordings:
        decode(recording.data)


def _seconds(work: Callable[[], None]) -> float:
    """Processor seconds of one round: the least of many, after one to warm up."""
    work()
    least, whole = float("inf"), 0.0
    while whole < AT_LEAST_S:
        begun_s = time.process_time()
        work()
        took_s = time.process_time() - begun_s
        least, whole = min(least, took_s), whole + took_s
    return least


def _pieces(data: bytes) -> Iterator[bytes]:
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def _ours(wire: str) -> Decode:
    from sam_py.providers.accumulate import fold

    decoder_of = importlib.import_module(f"sam_py.providers.{wire}.stream").StreamDecoder

    def decode(data: bytes) -> object:
        decoder = decoder_of()
        events = [event for piece in _pieces(data) for event in decoder.feed(piece)]
        return fold([*events, *decoder.close()], provider="p", model="m")

    return decode


def _sdk(wire: str) -> tuple[Decode, float]:
    """The SDK's way, and the seconds of one use that are not decoding."""
    match wire:
        case "openai_chat":
            return _openai_chat(), 0.0
        case "openai_responses":
            return _openai_responses(), 0.0
        case "anthropic":
            return _anthropic(), 0.0
        case "gemini":
            decode = _gemini()
            event = {"candidates": [{"content": {"parts": [{"text": "x"}], "role": "model"}, "finishReason": "STOP"}]}
            return decode, _seconds(lambda: _repeat(decode, b"data: " + json.dumps(event).encode() + b"\n\n")) / 50
        case _:
            decode = _ollama()
            line = {"model": "m", "message": {"role": "assistant", "content": "x"}, "done": True}
            return decode, _seconds(lambda: _repeat(decode, json.dumps(line).encode() + b"\n")) / 50


def _repeat(decode: Decode, data: bytes) -> None:
    for _ in range(50):
        decode(data)


def _answer(data: bytes) -> Any:
    import httpx2

    return httpx2.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=_pieces(data),
        request=httpx2.Request("POST", "http://127.0.0.1/"),
    )


def _openai_chat() -> Decode:
    import openai
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    client = openai.OpenAI(api_key="none")

    def decode(data: bytes) -> object:
        state: Any = ChatCompletionStreamState(input_tools=openai.NOT_GIVEN, response_format=openai.NOT_GIVEN)
        for chunk in openai.Stream(cast_to=ChatCompletionChunk, response=_answer(data), client=client):
            state.handle_chunk(chunk)
        return state.current_completion_snapshot

    return decode


def _openai_responses() -> Decode:
    import openai
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent

    client = openai.OpenAI(api_key="none")

    def decode(data: bytes) -> object:
        state: Any = ResponseStreamState(text_format=openai.NOT_GIVEN, input_tools=openai.NOT_GIVEN)
        stream: Any = openai.Stream(cast_to=ResponseStreamEvent, response=_answer(data), client=client)  # type: ignore[arg-type]
        for event in stream:
            state.handle_event(event)
        return state

    return decode


def _anthropic() -> Decode:
    import anthropic
    from anthropic.lib.streaming import MessageStream
    from anthropic.types import RawMessageStreamEvent

    client = anthropic.Anthropic(api_key="none")

    def decode(data: bytes) -> object:
        raw: Any = anthropic.Stream(cast_to=RawMessageStreamEvent, response=_answer(data), client=client)  # type: ignore[arg-type]
        stream: Any = MessageStream(raw, anthropic.NOT_GIVEN)
        return stream.get_final_message()

    return decode


def _gemini() -> Decode:
    from google import genai
    from google.genai import types

    transport = _Transport("text/event-stream")
    options = types.HttpOptions(httpx_client=transport.client())
    models = genai.Client(api_key="none", http_options=options).models

    def decode(data: bytes) -> object:
        transport.data = data
        parts: list[Any] = []
        for chunk in models.generate_content_stream(model="m", contents="x"):
            for candidate in chunk.candidates or ():
                parts += (candidate.content and candidate.content.parts) or ()
        return "".join(part.text or "" for part in parts)

    return decode


def _ollama() -> Decode:
    import httpx
    import ollama

    transport = _Transport("application/x-ndjson")
    client = ollama.Client(host="http://127.0.0.1:1", transport=httpx.MockTransport(transport.answer))

    def decode(data: bytes) -> object:
        transport.data = data
        return "".join(part.message.content or "" for part in client.chat(model="m", messages=[], stream=True))

    return decode


class _Transport:
    """Answers every request at once with `data`."""

    def __init__(self, content_type: str) -> None:
        self.data = b""
        self._content_type = content_type

    def answer(self, request: Any) -> Any:
        import httpx

        return httpx.Response(200, headers={"content-type": self._content_type}, content=_pieces(self.data))

    def client(self) -> Any:
        """For google-genai, which moved on to the fork of httpx."""
        import httpx2

        def answer(_request: Any) -> Any:
            return httpx2.Response(200, headers={"content-type": self._content_type}, content=_pieces(self.data))

        return httpx2.Client(transport=httpx2.MockTransport(answer))


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
