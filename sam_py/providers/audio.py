"""Speech over HTTP: what OpenAI's ``/audio/speech`` is asked, and the sound that it streams back.

https://platform.openai.com/docs/api-reference/audio/createSpeech; the list of voices (``/audio/voices``) is an addition
of Kokoro-FastAPI, Speaches and others, which answer in several shapes.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Literal

from sam_py.providers.audio_service import AudioService
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, not_the_protocol
from sam_py.providers.http import Http
from sam_py.providers.presets import is_host

SoundFormat = Literal["wav", "pcm"]
PCM_HZ = 24_000
"""Of ``pcm``, which says nothing of itself: 16 bits, little-endian, one channel."""
LARGEST = 32_000_000
"""Bytes of one answer: more than ten minutes."""
SLOWEST, FASTEST = 0.25, 4.0
_FIRST_BYTE_S, _READ_S = 60.0, 30.0
_LIST_S = 15.0
_ENOUGH = 12
_MOST_VOICES = 2_000
_ACCEPT = "audio/wav, audio/*, application/octet-stream"

_FIRST_VOICES = ("alloy", "ash", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer")
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "gpt-4o-mini-tts": (*_FIRST_VOICES, "ballad", "verse", "marin", "cedar"),
    "tts-1": _FIRST_VOICES,
    "canopylabs/orpheus-v1-english": ("autumn", "diana", "hannah", "austin", "daniel", "troy"),
    "canopylabs/orpheus-arabic-saudi": ("abdullah", "fahad", "sultan", "lulwa", "noura", "aisha"),
}
"""What the names of models begin with → their voices: OpenAI and Groq do not list them."""
LONGEST = 1_000
"""Characters of one request; OpenAI takes 4,096."""
_LONGEST_OF = {"canopylabs/orpheus": 200}
"""https://console.groq.com/docs/text-to-speech/orpheus"""


def known_voices(model: str) -> tuple[str, ...]:
    """The voices of a model whose service does not list them; else none. The first is taken where none is chosen.

    >>> known_voices("tts-1-hd")[0], known_voices("kokoro")
    ('alloy', ())
    """
    return next((voices for begin, voices in _KNOWN.items() if model.startswith(begin)), ())


def longest_text(model: str) -> int:
    """How many characters a model takes at once.

    >>> longest_text("tts-1"), longest_text("canopylabs/orpheus-v1-english")
    (1000, 200)
    """
    return next((longest for begin, longest in _LONGEST_OF.items() if model.startswith(begin)), LONGEST)


def speech_body(model: str, text: str, voice: str, speed: float, sound: SoundFormat) -> dict[str, Any]:
    """The body of a request. `speed` 1 is normal. Pure.

    >>> speech_body("tts-1", "Hello.", "", 9, "wav")
    {'model': 'tts-1', 'input': 'Hello.', 'response_format': 'wav', 'voice': 'alloy', 'speed': 4.0}
    """
    body: dict[str, Any] = {"model": model, "input": text, "response_format": sound}
    if chosen := voice or next(iter(known_voices(model)), ""):
        body["voice"] = chosen
    if speed != 1:
        body["speed"] = min(FASTEST, max(SLOWEST, speed))
    return body


async def speak(
    http: Http, service: AudioService, body: Mapping[str, Any], key: str | None
) -> AsyncGenerator[bytes, None]:
    """The answer as it comes: a WAV, which begins with ``RIFF`` in its first piece, or else bare samples (``pcm``).

    Use it with `contextlib.aclosing`. Raises `ProviderError`, also for sound of another kind.
    """
    call = service.call("/audio/speech", key, body, first_byte_s=_FIRST_BYTE_S, read_s=_READ_S, accept=_ACCEPT)
    begin, size = b"", 0
    async with aclosing(http.stream(call)) as chunks:
        async for chunk in chunks:
            if not isinstance(chunk, bytes):
                continue  # it will be asked again: nobody is told more than by the silence
            size += len(chunk)
            if size > LARGEST:
                raise _error(call.asked, f"sent more than {LARGEST // 1_000_000} MB for one sentence")
            if len(begin) >= _ENOUGH:
                yield chunk
                continue
            begin += chunk
            if len(begin) >= _ENOUGH:
                _check(begin, body["response_format"], call.asked)
                yield begin
    if len(begin) < _ENOUGH:
        raise _error(call.asked, "sent no sound", detail=repr(begin))


