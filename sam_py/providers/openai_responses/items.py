"""ItemAssembly: the items of one reply as servers stream them, told apart, in order, nothing lost and nothing twice.

Seen in recorded traffic and from servers that run here: no ``output_index`` and no ``content_index``
(llama.cpp); ids that differ between an item's beginning and its end; an item that ends after the next one
has begun (OpenRouter); text or arguments that stand in "done" events alone; an empty list of items at the end.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from sam_py.providers.base import ImageProduced, StreamEvent, ThinkingSigned, ToolCallDelta, ToolCallStarted
from sam_py.providers.openai_responses.kept import Follower, as_input, pack
from sam_py.providers.surrogates import TextChannels

Place = tuple[str, int]
"""Where in an item a text stands: the name of its list and the place in it."""

CALLS = frozenset({"function_call", "custom_tool_call"})
ARGUMENTS: Place = ("arguments", 0)


@dataclass(slots=True)
class Item:
    """An item of the reply as far as it came."""

    number: int
    type: str
    index: int | None = None
    id: str = ""
    call_id: str = ""
    name: str = ""
    texts: defaultdict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What was handed out, by its place."""
    parts: int = 0
    """How many content parts were announced, for servers that do not number them."""
    shown: str = ""
    """Of a reasoning item: which of its lists is shown. Where both come they say the same."""
    done: dict[str, Any] | None = None
    """The whole item, once it came."""
    leads_to: Follower | None = None
    """Of a reasoning item: what began behind it."""
    signed: bool = False
    begun: bool = False

    @property
    def key(self) -> str:
        return str(self.number)

    def text_at(self, place: Place) -> str:
        return "".join(self.texts.get(place, ()))


