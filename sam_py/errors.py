"""SamError: the world outside misbehaved, and ``str(error)`` is one sentence that a person understands."""

from __future__ import annotations


class SamError(Exception):
    """Expected trouble. `str()` says what happened and what to do; `detail` is for the curious.

    Anything that is not a SamError and reaches the top is a bug of ours.
    """

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class UnknownMessageError(SamError):
    """A message id that is not in this conversation."""

    def __init__(self, message_id: str) -> None:
        super().__init__(f"The message {message_id!r} is not in this conversation.")
        self.message_id = message_id
