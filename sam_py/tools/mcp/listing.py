"""Reading what a server offers: page by page, within bounds, in our own forms."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.client.client import Client

from sam_py.tools.mcp.names import one_line
from sam_py.tools.mcp.offer import Offer, OfferedPrompt, OfferedResource, OfferedTool, PromptArgument

MOST_PAGES = 50
MOST_TOOLS = 256
MOST_OTHERS = 2_000
LARGEST_SCHEMA = 64_000
"""Characters of JSON; every request to a model carries it."""
LONGEST_DESCRIPTION = 8_000
_DEEPEST = 40


async def read_offer(client: Client) -> Offer:
    """All that the server says it offers. Raises what the SDK raises."""
    can = client.server_capabilities
    tools: list[types.Tool] = []
    resources: list[types.Resource] = []
    templates: list[types.ResourceTemplate] = []
    prompts: list[types.Prompt] = []
    if can.tools is not None:
        tools = await _all(lambda cursor: client.list_tools(cursor=cursor), lambda page: page.tools)
    if can.resources is not None:
        resources = await _all(lambda cursor: client.list_resources(cursor=cursor), lambda page: page.resources)
        templates = await _all(
            lambda cursor: client.list_resource_templates(cursor=cursor), lambda page: page.resource_templates
        )
    if can.prompts is not None:
        prompts = await _all(lambda cursor: client.list_prompts(cursor=cursor), lambda page: page.prompts)
    info = client.server_info
    usable, left_out = _usable(tools)
    return Offer(
        name=one_line(info.name) if info is not None else "",
        version=one_line(info.version, 40) if info is not None else "",
        instructions=(client.instructions or "")[:LONGEST_DESCRIPTION],
        tools=usable,
        resources=(*map(_resource, resources), *map(_template, templates)),
        prompts=tuple(map(_prompt, prompts)),
        completes=can.completions is not None,
        left_out=left_out,
    )


async def _all(fetch: Callable[[str | None], Awaitable[Any]], items: Callable[[Any], list[Any]]) -> list[Any]:
    """Every page; a list without end is cut. A server that announced the list and does not have it has none."""
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        try:
            page = await fetch(cursor)
        except Exception as error:
            if getattr(error, "code", None) == types.METHOD_NOT_FOUND:
                return found
            raise
        found += items(page)
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST_OTHERS:
            break
    return found[:MOST_OTHERS]


def _usable(tools: list[types.Tool]) -> tuple[tuple[OfferedTool, ...], tuple[str, ...]]:
    found: dict[str, OfferedTool] = {}
    left_out = []
    for tool in tools:
        name = one_line(tool.name, 80) or "(no name)"
        if tool.name in found:
            left_out.append(f"{name}: there are two of that name.")
        elif len(found) >= MOST_TOOLS:
            left_out.append(f"{len(tools) - MOST_TOOLS} tools: no more than {MOST_TOOLS} of a server are used.")
            break
        elif trouble := _schema_trouble(tool.input_schema):
            left_out.append(f"{name}: {trouble}")
        else:
            hints = tool.annotations
            found[tool.name] = OfferedTool(
                name=tool.name,
                title=one_line(tool.title or (hints.title if hints is not None else "") or tool.name, 80),
                description=(tool.description or "")[:LONGEST_DESCRIPTION],
                schema=tool.input_schema,
                read_only=bool(hints is not None and hints.read_only_hint),
            )
    return tuple(found.values()), tuple(left_out)


def _schema_trouble(schema: Mapping[str, Any]) -> str:
    if schema.get("type") != "object":
        return "its arguments are no JSON object."
    if _depth(schema) > _DEEPEST:
        return "the description of its arguments is nested too deeply."
    if len(json.dumps(schema)) > LARGEST_SCHEMA:
        return "the description of its arguments is too long."
    return ""


def _depth(value: Any) -> int:
    """How deep lists and objects stand in each other; it stops to count where it is too much."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        depth += 1
    return depth


def _resource(resource: types.Resource) -> OfferedResource:
    return OfferedResource(
        uri=resource.uri,
        name=one_line(resource.name),
        title=one_line(resource.title or ""),
        description=(resource.description or "")[:LONGEST_DESCRIPTION],
        mime_type=resource.mime_type or "",
        size=resource.size,
    )


def _template(template: types.ResourceTemplate) -> OfferedResource:
    return OfferedResource(
        uri=template.uri_template,
        name=one_line(template.name),
        title=one_line(template.title or ""),
        description=(template.description or "")[:LONGEST_DESCRIPTION],
        mime_type=template.mime_type or "",
        is_template=True,
    )


def _prompt(prompt: types.Prompt) -> OfferedPrompt:
    return OfferedPrompt(
        name=prompt.name,
        title=one_line(prompt.title or prompt.name),
        description=(prompt.description or "")[:LONGEST_DESCRIPTION],
        arguments=tuple(
            PromptArgument(each.name, (each.description or "")[:LONGEST_DESCRIPTION], bool(each.required))
            for each in prompt.arguments or ()
        ),
    )
