"""A session whose loop is closed under it, as a second Ctrl+C does: nothing is begun that never runs."""

from __future__ import annotations

import asyncio
import gc

import pytest

from sam_py.agent.session import ChatSession
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.settings.model import ChatSettings, ModelChoice
from tests.fakes.stepped_provider import SteppedProvider


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("awaited", [True, False])
def test_a_closing_loop_leaves_the_words_saved_and_no_coroutine_behind(awaited: bool) -> None:
    bus = MessageBus()
    saved: list[str] = []

    async def save() -> None:
        tip = bus.get(bus.tip or "")
        saved.append(f"{tip.text} {tip.stop_reason if isinstance(tip, AssistantMessage) else ''}".strip())
        await asyncio.sleep(0)

    async def read(_hash: str) -> bytes:
        return b""

    async def scenario() -> None:
        provider = SteppedProvider()
        choice = ModelChoice(provider="stepped", model="m")
        session = ChatSession(
            bus,
            provider_of=lambda _id: provider,
            save_now=save,
            read_attachment=read,
            defaults=ChatSettings(default=choice, model_titles=False),
        )
        asking = asyncio.ensure_future(session.send("Question"))
        await provider.asked.wait()
        provider.say("half an answ")
        while not bus.get(bus.tip or "").text.startswith("half"):
            await asyncio.sleep(0)
        if not awaited:
            (reply,) = (task for task in asyncio.all_tasks() if task.get_name() == "reply")
            reply.cancel()
        else:
            asking.cancel()
        await asyncio.sleep(0)

    asyncio.run(scenario())
    gc.collect()
    assert saved[-1] == "half an answ aborted"
