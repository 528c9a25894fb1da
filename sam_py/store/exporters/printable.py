"""A conversation as rich text that a QTextDocument sets and prints: for paper and PDF.

Only the tags and properties that Qt knows (https://doc.qt.io/qt-6/richtext-html-subset.html): no folding, no style
sheet classes but ``language-…`` of code. Pictures are named ``attachment:<sha256>``, formulas as `html_paper` says;
whoever prints draws them, and lets nothing be loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

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
from sam_py.store.exporters.html_paper import boxed, paper_prose, paper_slices
from sam_py.store.exporters.html_prose import escaped
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

LONGEST_ON_PAPER = 6_000
"""Characters of a tool's result."""
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_CUT = "<!--cut-->"
"""Stands where a long message may be parted; what is in messages is escaped and cannot say it."""
_MUTED = 'style="color:#66666b;"'


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading or a message: `html` for ``QTextDocument.setHtml``, and the attachments whose pictures it names."""

    html: str
    pictures: tuple[str, ...] = ()
    continues: bool = False
    """It goes on with the message before it: a long one is in several."""
    is_message: bool = False
    is_persons: bool = False
    """The person said it."""


def printable_pieces(
    conversation: StoredConversation, messages: Sequence[str] = (), *, branches: bool = False
) -> Iterator[Piece]:
    """The conversation for paper, dark on white, for a printer that sets one piece after the other by `on_paper`."""
    yield Piece(f"<h1>{escaped(conversation.title)}</h1>")
    for section in sections(conversation, messages, branches=branches):
        if section.branch:
            after = f"after “{escaped(section.after)}”" if section.after else "from the beginning"
            yield Piece(f"<hr><h2>Version {section.branch + 1}, {after}</h2>")
        for entry in entries(conversation, section):
            setter = _Setter()
            if html := setter.entry(entry):
                for number, slice in enumerate(html.split(_CUT)):
                    pictures = tuple(picture for picture in setter.pictures if picture in slice)
                    yield Piece(slice, pictures, number > 0, True, isinstance(entry.message, UserMessage))


def on_paper(body: str) -> str:
    """`body` as a page of its own."""
    return f'<body style="color:#1d1d1f;">{body}</body>'  # Qt takes <html> for left to right, whatever is in it


class _Setter:
    def __init__(self) -> None:
        self.pictures: dict[str, None] = {}

    def entry(self, entry: Entry) -> str:
        message = entry.message
        if is_only_signature(message):
            return ""
        when = f"<span {_MUTED}> · {local_time(message.created_at)}</span>"
        head = f"<p><b>{escaped(who(message))}</b>{when}</p>"
        if isinstance(message, ToolResultMessage):
            body = self._tool(message.tool_name, "", message)
        else:
            body = "".join(self._part(part, entry) for part in message.parts)
        if isinstance(message, SystemMessage | DeveloperMessage):
            body = body.replace(_CUT, "")
            body = f"<div {_MUTED}>{body}</div>"
        if ended := how_it_ended(message):
            body += f'<p style="color:#8a5a00;">{ended}</p>'
        if entry.error is not None:
            body += f'<p style="color:#b3261e;">{escaped(entry.error.text)}</p>'
        return head + body

    def _part(self, part: Part, entry: Entry) -> str:
        match part:
            case TextPart():
                return _CUT.join(paper_slices(part.text))
            case CodePart():
                return _named(part.filename) + boxed(part.code, part.language)
            case ImagePart():
                return self._picture(part)
            case FilePart():
                return f"<p>📄 {escaped(part.filename)}</p>"
            case ThinkingTextPart():
                return f"<blockquote {_MUTED}><h6><i>Thinking</i></h6>{paper_prose(part.text)}</blockquote>"
            case ThinkingSignaturePart():
                return ""
            case ToolCallPart():
                return self._tool(part.tool_name, part.arguments_json, entry.results.get(part.call_id))
            case UnknownPart():
                return f"<p {_MUTED}>{escaped(part.in_words or f'[{part.kind}: only in the JSON export]')}</p>"
            case _:
                assert_never(part)

    def _picture(self, part: ImagePart) -> str:
        if part.attachment and _HASH.match(part.attachment):
            self.pictures[part.attachment] = None
            caption = f"<p {_MUTED}>{escaped(part.alt)}</p>" if part.alt else ""
            return f'<p><img src="attachment:{part.attachment}"></p>{caption}'
        return f"<p {_MUTED}>[picture: {escaped(part.alt or part.url or 'its file is missing')}]</p>"

    def _tool(self, name: str, arguments: str, result: ToolResultMessage | None) -> str:
        head = f"<p><b>{escaped(name or 'tool')}</b> <span {_MUTED}>({state_of(result)})</span></p>"
        if arguments.strip() not in ("", "{}"):
            head += boxed(shortened(arguments, LONGEST_ON_PAPER), "json")
        if result is not None:
            if result.output_text.strip():
                head += boxed(shortened(result.output_text, LONGEST_ON_PAPER))
            head += "".join(self._part(part, Entry(result, {})) for part in result.parts)
        return head


def _named(name: str) -> str:
    return f"<p {_MUTED}>{escaped(name)}</p>" if name else ""
