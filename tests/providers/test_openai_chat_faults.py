"""Whatever a server or the network does, a person gets the text that came and words to act on."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, Finished, StreamEvent, TextDelta, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.wire import Account
from tests.fakes.fault_server import (
    DONE,
    Behaviour,
    FaultServer,
    Hangup,
    Json,
    Reply,
    Silence,
    Status,
    Stream,
    chunk,
    closed_port,
    sse,
)

REQUEST = ChatRequest(model="fake", turns=(Turn("user", (TextPart(text="Hi"),)),))
ERROR = json.dumps({"error": {"message": "why", "code": "x"}})


@dataclass
class PassedTime:
    """Sleeps at once and remembers for how long."""

    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        if seconds > 15:  # the watch for silence, not a retry
            await asyncio.Event().wait()
        self.slept.append(seconds)
        await asyncio.sleep(0)


@dataclass
class Outcome:
    events: list[StreamEvent]
    error: ProviderError | None
    slept: list[float]
    requests: int

    @property
    def text(self) -> str:
        return fold(self.events).text

    @property
    def waits(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Waiting)]


async def a_key(_provider_id: str) -> str | None:
    return "sk-secret-123456"


def provider_at(
    base_url: str, http: Http, key_of: Callable[[str], Awaitable[str | None]] = a_key
) -> OpenAIChatProvider:
    return OpenAIChatProvider(
        Account(id="p", label="Acme", base_url=base_url, local_program="LM Studio"), http=http, key_of=key_of
    )


async def run(base_url: str, time: PassedTime) -> tuple[list[StreamEvent], ProviderError | None]:
    http = Http(sleep=time.sleep, chance=lambda: 0.0, clock=lambda: 0.0)
    events: list[StreamEvent] = []
    error = None
    try:
        async with aclosing(provider_at(base_url, http).stream(REQUEST)) as stream:
            async for event in stream:
                events.append(event)
    except ProviderError as caught:
        error = caught
    await http.aclose()
    return events, error


def ask(*behaviours: Behaviour) -> Outcome:
    async def main() -> Outcome:
        time = PassedTime()
        async with FaultServer(*behaviours) as server:
            events, error = await asyncio.wait_for(run(server.base_url, time), 20)
            return Outcome(events, error, time.slept, len(server.requests))

    return asyncio.run(main())


def test_a_good_answer_ends_in_exactly_one_finished() -> None:
    outcome = ask(Reply("Hel", "lo"))
    assert outcome.text == "Hello"
    assert outcome.error is None
    assert [type(event) for event in outcome.events].count(Finished) == 1
    assert isinstance(outcome.events[-1], Finished)


def test_nothing_at_a_local_address_asks_whether_the_program_runs() -> None:
    time = PassedTime()
    url = f"http://127.0.0.1:{closed_port()}"
    _, error = asyncio.run(run(f"{url}/v1", time))
    assert error is not None
    assert str(error) == f"Nothing answers at {url}. Is LM Studio running?"
    assert error.code == "unreachable"
    assert time.slept == []


def test_an_unknown_host_says_so() -> None:
    _, error = asyncio.run(run("http://no-such-host.invalid/v1", PassedTime()))
    assert error is not None
    assert error.code == "unreachable"


@pytest.mark.parametrize(
    ("answer", "code", "word"),
    [
        (Status(401, ERROR), "bad_key", "The key for Acme was refused. Open settings"),
        (Status(404, json.dumps({"error": {"message": "m", "code": "model_not_found"}})), "no_model", "“fake”"),
        (Status(402, ERROR), "no_credit", "no credit"),
        (Status(400, ERROR), "bad_request", "why"),
        (Status(413, ""), "too_long", "longer"),
        (Status(307, "", {"Location": "http://127.0.0.1:9/elsewhere"}), "bad_response", "redirect"),
    ],
)
def test_what_will_not_get_better_is_not_sent_again(answer: Status, code: str, word: str) -> None:
    outcome = ask(answer, Reply("never asked"))
    assert outcome.error is not None
    assert outcome.error.code == code
    assert word in str(outcome.error)
    assert outcome.requests == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Status(429, ERROR), "rate_limited"),
        (Status(500, ERROR), "server"),
        (Status(529, ERROR), "server"),
        (Status(502, "<html><body><h1>Bad Gateway</h1></body></html>", content_type="text/html"), "server"),
        (Hangup(), "unreachable"),
    ],
)
def test_what_may_get_better_is_sent_three_times_in_all(answer: Behaviour, code: str) -> None:
    outcome = ask(answer)
    assert outcome.error is not None
    assert outcome.error.code == code
    assert outcome.requests == 3
    assert outcome.slept == [0.5, 1.0]
    assert "<" not in str(outcome.error)


def test_a_second_try_that_works_is_a_reply_like_any_other() -> None:
    outcome = ask(Status(503, ERROR), Reply("Hello"))
    assert outcome.error is None
    assert outcome.text == "Hello"
    assert outcome.waits[0].startswith("Trying again in 1 s: Acme")


def test_retry_after_is_waited_for_and_counted_down() -> None:
    outcome = ask(Status(429, ERROR, {"Retry-After": "3"}), Reply("Hello"))
    assert outcome.text == "Hello"
    assert outcome.slept == [1.0, 1.0, 1.0]
    assert [wait.split(":")[0] for wait in outcome.waits] == [f"Trying again in {n} s" for n in (3, 2, 1)]


def test_a_server_that_asks_for_ten_minutes_is_not_waited_for() -> None:
    outcome = ask(Status(429, ERROR, {"Retry-After": "600"}))
    assert outcome.error is not None
    assert outcome.error.retry_after_s == 600
    assert outcome.requests == 1


def test_an_exhausted_account_is_not_asked_again() -> None:
    body = json.dumps({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
    outcome = ask(Status(429, body))
    assert outcome.error is not None
    assert outcome.error.code == "no_credit"
    assert outcome.requests == 1


@pytest.mark.parametrize(("said", "requests"), [("false", 1), ("true", 3)])
def test_x_should_retry_is_obeyed(said: str, requests: int) -> None:
    status = 500 if said == "false" else 400
    assert ask(Status(status, ERROR, {"x-should-retry": said})).requests == requests


def test_a_stream_cut_half_way_keeps_its_text_and_is_not_sent_again() -> None:
    outcome = ask(Stream((chunk("Half a "), chunk("reply")), then="cut"))
    assert outcome.error is not None
    assert outcome.error.code == "cut_off"
    assert outcome.text == "Half a reply"
    assert outcome.requests == 1


def test_a_connection_that_breaks_after_the_last_word_lost_nothing() -> None:
    outcome = ask(Stream((chunk("All"), chunk(finish="stop")), then="cut"))
    assert outcome.error is None
    assert outcome.text == "All"


def test_a_stream_that_ends_early_without_a_break_is_cut_off_too() -> None:
    outcome = ask(Stream((chunk("Half"),)))
    assert outcome.error is not None
    assert outcome.error.code == "cut_off"


def test_an_error_inside_the_stream_keeps_the_text_before_it() -> None:
    outcome = ask(Stream((chunk("Some"), sse({"error": {"message": "overloaded", "code": 529}}), chunk("more"), DONE)))
    assert outcome.error is not None
    assert outcome.error.code == "server"
    assert outcome.text == "Some"
    assert not any(isinstance(event, Finished) for event in outcome.events)


@pytest.mark.parametrize(
    "behaviour",
    [
        Stream((b"\x00\xff\xfe rubbish \x80" * 50,)),
        Stream((b"<!DOCTYPE html><html><body>Welcome to the hotel's Wi-Fi</body></html>",), content_type="text/html"),
        Stream((chunk("Fine so far"), b"data: {not json\n\n")),
        Stream((sse({"choices": []}), b"data: " + b"x" * (9 << 20) + b"\n\n", DONE)),
        Status(200, ""),
        Status(200, "null"),
        Status(200, '{"choices": []}'),
    ],
)
def test_rubbish_is_an_error_and_never_an_answer(behaviour: Behaviour) -> None:
    outcome = ask(behaviour)
    assert outcome.error is not None
    assert outcome.error.code in ("bad_response", "cut_off")
    assert not any(isinstance(event, Finished) for event in outcome.events)


def test_a_server_that_does_not_stream_answers_all_the_same() -> None:
    message = {"role": "assistant", "content": "Whole"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    outcome = ask(
        Json({"id": "1", "model": "m", "choices": choices, "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
    )
    assert outcome.error is None
    assert outcome.text == "Whole"
    usage = fold(outcome.events).usage
    assert usage is not None
    assert usage.input_tokens == 3


def test_no_redirect_ever_sees_the_key() -> None:
    async def main() -> None:
        async with FaultServer(Reply("caught")) as thief:
            async with FaultServer(Status(307, "", {"Location": f"{thief.base_url}/chat/completions"})) as server:
                _, error = await run(server.base_url, PassedTime())
            assert error is not None
            assert thief.requests == []

    asyncio.run(main())


def test_a_key_is_sent_in_the_header_and_appears_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> Any:
        body = json.dumps({"error": {"message": "Incorrect API key provided: sk-secret-123456"}})
        async with FaultServer(Status(401, body)) as server:
            _, error = await run(server.base_url, PassedTime())
            return server.requests[0], error

    caplog.set_level(logging.DEBUG)
    request, error = asyncio.run(main())
    assert request.headers["authorization"] == "Bearer sk-secret-123456"
    assert "sk-secret" not in request.path
    assert "sk-secret" not in caplog.text + str(error) + error.detail


def test_a_key_never_travels_over_plain_http_to_the_internet() -> None:
    _, error = asyncio.run(run("http://api.example.com/v1", PassedTime()))
    assert error is not None
    assert "https" in str(error)


def test_a_slow_stream_is_handed_on_word_by_word() -> None:
    async def main() -> list[str]:
        http = Http()
        words = ["Each ", "word ", "alone"]
        chunks = (*(chunk(word) for word in words), chunk(finish="stop"), DONE)
        seen: list[str] = []
        async with FaultServer(Stream(chunks, gated=True)) as server:
            server.release()
            async for event in provider_at(server.base_url, http).stream(REQUEST):
                if isinstance(event, TextDelta):
                    assert not server.streaming.is_set()  # the rest was not sent yet
                    seen.append(event.text)
                    server.release(1 if len(seen) < 3 else 2)
        await http.aclose()
        return seen

    assert asyncio.run(main()) == ["Each ", "word ", "alone"]


def test_words_that_came_together_are_handed_on_together() -> None:
    async def main() -> int:
        http = Http(gather_s=0.1)  # between two reads of the socket; between two words it would take a minute
        async with asyncio.timeout(20), FaultServer(Reply(*["word "] * 600)) as server:
            stream = provider_at(server.base_url, http).stream(REQUEST)
            words = [event async for event in stream if isinstance(event, TextDelta)]
        await http.aclose()
        return len(words)

    assert asyncio.run(main()) == 600


def test_a_stream_that_never_ends_stops_at_once_and_its_socket_closes() -> None:
    async def main() -> None:
        http = Http()
        async with FaultServer(Stream((chunk("and on "),), then="hang")) as server:
            stream = provider_at(server.base_url, http).stream(REQUEST)
            async for event in stream:
                if isinstance(event, TextDelta):
                    break
            await stream.aclose()
            await asyncio.wait_for(server.client_left.wait(), 5)
        await http.aclose()

    asyncio.run(main())


@pytest.mark.parametrize("behaviour", [Silence(), Stream((chunk("and on "),), then="hang")])
def test_a_cancelled_reader_closes_the_socket(behaviour: Behaviour) -> None:
    async def main() -> None:
        http = Http()

        async def read() -> None:
            async for _event in provider_at(server.base_url, http).stream(REQUEST):
                pass

        async with FaultServer(behaviour) as server:
            task = asyncio.create_task(read())
            while not server.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.client_left.wait(), 5)
        await http.aclose()

    asyncio.run(main())


def test_twenty_seconds_without_a_byte_are_told_again_and_again() -> None:
    async def main() -> list[str]:
        now = [0.0]

        async def sleep(seconds: float) -> None:
            now[0] += seconds
            await asyncio.sleep(0)

        http = Http(sleep=sleep, monotonic=lambda: now[0])
        told: list[str] = []
        async with FaultServer(Silence()) as server:
            stream = provider_at(server.base_url, http).stream(REQUEST)
            async for event in stream:
                assert isinstance(event, Waiting)
                told.append(event.text)
                if len(told) == 3:
                    break
            await stream.aclose()
        await http.aclose()
        return told

    told = asyncio.run(main())
    assert [text.split(".")[0] for text in told] == [f"No data for {n} s" for n in (20, 40, 60)]


def test_a_long_stream_lets_other_tasks_run() -> None:
    async def main() -> int:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        http = Http()
        async with FaultServer(Reply(*["word "] * 3000)) as server:
            counter = asyncio.create_task(count())
            async for _event in provider_at(server.base_url, http).stream(REQUEST):
                pass
            counter.cancel()
        await http.aclose()
        return turns

    assert asyncio.run(main()) > 5


def test_a_key_with_a_line_break_or_a_letter_no_key_has_is_named() -> None:
    async def odd(_provider_id: str) -> str | None:
        return "sk-schlüssel"

    async def main() -> None:
        http = Http()
        async with FaultServer(Reply("never")) as server:
            with pytest.raises(ProviderError, match="paste it again"):
                async for _event in provider_at(server.base_url, http, odd).stream(REQUEST):
                    pass
        await http.aclose()

    asyncio.run(main())


def test_an_error_s_words_always_say_what_to_do() -> None:
    from sam_py.providers.failures import Asked, status_error

    for status in (301, 400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 451, 500, 502, 503, 529):
        for body in ("", ERROR, "<html>no</html>", '{"detail": "why"}', "\x00\xff"):
            error = status_error(status, body, Asked("Acme", model="m", base_url="https://acme.example/v1"))
            assert str(error).endswith(".")
            assert any(
                word in str(error) for word in ("ry again", "settings", "Choose", "Rephrase", "Top it up", "Start")
            )
            assert error.status == status
