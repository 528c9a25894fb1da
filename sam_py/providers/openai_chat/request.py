"""From a `ChatRequest` to the JSON body of Chat Completions. Pure: reads nothing but its arguments.

Never written: an explicit null, an empty or blank text part, an empty list, a key of another vendor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.parts import (
    CodePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.messages.turn import ToolResultPart, Turn
from sam_py.providers.arguments import arguments_text
from sam_py.providers.attached import fenced
from sam_py.providers.base import ChatRequest
from sam_py.providers.ids import wire_id
from sam_py.providers.model_names import is_openai_reasoning_model
from sam_py.providers.openai_chat.content import content_parts, described, mark_for_cache, text_part
from sam_py.providers.openai_chat.dialect import Dialect, effort_keys
from sam_py.providers.openai_chat.reasoning import give_reasoning_back, is_own, missing_reasoning
from sam_py.providers.tool_names import wire_name

_EMPTY_RESULT = "(no output)"


def build_body(request: ChatRequest, dialect: Dialect | None = None) -> dict[str, Any]:
    """Return the body of ``POST {base}/chat/completions``; without a `dialect` in the form that every server takes.

    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    dialect = dialect or Dialect()
    body: dict[str, Any] = {"model": request.model, "messages": list(_Messages(request, dialect))}
    if dialect.cache == "marks" and "claude" in request.model.lower():
        mark_for_cache(body["messages"])
    if request.stream:
        body["stream"] = True
        if dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
    _add_choices_of_the_person(body, request, dialect)
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": wire_name(tool.name),
                    **({"description": tool.description} if tool.description.strip() else {}),
                    "parameters": dict(tool.parameters) or {"type": "object", "properties": {}},
                },
            }
            for tool in request.tools
        ]
        choice = dialect.required_choice if request.tool_choice == "required" else request.tool_choice
        if choice != "auto":
            body["tool_choice"] = choice
    if dialect.cache == "key" and request.conversation_id:
        body["prompt_cache_key"] = request.conversation_id
    for models, keys in dialect.extra:
        if models.search(request.model):
            body.update(keys)
    body.update({key: value for key, value in request.extra.items() if value is not None})
    return body


def _add_choices_of_the_person(body: dict[str, Any], request: ChatRequest, dialect: Dialect) -> None:
    """Temperature, length and effort, where the model takes them."""
    thinks = is_openai_reasoning_model(request.model)
    if not thinks and not (dialect.fixed_sampling and dialect.fixed_sampling.search(request.model)):
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.top_p is not None:
            body["top_p"] = request.top_p
    if request.max_tokens is not None:
        body["max_completion_tokens" if thinks else dialect.max_tokens_key] = request.max_tokens
    if request.reasoning_effort:
        body.update(effort_keys(dialect, request.model, request.reasoning_effort))


class _Messages:
    """The messages of a request, one after the other."""

    def __init__(self, request: ChatRequest, dialect: Dialect) -> None:
        self._request = request
        self._dialect = dialect
        self._missing = missing_reasoning(request, dialect)
        self._own_ids = {
            part.call_id
            for turn in request.turns
            if is_own(turn, request)
            for part in turn.parts
            if isinstance(part, ToolCallPart) and len(part.call_id) <= dialect.longest_own_id
        }

    def __iter__(self) -> Iterator[dict[str, Any]]:
        request, dialect = self._request, self._dialect
        if request.system.strip():
            is_developer = dialect.developer is not None and dialect.developer.search(request.model)
            role = "developer" if is_developer else "system"
            yield {"role": role, "content": mend_surrogates(request.system)}
        for turn in request.turns:
            if turn.role == "assistant":
                message = self._assistant(turn)
                if message is not None:
                    yield message
            else:
                yield from self._user(turn)

    def _user(self, turn: Turn) -> Iterator[dict[str, Any]]:
        """One message per tool result first, directly behind their calls; then what the person said.

        A tool message takes text alone, so pictures and files of results follow in the user's message.
        """
        content: list[dict[str, Any]] = []
        for part in turn.parts:
            if not isinstance(part, ToolResultPart):
                continue
            text = mend_surrogates(part.text) if part.text.strip() else _EMPTY_RESULT
            rendered = [piece for each in part.parts for piece in content_parts(each, self._request, self._dialect)]
            texts = [piece["text"] for piece in rendered if piece["type"] == "text"]
            shown = [piece for piece in rendered if piece["type"] != "text"]
            yield {"role": "tool", "tool_call_id": self._id(part.call_id), "content": "\n\n".join([text, *texts])}
            if shown:
                content += [text_part(f"From the result of {part.tool_name}:"), *shown]
        content += [
            rendered
            for part in turn.parts
            if not isinstance(part, ToolResultPart)
            for rendered in content_parts(part, self._request, self._dialect)
        ]
        if not content:
            return
        if all(part["type"] == "text" for part in content):
            # Many servers take text alone as a string only; several texts are told apart by a blank line.
            yield {"role": "user", "content": "\n\n".join(part["text"] for part in content)}
        else:
            yield {"role": "user", "content": content}

    def _assistant(self, turn: Turn) -> dict[str, Any] | None:
        """An assistant turn as one message; None where nothing of it can be said here (thinking alone)."""
        texts: list[str] = []
        calls: list[dict[str, Any]] = []
        for part in turn.parts:
            match part:
                case TextPart():
                    if part.text.strip():
                        texts.append(mend_surrogates(part.text))
                case CodePart():
                    texts.append(fenced(part))
                case ImagePart():
                    texts.append(described(part))  # no assistant message of this API holds a picture
                case ToolCallPart():
                    calls.append(self._call(part))
                case ThinkingTextPart() | ThinkingSignaturePart():
                    pass
                case _:
                    raise ValueError(f"an assistant turn cannot hold a {part.kind} part here")
        if not texts and not calls:
            return None
        message: dict[str, Any] = {"role": "assistant"}
        if texts:
            message["content"] = "".join(texts)
        if calls:
            message["tool_calls"] = calls
        give_reasoning_back(message, turn, self._request, self._dialect, self._missing)
        return message

    def _call(self, part: ToolCallPart) -> dict[str, Any]:
        return {
            "id": self._id(part.call_id),
            "type": "function",
            "function": {"name": wire_name(part.tool_name), "arguments": arguments_text(part.arguments_json)},
        }

    def _id(self, call_id: str) -> str:
        """An id goes back as it came to the model that gave it: some read meaning into their own.

        Mistral's are made to fit all the same, because a call that came without one has one of ours.
        """
        form = self._dialect.ids
        return call_id if form != "mistral" and call_id in self._own_ids else wire_id(call_id, form)
