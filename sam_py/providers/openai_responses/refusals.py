"""What a server refused of a request that can do without it. Pure.

A person whose organisation is not verified gets no summaries, some models encrypt nothing, some servers know
fewer keys, and what one organisation's key encrypted no other can read. None of it is a reason not to answer.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.base import ChatRequest
from sam_py.providers.errors import ProviderError
from sam_py.providers.openai_responses.dialect import Optional

_KEYS: tuple[tuple[re.Pattern[str], Optional], ...] = (
    (re.compile(r"reasoning[ ._]summar"), "reasoning.summary"),
    (re.compile(r"reasoning[ ._]effort"), "reasoning.effort"),
    (re.compile(r"prompt_cache_key"), "prompt_cache_key"),
    (re.compile(r"encrypted[ _]content.{0,20} (is )?not supported|\binclude\b"), "include"),
    (re.compile(r"(argument|parameter|field|input)\W.{0,40}\breasoning\b"), "reasoning"),
)
_KEPT = re.compile(
    r"encrypted[ _]content.{0,200}(could not be|cannot be|not be|invalid|failed)|invalid_encrypted_content|"
    r"required following item|required reasoning item|item with id .{0,100}not found",
    re.DOTALL,
)
_NOT_OURS = frozenset({401, 402, 403, 429})


def refused_key(error: ProviderError) -> Optional | None:
    """The key of ours that `error` is about; None where it is about something else."""
    words = _words(error)
    return next((key for pattern, key in _KEYS if pattern.search(words)), None) if words else None


def refuses_kept_items(error: ProviderError) -> bool:
    """Whether the server cannot do with its own earlier reasoning."""
    return bool(_KEPT.search(_words(error)))


def without_kept_items(request: ChatRequest) -> ChatRequest:
    """`request` as if nothing had been kept of earlier replies but what they say."""
    turns = tuple(
        replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, ThinkingSignaturePart)))
        for turn in request.turns
    )
    return replace(request, turns=turns)


def _words(error: ProviderError) -> str:
    if error.status is None or not 400 <= error.status < 500 or error.status in _NOT_OURS:
        return ""
    return error.detail.lower()
