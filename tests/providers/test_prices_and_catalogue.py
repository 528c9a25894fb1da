"""Prices come from a dated table or from a listing; what a listing said is kept across restarts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sam_py.messages.turn import Limits
from sam_py.messages.usage import Usage
from sam_py.paths import resources
from sam_py.providers.base import ModelInfo, Price
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.prices import FREE, KnownPrice, cost_usd, known_price
from sam_py.providers.registry import Registry
from sam_py.settings.listings import Listings
from sam_py.settings.model import ProviderSettings

ROUTER = ProviderSettings(id="or", preset="openrouter", label="OpenRouter", base_url="https://openrouter.ai/api/v1")
OPENAI = ProviderSettings(id="openai", preset="openai", label="OpenAI", base_url="https://api.openai.com/v1")
SEEN = ModelInfo(
    "maker/seer",
    "Seer",
    Limits(context_tokens=64_000, output_tokens=8_000, images=True, tools=True, thinking=True),
    Price(input=0.5, output=1.5, cached_input=0.05),
)


def test_every_price_of_the_table_has_a_maker_a_date_and_a_source() -> None:
    document = json.loads((resources() / "models" / "prices.json").read_text(encoding="utf-8"))
    for maker in document["makers"]:
        assert re.fullmatch(r"20\d\d-\d\d", maker["as_of"]), maker["maker"]
        assert maker["source"].startswith("https://")
        assert maker["hosts"]
        ids = [model["id"] for model in maker["models"]]
        assert len(ids) == len(set(ids))
        writing = [model for model in maker["models"] if "embedding" not in model["id"]]  # these write nothing
        assert all(model["input"] > 0 for model in maker["models"])
        assert all(model["input"] <= model["output"] for model in writing)
        assert all(model.get("cached_input", 0) < model["input"] for model in maker["models"])


@pytest.mark.parametrize(
    ("model", "output"),
    [
        ("gpt-5", 10),
        ("gpt-5-2025-08-07", 10),
        ("gpt-5-mini", 2),
        ("gpt-4o-2024-05-13", 15),
        ("chatgpt-4o-latest", 15),
        ("gpt-5-search-api", None),
        ("gpt-4o-audio-preview", None),
        ("gpt-99", None),
    ],
)
def test_a_dated_name_is_its_model_and_another_name_is_not(model: str, output: float | None) -> None:
    known = known_price("https://api.openai.com/v1", model)
    assert (known.price.output if known else None) == output


def test_the_table_holds_for_the_maker_s_address_alone() -> None:
    assert known_price("https://proxy.example/v1", "gpt-5") is None
    assert known_price("", "gpt-5") is None


def test_what_runs_here_is_free() -> None:
    assert known_price("http://127.0.0.1:8080/v1", "gpt-5") is FREE


def test_cached_and_written_tokens_have_their_own_prices() -> None:
    known = KnownPrice(Price(input=10.0, output=20.0, cached_input=1.0, cache_write=12.5))
    usage = Usage(input_tokens=1_000, output_tokens=100, cached_input_tokens=600, cache_write_tokens=200)
    assert cost_usd(usage, known) == pytest.approx((200 * 10 + 600 * 1 + 200 * 12.5 + 100 * 20) / 1e6)


def test_a_long_prompt_has_the_prices_of_long_prompts() -> None:
    known = known_price("https://generativelanguage.googleapis.com/v1beta", "models/gemini-2.5-pro")
    assert known is not None
    short = cost_usd(Usage(input_tokens=200_000, output_tokens=0), known)
    long = cost_usd(Usage(input_tokens=200_001, output_tokens=0), known)
    assert short == pytest.approx(0.25)
    assert long == pytest.approx(0.5, rel=1e-4)


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_tokens_that_nobody_knows_have_no_cost(usage: Usage) -> None:
    assert cost_usd(usage, KnownPrice(Price(input=1.0, output=1.0))) is None


def test_more_cached_tokens_than_read_ones_cost_no_negative_sum() -> None:
    usage = Usage(input_tokens=10, output_tokens=0, cached_input_tokens=1_000, cache_write_tokens=1_000)
    assert cost_usd(usage, KnownPrice(Price(input=1.0, output=1.0, cached_input=0.5))) == pytest.approx(5 / 1e6)


def test_a_listed_price_wins_over_the_table(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "models.json")
    table = catalogue.price(OPENAI, "gpt-5")
    assert table is not None
    assert not table.is_listed
    catalogue.keep(OPENAI, [ModelInfo("gpt-5", price=Price(input=1.0, output=2.0))])
    listed = catalogue.price(OPENAI, "gpt-5")
    assert listed is not None
    assert listed.is_listed
    assert listed.price.output == 2.0
    assert catalogue.price(ROUTER, "who/knows") is None
    catalogue.close()


def test_what_a_listing_said_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    first = Catalogue(path)
    first.keep(ROUTER, [SEEN, ModelInfo("maker/plain")])
    first.close()
    later = Catalogue(path)
    assert later.models(ROUTER) == (SEEN, ModelInfo("maker/plain"))
    later.close()


def test_a_listing_of_another_address_is_not_taken_for_this_one(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "models.json")
    catalogue.keep(ROUTER, [SEEN])
    assert catalogue.models(ROUTER.model_copy(update={"base_url": "https://other.example/v1"})) == ()
    catalogue.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 2, "listings": {}}', b'{"listings": {"a": 1}}'])
def test_a_damaged_or_newer_file_means_that_nothing_is_known(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "models.json"
    path.write_bytes(content)
    assert Catalogue(path).models(ROUTER) == ()


def test_a_disk_that_refuses_costs_a_question_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    catalogue = Catalogue(tmp_path / "file" / "models.json")
    catalogue.keep(ROUTER, [SEEN])
    catalogue.close()
    assert catalogue.models(ROUTER) == (SEEN,)
    assert "not kept" in caplog.text


def test_listings_of_accounts_that_are_gone_go_too(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "models.json")
    catalogue.keep(ROUTER, [SEEN])
    catalogue.close([OPENAI])
    assert Listings(tmp_path / "models.json").of("or", ROUTER.base_url) is None


def test_a_provider_knows_its_models_before_it_is_asked_again(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path / "models.json")
    catalogue.keep(ROUTER, [SEEN])

    async def no_key(_provider_id: str) -> None:
        return None

    registry = Registry(no_key, known=catalogue.models)
    registry.configure([ROUTER])
    assert registry.get("or").limits_of("maker/seer") == SEEN.limits
    catalogue.close()
