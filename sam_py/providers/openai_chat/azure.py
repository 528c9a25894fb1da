"""Azure OpenAI's addresses: the newer form, whose path is like OpenAI's, and the older one with a deployment in it."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

_OLD_VERSION = "2024-10-21"
"""The last version of the older form that is no preview."""


def azure_address(address: str, model: str) -> str:
    """Where to send a request for the deployment `model`, from what a person entered as the resource's address.

    >>> azure_address("https://acme.openai.azure.com", "gpt")
    'https://acme.openai.azure.com/openai/v1/chat/completions'
    >>> azure_address("https://acme.openai.azure.com/openai?api-version=2025-01-01", "gpt")
    'https://acme.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01'
    >>> azure_address("https://acme.openai.azure.com/openai/deployments/mine", "gpt")
    'https://acme.openai.azure.com/openai/deployments/mine/chat/completions?api-version=2024-10-21'
    """
    parts = urlsplit(address.strip())
    root = azure_root(address)
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    version = (parse_qs(parts.query).get("api-version") or [""])[0]
    if "/deployments/" in path:
        return f"{root}{path}/chat/completions?api-version={quote(version or _OLD_VERSION)}"
    if path.endswith("/v1"):
        return f"{root}{path}/chat/completions" + (f"?api-version={quote(version)}" if version else "")
    if path.endswith("/models"):  # Azure AI Foundry's own form
        return f"{root}{path}/chat/completions?api-version={quote(version or '2024-05-01-preview')}"
    if version:
        return f"{root}/openai/deployments/{quote(model, safe='')}/chat/completions?api-version={quote(version)}"
    return f"{root}/openai/v1/chat/completions"


def azure_root(address: str) -> str:
    """Scheme and host of a resource's address."""
    parts = urlsplit(address.strip())
    return f"{parts.scheme}://{parts.netloc}"
