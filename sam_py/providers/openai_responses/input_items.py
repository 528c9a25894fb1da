"""input_items: the turns of a conversation as the list of items that Responses take.

Types are always written, as llama.cpp cannot tell items apart without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.family import same_family
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.arguments import arguments_text
from sam_py.providers.attached import bytes_of, data_url, fenced
from sam_py.providers.base import ChatRequest
from sam_py.providers.ids import wire_id
from sam_py.providers.openai_responses.kept import Kept, unpack
from sam_py.providers.openai_responses.server_items import ItemJson
from sam_py.providers.tool_names import wire_name

_EMPTY_RESULT = "(no output)"


# D-014. An id of this form makes OpenAI look the item up in its store, where nothing is with ``store: false``:
# 404 "Item with id 'rs_…' not found". Without it the item stands for itself. Other services' ids go back.
_STORED_ID = re.compile(r"(rs|msg|ws|fs|ci|mcp|mcpl|mcpr|tsc|tso|cmp)_")
_NAMES = {"message": "msg", "reasoning": "rs", "function_call": "fc", "function_call_output": "fco"}


def input_items(request: ChatRequest, *, rich_results: bool = True, every_id: bool = False) -> list[ItemJson]:
    """Return every item of `request`.

    `rich_results`: whether a call's result may hold pictures and files; `every_id`: whether the service wants
    an id with every item of a reply. Raises `SamError` where an attachment's bytes are missing, ValueError for
    a part that has no place here.
    """
    items: list[ItemJson] = []
    for turn in request.turns:
        if turn.role == "assistant":
            items.extend(_Reply(turn, request).items)
        else:
            items.extend(_user(turn, request, rich_results=rich_results))
    return _with_every_id(items) if every_id else _without_stored_ids(items)


class _Reply:
    """One assistant turn. A reasoning item is held until what it led to comes, and dropped where that is gone.

    Calls come last, as their results follow: nobody may speak between them, and of reasoning only what is
    encrypted stays with its call. DeepSeek refuses a call whose result stands behind any of that.
    """

    def __init__(self, turn: Turn, request: ChatRequest) -> None:
        self.items: list[ItemJson] = []
        self._texts: list[str] = []
        self._phase = ""
        self._held: list[Kept] = []
        self._calls_at: int | None = None
        """Where the first call stands, with what led to it."""
        kept = {number: each for number, part in enumerate(turn.parts) if (each := _kept(part, request)) is not None}
        self._late_ids = {each.id for each in kept.values() if each.late and each.id}
        for number, part in enumerate(turn.parts):
            match part:
                case TextPart():
                    if part.text.strip():
                        self._texts.append(mend_surrogates(part.text))
                case CodePart():
                    self._texts.append(mend_surrogates(fenced(part)))
                case ImagePart():
                    self._texts.append(_described(part))  # no reply of this API holds a picture of ours
                case ToolCallPart():
                    self._end_message()
                    self._add(_call(part))
                case ThinkingTextPart():
                    pass  # its item holds it
                case ThinkingSignaturePart():
                    if number in kept:
                        self._end_message()
                        self._add_kept(kept[number])
                case _:
                    raise ValueError(f"an assistant turn cannot hold a {part.kind} part here")
        self._end_message()

    def _add_kept(self, kept: Kept) -> None:
        if kept.leads_to is not None and not kept.late:
            self._phase = kept.leads_to.phase
        if kept.item is None:
            return
        if kept.late:
            self._add_late(kept, kept.item)
        elif kept.item["type"] != "reasoning":
            self._add(kept.item)
        elif kept.id not in self._late_ids:
            if self._held and not _is_met(self._held[-1], kept.item):
                self._held.clear()
            self._held.append(kept)

    def _add_late(self, kept: Kept, item: ItemJson) -> None:
        for place in reversed(range(len(self.items))):
            if _is_met(kept, self.items[place]):
                self.items.insert(place, item)
                if self._calls_at is not None and place < self._calls_at:
                    self._calls_at += 1
                return

    def _end_message(self) -> None:
        if not self._texts:
            return
        content = [{"type": "output_text", "text": text, "annotations": []} for text in self._texts]
        phase = {"phase": self._phase} if self._phase else {}
        self._texts, self._phase = [], ""
        self._add({"type": "message", "role": "assistant", **phase, "content": content})

    def _add(self, item: ItemJson) -> None:
        """Add an item with the reasoning that led to it, or without where that led to something else."""
        led = [held.item for held in self._held if held.item is not None]
        if not (self._held and _is_met(self._held[-1], item)):
            led = []
        self._held.clear()
        if item["type"] != "function_call":
            self._add_before_calls([*led, item])
            return
        if led and "encrypted_content" not in led[-1]:
            self._add_before_calls(led)
            led = []
        if self._calls_at is None:
            self._calls_at = len(self.items)
        self.items += [*led, item]

    def _add_before_calls(self, items: list[ItemJson]) -> None:
        if self._calls_at is None:
            self.items += items
        else:
            self.items[self._calls_at : self._calls_at] = items
            self._calls_at += len(items)


def _is_met(kept: Kept, item: ItemJson) -> bool:
    return kept.leads_to is not None and kept.leads_to.is_met_by(item)


def _kept(part: TurnPart, request: ChatRequest) -> Kept | None:
    """What is kept in `part` of the provider that is asked; None where that is nothing, or another's."""
    if not isinstance(part, ThinkingSignaturePart) or part.provider != request.provider:
        return None
    return unpack(part.signature) if same_family(part.model, request.model) else None


