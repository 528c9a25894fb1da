"""Model lists as ``GET {base}/models`` answers them, a page at a time. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from sam_py.messages.turn import Limits
from sam_py.providers.anthropic.families import guessed_limits
from sam_py.providers.base import ModelInfo

PAGE = "/models?limit=1000"


def read_models(page: Any) -> list[ModelInfo]:
    """The models of one page that can be asked, in its order. What it does not say of them, their names tell."""
    found = []
    for item in _items(page):
        name = item.get("id")
        if isinstance(name, str) and name and item.get("lifecycle") != "retired":
            label = item.get("display_name")
            found.append(ModelInfo(name, label if isinstance(label, str) else "", _limits(name, item)))
    return found


def next_page(page: Any) -> str:
    """The address of the page that follows, from the base URL; empty where this is the last."""
    last = page.get("last_id") if isinstance(page, dict) and page.get("has_more") is True else None
    return f"{PAGE}&after_id={quote(last, safe='')}" if isinstance(last, str) and last else ""


def _items(page: Any) -> list[dict[str, Any]]:
    items = page.get("data") if isinstance(page, dict) else page
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _limits(name: str, item: dict[str, Any]) -> Limits:
    guessed = guessed_limits(name)
    can = item.get("capabilities")
    meta = item.get("meta")  # llama.cpp: what it was started with
    window = _count(item.get("max_input_tokens")) or (_count(meta.get("n_ctx")) if isinstance(meta, dict) else None)
    return replace(
        guessed,
        context_tokens=window or guessed.context_tokens,
        output_tokens=_count(item.get("max_tokens")) or guessed.output_tokens,
        images=_supports(can, "image_input", guessed.images) or (isinstance(can, list) and "multimodal" in can),
        pdfs=_supports(can, "pdf_input", guessed.pdfs),
        thinking=_supports(can, "thinking", guessed.thinking),
    )


def _supports(capabilities: Any, name: str, otherwise: bool) -> bool:
    capability = capabilities.get(name) if isinstance(capabilities, dict) else None
    supported = capability.get("supported") if isinstance(capability, dict) else None
    return supported if isinstance(supported, bool) else otherwise


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
