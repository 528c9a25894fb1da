"""When a failed request is sent again, and after how long. Pure; the numbers are those of the vendors' own SDKs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from sam_py.providers.errors import ProviderError

RETRIES = 2
FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 8.0
LONGEST_HONOURED_S = 120.0
"""A server that asks for more patience than this is not waited for: the person is told how long it takes."""


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """How long the server asks us to wait: ``retry-after-ms``, ``retry-after`` in seconds or as a date.

    `headers` have lower-case names; `now_s` is seconds since 1970. OpenRouter says when its limit resets instead
    (``x-ratelimit-reset``, milliseconds since 1970).

    >>> retry_after_s({"retry-after-ms": "1500"}, 0.0), retry_after_s({"retry-after": "2"}, 0.0)
    (1.5, 2.0)
    >>> retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 45.0)
    15.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds:
        return max(0.0, milliseconds / 1000)
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return max(0.0, seconds)
    if value:
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return None
        return max(0.0, date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now_s)
    reset_ms = _number(headers.get("x-ratelimit-reset"))
    if reset_ms is not None and reset_ms > 1e12:
        return max(0.0, reset_ms / 1000 - now_s)
    return None


def delay_s(error: ProviderError, attempt: int, headers: Mapping[str, str], random: float) -> float | None:
    """Seconds to wait before trying again after `attempt` (from 0) failed with `error`; None: do not.

    `random` is in [0, 1) and takes up to a quarter off, so that many clients do not come back at once.
    """
    if attempt >= RETRIES:
        return None
    asked = headers.get("x-should-retry", "").lower()
    if asked == "false" or (asked != "true" and not error.retryable):
        return None
    if error.retry_after_s:
        return error.retry_after_s if error.retry_after_s <= LONGEST_HONOURED_S else None
    delay = min(FIRST_DELAY_S * 2.0**attempt, LONGEST_DELAY_S)
    return float(delay * (1 - 0.25 * random))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e15 else None