class ItemAssembly:
    """Takes what the events say of items and appends what is new to the events of the reply."""

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self._new_call_id = new_call_id
        self._items: list[Item] = []
        self._by_index: dict[int, Item] = {}
        self._by_id: dict[str, Item] = {}
        self._unsigned: list[Item] = []
        """Reasoning items that nothing followed yet."""
        self._channels = TextChannels()
        self._thinking_at: tuple[int, Place] | None = None
        self.refusal: list[str] = []
        self.held = 0
        """Characters of text that are kept here to be compared with what ends say."""

    # What came

    @property
    def count(self) -> int:
        return len(self._items)

    @property
    def all_done(self) -> bool:
        return all(item.done is not None for item in self._items)

    @property
    def has_calls(self) -> bool:
        return any(item.type in CALLS for item in self._items)

    def find(self, event: dict[str, Any], kind: str, events: list[StreamEvent]) -> Item:
        """The item of type `kind` that `event` is about, begun where it is new."""
        index, item_id = _index(event.get("output_index")), _text(event.get("item_id"))
        return self._known(kind, index, item_id) or self.open(kind, {"id": item_id}, index, events)

    def open(self, kind: str, raw: dict[str, Any], index: Any, events: list[StreamEvent]) -> Item:
        """Begin an item, or return the one that began with the same place or id."""
        place, item_id = _index(index), _text(raw.get("id"))
        known = self._by_index.get(place) if place is not None else self._by_id.get(item_id)
        if known is not None and known.type == kind and known.done is None:
            return known
        item = Item(len(self._items), kind, place, item_id)
        self._items.append(item)
        if place is not None:
            self._by_index[place] = item
        if item_id:
            self._by_id[item_id] = item
        self._lead_to(item, raw, events)
        if kind == "reasoning":
            self._unsigned.append(item)
        elif kind in CALLS:
            self._name(item, raw, events)
        return item

    def say(self, item: Item, place: Place, text: Any, events: list[StreamEvent]) -> None:
        """A piece of text, of a refusal, of thinking or of arguments."""
        if not isinstance(text, str) or not text:
            return
        self.held += len(text)
        if item.type in CALLS:
            item.texts[place].append(text)
            events.append(ToolCallDelta(item.key, text))
            return
        if item.type == "reasoning":
            if item.shown not in ("", place[0]):
                return
            item.shown = place[0]
            if self._thinking_at not in (None, (item.number, place)):
                self._channels.add("thinking", "\n\n", events)
            self._thinking_at = (item.number, place)
        elif place[0] == "refusal":
            self.refusal.append(text)
        item.texts[place].append(text)
        self._channels.add("thinking" if item.type == "reasoning" else "text", text, events)

    def complete(self, item: Item, place: Place, text: Any, events: list[StreamEvent]) -> None:
        """The whole text of a place: what was not handed out yet is."""
        if not isinstance(text, str) or not text:
            return
        said = item.text_at(place)
        if not said:
            self.say(item, place, text, events)
        elif len(text) > len(said) and text.startswith(said):
            self.say(item, place, text[len(said) :], events)

    def end(self, raw: dict[str, Any], index: Any, events: list[StreamEvent]) -> None:
        """An item is whole. One that ended before is not read again."""
        kind = _text(raw.get("type"))
        if kind:
            known = self._known(kind, _index(index), _text(raw.get("id")), _text(raw.get("call_id")))
            self._end(known or self.open(kind, raw, index, events), raw, events)

    def end_all(self, output: Any, events: list[StreamEvent]) -> None:
        """The reply has ended: `output` lists its items once more, or not at all.

        The n-th of a type is the n-th of that type that came: ids may differ, and of order the stream says more.
        """
        came: defaultdict[str, list[Item]] = defaultdict(list)
        for item in sorted(self._items, key=lambda item: item.number if item.index is None else item.index):
            came[item.type].append(item)
        for raw in output if isinstance(output, list) else ():
            if not isinstance(raw, dict):
                continue
            known = came[_text(raw.get("type"))]
            if not known:
                self.end(raw, None, events)
            else:
                self._end(known.pop(0), raw, events)
        for item in self._unsigned:
            self._sign(item, None, events)
        self._unsigned.clear()
        self._name_all(events)
        self.flush(events)

    def flush(self, events: list[StreamEvent]) -> None:
        """Give up on half characters."""
        self._channels.flush_into(events)

    # Order and identity

    def _known(self, kind: str, index: int | None, item_id: str, call_id: str = "") -> Item | None:
        """By the place in the output, else by the id, else the last one of the type that is still open."""
        at_place = self._by_index.get(index) if index is not None else None
        if at_place is not None and at_place.type == kind:
            return at_place
        item = self._by_id.get(item_id)
        if item is not None and item.type == kind and (item.done is None or index is None):
            return item
        for item in reversed(self._items):
            if item.type != kind or item.done is not None or (call_id and item.call_id not in ("", call_id)):
                continue
            if index is None or item.index is None or at_place is not None:
                return item
        return None

    def _lead_to(self, item: Item, raw: dict[str, Any], events: list[StreamEvent]) -> None:
        """`item` has begun: it is what the reasoning before it led to. Its phase is kept in any case."""
        follower = Follower(item.type, _text(raw.get("name")), _text(raw.get("phase")))
        told = [self._sign(reasoning, follower, events) for reasoning in self._unsigned]
        self._unsigned.clear()
        if follower.phase and not any(told):
            self._add(ThinkingSigned(pack(None, follower)), events)

    def _sign(self, item: Item, leads_to: Follower | None, events: list[StreamEvent]) -> bool:
        """Hand out what is kept of a reasoning item, and say whether that was anything."""
        late = item.leads_to is not None
        raw = item.done if item.done is not None else _so_far(item)
        item.leads_to = leads_to
        item.signed = as_input(raw) is not None
        if item.signed:
            self._add(ThinkingSigned(pack(raw, leads_to, late=late)), events)
        return item.signed

    def _name(self, item: Item, raw: dict[str, Any], events: list[StreamEvent]) -> None:
        """Begin a call; begin it again where its end says another id or name."""
        call_id, name = _text(raw.get("call_id")) or item.call_id, _text(raw.get("name")) or item.name
        if not item.begun or (call_id, name) != (item.call_id, item.name):
            item.begun, item.call_id, item.name = True, call_id, name
            self._add(ToolCallStarted(item.key, call_id, name), events)

    def _name_all(self, events: list[StreamEvent]) -> None:
        """Give an id to each call that the server gave none, and tell equal ids apart."""
        seen: set[str] = set()
        for item in self._items:
            if item.type not in CALLS:
                continue
            if not item.call_id or item.call_id in seen:
                item.call_id = self._new_call_id()
                self._add(ToolCallStarted(item.key, item.call_id, ""), events)
            seen.add(item.call_id)

    # Content

    def _end(self, item: Item, raw: dict[str, Any], events: list[StreamEvent]) -> None:
        """Hand out what of an item was not yet, and keep what only the service understands."""
        if item.done is not None:
            return
        item.done = raw
        match item.type:
            case "message":
                self._complete_lists(item, {"content": raw.get("content")}, events)
            case "reasoning":
                self._complete_lists(item, {"summary": raw.get("summary"), "content": raw.get("content")}, events)
                if item.leads_to is not None and (_text(raw.get("encrypted_content")) or not item.signed):
                    self._sign(item, item.leads_to, events)
            case "function_call" | "custom_tool_call":
                self._name(item, raw, events)
                self.complete(item, ARGUMENTS, _arguments(raw), events)
            case "image_generation_call":
                self._add_image(raw, events)
            case _:
                if as_input(raw) is not None:
                    self._add(ThinkingSigned(pack(raw)), events)

    def _complete_lists(self, item: Item, lists: dict[str, Any], events: list[StreamEvent]) -> None:
        """Hand out what of an ended item's lists was not. Where servers do not number parts, the sum decides."""
        texts = [
            (_place(name, number, part), _part_text(part))
            for name, parts in lists.items()
            for number, part in enumerate(_parts(parts))
            if isinstance(part, dict) and (not item.shown or name == item.shown)
        ]
        if sum(len(text) for _, text in texts) > sum(len(piece) for said in item.texts.values() for piece in said):
            for place, text in texts:
                self.complete(item, place, text, events)

    def _add_image(self, raw: dict[str, Any], events: list[StreamEvent]) -> None:
        """A picture that the service drew. It goes back as a picture, so that no megabytes are kept twice."""
        data = _text(raw.get("result"))
        data = data.partition(";base64,")[2] if data.startswith("data:") else data
        try:
            picture = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            return
        if picture:
            self._add(ImageProduced(picture, _mime_type(picture)), events)

    def _add(self, event: StreamEvent, events: list[StreamEvent]) -> None:
        self._channels.flush_into(events)
        events.append(event)


