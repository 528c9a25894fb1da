"""Short words for writing histories and for reading transcripts in tests."""

from __future__ import annotations

from collections.abc import Sequence

from sam_py.messages.history import CallState, ToolStateChanged
from sam_py.messages.message import AssistantMessage, DeveloperMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import Part, TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import Limits, ToolResultPart, Transcript, Turn

ALL = Limits(images=True, pdfs=True, tools=True, thinking=True)


def user(*parts: Part | str) -> UserMessage:
    return UserMessage(parts=tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def told(text: str) -> DeveloperMessage:
    return DeveloperMessage(parts=(TextPart(text=text),))


def reply(*parts: Part | str, stop_reason: str = "stop", provider: str = "p", model: str = "m") -> AssistantMessage:
    whole = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return AssistantMessage(parts=whole, stop_reason=stop_reason, provider=provider, model=model)  # type: ignore[arg-type]


def call(call_id: str, name: str = "search", arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name=name, arguments_json=arguments)


def result(call_id: str, text: str = "found", status: str = "success", name: str = "search") -> ToolResultMessage:
    return ToolResultMessage(call_id=call_id, tool_name=name, status=status, output_text=text)  # type: ignore[arg-type]


def thought(text: str) -> ThinkingTextPart:
    return ThinkingTextPart(text=text)


def signed(signature: str = "s", provider: str = "p", model: str = "m") -> ThinkingSignaturePart:
    return ThinkingSignaturePart(signature=signature, provider=provider, model=model)


def entries(**states: CallState) -> dict[str, ToolStateChanged]:
    """A ledger: ``entries(c1="success")``."""
    return {call_id: ToolStateChanged(call_id=call_id, state=state) for call_id, state in states.items()}


def words(turn: Turn) -> list[str]:
    """What each part of a turn says."""
    shown = []
    for part in turn.parts:
        match part:
            case TextPart(text=text):
                shown.append(text)
            case ThinkingTextPart(text=text):
                shown.append(f"thinks {text}")
            case ThinkingSignaturePart(signature=signature):
                shown.append(f"signed {signature}")
            case ToolCallPart(call_id=call_id):
                shown.append(f"call {call_id}")
            case ToolResultPart(call_id=call_id, text=text, status=status):
                shown.append(f"result {call_id} ({status}): {text}")
            case _:
                shown.append(part.kind)
    return shown


def said(transcript: Transcript) -> list[tuple[str, list[str]]]:
    return [(turn.role, words(turn)) for turn in transcript.turns]


def results(transcript: Transcript) -> list[str]:
    """What all results say, in order."""
    return [word for _role, turn in said(transcript) for word in turn if word.startswith("result ")]


def wrapped(texts: Sequence[str]) -> list[str]:
    return [f"<system-reminder>\n{text}\n</system-reminder>" for text in texts]
