"""What is asked of the index, and what it answers. Plain values: nothing here knows the database."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sam_py.store.search_index.errors import SearchError
from sam_py.store.search_index.extract import ItemKind

HitKind = Literal["title", "text", "code", "tool", "thinking", "image", "file", "link", "document"]
HIT_KINDS: tuple[HitKind, ...] = ("title", "text", "code", "tool", "thinking", "image", "file", "link", "document")
BY_DEFAULT: tuple[HitKind, ...] = ("title", "text", "code", "tool", "image", "file", "link", "document")
"""Thinking repeats the words of question and answer: it is searched when it is asked for alone."""

Order = Literal["best", "newest", "oldest"]
Cursor = tuple[float | int | str, ...]
"""Where a page ended. Opaque; goes back into the same query to get the next one."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Filters:
    """What narrows a search or a list; an empty field narrows nothing.

    `kinds`: of hits (`HIT_KINDS`) or of items (`ITEM_KINDS`). `since` and `until` are aware; `until` itself is out.
    `text`: for items, words that must all occur in its name, address or text, anywhere in a word.
    `folder`: its name, for whoever shows it; `among` are the conversations in it, which the index does not know.
    `role`: whose messages (``user``, ``assistant``, ``tool``).
    """

    kinds: frozenset[str] = frozenset()
    conversation_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    model: str = ""
    min_importance: float = 0.0
    pinned_only: bool = False
    shown_path_only: bool = False
    text: str = ""
    folder: str = ""
    among: frozenset[str] = frozenset()
    role: str = ""

    @property
    def has_no_titles(self) -> bool:
        """Whether it narrows by what a conversation as a whole has not."""
        narrow = (self.conversation_id, self.model, self.min_importance, self.pinned_only, self.role)
        return any(narrow)


@dataclass(frozen=True, slots=True)
class Place:
    """A message, and all that is needed to go there.

    `conversation_title`: of one without a title the beginning of its last message, as the list of conversations has it.

    `is_on_path`: it is on the branch that is shown; where not, `MessageBus.select_branch(message_id)` shows it.
    `message_id` is empty where the place is the conversation as a whole.
    """

    conversation_id: str
    conversation_title: str
    message_id: str
    at: datetime
    role: str = ""
    model: str = ""
    importance: float = 0.5
    is_pinned: bool = False
    is_on_path: bool = True


@dataclass(frozen=True, slots=True)
class Hit:
    """`marks` are the ranges of `snippet` where the words stand, sorted and apart.

    `kind` says in what they were found; `part_index` in which part, or -1. Of a document, `name` is the file's and
    `label` the page's ("Page 3"). `is_similar`: it was found by its meaning alone (`store.semantic`).
    """

    place: Place
    kind: HitKind
    snippet: str
    marks: tuple[Span, ...]
    score: float = 0.0
    part_index: int = -1
    name: str = ""
    label: str = ""
    is_similar: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """`total`: how many hits there are, or at least, where `is_total_least`. `next`: None where this was all."""

    hits: tuple[Hit, ...] = ()
    next: Cursor | None = None
    total: int = 0
    is_total_least: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A thing for the library. `offset`: characters into its part's text.

    `name` is what to show; `detail` the language of code, the host of a link, the status of a tool's result, the
    alternative text of an image; `text` the beginning of code or result, or the prompt behind an image.
    """

    place: Place
    kind: ItemKind
    part_index: int
    offset: int
    name: str
    detail: str
    text: str
    url: str
    attachment: str
    mime_type: str
    size: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Item, ...] = ()
    next: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Pin:
    """A pinned message with the beginning of its words, and the rule by which it is as important as it is."""

    place: Place
    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class Pins:
    pins: tuple[Pin, ...] = ()
    next: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many there are: items by kind, pinned messages, messages; `models` by how many replies, the most first."""

    items: dict[str, int] = field(default_factory=dict)
    pinned: int = 0
    messages: int = 0
    conversations: int = 0
    models: tuple[tuple[str, int], ...] = ()


Phase = Literal["opening", "building", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class IndexState:
    """How far the index is. `done` and `total` count conversations, `share` (0 to 1) their bytes.

    `revision` grows with every change that can be seen: whoever shows a list asks again. `error` says why it failed
    (it is tried again by itself), and stays while the index is ``building`` again after damage.
    """

    phase: Phase = "opening"
    done: int = 0
    total: int = 0
    share: float = 0.0
    revision: int = 0
    answered: int = 0
    """How many of the things that the index was told are in it."""
    error: SearchError | None = None
