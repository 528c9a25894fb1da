"""JsonStream: the items of a JSON file one after the other, in bounded memory, past what is damaged.

The file's root is an array (its elements are the items) or an object (its members are; the elements of a member that
is an array one by one).
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from sam_py.store.exporters import nested
from sam_py.store.exporters.lossless import mended

LARGEST_ITEM = 256 * 1024 * 1024
"""Characters of one item; a conversation with embedded pictures reaches some ten million."""
KEPT_OF_DAMAGED = 4 * 1024 * 1024
"""Characters."""
_FIRST_PIECE = 256 * 1024
_LARGEST_PIECE = 16 * 1024 * 1024
_DECODER = json.JSONDecoder()
_MAY_GO_ON = ("", *"0123456789.eE+-")
"""After what is read of a number."""
_BLANK = re.compile(r"[ \t\r\n]*")
_IN_TEXT = re.compile(r'["\\]')
_IN_VALUE = re.compile(r'["\[\]{},]')


def encoding_of(beginning: bytes) -> str:
    """How a text is written: UTF-8 but where it begins as editors on Windows begin UTF-16.

    >>> encoding_of("{}".encode("utf-16")), encoding_of(b"{}")
    ('utf-16', 'utf-8-sig')
    """
    return "utf-16" if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


@dataclass(frozen=True, slots=True)
class Item:
    """`key` is the member that it belongs to, "" in a root array; `is_element` of an array."""

    key: str
    value: Any
    is_element: bool = True


@dataclass(frozen=True, slots=True)
class DamagedItem:
    """What could not be read: `text` is its beginning, `why` the reason in words."""

    key: str
    text: str
    why: str


class JsonStream:
    """Reads a binary file once. `root` is ``[``, ``{``, or another first character; "" for an empty file."""

    def __init__(self, file: BinaryIO, *, largest: int = LARGEST_ITEM) -> None:
        self._file = file
        self._decoder: codecs.IncrementalDecoder | None = None
        self._buffer = ""
        self._at = 0
        self._piece = _FIRST_PIECE
        self._ended = False
        self._largest = largest
        self.root = self._peek()

    def items(self) -> Iterator[Item | DamagedItem]:
        """All items. A file that is cut off ends in a `DamagedItem`."""
        if self.root == "[":
            self._at += 1
            yield from self._elements("")
        elif self.root == "{":
            self._at += 1
            yield from self._members()
        elif self.root:
            yield DamagedItem("", self._buffer[:1000], "this is not JSON")

    def _members(self) -> Iterator[Item | DamagedItem]:
        while (sign := self._peek()) != "}":
            if sign == ",":
                self._at += 1
                continue
            key = self._value("") if sign == '"' else None
            if not isinstance(key, Item) or self._peek() != ":":
                yield DamagedItem("", self._buffer[self._at : self._at + 1000], _cut_or_damaged(sign))
                return
            self._at += 1
            if self._peek() == "[":
                self._at += 1
                yield from self._elements(key.value)
            else:
                read = self._value(key.value)
                yield Item(read.key, read.value, False) if isinstance(read, Item) else read
        self._at += 1

    def _elements(self, key: str) -> Iterator[Item | DamagedItem]:
        while (sign := self._peek()) != "]":
            if sign == ",":
                self._at += 1
                continue
            if not sign:
                yield DamagedItem(key, "", _cut_or_damaged(sign))
                return
            if sign in "}:":
                yield DamagedItem(key, self._buffer[self._at : self._at + 1000], _cut_or_damaged(sign))
                self._at += 1
                continue
            yield self._value(key)
        self._at += 1

    def _value(self, key: str) -> Item | DamagedItem:
        """The value that begins here."""
        self._forget_read()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                is_open = error.pos > len(self._buffer) - 16 or error.msg.startswith("Unterminated string")
                if not is_open or self._ended:
                    why = "it is cut off" if is_open and self._ended else f"it is damaged: {error.msg}"
                    return DamagedItem(key, self._skip(), why)
            except RecursionError:
                return self._nested(key)
            except ValueError as error:  # a number that nobody writes
                return DamagedItem(key, self._skip(), f"it cannot be read: {str(error)[:80]}")
            else:
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                if not (is_number and self._buffer[end : end + 1] in _MAY_GO_ON) or self._ended:
                    source = self._buffer[self._at : end]
                    self._at = end
                    return Item(key, mended(value) if "\\ud" in source or "\\uD" in source else value)
            if len(self._buffer) - self._at > self._largest:
                return DamagedItem(
                    key, self._skip(), f"it is larger than {self._largest // 2**20:,} million characters"
                )
            self._fill()

    def _nested(self, key: str) -> Item | DamagedItem:
        """A value that nests deeper than Python's own reader goes: read to its end first, then taken apart."""
        text = self._skip(self._largest)
        try:
            value, _end = nested.parse(text)
        except ValueError as error:
            return DamagedItem(key, text[:KEPT_OF_DAMAGED], f"it is damaged: {str(error)[:80]}")
        return Item(key, mended(value) if "\\ud" in text or "\\uD" in text else value)

    def _skip(self, most: int = KEPT_OF_DAMAGED) -> str:
        """Go to where the value that begins here ends, by its brackets; returns its beginning."""
        kept = ""
        depth, in_text = 0, False
        while True:
            begun = self._at
            depth, in_text, is_over = self._skip_in_buffer(depth, in_text)
            kept += self._buffer[begun : min(self._at, begun + most - len(kept))]
            if is_over:
                return kept
            self._forget_read()
            self._fill()

    def _skip_in_buffer(self, depth: int, in_text: bool) -> tuple[int, bool, bool]:
        """As far as what is read reaches: how deep that is, whether inside a text, and whether the value is over."""
        while True:
            found = (_IN_TEXT if in_text else _IN_VALUE).search(self._buffer, self._at)
            if found is None or (found.group() == "\\" and found.end() == len(self._buffer)):
                is_rest_text = found is None or self._ended
                self._at = len(self._buffer) if is_rest_text or found is None else found.start()
                return depth, in_text, self._ended
            sign = found.group()
            if in_text:
                in_text = sign != '"'
                self._at = found.end() + (sign == "\\")
                continue
            if depth == 0 and sign in ",]}":
                self._at = found.start()
                return depth, in_text, True
            self._at = found.end()
            if sign == '"':
                in_text = True
            elif sign in "[{":
                depth += 1
            elif sign in "]}":
                depth -= 1
                if depth == 0:
                    return depth, in_text, True

    def _peek(self) -> str:
        """The next sign that is no white space, which stays; "" at the end."""
        while True:
            blank = _BLANK.match(self._buffer, self._at)
            assert blank is not None
            self._at = blank.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._ended:
                return ""
            self._forget_read()
            self._fill()

    def _fill(self) -> None:
        raw = self._file.read(self._piece)
        self._ended = not raw
        if self._decoder is None:
            self._decoder = codecs.getincrementaldecoder(encoding_of(raw))(errors="replace")
        self._buffer += self._decoder.decode(raw, final=not raw)
        waiting = len(self._buffer) - self._at
        self._piece = min(max(_FIRST_PIECE, waiting), _LARGEST_PIECE)  # a long value is tried again less and less often

    def _forget_read(self) -> None:
        if 2 * self._at > len(self._buffer):  # not for each small item of a long buffer
            self._buffer = self._buffer[self._at :]
            self._at = 0


def _cut_or_damaged(sign: str) -> str:
    return "it is damaged" if sign else "the file is cut off here"
