"""From a `ChatRequest` to the JSON body of Responses. Pure: reads nothing but its arguments.

Never written: an explicit null, an empty or blank text, an empty list, a key of another vendor.
"""

from __future__ import annotations

from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.model_names import is_openai_reasoning_model
from sam_py.providers.openai_responses.dialect import Dialect, encrypts_reasoning
from sam_py.providers.openai_responses.input_items import input_items
from sam_py.providers.tool_names import wire_name

_JOINED = ("tools", "include")
"""Lists to which a person's own entries are added: a tool that the service runs stands beside ours."""


def build_body(request: ChatRequest, *, dialect: Dialect | None = None) -> dict[str, Any]:
    """Return the body of ``POST {base}/responses``, which asks the server to remember nothing.

    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    dialect = dialect or Dialect()
    items = input_items(request, rich_results=dialect.rich_results, every_id=dialect.every_id)
    body: dict[str, Any] = {"model": request.model, "input": items}
    if request.system.strip():
        _add_system(body, mend_surrogates(request.system), dialect)
    body["store"] = False
    if request.stream:
        body["stream"] = True
    _add_choices_of_the_person(body, request, dialect)
    _add_reasoning(body, request, dialect)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice != "auto":
            body["tool_choice"] = request.tool_choice
    if request.conversation_id and "prompt_cache_key" not in dialect.left_out:
        body["prompt_cache_key"] = request.conversation_id[:64]
    for key, value in request.extra.items():
        if key in _JOINED and isinstance(value, list | tuple):
            value = [*body.get(key, ()), *(each for each in value if each not in body.get(key, ()))]
        if value is not None:
            body[key] = value
    return body


def _add_system(body: dict[str, Any], text: str, dialect: Dialect) -> None:
    if dialect.system_as == "instructions":
        body["instructions"] = text
        return
    content = [{"type": "input_text", "text": text}]
    body["input"].insert(0, {"type": "message", "role": dialect.system_as, "content": content})


def _add_choices_of_the_person(body: dict[str, Any], request: ChatRequest, dialect: Dialect) -> None:
    if not is_openai_reasoning_model(request.model):
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.top_p is not None:
            body["top_p"] = request.top_p
    if request.max_tokens is not None:
        body["max_output_tokens"] = max(request.max_tokens, dialect.least_output_tokens)


def _add_reasoning(body: dict[str, Any], request: ChatRequest, dialect: Dialect) -> None:
    """How hard to think, a summary of it to show, and its encrypted form to send back."""
    reasoning: dict[str, Any] = {}
    if request.reasoning_effort and "reasoning.effort" not in dialect.left_out:
        word = dialect.effort_word(request.model, request.reasoning_effort)
        if word:
            reasoning["effort"] = word
    summed_up = is_openai_reasoning_model(request.model) and reasoning.get("effort") != "none"
    if summed_up and "reasoning.summary" not in dialect.left_out:
        reasoning["summary"] = "auto"
    if reasoning and "reasoning" not in dialect.left_out:
        body["reasoning"] = reasoning
    if encrypts_reasoning(request.model) and "include" not in dialect.left_out:
        body["include"] = ["reasoning.encrypted_content"]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    """Not strict: a strict schema must name every property as required, which those of others do not."""
    return {
        "type": "function",
        "name": wire_name(tool.name),
        **({"description": tool.description} if tool.description.strip() else {}),
        "parameters": dict(tool.parameters) or {"type": "object", "properties": {}},
        "strict": False,
    }
