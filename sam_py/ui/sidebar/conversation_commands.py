"""ConversationCommands: what a person does to conversations in the list, each with its way back."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Protocol

from pydantic import JsonValue
from PySide6.QtCore import QObject, Signal

from sam_py.bus.message_bus import AUTO_PIN
from sam_py.store.library import LibraryChange
from sam_py.store.summary import ConversationSummary
from sam_py.ui.widgets.plain import one_line

Spawn = Callable[[Coroutine[Any, Any, Any]], object]
_TITLE_SHOWN = 40


class ConversationLibrary(Protocol):
    """What the sidebar needs of `store.library.Library`."""

    def summaries(self) -> list[ConversationSummary]: ...
    def summary(self, id: str) -> ConversationSummary | None: ...
    def subscribe(self, listener: Callable[[LibraryChange], None]) -> Callable[[], None]: ...
    async def change_setting(self, id: str, key: str, value: JsonValue) -> None: ...
    async def duplicate(self, id: str) -> str: ...
    async def chosen_pins(self, id: str, auto_pin: int) -> int: ...
    async def delete(self, id: str) -> None: ...
    async def restore(self, id: str) -> None: ...


class ConversationCommands(QObject):
    """What takes something away comes with a notice that brings it back, and is done without a question.

    Only before pins go with their conversations it is asked: they may be all that somebody wants to keep of them.
    """

    deleted = Signal(str)
    opened = Signal(str)
    """A conversation that a command made."""
    notice_requested = Signal(str, str, object)
    """text, the words of its button, what the button does (a callable without arguments)"""
    pins_at_stake = Signal(list, dict, str)
    """What shall be deleted, which of it has pins (id → how many), and its name where it is one: ask, then `remove`."""

    def __init__(self, library: ConversationLibrary, spawn: Spawn, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._spawn = spawn
        self._looked_at: set[str] = set()
        self.auto_pin = AUTO_PIN
        """So many messages of a conversation are pinned unasked; nothing is asked for them."""

    def rename(self, id: str, title: str) -> None:
        self._spawn(self._change([id], "title", title))

    def pin(self, ids: Sequence[str], pinned: bool) -> None:
        self._spawn(self._change(ids, "pinned", pinned))

    def move(self, ids: Sequence[str], folder: str) -> None:
        """Put conversations into a folder ("" for none). A pinned one stays where it is seen."""
        self._spawn(self._change(ids, "folder", one_line(folder).strip()))

    def archive(self, ids: Sequence[str], archived: bool) -> None:
        self._spawn(self._archive(list(ids), archived))

    def duplicate(self, ids: Sequence[str]) -> None:
        self._spawn(self._duplicate(list(ids)))

    def delete(self, ids: Sequence[str]) -> None:
        """Delete what has no pins; where something has, ask through `pins_at_stake`."""
        self._spawn(self._delete(list(ids)))

    def remove(self, ids: Sequence[str], kept: Iterable[str] = ()) -> None:
        """Delete without a question, but put those that are `kept` into the archive."""
        kept = set(kept)
        self._spawn(self._remove([id for id in ids if id not in kept], [id for id in ids if id in kept]))

    def rename_folder(self, folder: str, name: str) -> None:
        """Give a folder another name; "" takes the folder away and keeps its conversations."""
        self.move(self.ids_in(folder), name)

    def ids_in(self, folder: str) -> list[str]:
        """The conversations of a folder, pinned and archived ones too."""
        return [each.id for each in self._library.summaries() if each.folder == folder]

    async def _change(self, ids: Iterable[str], key: str, value: JsonValue) -> None:
        for id in ids:
            await self._library.change_setting(id, key, value)

    async def _archive(self, ids: list[str], archived: bool) -> None:
        await self._change(ids, "archived", archived)
        if archived and ids:
            text = self._said(ids, self.tr("Archived “%1”."), self.tr("Archived %1 conversations."))
            self.notice_requested.emit(text, self.tr("Undo"), lambda: self.archive(ids, False))

    async def _duplicate(self, ids: list[str]) -> None:
        copies = [await self._library.duplicate(id) for id in ids]
        if len(copies) == 1:
            self.opened.emit(copies[0])

    async def _delete(self, ids: list[str]) -> None:
        ids = [id for id in ids if id not in self._looked_at]  # the key was pressed twice
        self._looked_at.update(ids)
        try:
            pins = {id: count for id in ids if (count := await self._library.chosen_pins(id, self.auto_pin))}
        finally:
            self._looked_at.difference_update(ids)
        if pins:
            self.pins_at_stake.emit(ids, pins, self._title(ids[0]) if len(ids) == 1 else "")
        elif ids:
            await self._remove(ids, [])

    async def _remove(self, ids: list[str], kept: list[str]) -> None:
        await self._archive([id for id in kept if not self._is_archived(id)], True)
        if not ids:
            return
        text = self._said(ids, self.tr("Deleted “%1”."), self.tr("Deleted %1 conversations."))
        done: list[str] = []
        try:
            for id in ids:
                await self._library.delete(id)
                done.append(id)
                self.deleted.emit(id)
        finally:
            if done:
                self.notice_requested.emit(text, self.tr("Undo"), lambda: self._spawn(self._restore(done)))

    async def _restore(self, ids: list[str]) -> None:
        for id in ids:
            await self._library.restore(id)
        if len(ids) == 1:
            self.opened.emit(ids[0])

    def _said(self, ids: Sequence[str], one: str, several: str) -> str:
        if len(ids) != 1:
            return several.replace("%1", str(len(ids)))
        return one.replace("%1", self._title(ids[0]))

    def _title(self, id: str) -> str:
        summary = self._library.summary(id)
        title = one_line(summary.title or summary.preview) if summary is not None else ""
        title = title or self.tr("New chat")
        return title if len(title) <= _TITLE_SHOWN else title[: _TITLE_SHOWN - 1].rstrip() + "…"

    def _is_archived(self, id: str) -> bool:
        summary = self._library.summary(id)
        return summary is not None and summary.archived
