"""What the service gives us to keep: thought signatures and where they sat, and parts of tools that it ran itself.

A signature belongs to one part of the reply and has to come back on that part
(https://ai.google.dev/gemini-api/docs/thought-signatures). A reply of ours joins the text of many parts, so that
each `ThinkingSigned` of this wire says in JSON what it was on (D-016):

- ``{"on": "call", "signature": …}`` (or ``"image"``) stands directly before that part;
- ``{"on": "text", "length": …, "signed": [[from, to, signature], …]}`` (or ``"thought"``) stands behind a run of
  text and says which characters of it were signed; an empty span was a part with an empty text;
- ``{"on": "part", "part": {…}, "shown": true}`` is a whole part, to go back as it is; `shown` says that the code
  before it is what a person sees of it.

Characters are counted without the line breaks that a reply begins with and the white space that it ends with,
which are trimmed away when it is complete.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

NextKind = Literal["call", "image"]
RunKind = Literal["text", "thought"]
Span = tuple[int, int, str]
"""From, to (characters), signature."""


@dataclass(frozen=True, slots=True)
class SignedNext:
    """The signature of the call or picture that follows."""

    on: NextKind
    signature: str


@dataclass(frozen=True, slots=True)
class SignedRun:
    """The signatures inside the run of text that stands before; `length` tells whether it still is that text."""

    on: RunKind
    length: int
    signed: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class KeptPart:
    """A part that only the service reads; `shown`: the code before it shows it."""

    part: dict[str, Any]
    shown: bool = False


Kept = SignedNext | SignedRun | KeptPart


def write_kept(kept: Kept) -> str:
    match kept:
        case SignedNext(on, signature):
            value: dict[str, Any] = {"on": on, "signature": signature}
        case SignedRun(on, length, signed):
            value = {"on": on, "length": length, "signed": signed}
        case KeptPart(part, shown):
            value = {"on": "part", "part": part, "shown": shown}
    return json.dumps(value, separators=(",", ":"))  # ASCII: half characters of a damaged text do no harm


def read_kept(text: str) -> Kept | None:
    """What `text` says; None where it is of another wire or damaged."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    match value.get("on"):
        case "call" | "image" as on if _is_text(value.get("signature")):
            return SignedNext(on, value["signature"])
        case "text" | "thought" as on:
            return _read_run(on, value.get("length"), value.get("signed"))
        case "part" if isinstance(value.get("part"), dict) and value["part"]:
            return KeptPart(value["part"], value.get("shown") is True)
    return None


def _read_run(on: RunKind, length: Any, signed: Any) -> SignedRun | None:
    if not isinstance(length, int) or not isinstance(signed, list):
        return None
    spans: list[Span] = []
    end = 0
    for span in signed:
        match span:
            case [int(start), int(stop), str(signature)] if end <= start <= stop and signature:
                spans.append((start, stop, signature))
                end = stop
            case _:
                return None
    return SignedRun(on, length, tuple(spans))


class GrowingRun:
    """Counts a run of text while it comes, as the module says, and notes what of it is signed. Keeps no text."""

    def __init__(self, on: RunKind) -> None:
        self.on = on
        self.length = 0
        self.spans: list[Span] = []
        self._lead = 0
        self._end = 0
        """Behind the last character that is no white space."""

    def add(self, text: str) -> None:
        if self._lead == self.length:
            self._lead += _lead(text)
        if not text.isspace():
            self._end = self.length + len(text.rstrip())
        self.length += len(text)

    def sign(self, start: int, signature: str) -> None:
        """What came from `start` to here is signed."""
        self.spans.append((start, self.length, signature))

    def signed(self) -> SignedRun:
        lead = self._lead
        spans = ((max(0, start - lead), max(0, stop - lead), signature) for start, stop, signature in self.spans)
        return SignedRun(self.on, max(0, self._end - lead), tuple(spans))


def split_run(text: str, run: SignedRun) -> list[tuple[str, str]] | None:
    """`text` as the parts that it came in: each with its signature, or "" where it had none.

    None where `text` is not what was signed.

    >>> split_run("Hi there", SignedRun("text", 8, ((0, 2, "S"), (8, 8, "T"))))
    [('Hi', 'S'), (' there', ''), ('', 'T')]
    """
    lead = _lead(text)
    if len(text[lead:].rstrip()) != run.length:
        return None
    pieces: list[tuple[str, str]] = []
    place = 0
    for start, stop, signature in run.signed:
        begin = min(start + lead, len(text)) if start else 0
        end = min(stop + lead, len(text)) if stop else 0
        if begin > place:
            pieces.append((text[place:begin], ""))
        pieces.append((text[begin:end], signature))
        place = end
    if place < len(text):
        pieces.append((text[place:], ""))
    return pieces


def _lead(text: str) -> int:
    return len(text) - len(text.lstrip("\r\n"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
