"""How large a context to ask for. The server's default cuts off what does not fit, and says nothing of it (D-017)."""

from __future__ import annotations

import json
from typing import Any

from sam_py.messages.turn import Limits

SMALLEST = 8_192
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 8
_TOKENS_PER_IMAGE = 2_000
_REPLY, _THOUGHTFUL_REPLY = 2_048, 6_144


def context_to_ask_for(body: dict[str, Any], limits: Limits, max_tokens: int | None, at_least: int | None) -> int:
    """``num_ctx`` in tokens for a body: what it needs and a reply, but not more than the model has.

    It doubles in steps, since each change makes the server load the model anew; rather too much than too little.
    `at_least` is what the model's own parameters ask for.

    >>> context_to_ask_for({"messages": [{"role": "user", "content": "x" * 40_000}]}, Limits(), None, None)
    16384
    """
    reply = max_tokens or (_THOUGHTFUL_REPLY if limits.thinking else _REPLY)
    need = max(_tokens(body) + reply, at_least or 0)
    asked = SMALLEST
    while asked < need:
        asked *= 2
    return min(asked, limits.context_tokens) if limits.context_tokens else asked


def _tokens(body: dict[str, Any]) -> int:
    """A generous estimate of what `body` costs."""
    text = json.dumps(body.get("tools", ""), ensure_ascii=False)
    size, images = len(text.encode("utf-8", "replace")), 0
    for message in body["messages"]:
        images += len(message.get("images", ()))
        for key, value in message.items():
            if key != "images":
                text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                size += len(text.encode("utf-8", "replace"))
    return size // _BYTES_PER_TOKEN + len(body["messages"]) * _TOKENS_PER_MESSAGE + images * _TOKENS_PER_IMAGE
