"""A conversation as plain text: who said what and when, and what tools were asked and gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.reading import (
    Entry,
    entries,
    how_it_ended,
    is_only_signature,
    local_time,
    sections,
    shortened,
    state_of,
    who,
)

_RULE = "-" * 72


def plain(conversation: StoredConversation, messages: Sequence[str] = (), *, branches: bool = False) -> Iterator[str]:
    """The text in pieces."""
    title = " ".join(conversation.title.split())
    yield f"{title}\n{'=' * min(72, max(3, len(title)))}\n\n"
    for section in sections(conversation, messages, branches=branches):
        if section.branch:
            after = f"after “{section.after}”" if section.after else "from the beginning"
            yield f"{_RULE}\nVersion {section.branch + 1}, {after}\n{_RULE}\n\n"
        for entry in entries(conversation, section):
            yield _entry(entry)


def _entry(entry: Entry) -> str:
    message = entry.message
    if is_only_signature(message):
        return ""
    if isinstance(message, ToolResultMessage):
        blocks = [_tool(message.tool_name, "", message)]
    else:
        blocks = [_part(part, entry) for part in message.parts]
    if ended := how_it_ended(message):
        blocks.append(f"[{ended}]")
    if entry.error is not None:
        blocks.append(f"[Error: {entry.error.text}]")
    body = "\n\n".join(block for block in blocks if block.strip())
    return f"{' '.join(who(message).split())} ({local_time(message.created_at)}):\n{body}\n\n"


def _part(part: Part, entry: Entry) -> str:
    match part:
        case TextPart():
            return part.text.strip()
        case CodePart():
            return part.code.rstrip()
        case ImagePart():
            return f"[Picture: {part.alt or part.url or 'no description'}]"
        case FilePart():
            return f"[File: {part.filename}]"
        case ThinkingTextPart():
            return f"[Thinking: {part.text.strip()}]" if part.text.strip() else ""
        case ThinkingSignaturePart():
            return ""
        case ToolCallPart():
            return _tool(part.tool_name, part.arguments_json, entry.results.get(part.call_id))
        case UnknownPart():
            return part.in_words or f"[{part.kind}: only in the JSON export]"
        case _:
            assert_never(part)


def _tool(name: str, arguments: str, result: ToolResultMessage | None) -> str:
    asked = f": {arguments.strip()}" if arguments.strip() not in ("", "{}") else ""
    lines = [f"[Tool {name or 'tool'} ({state_of(result)}){asked}]"]
    if result is not None:
        lines += [shortened(result.output_text).strip()] if result.output_text.strip() else []
        lines += [_part(part, Entry(result, {})) for part in result.parts]
    return "\n".join(filter(None, lines))
