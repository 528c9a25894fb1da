"""AnswerForm: tells an event stream from a whole JSON answer and from anything else, by the first bytes."""

from __future__ import annotations

from typing import Literal

MAX_JSON_BYTES = 64 << 20
_SHOWN_BYTES = 20_000
_BOM = b"\xef\xbb\xbf"

Form = Literal["", "events", "json", "other"]
"""`events`: server-sent events; `json`: one object, a list, or a line each; `other`: markup. Empty: not known yet."""


class AnswerForm:
    """Takes the bytes of an answer, cut anywhere, and says what they are."""

    def __init__(self) -> None:
        self.form: Form = ""
        self._kept = bytearray()

    @property
    def kept(self) -> bytes:
        """The whole answer where it is JSON (up to 64 MB), the first bytes where it is neither JSON nor events."""
        return bytes(self._kept)

    @property
    def is_full(self) -> bool:
        """Whether no more is kept of an answer that is no event stream: whoever goes on waiting waits for ever."""
        return self.form != "events" and len(self._kept) >= (_SHOWN_BYTES if self.form == "other" else MAX_JSON_BYTES)

    def take(self, chunk: bytes) -> bytes:
        """Return what of the answer an event parser is to read now: nothing unless it is an event stream."""
        if self.form == "events":
            return chunk
        if len(self._kept) < (_SHOWN_BYTES if self.form == "other" else MAX_JSON_BYTES):
            self._kept += chunk
        if self.form:
            return b""
        head = bytes(self._kept[:64]).removeprefix(_BOM).lstrip()
        if not head or (len(self._kept) < len(_BOM) and _BOM.startswith(bytes(self._kept))):
            return b""
        if head[:1] in (b"{", b"["):
            self.form = "json"
        elif head[:1] == b"<":
            self.form = "other"
        else:
            self.form = "events"
            seen, self._kept = bytes(self._kept), bytearray()
            return seen
        return b""
