"""The tool that has a picture made by an OpenAI-style images endpoint. It costs money, so it asks."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from sam_py.messages.parts import ImagePart
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http
from sam_py.providers.key_mask import without_key
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput, Touch
from sam_py.tools.builtin.fetching import Fetcher
from sam_py.tools.builtin.file_kinds import content_of, picture_size
from sam_py.tools.image_service import ImageService, Shape

PutAttachment = Callable[[bytes, str], Awaitable[str]]
KeyOf = Callable[[str], Awaitable[str | None]]

_PATIENCE_S = 300.0
LARGEST = 30_000_000
"""Bytes of one picture."""
_LARGEST_ANSWER = LARGEST * 4 // 3 + 1_000_000
LONGEST_PROMPT = 4_000
_FETCH_S = 60.0
_OPTIONAL = ("response_format", "quality", "size", "aspect_ratio")
"""What a service may refuse to be told; nothing was made then, and it is asked again without."""


class GenerateImage(Arguments):
    prompt: str = Field(min_length=1, description="What the picture shows, in full sentences, with its style.")
    shape: Shape = Field(default="square", description="The picture's proportions.")


@dataclass(frozen=True, slots=True)
class _Made:
    """What the service sent: a picture, or where it lies; and the description that it made of the prompt."""

    data: bytes
    url: str
    revised: str


class GenerateImageTool(BuiltinTool[GenerateImage]):
    name = "generate_image"
    label = "Generate an image"
    icon = "image"
    description = (
        "Have one picture made from a description; the person sees it in the conversation. Only when they want a "
        "picture: each costs money. Describe what is to be seen, not the story around it."
    )
    takes = GenerateImage
    parallel_safe = False
    deadline_s = _PATIENCE_S + _FETCH_S + 10

    def __init__(
        self, http: Http, service: Callable[[], ImageService | None], put_attachment: PutAttachment, key_of: KeyOf
    ) -> None:
        self._http = http
        self._service = service
        self._put_attachment = put_attachment
        self._key_of = key_of

    def doing(self, arguments: GenerateImage) -> str:
        return f"Make a {arguments.shape} picture: {' '.join(arguments.prompt.split())}"

    def touches(self, arguments: GenerateImage) -> tuple[Touch, ...]:
        service = self._chosen()
        where = f"{service.label}, {service.model} ({service.base_url})"
        if not service.is_paid:
            return (Touch("network", where),)
        return (Touch("spend", f"{service.cost_words(arguments.shape)}, for one picture by {where}"),)

    async def run(self, arguments: GenerateImage, running: Running) -> ToolOutput:
        service = self._chosen()
        if len(arguments.prompt) > LONGEST_PROMPT:
            raise ToolError(f"The description is longer than {LONGEST_PROMPT:,} characters. Shorten it.")
        running.report(f"{service.label} draws")
        key = ((await self._key_of(service.account)) or "").strip() or None
        made = await self._made(service, arguments, key, running)
        data = made.data
        if made.url:
            running.report(f"Fetching the picture from {urlsplit(made.url).hostname}")
            data = await _fetched(made.url, service)
        content = content_of(data)
        if content.kind != "picture":
            raise ToolError(f"{service.label} sent something that is no picture. Try again, or tell the person.")
        width, height = picture_size(data)
        part = ImagePart(
            attachment=await self._put_attachment(data, content.mime_type),
            mime_type=content.mime_type,
            width=width,
            height=height,
            alt=arguments.prompt[:500],
        )
        text = "The picture is made and shown to the person."
        if made.revised and made.revised != arguments.prompt:
            text += f" It was drawn after this description: {made.revised}"
        cost = f", {service.cost_words(arguments.shape)}" if service.is_paid else ""
        return ToolOutput(text, (part,), details=(f"{service.label}, {service.model}{cost}",))

    def _chosen(self) -> ImageService:
        service = self._service()
        if service is None:
            raise ToolError("No service for pictures is set up. Tell the person that they can choose one in settings.")
        return service

    async def _made(self, service: ImageService, arguments: GenerateImage, key: str | None, running: Running) -> _Made:
        body = _body(service, arguments)
        while True:
            try:
                return await self._asked(_call(service, body, key), service, running)
            except ProviderError as error:
                words = f"{error} {error.detail}"
                refused = next((name for name in _OPTIONAL if name in body and name in words), None)
                if refused is None or error.code != "bad_request":
                    raise ToolError(str(error)) from error
                del body[refused]

    async def _asked(self, call: Call, service: ImageService, running: Running) -> _Made:
        answer = bytearray()
        try:
            async with asyncio.timeout(_PATIENCE_S), contextlib.aclosing(self._http.stream(call)) as chunks:
                async for chunk in chunks:
                    if not isinstance(chunk, bytes):
                        running.report(chunk.text)
                        continue
                    answer += chunk
                    if len(answer) > _LARGEST_ANSWER:
                        raise _too_large(service)
        except TimeoutError as error:
            raise ToolError(
                f"{service.label} did not send the picture within {_PATIENCE_S / 60:.0f} minutes. Try again later."
            ) from error
        return await asyncio.to_thread(_read, bytes(answer), service, call.key)  # a picture is millions of letters


def _body(service: ImageService, arguments: GenerateImage) -> dict[str, Any]:
    takes = service.takes
    body: dict[str, Any] = {"model": service.model, "prompt": arguments.prompt, "n": 1}
    if takes.takes_size:
        body["size"] = service.size_of(arguments.shape)
    if takes.takes_aspect:
        body["aspect_ratio"] = service.aspect_of(arguments.shape)
    if service.quality:
        body["quality"] = service.quality
    if takes.asks_for_base64:
        body["response_format"] = "b64_json"
    return body


def _call(service: ImageService, body: dict[str, Any], key: str | None) -> Call:
    return Call(
        url=f"{service.base_url.rstrip('/')}/images/generations",
        asked=Asked(service.label, service.model, service.base_url, with_key=bool(key)),
        body=dict(body),
        key=key,
        key_header=service.key_header,
        headers=service.headers,
        read_s=_PATIENCE_S,
        first_byte_s=_PATIENCE_S,
    )


async def _fetched(url: str, service: ImageService) -> bytes:
    """The picture at the address that the service named. Its own machine may be private; no other one."""
    own = urlsplit(service.base_url).hostname
    fetcher = Fetcher(
        may_reach_private=lambda host: host == own, most_bytes=LARGEST, longest_s=_FETCH_S, accept="image/*"
    )
    fetched = await fetcher.fetch(url)
    if fetched.is_cut:
        raise _too_large(service)
    return fetched.body


def _read(answer: bytes, service: ImageService, key: str | None) -> _Made:
    """What an answer of the endpoint says. Raises `ToolError`."""
    try:
        told = json.loads(without_key(answer, key))
    except (ValueError, RecursionError) as error:
        raise ToolError(
            f"{service.label} did not answer as a service for pictures does. The address in settings may be wrong."
        ) from error
    pictures = told.get("data") if isinstance(told, dict) else None
    first = pictures[0] if isinstance(pictures, list) and pictures else None
    if not isinstance(first, dict):
        raise ToolError(f"{service.label} sent no picture. Try another description, or tell the person.")
    revised = first.get("revised_prompt")
    revised = revised.strip() if isinstance(revised, str) else ""
    coded, url = first.get("b64_json"), first.get("url")
    if isinstance(coded, str) and coded:
        return _Made(_decoded(coded, service), "", revised)
    if isinstance(url, str) and url.startswith("data:"):
        return _Made(_decoded(url, service), "", revised)
    if isinstance(url, str) and url:
        return _Made(b"", url, revised)
    raise ToolError(f"{service.label} sent no picture. Try another description, or tell the person.")


def _decoded(coded: str, service: ImageService) -> bytes:
    coded = coded.partition(",")[2] if coded.startswith("data:") else coded
    if len(coded) > LARGEST * 4 // 3 + 4:
        raise _too_large(service)
    try:
        return base64.b64decode(coded)
    except (binascii.Error, ValueError) as error:
        raise ToolError(f"{service.label} sent a damaged picture. Try again.") from error


def _too_large(service: ImageService) -> ToolError:
    return ToolError(f"{service.label} sent a picture of more than {LARGEST // 1_000_000} MB. Ask for a smaller one.")
