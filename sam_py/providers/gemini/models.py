"""Model lists as the service answers ``GET {base}/models``, and what a name alone tells. Pure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import ModelInfo
from sam_py.providers.gemini.thinking import thinks, version_of

# They answer `generateContent` too, but not a conversation: speech, music, robots, screens, long research.
_NO_CHAT = re.compile(
    r"-tts|-audio|-live|embedding|^(aqa|veo|imagen|lyria)|robotics|computer-use|deep-research|antigravity|translate"
)
_DRAWS = re.compile(r"-image|nano-banana|image-generation|-omni-")


def read_models(value: Any) -> tuple[list[ModelInfo], str]:
    """The models of one page to talk to, in its order, and the token of the next page ("": there is none)."""
    if not isinstance(value, dict):
        return [], ""
    listed = value.get("models")
    models = [
        model
        for item in (listed if isinstance(listed, list) else ())
        if isinstance(item, dict) and (model := _model(item)) is not None
    ]
    token = value.get("nextPageToken")
    return models, token if isinstance(token, str) else ""


def guessed_limits(model: str) -> Limits:
    """What a name tells of a model that no list described.

    >>> guessed_limits("gemini-2.5-flash-image").draws, guessed_limits("gemini-2.5-flash").pdfs
    (True, True)
    """
    gemini = "gemini" in model or version_of(model) is not None
    draws = bool(_DRAWS.search(model))
    return Limits(
        images=gemini or "gemma-3" in model or "gemma-4" in model,
        pdfs=gemini and not draws,
        tools=not draws and "gemma-3" not in model,
        thinking=thinks(model),
        draws=draws,
        own_pictures=draws,
    )


def is_chat_name(model: str) -> bool:
    return not _NO_CHAT.search(model)


def _model(item: dict[str, Any]) -> ModelInfo | None:
    name = item.get("name")
    methods = item.get("supportedGenerationMethods", item.get("supportedActions"))
    if not isinstance(name, str) or (isinstance(methods, list) and "generateContent" not in methods):
        return None
    name = name.removeprefix("models/")
    if not name or not is_chat_name(name):
        return None
    guessed = guessed_limits(name)
    limits = replace(
        guessed,
        context_tokens=_count(item.get("inputTokenLimit")),
        output_tokens=_count(item.get("outputTokenLimit")),
        thinking=guessed.thinking or item.get("thinking") is True,
    )
    label = item.get("displayName")
    return ModelInfo(name, label if isinstance(label, str) else "", limits)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
