"""SessionState: what a chat session tells its listeners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from sam_py.messages.message import new_id
from sam_py.messages.parts import Part

Phase = Literal["idle", "waiting", "streaming", "acting"]


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that was sent while a reply streamed.

    It goes out when the reply ends normally. After a stop or an error it is `held`: still shown, and
    sent when the person says so (`send_queued`, `retry`, `continue_reply`), because what they meant to
    follow did not come.
    """

    text: str
    parts: tuple[Part, ...] = ()
    held: bool = False
    below: str | None = None
    """The last message of the branch on which it was said; None, or gone: it goes to the one that is shown then. So
    does what was held: the person says when."""
    id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True)
class SessionState:
    """`waiting`: asked, nothing came yet, `text` may say why. `streaming`: `reply_id` grows. `acting`: tools run.

    `idle`: nothing runs. Beside all that a summary may be made; `summary_trouble` is why the last one was not.
    """

    phase: Phase = "idle"
    text: str = ""
    reply_id: str | None = None
    queued: tuple[QueuedMessage, ...] = ()
    is_summarising: bool = False
    summary_trouble: str = ""

    @property
    def is_busy(self) -> bool:
        return self.phase != "idle"


StateListener = Callable[[SessionState], None]
