from __future__ import annotations

import asyncio

import pytest

from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, Finished, Provider, StreamEvent, TextDelta
from sam_py.providers.errors import ProviderError
from sam_py.providers.scripted import Pause, ScriptedProvider, Step, say

REQUEST = ChatRequest(model="scripted", turns=())


async def read(provider: Provider) -> list[StreamEvent]:
    return [event async for event in provider.stream(REQUEST)]


def test_each_request_gets_the_next_reply_of_the_script() -> None:
    provider = ScriptedProvider("One", say("Two", thinking="Hm"))
    first, second = asyncio.run(read(provider)), asyncio.run(read(provider))
    assert fold(first).text == "One"
    assert (fold(second).thinking, fold(second).text) == ("Hm", "Two")
    assert provider.requests == [REQUEST, REQUEST]
    with pytest.raises(ProviderError, match="no reply left"):
        asyncio.run(read(provider))


def test_a_repeating_script_gives_its_last_reply_again() -> None:
    provider = ScriptedProvider("One", "Again", repeat=True)
    assert [fold(asyncio.run(read(provider))).text for _ in range(3)] == ["One", "Again", "Again"]


def test_pauses_go_through_the_sleep_that_was_passed_in() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    provider = ScriptedProvider(say("abcd", pace_s=0.25, piece=2), sleep=sleep)
    assert fold(asyncio.run(read(provider))).text == "abcd"
    assert slept == [0.25, 0.25]


def test_a_reply_waits_for_a_signal_and_raises_its_error_after_the_text() -> None:
    async def main() -> None:
        go_on = asyncio.Event()
        trouble = ProviderError("Gone.", code="cut_off")
        steps: list[Step] = [TextDelta("Half"), go_on, trouble]
        provider = ScriptedProvider(steps)
        stream = provider.stream(REQUEST)
        assert await anext(stream) == TextDelta("Half")
        waiting = asyncio.create_task(anext(stream))
        await asyncio.sleep(0)
        assert not waiting.done()
        assert provider.streaming == 1
        go_on.set()
        with pytest.raises(ProviderError, match="Gone"):
            await waiting
        assert provider.streaming == 0

    asyncio.run(main())


def test_a_closed_stream_has_stopped() -> None:
    async def main() -> None:
        provider = ScriptedProvider([TextDelta("on "), Pause(3600.0), Finished("stop")])
        stream = provider.stream(REQUEST)
        await anext(stream)
        await stream.aclose()
        assert provider.streaming == 0

    asyncio.run(main())


def test_nothing_comes_after_finished_and_a_reply_without_it_is_cut_off() -> None:
    provider = ScriptedProvider([Finished("stop"), TextDelta("late")], [TextDelta("endless")])
    assert asyncio.run(read(provider)) == [Finished("stop")]
    with pytest.raises(ProviderError, match="no end"):
        asyncio.run(read(provider))
