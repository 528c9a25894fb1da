"""Tools for notes across conversations: remember, recall. Off until the person switches them on."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sam_py.errors import SamError
from sam_py.store.notes import Note, Notes
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput, Touch
from sam_py.tools.builtin.matching import fit, words_of

_SHOWN = 20


class Remember(Arguments):
    action: Literal["add", "remove"] = Field(
        default="add", description="add: keep text. remove: delete the note of id."
    )
    text: str = Field(
        default="", max_length=2_000, description="One fact, so that it is clear without this conversation."
    )
    id: str = Field(default="", max_length=64, description="The note to remove, as recall named it.")


class RememberTool(BuiltinTool[Remember]):
    name = "remember"
    label = "Remember"
    icon = "pin"
    description = (
        "Keep a note for later conversations, or remove one. For lasting facts and wishes of the person (“prefers "
        "metric units”), above all when they ask you to remember. Never for passwords, keys or what others wrote. "
        "Look with recall first whether it is known already."
    )
    takes = Remember
    parallel_safe = False

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def doing(self, arguments: Remember) -> str:
        if arguments.action == "remove":
            return f"Forget the note {arguments.id}"
        return f"Remember: {' '.join(arguments.text.split())}"

    def touches(self, arguments: Remember) -> tuple[Touch, ...]:
        return (Touch("write", "the notes that all conversations share"),)

    async def run(self, arguments: Remember, running: Running) -> ToolOutput:
        try:
            if arguments.action == "remove":
                if not await self._notes.remove(arguments.id.strip()):
                    raise ToolError(f"There is no note {arguments.id!r}. Find its id with recall.")
                return ToolOutput("The note is removed.")
            text = arguments.text.strip()
            if not text:
                raise ToolError("Give the text of the note.")
            known = next((note for note in await self._notes.all() if note.text.casefold() == text.casefold()), None)
            if known is not None:
                return ToolOutput(f"That is noted already (id {known.id}).")
            note = Note(text=text, conversation_id=running.conversation_id)
            await self._notes.add(note)
        except ToolError:
            raise
        except SamError as error:
            raise ToolError(str(error)) from error
        return ToolOutput(f"Noted (id {note.id}).", details=(text,))


class Recall(Arguments):
    words: str = Field(default="", max_length=500, description="What the note is about. Empty: the newest notes.")


class RecallTool(BuiltinTool[Recall]):
    name = "recall"
    label = "Recall notes"
    icon = "pin"
    description = (
        "Search the notes that were kept from earlier conversations with this person. Use it when they refer to "
        "something that you should know about them. For earlier messages of this conversation use recall_history."
    )
    takes = Recall

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def doing(self, arguments: Recall) -> str:
        return f"Look for notes about “{arguments.words}”" if arguments.words.strip() else "Look at the newest notes"

    async def run(self, arguments: Recall, running: Running) -> ToolOutput:
        try:
            notes = await self._notes.all()
        except SamError as error:
            raise ToolError(str(error)) from error
        words = words_of(arguments.words)
        found = notes
        if words:
            rated = [(fit(note.text, words), note) for note in notes]
            found = [note for rate, note in sorted(rated, key=lambda each: -each[0]) if rate > 0]
        if not found:
            return ToolOutput("No note fits." if notes else "There are no notes yet.")
        lines = [f"{note.created_at:%Y-%m-%d} (id {note.id}): {note.text}" for note in found[:_SHOWN]]
        more = len(found) - len(lines)
        if more:
            lines.append(f"… and {more} more. Give more words to narrow the search.")
        return ToolOutput("\n".join(lines), details=tuple(lines))
