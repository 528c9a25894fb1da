"""WindowState: where the window was and what it showed, of this machine only; lost without harm."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path

from pydantic import Field, ValidationError

from sam_py.messages.parts import Frozen
from sam_py.ui.chat.reading_place import Place

log = logging.getLogger(__name__)

_PLACES_KEPT = 200
_FOLDS_KEPT = 1_000
_LONGEST_KEY = 120


class WindowState(Frozen):
    """As written to ``state/window.json``."""

    geometry: str = ""
    """Qt's own form, as hexadecimal digits."""
    conversation: str = ""
    """What was shown last; empty: a new conversation."""
    places: dict[str, Place] = Field(default_factory=dict)
    """conversation id → where the reader was; absent: at the end"""
    opened: dict[str, dict[str, bool]] = Field(default_factory=dict)
    """conversation id → what the person opened (True) or closed in it: see `Folds`"""
    recent_models: tuple[str, ...] = ()
    folded: dict[str, bool] = Field(default_factory=dict)
    """section of the sidebar → whether the person closed or opened it; absent: as it is by itself"""

    inspector_shown: bool = False
    inspector_px: int = Field(default=348, ge=280, le=720)
    """How wide it is where the text is at 100 %."""
    inspector_tab: str = "context"

    def with_place(self, conversation_id: str, place: Place | None) -> WindowState:
        places = {key: value for key, value in self.places.items() if key != conversation_id}
        if place is not None:
            places[conversation_id] = place
        kept = dict(list(places.items())[-_PLACES_KEPT:])
        return self.model_copy(update={"places": kept})


class Folds:
    """What the person opened or closed in the conversation on screen: cards of tools, thinking, notes, details.

    A key is the id of a call, a note or an error, or names a thought of a message. What was never touched is not in
    here. `changed` is called after each change; what is kept for the next start is bounded.
    """

    def __init__(
        self, kept: Mapping[str, Mapping[str, bool]] | None = None, changed: Callable[[], object] = lambda: None
    ) -> None:
        self._all = {conversation_id: dict(marks) for conversation_id, marks in (kept or {}).items()}
        self._changed = changed
        self._id = ""

    def turn_to(self, conversation_id: str) -> None:
        """Another conversation is on screen."""
        self._id = conversation_id

    def is_open(self, key: str, *, by_itself: bool = False) -> bool:
        """As the person left it, else as it is `by_itself`."""
        return self._all.get(self._id, {}).get(key, by_itself)

    def set(self, key: str, opened: bool) -> None:
        marks = self._all.pop(self._id, {})
        changed = marks.pop(key, None) is not opened
        self._all[self._id] = {**marks, key: opened}  # touched last, stands last
        if changed:
            self._changed()

    def kept(self) -> dict[str, dict[str, bool]]:
        """What is worth keeping: what was touched last."""
        kept: dict[str, dict[str, bool]] = {}
        room = _FOLDS_KEPT
        for conversation_id, marks in reversed(self._all.items()):
            short = ((key, opened) for key, opened in reversed(marks.items()) if len(key) <= _LONGEST_KEY)
            latest = list(islice(short, room))
            if latest:
                kept[conversation_id] = dict(reversed(latest))
                room -= len(latest)
        return dict(reversed(kept.items()))


def load_window_state(path: Path) -> WindowState:
    """The state as saved last, or a fresh one where there is none or it cannot be read."""
    try:
        return WindowState.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return WindowState()
    except (OSError, ValidationError) as error:
        log.warning("the window's state cannot be read, so it starts afresh: %s", type(error).__name__)
        return WindowState()


def save_window_state(path: Path, state: WindowState) -> None:
    """Write it beside and rename; a failure is logged: nothing of value is in it."""
    beside = path.with_suffix(".tmp")
    try:
        beside.write_text(json.dumps(state.model_dump(mode="json"), ensure_ascii=False))
        os.replace(beside, path)
    except OSError as error:
        log.warning("the window's state cannot be saved: %s", error)
