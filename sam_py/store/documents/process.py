"""Extraction: one file read in a process of its own, which is ended when it takes too long or nobody waits any more."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

from sam_py.errors import SamError
from sam_py.messages.documents import Document, DocumentKind, document_of
from sam_py.store.documents.limits import MEMORY_EXIT, TIME_S, Tell

log = logging.getLogger(__name__)

_LONGEST_LINE = 128 * 1024 * 1024


class DocumentError(SamError):
    """A file whose text cannot be taken out.

    `reason`: ``password``, ``protected``, ``damaged``, ``bomb``, ``memory``, ``time``, ``crash``, ``missing`` or
    ``cancel``.
    """

    def __init__(self, message: str, *, reason: str, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.reason = reason


class Extraction:
    """Reads the file at `path`; `run` blocks for up to a minute, `cancel` may be called from any thread."""

    def __init__(self, path: Path, kind: DocumentKind, name: str, *, time_s: float = TIME_S) -> None:
        self._path = path
        self._kind = kind
        self._name = name
        self._time_s = time_s
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ended_by = ""
        """Why we ended the process: ``cancel`` or ``time``."""

    def run(self, tell: Tell | None = None) -> Document:
        """The document. `tell(done, total)` is called on this thread. Raises `DocumentError`."""
        with self._lock:
            if self._ended_by:
                raise self._error("cancel")
            self._process = self._started()
        process = self._process
        timer = threading.Timer(self._time_s, self._end, ("time",))
        timer.daemon = True
        timer.start()
        try:
            said = self._answer(process, tell)
        finally:
            timer.cancel()
            self._end("")
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.wait()
        if said is None:
            raise self._error(self._ended_by or _reason_of(process.returncode), f"exit code {process.returncode}")
        if "document" not in said:
            raise self._error(str(said.get("failed")), str(said.get("detail", "")))
        return document_of(str(said["document"]).encode())

    def cancel(self) -> None:
        """End the process at once; `run` raises."""
        self._end("cancel")

    def _end(self, why: str) -> None:
        with self._lock:
            self._ended_by = self._ended_by or why
            if self._process is not None and self._process.poll() is None:
                self._process.kill()

    def _started(self) -> subprocess.Popen[bytes]:
        from sam_py import workers  # the start does not need it

        # One thread's heap: each further one would take 64 MB of the address space that is all it may have.
        environ = workers.environ() | {"MALLOC_ARENA_MAX": "2"}
        command = workers.command("document", self._kind, str(self._path))
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        try:
            return subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environ,
                creationflags=flags,
            )
        except OSError as error:
            raise self._error("crash", repr(error)) from error

    def _answer(self, process: subprocess.Popen[bytes], tell: Tell | None) -> dict[str, Any] | None:
        """The last line of the process; None where it ended without."""
        assert process.stdout is not None
        while line := process.stdout.readline(_LONGEST_LINE):
            try:
                said = json.loads(line)
            except ValueError:  # cut off: it was ended while it wrote
                return None
            if "done" not in said:
                return dict(said)
            if tell is not None:
                tell(int(said["done"]), int(said["total"]))
        return None

    def _error(self, reason: str, detail: str = "") -> DocumentError:
        if reason not in ("cancel", "password", "protected"):
            log.warning("a %s could not be read (%s): %s", self._kind, reason, detail)
        sentence = _SENTENCES.get(reason, _SENTENCES["crash"])
        return DocumentError(sentence.replace("{name}", self._name), reason=reason, detail=detail)


_SENTENCES = {
    "cancel": "“{name}” was not read to its end.",
    "password": "“{name}” is protected by a password: save it without one and attach that.",
    "protected": "“{name}” is protected against copying, so its text cannot be read.",
    "damaged": "“{name}” is damaged or not what its name says: open it in its own program and save it again.",
    "bomb": "“{name}” unpacks to far more than a document holds and was not opened. Attach it only as a PDF.",
    "memory": "“{name}” needs too much memory: attach a part of it.",
    "time": "“{name}” took longer than a minute to read: attach a part of it.",
    "crash": "“{name}” made its reader fail: open it in its own program, save it again, or attach it as a PDF.",
}


def _reason_of(code: int) -> str:
    """Why a process may have ended so that said nothing."""
    if code == MEMORY_EXIT:
        return "memory"
    if os.name == "posix" and code == -signal.SIGXCPU:
        return "time"
    return "crash"
