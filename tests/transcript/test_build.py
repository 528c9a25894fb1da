"""Turns from any history: what a provider accepts, and what is still said."""

from __future__ import annotations

from hypothesis import given, settings

from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits, ToolResultPart, Transcript, Turn
from sam_py.transcript.attached import LONGEST_FILE, put_in_files, without_attachments
from sam_py.transcript.build import BEGINS_WITHOUT_USER, BROKE_OFF, INTERRUPTED, LOST, build
from tests.transcript import histories
from tests.transcript.validator import faults

ALL = Limits(images=True, pdfs=True, tools=True, thinking=True)


def user(*parts: Part | str) -> UserMessage:
    return UserMessage(parts=tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def reply(*parts: Part | str, stop_reason: str = "stop", provider: str = "p", model: str = "m") -> AssistantMessage:
    whole = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return AssistantMessage(parts=whole, stop_reason=stop_reason, provider=provider, model=model)  # type: ignore[arg-type]


def call(call_id: str, name: str = "search") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name=name, arguments_json="{}")


def result(call_id: str, text: str = "found", status: str = "success") -> ToolResultMessage:
    return ToolResultMessage(call_id=call_id, tool_name="search", status=status, output_text=text)  # type: ignore[arg-type]


def said(transcript: Transcript) -> list[tuple[str, list[str]]]:
    """The turns as role and what each part says."""

    def words(turn: Turn) -> list[str]:
        shown = []
        for part in turn.parts:
            match part:
                case TextPart(text=text) | ThinkingTextPart(text=text):
                    shown.append(text)
                case ToolCallPart(call_id=call_id):
                    shown.append(f"call {call_id}")
                case ToolResultPart(call_id=call_id, text=text):
                    shown.append(f"result {call_id}: {text}")
                case _:
                    shown.append(part.kind)
        return shown

    return [(turn.role, words(turn)) for turn in transcript.turns]


def built(*messages: Message, limits: Limits = ALL) -> list[tuple[str, list[str]]]:
    transcript = build(messages, limits=limits)
    assert faults(transcript, limits) == []
    return said(transcript)


@settings(max_examples=400, deadline=None)
@given(histories.histories, histories.limits)
def test_no_provider_finds_fault_with_any_history(history: list[Message], limits: Limits) -> None:
    assert faults(build(history, limits=limits), limits) == []


@settings(max_examples=200, deadline=None)
@given(histories.histories, histories.limits)
def test_no_text_is_lost_and_order_is_kept(history: list[Message], limits: Limits) -> None:
    transcript = build(history, limits=limits)
    for role, kind in (("user", UserMessage), ("assistant", AssistantMessage)):
        spoken = [
            part.text
            for turn in transcript.turns
            if turn.role == role
            for part in turn.parts
            if isinstance(part, TextPart)
        ]
        texts = (
            part.text
            for message in history
            if isinstance(message, kind)
            for part in message.parts
            if isinstance(part, TextPart) and part.text.strip()
        )
        rest = iter(spoken)
        assert all(text in rest for text in texts)


@settings(max_examples=100, deadline=None)
@given(histories.histories, histories.limits)
def test_building_twice_gives_the_same_and_changes_nothing(history: list[Message], limits: Limits) -> None:
    before = [message.model_dump_json() for message in history]
    assert build(history, limits=limits) == build(history, limits=limits)
    assert [message.model_dump_json() for message in history] == before


@settings(max_examples=100, deadline=None)
@given(histories.histories)
def test_a_longer_history_begins_as_the_shorter_one_did(history: list[Message]) -> None:
    # Prompt caches live from this: what follows changes no turn before the last of the user.
    whole = [message for message in history if not isinstance(message, ToolResultMessage | SystemMessage)]
    plain = [m for m in whole if not (isinstance(m, AssistantMessage) and m.tool_calls)]
    shorter, longer = build(plain, limits=ALL), build([*plain, user("and now?")], limits=ALL)
    assert longer.turns[: max(0, len(shorter.turns) - 1)] == shorter.turns[:-1]


def test_turns_alternate() -> None:
    assert built(user("a"), user("b"), reply("c"), reply("d"), user("e")) == [
        ("user", ["a", "b"]),
        ("assistant", ["c", "d"]),
        ("user", ["e"]),
    ]


def test_a_conversation_that_begins_with_a_reply_gets_a_user_turn() -> None:
    assert built(reply("Welcome!"), user("Hi"))[0] == ("user", [BEGINS_WITHOUT_USER])


