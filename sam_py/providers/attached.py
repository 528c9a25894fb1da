"""What every wire writes alike of a message's parts: code as a fenced block, attachments as bytes and data URLs."""

from __future__ import annotations

import base64

from sam_py.errors import SamError
from sam_py.messages.parts import CodePart
from sam_py.providers.base import ChatRequest


def fenced(part: CodePart) -> str:
    """Code as a fenced block whose fence is longer than any inside it, its file name above."""
    fence = "```"
    while fence in part.code:
        fence += "`"
    title = f"{part.filename}:\n" if part.filename else ""
    return f"{title}{fence}{part.language}\n{part.code.rstrip()}\n{fence}\n"


def data_url(data: bytes, mime_type: str) -> str:
    """`data` as a ``data:`` address in base64."""
    return f"data:{mime_type};base64,{base64.b64encode(data).decode('ascii')}"


def bytes_of(attachment: str, name: str, request: ChatRequest) -> bytes:
    """The bytes of an attachment that `request` carries. Raises `SamError` where they are missing or empty."""
    data = request.attachments.get(attachment)
    if not data:
        raise SamError(f"The attachment “{name}” is missing on this machine. Attach it again or remove it.")
    return data
