"""Titles: the first words at once, a better one by the model after the first exchange, the person's own for good."""

from __future__ import annotations

import re

from sam_py.messages.message import Message
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.messages.usage import Usage
from sam_py.providers.base import ChatRequest, Finished, Provider, TextDelta, UsageReported

FIRST_WORDS = 50
"""Characters of a title from first words, cut at a word's end."""
LONGEST = 60
"""Characters of a title by a model."""
_LOOKED_AT = 2000
_SHOWN = 1200
_ASK = (
    "Name the conversation below in three to six words, in the language of its first message. "
    "Answer with the name alone: one line, no quotation marks, no full stop, no introduction."
)
_MARKUP = re.compile(r"^\s*(?:```.*|~~~.*|#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+|\|)", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|_|~~|`+)(?=\S)(.{1,200}?)(?<=\S)\1(?!\w)")
_LEAD = re.compile(r"^(?:title|titel|titre|título|name)\s*[:：]\s*", re.IGNORECASE)
_QUOTES = "\"'“”„‟‘’‚«»‹›「」『』`*_#"


def title_from(text: str, longest: int = FIRST_WORDS) -> str:
    """The first words of `text` without markdown, at most `longest` characters, cut at a word's end with "…".

    >>> title_from("## How do I **bake** bread?\\nWith rye.")
    'How do I bake bread?'
    """
    plain = _MARKUP.sub("", text[:_LOOKED_AT])
    plain = _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", plain))
    line = next((" ".join(line.split()) for line in plain.splitlines() if line.strip()), "")
    return _cut(line, longest)


def title_of(message: Message) -> str:
    """The title for a conversation that begins with `message`: its words, else the name of what is attached."""
    title = title_from(message.text)
    if title:
        return title
    for file in message.files:
        return _cut(file.filename, FIRST_WORDS)
    for image in message.images:
        return _cut(image.alt, FIRST_WORDS)
    return title_from(message.plain_text)


def clean_title(answer: str) -> str:
    """A model's answer as a title: one line, no quotation marks, at most `LONGEST` characters, or "" if unusable.

    >>> clean_title('Title: "Baking rye bread."\\n')
    'Baking rye bread'
    """
    answer = re.sub(r"<think>.*?(?:</think>|\Z)", "", answer[:_LOOKED_AT], flags=re.DOTALL)
    line = next((" ".join(line.split()) for line in answer.splitlines() if line.strip(_QUOTES + " ")), "")
    line = _LEAD.sub("", line.strip(_QUOTES + " ")).strip(_QUOTES + " ")
    line = line.rstrip(".。,;:：") if not line.endswith("...") else line[:-3]
    return _cut(line.strip(_QUOTES + " "), LONGEST)


async def ask_for_title(provider: Provider, model: str, question: str, answer: str) -> tuple[str, Usage | None]:
    """Let `model` name the exchange; "" where its answer is no title. Raises what the provider raises."""
    text = f"{_ASK}\n\n<first_message>\n{question[:_SHOWN]}\n</first_message>\n<reply>\n{answer[:_SHOWN]}\n</reply>"
    request = ChatRequest(
        model=model,
        turns=(Turn("user", (TextPart(text=text),)),),
        max_tokens=64,
        limits=provider.limits_of(model),
    )
    pieces: list[str] = []
    usage: Usage | None = None
    events = provider.stream(request)
    try:
        async for event in events:
            match event:
                case TextDelta(piece):
                    pieces.append(piece)
                case UsageReported(reported):
                    usage = reported
                case Finished():
                    break
                case _:
                    pass
            if sum(map(len, pieces)) > _LOOKED_AT:
                break
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
    return clean_title("".join(pieces)), usage


def _cut(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    at_space = head.rfind(" ") if line[longest - 1] != " " else len(head)
    return (head[:at_space] if at_space > longest // 2 else head).rstrip(" ,;:–—-") + "…"
