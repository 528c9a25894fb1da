"""How a reply ended: the service's words and what they mean, and its usage."""

from __future__ import annotations

from typing import Any

from sam_py.messages.message import StopReason
from sam_py.messages.usage import Usage

_STOP_REASONS: dict[str, StopReason] = {
    "STOP": "stop",
    "FINISH_REASON_UNSPECIFIED": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "JAILBREAK": "content_filter",
    "ESCALATION": "content_filter",
    "LANGUAGE": "error",
    "OTHER": "error",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
    "TOO_MANY_TOOL_CALLS": "error",
    "MISSING_THOUGHT_SIGNATURE": "error",
    "MALFORMED_RESPONSE": "error",
    "IMAGE_OTHER": "error",
    "NO_IMAGE": "error",
    "PUP_LIMITED_DISABLED": "error",
}

_DETAILS = {
    "LANGUAGE": "The model does not speak this language.",
    "MALFORMED_FUNCTION_CALL": "The model tried to call a tool and got the call wrong.",
    "UNEXPECTED_TOOL_CALL": "The model tried to call a tool although it has none.",
    "TOO_MANY_TOOL_CALLS": "The model called too many tools one after another.",
    "MISSING_THOUGHT_SIGNATURE": "The service misses a signature of the model's thinking.",
    "MALFORMED_RESPONSE": "The model's reply was not well formed.",
    "NO_IMAGE": "The model was to draw a picture and drew none.",
    "IMAGE_OTHER": "The model could not draw the picture.",
}

# What a word that is not in the table means, by what it contains; the first that fits.
_MEANINGS: tuple[tuple[tuple[str, ...], StopReason], ...] = (
    (("SAFETY", "PROHIBITED", "BLOCK", "FILTER", "RECITATION", "ARMOR", "POLICY", "REFUS"), "content_filter"),
    (("TOKEN", "LENGTH", "CONTINU"), "length"),
    (("MALFORMED", "MISSING", "TOO_MANY", "UNEXPECTED", "INVALID", "ERROR", "FAIL", "NO_"), "error"),
)


def stop_reason_of(word: str) -> StopReason:
    """The meaning of a `finishReason`; an unknown one that says nothing else is a normal end.

    >>> stop_reason_of("MAX_TOKENS"), stop_reason_of("AUDIO_SAFETY"), stop_reason_of("NEW_WORD")
    ('length', 'content_filter', 'stop')
    """
    known = _STOP_REASONS.get(word)
    if known is not None:
        return known
    return next((reason for signs, reason in _MEANINGS if any(sign in word for sign in signs)), "stop")


def detail_of(word: str, message: str) -> str:
    """What happened, for a person who looks closer: our words for it and the service's."""
    return " ".join(text for text in (_DETAILS.get(word, ""), message) if text)


def usage_of(value: Any) -> Usage | None:
    """Read ``usageMetadata``; None where it counts nothing.

    The prompt's count holds what was cached, but not what tools of the service put into it; thoughts are
    counted apart from the candidates.
    """
    if not isinstance(value, dict):
        return None
    prompt, added = _count(value.get("promptTokenCount")), _count(value.get("toolUsePromptTokenCount"))
    said, thought = _count(value.get("candidatesTokenCount")), _count(value.get("thoughtsTokenCount"))
    if prompt is None and said is None and thought is None:
        return None
    return Usage(
        input_tokens=None if prompt is None else prompt + (added or 0),
        output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        cached_input_tokens=_count(value.get("cachedContentTokenCount")),
        reasoning_tokens=thought,
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
