"""JsonObjects: JSON objects one after another, read piece by piece from bytes.

One object a line (NDJSON), objects over several lines, a JSON array of them, or one object alone: all the same here.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sam_py.providers.json_text import read_json

MAX_OBJECT_BYTES = 64 << 20
_STRAY_BYTES = 2048
_DEEPEST = 500
"""Objects in objects; json gives up at about 1,000."""
_OUTSIDE = re.compile(rb'["{}]')
_IN_TEXT = re.compile(rb'["\\]')
_BETWEEN = b" \t\r\n,[]\xef\xbb\xbf"


class JsonObjects:
    """Bytes in, whole objects out, however the bytes are cut. Nothing that a server sends makes it raise.

    Invariant: what is kept never exceeds `max_bytes` by more than one chunk; then `too_large` is set and the rest
    is dropped. An object that cannot be parsed is kept in `damaged`, and nothing is read after it.
    """

    def __init__(self, max_bytes: int = MAX_OBJECT_BYTES) -> None:
        self.too_large = False
        self.damaged = b""
        """The first 2 kB of an object that is none."""
        self.stray = b""
        """The first 2 kB of what stands outside of objects and is no comma or bracket: no JSON stream at all."""
        self.stray_bytes = 0
        self._max = max_bytes
        self._line = bytearray()
        self._open = bytearray()
        """An object that goes on over lines, up to the last whole line."""
        self._depth = 0
        self._in_text = False

    @property
    def is_open(self) -> bool:
        """Whether an object has begun and not ended."""
        return self._depth > 0 or b"{" in self._line

    def feed(self, chunk: bytes) -> list[dict[str, Any]]:
        """Return the objects that `chunk` completes. An object counts as whole when its line ends."""
        objects: list[dict[str, Any]] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0 and not self._is_over():
            self._line += chunk[start : end + 1]
            self._end_line(objects)
            start = end + 1
        if not self._is_over():
            self._line += chunk[start:]
            if len(self._line) + len(self._open) > self._max:
                self.too_large = True
                self._line.clear()
                self._open.clear()
        return objects

    def close(self) -> list[dict[str, Any]]:
        """Return what a stream without its last line break still held."""
        objects: list[dict[str, Any]] = []
        if self._line and not self._is_over():
            self._end_line(objects)
        return objects

    def _is_over(self) -> bool:
        return self.too_large or bool(self.damaged)

    def _end_line(self, objects: list[dict[str, Any]]) -> None:
        line = bytes(self._line)
        self._line.clear()
        if self._depth == 0 and line[:1] == b"{":
            try:  # by far the most: an object a line
                value = read_json(line.decode("utf-8", "surrogatepass"))
            except (ValueError, RecursionError):
                pass
            else:
                objects.append(value)
                return
        self._scan(line, objects)

    def _scan(self, line: bytes, objects: list[dict[str, Any]]) -> None:
        """Follow braces outside of texts through `line`, and take each object that ends in it."""
        place = begun = 0
        while place < len(line) and not self.damaged:
            found = (_IN_TEXT if self._in_text else _OUTSIDE).search(line, place)
            if found is None:
                break
            place = found.end()
            match found[0]:
                case b"\\":
                    place += 1
                case b'"':
                    self._in_text = self._depth > 0 and not self._in_text
                case b"{":
                    if self._depth == 0:
                        self._keep_stray(line[begun : found.start()])
                        begun = found.start()
                    self._depth += 1
                    if self._depth > _DEEPEST:
                        self.damaged = line[:_STRAY_BYTES]
                case b"}" if self._depth > 0:
                    self._depth -= 1
                    if self._depth == 0:
                        self._open += line[begun:place]
                        begun = place
                        self._take(objects)
        if self._depth > 0:
            self._open += line[begun:]
            self.too_large = len(self._open) > self._max
        else:
            self._keep_stray(line[begun:])

    def _take(self, objects: list[dict[str, Any]]) -> None:
        text = bytes(self._open)
        self._open.clear()
        try:
            objects.append(json.loads(text))
        except (ValueError, RecursionError):
            self.damaged = text[:_STRAY_BYTES]

    def _keep_stray(self, text: bytes) -> None:
        text = text.strip(_BETWEEN)
        if text:
            self.stray_bytes += len(text)
            self.stray = (self.stray + text + b"\n")[:_STRAY_BYTES]
