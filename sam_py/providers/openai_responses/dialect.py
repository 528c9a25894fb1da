"""Dialect: what a service that speaks Responses wants differently from OpenAI, and the table of them.

Sources: each service's documentation, recorded traffic, and for OpenAI's efforts the table of what its models
accepted (community.openai.com/t/1371738), November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from sam_py.providers.base import Effort
from sam_py.providers.efforts import nearest_word, words_of
from sam_py.providers.model_names import is_openai_reasoning_model

SystemForm = Literal["instructions", "developer", "system"]
"""Where the system prompt stands: in a key of its own, or as the first message of that role."""

Optional = Literal["include", "prompt_cache_key", "reasoning", "reasoning.effort", "reasoning.summary"]
"""What a request can do without where a server refuses it."""

_LOW_TO_HIGH = words_of("low", "medium", "high")
_OFF_TO_HIGH = words_of("none", "low", "medium", "high")

# The first that fits holds. An empty set of words: the model refuses the key.
_EFFORTS: tuple[tuple[re.Pattern[str], Mapping[Effort, str]], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"chat-latest|gpt-5-chat|search-api|o1-(mini|preview)|gpt-[34]|non-reasoning", {}),
        (r"gpt-oss|(^|[/.])o\d", _LOW_TO_HIGH),
        (r"gpt-5-pro", words_of("high")),
        (r"gpt-5\.\d+-pro", words_of("medium", "high", "xhigh")),
        (r"gpt-5(\.1)?-codex(?!-max)", _LOW_TO_HIGH),
        (r"gpt-5\.\d+-codex", words_of("low", "medium", "high", "xhigh")),
        (r"gpt-(5\.[6-9]|[6-9]|\d\d)", {**_OFF_TO_HIGH, **words_of("xhigh", "max")}),
        (r"gpt-5\.[2-5]", {**_OFF_TO_HIGH, **words_of("xhigh")}),
        (r"gpt-5\.1", _OFF_TO_HIGH),
        (r"gpt-5", words_of("minimal", "low", "medium", "high")),
        (r"grok-3-mini", words_of("low", "high")),
        (r"grok-(4\.([3-9]|[3-9]\d)(?!\d)|[5-9]|latest)", _OFF_TO_HIGH),
        (r"grok", {}),
        ("", _LOW_TO_HIGH),
    )
)
# Who encrypts what the model thought when asked to, and refuses the request for other models.
_ENCRYPTS = re.compile(r"grok-(3-mini|[4-9])(?!.*non-reasoning)|^(anthropic|google|x-ai)/")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The defaults are OpenAI's."""

    system_as: SystemForm = "instructions"
    efforts: Mapping[Effort, str] | None = None
    """The words for every model; None: by the model's name."""
    rich_results: bool = True
    """Whether a call's result may hold pictures and files; else the person's message behind it does."""
    every_id: bool = False
    """Whether every item of a reply needs an id, though nothing is stored."""
    pdfs: bool = False
    """Whether a model that sees pictures reads PDFs too."""
    least_output_tokens: int = 1
    key_header: str = ""
    """The header that carries the key as it is; empty: ``Authorization: Bearer``."""
    left_out: frozenset[Optional] = frozenset()
    """What this server refused."""

    def effort_word(self, model: str, effort: Effort) -> str | None:
        """The nearest word that `model` takes; None where it takes none.

        >>> Dialect().effort_word("gpt-5.1", "xhigh"), Dialect().effort_word("gpt-5-mini", "none")
        ('high', 'minimal')
        """
        words = self.efforts
        if words is None:
            words = next(words for pattern, words in _EFFORTS if pattern.search(model.lower()))
        return nearest_word(effort, words)


def encrypts_reasoning(model: str) -> bool:
    """Whether the service of `model` gives its reasoning encrypted when asked for it.

    >>> encrypts_reasoning("gpt-5-mini"), encrypts_reasoning("gpt-4o"), encrypts_reasoning("grok-4.3")
    (True, False, True)
    """
    return is_openai_reasoning_model(model) or bool(_ENCRYPTS.search(model))


_ALL_WORDS = words_of("none", "minimal", "low", "medium", "high", "xhigh", "max")
_OPENAI = Dialect(pdfs=True, least_output_tokens=16)
_LOCAL = Dialect(rich_results=False)
_DIALECTS: dict[str, Dialect] = {
    "openai": _OPENAI,
    "azure": replace(_OPENAI, key_header="api-key"),
    "openrouter": Dialect(efforts=_ALL_WORDS, every_id=True, pdfs=True),
    "deepseek": Dialect(efforts=words_of("low", "medium", "high", "xhigh"), rich_results=False),
    "lmstudio": _LOCAL,
    "llamacpp": _LOCAL,
    "jan": _LOCAL,
    "ollama": _LOCAL,
    "vllm": _LOCAL,
}
_HOSTS: tuple[tuple[str, str], ...] = (
    ("api.openai.com", "openai"),
    (".azure.com", "azure"),
    ("openrouter.ai", "openrouter"),
    ("api.deepseek.com", "deepseek"),
)


def dialect_of(preset: str, base_url: str = "") -> Dialect:
    """The dialect that `preset` speaks; for one that says nothing of it, what the address tells.

    >>> dialect_of("compatible", "https://api.openai.com/v1") == dialect_of("openai")
    True
    """
    if preset.startswith("openai"):
        return _OPENAI
    if preset in _DIALECTS:
        return _DIALECTS[preset]
    host = urlsplit(base_url).hostname or ""
    service = next((name for ending, name in _HOSTS if host.endswith(ending)), "")
    return _DIALECTS.get(service, Dialect())
