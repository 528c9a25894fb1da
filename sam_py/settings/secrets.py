"""Secrets: the providers' keys, in the system's keyring, in memory or in the environment; never in a file of ours.

A key belongs to the address (scheme, host, port) that it was entered for and is given out for no other.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from sam_py.errors import SamError

log = logging.getLogger(__name__)
T = TypeVar("T")

SERVICE = "sam-py"
IN_MEMORY = "Kept in memory until you quit."
LIMIT_S = 5.0
_AGAIN_S = 0.25
"""How long to wait for an answer that did not come within the limit before: who needs no key goes on soon."""

SAFE_BACKENDS = frozenset(
    {
        "keyring.backends.SecretService",
        "keyring.backends.libsecret",
        "keyring.backends.kwallet",
        "keyring.backends.macOS",
        "keyring.backends.Windows",
    }
)
"""Backends that encrypt. `keyring` would also choose a plaintext file where `keyrings.alt` is installed."""

ENVIRONMENT = {
    "https://api.openai.com:443": "OPENAI_API_KEY",
    "https://api.anthropic.com:443": "ANTHROPIC_API_KEY",
    "https://generativelanguage.googleapis.com:443": "GEMINI_API_KEY",
    "https://openrouter.ai:443": "OPENROUTER_API_KEY",
    "https://api.mistral.ai:443": "MISTRAL_API_KEY",
    "https://api.groq.com:443": "GROQ_API_KEY",
    "https://api.deepseek.com:443": "DEEPSEEK_API_KEY",
    "https://api.x.ai:443": "XAI_API_KEY",
    "https://api.together.xyz:443": "TOGETHER_API_KEY",
    "https://api.fireworks.ai:443": "FIREWORKS_API_KEY",
    "https://api.cerebras.ai:443": "CEREBRAS_API_KEY",
    "https://api.perplexity.ai:443": "PERPLEXITY_API_KEY",
    "https://api.z.ai:443": "ZAI_API_KEY",
    "https://api.minimax.io:443": "MINIMAX_API_KEY",
    "https://api.moonshot.ai:443": "MOONSHOT_API_KEY",
    "https://models.github.ai:443": "GITHUB_TOKEN",
    "https://router.huggingface.co:443": "HF_TOKEN",
}
"""The variables that the makers' own tools read. By address, so that a changed address gets no key."""

_AROUND = " \t\r\n\u00a0\u200b\u2028\u2029\ufeff\"'`\u201c\u201d\u2018\u2019,;"
_NAMED = re.compile(
    r"(?:(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*(?:KEY|TOKEN)\s*[=:]|(?:Authorization:\s*)?Bearer\s)(.*)$", re.S
)
"""How a key stands in a shell's file and in a header."""
_LONGEST_KEY = 8_000
"""Some tokens are signed documents of a few kilobytes."""

Source = Literal["keyring", "session", "environment", "missing"]


@dataclass(frozen=True, slots=True)
class Secret:
    """A key and where it is. `value` is None where there is none; `text` says where it is, or why not."""

    value: SecretStr | None
    source: Source
    text: str

    def reveal(self) -> str | None:
        return self.value.get_secret_value() if self.value is not None else None


class KeyringUnavailableError(SamError):
    """The system's keyring cannot be used; `str()` says why."""


