"""A server that speaks in OpenAI's way: what it is asked, the sound that it streams, and all that goes wrong."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from sam_py.providers.audio_service import AudioService, audio_service
from sam_py.providers.http import Http
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.speech.base import Clip, Manner, SpeechError, Voice
from sam_py.speech.engines.server import ServerVoice
from tests.fakes.fault_server import Behaviour, FaultServer, Hangup, Json, Silence, Status, Stream, closed_port
from tests.speech.engines.conftest import spoken

SOUND = bytes(range(256)) * 200


def wav(body: bytes, size: int | None = None, rate_hz: int = 16_000) -> bytes:
    told = struct.pack("<HHIIHH", 1, 1, rate_hz, rate_hz * 2, 2, 16)
    length = len(body) if size is None else size
    return b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0" + told + b"data" + struct.pack("<I", length) + body


def streamed(data: bytes, *, then: Any = "end") -> Stream:
    cuts = [data[:5], data[5:50], data[50:1_001], data[1_001:20_000], data[20_000:]]
    return Stream(tuple(each for each in cuts if each), then=then, content_type="audio/wav")


async def _no_sleep(_seconds: float) -> None:
    await asyncio.sleep(0)


async def key_of(account: str) -> str | None:
    return f"sk-of-{account}"


class Booth:
    """An engine and the server that it asks."""

    def __init__(self, *answers: Behaviour, model: str = "tts-1", paths: dict[str, Behaviour] | None = None) -> None:
        self.server = FaultServer(*answers, paths=paths)
        self._model = model

    async def _engine(self, http: Http) -> ServerVoice:
        return ServerVoice(http, key_of, AudioService("Parrot", self.server.base_url, self._model, "a1"))

    def speak(self, text: str = "Hello there.", manner: Manner | None = None) -> list[Clip]:
        async def scenario() -> list[Clip]:
            async with self.server:
                http = Http(sleep=_no_sleep)
                try:
                    return await asyncio.wait_for(spoken(await self._engine(http), text, manner), 20)
                finally:
                    await http.aclose()

        return asyncio.run(scenario())

    def voices(self) -> Sequence[Voice]:
        async def scenario() -> Sequence[Voice]:
            async with self.server:
                http = Http(sleep=_no_sleep)
                try:
                    return await asyncio.wait_for((await self._engine(http)).voices(), 20)
                finally:
                    await http.aclose()

        return asyncio.run(scenario())

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [dict(each.body) for each in self.server.requests]


def whole(clips: list[Clip]) -> bytes:
    return b"".join(clip.samples for clip in clips)


@pytest.mark.parametrize("size", [None, 0xFFFFFFFF, 0])
def test_a_wav_is_heard_while_it_comes(size: int | None) -> None:
    booth = Booth(streamed(wav(SOUND, size)))
    clips = booth.speak(manner=Manner("nova", 1.5))
    assert whole(clips) == SOUND
    assert len(clips) > 1
    assert {(clip.rate_hz, clip.channels) for clip in clips} == {(16_000, 1)}
    [request] = booth.server.requests
    assert (request.method, request.path) == ("POST", "/v1/audio/speech")
    assert request.headers["authorization"] == "Bearer sk-of-a1"
    wanted = {"model": "tts-1", "input": "Hello there.", "response_format": "wav", "voice": "nova", "speed": 1.5}
    assert booth.bodies == [wanted]


def test_the_first_sound_is_there_before_the_answer_is() -> None:
    async def scenario() -> None:
        head = wav(SOUND, 0xFFFFFFFF)
        async with FaultServer(Stream((head[:20_000],), then="hang")) as server:
            http = Http()
            engine = ServerVoice(http, key_of, AudioService("Parrot", server.base_url, "tts-1"))
            async with aclosing(engine.synthesise("Hello there.", Manner())) as clips:
                assert (await asyncio.wait_for(anext(clips), 20)).duration_s > 0.1
            await asyncio.wait_for(server.client_left.wait(), 20)  # closing it closes the connection
            await http.aclose()

    asyncio.run(scenario())


def test_a_server_without_wav_is_asked_for_bare_samples() -> None:
    refusal = Json({"error": {"message": "response_format must be pcm"}}, 400)
    booth = Booth(refusal, streamed(SOUND + b"x"), model="local")
    clips = booth.speak()
    assert whole(clips) == SOUND
    assert clips[0].rate_hz == 24_000
    assert [each["response_format"] for each in booth.bodies] == ["wav", "pcm"]
    assert "voice" not in booth.bodies[0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Status(200, b"ID3\4" + SOUND), "sends MP3"),
        (Status(200, b"\xff\xfb\x90\xc4" + SOUND), "sends MP3"),
        (Status(200, b"\xff\xf1\x50\x80" + SOUND), "sends AAC"),
        (Status(200, b"OggS" + SOUND), "sends Opus"),
        (Status(200, b"fLaC" + SOUND), "sends FLAC"),
        (Status(200, b"\1\2\3\4" * 9), "unknown kind"),
        (Status(200, b""), "no sound"),
        (Status(200, "<!doctype html><p>A web page"), "base URL"),
        (Status(200, wav(b"").replace(b"fmt \x10\0\0\0\1", b"fmt \x10\0\0\0\7")), "cannot be read"),
        (Status(200, wav(b"")), "no sound"),
        (Json({"error": {"message": "Incorrect API key provided: sk-of-a1"}}, 401), "key for Parrot was refused"),
        (Json({"error": {"message": "The model tts-9 does not exist"}}, 404), "Choose another model"),
        (Json({"error": {"message": "unknown voice: bob"}}, 400), "unknown voice: bob. Check the voice in settings"),
        (Json({"error": {"message": "You exceeded your current quota"}}, 429), "no credit left"),
        (Status(500, "broken"), "fault"),
        (Hangup(), "closed the connection"),
        (streamed(wav(SOUND), then="cut"), "broke before"),
    ],
)
def test_trouble_is_told_in_words(answer: Behaviour, words: str) -> None:
    with pytest.raises(SpeechError) as told:
        Booth(answer).speak()
    assert words in str(told.value)
    assert "sk-of-a1" not in f"{told.value} {told.value.detail}"


def test_a_server_that_is_not_running_is_told_as_such() -> None:
    async def scenario() -> None:
        http = Http(sleep=_no_sleep)
        place = AudioService("Parrot", f"http://127.0.0.1:{closed_port()}/v1", "kokoro", local_program="Parrot")
        with pytest.raises(SpeechError, match="Is Parrot running"):
            await spoken(ServerVoice(http, key_of, place), "Hello.")
        await http.aclose()

    asyncio.run(scenario())


def test_an_answer_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sam_py.providers.audio.LARGEST", 30_000)
    with pytest.raises(SpeechError, match="sent more than"):
        Booth(streamed(wav(SOUND, 0), then="hang")).speak()


def test_who_stops_waiting_closes_the_connection() -> None:
    async def scenario() -> None:
        async with FaultServer(Silence()) as server:
            http = Http()
            engine = ServerVoice(http, key_of, AudioService("Parrot", server.base_url, "tts-1"))
            speaking = asyncio.ensure_future(spoken(engine, "Hello."))
            while not server.requests:
                await asyncio.sleep(0.01)
            speaking.cancel()
            await asyncio.wait_for(server.client_left.wait(), 20)
            await http.aclose()

    asyncio.run(scenario())


def test_voices_are_those_that_the_server_lists_or_those_that_are_known() -> None:
    listed = Json({"voices": ["af_heart", {"id": "x1", "name": "Xenia", "language": "ru"}, None]})
    voices = Booth(paths={"/v1/audio/voices": listed}, model="kokoro").voices()
    assert voices == [Voice("af_heart", "af_heart", ("en-US",)), Voice("x1", "Xenia", ("ru",))]
    assert [each.id for each in Booth(model="tts-1").voices()][:2] == ["alloy", "ash"]
    assert list(Booth(model="of its own").voices()) == []
    with pytest.raises(SpeechError, match="refused"):
        Booth(Json({"error": {"message": "Incorrect API key"}}, 401)).voices()


def test_the_service_is_the_account_that_was_chosen() -> None:
    accounts = (
        ProviderSettings(id="o", preset="openai", label="Mine"),
        ProviderSettings(
            id="l", label="Kokoro", preset="compatible", base_url="http://127.0.0.1:8880/v1/audio/speech/"
        ),
        ProviderSettings(id="z", label="Azure", preset="azure", base_url="https://me.openai.azure.com/"),
        ProviderSettings(id="c", label="Claude", preset="anthropic"),
        ProviderSettings(id="off", label="Off", preset="openai", enabled=False),
    )
    settings = Settings(providers=accounts)

    def place(account: str) -> tuple[str, str] | None:
        service = audio_service(settings, ModelChoice(provider=account, model="m"))
        return None if service is None else (service.base_url, service.key_header)

    assert place("o") == ("https://api.openai.com/v1", "")
    assert place("l") == ("http://127.0.0.1:8880/v1", "")
    assert place("z") == ("https://me.openai.azure.com/openai/v1", "api-key")
    assert [place(each) for each in ("c", "off", "nobody")] == [None, None, None]
    assert audio_service(settings, ModelChoice(provider="", model="")) is None
