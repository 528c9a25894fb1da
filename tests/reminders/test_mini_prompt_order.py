"""Mini prompts are moved, copied, switched and brought back: whatever a person does, none is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.reminders.mini_prompts import NAME_MOST, TEXT_MOST, MiniPrompt, MiniPrompts, switched

IDS = ("a", "b", "c", "d", "e")


def filled(*, scoped: str = "") -> MiniPrompts:
    prompts = MiniPrompts()
    for each in IDS:
        prompts.put(MiniPrompt(id=each, name=each, text=each, conversations=("other",) if each in scoped else None))
    return prompts


def order(prompts: MiniPrompts) -> str:
    return "".join(prompt.id for prompt in prompts.all())


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS)))
def test_what_is_seen_takes_the_new_order_and_what_is_not_seen_stays(wish: list[str], unseen: set[str]) -> None:
    prompts = filled()
    prompts.rearrange([each for each in wish if each not in unseen])
    assert [each for each in order(prompts) if each not in unseen] == [each for each in wish if each not in unseen]
    assert [(place, each) for place, each in enumerate(order(prompts)) if each in unseen] == [
        (place, each) for place, each in enumerate(IDS) if each in unseen
    ]


@given(st.lists(st.tuples(st.sampled_from((*IDS, "gone")), st.booleans())))
def test_switching_ends_with_the_last_word_on_each(steps: list[tuple[str, bool]]) -> None:
    ids: list[str] = []
    for prompt_id, on in steps:
        ids = switched(ids, prompt_id, on)
    assert set(ids) == {prompt_id for prompt_id, on in dict(steps).items() if on}
    assert len(ids) == len(set(ids))


def test_names_that_nobody_knows_move_nothing() -> None:
    prompts = filled()
    prompts.rearrange(["gone", "c", "a", "c"])
    assert order(prompts) == "cbade"


def test_a_deleted_prompt_comes_back_where_it_stood_and_as_it_was_switched() -> None:
    prompts, bus = filled(), MessageBus("here")
    bus.change_setting("mini_prompts", ["b", "d"])
    gone = prompts.get("b")
    assert gone is not None
    prompts.remove("b")
    assert [each.id for each in prompts.enabled(bus)] == ["d"]
    prompts.put(gone, 1)
    assert order(prompts) == "abcde"
    assert [each.id for each in prompts.enabled(bus)] == ["b", "d"]


def test_a_copy_of_a_conversation_keeps_the_prompts_that_were_for_it_alone() -> None:
    prompts, copy = filled(scoped="b"), MessageBus("copy")
    copy.change_setting("mini_prompts", ["b"])
    assert prompts.enabled(copy) == ()
    copy.change_setting("duplicate_of", "other")
    assert [each.id for each in prompts.enabled(copy)] == ["b"]
    assert [each.id for each in prompts.available_in(copy)] == list(IDS)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("n" * (NAME_MOST + 1), "text", "The name of the mini prompt has 81 characters"),
        ("name", "t" * (TEXT_MOST + 1), "at most 8,000 fit"),
    ],
)
def test_what_is_too_long_is_refused_with_both_numbers(tmp_path: Path, name: str, text: str, words: str) -> None:
    prompts = MiniPrompts(tmp_path / "mini_prompts.json")
    with pytest.raises(SamError, match=words):
        prompts.put(MiniPrompt(name=name, text=text))
    assert prompts.all() == ()


def test_an_entry_copied_by_hand_is_a_prompt_of_its_own(tmp_path: Path) -> None:
    entry = '{"id": "a", "name": "a", "text": "a"}'
    (tmp_path / "mini_prompts.json").write_text(f'{{"mini_prompts": [{entry}, {entry}]}}')
    first, second = (prompt.id for prompt in MiniPrompts(tmp_path / "mini_prompts.json").all())
    assert first == "a" != second
