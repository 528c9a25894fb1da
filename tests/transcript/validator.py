"""What every transcript must be, written from the rules and not from the builder."""

from __future__ import annotations

from itertools import pairwise

from sam_py.messages.turn import Limits, Transcript


def faults(transcript: Transcript, limits: Limits) -> list[str]:
    """All that a provider would refuse in `transcript`; empty where it is valid."""
    found: list[str] = []
    turns = transcript.turns
    if turns and turns[0].role != "user":
        found.append("does not start with the user")
    for one, other in pairwise(turns):
        if one.role == other.role:
            found.append(f"two {one.role} turns in a row")
    seen: set[str] = set()
    for number, turn in enumerate(turns):
        kinds = [part.kind for part in turn.parts]
        if not turn.parts:
            found.append("an empty turn")
        allowed = {"text", "image", "file", "tool_result"}
        if turn.role == "assistant":
            allowed = {"text", "thinking_text", "thinking_signature", "tool_call"}
            if kinds and kinds[-1] == "thinking_text":
                found.append("a turn that ends in thinking")
            if kinds and all(kind.startswith("thinking") for kind in kinds):
                found.append("a turn of thinking alone")
        found += [f"a {kind} part in a turn of the {turn.role}" for kind in kinds if kind not in allowed]
        for part in turn.parts:
            if part.kind == "text" and not part.text.strip():
                found.append("an empty text")
            if part.kind == "image" and not limits.images:
                found.append("a picture for a model without eyes")
            if part.kind == "file" and part.mime_type == "application/pdf" and not limits.pdfs:
                found.append("a PDF for a model that takes none")
            if part.kind in ("tool_call", "tool_result") and not limits.tools:
                found.append("a tool for a model without any")
            if part.kind.startswith("thinking") and not limits.thinking:
                found.append("thinking for a model that takes none")
            if part.kind == "tool_result" and (not part.text.strip() or any(p.kind == "text" for p in part.parts)):
                found.append("a result that says nothing, or has text among its parts")
        calls = [part for part in turn.parts if part.kind == "tool_call"]
        found += [f"the id {call.call_id!r} twice" for call in calls if call.call_id in seen or not call.call_id]
        found += ["a call without a name" for call in calls if not call.tool_name]
        seen.update(call.call_id for call in calls)
        after = turns[number + 1].parts if number + 1 < len(turns) else ()
        head = [part.call_id for part in after[: len(calls)] if part.kind == "tool_result"]
        if head != [call.call_id for call in calls]:
            found.append("calls whose results do not follow in their order")
        if turn.role == "user":
            before = turns[number - 1].parts if number else ()
            due = sum(part.kind == "tool_call" for part in before)
            if kinds.count("tool_result") != due:
                found.append("results without calls")
    return found
