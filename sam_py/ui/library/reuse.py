"""Reuse: things of the library as the beginning of another message: attachments, and words quoted in its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sam_py.messages.parts import FilePart, ImagePart
from sam_py.store.search_index.results import Item
from sam_py.ui.chat.attachments_intake import PastedText
from sam_py.ui.chat.composer import PASTE_CHARACTERS, PASTE_LINES, Composer
from sam_py.ui.library.contents import file_name, file_part
from sam_py.ui.library.words import conversation, filled, shown_name, tr

_TICKS = re.compile(r"`{3,}")
_SPECIAL = re.compile(r"([\\\[\]])")


@dataclass(frozen=True, slots=True)
class Reused:
    """What goes into the composer; `trouble` says what could not, for the person, or is ""."""

    text: str
    attachments: tuple[ImagePart | FilePart | PastedText, ...] = ()
    trouble: str = ""


def reused(contents: Sequence[tuple[Item, Path | str]], trouble: str = "") -> Reused:
    """The things, each with the file that holds it or its text. A text too long for the box becomes an attachment."""
    quotes: list[str] = []
    attachments: list[ImagePart | FilePart | PastedText] = []
    room, lines = PASTE_CHARACTERS, PASTE_LINES
    for item, content in contents:
        if isinstance(content, Path):
            attachments.append(_stored(item))
            continue
        quote = quoted(item, content)
        if len(quote) > room or quote.count("\n") >= lines:
            attachments.append(PastedText(content, file_name(item)))
            continue
        room, lines = room - len(quote), lines - quote.count("\n")
        quotes.append(quote)
    return Reused("\n\n".join(quotes), tuple(attachments), trouble)


def quoted(item: Item, text: str) -> str:
    """Code as a fenced block, an address as a link, what a tool found as a quotation that says where it is from."""
    match item.kind:
        case "code":
            longest = max((len(found) for found in _TICKS.findall(text)), default=2)
            fence = "`" * (longest + 1)
            return f"{fence}{item.detail}\n{text.rstrip(chr(10))}\n{fence}"
        case "tool":
            said = filled(tr("From %1 in “%2”:"), shown_name(item), conversation(item))
            return "\n".join([said, ">", *(f"> {line}".rstrip() for line in text.splitlines())])
        case _:
            name = _SPECIAL.sub(r"\\\1", shown_name(item))
            return f"<{text}>" if shown_name(item) == text else f"[{name}](<{text}>)"


def add_to(composer: Composer, given: Reused) -> None:
    """Put it behind what stands in the box already, and the cursor behind that; one step of undo takes words out."""
    if given.text:
        box, before = composer.text, composer.text.text()
        box.moveCursor(box.textCursor().MoveOperation.End)
        gap = "" if not before else "\n" * max(0, 2 - (len(before) - len(before.rstrip("\n"))))
        box.insert_as_typed(f"{gap}{given.text}\n\n")
    if given.attachments:
        composer.attach(given.attachments)
    if given.trouble:
        composer.errors.add(given.trouble)
    composer.focus_text()


def _stored(item: Item) -> ImagePart | FilePart:
    if item.kind != "image":
        return file_part(item)
    return ImagePart(
        attachment=item.attachment,
        mime_type=item.mime_type,
        width=item.width or None,
        height=item.height or None,
        alt=item.detail or item.name,
    )
