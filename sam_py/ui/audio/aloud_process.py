"""AloudProcess: the one process that speaks aloud (`aloud_worker`), started when it is first told something."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from sam_py import workers
from sam_py.speech.base import SpeechError, Voice
from sam_py.ui.audio.aloud_words import no_answer, refusal

log = logging.getLogger(__name__)

IDLE_MS = 180_000
"""After so long without an order or news the process is ended."""
END_MS = 2_000
VOICES_S = 20.0
"""Speech Dispatcher takes two seconds for its list, four where it must be started."""
_ALSO = (
    *("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "WINDIR"),
    *("PATHEXT", "COMSPEC", "LANGUAGE", "LC_MESSAGES", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"),
    *("DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER", "PULSE_COOKIE", "PULSE_RUNTIME_PATH", "PIPEWIRE_REMOTE"),
    *("PIPEWIRE_RUNTIME_DIR", "SPEECHD_ADDRESS", "SPEECHD_PORT", "ESPEAK_DATA_PATH", "QT_PLUGIN_PATH"),
)


class AloudProcess(QObject):
    """A process that ended, or that was ended, is started anew with the next order."""

    told = Signal(dict)
    """What it says of a sentence: began, ended, failed."""
    ended = Signal()
    """It is not there any more, though nobody ended it."""

    def __init__(self, engine: str = "", parent: QObject | None = None) -> None:
        """`engine`: one of `QTextToSpeech.availableEngines()`; "" is the system's."""
        super().__init__(parent)
        self._arguments = [engine] if engine else []
        self._process: QProcess | None = None
        self._is_ready = False
        self._pauses = False
        self._rest = b""
        self._asking: list[asyncio.Future[Sequence[Voice]]] = []
        self._idle = QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.setInterval(IDLE_MS)
        self._idle.timeout.connect(self.end)

    @property
    def is_ready(self) -> bool:
        return self._is_ready

    @property
    def pauses(self) -> bool:
        """Whether it can hold a sentence and go on in it; known once it is ready."""
        return self._pauses

    @property
    def pid(self) -> int:
        """0 where none runs."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Does nothing where it runs."""
        if self._process is not None:
            return
        process = self._process = QProcess(self)
        environment = QProcessEnvironment()
        # A program without a window reads macOS's news of speech only with this event loop (qthread_unix.cpp).
        for name, value in (workers.environ(_ALSO) | {"QT_EVENT_DISPATCHER_CORE_FOUNDATION": "1"}).items():
            environment.insert(name, value)
        process.setProcessEnvironment(environment)
        process.setStandardErrorFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._refused)
        self._idle.start()
        program, *arguments = workers.command("aloud", *self._arguments)
        process.start(program, arguments)

    def send(self, order: dict[str, Any]) -> None:
        """An order of `aloud_worker`; one that only changes what is under way is dropped where no process runs."""
        if self._process is None:
            if "say" not in order and "voices" not in order:
                return
            self.start()
        self._idle.start()
        if self._process is not None:  # it may have failed to start
            self._process.write(json.dumps(order).encode() + b"\n")

    async def voices(self) -> Sequence[Voice]:
        """Raises `SpeechError`."""
        answer: asyncio.Future[Sequence[Voice]] = asyncio.get_running_loop().create_future()
        self._asking.append(answer)
        self.send({"voices": True})
        try:
            async with asyncio.timeout(VOICES_S):
                return await answer
        except TimeoutError as error:
            self.end()
            raise no_answer() from error

    def end(self) -> None:
        """Kill it; what it was saying is silent."""
        process, self._process = self._process, None
        self._is_ready, self._rest = False, b""
        self._idle.stop()
        self._answer(no_answer())
        if process is None:
            return
        process.readyReadStandardOutput.disconnect(self._read)
        process.finished.disconnect(self._finished)
        process.errorOccurred.disconnect(self._refused)
        process.finished.connect(process.deleteLater)
        process.kill()

    def close(self) -> None:
        """End it for good, and wait until it is gone."""
        self.end()
        for process in self.findChildren(QProcess):
            process.waitForFinished(END_MS)

    def _read(self) -> None:
        if self._process is None:
            return
        *lines, self._rest = (self._rest + self._process.readAllStandardOutput().data()).split(b"\n")
        for line in lines:
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            log.warning("the process that speaks aloud said what was not agreed")
            self._lose()
            return
        self._idle.start()
        if "ready" in said:
            self._is_ready, self._pauses = True, said["pauses"]
        elif "voices" in said:
            tags = [(each["language"],) if each["language"] else () for each in said["voices"]]
            self._answer([Voice(each["id"], each["name"], tag) for each, tag in zip(said["voices"], tags, strict=True)])
        elif said.get("why") == "missing":
            self._answer(refusal("missing", said["detail"]))
            self.told.emit(said)
        else:
            self.told.emit(said)

    def _answer(self, answer: Sequence[Voice] | SpeechError) -> None:
        asking, self._asking = self._asking, []
        for each in asking:
            if each.done():
                continue
            if isinstance(answer, SpeechError):
                each.set_exception(answer)
            else:
                each.set_result(answer)

    def _finished(self) -> None:
        self._read()  # its last words
        self._lose()

    def _refused(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._lose()

    def _lose(self) -> None:
        if self._process is not None:
            self.end()
            self.ended.emit()
