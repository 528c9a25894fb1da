"""Wrote the files under ``v1/`` once, with the store of schema 1. They are released: never rewrite them.

A later schema gets a generator and a folder of its own; this one stays to say what v1 was.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    HistoryEvent,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
)
from sam_py.messages.message import AssistantMessage, DeveloperMessage, SystemMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.messages.usage import Metrics, Usage
from sam_py.store.journal import Journal

HERE = Path(__file__).parent / "v1"
START = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
HASH = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"


def everything() -> list[HistoryEvent]:
    """One event of each kind, one message of each role, one part of each kind."""

    def at(seconds: int) -> datetime:
        return START + timedelta(seconds=seconds)

    messages = [
        SystemMessage(id="sys", created_at=at(0), parts=(TextPart(text="Be brief."),)),
        DeveloperMessage(id="dev", parent_id="sys", created_at=at(1), parts=(TextPart(text="Note."),)),
        UserMessage(
            id="ask",
            parent_id="dev",
            created_at=at(2),
            pinned=True,
            importance=0.9,
            parts=(
                TextPart(text="Grüße, 你好 🎉\nline two"),
                ImagePart(attachment=HASH, width=3, height=2, alt="a dot"),
                FilePart(attachment=HASH, filename="x.txt", mime_type="text/plain", size=1),
                CodePart(code="print(1)", language="python", filename="a.py"),
            ),
        ),
        AssistantMessage(
            id="call",
            parent_id="ask",
            created_at=at(3),
            provider="openai",
            model="m-1",
            response_id="resp_1",
            stop_reason="tool_use",
            usage=Usage(input_tokens=10, output_tokens=5, cached_input_tokens=2, reasoning_tokens=1),
            metrics=Metrics(first_token_s=0.25, duration_s=1.5, tokens_per_second=4.0, estimated=True),
            parts=(
                ThinkingTextPart(text="hm"),
                ThinkingSignaturePart(signature="c2ln", provider="openai", model="m-1"),
                ToolCallPart(call_id="c1", tool_name="clock", arguments_json='{"zone": "UTC"'),
            ),
        ),
        ToolResultMessage(
            id="result",
            parent_id="call",
            created_at=at(4),
            call_id="c1",
            tool_name="clock",
            status="success",
            output_text="12:00",
            details=("UTC",),
            duration_s=0.1,
        ),
        AssistantMessage(id="gone", parent_id="result", created_at=at(5), parts=(TextPart(text="wrong"),)),
        AssistantMessage(
            id="reply", parent_id="gone", created_at=at(6), parts=(TextPart(text="It is noon."),), stop_reason="aborted"
        ),
        UserMessage(id="edit", parent_id="dev", created_at=at(7), parts=(TextPart(text="Another question"),)),
    ]
    return [
        SettingsChanged(key="created_at", value=START.isoformat()),
        SettingsChanged(key="title", value="Everything of v1"),
        SettingsChanged(key="mini_prompts", value=["short", "kind"]),
        *(MessageAdded(message=message) for message in messages),
        ToolStateChanged(call_id="c1", state="success", tool_name="clock", at=at(4)),
        BranchSelected(parent_id="dev", message_id="ask"),
        MessageAnnotated(message_id="reply", pinned=True, importance=0.75),
        MessageRemoved(message_id="gone", parent_id="result"),
        ErrorOccurred(id="e1", message_id="reply", code="cut_off", text="The reply was cut off.", at=at(8)),
        TaskRecorded(id="t1", provider="openai", model="m-1", usage=Usage(input_tokens=10), cost_usd=0.01, at=at(9)),
    ]


def main() -> None:
    Journal(HERE / "everything", "11111111").save(everything())
    other = Journal(HERE / "two-devices", "22222222")
    other.save([MessageAdded(message=UserMessage(id="a", created_at=START, parts=(TextPart(text="from two"),)))])
    third = Journal(HERE / "two-devices", "33333333")
    third.save(
        [
            MessageAdded(
                message=UserMessage(
                    id="b", parent_id="a", created_at=START + timedelta(seconds=1), parts=(TextPart(text="from three"),)
                )
            ),
            SettingsChanged(key="title", value="Two devices"),
        ]
    )
    # A file of version 1 that also holds what a later version 1.x added: an event, a part, fields.
    strange = HERE / "additions"
    Journal(strange, "44444444").save(
        [MessageAdded(message=UserMessage(id="a", created_at=START, parts=(TextPart(text="plain"),)))]
    )
    message = {
        "role": "assistant",
        "id": "b",
        "parent_id": "a",
        "created_at": "2026-01-02T03:04:06Z",
        "mood": "calm",
        "parts": [{"kind": "text", "text": "with additions", "voice": "alto"}, {"kind": "hologram", "depth": 3}],
    }
    lines = [
        {"v": 1, "event": "message_added", "rev": 2, "dev": "44444444", "message": message, "source": "import"},
        {"v": 1, "event": "weather_noted", "rev": 3, "dev": "44444444", "sky": {"clouds": 4}},
        {"v": 1, "event": "settings_changed", "rev": 4, "dev": "44444444", "key": "zodiac", "value": ["aries"]},
    ]
    with (strange / "44444444.jsonl").open("a", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    # As a person or another program may write it by hand: no version, revision, device, dates or check sums.
    bare = HERE / "bare"
    bare.mkdir()
    (bare / "hand.jsonl").write_text(
        '{"event":"settings_changed","key":"title","value":"By hand"}\n'
        '{"event":"message_added","message":{"role":"user","id":"a","parts":[{"kind":"text","text":"typed"}]}}\n'
        '{"event":"message_added","message":{"role":"assistant","id":"b","parent_id":"a",'
        '"parts":[{"kind":"text","text":"typed too"}]}}\n',
        encoding="utf-8",
        newline="\n",
    )


if __name__ == "__main__":
    main()
