"""BlockAssembly: the content blocks of one answer, as they grow, turned into events.

Blocks are told apart by their index, because gateways open one before the last is closed. Text and thinking
are handed on at once; what only Anthropic understands is handed on whole when its block ends (`opaque.py`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.anthropic.calls import CallIds, GrowingCall
from sam_py.providers.anthropic.opaque import Block, pack
from sam_py.providers.base import StreamEvent, ThinkingSigned, ToolCallDelta, ToolCallStarted
from sam_py.providers.surrogates import TextChannels

_OTHER_HALF = re.compile("[\udc00-\udfff]")
"""Of a character that was cut in two: the halves are one character once they are joined."""

_CUT_SIZE = 100
"""What holding a cut costs, in characters."""
_KIND_OF_DELTA = {"text_delta": "text", "citations_delta": "text", "thinking_delta": "thinking"}


@dataclass(slots=True)
class _Open:
    """A block that may still grow. `pieces` is its text, thinking or input."""

    index: int
    kind: str
    block: Block
    pieces: list[str] = field(default_factory=list)
    call: GrowingCall | None = None


@dataclass(slots=True)
class _Cut:
    """A text block's share of the text that is being said. Its text is kept only where it is cited."""

    index: int
    length: int = 0
    pieces: list[str] | None = None
    citations: list[Any] = field(default_factory=list)

    def as_block(self) -> Block:
        text: Block = (
            {"length": self.length} if self.pieces is None else {"text": mend_surrogates("".join(self.pieces))}
        )
        return {"type": "text", **text, **({"citations": self.citations} if self.citations else {})}


