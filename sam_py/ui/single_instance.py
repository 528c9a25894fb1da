"""SingleInstance: one program per data folder; a second start raises the first one's window instead."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

log = logging.getLogger(__name__)

_WAIT_MS = 1000


class SingleInstance(QObject):
    """Holds the lock of a data folder as long as it lives.

    The lock file lies in the machine's own state folder, never in the data folder: one that a sync
    program copies from another computer would block the program for ever.
    """

    raise_requested = Signal()

    def __init__(self, data: Path, state: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        name = "sam-py-" + hashlib.sha256(str(data.resolve()).encode()).hexdigest()[:16]
        self._name = name
        self._lock = QLockFile(str(state / f"{name}.lock"))
        self._lock.setStaleLockTime(0)
        self._server: QLocalServer | None = None

    def acquire(self) -> bool:
        """True where this is the first program on the folder; it then listens for the second."""
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(self._name)  # safe: the lock says that nobody else listens
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._greeted)
        if not server.listen(self._name):
            log.warning("a second start cannot raise this window: %s", server.errorString())
        self._server = server
        return True

    def tell_first(self) -> bool:
        """Ask the program that holds the lock to show itself. False where it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_WAIT_MS):
            return False
        socket.write(b"raise\n")
        told = socket.waitForBytesWritten(_WAIT_MS)
        socket.disconnectFromServer()
        return told

    def release(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.unlock()

    def _greeted(self) -> None:
        assert self._server is not None
        socket = self._server.nextPendingConnection()
        if socket is not None:
            socket.disconnected.connect(socket.deleteLater)
        self.raise_requested.emit()
