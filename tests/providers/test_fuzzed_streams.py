"""Whatever bytes come, a decoder ends in a reply or a typed error, holds no more than it must, and never raises.

Some hundred streams of each wire; ``SAM_FUZZ=10000`` takes that many.
"""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sam_py.providers.accumulate import fold
from sam_py.providers.base import Decoder, Finished, StreamEvent
from sam_py.providers.bounds import Bounded
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.openai_chat.stream import StreamDecoder
from tests.providers.mutations import mutated, pieces
from tests.wire.streams import STREAMS, Answer
from tests.wire.wires import NAMES, wire_of

COUNT = int(os.environ.get("SAM_FUZZ", "150"))
LARGEST_RECORDING = 60_000
MB = 1 << 20
_SAID = (
    Answer(1, "I look.", calls=[("read_file", {"path": "foo.ts"})]),
    Answer(2, "Twice.", text="Looking. 🎉", calls=[("read_file", {"path": "ünï"}), ("search", {"q": 1})]),
    Answer(3, "Done.", text="Here it is, word by word."),
)
_WHOLE: dict[str, list[Any]] = {
    "openai_chat": [
        {"id": "1", "choices": [{"message": {"content": "Hi", "reasoning": "hm"}, "finish_reason": "stop"}]},
        {"error": {"message": "no", "code": 429}},
    ],
    "anthropic": [{"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}],
}


@cache
def _own(wire: str) -> tuple[bytes, ...]:
    streams = [make(answer) for (name, _service), make in STREAMS.items() if name == wire for answer in _SAID]
    return (*streams, *(json.dumps(value).encode() for value in _WHOLE.get(wire, ())))


def _recorded(wire: str) -> list[bytes]:
    """Answers that real servers gave, where they are on this machine."""
    root = Path(os.environ.get("SAM_RECORDINGS") or Path(__file__).parents[3] / "shared" / "recordings")
    folders = [wire] if wire != "openai_chat" else [wire, "openrouter", "deepseek", "groq", "mistral"]
    paths = [path for folder in folders for path in sorted((root / folder).glob("*")) if path.suffix != ".md"]
    bodies = [path for path in paths if path.suffix in (".sse", ".ndjson") or path.name.endswith(".response.json")]
    return [path.read_bytes() for path in bodies if path.stat().st_size < LARGEST_RECORDING]


def ends_well(decoder: Decoder, chunks: list[bytes]) -> list[StreamEvent]:
    """Decode and return the events; asserts what holds for every stream."""
    events: list[StreamEvent] = []
    for chunk in chunks:
        over = decoder.finished or decoder.error is not None
        came = decoder.feed(chunk)
        assert not (over and came), "events after the end"
        events += came
    events += decoder.close()
    finishes = [place for place, event in enumerate(events) if isinstance(event, Finished)]
    assert decoder.finished == (len(finishes) == 1)
    assert finishes in ([], [len(events) - 1]), "something follows the end"
    assert decoder.finished != (decoder.error is not None), "neither ended nor failed, or both"
    if decoder.error is not None:
        assert isinstance(decoder.error, ProviderError)
        (str(decoder.error) + decoder.error.detail).encode()
    fold(events, provider="p", model="m").model_dump_json().encode()
    return events


@pytest.mark.parametrize("wire", NAMES)
def test_mutated_streams_end_in_a_reply_or_a_typed_error(wire: str) -> None:
    sources = [*_own(wire), *_recorded(wire)]
    own = len(_own(wire))
    ended = 0
    for number in range(COUNT):
        chance = Random(f"{wire} {number}")
        source = sources[number % own] if number % 3 else chance.choice(sources)
        stream = mutated(source, chance, sources)
        decoder = wire_of(wire).decoder()
        try:
            ends_well(decoder, pieces(stream, chance))
        except Exception as error:
            error.add_note(f"stream {number} of {wire}: {stream[:2000]!r}")
            raise
        ended += decoder.finished
    assert 0 < ended < COUNT, "the mutations are all harmless, or all deadly"


def _begun(wire: str) -> bytes:
    """The first events of an answer, without its end."""
    stream = _own(wire)[1]
    return stream[: len(stream) // 3].rpartition(b"\n\n" if b"\n\n" in stream else b"\n")[0] + b"\n\n"


def _endless(kind: str, wire: str) -> Iterator[bytes]:
    """An answer in megabytes that never ends."""
    fill = b"x" * MB
    match kind:
        case "a line":
            yield b"data: {"
        case "markup":
            yield b"<!DOCTYPE html>"
        case "JSON":
            yield b'{"a": "'
        case "rubbish in lines":
            fill = b"rubbish\n" * (MB // 8)
        case "an event of empty lines":
            fill = b"data:\n" * (MB // 6)
        case "white space":
            fill = b"\n" * MB
        case "arguments":
            yield _begun(wire)
            fill = _more_arguments(wire)
        case "calls":
            yield _begun(wire)
            numbers = iter(range(10**9))
            while True:
                yield b"".join(_new_call(wire, next(numbers)) for _ in range(2_000))
    while True:
        yield fill


def _more_arguments(wire: str) -> bytes:
    text = "y" * (MB // 2)
    value: Any
    match wire:
        case "openai_chat":
            call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": text}}
            value = {"id": "1", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
        case "anthropic":
            value = {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": text}}
        case "openai_responses":
            value = {"type": "response.function_call_arguments.delta", "item_id": "f", "output_index": 0, "delta": text}
        case "gemini":
            part = {"functionCall": {"name": "f", "args": {"a": text}}, "thoughtSignature": text}
            value = {"candidates": [{"content": {"role": "model", "parts": [part]}}]}
        case _:
            call = {"function": {"name": "f", "arguments": {"a": text}}}
            return json.dumps({"message": {"role": "assistant", "tool_calls": [call]}, "done": False}).encode() + b"\n"
    return _event(value)


def _new_call(wire: str, number: int) -> bytes:
    value: Any
    match wire:
        case "openai_chat":
            call = {"index": number, "id": f"c{number}", "function": {"name": "f", "arguments": ""}}
            value = {"id": "1", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
        case "anthropic":
            block = {"type": "tool_use", "id": f"c{number}", "name": "f", "input": {}}
            value = {"type": "content_block_start", "index": number, "content_block": block}
        case "openai_responses":
            item = {"type": "function_call", "id": f"f{number}", "call_id": f"c{number}", "name": "f", "arguments": ""}
            value = {"type": "response.output_item.added", "output_index": number, "item": item}
        case "gemini":
            value = {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}}]}
        case _:
            message = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
            return json.dumps({"message": message, "done": False}).encode() + b"\n"
    return _event(value)


def _event(value: dict[str, Any]) -> bytes:
    name = f"event: {value['type']}\n" if "type" in value else ""
    return f"{name}data: {json.dumps(value)}\n\n".encode()


KINDS = (
    "a line",
    "markup",
    "JSON",
    "rubbish in lines",
    "an event of empty lines",
    "white space",
    "arguments",
    "calls",
)


@pytest.mark.parametrize("wire", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_never_ends_is_ended_before_it_fills_the_memory(wire: str, kind: str) -> None:
    """With a smaller measure than the program's, for the sake of time."""
    decoder = Bounded(wire_of(wire).decoder(), Asked("The server"), quiet_bytes=MB, total_bytes=4 * MB)
    for chunk in islice(_endless(kind, wire), 100):
        for at in range(0, len(chunk), MB // 8):
            decoder.feed(chunk[at : at + MB // 8])
        if decoder.error is not None:
            break
    assert decoder.error is not None
    assert decoder.error.code == "bad_response"
    assert decoder.close() == []


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"a line", "JSON", "white space"}))
def test_chat_completions_end_by_themselves_what_never_ends(kind: str) -> None:
    """The other kinds may be a picture of 64 MB; the measure of all wires holds for more."""
    decoder = StreamDecoder()
    for chunk in islice(_endless(kind, "openai_chat"), 100):
        decoder.feed(chunk)
        if decoder.error is not None:
            return
    raise AssertionError("still waiting")


@pytest.mark.parametrize("wire", sorted(set(NAMES) - {"ollama"}))
def test_pings_for_ever_are_life_and_cost_nothing(wire: str) -> None:
    decoder = wire_of(wire).decoder()
    decoder.feed(b": ping\n\n" * 1000)
    grown = _growth(lambda: decoder.feed(b": ping\n\n" * 20_000))
    assert decoder.error is None
    assert grown < 20_000


@pytest.mark.parametrize("wire", NAMES)
def test_text_for_ever_is_handed_on_and_not_kept(wire: str) -> None:
    stream = _own(wire)[2]
    decoder = wire_of(wire).decoder()
    separator = b"\n\n" if b"\n\n" in stream else b"\n"
    blocks = stream.split(separator)
    place = next(place for place, block in enumerate(blocks) if b"Here" in block)
    decoder.feed(separator.join(blocks[: place + 1]) + separator)
    more = (blocks[place] + separator) * 500

    def feed() -> None:
        for _ in range(4):
            decoder.feed(more)

    feed()
    assert _growth(feed) < 400_000, "what was handed on is held all the same"
    assert decoder.error is None


def _growth(work: Callable[[], object]) -> int:
    """How many bytes are held after `work` that were not before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
