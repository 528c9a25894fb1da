"""Every wire of ours when aimock is busy, refuses, breaks off, or talks for ever."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sam_py.agent.session import ChatSession
from sam_py.agent.state import SessionState
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.providers.base import Provider, TextDelta
from sam_py.settings.model import ChatSettings, ModelChoice
from tests.servers import scenes
from tests.servers.processes import AimockServer
from tests.servers.relay import Relay
from tests.servers.wires import PATIENCE_S, PROVIDER, Place, says


def test_a_busy_server_is_asked_again_when_it_said(place: Place, aimock: AimockServer) -> None:
    heard = place.hear(says(scenes.BUSY))
    assert heard.error is None
    assert heard.reply.text == scenes.BUSY_TEXT
    assert [text.partition(":")[0] for text in heard.waits] == [f"Trying again in {n} s" for n in (3, 2, 1)]
    assert place.slept_s == [1.0, 1.0, 1.0]
    assert [entry["response"]["status"] for entry in aimock.journal(place.test_id)] == [429, 200]


def test_a_server_that_stays_busy_is_left_alone(place: Place, aimock: AimockServer) -> None:
    heard = place.hear(says(scenes.NEVER_FREE))
    assert heard.error is not None
    assert (heard.error.code, heard.error.status, heard.error.retry_after_s) == ("rate_limited", 429, 1.0)
    assert "The server is asked too often" in str(heard.error)
    assert len(aimock.journal(place.test_id)) == 3


def test_a_refused_key_is_not_tried_again(place: Place, aimock: AimockServer) -> None:
    heard = place.hear(says(scenes.BROKE))
    assert heard.error is not None
    assert (heard.error.code, heard.error.retryable) == ("bad_key", False)
    assert "settings" in str(heard.error)
    assert len(aimock.journal(place.test_id)) == 1


def test_a_stream_that_breaks_keeps_its_text_and_is_not_repeated(place: Place, aimock: AimockServer) -> None:
    heard = place.hear(says(scenes.CUT))
    assert heard.error is not None
    assert heard.error.code == "cut_off"
    assert heard.reply.text
    assert scenes.CUT_TEXT.startswith(heard.reply.text)
    assert heard.reply.text != scenes.CUT_TEXT
    assert len(aimock.journal(place.test_id)) == 1


@pytest.mark.parametrize(
    ("chaos", "codes"),
    [
        ("X-AIMock-Chaos-Drop", ("server",)),
        ("X-AIMock-Chaos-Malformed", ("bad_response", "cut_off")),
        ("X-AIMock-Chaos-Disconnect", ("unreachable",)),
        ("X-AIMock-Chaos-RateLimit", ("rate_limited",)),
    ],
)
def test_chaos_ends_in_an_error_of_its_kind(
    place: Place, aimock: AimockServer, chaos: str, codes: tuple[str, ...]
) -> None:
    heard = place.with_headers(**{chaos: "1"}).hear(says(scenes.HELLO))
    assert heard.error is not None
    assert heard.error.code in codes
    assert str(heard.error).endswith(".")
    assert not heard.reply.text
    assert 1 <= len(aimock.journal(place.test_id)) <= 3


def test_a_slow_server_is_waited_for(place: Place) -> None:
    heard = place.with_headers(X_AIMock_Chaos_Latency="300").hear(says(scenes.HELLO))
    assert heard.error is None
    assert heard.reply.text == scenes.HELLO_TEXT


def test_stopping_closes_the_connection_at_once(place: Place) -> None:
    async def scenario() -> int:
        async with asyncio.timeout(PATIENCE_S), Relay(place.url) as relay:
            near = replace(place, url=relay.url)
            async with near.provider() as provider:
                stream = provider.stream(near.request(says(scenes.ENDLESS)))
                words = 0
                async for event in stream:
                    words += isinstance(event, TextDelta)
                    if words == 3:
                        break
                assert not relay.client_left.is_set()
                await stream.aclose()  # type: ignore[attr-defined]
                await relay.client_left.wait()
            return words

    assert asyncio.run(scenario()) == 3


# Through a conversation


class Talk:
    """A chat session with one provider."""

    def __init__(self, place: Place, provider: Provider) -> None:
        self.bus = MessageBus("talk")
        self.states: list[SessionState] = []
        default = ModelChoice(provider=PROVIDER, model=place.model)
        self.session = ChatSession(
            self.bus,
            provider_of=lambda _id: provider,
            save_now=self._save,
            read_attachment=self._read,
            defaults=ChatSettings(default=default, model_titles=False, max_tokens=400),
        )
        self.session.subscribe(self.states.append)

    @property
    def reply(self) -> AssistantMessage:
        last = list(self.bus.messages())[-1]
        assert isinstance(last, AssistantMessage)
        return last

    async def _save(self) -> None:
        """Everything is kept in memory."""

    async def _read(self, attachment: str) -> bytes:
        raise FileNotFoundError(attachment)


def test_a_conversation_shows_the_countdown_and_goes_on(place: Place) -> None:
    async def scenario(provider: Provider) -> None:
        talk = Talk(place, provider)
        await talk.session.send(scenes.BUSY)
        waited = [state.text for state in talk.states if state.phase == "waiting" and state.text]
        assert [text.partition(":")[0] for text in waited] == [f"Trying again in {n} s" for n in (3, 2, 1)]
        assert (talk.reply.text, talk.reply.stop_reason) == (scenes.BUSY_TEXT, "stop")
        await talk.session.aclose()

    place.use(scenario)


def test_a_conversation_keeps_what_came_before_the_break(place: Place) -> None:
    async def scenario(provider: Provider) -> None:
        talk = Talk(place, provider)
        await talk.session.send(scenes.CUT)
        assert talk.reply.text
        assert scenes.CUT_TEXT.startswith(talk.reply.text)
        error = talk.bus.error_of(talk.reply.id)
        assert error is not None
        assert error.code == "cut_off"
        assert talk.reply.stop_reason == "error"
        await talk.session.send(scenes.HELLO)
        assert talk.reply.text == scenes.HELLO_TEXT
        await talk.session.aclose()

    place.use(scenario)


def test_a_stopped_conversation_keeps_its_text_and_talks_on(place: Place) -> None:
    async def scenario(provider: Provider) -> None:
        talk = Talk(place, provider)
        sending = asyncio.create_task(talk.session.send(scenes.ENDLESS))
        while talk.session.state.phase != "streaming":
            await asyncio.sleep(0.005)
        talk.session.stop()
        await sending
        assert talk.reply.stop_reason == "aborted"
        assert scenes.ENDLESS_TEXT.startswith(talk.reply.text)
        await talk.session.send(scenes.HELLO)
        assert talk.reply.text == scenes.HELLO_TEXT
        await talk.session.aclose()

    place.use(scenario)
