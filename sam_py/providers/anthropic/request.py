"""From a `ChatRequest` to the JSON body of Messages. Pure: reads nothing but its arguments.

Never written: a blank text, an empty message, a call without its result next to it, thinking without its
signature, a parameter that the model's family refuses. Content is always a list of blocks, so that a message
is the same bytes whatever comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.anthropic.caching import mark
from sam_py.providers.anthropic.families import Family, family_of
from sam_py.providers.anthropic.opaque import Block
from sam_py.providers.anthropic.replies import reply_blocks, text_block
from sam_py.providers.anthropic.said import said_blocks
from sam_py.providers.anthropic.server_tools import is_at_work, without_halves
from sam_py.providers.anthropic.thinking import Thinking, plan_thinking
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.tool_names import wire_name

GO_ON = "Go on from exactly where your last message ends."
"""Asks a model that does not go on from its own last message by itself."""


def build_body(request: ChatRequest, *, drops_unbound: bool = False) -> dict[str, Any]:
    """Return the body of ``POST {base}/messages``.

    `drops_unbound` asks newer models to drop thinking before which something changed instead of refusing
    the request; it needs the header `BINDING` (see `provider.py`), which others than Anthropic may not know.
    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    rules = family_of(request.model)
    messages = _messages(request, rules)
    thinking = plan_thinking(request, rules, messages)
    _end_with_the_user(messages, rules, thinking)
    body: dict[str, Any] = {"model": request.model, "max_tokens": thinking.max_tokens}
    if request.stream:
        body["stream"] = True
    if request.tools:
        body["tools"] = _tools(request.tools)
        choice = _tool_choice(request, rules, thinking)
        if choice:
            body["tool_choice"] = {"type": choice}
    if request.system.strip():
        body["system"] = [text_block(request.system)]
    body["messages"] = messages
    if not request.extra.get("cache_control"):  # a person's own marks the end by itself, as one of the four
        mark(body)
    if thinking.config is not None:
        body["thinking"] = dict(thinking.config)
        if drops_unbound and rules.binds and thinking.is_on:
            body["thinking"]["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    if thinking.effort is not None:
        body["output_config"] = {"effort": thinking.effort}
    _add_sampling(body, request, rules, thinking)
    _add_extra(body, request)
    return body


def _messages(request: ChatRequest, rules: Family) -> list[Block]:
    """The turns as messages that alternate, without what has lost its other half."""
    # A model that binds its thinking refuses it when it is told not to think.
    with_thinking = not (rules.binds and request.reasoning_effort == "none" and rules.off != "never")
    replies = iter(
        without_halves(
            [
                reply_blocks(turn, request, with_thinking=with_thinking)
                for turn in request.turns
                if turn.role == "assistant"
            ],
            last_is_final=bool(request.turns) and request.turns[-1].role == "assistant",
        )
    )
    messages: list[Block] = []
    for turn in request.turns:
        content = said_blocks(turn, request) if turn.role == "user" else next(replies)
        if content and messages and messages[-1]["role"] == turn.role:
            messages[-1]["content"] = [*messages[-1]["content"], *content]
        elif content:
            messages.append({"role": turn.role, "content": content})
    return messages


def _end_with_the_user(messages: list[Block], rules: Family, thinking: Thinking) -> None:
    """Let the last message be one that the model answers: not all go on from one of their own."""
    if not messages or messages[-1]["role"] == "user":
        return
    content = messages[-1]["content"]
    if is_at_work(content):
        return
    if not rules.prefills or thinking.is_on or content[-1]["type"] != "text":
        messages.append({"role": "user", "content": [text_block(GO_ON)]})
    else:
        content[-1] = {**content[-1], "text": content[-1]["text"].rstrip()}


def _tools(tools: Iterable[ToolSpec]) -> list[Block]:
    """Each tool once: two of one name are refused."""
    named: dict[str, Block] = {}
    for tool in tools:
        block: Block = {"name": wire_name(tool.name)}
        if tool.description.strip():
            block["description"] = mend_surrogates(tool.description)
        named.setdefault(block["name"], {**block, "input_schema": _schema(tool)})
    return list(named.values())


def _schema(tool: ToolSpec) -> Block:
    """The parameters as an object, which is all that the API takes at the root: no choice between schemas."""
    schema = {key: value for key, value in tool.parameters.items() if key not in ("anyOf", "oneOf", "allOf")}
    schema["type"] = "object"
    return schema if len(schema) > 1 else {"type": "object", "properties": {}}


def _tool_choice(request: ChatRequest, rules: Family, thinking: Thinking) -> str:
    match request.tool_choice:
        case "auto":
            return ""
        case "none":
            return "none"
        case "required":
            return "" if thinking.is_on and not rules.forces_tools else "any"


def _add_sampling(body: dict[str, Any], request: ChatRequest, rules: Family, thinking: Thinking) -> None:
    """Temperature or else top-p: newer models refuse both together, and either while they think."""
    if not rules.samples or thinking.is_on:
        return
    if request.temperature is not None:
        body["temperature"] = min(max(request.temperature, 0.0), 1.0)
    elif request.top_p is not None:
        body["top_p"] = min(max(request.top_p, 0.0), 1.0)


def _add_extra(body: dict[str, Any], request: ChatRequest) -> None:
    """What a person set has the last word; tools (of the server) join ours, ``output_config`` is joined by key."""
    for key, value in request.extra.items():
        if key == "output_config" and isinstance(value, dict):
            body[key] = {**body.get(key, {}), **value}
        elif key == "tools" and isinstance(value, list):
            body[key] = [*body.get(key, []), *value]
        elif value is not None:
            body[key] = value
