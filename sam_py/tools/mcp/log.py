"""ServerLog: what a server writes to its standard error, in a file of bounded size."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path

log = logging.getLogger(__name__)

LARGEST_BYTES = 512_000
"""Of one file; the one before it is kept beside it, so twice that on disk."""
_LONGEST_LINE = 16_000
_LAST_WORDS = 1_000


class ServerLog:
    """Keeps lines, readable by their owner alone. Secrets that the server was given are blotted out.

    A file that cannot be written costs the log, never the server.
    """

    def __init__(self, path: Path | None, secrets: Iterable[str] = (), largest_bytes: int = LARGEST_BYTES) -> None:
        self.path = path
        self._secrets = [secret.encode() for secret in secrets if len(secret) >= 6]
        self._largest = largest_bytes
        self._line = b""
        self._last = b""
        self._fd: int | None = None
        self._size = 0
        if path is not None:
            self._open(path)

    @property
    def last_words(self) -> str:
        """The end of what was written in this run."""
        return self._blotted(self._last + self._line).decode("utf-8", "replace").strip()[-_LAST_WORDS:]

    def write(self, chunk: bytes) -> None:
        *lines, rest = (self._line + chunk).split(b"\n")
        while len(rest) > _LONGEST_LINE:
            lines.append(rest[:_LONGEST_LINE])
            rest = rest[_LONGEST_LINE:]
        self._line = rest
        if lines:
            self._keep(b"\n".join(lines) + b"\n")

    def close(self) -> None:
        if self._line:
            self._keep(self._line + b"\n")
            self._line = b""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _keep(self, content: bytes) -> None:
        content = self._blotted(content)
        self._last = (self._last + content)[-_LAST_WORDS * 4 :]
        if self._fd is None:
            return
        try:
            if self._size + len(content) > self._largest and self.path is not None:
                os.close(self._fd)
                self._fd = None
                os.replace(self.path, self.path.with_name(self.path.name + ".1"))
                self._open(self.path)
            if self._fd is not None:
                self._size += os.write(self._fd, content[-self._largest :])
        except OSError as error:
            log.warning("the log of a server could not be written: %s", error)

    def _blotted(self, content: bytes) -> bytes:
        for secret in self._secrets:
            content = content.replace(secret, b"[secret]")
        return content

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._size = os.fstat(self._fd).st_size
        except OSError as error:
            log.warning("the log of a server could not be opened: %s", error)
