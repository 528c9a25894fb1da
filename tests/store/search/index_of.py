"""What the tests of queries share: conversations as they are said, and an index that is asked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sam_py.messages.history import MessageAdded, SettingsChanged
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import Part, TextPart
from sam_py.paths import Paths
from sam_py.store.journal import Journal
from sam_py.store.search_index.results import Filters, Results
from sam_py.store.search_index.search import search
from tests.store.kit import START
from tests.store.search.shelf import folder_of

NOW = START + timedelta(days=400)
EVERYTHING = Filters()
NOTES = "b" * 64


class Index:
    """A reader of an index in which something is said."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def search(self, text: str, filters: Filters = EVERYTHING, **more: Any) -> Results:
        given: dict[str, Any] = {"limit": 50, "after": None, "order": "best", "now": NOW, **more}
        return search(self.connection, text, filters, **given)

    def ids(self, text: str, filters: Filters = EVERYTHING, **more: Any) -> list[str]:
        return [hit.place.message_id for hit in self.search(text, filters, **more).hits]


def user(id: str, *parts: Part | str, parent: str | None = None, days: float = 0, **more: Any) -> Message:
    return UserMessage(id=id, parent_id=parent, created_at=START + timedelta(days=days), parts=as_parts(parts), **more)


def reply(id: str, *parts: Part | str, parent: str | None = None, days: float = 0, **more: Any) -> Message:
    at = START + timedelta(days=days)
    return AssistantMessage(id=id, parent_id=parent, created_at=at, parts=as_parts(parts), stop_reason="stop", **more)


def as_parts(parts: tuple[Part | str, ...]) -> tuple[Part, ...]:
    return tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)


def write(paths: Paths, conversation: str, *messages: Message, title: str = "", more: tuple[Any, ...] = ()) -> None:
    events = [SettingsChanged(key="title", value=title), *(MessageAdded(message=each) for each in messages), *more]
    Journal(folder_of(paths, conversation), "aa").save(events)
