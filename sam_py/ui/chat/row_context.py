"""RowContext: what every row of the timeline needs to draw itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sam_py.messages.parts import FilePart
from sam_py.providers.prices import KnownPrice
from sam_py.ui.chat.row_fates import Fates
from sam_py.ui.chat.tool_calls import ToolCalls
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.window_state import Folds

if TYPE_CHECKING:
    from sam_py.ui.chat.row import MessageRow

OUTSET_PX = 12
"""A row is this much wider than the column on each side, so that its frame does not touch the text."""


class Marks(Protocol):
    """What marks words in rows."""

    def show_in(self, row: MessageRow) -> None:
        """A row has come to show another message, or the same one anew."""


class Aloud(Protocol):
    """What rows ask of the voice that reads messages aloud."""

    def is_read(self, message_id: str) -> bool:
        """Whether a message is being read, or about to be."""

    def show_in(self, row: MessageRow) -> None:
        """A row has come to show another message, or the same one anew: mark in it what is being read."""

    def stop(self) -> bool:
        """Fall silent. False where nothing was to be heard."""


@dataclass(slots=True)
class RowContext:
    themes: Themes
    icons: Icons
    attachment_path: Callable[[str], Path | None]
    """Content hash → the file with those bytes, None where it is missing."""
    label_of: Callable[[str, str], str]
    """(provider id, model) → how the model is called on screen."""
    show_metrics: bool = True
    price_of: Callable[[str, str], KnownPrice | None] = lambda _provider, _model: None
    """(provider id, model) → what it costs, where that is known."""
    provider_label: Callable[[str], str] = lambda provider: provider
    """Provider id → what the person called the account."""
    calls: ToolCalls = field(default_factory=ToolCalls)
    """What cards show of the tool calls of the conversation on screen."""
    fates: Fates = field(default_factory=Fates)
    """What of the conversation on screen is not sent as it is."""
    open_file: Callable[[FilePart], None] = lambda _part: None
    """Shows an attached file."""
    voice: Aloud | None = None
    """None until something is read aloud for the first time."""
    finder: Marks | None = None
    """None until something is looked for in a conversation for the first time."""

    @property
    def folds(self) -> Folds:
        """What of the conversation on screen the person opened or closed."""
        return self.calls.folds

    def mark_in(self, row: MessageRow) -> None:
        """A row has come to show another message, or the same one anew: mark what is read and what was found in it."""
        for marks in (self.voice, self.finder):
            if marks is not None:
                marks.show_in(row)
