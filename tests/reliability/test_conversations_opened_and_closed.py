"""Opening and closing conversations faster than they are read and saved: one bus each, and the last choice is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.fakes.fault_server import FaultServer, Reply, Stream, chunk
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


async def some_conversations(sit_down: SitDown, base_url: str, count: int) -> list[str]:
    sam = await sit_down().start()
    ids = []
    for number in range(count):
        sam.window.new_conversation()
        await sam.until(lambda: sam.chat.conversation.id not in ids, "a new conversation")
        sam.use_server(base_url)
        await sam.send(f"Question {number}")
        await sam.until(lambda: len(sam.bus) == 2, "the reply")
        await sam.answered()
        ids.append(sam.chat.conversation.id)
    await sam.close()
    return ids


def test_a_conversation_that_is_asked_for_twice_at_once_is_opened_once(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("fine")) as server:
            first, second = await some_conversations(sit_down, server.base_url, 2)
            sam = await sit_down().start()
            for _ in range(3):
                sam.window.open_conversation(first)
            await sam.until(lambda: sam.chat.conversation.id == first, "the conversation")
            assert len(sam.program._library._autosaves[first]) == 1
            assert second in sam.program._library._autosaves
            await sam.close()

    run(scenario())


def test_the_conversation_chosen_last_is_shown_however_slowly_the_others_are_read(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("fine")) as server:
            first, second, _third = await some_conversations(sit_down, server.base_url, 3)
            sam = await sit_down().start()
            read = sam.program._library.open
            gate = asyncio.Event()

            async def slow(id: str) -> Any:
                if id == first:
                    await gate.wait()
                return await read(id)

            sam.program._library.open = slow  # type: ignore[method-assign]
            sam.window.open_conversation(first)
            sam.window.open_conversation(second)
            await sam.until(lambda: sam.chat.conversation.id == second, "the second")
            gate.set()
            await sam.until(lambda: sam.window.conversations.get(first), "the first, behind it")
            await sam.answered()
            assert sam.chat.conversation.id == second
            await sam.close()

    run(scenario())


def test_a_conversation_that_is_still_closing_is_read_with_its_last_words(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream((chunk("One "), chunk("two")), then="hang")
        async with FaultServer(gated) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Count")
            await sam.until(lambda: sam.messages and sam.messages[-1].text == "One two", "the words")
            here = sam.chat.conversation.id
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation.id != here, "another conversation")
            closing = asyncio.ensure_future(sam.window.conversations.close(here))
            await asyncio.sleep(0)
            again = await sam.window.conversations.open(here)
            await closing
            reply = list(again.bus.messages())[-1]
            assert (reply.text, reply.stop_reason) == ("One two", "aborted")  # type: ignore[union-attr]
            assert len(sam.program._library._autosaves[here]) == 1
            await sam.close()

    run(scenario())


def test_a_conversation_deleted_while_it_streams_hangs_up_and_comes_back_whole(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        gated = Stream(tuple(chunk(f"w{n} ") for n in range(20)), then="hang", gated=True)
        async with FaultServer(gated) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Count")
            await sam.until(lambda: server.requests, "the request")
            server.release(10)
            await sam.until(lambda: sam.messages[-1].text.endswith("w9 "), "ten words")
            here = sam.chat.conversation.id
            delete = sam.program._library.delete

            async def slow(id: str) -> None:
                await delete(id)
                server.release(5)  # words that come while the folder is on its way
                await sam.until(lambda: sam.messages[-1].text.endswith("w14 "), "five more")

            sam.program._library.delete = slow  # type: ignore[method-assign]
            sam.window.sidebar.commands.delete([here])
            await sam.until(lambda: sam.chat.conversation.id != here, "another conversation")
            server.release(5)
            await asyncio.wait_for(server.client_left.wait(), 1.0)
            await sam.until(lambda: sam.window.conversations.get(here) is None, "its end")
            await sam.window.sidebar.commands._restore([here])
            await sam.until(lambda: sam.chat.conversation.id == here, "the conversation again")
            assert [message.text for message in sam.messages] == ["Count", " ".join(f"w{n}" for n in range(15))]
            await sam.close()

    run(scenario())