class BlockAssembly:
    """Feed it the block events of one answer; it appends stream events to the list that it is given."""

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self._ids = CallIds(new_call_id)
        self._channels = TextChannels()
        self._open: dict[int, _Open] = {}
        self._last = -1
        self._cuts: list[_Cut] = []
        """The text blocks since anything but text was said."""
        self._thoughts: Counter[int] = Counter()
        """How many pieces of which blocks' thinking were said since anything but thinking was."""
        self._calls: list[GrowingCall] = []
        self.count = 0
        """Blocks so far."""
        self.held = 0
        """Characters that are kept until their block ends, or the reply."""

    @property
    def any_calls(self) -> bool:
        return bool(self._calls)

    def start(self, index: Any, block: Any, events: list[StreamEvent]) -> None:
        """``content_block_start``. A second one for a block that is open changes nothing."""
        if not isinstance(block, dict):
            return
        place = index if isinstance(index, int) else self._last + 1
        kind = block.get("type")
        if not isinstance(kind, str) or not kind:
            return
        open_block = self._open.get(place)
        if open_block is not None:
            if (open_block.kind, open_block.block.get("id")) == (kind, block.get("id")):
                return
            self.stop(place, events)
        self._last = place
        self._begin(_Open(place, kind, block), events)

    def delta(self, index: Any, delta: Any, events: list[StreamEvent]) -> None:
        """``content_block_delta``. One for a block that was never opened opens it, where its kind is plain."""
        if not isinstance(delta, dict):
            return
        place = index if isinstance(index, int) else max(self._last, 0)
        kind = delta.get("type")
        if not isinstance(kind, str):
            return
        open_block = self._open.get(place)
        if open_block is None:
            if kind not in _KIND_OF_DELTA:
                return
            self.start(place, {"type": _KIND_OF_DELTA[kind]}, events)
            open_block = self._open[place]
        match kind:
            case "text_delta":
                self._say(open_block, delta.get("text"), events)
            case "thinking_delta":
                self._think(open_block, delta.get("thinking"), events)
            case "signature_delta":
                if isinstance(delta.get("signature"), str):
                    self.held += len(delta["signature"])
                    open_block.block = {**open_block.block, "signature": delta["signature"]}
            case "citations_delta":
                if open_block.kind == "text" and isinstance(delta.get("citation"), dict):
                    self._cite(open_block, [delta["citation"]])
            case "input_json_delta":
                self._add_input(open_block, delta.get("partial_json"), events)
            case _:
                self.held += _merge(open_block.block, delta)

    def stop(self, index: Any, events: list[StreamEvent]) -> None:
        """``content_block_stop``."""
        open_block = self._open.pop(index if isinstance(index, int) else self._last, None)
        if open_block is not None:
            self._end(open_block, events)

    def end(self, events: list[StreamEvent]) -> None:
        """No more blocks: end those that are still open."""
        for index in sorted(self._open):
            self.stop(index, events)
        self._end_run(events)

    # Beginnings

    def _begin(self, block: _Open, events: list[StreamEvent]) -> None:
        self._open[block.index] = block
        self.count += 1
        match block.kind:
            case "text":
                citations = block.block.get("citations")
                if isinstance(citations, list):
                    self._cite(block, citations)
                self._say(block, block.block.get("text"), events)
            case "thinking":
                self._think(block, block.block.get("thinking"), events)
            case "tool_use":
                self._begin_call(block, events)
            case _:
                block.block = dict(block.block)  # grows by deltas

    def _begin_call(self, block: _Open, events: list[StreamEvent]) -> None:
        said = block.block
        beyond = {key: value for key, value in said.items() if key not in ("id", "name", "input") and value is not None}
        if beyond.get("caller") == {"type": "direct"}:
            del beyond["caller"]
        if len(beyond) > 1:  # more than its type
            self._opaque(beyond, events)
        self._open_call(block, events)

    def _open_call(self, block: _Open, events: list[StreamEvent]) -> None:
        self._end_run(events)
        self.count += 1
        call = GrowingCall(str(len(self._calls)))
        if block.call is not None:
            call.glue_tries = block.call.glue_tries  # of all that is glued together
        block.call = call
        self._calls.append(block.call)
        call_id, name = self._ids.unique(_text(block.block.get("id"))), _text(block.block.get("name"))
        events.append(ToolCallStarted(block.call.key, call_id, name))

    # Growth

    def _say(self, block: _Open, text: Any, events: list[StreamEvent]) -> None:
        if isinstance(text, str) and text:
            self._thoughts.clear()
            cut = self._cut_of(block)
            cut.length += len(text) if text.isascii() else len(text) - len(_OTHER_HALF.findall(text))
            if cut.pieces is not None:
                self.held += len(text)
                cut.pieces.append(text)
            self._channels.add("text", text, events)

    def _cite(self, block: _Open, citations: list[Any]) -> None:
        """Citations hang on the block; from now on its text is kept, to be found again by."""
        cut = self._cut_of(block)
        if cut.pieces is None and not cut.length:
            cut.pieces = []
        self.held += sum(len(str(citation)) for citation in citations)
        cut.citations.extend(citations)

    def _cut_of(self, block: _Open) -> _Cut:
        if not self._cuts or self._cuts[-1].index != block.index:
            self.held += _CUT_SIZE
            self._cuts.append(_Cut(block.index))
        return self._cuts[-1]

    def _think(self, block: _Open, text: Any, events: list[StreamEvent]) -> None:
        if isinstance(text, str) and text:
            self._end_cuts(events)
            self._thoughts[block.index] += 1
            self.held += len(text)
            block.pieces.append(text)
            self._channels.add("thinking", text, events)

    def _add_input(self, block: _Open, piece: Any, events: list[StreamEvent]) -> None:
        if piece is not None and not isinstance(piece, str):
            piece = json.dumps(piece, ensure_ascii=False)
        if not piece or block.kind in ("text", "thinking"):
            return
        self.held += len(piece)
        if block.call is None:
            block.pieces.append(piece)
            return
        for number, argument in enumerate(block.call.unglued(piece)):
            if number:
                self._open_call(block, events)
            if argument:
                block.call.add(argument)
                events.append(ToolCallDelta(block.call.key, argument))

    # Ends

    def _end(self, block: _Open, events: list[StreamEvent]) -> None:
        match block.kind:
            case "text":
                pass
            case "thinking":
                self._sign(block, events)
            case "tool_use":
                given = block.block.get("input")
                if given and block.call is not None and not block.call.pieces:
                    self._add_input(block, given, events)
            case _:
                self._end_opaque(block, events)

    def _sign(self, block: _Open, events: list[StreamEvent]) -> None:
        """The signature, as plain text where the text right before it is this block's, else with it."""
        signature = _text(block.block.get("signature"))
        if not signature:
            return
        text = mend_surrogates("".join(block.pieces))
        is_right_before = self._thoughts == {block.index: len(block.pieces)} and bool(text.strip())
        is_alone = not self._thoughts and not text
        if (is_right_before or is_alone) and not signature.startswith(("{", "[")):
            self._end_run(events)
            events.append(ThinkingSigned(signature))
        else:
            self._opaque({"type": "thinking", "thinking": text, "signature": signature}, events)

    def _end_opaque(self, block: _Open, events: list[StreamEvent]) -> None:
        if block.pieces:
            try:
                block.block["input"] = json.loads("".join(block.pieces))
            except (ValueError, RecursionError):
                return  # cut off in its middle: a request with it would be refused
        self._opaque(block.block, events)

    def _opaque(self, value: Block, events: list[StreamEvent]) -> None:
        self._end_run(events)
        events.append(ThinkingSigned(pack(value)))

    def _end_run(self, events: list[StreamEvent]) -> None:
        """Something else than text or thinking comes, or nothing more."""
        self._channels.flush_into(events)
        self._end_cuts(events)
        self._thoughts.clear()

    def _end_cuts(self, events: list[StreamEvent]) -> None:
        """Say where the text was cut into blocks, where citations hang on it."""
        cuts, self._cuts = self._cuts, []
        if any(cut.citations for cut in cuts):
            self._channels.flush_into(events)
            events.append(ThinkingSigned(pack([cut.as_block() for cut in cuts if cut.length])))


def _merge(block: Block, delta: Block) -> int:
    """A delta of a kind that we do not know: what is text there grows, the rest is set. Returns about how much."""
    for key, value in delta.items():
        if key == "type" or value is None:
            continue
        before = block.get(key)
        if isinstance(before, str) and isinstance(value, str):
            block[key] = before + value
        elif isinstance(before, list) and isinstance(value, list):
            block[key] = [*before, *value]
        else:
            block[key] = value
    return len(str(delta))


def _text(value: Any) -> str:
    return mend_surrogates(value) if isinstance(value, str) else ""