class Backend(Protocol):
    """What we use of a `keyring.backend.KeyringBackend`."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Bound:
    """A key with the origin that it was entered for."""

    key: SecretStr
    origin: str

    def packed(self) -> str:
        return json.dumps({"v": 1, "origin": self.origin, "key": self.key.get_secret_value()})


class Secrets:
    """The keys by provider id. Everything is awaited on one loop; the keyring is asked on daemon threads.

    Invariants: a key leaves only for the origin it was entered for; a keyring that hangs holds up
    neither the window (`limit_s`) nor quitting (daemon threads); `repr` shows no key.
    """

    def __init__(
        self,
        base_url_of: Callable[[str], str],
        *,
        limit_s: float = LIMIT_S,
        backend: Callable[[], Backend] | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """`base_url_of(provider_id)` is the address in the settings now ("" where there is none)."""
        self._base_url_of = base_url_of
        self._limit_s = limit_s
        self._backend = backend or system_backend
        self._environ = environ
        self._session: dict[str, _Bound] = {}
        self._cache: dict[str, _Bound | None] = {}
        self._pending: dict[str, Future[_Bound | None]] = {}
        self._late: set[str] = set()
        self._epochs: Counter[str] = Counter()

    async def get(self, provider_id: str) -> Secret:
        """The provider's key for its present address. Never raises for a keyring that cannot be used."""
        origin = origin_of(self._base_url_of(provider_id))
        if bound := self._session.get(provider_id):
            return _given(bound, origin, "session", IN_MEMORY)
        bound = self._cache.get(provider_id)
        why = "No key is stored."
        if provider_id not in self._cache:
            asked_in = self._epochs[provider_id]
            try:
                bound = await self._load(provider_id)
            except KeyringUnavailableError as error:
                why = str(error)
            else:
                if asked_in == self._epochs[provider_id]:
                    self._cache[provider_id] = bound
                else:  # meanwhile it was set or deleted: what was read is not so any more
                    return await self.get(provider_id)
        if bound is not None:
            secret = _given(bound, origin, "keyring", "Kept in the system keyring.")
            if secret.value is not None:
                return secret
            why = secret.text
        variable = environment_variable(provider_id, origin)
        if value := self._environ.get(variable, "").strip():
            return Secret(SecretStr(value), "environment", f"Taken from the environment variable {variable}.")
        return Secret(None, "missing", why)

    async def key_of(self, provider_id: str) -> str | None:
        """The bare key, for the provider registry."""
        return (await self.get(provider_id)).reveal()

    async def set(self, provider_id: str, key: str, base_url: str | None = None) -> Secret:
        """Keep `key` for the provider's address: in the keyring or, where that fails, in memory until quit.

        `base_url` is the address to bind it to where the settings do not have it yet. The result says
        where the key is now. Raises `SamError` for an empty key or one that cannot be sent in a header.
        """
        key = cleaned_key(key)
        origin = origin_of(self._base_url_of(provider_id) if base_url is None else base_url)
        return await self._kept(provider_id, _Bound(SecretStr(key), origin))

    async def _kept(self, provider_id: str, bound: _Bound) -> Secret:
        """Put a key into the keyring, and keep it in memory where that fails."""
        self._forget(provider_id)
        self._session[provider_id] = bound  # at once: a request sent meanwhile has it
        try:
            await self._run(lambda: self._backend().set_password(SERVICE, provider_id, bound.packed()))
        except KeyringUnavailableError as error:
            return Secret(bound.key, "session", f"{IN_MEMORY} {error}")
        if self._session.get(provider_id) is bound:
            del self._session[provider_id]
            self._cache[provider_id] = bound
        return Secret(bound.key, "keyring", "Kept in the system keyring.")

    async def keep_in_keyring(self, provider_id: str) -> Secret:
        """Try again to put a key that is only in memory into the keyring. Says where it is now."""
        bound = self._session.get(provider_id)
        if bound is None:
            return await self.get(provider_id)
        return await self._kept(provider_id, bound)

    async def delete(self, provider_id: str) -> None:
        """Forget the provider's key everywhere. Raises `KeyringUnavailableError` if the keyring may still have it."""
        self._session.pop(provider_id, None)
        self._forget(provider_id)

        def work() -> None:
            backend = self._backend()
            if backend.get_password(SERVICE, provider_id) is not None:
                backend.delete_password(SERVICE, provider_id)

        try:
            await self._run(work)
        finally:  # what was read while it was deleted
            self._forget(provider_id)

    async def state(self) -> str | None:
        """Why the keyring cannot be used, as a sentence; None where it answers."""
        try:
            await self._run(lambda: self._backend().get_password(SERVICE, "doctor"))
        except KeyringUnavailableError as error:
            return str(error)
        return None

    # The keyring

    def _forget(self, provider_id: str) -> None:
        """What was read, and what is being read, holds no longer."""
        self._cache.pop(provider_id, None)
        self._pending.pop(provider_id, None)
        self._late.discard(provider_id)
        self._epochs[provider_id] += 1

    async def _load(self, provider_id: str) -> _Bound | None:
        """Ask the keyring; where an earlier question is still open (a password prompt), wait for that one."""
        pending = self._pending.get(provider_id)
        if pending is None:
            pending = self._start(lambda: _unpacked(self._backend().get_password(SERVICE, provider_id)))
            self._pending[provider_id] = pending
        try:
            return await self._settled(pending, _AGAIN_S if provider_id in self._late else None)
        finally:
            self._late.add(provider_id)
            if pending.done():
                self._late.discard(provider_id)
                if self._pending.get(provider_id) is pending:
                    del self._pending[provider_id]

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._settled(self._start(work))

    def _start(self, work: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # a waiter that gives up does not cancel the question

        def answer() -> None:
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - it goes on to whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)

        # A daemon: a call that hangs on D-Bus has no time limit of its own and must not hold up quitting.
        threading.Thread(target=answer, name="keyring", daemon=True).start()
        return future

    async def _settled(self, future: Future[T], limit_s: float | None = None) -> T:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), limit_s or self._limit_s)
        except TimeoutError as error:
            raise KeyringUnavailableError(
                f"The system keyring did not answer in {self._limit_s:g} s; "
                "if a window asks for its password, answer it and try again."
            ) from error
        except KeyringUnavailableError:
            raise
        # A backend may raise anything. Its text is not shown: it may hold the key.
        except Exception as error:  # noqa: BLE001
            raise KeyringUnavailableError(_why(error)) from None


