"""Much at once: stops, switches, queues and changed settings while replies stream."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from sam_py.messages.message import AssistantMessage
from sam_py.settings.model import Settings
from tests.fakes.fault_server import FaultServer, Reply, Stream, chunk
from tests.fakes.sitting import Sitting
from tests.reliability.telling_server import TellingServer

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

HANGS_UP_S = 5.0
"""Measured: 0.2 s on two cores with twice their work."""


def test_fifty_stops_at_random_instants_leave_a_session_that_works(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        server, chance = TellingServer(longest=500), random.Random(5)
        sam = await sit_down().start()
        sam.use_server(f"http://127.0.0.1:{server.port}/v1")
        slowest_s, stopped_at = 0.0, []
        for number in range(50):
            before = len(server.told)
            sam.chat.send(f"u0x{number}", ())
            await asyncio.sleep(0)
            if number % 5:
                await sam.until(lambda: len(server.told) > before, "the request")  # noqa: B023
            await asyncio.sleep(chance.choice((0.0, 0.001, 0.01, 0.05)))
            began = time.monotonic()
            sam.chat.stop()
            slowest_s = max(slowest_s, time.monotonic() - began)
            assert not sam.chat.conversation.is_busy
            if number % 5:
                stopped_at.append((before, time.monotonic()))
        assert slowest_s < 2.0  # no hang: how long it takes is for the benchmarks
        await sam.until(lambda: all(told.gone_s for told in server.told), "the server to see all of them go")
        assert max((server.told[which].gone_s or 0.0) - at_s for which, at_s in stopped_at) < HANGS_UP_S
        server.longest, before = 3, len(server.told)
        sam.chat.send("u0x99", ())
        await sam.until(lambda: len(server.told) > before, "the last request")
        await sam.until(lambda: sam.messages[-1].role == "assistant" and not sam.chat.conversation.is_busy, "a reply")
        roles = server.told[-1].roles
        assert all(one != other for one, other in pairwise(roles))
        assert roles[-1] == "user"
        users = [message.text for message in sam.messages if message.role == "user"]
        assert users == [*(f"u0x{number}" for number in range(50)), "u0x99"]
        await sam.close()

    run(scenario())


def test_two_hundred_switches_while_three_replies_stream_mix_nothing_up(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        server, chance = TellingServer(longest=150), random.Random(5)
        sam = await sit_down().start()
        ids: list[str] = []
        for number in range(3):
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation.id not in ids, "a new conversation")
            sam.use_server(f"http://127.0.0.1:{server.port}/v1")
            await sam.send(f"u0x{number}")
            await sam.until(lambda: sam.messages, "the message")
            ids.append(sam.chat.conversation.id)
        await sam.until(lambda: len(server.told) == 3, "three requests")
        for _ in range(200):
            sam.window.open_conversation(chance.choice(ids))
            await asyncio.sleep(0.005)
        for number, id in enumerate(ids):
            sam.window.open_conversation(id)
            await sam.until(lambda: sam.chat.conversation.id == id, "the conversation")  # noqa: B023
            await sam.answered()
            told = next(told for told in server.told if told.question == {f"u0x{number}"})
            assert [message.text for message in sam.messages] == [
                f"u0x{number}",
                " ".join(word for _at_s, word in told.words),
            ]
        assert len(server.told) == 3
        await sam.close()

    run(scenario())


def test_a_queue_of_twenty_is_sent_in_order(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("well")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            for number in range(20):
                sam.chat.send(f"q{number}", ())
            await sam.until(lambda: len(sam.bus) == 40, "all replies")
            await sam.answered()
            assert [message.text for message in sam.messages if message.role == "user"] == [f"q{n}" for n in range(20)]
            await sam.close()

    run(scenario())


def test_settings_changed_and_a_provider_removed_while_it_streams_stop_nothing(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((*(chunk(f"w{n} ") for n in range(6)), chunk(finish="stop")), gated=True)
        async with FaultServer(gated) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.until(lambda: server.requests, "the request")
            server.release(2)
            await sam.until(lambda: sam.messages[-1].text == "w0 w1 ", "two words")
            sam.window.appearance.toggle_theme()
            sam.window.appearance.zoom(1)
            server.release(2)
            await sam.until(lambda: sam.messages[-1].text == "w0 w1 w2 w3 ", "four words")

            def without(settings: Settings) -> Settings:
                return settings.model_copy(update={"providers": ()})

            sam.program._settings.change(without)
            server.release(3)
            await sam.answered()
            reply = sam.messages[-1]
            assert isinstance(reply, AssistantMessage)
            assert (reply.text, reply.stop_reason) == ("w0 w1 w2 w3 w4 w5", "stop")
            await sam.send("And now?")
            await sam.answered()
            error = sam.bus.error_of(sam.bus.tip)
            assert error is not None
            assert "bench" in error.text
            await sam.close()

    run(scenario())
