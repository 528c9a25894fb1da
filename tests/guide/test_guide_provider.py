"""GuideProvider streams like a model: in words, at a pace, and stops at once."""

from __future__ import annotations

import asyncio

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.base import (
    ChatRequest,
    Finished,
    ImageProduced,
    Provider,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)
from sam_py.providers.errors import ProviderError
from sam_py.providers.guide import handbook as handbook_module
from sam_py.providers.guide.answers import answer
from sam_py.providers.guide.provider import GuideProvider, chunks_of


def request(text: str, **more: object) -> ChatRequest:
    return ChatRequest(model="guide", turns=(Turn("user", (TextPart(text=text),)),), **more)  # type: ignore[arg-type]


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


def streamed(asked: ChatRequest, clock: Clock | None = None) -> list[StreamEvent]:
    async def read() -> list[StreamEvent]:
        provider: Provider = GuideProvider(sleep=(clock or Clock()).sleep)
        return [event async for event in provider.stream(asked)]

    return asyncio.run(read())


def test_the_stream_is_the_answer_in_words_and_ends_once():
    events = streamed(request("how do I stop a reply"))
    assert isinstance(events[0], Started)
    assert events[-1] == Finished("stop", word="stop")
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text == answer(request("how do I stop a reply").turns).text
    assert sum(isinstance(event, Finished) for event in events) == 1
    assert not any(isinstance(event, UsageReported) for event in events)


def test_the_pace_is_that_of_a_model():
    clock = Clock()
    events = streamed(request("write 500 words"), clock)
    per_s = sum(isinstance(event, TextDelta) for event in events) / clock.now_s
    assert 60 <= per_s <= 120


def test_thinking_comes_before_the_text():
    kinds = [type(event) for event in streamed(request("thinking"))]
    assert kinds.index(ThinkingDelta) < kinds.index(TextDelta)
    assert ThinkingDelta not in kinds[kinds.index(TextDelta) :]


def test_an_image_comes_as_an_image():
    [image] = [event for event in streamed(request("show me an image")) if isinstance(event, ImageProduced)]
    assert image.mime_type == "image/png"


def test_a_stop_takes_effect_at_the_next_word():
    async def stopped() -> list[StreamEvent]:
        clock = Clock()
        stream = GuideProvider(sleep=clock.sleep).stream(request("write 2000 words"))
        got: list[StreamEvent] = []
        async for event in stream:
            got.append(event)
            if len(got) == 10:
                break
        await stream.aclose()  # type: ignore[attr-defined]
        assert clock.now_s < 0.2
        return got

    assert len(asyncio.run(stopped())) == 10


def test_a_cancelled_task_ends_while_it_sleeps():
    async def cancelled() -> None:
        asleep = asyncio.Event()

        async def sleep_for_ever(_: float) -> None:
            asleep.set()
            await asyncio.Event().wait()

        async def read() -> None:
            async for _ in GuideProvider(sleep=sleep_for_ever).stream(request("hello")):
                pass

        task = asyncio.create_task(read())
        await asleep.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_a_limit_on_the_reply_cuts_it_and_says_so():
    events = streamed(request("write 200 words", max_tokens=20))
    assert sum(isinstance(event, TextDelta) for event in events) == 20
    assert events[-1] == Finished("length", word="max_tokens")


@pytest.mark.parametrize("text", ["", "a", " a  b\n\nc ", "x" * 100, "\n", "日本語 と English\t."])
def test_chunks_joined_are_the_text(text):
    assert "".join(chunks_of(text)) == text


def test_it_offers_one_model():
    [model] = asyncio.run(GuideProvider().list_models())
    assert (model.id, model.label) == ("guide", "Offline guide")


def test_a_missing_handbook_is_an_error_in_words(monkeypatch, tmp_path):
    handbook_module.handbook.cache_clear()
    monkeypatch.setattr(handbook_module, "resources", lambda: tmp_path)
    try:
        with pytest.raises(ProviderError, match="handbook is missing"):
            streamed(request("contents"))
    finally:
        handbook_module.handbook.cache_clear()