def system_backend() -> Backend:
    """The system's keyring, if it is one that encrypts. Blocks. Raises `KeyringUnavailableError`."""
    import keyring

    chosen = keyring.get_keyring()
    candidates = [chosen]
    if type(chosen).__module__.endswith(".chainer"):
        candidates = list(getattr(chosen, "backends", []))
    for backend in candidates:
        if type(backend).__module__ in SAFE_BACKENDS:
            return backend
    name = type(chosen).__module__
    if name.endswith((".fail", ".null", ".chainer")):
        raise KeyringUnavailableError("No system keyring is available.")
    raise KeyringUnavailableError(f"The keyring backend {name} does not protect keys and is refused.")


def cleaned_key(pasted: str) -> str:
    """The key in what a person pasted: without white space, quotes and what stands before it in a file or header.

    Raises `SamError` for what cannot be a key, without repeating it.

    >>> cleaned_key('export OPENAI_API_KEY="sk-abc"\\n'), cleaned_key("Bearer sk-abc")
    ('sk-abc', 'sk-abc')
    """
    key = pasted.strip(_AROUND)
    if named := _NAMED.match(key):
        key = named[1].strip(_AROUND)
    if not key:
        raise SamError("Enter a key first: there is nothing to keep.")
    if "://" in key:
        raise SamError("This is an address, not a key. Copy the key itself and paste it here.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SamError("This key holds spaces or characters that no key has. Copy it again and paste only the key.")
    if any(quote in key for quote in "\"'`"):
        raise SamError("This key holds quotation marks. Copy it again and paste only what stands between them.")
    if len(key) > _LONGEST_KEY:
        raise SamError("This is too long for a key. Copy it again and paste only the key.")
    return key


def origin_of(base_url: str) -> str:
    """Scheme, host and port of an address: what a key is bound to. "" where there is no host.

    >>> origin_of("https://API.example.com/v1"), origin_of("http://127.0.0.1:8080/v1")
    ('https://api.example.com:443', 'http://127.0.0.1:8080')
    """
    try:
        parts = urlsplit(base_url.strip())
        port = parts.port
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    return (
        f"{parts.scheme.lower()}://{parts.hostname}:{port or {'https': 443, 'http': 80}.get(parts.scheme.lower(), 0)}"
    )


def environment_variable(provider_id: str, origin: str) -> str:
    """The variable that may hold the provider's key: the maker's own, or one named after the id.

    >>> environment_variable("work", "https://api.openai.com:443"), environment_variable("my-llm", "")
    ('OPENAI_API_KEY', 'SAM_PY_KEY_MY_LLM')
    """
    return ENVIRONMENT.get(origin) or "SAM_PY_KEY_" + re.sub(r"[^A-Za-z0-9]", "_", provider_id).upper()


def _given(bound: _Bound, origin: str, source: Source, text: str) -> Secret:
    if bound.origin != origin:
        entered = bound.origin or "another address"
        return Secret(None, "missing", f"The key was entered for {entered}. Enter it again for the new address.")
    return Secret(bound.key, source, text)


def _unpacked(password: str | None) -> _Bound | None:
    """What `_Bound.packed` wrote; None for nothing, and for an entry that is not ours."""
    if not password:
        return None
    try:
        values = json.loads(password)
        return _Bound(SecretStr(values["key"]), values["origin"])
    except (ValueError, KeyError, TypeError):
        log.warning("an entry of the keyring is not in our form and is left alone")
        return None


def _why(error: BaseException) -> str:
    import keyring.errors

    if isinstance(error, keyring.errors.KeyringLocked):
        return "The system keyring is locked; unlock it and try again."
    if isinstance(error, keyring.errors.InitError):
        return "The system keyring could not be unlocked; unlock it and try again."
    if isinstance(error, keyring.errors.NoKeyringError):
        return "No system keyring is available."
    return f"The system keyring failed ({type(error).__name__})."
