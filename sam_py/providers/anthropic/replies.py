"""An assistant's turn as content blocks: what the model wrote goes back as it wrote it, the rest as text."""

from __future__ import annotations

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.family import same_family
from sam_py.messages.parts import (
    CodePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.messages.turn import Turn
from sam_py.providers import attached
from sam_py.providers.anthropic.opaque import THINKING, Block, as_input, cut_text, unpack
from sam_py.providers.arguments import arguments_object
from sam_py.providers.base import ChatRequest
from sam_py.providers.ids import wire_id
from sam_py.providers.tool_names import wire_name


def reply_blocks(turn: Turn, request: ChatRequest, *, with_thinking: bool = True) -> list[Block]:
    """The blocks of an assistant's turn; none where nothing of it can be sent (thinking alone).

    Opaque parts go back only to the provider and the model family that wrote them; `with_thinking` False
    leaves out thinking even so. Raises ValueError for a part that has no place in a reply.
    """
    reply = _Reply(request, with_thinking)
    for part in turn.parts:
        match part:
            case TextPart():
                reply.say(part.text)
            case CodePart():
                reply.say(fenced(part))
            case ImagePart():
                reply.say(described(part))  # no reply of this API holds a picture
            case ThinkingTextPart():
                reply.thought = part.text
            case ThinkingSignaturePart():
                reply.add_opaque(part)
            case ToolCallPart():
                reply.call(part)
            case _:
                raise ValueError(f"a reply cannot hold a {part.kind} part here")
    return _in_order(reply.blocks)


class _Reply:
    """The blocks so far, and what waits for the next part."""

    def __init__(self, request: ChatRequest, with_thinking: bool) -> None:
        self._request = request
        self._with_thinking = with_thinking
        self.blocks: list[Block] = []
        self.thought: str | None = None
        """Thinking that waits for its signature; without one it is not sent."""
        self._beyond: Block = {}
        """What the next call has beyond id, name and input."""

    def say(self, text: str) -> None:
        self.thought = None
        if text.strip():
            self.blocks.append(text_block(text))

    def call(self, part: ToolCallPart) -> None:
        self.thought = None
        block = {
            "type": "tool_use",
            "id": wire_id(part.call_id, "anthropic"),
            "name": wire_name(part.tool_name),
            "input": arguments_object(part.arguments_json),
        }
        self.blocks.append({**self._beyond, **block})
        self._beyond = {}

    def add_opaque(self, part: ThinkingSignaturePart) -> None:
        thought, self.thought = self.thought, None
        is_own = part.provider == self._request.provider and same_family(part.model, self._request.model)
        held = unpack(part.signature) if is_own else None
        if isinstance(held, str):
            self._add_thinking({"type": "thinking", "thinking": thought or "", "signature": held})
        elif isinstance(held, list):
            self._cut(held)
        elif held is not None and held["type"] == "tool_use":
            self._beyond = held
        elif held is not None and held["type"] in THINKING:
            self._add_thinking(held)
        elif held is not None:
            self.blocks.append(as_input(held))

    def _add_thinking(self, block: Block) -> None:
        if self._with_thinking:
            self.blocks.append(block)

    def _cut(self, cuts: list[Block]) -> None:
        """Put the text before into the blocks that it came in, unless somebody changed it since."""
        last = self.blocks[-1] if self.blocks else {}
        if last.get("type") == "text":
            cut = [as_input(block) for block in _without_blank(cut_text(last["text"], cuts))]
            self.blocks[-1:] = cut or [last]


def _without_blank(blocks: list[Block]) -> list[Block]:
    """The same text without a blank block: its white space goes to the block before it, or to the next."""
    kept: list[Block] = []
    lead = ""
    for block in blocks:
        if block["text"].strip():
            kept.append({**block, "text": lead + block["text"]})
            lead = ""
        elif kept:
            kept[-1] = {**kept[-1], "text": kept[-1]["text"] + block["text"]}
        else:
            lead += block["text"]
    return kept


def _in_order(blocks: list[Block]) -> list[Block]:
    """Calls behind thinking that begins after them, and nothing that ends in thinking: the API refuses both."""
    kinds = [block["type"] for block in blocks]
    first_thought = next((place for place, kind in enumerate(kinds) if kind in THINKING), None)
    if first_thought is not None and "tool_use" in kinds[:first_thought]:
        blocks = sorted(blocks, key=lambda block: block["type"] == "tool_use")
    while blocks and blocks[-1]["type"] in THINKING:
        blocks = blocks[:-1]
    return blocks


def text_block(text: str) -> Block:
    return {"type": "text", "text": mend_surrogates(text)}


def fenced(part: CodePart) -> str:
    """Code as a fenced block; nothing where there is none."""
    return attached.fenced(part) if part.code.strip() else ""


def described(part: ImagePart) -> str:
    """A picture that cannot be sent, in words."""
    return f"[Image: {part.alt}]" if part.alt.strip() else "[Image]"
