"""The real program on a virtual screen, used by keys: what an evening with it looks like."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from desk import Desk, Sitting, difference
from paced_server import PacedServer

pytestmark = pytest.mark.e2e
SitDown = Callable[..., Sitting]


def test_a_person_talks_stops_edits_closes_and_finds_everything_as_it_was(
    desk: Desk, server: PacedServer, sit_down: SitDown
) -> None:
    sam = sit_down(server.settings)

    # A question and its answer. The question is on the disk before the request leaves.
    sam.send("Tell me about rivers")
    reply = server.next_reply()
    assert reply.texts == ["Tell me about rivers"]
    reply.say("Rivers run **down**, ")
    reply.say("as a rule.")
    reply.end()
    sam.wait_for(lambda: _answered(sam, "Rivers run **down**, as a rule.", "stop"), "the finished reply")

    # A reply that is stopped keeps its text, and the server hears of it.
    sam.send("And lakes?")
    reply = server.next_reply()
    reply.say("Lakes lie ")
    sam.wait_for(lambda: _begun(sam, "Lakes lie"), "the beginning of the second reply")
    desk.press("Escape")
    reply.wait_until_gone()
    sam.wait_for(lambda: _answered(sam, "Lakes lie", "aborted"), "the stopped reply")

    # Up in the empty box edits the last question; what was asked first stays beside it.
    lakes = sam.last("user")
    desk.press("Up")
    desk.press("ctrl+a")
    sam.send("And seas?")
    reply = server.next_reply()
    assert reply.texts == ["Tell me about rivers", "Rivers run **down**, as a rule.", "And seas?"]
    reply.say("Seas are salt.")
    reply.end()
    sam.wait_for(lambda: _answered(sam, "Seas are salt.", "stop"), "the reply to the edited question")
    seas = sam.last("user")
    assert (seas.text, seas.parent_id) == ("And seas?", lakes.parent_id)
    assert lakes in sam.said("user")

    # Asking again makes a second version.
    desk.press("ctrl+r")
    reply = server.next_reply()
    assert reply.texts[-1] == "And seas?"
    reply.say("Seas are wide.")
    reply.end()
    sam.wait_for(lambda: _answered(sam, "Seas are wide.", "stop"), "the second version")

    # Half a thought, and home.
    sam.type("Half a thought")
    before, picture_before = sam.said(), sam.steady_picture()
    assert sam.quit() == 0

    again = sit_down()
    again.wait_for(lambda: difference(picture_before, again.steady_picture()) < 0.002, "the picture as it was")
    assert again.said() == before

    # What goes out next shows that the program, too, finds everything as it was.
    desk.press("Return")
    reply = server.next_reply()
    assert reply.texts == [
        "Tell me about rivers",
        "Rivers run **down**, as a rule.",
        "And seas?",
        "Seas are wide.",
        "Half a thought",
    ]
    reply.end()
    assert again.quit() == 0


def test_a_fresh_start_without_any_server_is_answered_by_the_guide(desk: Desk, sit_down: SitDown) -> None:
    sam = sit_down()
    sam.send("Hello")
    sam.wait_for(lambda: sam.said("assistant") and sam.last("assistant").stop_reason == "stop", "the guide's reply")
    assert sam.last("assistant").provider == "guide"
    assert sam.last("assistant").text
    desk.press("alt+F4")
    assert sam.wait_until_ended() == 0


def test_a_reply_that_a_crash_cuts_off_is_there_at_the_next_start(
    desk: Desk, server: PacedServer, sit_down: SitDown
) -> None:
    sam = sit_down(server.settings)
    sam.send("Count for me")
    reply = server.next_reply()
    reply.say("one, two, ")
    sam.wait_for(lambda: _begun(sam, "one, two,"), "the beginning of the reply on the disk")
    sam.kill()

    again = sit_down()
    desk.press("ctrl+Page_Down")
    again.wait_for(lambda: "Count for me" in again.title(), "the conversation that was cut off")
    again.send("Go on")
    reply = server.next_reply()
    assert reply.texts[0] == "Count for me"
    assert "one, two," in reply.texts[1]
    assert reply.texts[-1].endswith("Go on")
    reply.say("three")
    reply.end()
    again.wait_for(lambda: _answered(again, "three", "stop"), "the reply after the crash")
    assert again.quit() == 0


def test_a_second_start_raises_the_first_window_and_ends(desk: Desk, sit_down: SitDown) -> None:
    sam = sit_down()
    code, printed = sam.start_again()
    assert code == 0
    assert "running already" in printed
    assert sam.process.poll() is None
    sam.type("still here")
    assert sam.quit() == 0


def test_what_is_written_while_a_reply_streams_is_sent_after_it(
    desk: Desk, server: PacedServer, sit_down: SitDown
) -> None:
    sam = sit_down(server.settings)
    sam.send("First")
    first = server.next_reply()
    first.say("One")
    sam.wait_for(lambda: _begun(sam, "One"), "the beginning of the first reply")
    desk.type("Second")
    desk.press("Return")
    first.say(" is done.")
    first.end()
    second = server.next_reply()
    assert second.texts == ["First", "One is done.", "Second"]
    second.say("Two is done.")
    second.end()
    sam.wait_for(lambda: _answered(sam, "Two is done.", "stop"), "the second reply")
    assert sam.quit() == 0


def test_conversations_stay_apart_and_keys_lead_from_one_to_the_other(
    desk: Desk, server: PacedServer, sit_down: SitDown
) -> None:
    sam = sit_down(server.settings)
    for question, answer in (("About cats", "They purr."), ("About dogs", "They bark.")):
        desk.press("ctrl+n")
        sam.send(question)
        reply = server.next_reply()
        assert reply.texts == [question]
        reply.say(answer)
        reply.end()
        sam.wait_for(lambda answer=answer: _answered(sam, answer, "stop"), f"the answer {answer!r}")
        sam.wait_for(lambda question=question: question in sam.title(), f"{question!r} as the window's title")
    desk.press("ctrl+Page_Down")
    sam.wait_for(lambda: "About cats" in sam.title(), "the first conversation, shown again")
    sam.send("And kittens?")
    reply = server.next_reply()
    assert reply.texts == ["About cats", "They purr.", "And kittens?"]
    reply.say("They mew.")
    reply.end()
    sam.wait_for(lambda: _answered(sam, "They mew.", "stop"), "the answer about kittens")
    assert sam.quit() == 0
    again = sit_down()
    again.wait_for(lambda: "About cats" in again.title(), "the conversation that was open last")
    assert again.quit() == 0


def test_a_server_that_is_not_there_costs_nothing_that_was_typed(
    desk: Desk, server: PacedServer, sit_down: SitDown
) -> None:
    settings = server.settings
    address = settings["providers"][0]["base_url"]
    settings["providers"][0]["base_url"] = "http://127.0.0.1:9/v1"  # nobody listens at the discard port
    sam = sit_down(settings)
    sam.send("Is anybody there?")
    sam.wait_for(lambda: "error_occurred" in sam.event_names(), "the error in the journal")
    assert sam.quit() == 0

    settings["providers"][0]["base_url"] = address
    again = sit_down(settings)
    again.wait_for(lambda: "Is anybody there?" in again.title(), "the conversation that was open last")
    desk.press("Up", "End")
    desk.type("?")
    desk.press("Return")
    reply = server.next_reply()
    assert reply.texts == ["Is anybody there??"]
    reply.say("Now, yes.")
    reply.end()
    again.wait_for(lambda: _answered(again, "Now, yes.", "stop"), "the reply at the second attempt")
    assert again.quit() == 0


def _begun(sam: Sitting, text: str) -> bool:
    return any(said.text.strip() == text for said in sam.said("assistant"))


def _answered(sam: Sitting, text: str, stop_reason: str) -> bool:
    return any(said.text.strip() == text and said.stop_reason == stop_reason for said in sam.said("assistant"))
