"""Asking a server for a resource or a prompt, and making of it what a message can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from sam_py.errors import SamError
from sam_py.tools.base import ToolError
from sam_py.tools.mcp.offer import OfferedPrompt, OfferedResource, PromptMessage, ReadContent
from sam_py.tools.mcp.servers import McpServers
from sam_py.tools.mcp.templates import filled
from sam_py.ui.chat.attachments_intake import MB, GivenBytes, PastedText, Source, size_text
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.widgets.plain import one_line

LARGEST_BYTES = 10 * MB
"""Of a resource that says its size: a server that sends much more in one message is ended for it."""
_LONGEST_NAME = 100
_UNFIT = re.compile(r'[<>:"/\\|?*]')
"""What no name of a file may hold on one system or another."""


@dataclass(frozen=True, slots=True)
class TakenOffer:
    """Words for the box, and what is attached. Both are of strangers; the person sees them before they send."""

    text: str = ""
    sources: tuple[Source, ...] = ()


async def take_resource(
    servers: McpServers, server_id: str, label: str, resource: OfferedResource, values: Mapping[str, str]
) -> TakenOffer:
    """`resource`, filled in with `values` where it is a template. Raises `SamError`."""
    if resource.size is not None and resource.size > LARGEST_BYTES:
        said = _tr("“%1” has %2; at most %3 of a server can be attached.").replace("%3", size_text(LARGEST_BYTES))
        raise SamError(said.replace("%2", size_text(resource.size)).replace("%1", one_line(resource.name)))
    uri = filled(resource.uri, values) if resource.is_template else resource.uri
    contents = await servers.read(server_id, uri)
    sources = tuple(_source(each, label) for each in contents if each.text or each.data)
    if not sources:
        raise SamError(_tr("“%1” is empty, so there is nothing to attach.").replace("%1", one_line(resource.name)))
    return TakenOffer(sources=sources)


async def take_prompt(
    servers: McpServers, server_id: str, label: str, prompt: OfferedPrompt, values: Mapping[str, str]
) -> TakenOffer:
    """`prompt` with its arguments. Characters that hide or reorder are written out. Raises `SamError`."""
    messages = await servers.get_prompt(server_id, prompt.name, values)
    attached = [each.attached for each in messages if each.attached is not None]
    text = "\n\n".join(_words(each) for each in messages if each.text)
    if not text and not attached:
        raise SamError(_tr("The prompt “%1” came back empty.").replace("%1", one_line(prompt.title or prompt.name)))
    return TakenOffer(text, tuple(_source(each, label) for each in attached if each.text or each.data))


async def proposals(
    servers: McpServers, server_id: str, offered: OfferedPrompt | OfferedResource, argument: str, given: dict[str, str]
) -> Sequence[str]:
    """What the server proposes for `argument`; nothing where it does not or cannot."""
    typed = given.pop(argument, "")
    try:
        if isinstance(offered, OfferedPrompt):
            return await servers.complete(server_id, "prompt", offered.name, argument, typed, given)
        return await servers.complete(server_id, "template", offered.uri, argument, typed, given)
    except ToolError:
        return []  # a field without proposals is as good as ever


def _words(message: PromptMessage) -> str:
    text = made_visible(message.text)
    return text if message.role == "user" else _tr("Assistant: %1").replace("%1", text)


def _source(content: ReadContent, label: str) -> Source:
    """Named after the server as well: where it comes from stays with it, on the chip and for the model."""
    name = f"{_UNFIT.sub('_', one_line(label)[:40])} – {_UNFIT.sub('_', one_line(content.name)[-_LONGEST_NAME:])}"
    if content.text is not None:
        return PastedText(content.text, name)
    return GivenBytes(content.data, name)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ServerOffers", text)
