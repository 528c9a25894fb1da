"""What importers share: what they are given (`Source`), what they give (`Found`, `Aside`), and how they are known."""

from __future__ import annotations

import base64
import binascii
import logging
import re
import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sam_py.messages.history import HistoryEvent
from sam_py.messages.message import Message, UserMessage
from sam_py.messages.parts import FilePart, ImagePart, Part, UnknownPart
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.lossless import canonical
from sam_py.store.exporters.nested import is_deeper_than
from sam_py.store.exporters.pictures import kind_of_picture
from sam_py.store.importers.bundle import Bundle

log = logging.getLogger(__name__)

NAMESPACE = uuid.UUID("c9f0a4ee-3f1e-4f43-a1cf-6a0d5a3a9d55")
"""Of the ids that are made of a source's ids: never changed, or what was imported before comes in twice."""
Keep = Callable[[bytes], str]
"""Keeps the bytes of a picture or file and returns their attachment's hash."""
LARGEST_ATTACHMENT_BYTES = 256 * 1024 * 1024
UNFIT = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What reading raises where something is not in the form that is known."""
_LARGEST_ASIDE = 64 * 1024 * 1024
"""Of a damaged file; a larger one stays where it is, and is named."""
_FIRST_YEAR, _LAST_YEAR = 1970, 9000
"""Beyond them no clock of a chat program was, and a date that is moved a little would be none any more."""
_FIRST_WORDS = 60
_LOOKED_AT = 600
_MARKUP = re.compile(r"^\s*(#{1,6}|>|[-*+])\s+|[*`]{1,3}", re.MULTILINE)
_DEEPEST = 100
"""Levels; a message reads back from its file what nests up to twice as deep, and stands some levels down itself."""


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation as it came in. `events` are ours, or JSON objects that are kept as they are."""

    id: str
    title: str
    events: Sequence[HistoryEvent | Mapping[str, Any]]
    notes: tuple[str, ...] = ()
    """Sentences on what of it came in otherwise than it was."""

    @property
    def messages(self) -> list[Message]:
        return [event.message for event in self.events if getattr(event, "event", "") == "message_added"]  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Aside:
    """Something that did not come in. `what` names it, `why` is the reason in words, `content` what it was."""

    what: str
    why: str
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a bundle's main file, for telling formats apart.

    `first` is one of the first elements of a root array; `members` has the first value (of an array: its first
    element that is something) of each of a root object's first members.
    """

    name: str
    root: str = ""
    first: Any = None
    members: Mapping[str, Any] = field(default_factory=dict)


def _nowhere(id: str) -> StoredConversation:
    raise LookupError(id)


@dataclass(slots=True)
class Source:
    """A bundle, and where pictures and files go."""

    bundle: Bundle
    keep: Keep
    files: Sequence[str] = ()
    """The bundle's files that are of the format, those first whose names tell most. At least one."""
    others: Sequence[str] = ()
    """JSON files near them that are of no format: damaged ones may be among them, and what belongs to an export."""
    known: Container[str] = ()
    """The ids of the conversations that are here already."""
    keep_damaged: Callable[[str, bytes], None] = field(default=lambda _hash, _content: None)
    """Keeps bytes under the hash of what they once were, where nothing is kept under it."""
    conversation: Callable[[str], StoredConversation] = field(default=_nowhere)
    """Reads one of them."""
    notes: dict[str, None] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)
    """Files that a conversation names and that cannot be read, and why: the conversation comes in without them."""

    def note(self, sentence: str) -> None:
        self.notes[sentence] = None

    def file(self, name: str) -> bytes | None:
        """What a file holds; None where it cannot be read, which the report then says."""
        try:
            return self.bundle.read(name)
        except TransferError as error:
            self.damaged[name] = str(error)
            return None

    def each_file(
        self, names: Iterable[str], read: Callable[[Source, str], Iterable[Found | Aside]]
    ) -> Iterator[Found | Aside]:
        """What is in several files; one that is damaged is kept aside and does not keep out those behind it."""
        for name in names:
            try:
                yield from read(self, name)
            except TransferError as error:
                if error.kind not in ("damaged", "too_large"):
                    raise
                try:
                    content = self.bundle.read(name, _LARGEST_ASIDE)
                except TransferError:  # not even its bytes
                    content = b""
                yield Aside(name, f"{error} {error.detail}".strip(), content)


@dataclass(frozen=True, slots=True)
class Importer:
    """A format. `detect` answers whether the bundle is of it; `read` gives what is in it, one by one."""

    key: str
    name: str
    detect: Callable[[Bundle, Sequence[Head]], bool]
    read: Callable[[Source], Iterator[Found | Aside]]


def taken(what: str, value: object, take: Callable[[], Iterable[Found | Aside]]) -> Iterator[Found | Aside]:
    """What `take` makes of one entry; the entry itself, kept aside, where it is not in the form that `take` knows.

    What came of it before that stays.
    """
    try:
        yield from take()
    except UNFIT as error:
        log.warning("an entry of an import cannot be read: %s", type(error).__name__)  # not what is in it
        log.debug("it is", exc_info=error)
        yield Aside(what, f"it is not in the form that is known ({type(error).__name__})", canonical(value))