def test_nothing_makes_no_turns() -> None:
    assert built(user(" "), reply("\n")) == []


def test_the_system_prompt_stands_apart() -> None:
    prompt = SystemMessage(parts=(TextPart(text="Imported."),))
    transcript = build([prompt, user("Hi")], system="  Be kind. ")
    assert transcript.system == "Be kind.\n\nImported."
    assert said(transcript) == [("user", ["Hi"])]


def test_a_developer_message_joins_the_users_turn_before_it() -> None:
    note = DeveloperMessage(parts=(TextPart(text="The file changed."),))
    marked = "<system-reminder>\nThe file changed.\n</system-reminder>"
    assert built(user("Hi"), note, reply("Hello")) == [("user", ["Hi", marked]), ("assistant", ["Hello"])]
    assert built(note, reply("Hello"))[0] == ("user", [marked])
    assert built(user("Go"), reply(call("1")), result("1"), note)[2] == ("user", ["result 1: found", marked])


def test_results_of_parallel_calls_follow_in_the_order_of_the_calls() -> None:
    turns = built(
        user("Go"), reply("Look", call("1"), call("2")), result("2", "two"), result("1", "one"), reply("Done")
    )
    assert turns == [
        ("user", ["Go"]),
        ("assistant", ["Look", "call 1", "call 2"]),
        ("user", ["result 1: one", "result 2: two"]),
        ("assistant", ["Done"]),
    ]


def test_a_late_result_moves_behind_its_call() -> None:
    turns = built(user("Go"), reply(call("1")), user("Well?"), reply("Wait"), result("1"))
    assert turns[1:3] == [("assistant", ["call 1"]), ("user", ["result 1: found", "Well?"])]


def test_a_call_without_a_result_is_answered_by_a_note() -> None:
    transcript = build([user("Go"), reply(call("1"), stop_reason="tool_use"), user("Well?")], limits=ALL)
    assert said(transcript)[2] == ("user", [f"result 1: {LOST}", "Well?"])
    assert any("no result" in note for note in transcript.notes)


def test_a_result_whose_call_is_gone_is_left_out() -> None:
    transcript = build([user("Go"), result("9"), reply("Hm")], limits=ALL)
    assert said(transcript) == [("user", ["Go"]), ("assistant", ["Hm"])]
    assert any("its call is gone" in note for note in transcript.notes)


def test_of_two_results_the_real_one_is_sent() -> None:
    first = built(user("Go"), reply(call("1")), result("1", "one"), result("1", "again"))
    assert first[2] == ("user", ["result 1: one"])
    aborted = built(user("Go"), reply(call("1")), result("1", "stopped", "aborted"), result("1", "late but real"))
    assert aborted[2] == ("user", ["result 1: late but real"])


def test_an_id_that_a_server_uses_again_is_told_apart() -> None:
    turns = built(
        user("Go"),
        reply(call("0")),
        result("0", "one"),
        reply(call("0"), call("0")),
        result("0", "two"),
        result("0", "three"),
    )
    assert turns[1:] == [
        ("assistant", ["call 0"]),
        ("user", ["result 0: one"]),
        ("assistant", ["call 0_2", "call 0_3"]),
        ("user", ["result 0_2: two", "result 0_3: three"]),
    ]


def test_an_aborted_reply_keeps_its_text_loses_unfinished_calls_and_is_marked() -> None:
    turns = built(user("Go"), reply("I will", call("1"), call("2"), stop_reason="aborted"), result("1"), user("No"))
    assert turns == [
        ("user", ["Go"]),
        ("assistant", ["I will", "call 1"]),
        ("user", ["result 1: found", INTERRUPTED, "No"]),
    ]


def test_a_reply_that_broke_off_is_marked_in_the_users_turn() -> None:
    assert built(user("a"), reply("half", stop_reason="error"), user("b"))[2] == ("user", [BROKE_OFF, "b"])


def test_thinking_keeps_its_author() -> None:
    thinking = ThinkingTextPart(text="Hm"), ThinkingSignaturePart(signature="s", provider="p", model="m")
    transcript = build([user("a"), reply(*thinking, "b"), user("c")], limits=ALL)
    assert (transcript.turns[1].provider, transcript.turns[1].model) == ("p", "m")
    assert transcript.turns[1].parts[:2] == thinking
    without = build([user("a"), reply(*thinking, "b")], limits=Limits())
    assert said(without)[1] == ("assistant", ["b"])
    assert any("thinking" in note for note in without.notes)


