"""What goes wrong with a reply, as the error that a person sees at a message."""

from __future__ import annotations

from sam_py.errors import SamError
from sam_py.messages.history import ErrorOccurred
from sam_py.messages.message import StopReason
from sam_py.providers.base import Finished
from sam_py.providers.errors import ProviderError

_ACTIONS = {"bad_key": "settings", "no_credit": "settings", "no_model": "settings", "unreachable": "settings"}
_EMPTY_REPLY: dict[StopReason, tuple[str, str]] = {
    "length": ("too_long", "The reply reached its maximum length before its first word. Raise it or try again."),
    "refusal": ("refused", "The model declined to answer this. Put it another way or choose another model."),
    "content_filter": ("refused", "The provider's content filter held the reply back. Put it another way."),
}


class RequestError(SamError):
    """Trouble before the request left; `code` as in `ErrorOccurred`."""

    def __init__(self, error: SamError, code: str) -> None:
        super().__init__(str(error), detail=error.detail)
        self.code = code


def error_at(message_id: str | None, error: Exception) -> ErrorOccurred:
    """`error` as it is shown at a message; what is not a SamError is our bug and called so."""
    if not isinstance(error, SamError):
        return ErrorOccurred(
            message_id=message_id,
            code="internal",
            text="Something went wrong inside the program. Your messages are kept; try again.",
            detail=f"{type(error).__name__}: {error}",
        )
    code = error.code if isinstance(error, ProviderError | RequestError) else "request"
    return ErrorOccurred(
        message_id=message_id,
        code=code,
        text=str(error),
        detail=error.detail,
        retryable=error.retryable if isinstance(error, ProviderError) else True,
        action=_ACTIONS.get(code, ""),
    )


def ended_badly(message_id: str, finished: Finished) -> ErrorOccurred:
    """What to show for a stream that ended by the rules but with an error, or without a word."""
    if finished.stop_reason == "error":
        code, text = "server", "The provider broke the reply off. Try again."
    else:
        empty = ("bad_response", "The model's reply was empty. Try again.")
        code, text = _EMPTY_REPLY.get(finished.stop_reason, empty)
    return ErrorOccurred(message_id=message_id, code=code, text=text, detail=finished.detail)
