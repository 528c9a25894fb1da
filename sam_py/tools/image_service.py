"""ImageService: where pictures are made: which accounts can, what their models take, and what a picture costs.

Sizes, qualities and prices as the makers' pages said in March 2026; xAI's models take neither size nor quality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

from sam_py.providers.endpoint import Endpoint, endpoint_of
from sam_py.providers.hosts import is_same_machine
from sam_py.providers.presets import preset_of, wire_at
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings

Shape = Literal["square", "wide", "tall"]

PRICES_AS_OF = "2026-03"
_WITHOUT_IMAGES = frozenset(
    {
        "openrouter",
        "deepseek",
        "groq",
        "mistral",
        "fireworks",
        "cerebras",
        "perplexity",
        "minimax",
        "moonshot",
        "github",
        "huggingface",
        "lmstudio",
        "llamacpp",
        "jan",
        "vllm",
    }
)
"""Presets that speak OpenAI's protocol, but have no ``/images/generations``."""
_USUAL = {"square": "1024x1024", "wide": "1536x1024", "tall": "1024x1536"}
_ASPECTS = {"square": "1:1", "wide": "3:2", "tall": "2:3"}


@dataclass(frozen=True, slots=True)
class ImageModel:
    """What models whose names begin with `begin` take. `prices`: quality → US dollars for square and for others."""

    begin: str
    sizes: Mapping[str, str] = field(default_factory=lambda: dict(_USUAL))
    qualities: tuple[str, ...] = ()
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    takes_size: bool = True
    takes_aspect: bool = False
    asks_for_base64: bool = True
    """Whether it is to be told that the picture itself is wanted, not its address; some refuse to be told."""


_GPT = ("low", "medium", "high")


def _gpt(begin: str, *prices: tuple[float, float]) -> ImageModel:
    return ImageModel(begin, qualities=_GPT, prices=dict(zip(_GPT, prices, strict=True)), asks_for_base64=False)


IMAGE_MODELS = (
    _gpt("gpt-image-1.5", (0.009, 0.013), (0.034, 0.05), (0.133, 0.2)),
    _gpt("chatgpt-image-latest", (0.009, 0.013), (0.034, 0.05), (0.133, 0.2)),
    _gpt("gpt-image-1-mini", (0.005, 0.006), (0.011, 0.015), (0.036, 0.052)),
    _gpt("gpt-image-1", (0.011, 0.016), (0.042, 0.063), (0.167, 0.25)),
    ImageModel("gpt-image", qualities=_GPT, asks_for_base64=False),
    ImageModel(
        "dall-e-3",
        sizes={"square": "1024x1024", "wide": "1792x1024", "tall": "1024x1792"},
        qualities=("standard", "hd"),
        prices={"standard": (0.04, 0.08), "hd": (0.08, 0.12)},
    ),
    ImageModel("dall-e-2", sizes=dict.fromkeys(_USUAL, "1024x1024"), prices={"": (0.02, 0.02)}),
    ImageModel("grok-imagine", takes_size=False, takes_aspect=True),
    ImageModel("grok", takes_size=False),
)
"""The first one that fits counts."""
_ANY = ImageModel("")
SUGGESTED = {
    "openai": ("gpt-image-1.5", "gpt-image-1-mini", "gpt-image-1", "dall-e-3"),
    "openai-chat": ("gpt-image-1.5", "gpt-image-1-mini", "gpt-image-1", "dall-e-3"),
    "xai": ("grok-imagine-image", "grok-2-image"),
    "together": ("black-forest-labs/FLUX.1-schnell",),
    "zai": ("cogview-4-250304",),
}
"""Preset → models that are known to make pictures there."""


@dataclass(frozen=True, slots=True)
class ImageService(Endpoint):
    """Where pictures are made: `base_url` ends before ``/images/generations``."""

    quality: str = ""
    size: str = ""

    @property
    def takes(self) -> ImageModel:
        return image_model(self.model)

    @property
    def is_paid(self) -> bool:
        """Whether it is somebody else's computer, which may charge for it."""
        return not is_same_machine(self.base_url)

    def cost_words(self, shape: Shape) -> str:
        """What a picture costs, as far as that is known; for the maker's own address alone."""
        prices = self.takes.prices
        host = urlsplit(self.base_url).hostname or ""
        if not self.is_paid:
            return "free, on this computer"
        if host != "api.openai.com" or not prices or (self.size and self.size not in self.takes.sizes.values()):
            return "the price is not known"
        at = 0 if self.size_of(shape) == _USUAL["square"] else 1
        price = prices.get(self.quality) or prices.get("")
        if price is None and "standard" in prices:
            price = prices["standard"]
        if price is None:
            return f"at most about {_dollars(max(each[at] for each in prices.values()))} (prices of {PRICES_AS_OF})"
        return f"about {_dollars(price[at])} (price of {PRICES_AS_OF})"

    def size_of(self, shape: Shape) -> str:
        """Width and height in pixels, as the service is asked for them."""
        return self.size or self.takes.sizes[shape]

    def aspect_of(self, shape: Shape) -> str:
        return _ASPECTS[shape]


def image_model(name: str) -> ImageModel:
    """What the model of that name takes; the usual where nobody knows it.

    >>> image_model("gpt-image-1-mini-2025-10-06").begin, image_model("flux").takes_size
    ('gpt-image-1-mini', True)
    """
    return next((each for each in IMAGE_MODELS if name.startswith(each.begin)), _ANY)


def can_make_images(account: ProviderSettings) -> bool:
    """Whether an account may have an images endpoint in OpenAI's way."""
    preset = preset_of(account.preset)
    address = account.base_url or preset.base_url
    if not account.enabled or not address.startswith(("http://", "https://")):
        return False
    return wire_at(preset, address) in ("openai_chat", "openai_responses") and preset.preset not in _WITHOUT_IMAGES


def chosen_service(settings: Settings) -> ImageService | None:
    """The service that the person chose; None where none is, or its account is gone or switched off."""
    images = settings.tools.images
    account = settings.provider(images.provider) if images.provider and images.model else None
    if account is None or not can_make_images(account):
        return None
    service = endpoint_of(ImageService, settings, ModelChoice(provider=images.provider, model=images.model))
    if service is None:
        return None
    takes = service.takes
    return replace(
        service,
        quality=images.quality if images.quality in takes.qualities else "",
        size=images.size if takes.takes_size else "",
    )


def _dollars(price: float) -> str:
    return f"${price:.3f}".rstrip("0") if price < 0.1 and round(price, 2) != price else f"${price:.2f}"
