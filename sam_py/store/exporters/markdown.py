"""A conversation as Markdown: what was said as it was written, the rest in quotes and fences around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from sam_py.messages.message import DeveloperMessage, SystemMessage, ToolResultMessage
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

Place = Callable[[str, str], str]
"""Takes an attachment's hash and a name; returns the address under which the file will lie, or "" for no place."""

_TO_ESCAPE = re.compile(r"([\\`*_\[\]<>#|])")
_BACKTICKS = re.compile(r"`+")


def markdown(
    conversation: StoredConversation, place: Place, messages: Sequence[str] = (), *, branches: bool = False
) -> Iterator[str]:
    """The text in pieces."""
    yield f"# {line(conversation.title)}\n\n"
    for section in sections(conversation, messages, branches=branches):
        if section.branch:
            after = f" after “{line(section.after)}”" if section.after else " from the beginning"
            yield f"---\n\n# Version {section.branch + 1},{after}\n\n"
        for entry in entries(conversation, section):
            yield _entry(entry, place)


def line(text: str) -> str:
    """Text for one line of Markdown, its signs as themselves.

    >>> line("a *b*\\nc")
    'a \\\\*b\\\\* c'
    """
    return _TO_ESCAPE.sub(r"\\\1", " ".join(text.split()))


def fenced(text: str, language: str = "") -> str:
    """A block of code in a fence that is longer than any in it.

    >>> fenced("a ``` b").splitlines()
    ['````', 'a ``` b', '````']
    """
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    name = re.sub(r"[`\s].*", "", language.strip(), flags=re.DOTALL)
    return f"{fence}{name}\n{text.rstrip()}\n{fence}\n"


def quoted(text: str) -> str:
    return "".join(f"> {each}\n" if each else ">\n" for each in text.strip().splitlines())


def _entry(entry: Entry, place: Place) -> str:
    message = entry.message
    if is_only_signature(message):
        return ""
    pin = " 📌" if message.pinned else ""
    head = f"## {line(who(message))}{pin} — {local_time(message.created_at)}\n\n"
    if isinstance(message, ToolResultMessage):
        blocks = [_tool(message.tool_name, "", message, place)]
    else:
        blocks = [_part(part, entry, place) for part in message.parts]
    if isinstance(message, SystemMessage | DeveloperMessage):
        blocks = [quoted("\n\n".join(filter(None, blocks)))]
    if ended := how_it_ended(message):
        blocks.append(f"*{ended}*\n")
    if entry.error is not None:
        blocks.append(f"**Error:** {line(entry.error.text)}\n")
    return head + "\n".join(block for block in blocks if block) + "\n"


def _part(part: Part, entry: Entry, place: Place) -> str:
    match part:
        case TextPart():
            return f"{part.text.strip()}\n" if part.text.strip() else ""
        case CodePart():
            name = f"`{line(part.filename)}`\n\n" if part.filename else ""
            return name + fenced(part.code, part.language)
        case ImagePart():
            return _picture(part, place)
        case FilePart():
            address = place(part.attachment, part.filename)
            return f"📄 [{line(part.filename)}]({address})\n" if address else f"📄 {line(part.filename)}\n"
        case ThinkingTextPart():
            return quoted(f"**Thinking**\n\n{part.text.strip()}") if part.text.strip() else ""
        case ThinkingSignaturePart():
            return ""
        case ToolCallPart():
            return _tool(part.tool_name, part.arguments_json, entry.results.get(part.call_id), place)
        case UnknownPart():
            return f"*{line(part.in_words or f'[{part.kind}: shown only in the JSON export]')}*\n"
        case _:
            assert_never(part)


def _picture(part: ImagePart, place: Place) -> str:
    if part.attachment and (address := place(part.attachment, part.alt)):
        return f"![{line(part.alt)}]({address})\n"
    if part.url and not re.search(r"[\s<>()]", part.url):
        return f"🖼 <{part.url}>\n"
    return f"*[picture: {line(part.alt) or 'its file is missing'}]*\n"


def _tool(name: str, arguments: str, result: ToolResultMessage | None, place: Place) -> str:
    blocks = [f"**Tool {line(name or 'tool')}** — {state_of(result)}\n"]
    if arguments.strip() not in ("", "{}"):
        blocks.append(fenced(_pretty(arguments), "json"))
    if result is not None:
        if result.output_text.strip():
            blocks.append(fenced(shortened(result.output_text)))
        blocks += [_part(part, Entry(result, {}), place) for part in result.parts]
    return "\n".join(filter(None, blocks))


def _pretty(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments
