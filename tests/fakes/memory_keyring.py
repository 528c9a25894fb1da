"""MemoryKeyring: a system keyring in a dictionary, that can be locked, hang, or be told what to raise."""

from __future__ import annotations

import threading

import keyring.errors


class MemoryKeyring:
    """Behaves like `keyring.backend.KeyringBackend` as far as `Secrets` uses one.

    Use as ``Secrets(..., backend=lambda: memory_keyring)``.
    """

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.raises: Exception | None = None
        self.calls = 0
        self._answers = threading.Event()
        self._answers.set()

    def lock(self) -> None:
        self.raises = keyring.errors.KeyringLocked("locked")

    def unlock(self) -> None:
        self.raises = None

    def hang(self) -> None:
        """Every call blocks until `answer`."""
        self._answers.clear()

    def answer(self) -> None:
        self._answers.set()

    def get_password(self, service: str, username: str) -> str | None:
        self._enter()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._enter()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._enter()
        if (service, username) not in self.entries:
            raise keyring.errors.PasswordDeleteError("not found")
        del self.entries[service, username]

    def _enter(self) -> None:
        self.calls += 1
        self._answers.wait()
        if self.raises is not None:
            raise self.raises
