"""ConversationSummary: a row of the conversation list, from a journal or from an open bus."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.message_bus import MessageBus
from sam_py.bus.stored_settings import settings_from
from sam_py.messages.history import ConversationSettings
from sam_py.messages.message import Message

PREVIEW_CHARACTERS = 160
_COPY = re.compile(r"\s*\(copy(?: \d+)?\)$")


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """What the list shows of a conversation. `updated_at` is when its newest message was begun."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    folder: str = ""
    pinned: bool = False
    archived: bool = False
    preview: str = ""
    provider: str = ""
    model: str = ""
    message_count: int = 0


def summary_of_bus(bus: MessageBus, before: ConversationSummary | None, now: datetime) -> ConversationSummary:
    """The row of an open conversation. O(1), but for the preview of its last message."""
    tip = bus.tip
    preview = before.preview if before is not None else ""
    updated = before.updated_at if before is not None else now
    if tip is None:
        preview = ""
    elif not bus.is_streaming(tip):
        message = bus.get(tip)
        preview = preview_of(message)
        updated = max(updated, message.created_at)
    return _summary(bus.conversation_id, bus.settings, preview, updated, bus.tree_size, before)


def summary_of_history(id: str, history: LoadedHistory, changed_at: datetime) -> ConversationSummary:
    """The row of a conversation on disk; parses one message. `changed_at` stands in where nothing has a date."""
    settings = settings_from(history.settings)
    preview = ""
    updated = settings.created_at or changed_at
    if history.messages:
        message = history.messages[-1].load()
        preview = preview_of(message)
        updated = message.created_at
    return _summary(id, settings, preview, updated, len(history.messages), None)


def summary_of_damaged(id: str, changed_at: datetime) -> ConversationSummary:
    """The row of a conversation of which nothing can be read, and nothing is known from before."""
    return ConversationSummary(id, "Damaged conversation", changed_at, changed_at)


def preview_of(message: Message) -> str:
    """The beginning of a message on one line.

    >>> from sam_py.messages.message import UserMessage
    >>> from sam_py.messages.parts import TextPart
    >>> preview_of(UserMessage(parts=(TextPart(text="Hello\\n  there"),)))
    'Hello there'
    """
    return " ".join(message.plain_text[: PREVIEW_CHARACTERS * 4].split())[:PREVIEW_CHARACTERS]


def to_row(summary: ConversationSummary) -> list[object]:
    """As a list that JSON can hold."""
    return [
        summary.id,
        summary.title,
        summary.created_at.isoformat(),
        summary.updated_at.isoformat(),
        summary.folder,
        summary.pinned,
        summary.archived,
        summary.preview,
        summary.provider,
        summary.model,
        summary.message_count,
    ]


def from_row(row: list[object]) -> ConversationSummary:
    """Back from `to_row`. Raises ValueError or TypeError where it does not fit."""
    id, title, created, updated, folder, pinned, archived, preview, provider, model, count = row
    if type(id) is not str or type(title) is not str or type(count) is not int:
        raise TypeError("not a row of the list")
    return ConversationSummary(
        id,
        title,
        datetime.fromisoformat(str(created)),
        datetime.fromisoformat(str(updated)),
        str(folder),
        bool(pinned),
        bool(archived),
        str(preview),
        str(provider),
        str(model),
        count,
    )


def _summary(
    id: str,
    settings: ConversationSettings,
    preview: str,
    updated: datetime,
    count: int,
    before: ConversationSummary | None,
) -> ConversationSummary:
    created = settings.created_at or (before.created_at if before is not None else updated)
    return ConversationSummary(
        id=id,
        title=settings.title,
        created_at=created.astimezone(UTC),
        updated_at=updated.astimezone(UTC),
        folder=settings.folder,
        pinned=settings.pinned,
        archived=settings.archived,
        preview=preview,
        provider=settings.provider,
        model=settings.model,
        message_count=count,
    )


def newest_first(summaries: Mapping[str, ConversationSummary]) -> list[ConversationSummary]:
    return sorted(summaries.values(), key=lambda summary: (summary.updated_at, summary.id), reverse=True)


def copy_title(title: str, taken: Collection[str] = ()) -> str:
    """The title of a copy, told apart from those that are `taken`; a copy of a copy is one more of the first.

    >>> copy_title("Soup"), copy_title("Soup (copy)", {"Soup (copy)"}), copy_title("")
    ('Soup (copy)', 'Soup (copy 2)', '(copy)')
    """
    bare = _COPY.sub("", title).rstrip()
    number = 1
    while (name := f"{bare} (copy{f' {number}' if number > 1 else ''})".strip()) in taken:
        number += 1
    return name