def _so_far(item: Item) -> dict[str, Any]:
    """A reasoning item that the next one overtook: what of it was shown."""
    lists: dict[str, list[dict[str, str]]] = {"summary": [], "content": []}
    for (name, _), pieces in item.texts.items():
        kind = "summary_text" if name == "summary" else "reasoning_text"
        lists[name].append({"type": kind, "text": "".join(pieces)})
    return {"type": "reasoning", "id": item.id, **lists}


def _arguments(raw: dict[str, Any]) -> str:
    value = raw.get("input" if raw.get("type") == "custom_tool_call" else "arguments")
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else ""


def _parts(value: Any) -> list[Any]:
    """The parts of an item; some gateways write a text where a list of one belongs."""
    if isinstance(value, str):
        return [{"text": value}]
    return value if isinstance(value, list) else []


def _place(name: str, number: int, part: dict[str, Any]) -> Place:
    return ("refusal" if part.get("type") == "refusal" else name), number


def _part_text(part: dict[str, Any]) -> str:
    return _text(part.get("refusal" if part.get("type") == "refusal" else "text"))


def _mime_type(picture: bytes) -> Literal["image/png", "image/jpeg", "image/webp"]:
    if picture.startswith(b"\xff\xd8"):
        return "image/jpeg"
    return "image/webp" if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP" else "image/png"


def _index(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