async def list_voices(http: Http, service: AudioService, key: str | None) -> list[tuple[str, str, str]]:
    """The voices that the server lists: id, name and language (as it says, may be empty). Empty where it has no list.

    Raises `ProviderError` where it does not answer or refuses the key.
    """
    if is_host(service.base_url, "openai.com"):
        return []
    call = service.call("/audio/voices", key, first_byte_s=_LIST_S, read_s=_LIST_S)
    try:
        return read_voices(await http.get_json(call))
    except ProviderError as error:
        if error.code in ("bad_key", "unreachable"):
            raise
        return []


def read_voices(told: Any) -> list[tuple[str, str, str]]:
    """What a list of voices says, in any of its shapes. Pure.

    >>> read_voices({"voices": ["af_heart", {"voice_id": "x", "name": "Xenia", "language": "ru"}, 7]})
    [('af_heart', 'af_heart', 'en-US'), ('x', 'Xenia', 'ru')]
    """
    if isinstance(told, dict):
        told = told.get("voices") or told.get("data") or []
    found: dict[str, tuple[str, str, str]] = {}
    for each in told if isinstance(told, list) else []:
        voice = each if isinstance(each, dict) else {"id": each}
        voice_id = _first_of(voice, "id", "voice_id", "voice", "name")
        if voice_id and len(found) < _MOST_VOICES:
            language = _first_of(voice, "language", "locale", "lang", "language_code") or _language_in(voice_id)
            found.setdefault(voice_id, (voice_id, _first_of(voice, "name") or voice_id, language))
    return list(found.values())


_KOKORO = {"a": "en-US", "b": "en-GB", "e": "es", "f": "fr", "h": "hi", "i": "it", "j": "ja", "p": "pt-BR", "z": "zh"}


def _language_in(voice_id: str) -> str:
    """Kokoro's voices are called after language and sex: ``af_heart``, ``zm_yunxi``."""
    return _KOKORO[voice_id[0]] if re.fullmatch(r"[abefhijpz][fm]_[a-z]+", voice_id) else ""


def _first_of(voice: Mapping[str, Any], *names: str) -> str:
    return next((value[:200] for name in names if isinstance(value := voice.get(name), str) and value.strip()), "")


def _check(begin: bytes, wanted: SoundFormat, asked: Asked) -> None:
    """Raise `ProviderError` where an answer is neither a WAV nor, as asked for, bare samples."""
    if begin[:4] == b"RIFF":
        return
    if begin[:12].isascii() and begin[:12].decode().isprintable() and begin[:1] in b"{[<d":
        raise not_the_protocol(begin[:1000], asked)
    if other := _name_of(begin):
        raise _error(asked, f"sends {other} although WAV was asked for, and that is not played here")
    if wanted == "wav":
        raise _error(asked, "sent sound of an unknown kind", detail=begin[:16].hex())


def _name_of(begin: bytes) -> str:
    """The kind of packed sound that begins so; "" where none is known."""
    if begin[:3] == b"ID3" or (_is_frame(begin) and begin[1] & 0x06 == 0x02):
        return "MP3"
    if begin[0] == 0xFF and begin[1] & 0xF6 == 0xF0:
        return "AAC"
    if begin[4:8] == b"ftyp":
        return "AAC"
    return {b"OggS": "Opus", b"fLaC": "FLAC", b"\x1aE\xdf\xa3": "WebM"}.get(begin[:4], "")


def _is_frame(begin: bytes) -> bool:
    """Whether the header of an MPEG audio frame may stand there: none of its fields has a forbidden value."""
    if begin[0] != 0xFF or begin[1] & 0xE0 != 0xE0 or begin[1] & 0x18 == 0x08:
        return False
    return 0x10 <= begin[2] < 0xF0 and begin[2] & 0x0C != 0x0C


def _error(asked: Asked, what: str, *, detail: str = "") -> ProviderError:
    text = f"{asked.label} {what}. Choose another model or server for the voice in settings."
    return ProviderError(text, code="bad_response", detail=detail, retryable=False)
