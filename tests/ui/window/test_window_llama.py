"""The window and a real llama.cpp server: a conversation streams, is stopped, goes on, and is found again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.messages.message import AssistantMessage
from sam_py.settings.model import Settings
from tests.fakes.llama_server import LlamaServer
from tests.fakes.sitting import Sitting

pytestmark = pytest.mark.llamacpp
Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


def test_a_real_model_server_streams_a_conversation_through_the_window(
    run: Run, sit_down: SitDown, llama_server: LlamaServer
) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.use_server(llama_server.base_url, "tiny")
        frames: list[int] = []
        sam.chat.timeline.model.grown.connect(lambda *_grown: frames.append(1))
        await sam.send("Tell me something")
        await sam.answered()
        first = sam.messages[-1]
        assert isinstance(first, AssistantMessage)
        assert first.text.strip()
        assert first.usage is not None
        assert first.usage.output_tokens is not None
        assert first.usage.output_tokens > 0
        assert first.metrics is not None
        assert first.metrics.first_token_s is not None
        assert len(frames) >= 1

        await sam.send("And then?")
        await sam.answered()
        assert [message.role for message in sam.messages] == ["user", "assistant"] * 2
        before, said = sam.messages, sam.screen()
        await sam.close()

        again = await sit_down().start()
        await again.answered()
        assert again.messages == before
        assert again.screen() == said
        await again.close()

    run(scenario())


def test_stopping_frees_the_model_server(run: Run, sit_down: SitDown, llama_server: LlamaServer) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.use_server(llama_server.base_url, "tiny")

        def endless(settings: Settings) -> Settings:
            return settings.model_copy(update={"chat": settings.chat.model_copy(update={"max_tokens": 100_000})})

        sam.program._settings.change(endless)
        await sam.send("Never end")
        await sam.until(lambda: sam.bus.metrics.streaming_updates > 20, "some words")
        QTest.keyClick(sam.chat.composer.text, Qt.Key.Key_Escape)
        assert not sam.chat.conversation.is_busy
        reply = sam.messages[-1]
        assert isinstance(reply, AssistantMessage)
        assert reply.stop_reason == "aborted"
        kept = reply.text
        await sam.until(lambda: not llama_server.is_busy, "the server's rest")
        assert sam.messages[-1].text == kept
        await sam.close()

    run(scenario())
