"""SettingsFile: the settings on disk. They change at once in memory; a worker thread makes them durable."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sam_py.errors import SamError
from sam_py.messages.message import utc_now
from sam_py.settings.model import SCHEMA, ProviderSettings, Settings

log = logging.getLogger(__name__)

Listener = Callable[[Settings], None]


class SettingsFile:
    """The current settings, and the file that they are kept in.

    Invariants: `current` is valid; what `change` returned is either on disk, on its way there, or named
    in `save_error`; a file that was not understood whole is kept beside ours under another name.

    One thread (the loop's) calls everything here; only the writing happens on another.
    """

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = utc_now) -> None:
        self.path = path
        self._clock = clock
        self._listeners: list[Listener] = []
        self._problem_listeners: list[Callable[[SamError], None]] = []
        self._problems: list[str] = []
        self._good: bytes | None = None
        self._writer: ThreadPoolExecutor | None = None
        self._last: Future[None] | None = None
        # Written by the loop's thread and by the one that saves, respectively: neither can undo the other's.
        self._wanted: Settings | None = None
        self._saved: Settings | None = None
        self.save_error: SamError | None = None
        self.current = self._load()

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong with the file when it was read, in sentences for a person."""
        return tuple(self._problems)

    def change(self, change: Callable[[Settings], Settings]) -> Settings:
        """Put ``change(current)`` in place, tell the listeners, and hand it to the writer. Returns it.

        Costs microseconds: the file (about 2 kB) is written and synced on a worker thread. Several
        changes that come faster than the disk become one write.
        """
        changed = change(self.current)
        if changed == self.current:
            return changed
        self.current = changed
        for listener in tuple(self._listeners):
            try:
                listener(changed)
            except Exception:  # one broken listener must not keep the change from the others or from the disk
                log.exception("a listener failed on changed settings")
        self._save_soon(changed)
        return changed

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with the settings after each change; returns the function that ends it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    def on_problem(self, listener: Callable[[SamError], None]) -> None:
        """Call `listener` when a save failed: on the loop that ran at the time of the change, if one did."""
        self._problem_listeners.append(listener)

    def flush(self) -> None:
        """Wait until the last change is on disk. Raises the `SamError` that kept it from there. Blocks."""
        if self._last is not None:
            self._last.result()
        if self._saved is not self._wanted:
            self._write_latest(tell=False)
        if self.save_error is not None:
            raise self.save_error

    def close(self) -> None:
        """Write what is not written and end the worker. Raises like `flush`."""
        try:
            self.flush()
        finally:
            if self._writer is not None:
                self._writer.shutdown()
                self._writer = None

    # Reading

    def _load(self) -> Settings:
        raw = self._read(self.path)
        if raw is not None:
            settings = self._parse(raw)
            if settings is not None:
                self._good = raw
                return settings
        backup = self._read(self.backup)
        if backup is not None:
            settings = _validated(_object(backup) or {})
            if settings is not None:
                self._good = backup
                if raw is not None:
                    self._problems.append("The settings as they were before the last change are in use.")
                return settings
        if raw is not None:
            self._problems.append("The program starts with its standard settings.")
        return Settings()

    @property
    def backup(self) -> Path:
        """The last good settings before the current ones."""
        return self.path.with_name(self.path.name + ".bak")

    def _read(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._problems.append(
                f"The settings file {path} could not be read ({_reason(error)}). "
                "Check who may read it, then start the program again."
            )
            return None

    def _parse(self, raw: bytes) -> Settings | None:
        """The settings that `raw` holds; what had to be left out is kept aside and said. None: nothing usable."""
        values = _object(raw)
        if values is None:
            kept = self._keep_aside(raw)
            self._problems.append(f"The settings file was damaged. It is kept as {kept}.")
            return None
        version = values.get("schema_version", SCHEMA)
        if not isinstance(version, int) or version > SCHEMA:
            kept = self._keep_aside(raw)
            self._problems.append(
                f"The settings were written by a newer version of the program. What this version understands "
                f"is in use; the original is kept as {kept}."
            )
            values = {**values, "schema_version": SCHEMA}
        settings = _validated(values)
        if settings is not None:
            return _with_current_addresses(settings)
        settings, reset = _salvaged(values)
        kept = self._keep_aside(raw)
        names = ", ".join(reset)
        self._problems.append(
            f"Some settings were not usable and have their standard values again: {names}. "
            f"The original file is kept as {kept}."
        )
        return _with_current_addresses(settings)

    def _keep_aside(self, raw: bytes) -> str:
        """Keep a copy of the file under a name of its own; returns that name."""
        stamp = self._clock().strftime("%Y%m%d-%H%M%S")
        name = f"{self.path.name}.damaged-{stamp}"
        for number in range(2, 1000):
            aside = self.path.with_name(name)
            try:
                if aside.exists() and aside.read_bytes() == raw:
                    return name
                _write_new(aside, raw)
            except FileExistsError:
                name = f"{self.path.name}.damaged-{stamp}-{number}"
            except OSError as error:
                log.warning("a copy of the settings could not be kept: %s", error)
                return f"{self.path.name} until the next change ({_reason(error)})"
            else:
                return name
        return self.path.name

    # Writing

    def _save_soon(self, settings: Settings) -> None:
        self._wanted = settings
        if self._writer is None:
            # Not a daemon: the interpreter waits for it at exit, so that a change made last is not lost.
            self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="settings")
        self._last = self._writer.submit(self._write_latest, _running_loop())

    def _write_latest(self, loop: asyncio.AbstractEventLoop | None = None, *, tell: bool = True) -> None:
        settings = self._wanted
        if settings is None or settings is self._saved:  # an earlier call wrote it already
            return
        content = json.dumps(settings.model_dump(mode="json"), ensure_ascii=False, indent=2).encode() + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._good is not None and self._good != content:
                write_atomically(self.backup, self._good)
            write_atomically(self.path, content)
        except OSError as error:
            self.save_error = SamError(
                f"The settings could not be saved in {self.path.parent} ({_reason(error)}). They hold until you "
                "quit; make room or allow writing there, then change any setting to save again.",
                detail=repr(error),
            )
            log.warning("settings not saved: %s", error)
            if tell:
                self._tell(self.save_error, loop)
            return
        self._good = content
        self.save_error = None
        self._saved = settings

    def _tell(self, problem: SamError, loop: asyncio.AbstractEventLoop | None) -> None:
        for listener in tuple(self._problem_listeners):
            if loop is None:
                listener(problem)
            else:
                with suppress(RuntimeError):  # the loop has closed: nobody is left to be told
                    loop.call_soon_threadsafe(listener, problem)


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content`, readable by its owner alone: after a crash it is the old or the new, whole.

    Writes a neighbour, syncs it, renames it over `path` and syncs the folder. Raises OSError.
    """
    neighbour = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        _write_new(neighbour, content, overwrite=True)
        os.replace(neighbour, path)
    except OSError:
        with suppress(OSError):
            neighbour.unlink()
        raise
    if os.name == "posix":  # Windows cannot open a folder to sync it
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write_new(path: Path, content: bytes, *, overwrite: bool = False) -> None:
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if overwrite else os.O_EXCL) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        values = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _validated(values: dict[str, Any]) -> Settings | None:
    try:
        return Settings.model_validate(values)
    except ValidationError:
        return None


def _with_current_addresses(settings: Settings) -> Settings:
    """Ollama was once spoken to as an OpenAI-compatible server, at ``/v1``; its own protocol begins at the host."""

    def current(account: ProviderSettings) -> ProviderSettings:
        address = account.base_url.rstrip("/")
        if account.preset != "ollama" or not address.endswith("/v1"):
            return account
        return account.model_copy(update={"base_url": address.removesuffix("/v1")})

    providers = tuple(current(account) for account in settings.providers)
    return settings if providers == settings.providers else settings.model_copy(update={"providers": providers})


def _salvaged(values: dict[str, Any]) -> tuple[Settings, list[str]]:
    """The settings without the values that do not fit, and the names of those."""
    values = json.loads(json.dumps(values))
    reset: list[str] = []
    for _ in range(200):
        try:
            return Settings.model_validate(values), reset
        except ValidationError as error:
            place = error.errors(include_input=False, include_url=False)[0]["loc"]
            reset.append(".".join(str(step) for step in place))
            _remove(values, place)
    return Settings(), reset


def _remove(values: dict[str, Any], place: tuple[int | str, ...]) -> None:
    """Take out the value at `place`; where it is required or not there, what holds it."""
    holders: list[tuple[Any, int | str]] = []
    holder: Any = values
    for step in place:
        holders.append((holder, step))
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            break
    while holders:
        holder, step = holders.pop()
        if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
            del holder[step]
            return
        if isinstance(holder, dict) and step in holder:
            del holder[step]
            return
    values.clear()


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
