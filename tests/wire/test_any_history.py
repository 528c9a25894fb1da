"""Whatever a history looks like, no provider has anything to say against the request that is made of it.

Some hundreds of histories in the suite; ``SAM_EXAMPLES=10000`` for a long run by hand.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.transcript.attached import put_in_files, without_attachments
from sam_py.transcript.build import build
from tests.wire.any_history import ATTACHMENTS, Case, cases
from tests.wire.fault import Fault
from tests.wire.judge import judge
from tests.wire.wires import NAMES, WIRES, Wire

EXAMPLES = int(os.environ.get("SAM_EXAMPLES", "60"))
TOOLS = (
    ToolSpec("read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}}),
    ToolSpec("search", "", {}),
)
_LAST_WORDS = frozenset({"messages.last", "input.last", "contents.last", "last.prefill"})
settings_drawn = st.fixed_dictionaries(
    {
        "temperature": st.sampled_from([None, 0.0, 1.5]),
        "top_p": st.sampled_from([None, 0.5]),
        "max_tokens": st.sampled_from([None, 100, 5_000]),
        "reasoning_effort": st.sampled_from([None, "none", "low", "high", "max"]),
        "stream": st.booleans(),
        "tools": st.sampled_from([(), TOOLS]),
        "tool_choice": st.sampled_from(["auto", "auto", "none", "required"]),
        "system": st.sampled_from(["", " ", "Be kind.", "a\ud83c"]),
    }
)


def body_of(case: Case, wire: Wire, model: str, provider: str, asked: dict[str, Any]) -> dict[str, Any] | None:
    """The body as it would travel; None where nobody has said anything."""
    transcript = build(
        case.messages,
        case.ledger,
        case.reminders,
        case.limits,
        system=asked["system"],
        provider=provider,
        model=model,
    )
    transcript = put_in_files(without_attachments(transcript, {"gone", "nothing"}), ATTACHMENTS)
    if not transcript.turns:
        return None
    if asked["tool_choice"] == "required" and not asked["tools"]:
        asked = {**asked, "tool_choice": "auto"}
    request = ChatRequest(
        model=model,
        turns=transcript.turns,
        provider=provider,
        limits=case.limits,
        attachments=ATTACHMENTS,
        **{**asked, "system": transcript.system},
    )
    sent = json.dumps(wire.build_body(request), allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
    body: dict[str, Any] = json.loads(sent.decode("utf-8", "surrogatepass"))
    return body


def faults_of(wire: Wire, body: dict[str, Any], model: str) -> list[Fault]:
    """All that the judge finds but one: a history may end with a reply, which the program never asks to answer."""
    return [
        fault
        for fault in judge(wire.name, body, wire.service, model=model)
        if not (fault.strict and fault.code in _LAST_WORDS)
    ]


def _as_own(case: Case, model: str) -> Case:
    """The same talk with the model that is asked as the author of what ``mine`` said: its thinking goes back."""
    changed = []
    for message in case.messages:
        if message.role == "assistant" and message.provider == "mine":
            parts = tuple(
                part.model_copy(update={"model": model}) if part.kind == "thinking_signature" else part
                for part in message.parts
            )
            message = message.model_copy(update={"model": model, "parts": parts})
        changed.append(message)
    return Case(changed, case.ledger, case.reminders, case.limits)


@pytest.mark.parametrize("name", NAMES)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(data=st.data(), case=cases, asked=settings_drawn)
def test_no_provider_finds_fault_with_a_request_made_of_any_history(
    name: str, data: st.DataObject, case: Case, asked: dict[str, Any]
) -> None:
    wire = data.draw(st.sampled_from([wire for wire in WIRES if wire.name == name]), label="wire")
    model = data.draw(st.sampled_from(wire.models), label="model")
    body = body_of(_as_own(case, model), wire, model, "mine", asked)
    if body is not None:
        assert [str(fault) for fault in faults_of(wire, body, model)] == []
