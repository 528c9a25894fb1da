"""From what a server said to a `ProviderError` that a person can act on. Pure."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from sam_py.providers.error_body import SHOWN, ErrorBody, error_of, plain, read_error
from sam_py.providers.errors import Code, ProviderError

__all__ = [
    "Asked",
    "ErrorBody",
    "cut_off",
    "error_of",
    "not_the_protocol",
    "read_error",
    "said_error",
    "status_error",
    "too_large",
    "too_slow",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom was asked for what: the names that an error's words need."""

    label: str
    model: str = ""
    base_url: str = ""
    local_program: str = ""
    """The program to start where nothing answers ("LM Studio"); empty for a service on the internet."""
    with_key: bool = True
    """Whether a key was sent."""


_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context (size|length|window)|prompt(_| is | )too(_| )long|"
    r"exceed context limit|too_many_prompt_tokens|length of all messages is too long|too many (input )?tokens|"
    r"token limit|exceeds the maximum (number of|allowed) (input )?tokens|maximum context length|"
    r"reduce the length of the|(input|request|prompt|conversation) (\(\d+ tokens\) )?(is )?too (long|large)|"
    r"too large for model with"
)
_NO_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|invalid_model|models?\b[^\n]{0,80}?(does )?not (exist|found)|"
    r"not a valid model|not_found_error model:|invalid model|unable to access model|no (such )?model|no models? loaded"
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient (balance|credits|funds)|exceeded your current quota|billing|"
    r"spend(ing)? (limit|cap)|credit balance|more credits|included credits|out of credits|payment required"
)
_FILTERED = re.compile(
    r"content_filter|content_policy|content (management|filtering) policy|responsible ai|safety system"
)
_KEY = re.compile(r"key|token|credential|auth|permission|forbidden|denied|account|^\s*$")
_BAD_KEY = re.compile(
    r"(invalid|incorrect|wrong|bad)[ _](api[ _]?)key|api[ _]key[ _](is )?(not valid|invalid|expired|incorrect)|"
    r"(missing|no) api key"
)
_NO_IMAGES = re.compile(
    r"(not|n't) support[^.]{0,30}(image|vision|multimodal)|not a multimodal|mmproj|that support image|"
    r"(image|vision|multimodal)[^.]{0,40}(not (support|enabled)|n't support)"
)
_CANNOT = re.compile(r"does not support (tools|thinking)")
_WHAT_IT_CANNOT = {"tools": "cannot use tools", "thinking": "cannot think before it answers"}


def status_error(status: int, body: bytes | str, asked: Asked, *, retry_after_s: float | None = None) -> ProviderError:
    """Return the error for an HTTP answer that is no success."""
    said = read_error(body)
    return said_error(said, asked, status=status, retry_after_s=retry_after_s)


def said_error(
    said: ErrorBody, asked: Asked, *, status: int | None = None, retry_after_s: float | None = None
) -> ProviderError:
    """Return the error for what a server said, in an error answer or inside a stream that had begun well."""
    meant = status if status is not None else _status_in(said)
    wait_s = said.retry_s if retry_after_s is None else retry_after_s
    code, message, retryable = _by_words(said, asked, meant) or _by_status(said, asked, meant, wait_s)
    detail = " · ".join(
        piece
        for piece in (
            f"HTTP {status}" if status else "",
            said.code if said.code != str(status) else "",
            said.type,
            said.message,
            said.raw,
            said.failed_generation,
        )
        if piece
    )
    return ProviderError(
        message,
        code=code,
        detail=detail,
        status=status,
        retryable=retryable,
        retry_after_s=wait_s,
        window_tokens=said.window_tokens if code == "too_long" else None,
        prompt_tokens=said.prompt_tokens if code == "too_long" else None,
    )


_Judged = tuple[Code, str, bool]
"""Code, words, and whether trying the same again may help."""


def _by_words(said: ErrorBody, asked: Asked, status: int | None) -> _Judged | None:
    """What the server's own words tell; they say more than the status, which differs from service to service."""
    words, quoted = said.words, _quoted(said)
    if _TOO_LONG.search(words) or status == 413:
        return "too_long", _too_long(said), False
    # Google says the same of a quota by the minute, but then also how long to wait.
    if status == 402 or (_NO_CREDIT.search(words) and said.retry_s is None):
        return (
            "no_credit",
            f"{asked.label} says that the account has no credit left{quoted} Top it up there, then try again.",
            False,
        )
    if _FILTERED.search(words):
        return (
            "refused",
            f"{asked.label} refused this request by its content rules{quoted} Rephrase it and try again.",
            False,
        )
    if status == 401 or (status in (None, 400) and _BAD_KEY.search(words)):
        return _refused_key(asked)
    if _NO_IMAGES.search(words):
        return (
            "bad_request",
            f"{_model(asked)} cannot see images{quoted} Choose another model or remove the image.",
            False,
        )
    if cannot := _CANNOT.search(words):
        return "bad_request", f"{_model(asked)} {_WHAT_IT_CANNOT[cannot[1]]}. Choose another model.", False
    if status == 403 and _KEY.search(words):
        return _refused_key(asked)
    if _NO_MODEL.search(words) or (status == 404 and asked.model and not said.message):
        return "no_model", f"{asked.label} does not offer {_model(asked, 'this model')}. Choose another model.", False
    return None


