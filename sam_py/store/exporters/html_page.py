"""A conversation as one HTML file that holds everything it shows: no script, no address that is loaded."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import assert_never

from sam_py import __version__
from sam_py.messages.message import DeveloperMessage, SystemMessage, ToolResultMessage, UserMessage
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
from sam_py.store.exporters.html_prose import code, escaped, link, prose
from sam_py.store.exporters.html_style import policy, style_sheet
from sam_py.store.exporters.pictures import kind_of_picture
from sam_py.store.exporters.reading import (
    Entry,
    Section,
    entries,
    how_it_ended,
    is_only_signature,
    local_time,
    sections,
    shortened,
    state_of,
    who,
)

Find = Callable[[str], Path | None]
LARGEST_PICTURE_BYTES = 64 * 1024 * 1024
_STATES = {"done": "ok", "failed": "failed", "stopped": "stopped", "no result": "none"}


def page(
    conversation: StoredConversation, find: Find, messages: Sequence[str] = (), *, branches: bool = False
) -> Iterator[str]:
    """The page in pieces. `messages` chooses some of the conversation's, `branches` all ways through it."""
    parts = sections(conversation, messages, branches=branches)
    yield from head(conversation.title)
    yield _top(conversation, parts)
    for section in parts:
        if section.branch:
            after = f"After “{escaped(section.after)}”" if section.after else "From the beginning"
            yield f'<section class="branch"><h2>Version {section.branch + 1}</h2><p class="after">{after}</p>\n'
        for entry in entries(conversation, section):
            yield _article(entry, find)
        if section.branch:
            yield "</section>\n"
    yield foot()


def head(title: str) -> Iterator[str]:
    """Everything up to the content."""
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        '<meta http-equiv="x-dns-prefetch-control" content="off">\n'
        f'<meta name="generator" content="SAM for Python {escaped(__version__)}">\n'
        f"<title>{escaped(title)}</title>\n<style>{style_sheet()}</style>\n</head>\n<body>\n<main>\n"
    )


def foot() -> str:
    return '<p class="foot">Exported from SAM for Python.</p>\n</main>\n</body>\n</html>\n'


def _top(conversation: StoredConversation, parts: Sequence[Section]) -> str:
    ids = [id for section in parts for id in section.ids]
    facts = [f"{len(ids):,} message{'' if len(ids) == 1 else 's'}"]
    if ids:
        facts.append(local_time(conversation.message(ids[0]).created_at))
    if conversation.settings.folder:
        facts.append(escaped(conversation.settings.folder))
    title = escaped(conversation.title)
    return f'<header class="top"><h1 dir="auto">{title}</h1><p>{" · ".join(facts)}</p></header>\n'


def _article(entry: Entry, find: Find) -> str:
    message = entry.message
    if is_only_signature(message):
        return ""
    kind = "user" if isinstance(message, UserMessage) else "reply"
    pin = ' <span class="pin" title="Pinned">📌</span>' if message.pinned else ""
    when = f'<time datetime="{message.created_at.isoformat()}">{local_time(message.created_at)}</time>'
    name = f'<header><span class="who" dir="auto">{escaped(who(message))}</span>{pin}{when}</header>'
    body = "".join(_part(part, entry, find) for part in message.parts)
    if isinstance(message, SystemMessage | DeveloperMessage):
        body = _folded("Instructions", body)
    if isinstance(message, ToolResultMessage):
        body = _tool(message.tool_name, "", message, find)
    if ended := how_it_ended(message):
        body += f'<p class="ended">{escaped(ended)}</p>'
    if entry.error is not None:
        body += f'<p class="error" role="note">{escaped(entry.error.text)}</p>'
    said = f'<div class="said" dir="auto">{body}</div>'
    if isinstance(message, SystemMessage | DeveloperMessage):
        name = ""
    return f'<article class="{kind}" id="m-{escaped(message.id)}">{name}{said}</article>\n'


def _part(part: Part, entry: Entry, find: Find) -> str:
    match part:
        case TextPart():
            return prose(part.text)
        case CodePart():
            return code(part.code, part.language, part.filename)
        case ImagePart():
            return picture(part, find)
        case FilePart():
            size = f'<span class="facts">{_size(part.size)}</span>'
            return f'<p class="file"><span>📄 {escaped(part.filename)}</span>{size}</p>'
        case ThinkingTextPart():
            return _folded("Thinking", prose(part.text))
        case ThinkingSignaturePart():
            return ""
        case ToolCallPart():
            return _tool(part.tool_name, part.arguments_json, entry.results.get(part.call_id), find)
        case UnknownPart():
            words = part.in_words or f"[{part.kind}: shown only in the JSON export]"
            return f'<p class="note">{escaped(words)}</p>'
        case _:
            assert_never(part)


def _folded(summary: str, body: str) -> str:
    return f'<details class="thinking"><summary>{summary}</summary><div class="fold">{body}</div></details>'


def _tool(name: str, arguments: str, result: ToolResultMessage | None, find: Find) -> str:
    state = state_of(result)
    sign = f'<span class="state {_STATES[state]}">{state}</span>'
    inside = ""
    if arguments.strip() not in ("", "{}"):
        inside += f'<h4>Asked with</h4><pre dir="auto">{escaped(_pretty(arguments))}</pre>'
    if result is not None:
        if result.output_text.strip():
            inside += f'<h4>Result</h4><pre dir="auto">{escaped(shortened(result.output_text))}</pre>'
        inside += "".join(_part(part, Entry(result, {}), find) for part in result.parts)
    inside = inside or '<p class="note">Nothing was passed, and nothing came back.</p>'
    head = f"<summary><b>{escaped(name or 'tool')}</b>{sign}</summary>"
    return f'<details class="tool">{head}<div class="fold io">{inside}</div></details>'


def picture(part: ImagePart, find: Find) -> str:
    """A picture, embedded by what its bytes are; what is at an address, or gone, is named."""
    caption = f'<figcaption dir="auto">{escaped(part.alt)}</figcaption>' if part.alt else ""
    data = embedded(part, find)
    if data:
        size = f' width="{part.width}" height="{part.height}"' if part.width and part.height else ""
        return (
            f'<figure class="picture"><img src="{data}" alt="{escaped(part.alt or "picture")}"{size}>{caption}</figure>'
        )
    if part.url:
        return f'<p class="file">🖼 {link(part.url, part.alt or part.url[:120])}</p>'
    return f'<p class="note">[picture: {escaped(part.alt or "its file is missing")}]</p>'


def embedded(part: ImagePart, find: Find) -> str:
    """A picture's content as an address; "" where it is not here, or is no picture that every browser shows."""
    path = find(part.attachment) if part.attachment else None
    if path is None or path.stat().st_size > LARGEST_PICTURE_BYTES:
        return ""
    content = path.read_bytes()
    kind = kind_of_picture(content)
    return f"data:{kind};base64,{base64.b64encode(content).decode()}" if kind else ""


def _pretty(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return arguments


def _size(size: int) -> str:
    if size >= 1_000_000:
        return f"{size / 1_000_000:.1f} MB"
    return f"{max(1, round(size / 1000))} kB" if size else ""