def test_thinking_that_led_to_nothing_is_not_sent() -> None:
    assert built(user("a"), reply(ThinkingTextPart(text="Hm"), stop_reason="aborted"), user("b")) == [
        ("user", ["a", "b"])
    ]
    assert built(user("a"), reply("b", ThinkingTextPart(text="Hm")))[1] == ("assistant", ["b"])


def test_a_turn_of_two_authors_has_no_thinking() -> None:
    one = reply(ThinkingTextPart(text="Hm"), "one", model="m")
    other = reply(ThinkingTextPart(text="Ah"), "two", model="n")
    transcript = build([user("a"), one, other], limits=ALL)
    assert said(transcript)[1] == ("assistant", ["one", "two"])
    assert (transcript.turns[1].provider, transcript.turns[1].model) == ("", "")


def test_a_picture_for_a_model_without_eyes_becomes_its_name() -> None:
    transcript = build([user("Look", ImagePart(attachment="h", alt="cat.png"))], limits=Limits())
    assert said(transcript) == [("user", ["Look", "[picture: cat.png]"])]
    assert transcript.notes == ("A picture is sent as text: this model takes no pictures.",)


def test_a_picture_that_the_assistant_made_is_shown_by_the_user() -> None:
    picture = ImagePart(attachment="h", alt="a cat")
    turns = built(user("Draw"), reply(picture), user("Bluer"))
    assert turns[1:] == [("assistant", ["[picture made by the assistant: a cat]"]), ("user", ["image", "Bluer"])]


def test_files_that_a_model_cannot_take_become_their_names() -> None:
    pdf = FilePart(attachment="h", filename="a.pdf", mime_type="application/pdf", size=9)
    zipped = FilePart(attachment="h", filename="a.zip", mime_type="application/zip", size=9)
    assert built(user(pdf, zipped), limits=ALL)[0][1][0] == "file"
    shown = built(user(pdf, zipped), limits=Limits())[0][1]
    assert [text.split(",")[0] for text in shown] == ["[file: a.pdf", "[file: a.zip"]


def test_tools_for_a_model_without_any_become_text() -> None:
    turns = built(user("Go"), reply(call("1")), result("1"), limits=Limits())
    assert turns[1:] == [
        ("assistant", ["[called the tool search with {}]"]),
        ("user", ["[the tool search returned (success): found]"]),
    ]


def test_code_goes_out_in_a_fence_that_it_cannot_break() -> None:
    code = CodePart(code="```\nx\n```", language="md", filename="a.md")
    assert built(user(code))[0][1] == ["a.md\n````md\n```\nx\n```\n````"]


def test_a_part_of_a_newer_version_is_said_not_sent() -> None:
    transcript = build([user(UnknownPart(kind="hologram"))])
    assert said(transcript) == [("user", ["[content of the kind 'hologram', which cannot be sent]"])]
    assert len(transcript.notes) == 1


def test_an_empty_result_says_that_it_is_empty() -> None:
    assert built(user("Go"), reply(call("1")), result("1", ""))[2] == ("user", ["result 1: (no output)"])


def test_a_text_file_is_written_out_under_its_name() -> None:
    file = FilePart(attachment="h", filename="a.txt", mime_type="text/plain")
    transcript = put_in_files(build([user("See", file)]), {"h": "grün".encode()})
    assert said(transcript) == [("user", ["See", '<file name="a.txt">\ngrün\n</file>'])]


def test_a_huge_text_file_is_cut_and_says_so() -> None:
    file = FilePart(attachment="h", filename="a.txt", mime_type="text/plain")
    transcript = put_in_files(build([user(file)]), {"h": b"x" * 20_000_000})
    text = said(transcript)[0][1][0]
    assert len(text) < LONGEST_FILE + 200
    assert "20000000 bytes in all, is left out" in text


def test_what_is_missing_is_said_also_inside_a_result() -> None:
    found = result("1").model_copy(update={"parts": (ImagePart(attachment="h", alt="chart"),)})
    transcript = without_attachments(build([user("Go"), reply(call("1")), found], limits=ALL), {"h"})
    assert faults(transcript, ALL) == []
    assert said(transcript)[2] == ("user", ["result 1: found\n\n[picture: chart; it is missing]"])
