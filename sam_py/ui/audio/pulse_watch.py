"""PulseWatch: asks a PulseAudio server itself which devices are gone, because Qt does not hear of it.

May go when ``QMediaDevices.audioOutputsChanged`` tells of an unloaded sink (Qt 6.11.3 and 6.12.0 do not: the device
stays on the list, and the server moves what plays there to another loudspeaker).
"""

from __future__ import annotations

import ctypes
import logging
import sys
import weakref
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

log = logging.getLogger(__name__)

# From pulse/def.h and pulse/context.h; part of libpulse's stable interface since 0.9.
_NO_AUTOSPAWN = 0x0001
_READY = 4
_MASK_SINK, _MASK_SOURCE = 0x0001, 0x0002
_FACILITY, _SINK, _SOURCE = 0x000F, 0x0000, 0x0001
_TYPE, _NEW, _REMOVE = 0x0030, 0x0000, 0x0020

_Pointer = ctypes.c_void_p
_OnState = ctypes.CFUNCTYPE(None, _Pointer, _Pointer)
_OnEvent = ctypes.CFUNCTYPE(None, _Pointer, ctypes.c_int, ctypes.c_uint32, _Pointer)


class _Head(ctypes.Structure):
    """How `pa_sink_info` and `pa_source_info` begin."""

    _fields_ = (("name", ctypes.c_char_p), ("index", ctypes.c_uint32))


_OnInfo = ctypes.CFUNCTYPE(None, _Pointer, ctypes.POINTER(_Head), ctypes.c_int, _Pointer)


class PulseWatch(QObject):
    """Remembers what was there once and is not there now. The server's thread calls back; `changed` reaches others."""

    changed = Signal()

    def __init__(self, library: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: dict[str, dict[int, str]] = {"sink": {}, "source": {}}
        self._gone: dict[str, frozenset[str]] = {"sink": frozenset(), "source": frozenset()}
        self._connection = _Connection(library, weakref.WeakMethod(self._info), weakref.WeakMethod(self._removed))
        self._end = weakref.finalize(self, self._connection.close)

    def gone(self, kind: str) -> frozenset[str]:
        """Names of sinks or sources ("sink", "source") that were unplugged and did not come back."""
        return self._gone[kind]

    def close(self) -> None:
        """Calling it again does nothing."""
        self._end()

    def _info(self, kind: str, index: int, name: str) -> None:
        self._names[kind][index] = name
        if name in self._gone[kind]:
            self._gone[kind] -= {name}
            self.changed.emit()

    def _removed(self, kind: str, index: int) -> None:
        name = self._names[kind].pop(index, None)
        if name is not None and name not in self._names[kind].values():
            self._gone[kind] |= {name}
            self.changed.emit()


class _Connection:
    """The library's objects. It holds the watch weakly, so that dropping the watch closes it."""

    def __init__(
        self,
        library: Any,
        on_info: weakref.WeakMethod[Callable[[str, int, str], None]],
        on_removed: weakref.WeakMethod[Callable[[str, int], None]],
    ) -> None:
        self._library = library
        self._on_info = on_info
        self._on_removed = on_removed
        self._on_state = _OnState(self._state)
        self._on_event = _OnEvent(self._event)
        self._infos = {kind: _OnInfo(self._info_of(kind)) for kind in ("sink", "source")}
        self._loop = library.pa_threaded_mainloop_new()
        api = library.pa_threaded_mainloop_get_api(self._loop)
        self._context = library.pa_context_new(api, b"SAM")
        library.pa_context_set_state_callback(self._context, self._on_state, None)
        library.pa_context_set_subscribe_callback(self._context, self._on_event, None)
        self._is_connected = library.pa_context_connect(self._context, None, _NO_AUTOSPAWN, None) >= 0
        if self._is_connected:
            library.pa_threaded_mainloop_start(self._loop)

    def close(self) -> None:
        if self._is_connected:
            self._library.pa_threaded_mainloop_stop(self._loop)
            self._library.pa_context_disconnect(self._context)
        self._library.pa_context_unref(self._context)
        self._library.pa_threaded_mainloop_free(self._loop)

    # On the library's thread

    def _state(self, context: int, _user: int | None) -> None:
        if self._library.pa_context_get_state(context) == _READY:
            self._forget(self._library.pa_context_subscribe(context, _MASK_SINK | _MASK_SOURCE, None, None))
            self._forget(self._library.pa_context_get_sink_info_list(context, self._infos["sink"], None))
            self._forget(self._library.pa_context_get_source_info_list(context, self._infos["source"], None))

    def _event(self, context: int, event: int, index: int, _user: int | None) -> None:
        kind = {_SINK: "sink", _SOURCE: "source"}.get(event & _FACILITY)
        if kind is None:
            return
        if event & _TYPE == _REMOVE:
            if (on_removed := self._on_removed()) is not None:
                on_removed(kind, index)
        elif event & _TYPE == _NEW:
            ask = getattr(self._library, f"pa_context_get_{kind}_info_by_index")
            self._forget(ask(context, index, self._infos[kind], None))

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
    for name in ("subscribe", "get_sink_info_list", "get_source_info_list"):
        getattr(library, f"pa_context_{name}").restype = _Pointer
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
    library.pa_operation_unref.argtypes = one
    return PulseWatch(library, parent)
