"""ProviderError: what went wrong with a request, in words that a person can act on."""

from __future__ import annotations

from typing import Literal

from sam_py.errors import SamError
from sam_py.providers.redaction import redacted

Code = Literal[
    "unreachable",  # no connection, timeout before the first byte
    "bad_key",  # 401, 403
    "no_model",  # 404, model_not_found
    "rate_limited",  # 429
    "no_credit",  # 402, insufficient_quota
    "too_long",  # the request exceeds the model's window
    "refused",  # content filter on the prompt
    "bad_request",  # any other 4xx: our request was not understood
    "server",  # 5xx, overloaded
    "cut_off",  # the stream broke after it had begun
    "bad_response",  # what came is not the protocol
]


class ProviderError(SamError):
    """`str()` says what happened and what to do; `code` is for the window, `retry_after_s` as the server said.

    Of a request that is too long, `window_tokens` is what the model takes and `prompt_tokens` what was sent, where
    the server says it.
    """

    def __init__(
        self,
        message: str,
        *,
        code: Code,
        detail: str = "",
        status: int | None = None,
        retryable: bool = True,
        retry_after_s: float | None = None,
        window_tokens: int | None = None,
        prompt_tokens: int | None = None,
    ) -> None:
        super().__init__(redacted(message), detail=redacted(detail))  # servers repeat keys, in streams too
        self.code: Code = code
        self.status = status
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.window_tokens = window_tokens
        self.prompt_tokens = prompt_tokens