def _call(part: ToolCallPart) -> ItemJson:
    return {
        "type": "function_call",
        "call_id": wire_id(part.call_id, "responses"),
        "name": wire_name(part.tool_name),
        "arguments": arguments_text(part.arguments_json),
    }


def _user(turn: Turn, request: ChatRequest, *, rich_results: bool) -> Iterator[ItemJson]:
    """The results of the calls before, one item each, then what the person said."""
    content: list[ItemJson] = []
    for part in turn.parts:
        if not isinstance(part, ToolResultPart):
            continue
        text = mend_surrogates(part.text) if part.text.strip() else _EMPTY_RESULT
        shown = [piece for inner in part.parts for piece in _content(inner, request)]
        output: str | list[ItemJson] = "\n\n".join([text, *(piece["text"] for piece in shown if "text" in piece)])
        media = [piece for piece in shown if "text" not in piece]
        if media and rich_results:
            output = [{"type": "input_text", "text": text}, *shown]
        elif media:
            content += [_text(f"From the result of {part.tool_name}:"), *media]
        yield {"type": "function_call_output", "call_id": wire_id(part.call_id, "responses"), "output": output}
    for part in turn.parts:
        if not isinstance(part, ToolResultPart):
            content.extend(_content(part, request))
    if content:
        yield {"type": "message", "role": "user", "content": content}


def _content(part: TurnPart, request: ChatRequest) -> Iterator[ItemJson]:
    """One part of a user's say as content: none where it is blank."""
    match part:
        case TextPart():
            if part.text.strip():
                yield _text(part.text)
        case CodePart():
            yield _text(mend_surrogates(fenced(part)))
        case ImagePart():
            yield _image(part, request)
        case FilePart():
            yield _file(part, request)
        case UnknownPart():
            raise ValueError(f"a {part.kind!r} part has no form in Responses")
        case _:
            raise ValueError(f"a user turn cannot hold a {part.kind} part")


def _text(text: str) -> ItemJson:
    return {"type": "input_text", "text": mend_surrogates(text)}


def _image(part: ImagePart, request: ChatRequest) -> ItemJson:
    if not request.limits.images or (part.attachment is None and not part.url):
        return _text(_described(part))
    if part.attachment is None:
        url = part.url
    else:
        url = data_url(bytes_of(part.attachment, part.alt or "an image", request), part.mime_type)
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def _described(part: ImagePart) -> str:
    return mend_surrogates(f"[Image: {part.alt}]") if part.alt.strip() else "[Image]"


def _file(part: FilePart, request: ChatRequest) -> ItemJson:
    """A PDF as a document; text as text; anything else by its name."""
    if part.mime_type == "application/pdf" and request.limits.pdfs:
        data = bytes_of(part.attachment, part.filename, request)
        return {"type": "input_file", "filename": part.filename, "file_data": data_url(data, part.mime_type)}
    if part.mime_type.startswith("text/") or part.mime_type in ("application/json", "application/xml"):
        text = bytes_of(part.attachment, part.filename, request).decode("utf-8", "replace")
        return _text(mend_surrogates(fenced(CodePart(code=text, filename=part.filename))))
    return _text(f"[File: {part.filename}, {part.mime_type}, {part.size} bytes; this model cannot read it]")


def _without_stored_ids(items: list[ItemJson]) -> list[ItemJson]:
    """`items` without ids of a store, and each other id once: some services use one for all of a reply."""
    seen: set[Any] = set()
    once = []
    for item in items:
        item_id = item.get("id", "")
        if item_id in seen or _STORED_ID.match(item_id):
            item = {key: value for key, value in item.items() if key != "id"}
        elif item_id:
            seen.add(item_id)
        once.append(item)
    return once


def _with_every_id(items: list[ItemJson]) -> list[ItemJson]:
    """`items` with the ids that they came with, and where there is none, one by their place."""
    seen: set[Any] = set()
    named = []
    for place, item in enumerate(items):
        if item["type"] != "message" or item["role"] == "assistant":
            item_id = item.get("id")
            if not item_id or item_id in seen:
                item_id = f"{_NAMES.get(item['type'], 'item')}_{place}"
            seen.add(item_id)
            status = {"status": "completed"} if item["type"] == "message" else {}
            item = {**item, "id": item_id, **status}
        named.append(item)
    return named
