"""Tools that the server runs: in a request each use of one has its answer next to it, or is still at work."""

from __future__ import annotations

from collections.abc import Sequence

from sam_py.providers.anthropic.opaque import Block


def is_use(block: Block) -> bool:
    """Whether the server is asked to run something with it."""
    return block["type"] != "tool_use" and block["type"].endswith("_use") and isinstance(block.get("id"), str)


def answered(block: Block) -> str:
    """The id of the server tool's use that `block` answers; empty where it answers none."""
    answers = block["type"] != "tool_result" and isinstance(block.get("tool_use_id"), str)
    return str(block["tool_use_id"]) if answers else ""


def is_at_work(reply: Sequence[Block]) -> bool:
    """Whether `reply` ends in uses of server tools: it was paused for them, and is sent back as it is."""
    return bool(reply) and is_use(reply[-1])


def without_halves(replies: Sequence[list[Block]], *, last_is_final: bool) -> list[list[Block]]:
    """`replies` without a use whose answer is lost, and without an answer to nothing.

    The answer stands in the same reply. Only where a server tool itself called tools of ours, or paused the
    last reply of a request (`last_is_final`), it comes in the next.
    """
    waiting: dict[str, tuple[int, int]] = {}
    kept: set[tuple[int, int]] = set()
    for number, reply in enumerate(replies):
        for place, block in enumerate(reply):
            if is_use(block):
                waiting[block["id"]] = (number, place)
            elif answered(block) in waiting:
                asked, where = waiting.pop(answered(block))
                if asked == number or (where >= _end(replies[asked]) and _calls(replies[asked])):
                    kept |= {(asked, where), (number, place)}
    last = len(replies) - 1
    for number, place in waiting.values():
        if number == last and place >= _end(replies[last]) and (last_is_final or _calls(replies[last])):
            kept.add((number, place))
    return [
        [
            block
            for place, block in enumerate(reply)
            if (number, place) in kept or not (is_use(block) or answered(block))
        ]
        for number, reply in enumerate(replies)
    ]


def _end(reply: Sequence[Block]) -> int:
    """Where the calls begin, the server's and ours, in which `reply` ends."""
    place = len(reply)
    while place and (is_use(reply[place - 1]) or reply[place - 1]["type"] == "tool_use"):
        place -= 1
    return place


def _calls(reply: Sequence[Block]) -> bool:
    """Whether `reply` ends in calls of our tools."""
    return any(block["type"] == "tool_use" for block in reply[_end(reply) :])
