"""What Gemini is sent: signatures in their place, results for calls, and nothing that it refuses."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.errors import SamError
from sam_py.messages.builder import PartsBuilder
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import (
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits, ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.gemini.opaque import KeptPart, SignedNext, SignedRun, write_kept
from sam_py.providers.gemini.request import NO_SIGNATURE, build_body
from sam_py.providers.ids import new_own_id
from sam_py.transcript.build import build
from tests.providers.body_rules import problems_of
from tests.providers.gemini_bodies import PROVIDER, TAKES_ALL, read_reply

MODEL = "gemini-3-pro-preview"
PIXEL = b"\x89PNG pixel"


def user(*parts: TurnPart | str) -> Turn:
    return Turn("user", tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def model(*parts: TurnPart | str, name: str = MODEL, provider: str = PROVIDER) -> Turn:
    said = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn("assistant", said, provider=provider, model=name)


def call(call_id: str, name: str = "look", arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name=name, arguments_json=arguments)


def result(call_id: str, text: str = "seen", name: str = "look", **fields: Any) -> ToolResultPart:
    fields.setdefault("status", "success")
    return ToolResultPart(call_id=call_id, tool_name=name, text=text, **fields)


def kept(value: SignedNext | SignedRun | KeptPart | str, name: str = MODEL) -> ThinkingSignaturePart:
    text = value if isinstance(value, str) else write_kept(value)
    return ThinkingSignaturePart(signature=text, provider=PROVIDER, model=name)


def body(*turns: Turn, **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"model": MODEL, "provider": PROVIDER, "limits": TAKES_ALL}
    given["attachments"] = {"pixel": PIXEL, "paper": b"%PDF", "notes": b"a,b"}
    made = build_body(ChatRequest(turns=turns, **{**given, **fields}))
    json.dumps(made)
    return made


def said(*turns: Turn, at: int = 1, **fields: Any) -> list[dict[str, Any]]:
    """The parts of one content."""
    parts: list[dict[str, Any]] = body(*turns, **fields)["contents"][at]["parts"]
    return parts


def test_a_plain_gemini_conversation() -> None:
    made = body(user("Hi"), model("Hello"), user("Bye"), system="Be kind.", temperature=0.5, top_p=0.9, max_tokens=10)
    assert made == {
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Hello"}]},
            {"role": "user", "parts": [{"text": "Bye"}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "maxOutputTokens": 10,
            "thinkingConfig": {"includeThoughts": True},
        },
    }


def test_pictures_and_pdfs_go_inline_and_the_unreadable_by_name() -> None:
    parts = said(
        user(
            ImagePart(attachment="pixel"),
            FilePart(attachment="paper", filename="p.pdf", mime_type="application/pdf"),
            FilePart(attachment="notes", filename="n.csv", mime_type="text/csv"),
            FilePart(attachment="x", filename="a.zip", mime_type="application/zip"),
            ImagePart(attachment="pixel", mime_type="image/gif", alt="a dance"),
        ),
        at=0,
    )
    assert parts[0] == {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(PIXEL).decode()}}
    assert parts[1]["inlineData"]["mimeType"] == "application/pdf"
    assert "a,b" in parts[2]["text"]
    assert "a.zip" in parts[3]["text"]
    assert parts[4] == {"text": "[Image: a dance]"}


def test_a_missing_attachment_names_itself() -> None:
    with pytest.raises(SamError, match="red square"):
        body(user(ImagePart(attachment="gone", alt="red square")))


def test_a_part_of_a_newer_version_is_refused_by_gemini_s_mapper() -> None:
    with pytest.raises(ValueError, match="hologram"):
        body(user(UnknownPart(kind="hologram")))


def test_results_answer_all_calls_in_their_order_and_their_pictures_follow() -> None:
    shown = result("b", "broke", status="error", parts=(ImagePart(attachment="pixel"),))
    parts = said(user("Go"), model(call("a"), call("b")), user(result("a"), shown, "And now?"), at=2)
    assert [next(iter(part)) for part in parts] == [
        "functionResponse",
        "functionResponse",
        "text",
        "inlineData",
        "text",
    ]
    assert parts[0]["functionResponse"]["response"] == {"output": "seen"}
    assert parts[1]["functionResponse"]["response"] == {"error": "broke"}


def test_an_id_goes_back_only_where_the_service_gave_it() -> None:
    own = new_own_id()
    turns = (user("Go"), model(call("theirs"), call(own)), user(result("theirs"), result(own)))
    made = body(*turns)["contents"]
    assert [part["functionCall"].get("id") for part in made[1]["parts"]] == ["theirs", None]
    assert [part["functionResponse"].get("id") for part in made[2]["parts"]] == ["theirs", None]
    foreign = (user("Go"), model(call("call_1"), provider="openai"), user(result("call_1")))
    made = body(*foreign)["contents"]
    assert "id" not in made[1]["parts"][0]["functionCall"]
    assert "id" not in made[2]["parts"][0]["functionResponse"]


def test_calls_of_others_in_the_running_turn_get_a_stand_in_on_the_first_of_each_step() -> None:
    step = (model(call("a"), call("b"), provider="anthropic"), user(result("a"), result("b")))
    more = (model(call("c"), provider="anthropic"), user(result("c")))
    before = (user("Before"), model(call("z"), provider="anthropic"), user(result("z")), model("So."))
    made = body(*before, user("Go"), *step, *more)["contents"]
    signed = [part.get("thoughtSignature") for content in made for part in content["parts"] if "functionCall" in part]
    assert signed == [None, NO_SIGNATURE, None, NO_SIGNATURE]
    older = body(*before, user("Go"), *step, *more, model="gemini-2.5-pro")
    assert NO_SIGNATURE not in json.dumps(older)


def test_a_call_s_own_signature_stays_on_it_for_the_family_alone() -> None:
    turns = (user("Go"), model(kept(SignedNext("call", "S1")), call("a"), call("b")), user(result("a"), result("b")))
    assert [part.get("thoughtSignature") for part in said(*turns)] == ["S1", None]
    assert said(*turns, model="gemini-3-flash-preview")[0]["thoughtSignature"] == NO_SIGNATURE
    assert "thoughtSignature" not in said(*turns, model="gemini-2.5-flash")[0]
    assert said(*turns, provider="another account")[0]["thoughtSignature"] == NO_SIGNATURE


def test_a_signature_whose_call_or_text_is_gone_is_left_out() -> None:
    assert said(user("Go"), model(kept(SignedNext("call", "S")), "Done."), user("?")) == [{"text": "Done."}]
    edited = model("Another text.", kept(SignedRun("text", 4, ((0, 4, "S"),))))
    assert said(user("Go"), edited, user("?")) == [{"text": "Another text."}]


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "CoUB",
        "[]",
        "null",
        "{}",
        '{"on": "text"}',
        '{"on": "text", "length": 5, "signed": [[3, 1, "S"]]}',
        '{"on": "text", "length": "5", "signed": [[0, 1, "S"]]}',
        '{"on": "text", "length": 5, "signed": [[0, 1, null]]}',
        '{"on": "call", "signature": 3}',
        '{"on": "call", "signature": ""}',
        '{"on": "part", "part": "x"}',
        '{"on": "part", "part": {}}',
        '{"on": ["text"]}',
        "[" * 100_000,
    ],
)
def test_a_damaged_or_foreign_signature_is_left_out(damaged: str) -> None:
    turns = (user("Go"), model("Hello", kept(damaged), kept(damaged), call("a")), user(result("a")))
    parts = said(*turns)
    assert parts[0] == {"text": "Hello"}
    assert list(parts[1]) == ["functionCall", "thoughtSignature"]
    assert parts[1]["thoughtSignature"] == NO_SIGNATURE


def test_thoughts_go_back_to_their_own_family_and_never_alone() -> None:
    thinking = ThinkingTextPart(text="Hm.")
    turns = (user("Go"), model(thinking, "Done."), user("?"))
    assert said(*turns) == [{"text": "Hm.", "thought": True}, {"text": "Done."}]
    assert said(*turns, model="gemini-2.5-pro") == [{"text": "Done."}]
    alone = body(user("Go"), model(thinking, kept(SignedRun("text", 0, ((0, 0, "S"),)))), user("?"))["contents"]
    assert alone == [{"role": "user", "parts": [{"text": "Go"}, {"text": "?"}]}]


def test_tools_are_declared_with_their_json_schema() -> None:
    schema = {"$schema": "s", "type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}}
    made = body(
        user("Go"), tools=(ToolSpec("look", "Looks.", schema), ToolSpec("rest", "", {})), tool_choice="required"
    )
    [tools] = made["tools"]
    assert tools["functionDeclarations"] == [
        {
            "name": "look",
            "description": "Looks.",
            "parametersJsonSchema": {"type": "object", "properties": schema["properties"]},
        },
        {"name": "rest", "parametersJsonSchema": {"type": "object", "properties": {}}},
    ]
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}


def test_arguments_that_are_no_object_go_back_as_one() -> None:
    turns = (user("Go"), model(call("a", arguments='{"n": '), call("b", arguments="null")))
    answered = (*turns, user(result("a"), result("b")))
    arguments = [part["functionCall"]["args"] for part in said(*answered)]
    assert arguments == [{"invalid_arguments": '{"n": '}, {}]


@pytest.mark.parametrize(
    ("name", "effort", "config"),
    [
        ("gemini-2.0-flash", "high", None),
        ("gemini-2.5-flash", None, {"includeThoughts": True}),
        ("gemini-2.5-flash", "none", {"includeThoughts": True, "thinkingBudget": 0}),
        ("gemini-2.5-pro", "none", {"includeThoughts": True, "thinkingBudget": 128}),
        ("gemini-2.5-flash-lite", "max", {"includeThoughts": True, "thinkingBudget": 24_576}),
        ("gemini-2.5-flash-image", "high", None),
        ("gemini-3-pro-preview", "max", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemini-3-pro-preview", "minimal", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        ("gemini-3-flash-preview", "none", {"includeThoughts": True, "thinkingLevel": "MINIMAL"}),
        ("gemini-3.1-pro-preview", "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-3.8-flash", "minimal", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        ("gemini-3-pro-image", "low", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("gemini-pro-latest", "low", {"includeThoughts": True, "thinkingLevel": "LOW"}),
    ],
)
def test_each_gemini_is_told_how_hard_to_think_in_its_own_words(name: str, effort: Any, config: Any) -> None:
    made = body(user("Go"), model=name, reasoning_effort=effort, limits=Limits())
    assert made.get("generationConfig", {}).get("thinkingConfig") == config


def test_what_a_person_adds_goes_into_what_is_there() -> None:
    made = body(user("Go"), temperature=0.5, extra={"generationConfig": {"seed": 1}, "labels": {"a": "b"}, "x": None})
    assert made["generationConfig"] == {"temperature": 0.5, "seed": 1, "thinkingConfig": {"includeThoughts": True}}
    assert made["labels"] == {"a": "b"}
    assert "x" not in made


# Any reply comes back as it came

_SIGNATURES = st.sampled_from(["c2lnMQ==", "c2lnMg=="])


def _signed(part: dict[str, Any], signature: str | None) -> dict[str, Any]:
    return part if signature is None else {**part, "thoughtSignature": signature}


_WIRE_PARTS = st.one_of(
    st.builds(_signed, st.builds(lambda text: {"text": text}, st.text("ab \n🎉", max_size=5)), st.none() | _SIGNATURES),
    st.builds(
        _signed,
        st.builds(lambda text: {"text": text, "thought": True}, st.text("hm \n", max_size=4)),
        st.none() | _SIGNATURES,
    ),
    st.builds(
        _signed,
        st.builds(lambda n: {"functionCall": {"id": f"c{n}", "name": "look", "args": {"n": n}}}, st.integers(0, 99)),
        st.none() | _SIGNATURES,
    ),
    st.builds(lambda s: _signed({"executableCode": {"language": "PYTHON", "code": "1+1"}}, s), st.none() | _SIGNATURES),
    st.just({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2\n"}}),
    st.just({"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["q"]}}}),
)


def _joined(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Parts with neighbouring unsigned text of one kind joined, without the white space at both ends of the texts."""
    joined: list[dict[str, Any]] = []
    for part in parts:
        if part.get("text") == "" and "thoughtSignature" not in part:
            continue
        last = joined[-1] if joined else {}
        same = "text" in last and "text" in part and last.get("thought") == part.get("thought")
        if same and "thoughtSignature" not in last and "thoughtSignature" not in part:
            joined[-1] = {**last, "text": last["text"] + part["text"]}
        else:
            joined.append(part)
    return joined