def _refused_key(asked: Asked) -> _Judged:
    if not asked.with_key:
        return "bad_key", f"{asked.label} wants a key. Open settings and enter it.", False
    return "bad_key", f"The key for {asked.label} was refused. Open settings and check it.", False


def _too_long(said: ErrorBody) -> str:
    advice = "Start a new one, or choose a larger model."
    if said.prompt_tokens and said.window_tokens:
        lengths = f"has {said.prompt_tokens:,} tokens, but the model takes {said.window_tokens:,}"
        return f"This conversation {lengths}. {advice}"
    return f"This conversation is longer than the model can take. {advice}"


def _by_status(said: ErrorBody, asked: Asked, status: int | None, wait_s: float | None) -> _Judged:
    quoted = _quoted(said)
    match status:
        case 404:
            address = asked.base_url or "that was asked"
            text = f"{asked.label} does not know the address {address}{quoted} Check the base URL in settings."
            return "bad_request", text, False
        case 429:
            then = f"Try again in {_duration(wait_s)}." if wait_s and wait_s >= 1 else "Wait a little and try again."
            return "rate_limited", f"{asked.label} is asked too often{quoted} {then}", True
        case 408 | 409 | 499:
            return "server", f"{asked.label} could not finish this request{quoted} Try again.", True
        case 529:
            return "server", f"{asked.label} is overloaded. Try again in a minute, or choose another model.", True
        case None:
            return "server", f"{asked.label} reported an error{quoted} Try again.", True
        case _ if status >= 500:
            return "server", f"{asked.label} has a fault (HTTP {status}){quoted} Try again in a moment.", True
        case _ if 300 <= status < 400:
            text = (
                f"{asked.label} answered with a redirect, which a key must not follow. Check the base URL in settings."
            )
            return "bad_response", text, False
    text = f"{asked.label} did not accept this request{quoted} Change the message or the model and try again."
    return "bad_request", text, False


def not_the_protocol(body: bytes | str, asked: Asked) -> ProviderError:
    """The error for an answer with status 200 that is neither a stream nor JSON (a web page, rubbish)."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return ProviderError(
        f"{asked.label} sent something that is not an answer of a model. Check the base URL in settings.",
        code="bad_response",
        detail=plain(text),
        retryable=True,
    )


def cut_off(asked: Asked, detail: str = "") -> ProviderError:
    """The error for a stream that ended before the reply did."""
    return ProviderError(
        f"The connection to {asked.label} broke before the reply was complete. Try again.",
        code="cut_off",
        detail=detail,
    )


def _duration(seconds: float) -> str:
    """
    >>> _duration(8.4), _duration(200), _duration(9000)
    ('9 s', '4 min', '3 h')
    """
    if seconds <= 90:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min" if seconds <= 5400 else f"{math.ceil(seconds / 3600)} h"


def too_slow(asked: Asked, detail: str = "") -> ProviderError:
    """The error for a server that took the request and did not answer within the time that is given it."""
    text = f"{asked.label} took the request but did not answer in time. Try again, or choose another model."
    return ProviderError(text, code="unreachable", detail=detail, retryable=False)


def too_large(asked: Asked) -> ProviderError:
    """The error for an answer, or a piece of one, that is larger than any can be."""
    text = f"{asked.label} sent a piece of the reply that is too large. Try again, or choose another model."
    return ProviderError(text, code="bad_response")


def _model(asked: Asked, otherwise: str = "This model") -> str:
    return f"“{asked.model}”" if asked.model else otherwise


def _quoted(said: ErrorBody) -> str:
    """What the server said as the rest of a sentence, with its full stop; a stop alone where it said nothing."""
    text = said.raw if said.raw and "returned error" in said.message.lower() else said.message
    text = " ".join(text.split())[:SHOWN].rstrip()
    if not text:
        return "."
    return f": {text}" if text[-1] in ".!?" else f": {text}."


def _status_in(said: ErrorBody) -> int | None:
    """The HTTP status that gateways put into `code` of an error inside a stream."""
    if not said.code.isdigit() or len(said.code) != 3:
        if "rate_limit" in said.words:
            return 429
        return 529 if "overloaded" in said.words else None
    return int(said.code)
