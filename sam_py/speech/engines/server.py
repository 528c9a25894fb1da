"""ServerVoice: an engine on the other side of HTTP, which speaks as OpenAI's ``/audio/speech`` does."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from sam_py.providers.audio import PCM_HZ, SoundFormat, known_voices, list_voices, longest_text, speak, speech_body
from sam_py.providers.audio_service import AudioService
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.speech.base import SAMPLE_BYTES, Clip, Manner, SpeechError, Voice
from sam_py.speech.engines.text import has_words, pieces
from sam_py.speech.engines.wav import WavError, WavReader

_FIRST_S, _THEN_S = 0.1, 0.4
"""How much sound is gathered for the first clip, and for those after it."""


class ServerVoice:
    """A `SpeechEngine`. `http` is shared and not closed here; `key_of` is asked before each request."""

    def __init__(self, http: Http, key_of: Callable[[str], Awaitable[str | None]], service: AudioService) -> None:
        self._http = http
        self._key_of = key_of
        self._service = service
        self._format: SoundFormat = "wav"

    @property
    def name(self) -> str:
        return self._service.label

    async def voices(self) -> Sequence[Voice]:
        try:
            listed = await list_voices(self._http, self._service, await self._key())
        except ProviderError as error:
            raise _speech_error(error, self._service) from error
        if listed:
            return [Voice(voice, name, (language,) if language else ()) for voice, name, language in listed]
        return [Voice(each, each.title()) for each in known_voices(self._service.model)]

    async def synthesise(self, text: str, manner: Manner) -> AsyncGenerator[Clip, None]:
        for piece in pieces(text, longest_text(self._service.model)):
            async with aclosing(self._piece(piece, manner)) as clips:
                async for clip in clips:
                    yield clip

    def warm_up(self) -> None:
        """Nothing: to connect would tell a service on the internet that somebody opened a conversation."""

    async def aclose(self) -> None:
        """Nothing: the connections are the registry's."""

    async def _piece(self, text: str, manner: Manner) -> AsyncGenerator[Clip, None]:
        key = await self._key()
        while True:
            body = speech_body(self._service.model, text, manner.voice, manner.rate, self._format)
            try:
                is_heard = False
                async with aclosing(speak(self._http, self._service, body, key)) as chunks:
                    async for clip in _clips(chunks):
                        is_heard = True
                        yield clip
                if is_heard or not has_words(text):
                    return
                raise SpeechError(f"{self._service.label} sent no sound. Choose another model or voice in settings.")
            except ProviderError as error:
                words = f"{error} {error.detail}"
                if self._format == "pcm" or error.code != "bad_request" or "response_format" not in words:
                    raise _speech_error(error, self._service) from error
                self._format = "pcm"
            except WavError as error:
                words = f"{self._service.label} sent sound that cannot be read here: {error}. Choose another model."
                raise SpeechError(words, detail=repr(error)) from error

    async def _key(self) -> str | None:
        return ((await self._key_of(self._service.account)) or "").strip() or None


async def _clips(chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[Clip, None]:
    """The sound of an answer, in pieces that are long enough. Raises `WavError`."""
    wav: WavReader | None = None
    rate_hz, channels, samples, least_s, is_first = PCM_HZ, 1, bytearray(), _FIRST_S, True
    async for chunk in chunks:
        if is_first:
            wav = WavReader() if chunk[:4] == b"RIFF" else None
            is_first = False
        samples += chunk if wav is None else wav.feed(chunk)
        if wav is not None and wav.channels:
            rate_hz, channels = wav.rate_hz, wav.channels
        frame = SAMPLE_BYTES * channels
        size = len(samples) - len(samples) % frame
        if size >= least_s * rate_hz * frame:
            yield Clip(bytes(samples[:size]), rate_hz, channels)
            del samples[:size]
            least_s = _THEN_S
    frame = SAMPLE_BYTES * channels
    if size := len(samples) - len(samples) % frame:
        yield Clip(bytes(samples[:size]), rate_hz, channels)


def _speech_error(error: ProviderError, service: AudioService) -> SpeechError:
    """The same trouble, where its words speak of a message, with what helps a voice."""
    text = str(error)
    if error.code in ("bad_request", "too_long"):
        said = " ".join(error.detail.split())[:300].rstrip(".")
        about = "voice" if "voice" in f"{text} {error.detail}".lower() else "model and its address"
        text = f"{service.label} does not speak this: {said or text.rstrip('.')}. Check the {about} in settings."
    return SpeechError(text, detail=error.detail)
