"""The transcript builder: what a long history with tool calls costs before each request.

As a program, ``python -m tests.benchmarks.transcript MESSAGES``: measure one size and print a JSON object.
"""

from __future__ import annotations

import json
import statistics
import sys
import time

from sam_py.messages.history import ToolStateChanged
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import Limits
from sam_py.transcript.build import build
from tests.benchmarks.run import SENTENCE, Row, apart

LIMIT_MS = 20.0
SMALL, LARGE = 2_000, 20_000
_TURNS = 7


def transcript(repeats: int) -> list[Row]:
    """7. A transcript built from a history in which every fourth message calls a tool, ledger and reminders with it."""
    rounds = [[_measured(size) for size in (SMALL, LARGE)] for _ in range(repeats)]
    small = statistics.median(each[0] for each in rounds)
    large = statistics.median(each[1] for each in rounds)
    return [
        Row(f"transcript of {SMALL:,} messages, {SMALL // 4:,} calls", small, "ms CPU", None, LIMIT_MS),
        Row(f"transcript of {LARGE:,} messages, {LARGE // 4:,} calls", large, "ms CPU", None, 10 * LIMIT_MS),
    ]


def _measured(messages: int) -> float:
    return apart("transcript", str(messages))["ms"]


def history(messages: int) -> tuple[list[Message], dict[str, ToolStateChanged]]:
    """Question, thinking with text and a call, result, answer: and again."""
    talk: list[Message] = []
    ledger = {}
    for number in range(messages // 4):
        call_id = f"call_{number}"
        signed = ThinkingSignaturePart(signature="c2lnbmVk" * 20, provider="mine", model="big-1")
        call = ToolCallPart(call_id=call_id, tool_name="read_file", arguments_json='{"path": "a.txt"}')
        reply = (ThinkingTextPart(text=SENTENCE), signed, TextPart(text=SENTENCE * 3), call)
        result = ToolResultMessage(call_id=call_id, tool_name="read_file", status="success", output_text=SENTENCE * 9)
        talk += [
            UserMessage(parts=(TextPart(text=f"Question {number}. {SENTENCE}"),)),
            AssistantMessage(parts=reply, stop_reason="tool_use", provider="mine", model="big-1"),
            result,
            AssistantMessage(parts=(TextPart(text=SENTENCE * 8),), stop_reason="stop", provider="mine", model="big-1"),
        ]
        ledger[call_id] = ToolStateChanged(call_id=call_id, state="success", result_id=result.id)
    talk.append(UserMessage(parts=(TextPart(text="And now?"),)))
    return talk, ledger


def main(messages: int) -> None:
    talk, ledger = history(messages)
    limits = Limits(images=True, pdfs=True, tools=True, thinking=True)
    times = []
    for _ in range(_TURNS):
        started = time.process_time()
        build(talk, ledger, ["<todoList>1 of 2</todoList>"], limits, provider="mine", model="big-1")
        times.append(time.process_time() - started)
    print(json.dumps({"ms": statistics.median(times) * 1000}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
