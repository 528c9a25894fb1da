from __future__ import annotations

import asyncio
import io
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, status_error
from sam_py.providers.network import connection_error
from sam_py.providers.redaction import KeyFilter, redacted, remember_key
from sam_py.providers.retry import LONGEST_DELAY_S, delay_s, retry_after_s

BUSY = ProviderError("busy", code="server")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "0", "retry-after": "1"}, 1.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"x-ratelimit-reset": "1741305600000"}, 1741305600.0 - 60.0),
        ({"x-ratelimit-reset": "17.4s"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_a_server_says_in_several_ways_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, 60.0) == seconds


@given(st.text(max_size=30))
def test_no_retry_after_header_raises(value: str) -> None:
    seconds = retry_after_s({"retry-after": value}, 0.0)
    assert seconds is None or seconds >= 0


@given(attempt=st.integers(0, 1), random=st.floats(0, 1, exclude_max=True))
def test_delays_double_with_at_most_a_quarter_off(attempt: int, random: float) -> None:
    delay = delay_s(BUSY, attempt, {}, random)
    assert delay is not None
    assert 0.75 * 0.5 * 2**attempt <= delay <= min(0.5 * 2**attempt, LONGEST_DELAY_S)


def test_two_retries_are_enough() -> None:
    assert delay_s(BUSY, 2, {"x-should-retry": "true"}, 0.0) is None


def test_retry_after_is_honoured_up_to_two_minutes() -> None:
    waits = [ProviderError("busy", code="rate_limited", retry_after_s=seconds) for seconds in (120.0, 121.0)]
    assert [delay_s(error, 0, {}, 0.5) for error in waits] == [120.0, None]


@pytest.mark.parametrize(
    ("body", "code", "retryable"),
    [
        ('{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}', "rate_limited", True),
        ('{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}', "no_credit", False),
        ('{"error":{"message":"Workspace has reached its spend limit"}}', "no_credit", False),
        ("", "rate_limited", True),
    ],
)
def test_the_body_of_a_429_tells_a_pause_from_an_empty_account(body: str, code: str, retryable: bool) -> None:
    error = status_error(429, body, Asked("Acme"))
    assert (error.code, error.retryable) == (code, retryable)


def test_every_connection_error_has_words_that_end_in_what_to_do() -> None:
    import httpx

    asked = Asked("Acme", base_url="https://acme.example/v1")
    for kind in (
        httpx.ConnectError,
        httpx.ConnectTimeout,
        httpx.ReadTimeout,
        httpx.PoolTimeout,
        httpx.RemoteProtocolError,
        httpx.ProxyError,
        httpx.UnsupportedProtocol,
        httpx.ReadError,
    ):
        error = connection_error(kind("low-level words"), asked)
        assert error.code == "unreachable"
        assert "low-level" in error.detail
        assert "low-level" not in str(error)
        assert str(error).endswith(".")


def test_a_certificate_or_a_name_that_is_wrong_is_told_apart() -> None:
    import socket
    import ssl

    import httpx

    asked = Asked("Acme", base_url="https://acme.example/v1")
    said = {}
    for cause in (ssl.SSLCertVerificationError("x"), ssl.SSLError("x"), socket.gaierror("x"), ConnectionRefusedError()):
        error = httpx.ConnectError("all failed")
        error.__cause__ = ExceptionGroup("several", [OSError("x"), cause])
        said[type(cause).__name__] = str(connection_error(error, asked))
    assert "certificate" in said["SSLCertVerificationError"]
    assert "plain http" in said["SSLError"]
    assert "not found" in said["gaierror"]
    assert "refuses" in said["ConnectionRefusedError"]


def test_a_known_key_and_what_looks_like_one_leave_no_log_record() -> None:
    remember_key("my own odd key")
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(KeyFilter())
    logger = logging.getLogger("tests.redaction")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        logger.warning("sent %s and %s", "my own odd key", {"Authorization": "Bearer abcdefgh1234"})
        try:
            raise ValueError("sk-abcdefghijkl")
        except ValueError:
            logger.exception("failed with x-api-key: %s", "qwertyuiop")
    finally:
        logger.removeHandler(handler)
    written = stream.getvalue()
    for secret in ("odd key", "abcdefgh", "qwerty"):
        assert secret not in written
    assert "ValueError" in written


def test_ordinary_text_is_not_hidden() -> None:
    text = "The task-oriented key idea: risk-averse tokens, sk-8 and Bearer of news."
    assert redacted(text) == text


def test_many_requests_at_once_make_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    from sam_py.providers import http as module

    made = []
    new_client = module._new_client
    monkeypatch.setattr(module, "_new_client", lambda: made.append(1) or new_client())

    async def main() -> None:
        http = module.Http()
        await asyncio.gather(*(http.warm_up() for _ in range(5)))
        await http.aclose()

    asyncio.run(main())
    assert len(made) == 1
