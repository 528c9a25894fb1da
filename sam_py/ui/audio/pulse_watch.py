"""PulseWatch: asks a PulseAudio server itself what is gone, devices or all of it, because Qt does not hear of it.

May go when ``QMediaDevices.audioOutputsChanged`` tells of an unloaded sink (Qt 6.11.3 and 6.12.0 do not: the device
stays on the list, and the server moves what plays there to another loudspeaker), and when a stream can be opened while
the server is away (6.11.3 then ends the process: ``Assertion 'c' failed … pa_context_get_state()``).
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

log = logging.getLogger(__name__)

# From pulse/def.h and pulse/context.h; part of libpulse's stable interface since 0.9.
_NO_AUTOSPAWN = 0x0001
_READY, _FAILED, _TERMINATED = 4, 5, 6
_MASK = 0x0001 | 0x0002 | 0x0020  # sinks, sources, clients
_FACILITY = 0x000F
_KINDS = {0x0000: "sink", 0x0001: "source", 0x0005: "client"}
_TYPE, _NEW, _REMOVE = 0x0030, 0x0000, 0x0020

_Pointer = ctypes.c_void_p
_OnState = ctypes.CFUNCTYPE(None, _Pointer, _Pointer)
_OnEvent = ctypes.CFUNCTYPE(None, _Pointer, ctypes.c_int, ctypes.c_uint32, _Pointer)


class _Head(ctypes.Structure):
    """How `pa_sink_info` and `pa_source_info` begin."""

    _fields_ = (("name", ctypes.c_char_p), ("index", ctypes.c_uint32))


class _Client(ctypes.Structure):
    """How `pa_client_info` begins; of a sink and a source only the name is wanted."""

    _fields_ = (
        ("index", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("owner_module", ctypes.c_uint32),
        ("driver", ctypes.c_char_p),
        ("properties", _Pointer),
    )


_OnInfo = ctypes.CFUNCTYPE(None, _Pointer, ctypes.POINTER(_Head), ctypes.c_int, _Pointer)
_OnClient = ctypes.CFUNCTYPE(None, _Pointer, ctypes.POINTER(_Client), ctypes.c_int, _Pointer)

_AGAIN_MS = 1_000
_TRIES = 15
"""Qt looks for a lost server once, three seconds later: a server that comes back after that is never found by it."""


class PulseWatch(QObject):
    """Remembers what was there once and is not there now. The server's thread calls back; `changed` reaches others.

    A server that is lost (restarted, switched off) is looked for again. It is of use when as many connections of this
    program are on its list as ever before, which is when Qt has found it, too.
    """

    changed = Signal()
    _server_lost = Signal()

    def __init__(self, library: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._names: dict[str, dict[int, str]] = {"sink": {}, "source": {}, "client": {}}
        self._gone: dict[str, frozenset[str]] = {"sink": frozenset(), "source": frozenset()}
        self._most = 0
        """So many connections of this program, Qt's and this one, the server has had at once."""
        self._tries = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_AGAIN_MS)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._connect_again)
        self._server_lost.connect(self._look_again, Qt.ConnectionType.QueuedConnection)
        self._connect()

    @property
    def is_lost(self) -> bool:
        """Whether the server is away, or Qt has not found it again: no stream may be opened."""
        return len(self._names["client"]) < self._most

    def gone(self, kind: str) -> frozenset[str]:
        """Names of sinks or sources ("sink", "source") that were unplugged and did not come back."""
        return self._gone[kind]

    def close(self) -> None:
        """Calling it again does nothing."""
        self._timer.stop()
        self._end()

    def _connect(self) -> None:
        method = weakref.WeakMethod
        connection = _Connection(self._library, method(self._info), method(self._removed), method(self._lost))
        self._end = weakref.finalize(self, connection.close)
        if not connection.is_connected:
            self._lost()

    def _look_again(self) -> None:
        self.changed.emit()
        if self._end.alive and not self._timer.isActive() and self._tries < _TRIES:
            self._tries += 1
            self._timer.start()

    def _connect_again(self) -> None:
        self._end()
        self._connect()

    # On the library's thread

    def _lost(self) -> None:
        if self._most:  # else there never was a server
            if self._names["client"]:
                log.warning("the sound server is away")
            for names in self._names.values():
                names.clear()
            self._server_lost.emit()

    def _info(self, kind: str, index: int, name: str) -> None:
        was_lost = self.is_lost
        self._names[kind][index] = name
        self._most = max(self._most, len(self._names["client"]))
        if was_lost and not self.is_lost:
            self._tries = 0
            self.changed.emit()
        if name in self._gone.get(kind, ()):
            self._gone[kind] -= {name}
            self.changed.emit()

    def _removed(self, kind: str, index: int) -> None:
        name = self._names[kind].pop(index, None)
        if name is None:
            return
        if kind == "client":
            self.changed.emit()
        elif name not in self._names[kind].values():
            self._gone[kind] |= {name}
            self.changed.emit()


