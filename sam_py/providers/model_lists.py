"""Model lists as services answer ``GET {base}/models`` and the like: names, and what they say of each. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import ModelInfo, Price
from sam_py.providers.model_names import guessed_limits, is_chat_name

_CONTEXT_KEYS = (
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_model_len",
    "max_context_length",
    "max_input_tokens",
)
_OUTPUT_KEYS = ("max_completion_tokens", "max_output_tokens", "max_output_length")

_NO_CHAT_KINDS = frozenset(
    {"image", "embedding", "embeddings", "audio", "rerank", "moderation", "transcribe", "video", "tts", "code"}
)
_PER_TOKEN_BELOW = 0.001
"""A price below a tenth of a cent is one per token: no model costs so little per million."""


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


def llamacpp_window(props: Any) -> int | None:
    """The window that llama.cpp was started with, from ``GET /props``."""
    settings = _object(_object(props).get("default_generation_settings"))
    return _number(settings, ("n_ctx",)) or _number(_object(props), ("n_ctx",))


def _is_for_chat(item: dict[str, Any]) -> bool:
    """Whether a list's own words for a model allow talking to it."""
    if item.get("type") in _NO_CHAT_KINDS or item.get("supports_chat") is False or item.get("active") is False:
        return False
    capabilities = item.get("capabilities")
    if isinstance(capabilities, dict) and capabilities.get("completion_chat") is False:
        return False
    outputs = _modalities(item, "output")
    return outputs is None or "text" in outputs


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def _name(item: dict[str, Any]) -> str:
    name = item.get("id") or item.get("model") or item.get("key") or item.get("name")
    return name if isinstance(name, str) else ""


def _model(name: str, item: dict[str, Any]) -> ModelInfo:
    label = item.get("name") if item.get("name") != name else item.get("display_name")
    if not isinstance(label, str) or not label:
        label = item.get("display_name")
    return ModelInfo(
        id=name,
        label=label if isinstance(label, str) and label != name else "",
        limits=_limits(item, guessed_limits(name)),
        price=_price(item),
    )


def _limits(item: dict[str, Any], guessed: Limits) -> Limits:
    """What the list says, over what the name tells."""
    holders = (item, _object(item.get("top_provider")), _object(item.get("limits")), *_objects(item.get("providers")))
    outputs = _modalities(item, "output") or []
    images, tools, thinks = _sees(item), _calls(item), _thinks(item)
    return replace(
        guessed,
        context_tokens=_context(item, holders) or guessed.context_tokens,
        output_tokens=next((found for each in holders if (found := _number(each, _OUTPUT_KEYS))), None)
        or guessed.output_tokens,
        images=guessed.images if images is None else images,
        pdfs="file" in (_modalities(item, "input") or ()),
        tools=guessed.tools if tools is None else tools,
        thinking=guessed.thinking if thinks is None else thinks,
        draws="image" in outputs,
    )


def _context(item: dict[str, Any], holders: tuple[dict[str, Any], ...]) -> int | None:
    for instance in _objects(item.get("loaded_instances")):  # LM Studio: as it was loaded
        if found := _number(_object(instance.get("config")), ("context_length",)):
            return found
    if found := _number(_object(item.get("meta")), ("n_ctx",)):  # llama.cpp: as it was started
        return found
    return next((found for each in holders if (found := _number(each, _CONTEXT_KEYS))), None)


def _modalities(item: dict[str, Any], side: str) -> list[Any] | None:
    """What goes in (``input``) or comes out (``output``), where the list says so."""
    for holder in (_object(item.get("architecture")), item):
        for name in (f"{side}_modalities", f"supported_{side}_modalities"):
            if isinstance(found := holder.get(name), list):
                return found
    return None


def _sees(item: dict[str, Any]) -> bool | None:
    inputs = _modalities(item, "input")
    if inputs is not None:
        return "image" in inputs
    capabilities = item.get("capabilities")
    if isinstance(capabilities, dict):  # Mistral, LM Studio
        return _flag(capabilities.get("vision"))
    if isinstance(capabilities, list) and "completion" in capabilities:  # llama.cpp, Ollama
        return "multimodal" in capabilities or "vision" in capabilities
    if item.get("type") in ("vlm", "llm") and "publisher" in item:  # LM Studio, older
        return bool(item["type"] == "vlm")
    return _first_flag(item, "supports_image_input", "supports_image_in", "supports_vision")


def _calls(item: dict[str, Any]) -> bool | None:
    parameters = item.get("supported_parameters")
    if isinstance(parameters, list):
        return "tools" in parameters
    capabilities = item.get("capabilities")
    if isinstance(capabilities, dict):
        return _first_flag(capabilities, "function_calling", "trained_for_tool_use")
    if isinstance(capabilities, list) and "completion" not in capabilities:  # LM Studio, GitHub
        return "tool_use" in capabilities or "tool-calling" in capabilities
    said = [flag for each in _objects(item.get("providers")) if (flag := _flag(each.get("supports_tools"))) is not None]
    return any(said) if said else _first_flag(item, "supports_tools", "supports_tool_use")


def _thinks(item: dict[str, Any]) -> bool | None:
    parameters = item.get("supported_parameters")
    if isinstance(parameters, list):
        return "reasoning" in parameters or "include_reasoning" in parameters
    capabilities = item.get("capabilities")
    if isinstance(capabilities, dict):
        return True if capabilities.get("reasoning") else None
    return _first_flag(item, "supports_reasoning")


def _price(item: dict[str, Any]) -> Price | None:
    """In US dollars per million tokens, from whatever a list says them in."""
    pricing = _object(item.get("pricing"))
    price = Price(
        input=_dollars(pricing, "prompt", "input"),
        output=_dollars(pricing, "completion", "output"),
        cached_input=_dollars(pricing, "input_cache_read", "cache_read", "cached_input"),
        cache_write=_dollars(pricing, "input_cache_write", "cache_write"),
    )
    if price.input is None and price.output is None:  # xAI: cents per hundred million
        price = Price(
            input=_hundredths(item.get("prompt_text_token_price")),
            output=_hundredths(item.get("completion_text_token_price")),
            cached_input=_hundredths(item.get("cached_prompt_text_token_price")),
        )
    return None if price.input is None and price.output is None else price


def _dollars(pricing: dict[str, Any], *names: str) -> float | None:
    for name in names:
        value = pricing.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        try:
            dollars = float(value)
        except ValueError:
            continue
        if 0 <= dollars < 1e6:  # less than nothing: it depends
            return round(dollars * 1e6, 6) if dollars < _PER_TOKEN_BELOW else dollars
    return None


def _hundredths(value: Any) -> float | None:
    return value / 10_000 if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _first_flag(item: dict[str, Any], *names: str) -> bool | None:
    return next((flag for name in names if (flag := _flag(item.get(name))) is not None), None)


def _number(item: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = item.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e12:
            return int(value)
    return None
