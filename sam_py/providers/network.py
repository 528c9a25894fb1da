"""What a broken connection means: words for each way not to get through."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, too_slow
from sam_py.providers.hosts import is_same_machine


def connection_error(error: BaseException, asked: Asked) -> ProviderError:
    """Return words for an exception of httpx that came before the first byte."""
    detail = f"{type(error).__name__}: {error}"
    causes = list(_causes(error))
    local = is_same_machine(asked.base_url)
    where = _place(asked.base_url) or asked.label
    name = type(error).__name__

    def unreachable(text: str, *, retryable: bool) -> ProviderError:
        return ProviderError(text, code="unreachable", detail=detail, retryable=retryable)

    if name in ("InvalidURL", "UnsupportedProtocol", "LocalProtocolError") or isinstance(
        error, UnicodeError | TypeError
    ):
        return unreachable(f"The address of {asked.label} is not one. Check the base URL in settings.", retryable=False)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        text = f"The certificate of {where} is not trusted, so nothing was sent. Check the base URL in settings."
        return unreachable(text, retryable=False)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        text = f"No secure connection to {where}: it may speak plain http. Check the base URL in settings."
        return unreachable(text, retryable=False)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        text = f"The host {where} was not found. Check the internet connection and the base URL in settings."
        return unreachable(text, retryable=True)
    if any(isinstance(c, ConnectionRefusedError) or getattr(c, "errno", 0) == errno.ECONNREFUSED for c in causes):
        if local:  # nothing starts to listen within a second: trying again would only delay the news
            program = asked.local_program or "the server"
            return unreachable(f"Nothing answers at {_root(asked.base_url)}. Is {program} running?", retryable=False)
        return unreachable(
            f"{where} refuses connections. Check the base URL in settings, or try again.", retryable=True
        )
    if name == "ReadTimeout":
        return too_slow(asked, detail)
    if name in ("ConnectTimeout", "TimeoutError", "PoolTimeout", "WriteTimeout"):
        return unreachable(f"{where} did not answer in time. Check the connection and try again.", retryable=True)
    if name == "ProxyError":
        return unreachable(
            f"The proxy did not let {where} through. Check the system's proxy settings.", retryable=False
        )
    if name in ("RemoteProtocolError", "ReadError", "WriteError"):
        return unreachable(f"{asked.label} closed the connection without an answer. Try again.", retryable=True)
    return unreachable(f"No connection to {where}. Check the internet connection and try again.", retryable=True)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """`error` and all that led to it, inside exception groups too."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__cause__, cause.__context__]
        if isinstance(cause, BaseExceptionGroup):
            waiting += cause.exceptions


def _place(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def _root(url: str) -> str:
    return f"{urlsplit(url).scheme}://{_place(url)}"