def titled(title: str) -> dict[str, str]:
    """The settings of a conversation that has only its first words for a title; a model may find a better one."""
    return {"title": title, "title_source": "first_words"}


def first_words(messages: Iterable[Message]) -> str:
    """The beginning of the first question, to tell a conversation by that came without a title; "" where there is none.

    >>> from sam_py.messages.message import UserMessage
    >>> from sam_py.messages.parts import TextPart
    >>> first_words([UserMessage(parts=(TextPart(text="# What is **this**?"),))])
    'What is this?'
    """
    asked = (message for message in messages if isinstance(message, UserMessage))
    texts = (_MARKUP.sub("", message.plain_text[:_LOOKED_AT]) for message in asked)
    words = next((found for text in texts if (found := " ".join(text.split()))), "")
    return words if len(words) <= _FIRST_WORDS else f"{words[:_FIRST_WORDS].rsplit(' ', 1)[0]}…"


def stable_id(*parts: str) -> str:
    """32 hexadecimal digits, the same for the same parts each time.

    >>> stable_id("ChatGPT", "1") == stable_id("ChatGPT", "1") != stable_id("ChatGPT", "2")
    True
    """
    return uuid.uuid5(NAMESPACE, "\x1f".join(parts)).hex


def moment(value: object) -> datetime | None:
    """A time as programs write it: seconds or milliseconds since 1970, or ISO 8601. None where it is none.

    >>> moment(1700000000).year, moment("2024-05-01T16:35:11.530Z").minute, moment(1700000000123).microsecond
    (2023, 35, 123000)
    >>> moment("yesterday"), moment(None), moment(True)
    (None, None, None)
    """
    if isinstance(value, str):
        text = value.strip()
        if text.replace(".", "", 1).isdecimal():
            return moment(float(text))
        try:
            at = datetime.fromisoformat(text.replace("Z", "+00:00"))
            at = at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            return None
        return at if _FIRST_YEAR <= at.year <= _LAST_YEAR else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = value / 1000 if abs(value) > 100_000_000_000 else value
        at = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return at if seconds > 0 and at.year <= _LAST_YEAR else None


def media_type(content: bytes) -> str:
    """What bytes are by their first ones; "" where that is not known."""
    if content.startswith(b"%PDF-"):
        return "application/pdf"
    return "image/heic" if content[4:12] in (b"ftypheic", b"ftypmif1") else kind_of_picture(content)


def picture_or_file(keep: Keep, content: bytes, name: str = "", mime_type: str = "") -> ImagePart | FilePart:
    """The part for bytes that came along: a picture where they are one, by what they are and not by their name."""
    kind = media_type(content)
    attachment = keep(content)
    if kind.startswith("image/"):
        return ImagePart(attachment=attachment, mime_type=kind, alt=name)
    mime = kind or (mime_type if not mime_type.startswith("image/") else "") or "application/octet-stream"
    return FilePart(attachment=attachment, filename=name or "file", mime_type=mime, size=len(content))


def picture_at(url: str, keep: Keep, alt: str = "") -> Part:
    """The part for an address: what a ``data:`` address holds is kept, any other address stays one."""
    if not url.startswith("data:"):
        return ImagePart(url=url, alt=alt)
    head, comma, body = url.partition(",")
    try:
        if not comma or not head.endswith(";base64"):
            raise ValueError("no base64")
        content = base64.b64decode(body, validate=True)
    except (ValueError, binascii.Error):
        return unknown("picture", {"url": url})
    if len(content) > LARGEST_ATTACHMENT_BYTES:
        raise TransferError("A picture in the file is larger than 256 MB.", kind="too_large")
    return picture_or_file(keep, content, alt, head[5:].partition(";")[0])


def unknown(kind: str, value: object) -> UnknownPart:
    """A part that we have none for, kept whole."""
    return UnknownPart.model_validate({"kind": f"imported_{kind}", "value": flat(value)})


def flat(value: Any) -> Any:
    """`value`; where it nests so deep that its line could not be read again, the same as JSON text.

    >>> flat({"a": [1]})
    {'a': [1]}
    """
    return canonical(value).decode() if is_deeper_than(value, _DEEPEST) else value


def text_of(value: object) -> str:
    """`value` where it is text, else "".

    >>> text_of("a"), text_of(None), text_of(3)
    ('a', '', '')
    """
    return value if isinstance(value, str) else ""


def items_of(value: object) -> list[Any]:
    """`value` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def fields_of(value: object) -> dict[str, Any]:
    """`value` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def without(fields: Mapping[str, Any], *read: str) -> dict[str, Any]:
    """What of `fields` was not read and says something."""
    return {key: value for key, value in fields.items() if key not in read and value not in (None, "", [], {}, False)}
