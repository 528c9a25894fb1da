"""The bus, rule by rule: branches, removal, annotations, errors, settings, loading."""

from __future__ import annotations

import pytest

from sam_py.bus.deltas import Delta, ErrorShown, Inserted, Recorded, Removed, Reset, SettingChanged, Updated
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.errors import UnknownMessageError
from sam_py.messages.history import ErrorOccurred, MessageAdded, MessageAnnotated, MessageRemoved, TaskRecorded
from sam_py.messages.message import UserMessage
from sam_py.messages.parts import TextPart
from tests.bus.conftest import answer, say
from tests.bus.replayed import history_of

# Branches and removal


def test_an_edit_is_a_sibling_and_becomes_the_path(bus: MessageBus, heard: list[Delta]) -> None:
    first, second = say(bus, "a", "b")
    heard.clear()
    edited = bus.add_user_message("b, otherwise", parent_id=first).id
    assert bus.siblings(edited) == (second, edited)
    assert bus.path == (first, edited)
    assert heard[-1] == Reset(1)


def test_an_edit_of_the_first_message_stands_beside_it(bus: MessageBus) -> None:
    first, _second = say(bus, "a", "b")
    edited = bus.add_user_message("A", parent_id=ROOT).id
    assert bus.path == (edited,)
    assert bus.siblings(first) == (first, edited)


def test_selecting_a_branch_goes_on_to_what_was_last_chosen_below_it(bus: MessageBus) -> None:
    a, b = say(bus, "a", "b")
    c1 = bus.add_user_message("c1", parent_id=b).id
    c2 = bus.add_user_message("c2", parent_id=b).id
    bus.select_branch(c1)
    other = bus.add_user_message("b2", parent_id=a).id
    assert bus.path == (a, other)
    bus.select_branch(b)
    assert bus.path == (a, b, c1)
    bus.select_branch(c2)
    assert bus.path == (a, b, c2)


def test_selecting_what_is_shown_is_not_news(bus: MessageBus, heard: list[Delta]) -> None:
    _first, second = say(bus, "a", "b")
    heard.clear()
    bus.select_branch(second)
    assert heard == []


def test_a_removed_messages_children_move_up_to_its_parent(bus: MessageBus, heard: list[Delta]) -> None:
    a, b, c = say(bus, "a", "b", "c")
    heard.clear()
    bus.remove(b)
    assert bus.path == (a, c)
    assert bus.parent_of(c) == a
    assert bus.get(c).parent_id == a
    assert [delta for delta in heard if not isinstance(delta, Recorded)] == [Removed(1, b), Updated(1, bus.get(c))]
    assert Recorded(MessageRemoved(message_id=b, parent_id=a)) in heard


def test_removing_the_last_message_of_a_branch_shows_the_one_beside_it(bus: MessageBus, heard: list[Delta]) -> None:
    a, b = say(bus, "a", "b")
    other = bus.add_user_message("b2", parent_id=a).id
    heard.clear()
    bus.remove(other)
    assert bus.path == (a, b)
    assert heard[-1] == Reset(1)


def test_removing_what_is_not_shown_changes_nothing_on_screen(bus: MessageBus, heard: list[Delta]) -> None:
    a, b = say(bus, "a", "b")
    bus.add_user_message("b2", parent_id=a)
    heard.clear()
    bus.remove(b)
    assert heard == [Recorded(MessageRemoved(message_id=b, parent_id=a))]


@pytest.mark.parametrize("do", ["get", "remove", "select_branch", "siblings", "parent_of", "annotate"])
def test_an_unknown_id_is_named(bus: MessageBus, do: str) -> None:
    with pytest.raises(UnknownMessageError, match="nobody"):
        getattr(bus, do)("nobody")


def test_a_message_below_an_unknown_parent_is_refused(bus: MessageBus) -> None:
    with pytest.raises(UnknownMessageError):
        bus.add(UserMessage(parent_id="nobody", parts=(TextPart(text="a"),)))
    with pytest.raises(UnknownMessageError):
        bus.begin_assistant(parent_id="nobody")


def test_the_same_message_twice_is_a_mistake(bus: MessageBus) -> None:
    message = bus.add_user_message("a")
    with pytest.raises(ValueError, match="already"):
        bus.add(message)


# Annotations, replacement, errors, settings


def test_an_annotation_says_all_that_it_knows(bus: MessageBus, heard: list[Delta]) -> None:
    message = bus.add_user_message("a")
    heard.clear()
    bus.annotate(message.id, importance=0.2)
    event = MessageAnnotated(message_id=message.id, pinned=True, importance=0.2)
    assert heard == [Recorded(event), Updated(0, bus.get(message.id))]
    heard.clear()
    bus.annotate(message.id, importance=0.2)
    assert heard == []


def test_a_pin_set_while_a_reply_streams_stays(bus: MessageBus) -> None:
    reply = bus.begin_assistant()
    bus.append_delta(reply, "a")
    bus.annotate(reply, pinned=True, importance=1.0)
    bus.append_delta(reply, "b")
    message = bus.complete(reply)
    assert message is not None
    assert (message.text, message.pinned, message.importance) == ("ab", True, 1.0)


def test_a_replacement_keeps_its_place_and_equal_is_not_news(bus: MessageBus, heard: list[Delta]) -> None:
    message = bus.add_user_message("a")
    heard.clear()
    bus.replace(message)
    assert heard == []
    changed = message.model_copy(update={"parts": (TextPart(text="b"),)})
    bus.replace(changed)
    assert heard == [Recorded(MessageAdded(message=changed)), Updated(0, changed)]
    with pytest.raises(ValueError, match="parent"):
        bus.replace(changed.model_copy(update={"parent_id": "other"}))


