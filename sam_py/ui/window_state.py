"""WindowState: where the window was and what it showed, of this machine only; lost without harm."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

from pydantic import Field, ValidationError

from sam_py.messages.parts import Frozen

log = logging.getLogger(__name__)

_PLACES_KEPT = 200


class SavedPlace(Frozen):
    message_id: str
    offset_px: int


class WindowState(Frozen):
    """As written to ``state/window.json``."""

    geometry: str = ""
    """Qt's own form, as hexadecimal digits."""
    conversation: str = ""
    """What was shown last; empty: a new conversation."""
    places: dict[str, SavedPlace] = Field(default_factory=dict)
    """conversation id → where the reader was; absent: at the end"""
    recent_models: tuple[str, ...] = ()
    folded: dict[str, bool] = Field(default_factory=dict)
    """section of the sidebar → whether the person closed or opened it; absent: as it is by itself"""

    inspector_shown: bool = False
    inspector_px: int = Field(default=348, ge=280, le=720)
    """How wide it is where the text is at 100 %."""
    inspector_tab: str = "context"

    def with_place(self, conversation_id: str, place: SavedPlace | None) -> WindowState:
        places = {key: value for key, value in self.places.items() if key != conversation_id}
        if place is not None:
            places[conversation_id] = place
        kept = dict(list(places.items())[-_PLACES_KEPT:])
        return self.model_copy(update={"places": kept})


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
