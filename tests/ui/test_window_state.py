"""What is kept of the window for the next start, and how much of it."""

from __future__ import annotations

from pathlib import Path

from sam_py.ui.chat.reading_place import Place
from sam_py.ui.window_state import Folds, WindowState, load_window_state, save_window_state


def test_what_was_opened_and_closed_comes_back_for_each_conversation(tmp_path: Path) -> None:
    told: list[str] = []
    folds = Folds(changed=lambda: told.append("changed"))
    for id, key, opened in (("a", "call", True), ("b", "call", False), ("a", "thought", True), ("a", "call", True)):
        folds.turn_to(id)
        folds.set(key, opened)
    assert len(told) == 3  # what stays as it is is no news
    path = tmp_path / "window.json"
    save_window_state(path, WindowState(opened=folds.kept()).with_place("a", Place(message_id="m", offset_px=-12)))
    state = load_window_state(path)
    again = Folds(state.opened)
    assert state.places == {"a": Place(message_id="m", offset_px=-12)}
    for id, shown in (("a", [True, True, False]), ("b", [False, False, False]), ("c", [False, False, False])):
        again.turn_to(id)
        assert [again.is_open(key) for key in ("call", "thought", "other")] == shown
    again.turn_to("b")
    assert [again.is_open(key, by_itself=True) for key in ("call", "other")] == [False, True]


def test_of_what_was_opened_only_so_much_is_kept_and_that_is_the_latest() -> None:
    folds = Folds()
    for conversation in range(30):
        folds.turn_to(f"c{conversation}")
        for card in range(100):
            folds.set(f"{card}", True)
        folds.set("x" * 1_000_000, True)  # an id that another program made up
    kept = folds.kept()
    assert list(kept) == [f"c{conversation}" for conversation in range(20, 30)]
    assert sum(map(len, kept.values())) == 1_000
