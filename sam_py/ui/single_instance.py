"""SingleInstance: one program per data folder; a second start raises the first one's window instead."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import sys
import time
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

_PATIENCE_S = 1.5
_LOOK_AGAIN_S = 0.03
_DONE = b"raised\n"


class SingleInstance(QObject):
    """Holds the lock of a data folder as long as it lives.

    The lock file lies in the machine's own state folder, never in the data folder: one that a sync
    program copies from another computer would block the program for ever. The system itself takes the
    lock back when the program dies, however it dies: there is no stale lock.
    """

    raise_requested = Signal()

    def __init__(self, data: Path, state: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        name = "sam-py-" + hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]
        self._name = name
        self._lock = _Lock(state / f"{name}.lock")
        self._server: QLocalServer | None = None

    def acquire(self) -> bool:
        """True where this is the first program on the folder; it then listens for the second."""
        if not self._lock.take():
            return False
        QLocalServer.removeServer(self._name)  # safe: the lock says that nobody else listens
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._greeted)
        if not server.listen(self._name):
            log.warning("a second start cannot raise this window: %s", server.errorString())
        self._server = server
        return True

    @property
    def holder(self) -> str:
        """The process number of the program that holds the lock; empty where it is not known."""
        return self._lock.holder

    def tell_first(self) -> Literal["raised", "silent", "gone"]:
        """Ask the program that holds the lock to show itself.

        ``silent``: it did not answer in 1.5 s. ``gone``: it has ended meanwhile, and the lock is ours.
        """
        end_s = time.monotonic() + _PATIENCE_S
        while (left_s := end_s - time.monotonic()) > 0:
            socket = QLocalSocket()
            socket.connectToServer(self._name)
            if socket.waitForConnected(_ms(left_s)):
                socket.write(b"raise\n")
                socket.waitForBytesWritten(_ms(end_s - time.monotonic()))
                # A program that hangs takes the words, too: only an answer says that the window was raised.
                if socket.bytesAvailable() or socket.waitForReadyRead(_ms(end_s - time.monotonic())):
                    return "raised"
            if self.acquire():
                return "gone"
            time.sleep(_LOOK_AGAIN_S)  # it has the lock but does not listen yet, or is about to end
        return "silent"

    def release(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.give_back()

    def _greeted(self) -> None:
        assert self._server is not None
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.write(_DONE)
            socket.flush()
        self.raise_requested.emit()


class _Lock:
    """A lock file. On POSIX flock(2), which ends with the process; Qt's own on Windows, where an open file is one.

    Qt's lock file on POSIX compares process numbers and host names: after a crash, a laptop that got another name,
    or another program with the number of ours, would be locked out until somebody deletes the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._qt: QLockFile | None = None
        self._fd: int | None = None

    @property
    def holder(self) -> str:
        try:
            return self._path.read_text(encoding="ascii", errors="replace").strip()[:20]
        except OSError:
            return ""

    def take(self) -> bool:
        if sys.platform == "win32":
            self._qt = QLockFile(str(self._path))
            self._qt.setStaleLockTime(0)
            return self._qt.tryLock(0)
        import fcntl

        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:  # a folder that cannot be written: two programs there can do no harm either
            log.warning("the lock %s cannot be made: %s", self._path, error)
            return True
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        except OSError as error:  # a file system without locks
            log.warning("the lock %s cannot be taken: %s", self._path, error)
        self._fd = fd
        with contextlib.suppress(OSError):  # a full disk: the number is only for the person to read
            os.ftruncate(fd, 0)
            os.pwrite(fd, str(os.getpid()).encode(), 0)
        return True

    def give_back(self) -> None:
        if self._qt is not None:
            self._qt.unlock()
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))
