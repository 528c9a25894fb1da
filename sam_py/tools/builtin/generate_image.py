"""The tool that has a picture made by an OpenAI-style images endpoint. It costs money, so it asks."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from sam_py.messages.parts import ImagePart
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput, Touch
from sam_py.tools.builtin.file_kinds import content_of, picture_size

PutAttachment = Callable[[bytes, str], Awaitable[str]]

_PATIENCE_S = 300.0
LARGEST = 20_000_000
LONGEST_PROMPT = 4_000


@dataclass(frozen=True, slots=True)
class ImageService:
    """Where pictures are made: `base_url` ends before ``/images/generations``."""

    label: str
    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)


class GenerateImage(Arguments):
    prompt: str = Field(min_length=1, description="What the picture shows, in full sentences, with its style.")
    shape: Literal["square", "wide", "tall"] = Field(default="square", description="The picture's proportions.")


_SIZES = {
    "dall-e-3": {"square": "1024x1024", "wide": "1792x1024", "tall": "1024x1792"},
    "dall-e-2": {"square": "1024x1024", "wide": "1024x1024", "tall": "1024x1024"},
}
_USUAL_SIZES = {"square": "1024x1024", "wide": "1536x1024", "tall": "1024x1536"}


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
    deadline_s = _PATIENCE_S + 10

    def __init__(self, http: Http, service: Callable[[], ImageService | None], put_attachment: PutAttachment) -> None:
        self._http = http
        self._service = service
        self._put_attachment = put_attachment

    def doing(self, arguments: GenerateImage) -> str:
        return f"Make a {arguments.shape} picture: {' '.join(arguments.prompt.split())}"

    def touches(self, arguments: GenerateImage) -> tuple[Touch, ...]:
        service = self._chosen()
        return (Touch("spend", f"{service.label}, {service.model} ({service.base_url})"),)

    async def run(self, arguments: GenerateImage, running: Running) -> ToolOutput:
        service = self._chosen()
        if len(arguments.prompt) > LONGEST_PROMPT:
            raise ToolError(f"The description is longer than {LONGEST_PROMPT:,} characters. Shorten it.")
        running.report(f"{service.label} draws")
        try:
            answer = await self._http.get_json(_call(service, arguments))
        except ProviderError as error:
            raise ToolError(str(error)) from error
        data, revised = _picture(answer, service)
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
        if revised and revised != arguments.prompt:
            text += f" It was drawn after this description: {revised}"
        return ToolOutput(text, (part,), details=(f"{service.label}, {service.model}",))

    def _chosen(self) -> ImageService:
        service = self._service()
        if service is None:
            raise ToolError("No service for pictures is set up. Tell the person that they can choose one in settings.")
        return service


def _call(service: ImageService, arguments: GenerateImage) -> Call:
    sizes = _SIZES.get(service.model, _USUAL_SIZES)
    body: dict[str, Any] = {
        "model": service.model,
        "prompt": arguments.prompt,
        "n": 1,
        "size": sizes[arguments.shape],
    }
    if not service.model.startswith("gpt-image"):  # these send base64 always, and refuse to be told so
        body["response_format"] = "b64_json"
    return Call(
        url=f"{service.base_url.rstrip('/')}/images/generations",
        asked=Asked(service.label, service.model, service.base_url, with_key=bool(service.key)),
        body=body,
        key=service.key,
        read_s=_PATIENCE_S,
        first_byte_s=_PATIENCE_S,
        total_s=_PATIENCE_S,
    )


def _picture(answer: Any, service: ImageService) -> tuple[bytes, str]:
    """The picture's bytes and the description that the service made of the prompt. Raises `ToolError`."""
    pictures = answer.get("data") if isinstance(answer, dict) else None
    first = pictures[0] if isinstance(pictures, list) and pictures else None
    if not isinstance(first, dict):
        raise ToolError(f"{service.label} sent no picture. Try another description, or tell the person.")
    coded = first.get("b64_json")
    if not isinstance(coded, str) or not coded:
        raise ToolError(f"{service.label} sent an address instead of a picture; this program does not follow it.")
    if len(coded) > LARGEST * 4 // 3 + 4:
        raise ToolError(f"{service.label} sent a picture of more than 20 MB.")
    try:
        data = base64.b64decode(coded.partition(",")[2] if coded.startswith("data:") else coded, validate=False)
    except (binascii.Error, ValueError) as error:
        raise ToolError(f"{service.label} sent a damaged picture. Try again.") from error
    revised = first.get("revised_prompt")
    return data, revised.strip() if isinstance(revised, str) else ""
