"""No key in a log: a filter for log handlers, and one for texts that a server may have echoed a key in."""

from __future__ import annotations

import logging
import re

_PATTERNS = re.compile(
    r"(?i)(bearer\s+|(?:api[-_]?key|authorization|x-goog-api-key)[\"']?\s*[:=]\s*[\"']?)(?!bearer\b)[^\s\"',]{6,}|"
    r"\b(?:sk|gsk|xai|csk|pplx|hf|r8|AIza)[-_][A-Za-z0-9_-]{8,}"
)
_HIDDEN = "[key]"
_SHORTEST = 6
_keys: set[str] = set()


def remember_key(key: str) -> None:
    """From now on `key` is hidden in every text that passes `redacted` or a `KeyFilter`."""
    if len(key) >= _SHORTEST:
        _keys.add(key)


def redacted(text: str) -> str:
    """`text` without known keys and without what looks like one.

    >>> redacted("Authorization: Bearer abcdef123456"), redacted("bad key sk-abcdefgh12345")
    ('Authorization: Bearer [key]', 'bad key [key]')
    """
    for key in _keys:
        text = text.replace(key, _HIDDEN)
    return _PATTERNS.sub(lambda match: (match[1] or "") + _HIDDEN, text)


class KeyFilter(logging.Filter):
    """Goes on every log handler: ``handler.addFilter(KeyFilter())``. Rewrites records, drops none."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        clean = redacted(message)
        if clean != message:
            record.msg, record.args = clean, None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = redacted(record.exc_text)
        return True


def quiet_http_logs() -> None:
    """httpx and httpcore log addresses and headers at INFO and DEBUG: let only their warnings through."""
    for name in ("httpx", "httpcore", "httpcore.connection", "httpcore.http11"):
        logging.getLogger(name).setLevel(logging.WARNING)
