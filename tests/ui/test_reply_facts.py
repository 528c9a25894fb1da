"""What stands below a reply and in its details: every figure says whether it is reported or estimated."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

from sam_py.messages.history import TaskRecorded
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.usage import Metrics, Usage
from sam_py.providers.base import Price
from sam_py.providers.prices import FREE, KnownPrice
from sam_py.ui.chat.message_words import explained_facts, facts_of
from sam_py.ui.chat.reply_facts import money, short_facts, totals_of, totals_words
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

LISTED = KnownPrice(Price(input=2.0, output=8.0))
TABLE = KnownPrice(Price(input=2.0, output=8.0), "https://example.com/prices", "2026-03")
COUNTED = Usage(input_tokens=1000, output_tokens=500, cached_input_tokens=200, reasoning_tokens=100)


@pytest.fixture
def context(qtbot: QtBot) -> RowContext:
    QLocale.setDefault(QLocale.c())
    themes = Themes()
    return RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model)


def reply(usage: Usage | None, **fields: object) -> AssistantMessage:
    values: dict[str, object] = {
        "parts": (TextPart(text="x" * 400),),
        "stop_reason": "stop",
        "provider": "Service",
        "model": "m-1",
        "usage": usage,
        "metrics": Metrics(first_token_s=0.31, duration_s=2.0, tokens_per_second=40.0, estimated=usage is None),
    }
    return AssistantMessage.model_validate({**values, **fields})


def priced(context: RowContext, known: KnownPrice | None) -> RowContext:
    return replace(context, price_of=lambda _provider, _model: known)


def test_provider_and_model_open_the_line(context: RowContext) -> None:
    assert facts_of(reply(COUNTED), context, streaming=False).startswith("Service · m-1 · ")


def test_reported_tokens_stand_without_a_mark(context: RowContext) -> None:
    assert short_facts(reply(COUNTED), context) == ["1000 → 500 tokens", "first after 0.3 s", "40 tokens/s"]


def test_estimated_tokens_are_marked_in_the_line_and_named_in_the_details(context: RowContext) -> None:
    estimated = reply(Usage(input_tokens=30, output_tokens=100, estimated=True))
    assert short_facts(estimated, context)[0] == "≈ 30 → 100 tokens"
    assert "Tokens written: 100 (estimated)" in explained_facts(estimated, context)


def test_a_reply_that_was_kept_without_usage_gets_an_estimate_of_what_it_wrote(context: RowContext) -> None:
    assert short_facts(reply(None), context) == ["≈ 100 tokens", "first after 0.3 s", "≈ 40 tokens/s"]


def test_the_details_say_cached_and_thinking_tokens(context: RowContext) -> None:
    said = explained_facts(reply(COUNTED), context)
    assert "of these from the cache: 200 (reported)" in said
    assert "of these thinking: 100 (reported)" in said
    assert "First word after: 0.31 s (measured)" in said


def test_a_cost_that_the_provider_reports_wins_over_every_price(context: RowContext) -> None:
    said = reply(COUNTED.model_copy(update={"cost_usd": 0.25}))
    assert short_facts(said, priced(context, TABLE))[1] == "$0.250"
    assert "Cost: $0.250 (reported)" in explained_facts(said, priced(context, TABLE))


def test_a_cost_from_the_table_is_marked_and_says_the_month_of_the_prices(context: RowContext) -> None:
    assert short_facts(reply(COUNTED), priced(context, TABLE))[1] == "≈ $0.0060"
    said = explained_facts(reply(COUNTED), priced(context, TABLE))
    assert "Cost: $0.0060 (estimated from reported tokens, prices of 2026-03, example.com/prices)" in said


def test_a_cost_at_listed_prices_says_so(context: RowContext) -> None:
    assert "prices of the provider's list" in explained_facts(reply(COUNTED), priced(context, LISTED))


def test_an_unknown_cost_is_said_to_be_unknown_and_left_out_of_the_line(context: RowContext) -> None:
    assert "Cost: not known" in explained_facts(reply(COUNTED), context)
    assert not any("$" in fact for fact in short_facts(reply(COUNTED), context))


def test_what_ran_here_cost_nothing(context: RowContext) -> None:
    assert "it ran on this computer" in explained_facts(reply(COUNTED), priced(context, FREE))
    assert not any("$" in fact for fact in short_facts(reply(COUNTED), priced(context, FREE)))


def test_the_guide_has_no_figures(context: RowContext) -> None:
    said = reply(None, provider="guide", model="guide")
    assert explained_facts(said, context) == ""
    assert "tokens" not in facts_of(said, context, streaming=False)


@pytest.mark.parametrize(
    ("usd", "words"),
    [(0.0, "$0"), (0.00001, "< $0.0001"), (0.0008, "$0.0008"), (0.042, "$0.042"), (12.3, "$12.30")],
)
def test_money_has_the_places_that_say_something(qtbot: QtBot, usd: float, words: str) -> None:
    QLocale.setDefault(QLocale.c())
    assert money(usd) == words


def test_the_totals_add_up_and_say_what_is_estimated(context: RowContext) -> None:
    tasks = [
        TaskRecorded(provider="a", model="m", usage=COUNTED.model_copy(update={"cost_usd": 0.5})),
        TaskRecorded(provider="a", model="m", usage=COUNTED, cost_usd=0.25),
        TaskRecorded(provider="a", model="m", usage=Usage(input_tokens=1, output_tokens=1, estimated=True)),
        TaskRecorded(provider="guide", model="guide", usage=COUNTED),
    ]
    totals = totals_of(tasks, context)
    assert (totals.tokens, totals.usd, totals.requests, totals.without_cost) == (3002, 0.75, 3, 1)
    line, hint = totals_words(totals)
    assert line == "≈ 3002 tokens · ≈ $0.750"
    assert "2 of 3 requests" in hint


def test_reported_totals_have_no_mark(context: RowContext) -> None:
    tasks = [TaskRecorded(provider="a", model="m", usage=COUNTED.model_copy(update={"cost_usd": 0.5}))]
    assert totals_words(totals_of(tasks, context)) == (
        "1500 tokens · $0.500",
        "Tokens of all requests of this conversation; as the providers counted them; cost as reported",
    )
    assert totals_words(totals_of([], context)) == ("", "")