class _Connection:
    """The library's objects. It holds the watch weakly, so that dropping the watch closes it."""

    def __init__(
        self,
        library: Any,
        on_info: weakref.WeakMethod[Callable[[str, int, str], None]],
        on_removed: weakref.WeakMethod[Callable[[str, int], None]],
        on_lost: weakref.WeakMethod[Callable[[], None]],
    ) -> None:
        self._library = library
        self._on_info = on_info
        self._on_removed = on_removed
        self._on_lost = on_lost
        self._on_state = _OnState(self._state)
        self._on_event = _OnEvent(self._event)
        self._infos: dict[str, Any] = {kind: _OnInfo(self._info_of(kind)) for kind in ("sink", "source")}
        self._infos["client"] = _OnClient(self._client)
        self._loop = library.pa_threaded_mainloop_new()
        api = library.pa_threaded_mainloop_get_api(self._loop)
        self._context = library.pa_context_new(api, b"SAM")
        library.pa_context_set_state_callback(self._context, self._on_state, None)
        library.pa_context_set_subscribe_callback(self._context, self._on_event, None)
        self.is_connected = library.pa_context_connect(self._context, None, _NO_AUTOSPAWN, None) >= 0
        if self.is_connected:
            library.pa_threaded_mainloop_start(self._loop)

    def close(self) -> None:
        if self.is_connected:
            self._library.pa_threaded_mainloop_stop(self._loop)
            self._library.pa_context_set_state_callback(self._context, _OnState(), None)
            self._library.pa_context_disconnect(self._context)
        self._library.pa_context_unref(self._context)
        self._library.pa_threaded_mainloop_free(self._loop)

    # On the library's thread

    def _state(self, context: int, _user: int | None) -> None:
        state = self._library.pa_context_get_state(context)
        if state == _READY:
            self._forget(self._library.pa_context_subscribe(context, _MASK, None, None))
            for kind, info in self._infos.items():
                self._forget(getattr(self._library, f"pa_context_get_{kind}_info_list")(context, info, None))
        elif state in (_FAILED, _TERMINATED) and (on_lost := self._on_lost()) is not None:
            on_lost()

    def _event(self, context: int, event: int, index: int, _user: int | None) -> None:
        kind = _KINDS.get(event & _FACILITY)
        if kind is None:
            return
        if event & _TYPE == _REMOVE:
            if (on_removed := self._on_removed()) is not None:
                on_removed(kind, index)
        elif kind == "client":  # it says whose it is a little after it came
            self._forget(self._library.pa_context_get_client_info(context, index, self._infos[kind], None))
        elif event & _TYPE == _NEW:
            ask = getattr(self._library, f"pa_context_get_{kind}_info_by_index")
            self._forget(ask(context, index, self._infos[kind], None))

    def _client(self, _context: int, client: Any, is_last: int, _user: int | None) -> None:
        if is_last:
            return
        whose = self._library.pa_proplist_gets(client.contents.properties, b"application.process.id")
        if whose == str(os.getpid()).encode() and (tell := self._on_info()) is not None:
            tell("client", client.contents.index, "")

    def _info_of(self, kind: str) -> Callable[[int, Any, int, int | None], None]:
        def on_info(_context: int, head: Any, is_last: int, _user: int | None) -> None:
            if not is_last and (tell := self._on_info()) is not None:
                tell(kind, head.contents.index, head.contents.name.decode("utf-8", "replace"))

        return on_info

    def _forget(self, operation: int | None) -> None:
        if operation:
            self._library.pa_operation_unref(operation)


def watch_pulse(parent: QObject) -> PulseWatch | None:
    """A watch on the person's PulseAudio server; None where there is no such thing."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL("libpulse.so.0")
    except OSError:
        return None
    for name in ("pa_threaded_mainloop_new", "pa_threaded_mainloop_get_api", "pa_context_new"):
        getattr(library, name).restype = _Pointer
    library.pa_context_subscribe.restype = library.pa_context_get_client_info.restype = _Pointer
    library.pa_proplist_gets.restype = ctypes.c_char_p
    for kind in ("sink", "source", "client"):
        getattr(library, f"pa_context_get_{kind}_info_list").restype = _Pointer
    for kind in ("sink", "source"):
        getattr(library, f"pa_context_get_{kind}_info_by_index").restype = _Pointer
    one = (_Pointer,)
    library.pa_threaded_mainloop_get_api.argtypes = one
    library.pa_threaded_mainloop_start.argtypes = one
    library.pa_threaded_mainloop_stop.argtypes = one
    library.pa_threaded_mainloop_free.argtypes = one
    library.pa_context_new.argtypes = (_Pointer, ctypes.c_char_p)
    library.pa_context_set_state_callback.argtypes = (_Pointer, _OnState, _Pointer)
    library.pa_context_set_subscribe_callback.argtypes = (_Pointer, _OnEvent, _Pointer)
    library.pa_context_connect.argtypes = (_Pointer, ctypes.c_char_p, ctypes.c_int, _Pointer)
    library.pa_context_get_state.argtypes = one
    library.pa_context_disconnect.argtypes = one
    library.pa_context_unref.argtypes = one
    library.pa_context_subscribe.argtypes = (_Pointer, ctypes.c_int, _Pointer, _Pointer)
    library.pa_context_get_sink_info_list.argtypes = (_Pointer, _OnInfo, _Pointer)
    library.pa_context_get_source_info_list.argtypes = (_Pointer, _OnInfo, _Pointer)
    library.pa_context_get_sink_info_by_index.argtypes = (_Pointer, ctypes.c_uint32, _OnInfo, _Pointer)
    library.pa_context_get_source_info_by_index.argtypes = (_Pointer, ctypes.c_uint32, _OnInfo, _Pointer)
    library.pa_context_get_client_info_list.argtypes = (_Pointer, _OnClient, _Pointer)
    library.pa_context_get_client_info.argtypes = (_Pointer, ctypes.c_uint32, _OnClient, _Pointer)
    library.pa_proplist_gets.argtypes = (_Pointer, ctypes.c_char_p)
    library.pa_operation_unref.argtypes = one
    return PulseWatch(library, parent)