def test_the_error_of_a_request_is_over_once_it_is_answered(bus: MessageBus) -> None:
    (question,) = say(bus, "hi")
    error = ErrorOccurred(message_id=question, code="unreachable", text="No answer.")
    bus.record_error(error)
    assert bus.error_of(question) == error
    answer(bus, "hello")
    assert bus.error_of(question) is None


def test_the_error_of_a_request_stays_where_the_person_said_something_else_instead(bus: MessageBus) -> None:
    (question,) = say(bus, "hi")
    error = ErrorOccurred(message_id=question, code="bad_key", text="The key was refused.")
    bus.record_error(error)
    say(bus, "and now?")
    assert bus.error_of(question) == error


def test_a_resolved_error_stays_resolved_after_a_restart(bus: MessageBus, heard: list[Delta]) -> None:
    reply = answer(bus, "half")
    bus.record_error(ErrorOccurred(message_id=reply, code="server", text="First."))
    bus.record_error(ErrorOccurred(message_id=reply, code="server", text="Second."))
    bus.resume_assistant(reply)
    bus.complete(reply)
    assert bus.error_of(reply) is None
    again = MessageBus()
    again.load(history_of(delta.event for delta in heard if isinstance(delta, Recorded)))
    assert again.error_of(reply) is None


def test_an_error_may_belong_to_the_conversation(bus: MessageBus, heard: list[Delta]) -> None:
    error = ErrorOccurred(message_id=None, code="storage", text="The disk is full.")
    bus.record_error(error)
    assert heard == [Recorded(error), ErrorShown(None, error)]
    assert bus.error_of(None) == error
    assert bus.error_of("unknown") is None


def test_an_equal_setting_is_not_news(bus: MessageBus, heard: list[Delta]) -> None:
    bus.change_setting("mini_prompts", ["a", "b"])
    assert heard[-1] == SettingChanged("mini_prompts")
    heard.clear()
    bus.change_setting("mini_prompts", ["a", "b"])
    assert heard == []
    assert bus.settings.mini_prompts == ("a", "b")


def test_a_setting_of_a_newer_version_is_kept(bus: MessageBus) -> None:
    bus.change_setting("mood", {"colour": "blue"})
    bus.change_setting("title", "Hello")
    assert bus.settings.model_extra == {"mood": {"colour": "blue"}}


def test_an_impossible_setting_changes_nothing(bus: MessageBus, heard: list[Delta]) -> None:
    bus.change_setting("title", "Hello")
    heard.clear()
    with pytest.raises(ValueError, match="pinned"):
        bus.change_setting("pinned", "perhaps")
    assert (heard, bus.settings.title) == ([], "Hello")


def test_a_stored_setting_that_does_not_fit_is_left_at_its_default(caplog: pytest.LogCaptureFixture) -> None:
    bus = MessageBus()
    history = history_of([])
    history.settings = {"title": "Hello", "temperature": "hot"}
    bus.load(history)
    assert (bus.settings.title, bus.settings.temperature) == ("Hello", None)
    assert "temperature" in caplog.text


# Loading


def test_a_loaded_message_is_parsed_when_it_is_first_read(bus: MessageBus, heard: list[Delta]) -> None:
    question, *_ = say(bus, "hi", "there")
    bus.annotate(question, pinned=False)
    bus.record_task(TaskRecorded(model="m"))
    history = history_of(delta.event for delta in heard if isinstance(delta, Recorded))
    again = MessageBus()
    seen: list[Delta] = []
    again.subscribe(seen.append)
    again.load(history)
    stored = history.messages[0]
    assert seen == [Reset(0)]
    assert (again.path, again.role_at(0), again.size_at(0)) == (bus.path, "user", 2)
    assert stored.parsed == 0  # type: ignore[attr-defined]
    assert not again.get(question).pinned
    again.get(question)
    assert stored.parsed == 1  # type: ignore[attr-defined]
    assert again.tasks == bus.tasks


def test_loading_replaces_what_was_there(bus: MessageBus) -> None:
    say(bus, "old")
    reply = bus.begin_assistant()
    bus.load(history_of([]))
    assert (len(bus), bus.tree_size, bus.streaming_ids) == (0, 0, ())
    assert reply not in bus


def test_a_message_is_put_between_two_and_a_log_cut_off_anywhere_still_shows_the_path(
    bus: MessageBus, heard: list[Delta]
) -> None:
    a, b, _c = say(bus, "a", "b", "c")
    other = bus.add_user_message("c, otherwise", parent_id=b).id
    path = (a, b, other)
    between = UserMessage(parent_id=b, parts=(TextPart(text="between"),))
    told = len(heard)
    bus.insert(between)
    assert bus.path == (a, b, between.id, other)
    assert heard[-1] == Inserted(2, between)
    assert len(bus.siblings(other)) == 2
    for cut in range(told, len(heard) + 1):
        log = [delta.event for delta in heard[:cut] if isinstance(delta, Recorded)]
        again = MessageBus()
        again.load(history_of(log))
        assert tuple(each for each in again.path if each != between.id) == path
    bus.remove(between.id)
    assert bus.path == path


def test_a_stored_message_with_an_unknown_parent_becomes_a_first_one(
    bus: MessageBus, caplog: pytest.LogCaptureFixture
) -> None:
    message = UserMessage(parent_id="lost", parts=(TextPart(text="a"),))
    bus.load(history_of([MessageAdded(message=message)]))
    assert bus.path == (message.id,)
    assert bus.get(message.id).parent_id is None
    assert "unknown parent" in caplog.text
