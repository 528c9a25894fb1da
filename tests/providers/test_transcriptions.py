"""Speech into text: what the server gets, judged by a strict reader of forms and beside the official SDK's request."""

from __future__ import annotations

import asyncio
import email.parser
import email.policy
import io
import wave

import httpx
import openai
import pytest

from sam_py.providers.audio_service import AudioService
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.transcriptions import LARGEST_UPLOAD, transcribe
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Received, Silence, Status, closed_port


def spoken() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16_000)
        out.writeframes(b"\x00\x01\r\n--boundary\r\n" * 500)
    return file.getvalue()


def service(base_url: str, **other: str) -> AudioService:
    return AudioService("My whisper", base_url, "whisper-1", **other)


async def no_sleep(_seconds: float) -> None:
    await asyncio.sleep(0)


def heard(*behaviours: Behaviour, key: str | None = "sk-secret-123456", language: str = "") -> tuple[str, Received]:
    async def run() -> tuple[str, Received]:
        async with FaultServer(*behaviours) as server:
            http = Http(sleep=no_sleep)
            try:
                words = await transcribe(http, service(server.base_url), spoken(), key, language)
            finally:
                await http.aclose()
            return words, server.requests[-1]

    return asyncio.run(run())


def form_of(content_type: str, body: bytes) -> dict[str, tuple[str, str | None, bytes]]:
    """Name → content type, file name and bytes; a defect in the form is an error."""
    parser = email.parser.BytesParser(policy=email.policy.HTTP.clone(raise_on_defect=True))
    whole = parser.parsebytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body)
    assert whole.is_multipart()
    assert body.endswith(f"--{whole.get_boundary()}--\r\n".encode())
    found = {}
    for part in whole.iter_parts():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        assert isinstance(payload, bytes)
        assert name not in found
        found[str(name)] = (part.get_content_type(), part.get_filename(), payload)
    return found


def test_the_form_holds_the_recording_byte_for_byte_and_what_the_sdk_would_send() -> None:
    words, request = heard(Json({"text": " Hello there. "}), language="en")
    assert words == "Hello there."
    assert (request.method, request.path) == ("POST", "/v1/audio/transcriptions")
    assert request.headers["authorization"] == "Bearer sk-secret-123456"
    ours = form_of(request.headers["content-type"], request.raw)

    sent: list[httpx.Request] = []

    def answer(asked: httpx.Request) -> httpx.Response:
        sent.append(asked)
        return httpx.Response(200, json={"text": "x"})

    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        openai.OpenAI(
            api_key="sk-secret-123456", base_url="http://x/v1", http_client=client
        ).audio.transcriptions.create(
            file=("speech.wav", spoken(), "audio/wav"), model="whisper-1", language="en", response_format="json"
        )
    sent[0].read()
    assert ours == form_of(sent[0].headers["content-type"], sent[0].content)
    assert ours["file"] == ("audio/wav", "speech.wav", spoken())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Status(200, "Just words.\nTwo lines.\n", content_type="text/plain"), "Just words.\nTwo lines."),
        (Json({"text": "[BLANK_AUDIO]"}), ""),
        (Json({"text": ""}), ""),
        (Json({"text": "{not json} äöü 你好"}), "{not json} äöü 你好"),
    ],
)
def test_an_answer_is_read_in_all_its_forms(answer: Status, words: str) -> None:
    got, request = heard(answer, key=None)
    assert got == words
    assert "authorization" not in request.headers
    assert set(form_of(request.headers["content-type"], request.raw)) == {"model", "response_format", "file"}


@pytest.mark.parametrize(
    ("answer", "code", "says"),
    [
        (Json({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, 401), "bad_key", "key"),
        (Json({"error": {"message": "no such model", "code": "model_not_found"}}, 404), "no_model", "whisper-1"),
        (Status(404, "File Not Found", content_type="text/plain"), "no_model", "does not turn speech into text"),
        (Status(413, "too big", content_type="text/html"), "too_long", "too long for My whisper"),
        (Status(200, "<html>login</html>", content_type="text/html"), "bad_response", "My whisper"),
        (Json({"task": "transcribe"}), "bad_response", "My whisper"),
    ],
)
def test_a_refusal_is_a_sentence_about_dictation(answer: Status, code: str, says: str) -> None:
    with pytest.raises(ProviderError) as raised:
        heard(answer)
    assert raised.value.code == code
    assert says in str(raised.value)
    assert "sk-secret" not in str(raised.value) + raised.value.detail


def test_a_recording_that_nobody_takes_is_not_sent_and_a_server_that_is_off_is_named() -> None:
    async def run() -> list[str]:
        http, said = Http(sleep=no_sleep), []
        for wav, url in (
            (bytes(LARGEST_UPLOAD + 1), "http://127.0.0.1:1/v1"),
            (b"RIFF", f"http://127.0.0.1:{closed_port()}"),
        ):
            with pytest.raises(ProviderError) as raised:
                await transcribe(http, service(url, local_program="whisper-server"), wav, None)
            said.append(str(raised.value))
        await http.aclose()
        return said

    too_long, off = asyncio.run(run())
    assert "too long" in too_long
    assert "Is whisper-server running?" in off


def test_giving_up_closes_the_connection() -> None:
    async def run() -> None:
        async with FaultServer(Silence()) as server:
            http = Http()
            task = asyncio.create_task(transcribe(http, service(server.base_url), spoken(), None))
            while not server.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.client_left.wait(), 10)
            await http.aclose()

    asyncio.run(run())
