"""Speech into text over HTTP: what OpenAI's ``/audio/transcriptions`` is sent, and what it answers.

https://platform.openai.com/docs/api-reference/audio/createTranscription; whisper.cpp's server, Speaches, LocalAI, vLLM
and others answer the same way.
"""

from __future__ import annotations

import json
import re
import secrets
from contextlib import aclosing
from dataclasses import replace

from sam_py.providers.audio_service import AudioService
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import not_the_protocol
from sam_py.providers.http import Http

PATH = "/audio/transcriptions"
LARGEST_UPLOAD = 25_000_000
"""Bytes that OpenAI takes; others have no lower limit that we know of. 13 minutes of our recordings."""
_LARGEST_ANSWER = 2_000_000
_FIRST_BYTE_S = 300.0
"""A whisper of one's own on a slow machine works on ten minutes of speech for a while, and says nothing meanwhile."""

# What whisper.cpp and others write where nobody speaks: "[BLANK_AUDIO]", "(silence)", "[ Silence ]".
_NO_WORDS = re.compile(r"(?i)[\[(*]\s*(blank[ _]audio|silence|no speech|inaudible)\s*[\])*]")


def transcription_form(wav: bytes, model: str, language: str = "", boundary: str = "") -> tuple[str, bytes]:
    """Content type and body of a request (RFC 7578). Pure but for the boundary, where none is given.

    >>> kind, body = transcription_form(b"RIFF", "whisper-1", "de", "x")
    >>> kind
    'multipart/form-data; boundary=x'
    >>> body.count(b"--x"), b'name="language"' in body
    (5, True)
    """
    boundary = boundary or secrets.token_hex(16)
    fields = [("model", model), ("response_format", "json"), *((("language", language),) if language else ())]
    lines = []
    for name, value in fields:
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{name}"', "", value]
    lines += [
        f"--{boundary}",
        'Content-Disposition: form-data; name="file"; filename="speech.wav"',
        "Content-Type: audio/wav",
        "",
        "",
    ]
    body = "\r\n".join(lines).encode("utf-8", "replace") + wav + f"\r\n--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", body


async def transcribe(http: Http, service: AudioService, wav: bytes, key: str | None, language: str = "") -> str:
    """The words that were said, "" where there are none. `language` is an ISO 639-1 code; "": the server finds out.

    Raises `ProviderError`. Cancelling the task ends the request.
    """
    if len(wav) > LARGEST_UPLOAD:
        raise _too_long(service)
    call = service.call(
        PATH, key, first_byte_s=_FIRST_BYTE_S, read_s=_FIRST_BYTE_S, accept="application/json, text/plain"
    )
    call = replace(call, content=transcription_form(wav, service.model, language))
    answer = bytearray()
    try:
        async with aclosing(http.stream(call)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, bytes):
                    answer += chunk
                if len(answer) > _LARGEST_ANSWER:
                    raise not_the_protocol(bytes(answer[:1000]), call.asked)
    except ProviderError as error:
        raise _in_words(error, service) from error
    words = read_transcription(bytes(answer))
    if words is None:
        raise not_the_protocol(bytes(answer[:1000]), call.asked)
    return words


def read_transcription(answer: bytes) -> str | None:
    """The words in an answer, JSON or plain text; None where it is neither. Pure.

    >>> read_transcription(b'{"text": " Hello there. "}'), read_transcription(b"Hello there.\\n")
    ('Hello there.', 'Hello there.')
    >>> read_transcription(b'{"text": "[BLANK_AUDIO]"}'), read_transcription(b"<html>")
    ('', None)
    """
    try:
        text = answer.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return None
    if text.startswith(("{", "[{", '"')):
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            return None
        said = told.get("text") if isinstance(told, dict) else told
        if not isinstance(said, str):
            return None
        text = said
    elif text.startswith("<"):
        return None
    lines = (" ".join(line.split()) for line in _NO_WORDS.sub(" ", text).splitlines())
    return "\n".join(line for line in lines if line)


def _in_words(error: ProviderError, service: AudioService) -> ProviderError:
    """What a refusal means here, where the usual words are about chats."""
    if error.status == 413 or error.code == "too_long":
        return _too_long(service, error.detail)
    if error.status in (404, 405) or error.code == "no_model":
        text = (
            f"{service.label} does not turn speech into text with the model {service.model}. Choose another account "
            "or model for dictation in Settings > Voice."
        )
        return ProviderError(text, code="no_model", status=error.status, detail=error.detail, retryable=False)
    return error


def _too_long(service: AudioService, detail: str = "") -> ProviderError:
    text = (
        f"The recording is too long for {service.label}. Speak in shorter pieces, or choose another account for "
        "dictation in Settings > Voice."
    )
    return ProviderError(text, code="too_long", detail=detail, retryable=False)
