"""Reply facts: tokens, times, speed and cost of a reply, each with where the figure is from, in words for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.messages.history import TaskRecorded
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart, ThinkingTextPart
from sam_py.messages.usage import Usage, estimated_usage
from sam_py.providers.prices import FREE, KnownPrice, cost_usd
from sam_py.ui.chat.row_context import RowContext

Mark = Literal["", "reported", "estimated", "measured", "priced"]
"""Where a figure is from: the provider, our estimate, our clock, or reported tokens at a known price."""

GUIDE = "guide"
"""The offline guide writes no tokens: speeds would be a pretence."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the details: what it is, its value, where that is from, and what there is to say besides."""

    name: str
    value: str
    mark: Mark = ""
    note: str = ""

    def words(self) -> str:
        """The value with its mark in brackets."""
        said = ", ".join(filter(None, (mark_words(self.mark), self.note)))
        return f"{self.value} ({said})" if said else self.value


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars; `is_reported`: the provider said so itself."""

    usd: float
    is_reported: bool
    price: KnownPrice | None = None


def usage_of(message: AssistantMessage) -> Usage | None:
    """The reply's usage; an estimate of what it wrote where it was kept without one, None for the guide's."""
    if message.provider == GUIDE:
        return None
    if message.usage is not None or message.metrics is None:
        return message.usage
    written = sum(len(part.text) for part in message.parts if isinstance(part, TextPart | ThinkingTextPart))
    return estimated_usage(0, written).model_copy(update={"input_tokens": None}) if written else None


def cost_of(message: AssistantMessage, context: RowContext) -> Cost | None:
    """What the reply cost; None where that is not known, or where it cost nothing because it ran here."""
    usage = usage_of(message)
    if usage is None:
        return None
    if usage.cost_usd is not None:
        return Cost(usage.cost_usd, is_reported=True)
    known = context.price_of(message.provider, message.model)
    usd = cost_usd(usage, known) if known is not None and known is not FREE else None
    return Cost(usd, is_reported=False, price=known) if usd is not None else None


def short_facts(message: AssistantMessage, context: RowContext) -> list[str]:
    """For the line below a reply, the most wanted first: what does not fit is cut. ``≈`` marks what is estimated."""
    facts = []
    usage, metrics, locale = usage_of(message), message.metrics, QLocale()
    if usage is not None and usage.output_tokens:
        about = "≈ " if usage.estimated else ""
        written = locale.toString(usage.output_tokens)
        if usage.input_tokens is not None:
            read = locale.toString(usage.input_tokens)
            facts.append(about + _tr("{read} → {written} tokens").format(read=read, written=written))
        else:
            facts.append(about + _tr("{count} tokens").replace("{count}", written))
    cost = cost_of(message, context)
    if cost is not None:
        facts.append(money(cost.usd) if cost.is_reported else f"≈ {money(cost.usd)}")
    if metrics is not None and metrics.first_token_s is not None:
        facts.append(
            _tr("first after {seconds} s").replace("{seconds}", locale.toString(metrics.first_token_s, "f", 1))
        )
    if metrics is not None and metrics.tokens_per_second is not None:
        speed = ("≈ " if metrics.estimated else "") + locale.toString(metrics.tokens_per_second, "f", 0)
        facts.append(_tr("{speed} tokens/s").replace("{speed}", speed))
    return facts


def long_facts(message: AssistantMessage, context: RowContext) -> list[Fact]:
    """For the details: every figure in a line of its own."""
    usage, metrics, locale = usage_of(message), message.metrics, QLocale()
    facts: list[Fact] = []
    if usage is not None:
        mark: Mark = "estimated" if usage.estimated else "reported"
        for name, count in (
            (_tr("Tokens read"), usage.input_tokens),
            (_tr("of these from the cache"), usage.cached_input_tokens),
            (_tr("of these written to the cache"), usage.cache_write_tokens),
            (_tr("Tokens written"), usage.output_tokens),
            (_tr("of these thinking"), usage.reasoning_tokens),
        ):
            if count is not None:
                facts.append(Fact(name, locale.toString(count), mark))
    if metrics is not None:
        for name, seconds in (
            (_tr("First word after"), metrics.first_token_s),
            (_tr("Took"), metrics.duration_s),
        ):
            if seconds is not None:
                value = _tr("{seconds} s").replace("{seconds}", locale.toString(seconds, "f", 2))
                facts.append(Fact(name, value, "measured"))
        if metrics.tokens_per_second is not None and message.provider != GUIDE:
            speed = locale.toString(metrics.tokens_per_second, "f", 1)
            facts.append(Fact(_tr("Tokens per second"), speed, "estimated" if metrics.estimated else "reported"))
    if message.provider != GUIDE:
        facts.append(_cost_fact(message, usage, context))
    return facts


def _cost_fact(message: AssistantMessage, usage: Usage | None, context: RowContext) -> Fact:
    name = _tr("Cost")
    cost = cost_of(message, context)
    if cost is not None and cost.is_reported:
        return Fact(name, money(cost.usd), "reported")
    if cost is not None:
        mark: Mark = "estimated" if usage is not None and usage.estimated else "priced"
        return Fact(name, money(cost.usd), mark, _price_source(cost.price))
    if context.price_of(message.provider, message.model) is FREE:
        return Fact(name, _tr("nothing: it ran on this computer"))
    return Fact(name, _tr("not known"))


def _price_source(known: KnownPrice | None) -> str:
    if known is None:
        return ""
    if known.is_listed:
        return _tr("prices of the provider's list")
    return _tr("prices of {month}, {source}").format(month=known.as_of, source=known.source.removeprefix("https://"))


def mark_words(mark: Mark) -> str:
    match mark:
        case "":
            return ""
        case "reported":
            return _tr("reported")
        case "estimated":
            return _tr("estimated")
        case "measured":
            return _tr("measured")
        case "priced":
            return _tr("estimated from reported tokens")
        case _:
            assert_never(mark)


def money(usd: float) -> str:
    """US dollars with as many places as say something: ``$12.30``, ``$0.042``, ``$0.0008``."""
    if usd <= 0:
        return "$" + QLocale().toString(0)
    if usd < 0.0001:
        return "< $" + QLocale().toString(0.0001, "f", 4)
    places = 4 if usd < 0.01 else 3 if usd < 1 else 2
    return "$" + QLocale().toString(usd, "f", places)


# The conversation as a whole


@dataclass(frozen=True, slots=True)
class Totals:
    """Of all requests of a conversation, those of deleted replies too."""

    tokens: int = 0
    usd: float = 0.0
    requests: int = 0
    estimated_tokens: bool = False
    """Some are our estimate."""
    estimated_cost: bool = False
    without_cost: int = 0
    """Requests whose cost is not known."""


def totals_of(tasks: Sequence[TaskRecorded], context: RowContext) -> Totals:
    """O(requests)."""
    tokens, usd, requests, without = 0, 0.0, 0, 0
    estimated_tokens = estimated_cost = False
    for task in tasks:
        usage = task.usage
        used = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        if task.provider == GUIDE or not used:
            continue
        requests += 1
        tokens += used
        estimated_tokens |= usage.estimated
        cost = usage.cost_usd
        if cost is None:
            known = context.price_of(task.provider, task.model)
            cost = task.cost_usd if task.cost_usd is not None else cost_usd(usage, known) if known else None
            estimated_cost |= bool(cost)
        if cost is None:
            without += 1
        else:
            usd += cost
    return Totals(tokens, usd, requests, estimated_tokens, estimated_cost, without)


def totals_words(totals: Totals) -> tuple[str, str]:
    """For the header: the line, and its explanation."""
    if not totals.tokens:
        return "", ""
    locale = QLocale()
    count = ("≈ " if totals.estimated_tokens else "") + locale.toString(totals.tokens)
    line = [_tr("{count} tokens").replace("{count}", count)]
    hint = [_tr("Tokens of all requests of this conversation")]
    hint.append(_tr("≈: some are estimated") if totals.estimated_tokens else _tr("as the providers counted them"))
    if totals.usd:
        line.append(("≈ " if totals.estimated_cost else "") + money(totals.usd))
        hint.append(_tr("cost estimated from known prices") if totals.estimated_cost else _tr("cost as reported"))
    if totals.without_cost:
        known = totals.requests - totals.without_cost
        words = _tr("the cost of {known} of {all} requests is known")
        hint.append(words.format(known=locale.toString(known), all=locale.toString(totals.requests)))
    return " · ".join(line), "; ".join(hint)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ReplyFacts", text)
