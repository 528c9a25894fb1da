"""Model lists as services answer ``GET {base}/models``: names, and what they say of each. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import ModelInfo

_CONTEXT_KEYS = ("context_length", "context_window", "max_model_len", "loaded_context_length", "max_context_length")
_OUTPUT_KEYS = ("max_completion_tokens", "max_output_tokens", "max_output_length")

# Not for talking to: embeddings, speech, pictures, moderation, ranking. Services list them beside the others.
_NO_CHAT = re.compile(
    r"embed|whisper|\btts\b|-tts|tts-|transcribe|dall-e|gpt-image|moderation|realtime|rerank|guard\b|-audio|"
    r"^(babbage|davinci|sora|omni-moderation)|stable-diffusion|\bflux\b|\bocr\b|\bbge-|^text-(similarity|search)"
)
_SEES = re.compile(
    r"gpt-4o|gpt-4\.|gpt-4-turbo|gpt-[5-9]|chatgpt|^o[1-9](?!-mini)|/o[1-9](?!-mini)|claude|gemini|pixtral|llava|vision|"
    r"[-_.\d]vl\b|vl[-_:]|gemma-?[34]|llama-?4|mistral-(small|medium|large)|ministral|magistral|grok-(2-vision|4|5)|minicpm-?v|"
    r"internvl|moondream|kimi-k2\.|qwen3\.[5-9]|glm-[\d.]+v|smolvlm|molmo|phi-?[34][^/]*(vision|multimodal)",
    re.IGNORECASE,
)
_BLIND = re.compile(r"gpt-3\.5|embed|gemma-?3[-:]?(270m|1b)|o1-preview|coder", re.IGNORECASE)


# Windows that OpenAI documents but does not list (its model pages, November 2026): pattern, context, longest reply.
_WINDOWS: tuple[tuple[re.Pattern[str], int, int], ...] = (
    (re.compile(r"^gpt-5"), 400_000, 128_000),
    (re.compile(r"^gpt-4\.1"), 1_047_576, 32_768),
    (re.compile(r"^o[134]\b(?!-preview)"), 200_000, 100_000),
    (re.compile(r"^(gpt-4o|chatgpt-4o)"), 128_000, 16_384),
    (re.compile(r"^gpt-4-turbo"), 128_000, 4_096),
    (re.compile(r"^gpt-3\.5-turbo"), 16_385, 4_096),
)
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


def is_chat_name(model: str) -> bool:
    """Whether the model is one to talk to, by its name.

    >>> is_chat_name("gpt-5.2"), is_chat_name("text-embedding-3-small")
    (True, False)
    """
    return not _NO_CHAT.search(model.lower())


def guessed_limits(model: str) -> Limits:
    """What a name tells of a model that no list described: whether it sees, and OpenAI's windows.

    >>> guessed_limits("openai/gpt-4o").images, guessed_limits("llama-3.1-8b-instant").images
    (True, False)
    >>> guessed_limits("gpt-5.2").context_tokens
    400000
    """
    context, output = next(
        ((context, output) for name, context, output in _WINDOWS if name.search(model)), (None, None)
    )
    images = bool(_SEES.search(model)) and not _BLIND.search(model)
    return Limits(context_tokens=context, output_tokens=output, images=images, tools=True)


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
