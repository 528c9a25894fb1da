"""Why llama.cpp ended by itself, from what it wrote. Pure."""

from __future__ import annotations

import re
from pathlib import Path

from sam_py.providers.errors import ProviderError

_BAD_WORDS = re.compile(r"error|failed|unable|cannot|couldn't|not enough|out of memory", re.IGNORECASE)
_MEMORY_WORDS = re.compile(
    r"(failed|unable|cannot) (to )?allocate|out of memory|bad_alloc|not enough memory", re.IGNORECASE
)
_KILLED = (-9, 137, 247)
"""Exit codes of what the system ended, its own and as the host passes it on: Linux does so when memory is full."""
_LOG_PREFIX = re.compile(r"^(\d[\d.]* )?([A-Z] )?(\w+:\s+)?(error loading model: )?")
"""Time, level and function in front of a line of llama.cpp's log, and what we say ourselves."""


def breakdown(file: Path, words: str, exit_code: int | None, *, was_loaded: bool = False) -> ProviderError:
    """`words` is the end of what it wrote.

    >>> print(breakdown(Path("a.gguf"), "E load: unable to allocate CPU buffer", 1))
    There is not enough memory for a.gguf. Close other programs, or choose a smaller model.
    """
    reason = _reason(words, newest=was_loaded)
    if exit_code in _KILLED or _MEMORY_WORDS.search(words):
        text = f"There is not enough memory for {file.name}. Close other programs, or choose a smaller model."
    else:
        failed = f"{'stopped working with' if was_loaded else 'could not load'} {file.name}"
        text = f"llama.cpp {failed}{f': {reason}' if reason else ''}. Try another file of the model."
    return ProviderError(text, code="no_model", detail=words, retryable=True)


def _reason(words: str, *, newest: bool) -> str:
    """The first line that says what went wrong, or the newest one, without llama.cpp's time, level and function."""
    lines = words.splitlines()
    for line in reversed(lines) if newest else lines:
        if _BAD_WORDS.search(line):
            return _LOG_PREFIX.sub("", line.strip()).rstrip(".")[:200]
    return ""
