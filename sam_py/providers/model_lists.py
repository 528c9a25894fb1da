"""Model lists as services answer ``GET {base}/models``: names, and what they say of each. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sam_py.providers.base import ModelInfo
from sam_py.providers.model_names import guessed_limits, is_chat_name

_CONTEXT_KEYS = ("context_length", "context_window", "max_model_len", "loaded_context_length", "max_context_length")
_OUTPUT_KEYS = ("max_completion_tokens", "max_output_tokens", "max_output_length")

_NO_CHAT_KINDS = frozenset(
    {"image", "embedding", "embeddings", "audio", "rerank", "moderation", "transcribe", "video", "tts", "code"}
)


def read_models(value: Any, *, for_chat: bool = False) -> list[ModelInfo]:
    """Return every model of a list, in its order: ``{"data": [...]}``, ``{"models": [...]}`` or a bare list.

    `for_chat` leaves out what the list or a name says is not for talking to.
    """
    if isinstance(value, dict):
        extra = {_name(item): item for item in _objects(value.get("models"))}
        items = list(_objects(value.get("data"))) or list(extra.values())
    else:
        extra, items = {}, list(_objects(value))
    models = []
    for item in items:
        name = _name(item)
        if name and (not for_chat or (_is_for_chat(item) and is_chat_name(name))):
            # llama.cpp says what a model sees in a second list beside the first.
            models.append(_model(name, {**extra.get(name, {}), **item}))
    return models


def _is_for_chat(item: dict[str, Any]) -> bool:
    """Whether a list's own words for a model allow talking to it."""
    if item.get("type") in _NO_CHAT_KINDS:
        return False
    capabilities = item.get("capabilities")
    if isinstance(capabilities, dict) and capabilities.get("completion_chat") is False:
        return False
    outputs = _object(item.get("architecture")).get("output_modalities")
    return not isinstance(outputs, list) or "text" in outputs


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _name(item: dict[str, Any]) -> str:
    name = item.get("id") or item.get("model") or item.get("name")
    return name if isinstance(name, str) else ""


def _model(name: str, item: dict[str, Any]) -> ModelInfo:
    guessed = guessed_limits(name)
    images, tools = _modalities(item)
    limits = replace(
        guessed,
        context_tokens=_context(item) or guessed.context_tokens,
        output_tokens=_number(item, _OUTPUT_KEYS)
        or _number(_object(item.get("top_provider")), _OUTPUT_KEYS)
        or guessed.output_tokens,
        images=guessed.images if images is None else images,
        tools=guessed.tools if tools is None else tools,
    )
    label = item.get("name") if item.get("name") != name else item.get("display_name")
    return ModelInfo(id=name, label=label if isinstance(label, str) else "", limits=limits)


def _context(item: dict[str, Any]) -> int | None:
    meta = _object(item.get("meta"))  # llama.cpp: n_ctx is what it was started with
    return (
        _number(item, _CONTEXT_KEYS)
        or _number(_object(item.get("top_provider")), _CONTEXT_KEYS)
        or _number(meta, ("n_ctx", "n_ctx_train"))
    )


def _modalities(item: dict[str, Any]) -> tuple[bool | None, bool | None]:
    """Whether the list says that the model takes images and tools; None where it does not say."""
    images: bool | None = None
    tools: bool | None = None
    capabilities = item.get("capabilities")
    if isinstance(capabilities, dict):  # Mistral
        images, tools = _flag(capabilities.get("vision")), _flag(capabilities.get("function_calling"))
    elif isinstance(capabilities, list) and "completion" in capabilities:  # llama.cpp, Ollama
        images = "multimodal" in capabilities or "vision" in capabilities
    elif isinstance(capabilities, list):  # LM Studio
        tools = "tool_use" in capabilities
    kind = item.get("type")
    if kind in ("vlm", "llm") and "publisher" in item:  # LM Studio
        images = kind == "vlm"
    inputs = _object(item.get("architecture")).get("input_modalities") or item.get("input_modalities")
    if isinstance(inputs, list):  # OpenRouter, xAI
        images = "image" in inputs
    parameters = item.get("supported_parameters")
    if isinstance(parameters, list):
        tools = "tools" in parameters
    return images, tools


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(item: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = item.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return int(value)
    return None
