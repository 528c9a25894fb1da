"""What the command's exit code means."""

from __future__ import annotations

OK = 0
NOT_STARTED = 1
"""No display for the window; in ``doctor``, a check that failed."""
USAGE = 2
NO_CONNECTION = 3
KEY_REFUSED = 4
PROVIDER_ERROR = 5
INTERRUPTED = 130

_BY_ERROR = {"unreachable": NO_CONNECTION, "bad_key": KEY_REFUSED, "no_key": KEY_REFUSED}


def for_error(code: str) -> int:
    """The exit code for the code of an `ErrorOccurred`.

    >>> for_error("bad_key"), for_error("rate_limited")
    (4, 5)
    """
    return _BY_ERROR.get(code, PROVIDER_ERROR)
