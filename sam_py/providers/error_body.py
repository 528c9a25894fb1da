"""What an error body says, whatever service wrote it: its words, how long to wait, how much was too much. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sam_py.messages.builder import mend_surrogates

SHOWN = 200
"""So many characters of a server's words are shown."""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What an error body says; every field may be empty."""

    message: str = ""
    type: str = ""
    code: str = ""
    raw: str = ""
    """What stands behind a gateway's own words ("Provider returned error")."""
    failed_generation: str = ""
    retry_s: float | None = None
    """How long to wait, where the body says it (Google has no header for it)."""
    window_tokens: int | None = None
    prompt_tokens: int | None = None

    @property
    def words(self) -> str:
        return f"{self.code} {self.type} {self.message} {self.raw}".lower()


def read_error(body: bytes | str) -> ErrorBody:
    """Find the words in an error body of any service; markup and the unreadable give their first characters.

    >>> read_error('{"error": {"message": "no such model", "code": "model_not_found"}}').message
    'no such model'
    >>> read_error('{"detail": [{"msg": "Field required"}]}').message
    'Field required'
    """
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorBody(message=plain(text))
    return error_of(value) or ErrorBody(message=plain(text))


def error_of(value: Any) -> ErrorBody | None:
    """The error that a parsed JSON value reports, wherever it puts it; None where it reports none.

    The order is that of `error.message`, `error` (text), `message`, `detail` (text or list).
    """
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return ErrorBody(message=mend_surrogates(value[:SHOWN])) if isinstance(value, str) and value else None
    error = value.get("error")
    holder = error if isinstance(error, dict) else value
    message = _first_text(
        holder.get("message") if holder is not value else None,
        error,
        value.get("message"),
        _detail(value.get("detail")),
        value.get("errors"),
    )
    if not message and not error:
        return None
    param = holder.get("param")
    if isinstance(param, str) and " " in param and param not in message:  # Xiaomi puts its reason there
        message = f"{message}: {param}"
    metadata = holder.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    lengths = lengths_in(message)
    return ErrorBody(
        message=message or plain(json.dumps(error)),
        type=_text(holder.get("type")) or _first_text(holder.get("status")),
        code=_text(holder.get("code")),
        raw=_first_text(raw),
        failed_generation=_text(holder.get("failed_generation")),
        retry_s=_delay_in(holder.get("details")) or _delay_of(message),
        window_tokens=_tokens(holder.get("n_ctx")) or lengths[1],
        prompt_tokens=_tokens(holder.get("n_prompt_tokens")) or lengths[0],
    )


_NUMBER = r"(\d[\d,]{0,12})"
# (prompt, window) in the words of each server; the names tell which is which.
_LENGTHS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<prompt>{_NUMBER}) tokens? > (?P<window>{_NUMBER})",
        rf"maximum context length is (?P<window>{_NUMBER}).{{0,80}}?"
        rf"(?:resulted in|requested|has|contains)[^\d]{{0,20}}(?P<prompt>{_NUMBER})",
        rf"token count \(?(?P<prompt>{_NUMBER})\)? exceeds the maximum.{{0,40}}?(?P<window>{_NUMBER})",
        rf"contains (?P<prompt>{_NUMBER}) tokens.{{0,60}}?model with (?P<window>{_NUMBER})",
        rf"\((?P<prompt>{_NUMBER}) tokens\) exceeds.{{0,40}}?context size \((?P<window>{_NUMBER})",
        rf"context (size|length|window) (of|\()[^\d]{{0,5}}(?P<window>{_NUMBER})",
        rf"limit (?P<window>{_NUMBER}),.{{0,30}}?requested (?P<prompt>{_NUMBER})",
    )
)


def lengths_in(message: str) -> tuple[int | None, int | None]:
    """How many tokens were sent and how many the model takes, as a server's words say it.

    >>> lengths_in("prompt is too long: 208310 tokens > 200000 maximum")
    (208310, 200000)
    >>> lengths_in("Rate limit reached")
    (None, None)
    """
    for pattern in _LENGTHS:
        if (found := pattern.search(message)) is not None:
            said = found.groupdict()
            return _tokens_of(said.get("prompt")), _tokens_of(said.get("window"))
    return None, None


def _tokens_of(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12 else None


_DELAY = re.compile(r"(?:retry|try again) (?:in|after) ((?:\d{1,9}(?:\.\d{1,20})? ?[a-z]{1,12} ?){1,4})", re.IGNORECASE)
_UNIT = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]+)", re.IGNORECASE)


def _delay_of(text: str) -> float | None:
    """The seconds that a server's words ask to wait.

    >>> _delay_of("Please try again in 6m0.5s."), _delay_of("retry in 20ms"), _delay_of("Retry later")
    (360.5, 0.02, None)
    """
    found = _DELAY.search(text[:2000])
    if found is None:
        return None
    return sum(float(number) * _unit_s(unit.lower()) for number, unit in _UNIT.findall(found[1]))


def _unit_s(unit: str) -> float:
    if unit.startswith(("ms", "milli")):
        return 0.001
    return {"h": 3600.0, "m": 60.0}.get(unit[0], 1.0)


def _delay_in(details: Any) -> float | None:
    """Google's RetryInfo: ``{"retryDelay": "48s"}`` among the details."""
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (found := re.match(r"(\d{1,6}(\.\d+)?)s\Z", delay)):
            return float(found[1])
    return None


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, dict | list) else mend_surrogates(str(value)[:1000])


def _first_text(*values: Any) -> str:
    return mend_surrogates(next((value[:1000] for value in values if isinstance(value, str) and value), ""))


def _detail(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_messages_in(value))
    return value if isinstance(value, str) else ""


def _messages_in(items: list[Any]) -> Iterator[str]:
    for item in items[:5]:
        if isinstance(item, dict) and isinstance(item.get("msg"), str):
            yield item["msg"]
        elif isinstance(item, str):
            yield item


def plain(text: str) -> str:
    """The first characters of `text`, without markup."""
    if "<" in text[:200]:
        text = re.sub(r"<(script|style)\b.*?(</\1>|\Z)|<!--.*?(-->|\Z)|<[^>]*>", " ", text[:20_000], flags=re.S | re.I)
    return " ".join(text.split())[:SHOWN]
