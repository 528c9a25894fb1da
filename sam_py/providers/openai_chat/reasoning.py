"""Reasoning as services stream it: plain text under two names, and OpenRouter's `reasoning_details`."""

from __future__ import annotations

import json
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.base import ThinkingSigned

_GROWING = ("text", "summary", "data")


def reasoning_text(delta: dict[str, Any]) -> str:
    """The visible reasoning of a delta.

    `reasoning` (OpenRouter, Groq, vLLM, Ollama …) and `reasoning_content` (DeepSeek, llama.cpp …) hold the
    same text where both come. Details are read only where neither does.
    """
    for name in ("reasoning_content", "reasoning"):
        value = delta.get(name)
        if isinstance(value, str) and value:
            return value
    details = delta.get("reasoning_details")
    if not isinstance(details, list):
        return ""
    return "".join(
        text
        for detail in details
        if isinstance(detail, dict)
        for text in (detail.get("text"), detail.get("summary"))
        if isinstance(text, str)
    )


class DetailsAssembly:
    """Merges the fragments of `reasoning_details` by index and type: texts grow, the rest is kept as it came last.

    The service wants the merged objects back as they were, so that they become one opaque signature.
    """

    def __init__(self) -> None:
        self._details: list[dict[str, Any]] = []
        self._open: dict[tuple[Any, Any], dict[str, Any]] = {}

    def add(self, fragments: Any) -> None:
        for fragment in fragments if isinstance(fragments, list) else ():
            if not isinstance(fragment, dict):
                continue
            place = (fragment.get("index"), fragment.get("type"))
            detail = self._open.get(place) if place[0] is not None else None
            if detail is None or _is_other(detail, fragment):
                detail = {}
                self._details.append(detail)
                self._open[place] = detail
            for name, value in fragment.items():
                if name in _GROWING and isinstance(value, str):
                    detail[name] = (detail.get(name) or "") + value
                elif value is not None:
                    detail[name] = value

    def signature(self) -> ThinkingSigned | None:
        """All details as JSON text; None where none came."""
        if not self._details:
            return None
        for detail in self._details:
            for name in _GROWING:
                if isinstance(detail.get(name), str):
                    detail[name] = mend_surrogates(detail[name])
        return ThinkingSigned(json.dumps(self._details, ensure_ascii=False))


def _is_other(detail: dict[str, Any], fragment: dict[str, Any]) -> bool:
    """Whether `fragment` has an id that says it belongs to another detail of the same index."""
    return bool(fragment.get("id")) and bool(detail.get("id")) and fragment["id"] != detail["id"]
