"""Imported documents as a reminder: what is there already, so that a model asks for none of it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sam_py.bus.reader import ConversationReader
from sam_py.messages.message import Message, UserMessage
from sam_py.messages.parts import FilePart
from sam_py.reminders.wording import one_line, tagged

TAG = "importedDocuments"
_MOST = 40
"""So many are named; the others are counted."""
_TABLES = (".csv", ".tsv", ".xls", ".xlsx", ".ods")


def documents(_conversation: ConversationReader, messages: Sequence[Message]) -> str:
    """The reminder for the files that the person attached in `messages`, except for those of the last one."""
    last = next((index for index in range(len(messages) - 1, -1, -1) if messages[index].role == "user"), 0)
    return documents_reminder(
        part
        for message in messages[:last]
        if type(message) is UserMessage
        for part in message.parts
        if type(part) is FilePart
    )


def documents_reminder(files: Iterable[FilePart]) -> str:
    """The reminder for `files`, each name once (the latest of it); "" where there are none."""
    latest = {file.filename: file for file in files}
    if not latest:
        return ""
    lines = ["The person has attached these documents earlier. They are here: do not ask for them again."]
    for file in list(latest.values())[-_MOST:]:
        lines.append(f"- {one_line(file.filename)} ({file.size:,} bytes), id {file.attachment[:8]}")
    if len(latest) > _MOST:
        lines.append(f"- and {len(latest) - _MOST} others")
    lines.append("Where the text of one is not shown to you any more, read it with a tool instead of from memory.")
    if any(name.lower().endswith(_TABLES) for name in latest):
        lines.append(
            "Some are tables: look each number up before you name it, never guess one, and calculate with a tool."
        )
    return tagged(TAG, "\n".join(lines))
