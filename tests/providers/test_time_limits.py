"""A server that says nothing, or too little for ever, ends in an error; one that failed unseen is asked again."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, Finished, Started, StreamEvent, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.wire import Account
from tests.fakes.fault_server import DONE, Behaviour, FaultServer, Reply, Silence, Stream, chunk, sse

REQUEST = ChatRequest(model="fake", turns=(Turn("user", (TextPart(text="Hi"),)),))
OVERLOADED = sse({"error": {"message": "busy", "code": 503}})


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.now_s = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)

    def monotonic(self) -> float:
        return self.now_s


async def no_key(_provider_id: str) -> str | None:
    return None


async def bytes_of(behaviour: Behaviour, http: Http, **limits: float) -> tuple[bytes, ProviderError]:
    """What comes of an answer, and the error that ends it."""
    came = b""
    async with FaultServer(behaviour) as server:
        call = Call(url=server.base_url + "/x", asked=Asked("Acme", base_url=server.base_url), **limits)  # type: ignore[arg-type]
        try:
            async with aclosing(http.stream(call)) as chunks:
                async for piece in chunks:
                    if isinstance(piece, bytes):
                        came += piece
        except ProviderError as error:
            return came, error
        finally:
            await http.aclose()
    raise AssertionError("it ended well")


async def asked(*behaviours: Behaviour) -> tuple[list[StreamEvent], ProviderError | None, int]:
    """The events of a reply, the error that ended it, and how often the server was asked."""
    clock = Clock()
    http = Http(sleep=clock.sleep, gather_s=0.0, chance=lambda: 0.0)
    events: list[StreamEvent] = []
    failure = None
    async with FaultServer(*behaviours) as server:
        provider = OpenAIChatProvider(Account(id="p", label="Acme", base_url=server.base_url), http=http, key_of=no_key)
        try:
            async with aclosing(provider.stream(REQUEST)) as stream:
                async for event in stream:
                    events.append(event)
        except ProviderError as error:
            failure = error
        await http.aclose()
        return events, failure, len(server.requests)


def test_a_server_that_never_answers_ends_in_an_error() -> None:
    clock = Clock()
    http = Http(sleep=clock.sleep, monotonic=clock.monotonic)
    _, error = asyncio.run(bytes_of(Silence(), http, first_byte_s=45.0, read_s=9.0))
    assert (error.code, error.detail) == ("unreachable", "nothing came for 45 s")


def test_a_stream_that_dies_half_way_ends_in_an_error_and_keeps_what_came() -> None:
    http = Http(gather_s=0.0, silence_s=0.02)
    came, error = asyncio.run(bytes_of(Stream((chunk("Half"),), then="hang"), http, first_byte_s=900.0, read_s=0.05))
    assert b"Half" in came
    assert error.code == "cut_off"


def test_a_list_that_drips_for_ever_ends_in_an_error() -> None:
    async def main() -> ProviderError:
        http = Http(gather_s=0.0)
        async with FaultServer(Stream((b"[",), then="hang", content_type="application/json")) as server:
            call = Call(url=server.base_url, asked=Asked("Acme", base_url=server.base_url), total_s=0.05)
            try:
                await http.get_json(call)
            except ProviderError as error:
                return error
            finally:
                await http.aclose()
        raise AssertionError

    error = asyncio.run(main())
    assert (error.code, error.retryable) == ("unreachable", False)


@pytest.mark.parametrize(
    "first",
    [
        Stream((OVERLOADED, DONE)),
        Stream((chunk(role="assistant"), OVERLOADED)),
        Stream((chunk(role="assistant"),), then="cut"),
        Stream((b": ping\n\n",)),
    ],
)
def test_an_answer_that_failed_before_anything_was_seen_is_asked_for_again(first: Stream) -> None:
    events, error, requests = asyncio.run(asked(first, Reply("Hello")))
    assert (error, requests) == (None, 2)
    assert fold(events).text == "Hello"
    assert sum(isinstance(event, Started) for event in events) == 1
    assert any(isinstance(event, Waiting) and "Trying again" in event.text for event in events)
    assert sum(isinstance(event, Finished) for event in events) == 1


def test_an_answer_that_was_seen_in_part_is_never_asked_for_again() -> None:
    events, error, requests = asyncio.run(asked(Stream((chunk("Some"), OVERLOADED)), Reply("Hello")))
    assert requests == 1
    assert error is not None
    assert fold(events).text == "Some"


def test_what_fails_three_times_is_told() -> None:
    _, error, requests = asyncio.run(asked(Stream((OVERLOADED,))))
    assert requests == 3
    assert error is not None
    assert error.code == "server"


def test_what_will_not_pass_is_not_asked_for_again_although_nothing_was_seen() -> None:
    refused = sse({"error": {"message": "bad", "code": 400, "type": "invalid_request_error"}})
    _, error, requests = asyncio.run(asked(Stream((refused,)), Reply("Hello")))
    assert requests == 1
    assert error is not None
    assert error.code == "bad_request"
