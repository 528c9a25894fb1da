"""What models are called on screen."""

from __future__ import annotations

GUIDE = "guide"
"""The id of the provider that is always there."""


def model_name(model: str) -> str:
    """A model id as a person calls it: without folders and file endings.

    >>> model_name("/models/qwen3-8b-q4_k_m.gguf"), model_name("meta-llama/llama-3.3-70b")
    ('qwen3-8b-q4_k_m', 'llama-3.3-70b')
    """
    return model.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].removesuffix(".gguf") or model