def _unspaced(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    stripped = [{**part, "text": "".join(part["text"].split())} if "text" in part else part for part in parts]
    return [part for part in _joined(stripped) if part != {"text": ""}]


def _answer(part: ToolCallPart) -> Message:
    return ToolResultMessage(call_id=part.call_id, tool_name=part.tool_name, status="success", output_text="ok")


def _call_of(part: dict[str, Any]) -> str:
    return json.dumps(part.get("functionCall", id(part)))


@given(st.lists(_WIRE_PARTS, min_size=1, max_size=8, unique_by=_call_of))
def test_any_reply_of_gemini_comes_back_part_by_part(parts: list[dict[str, Any]]) -> None:
    name = "gemini-2.5-pro"
    message = read_reply(parts, name)
    answers = [_answer(each) for each in message.tool_calls]
    history = [UserMessage(parts=(TextPart(text="Go"),)), message, *answers, UserMessage(parts=(TextPart(text="On"),))]
    turns = build(history, limits=TAKES_ALL, provider=PROVIDER, model=name).turns
    contents = body(*turns, model=name)["contents"]
    back = contents[1]["parts"] if contents[1:] and contents[1]["role"] == "model" else []
    came, back = _unspaced(parts), _unspaced(back)
    for each in (came, back):
        while each and each[-1].get("thought") and "thoughtSignature" not in each[-1]:
            each.pop()  # thinking that led to nothing
    if all("toolCall" in part or part.get("thought") or part.get("text") == "" for part in came):
        came = []  # a reply that said nothing is not sent
    assert back == came


@given(st.text("a\n\r ", max_size=6), st.text("b\n ", max_size=6), st.text("c \n", max_size=6))
def test_signatures_keep_their_place_when_a_finished_reply_is_trimmed(one: str, two: str, three: str) -> None:
    message = read_reply([{"text": one}, {"text": two, "thoughtSignature": "S"}, {"text": three}], MODEL)
    trimmed = message.model_copy(update={"parts": PartsBuilder(message.parts).freeze(trim=True)})
    if not (one + two + three).strip():
        return
    parts = said(*build([UserMessage(parts=(TextPart(text="Go"),)), trimmed], limits=TAKES_ALL).turns)
    [signed] = [part for part in parts if "thoughtSignature" in part]
    assert signed["text"].strip() == two.strip()
    assert "".join(part["text"] for part in parts) == trimmed.text


def test_bodies_of_every_kind_are_found_without_fault(recordings: Path) -> None:
    step = (model(call("a"), call("b"), provider="anthropic"), user(result("a"), result("b"), "And?"))
    made = body(
        user("Go", ImagePart(attachment="pixel")),
        *step,
        model("Hm.", kept(SignedRun("text", 3, ((3, 3, "c2ln"),)))),
        user("On", FilePart(attachment="paper", filename="p.pdf", mime_type="application/pdf")),
        model(kept(SignedNext("call", "c2ln")), call("c")),
        user(result("c", "no", status="aborted")),
        tools=(ToolSpec("look", "Looks.", {"type": "object"}),),
        tool_choice="none",
        reasoning_effort="low",
        max_tokens=100,
    )
    assert problems_of(recordings, "gemini", made, MODEL) == []


def test_a_drawn_picture_goes_back_signed_where_it_was() -> None:
    picture = {
        "inlineData": {"mimeType": "image/png", "data": base64.b64encode(PIXEL).decode()},
        "thoughtSignature": "S",
    }
    message = read_reply([{"text": "Here:"}, picture], MODEL)
    kinds: list[Part] = list(message.parts)
    assert [part.kind for part in kinds] == ["text", "thinking_signature", "image"]
    history: list[Message] = [UserMessage(parts=(TextPart(text="Draw"),)), message]
    turns = build(history, limits=TAKES_ALL, provider=PROVIDER, model=MODEL).turns
    image = next(part for part in kinds if isinstance(part, ImagePart))
    assert said(*turns, attachments={image.attachment: PIXEL}) == [{"text": "Here:"}, picture]


def test_a_reply_that_was_cut_while_calling_loses_its_call_and_signature() -> None:
    parts = (TextPart(text="I look."), kept(SignedNext("call", "S")), call("a"))
    broken = AssistantMessage(parts=parts, stop_reason="aborted", provider=PROVIDER, model=MODEL)
    history: list[Message] = [
        UserMessage(parts=(TextPart(text="Go"),)),
        broken,
        UserMessage(parts=(TextPart(text="?"),)),
    ]
    turns = build(history, limits=TAKES_ALL, provider=PROVIDER, model=MODEL).turns
    assert said(*turns) == [{"text": "I look."}]
