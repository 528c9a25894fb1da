"""Events of a Responses stream, written here as OpenAI documents them; tests leave out of them what servers do."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Event = dict[str, Any]


def body(events: Iterable[Event | str], *, line_end: str = "\n") -> bytes:
    """The bytes of a stream; a text stands for itself as data."""
    lines = []
    for event in events:
        if isinstance(event, str):
            lines += [f"data: {event}", ""]
        else:
            lines += [f"event: {event.get('type', 'message')}", f"data: {json.dumps(event)}", ""]
    return (line_end.join(lines) + line_end).encode()


def created(**more: Any) -> Event:
    return {"type": "response.created", "response": {"id": "resp_1", "model": "m", "status": "in_progress", **more}}


def ended(*output: Event, status: str = "completed", **more: Any) -> Event:
    response = {"id": "resp_1", "model": "m", "status": status, "output": list(output), **more}
    return {"type": f"response.{status}", "response": response}


def added(index: int, item: Event) -> Event:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Event) -> Event:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def part(
    index: int, item_id: str, place: int, kind: str = "output_text", event: str = "added", text: str = ""
) -> Event:
    key = "refusal" if kind == "refusal" else "text"
    where = {"output_index": index, "item_id": item_id, "content_index": place}
    return {"type": f"response.content_part.{event}", **where, "part": {"type": kind, key: text}}


def delta(kind: str, index: int, item_id: str, text: str, **more: Any) -> Event:
    """`kind` is what stands between ``response.`` and ``.delta``."""
    return {"type": f"response.{kind}.delta", "output_index": index, "item_id": item_id, "delta": text, **more}


def message(*texts: str, item_id: str = "msg_1", **more: Any) -> Event:
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": content, **more}


def call(call_id: str, arguments: str = "", name: str = "look", item_id: str = "") -> Event:
    return {
        "type": "function_call",
        "id": item_id or f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def reasoning(
    item_id: str = "rs_1", sealed: str = "", summary: Iterable[str] = (), content: Iterable[str] = ()
) -> Event:
    item: Event = {
        "type": "reasoning",
        "id": item_id,
        "summary": [{"type": "summary_text", "text": text} for text in summary],
        "content": [{"type": "reasoning_text", "text": text} for text in content],
    }
    return {**item, "encrypted_content": sealed} if sealed else item


def said(*texts: str, index: int = 0, item_id: str = "msg_1", **more: Any) -> list[Event]:
    """A whole message, in pieces."""
    whole = "".join(texts)
    return [
        added(index, {**message(item_id=item_id, **more), "status": "in_progress"}),
        part(index, item_id, 0),
        *(delta("output_text", index, item_id, text, content_index=0) for text in texts),
        {
            "type": "response.output_text.done",
            "output_index": index,
            "item_id": item_id,
            "content_index": 0,
            "text": whole,
        },
        part(index, item_id, 0, event="done", text=whole),
        done(index, message(whole, item_id=item_id, **more)),
    ]


def called(call_id: str, *pieces: str, index: int = 0, name: str = "look") -> list[Event]:
    """A whole call, in pieces."""
    item_id, whole = f"fc_{call_id}", "".join(pieces)
    where = {"output_index": index, "item_id": item_id}
    return [
        added(index, call(call_id, name=name)),
        *(delta("function_call_arguments", index, item_id, piece) for piece in pieces),
        {"type": "response.function_call_arguments.done", **where, "arguments": whole},
        done(index, call(call_id, whole, name=name)),
    ]
