"""What a delta says: text and thinking of its content, and pictures."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any, Literal

from sam_py.providers.base import ImageProduced

_DEEPEST = 4


def said_in(content: Any, depth: int = 0) -> Iterator[tuple[Literal["text", "thinking"], str]]:
    """A delta's content: text, or Mistral's list of text and thinking."""
    if isinstance(content, str):
        yield "text", content
    for item in content if isinstance(content, list) and depth < _DEEPEST else ():
        if isinstance(item, str):
            yield "text", item
        elif isinstance(item, dict):
            if item.get("type") == "thinking":
                for _kind, text in said_in(item.get("thinking"), depth + 1):
                    yield "thinking", text
            elif isinstance(item.get("text"), str):
                yield "text", item["text"]


def images_of(delta: dict[str, Any]) -> Iterator[ImageProduced]:
    """Pictures as data URLs: OpenRouter's `images`, or parts of the content. An address is not loaded: nobody asked."""
    content = delta.get("content")
    images = delta.get("images")
    for image in (*(images if isinstance(images, list) else ()), *(content if isinstance(content, list) else ())):
        holder = image.get("image_url") if isinstance(image, dict) else None
        url = holder.get("url") if isinstance(holder, dict) else holder
        if isinstance(url, str) and url.startswith("data:image/") and ";base64," in url[:100]:
            mime_type, _, data = url[5:].partition(";base64,")
            try:
                yield ImageProduced(base64.b64decode(data, validate=True), mime_type.partition(";")[0])
            except (binascii.Error, ValueError):
                continue
