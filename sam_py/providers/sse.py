"""Server-sent events, read piece by piece from bytes.

The grammar is that of the WHATWG HTML standard, section 9.2.6: only CR, LF and CRLF end a line, so
U+2028 or U+0085 inside a text do not.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_EVENT_BYTES = 8 << 20
_STRAY_BYTES = 2048
_MOST_LINES = 100_000
_BOM = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """`event` is ``message`` where the server named none; `data` holds the data lines, joined by line feeds."""

    event: str
    data: str


class SseParser:
    """Bytes in, whole events out, however the bytes are cut. Nothing that a server sends makes it raise.

    Invariants: what is kept never exceeds `max_event_bytes` by more than one chunk; an event that is
    larger is dropped whole and counted in `oversized` as soon as it is.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self.oversized = 0
        self.comments = 0
        """Comment lines: a server says with them that it is alive."""
        self.stray = b""
        """The first 2 kB of lines that are no field: what a server says that speaks something else."""
        self.stray_bytes = 0
        self._max = max_event_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._event = ""
        self._after_cr = False
        self._at_start = True
        self._line_too_long = False
        self._event_too_long = False

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Return the events that `chunk` completes."""
        events: list[ServerEvent] = []
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == 0x0A:
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            if self._line or self._line_too_long or len(line) > self._max:
                self._keep(line)
                event = self._end_line()
            else:
                event = self._read_line(line)
            if event is not None:
                events.append(event)
        if rest:
            self._keep(rest)
        return events

    def close(self) -> list[ServerEvent]:
        """Return what a stream without its last blank line still held. Stricter readers drop it; servers do this."""
        events = []
        if self._line or self._line_too_long:
            event = self._end_line()
            if event is not None:  # pragma: no cover - a line with text never ends an event
                events.append(event)
        last = self._dispatch()
        if last is not None:
            events.append(last)
        return events

    def _keep(self, piece: bytes) -> None:
        if self._line_too_long:
            return
        self._line += piece
        if len(self._line) > self._max:
            self._line.clear()
            self._line_too_long = True
            self.oversized += 1

    def _end_line(self) -> ServerEvent | None:
        if self._line_too_long:
            self._line_too_long = False
            self._drop_event(counted=True)
            return None
        line = bytes(self._line)
        self._line.clear()
        return self._read_line(line)

    def _read_line(self, line: bytes) -> ServerEvent | None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._dispatch()
        if line.startswith(b"data: "):  # nearly every line is one
            self._add_data(line[6:])
            return None
        if line.startswith(b":"):
            self.comments += 1
            return None
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._add_data(value)
            case b"event":
                self._event = value.decode("utf-8", "replace")
            case b"id" | b"retry":
                pass  # reconnecting is not done: a reply is not repeatable
            case _:
                self.stray_bytes += len(line)
                self.stray = (self.stray + line + b"\n")[:_STRAY_BYTES]
        return None

    def _add_data(self, value: bytes) -> None:
        if self._event_too_long:
            return
        self._data_bytes += len(value) + 1
        if self._data_bytes > self._max or len(self._data) > _MOST_LINES:
            self._drop_event()
        else:
            self._data.append(value)

    def _drop_event(self, *, counted: bool = False) -> None:
        if not self._event_too_long and not counted:
            self.oversized += 1
        self._event_too_long = True
        self._data.clear()

    def _dispatch(self) -> ServerEvent | None:
        event = None
        if not self._event_too_long and self._data:
            event = ServerEvent(self._event or "message", b"\n".join(self._data).decode("utf-8", "replace"))
        self._data.clear()
        self._data_bytes = 0
        self._event = ""
        self._event_too_long = False
        return event
