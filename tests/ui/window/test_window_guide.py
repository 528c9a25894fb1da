"""Asking the guide on the side, while a model is connected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fakes.fault_server import FaultServer, Reply
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def test_asking_the_guide_once_leaves_new_chats_with_the_model(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("Hello")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Hello?")
            await sam.answered()
            first = sam.chat.conversation
            sam.window.actions_by_name["guide"].trigger()
            await sam.until(lambda: sam.chat.conversation is not first, "the guide's chat")
            assert sam.chat.conversation.session.choice.provider == "guide"
            guided = sam.chat.conversation
            await sam.send("Which keys can I press?")
            await sam.until(lambda: sam.messages, "the question")
            sam.window.new_conversation()
            await sam.until(lambda: sam.chat.conversation is not guided, "a new chat")
            assert sam.chat.conversation.session.choice.provider == "bench"
            await sam.close()

    run(scenario())
