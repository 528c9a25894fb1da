"""OpenConversations: the conversations that are alive at the moment; a reply goes on when another one is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from sam_py.agent.session import ChatSession, SessionState
from sam_py.agent.state import QueuedMessage
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.store.autosave import Autosave
from sam_py.store.drafts import Unsent
from sam_py.store.errors import StorageError
from sam_py.store.library import Library
from sam_py.transcript.plan import Plan
from sam_py.ui.chat.reading_place import Place
from sam_py.ui.models.message_list_model import MessageListModel

log = logging.getLogger(__name__)

_KEPT_IDLE = 4
"""Conversations that stay open after they were left, so that going back is instant."""


@dataclass(slots=True, eq=False)
class OpenConversation:
    """Everything that one open conversation consists of."""

    bus: MessageBus
    session: ChatSession
    autosave: Autosave
    model: MessageListModel
    place: Place | None = None
    is_new: bool = False
    notices: tuple[str, ...] = ()
    plans: tuple[Plan | None, Plan | None] = (None, None)
    """The plan of the last request that its rows went by, and the one that they go by since."""
    endings: list[Callable[[], None]] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.bus.conversation_id

    @property
    def is_blank(self) -> bool:
        """Whether it is new and nothing was said in it; its draft may hold something all the same."""
        return self.is_new and not len(self.bus)

    @property
    def is_busy(self) -> bool:
        return self.session.state.phase != "idle"


class OpenConversations:
    """Opens, keeps and closes conversations. `on_state` hears of every session's state, `on_close` of each end."""

    def __init__(
        self,
        library: Library,
        new_session: Callable[[MessageBus, Autosave], ChatSession],
        new_bus: Callable[[str], MessageBus],
        on_state: Callable[[OpenConversation, SessionState], None],
        on_close: Callable[[str], None] = lambda _conversation_id: None,
    ) -> None:
        self._library = library
        self._new_session = new_session
        self._new_bus = new_bus
        self._on_state = on_state
        self._on_close = on_close
        self._open: dict[str, OpenConversation] = {}
        self._closing: dict[str, asyncio.Future[None]] = {}
        library.on_problem(self._hear_trouble)

    def get(self, conversation_id: str) -> OpenConversation | None:
        return self._open.get(conversation_id)

    def all(self) -> list[OpenConversation]:
        return list(self._open.values())

    def new(self) -> OpenConversation:
        """A conversation that is nowhere on disk until something is said in it."""
        conversation = self._adopt(self._new_bus(self._library.create()))
        conversation.is_new = True
        return conversation

    async def open(self, conversation_id: str) -> OpenConversation:
        """Open it, or find it open. Raises `SamError` where it cannot be read."""
        while (closing := self._closing.get(conversation_id)) is not None:  # its last words are not on the disk yet
            await asyncio.wait((closing,))
        opened = await self._library.open(conversation_id) if conversation_id not in self._open else None
        conversation = self._open.get(conversation_id)
        if conversation is not None:  # it was open, or somebody else was quicker: a conversation has one bus
            self._open[conversation_id] = self._open.pop(conversation_id)  # last used last
            return conversation
        assert opened is not None
        bus = self._new_bus(conversation_id)
        bus.load(opened.history)
        conversation = self._adopt(bus)
        conversation.notices = (opened.report.notice,) if opened.report.notice else ()
        return conversation

    async def close(self, conversation_id: str) -> None:
        conversation = self._open.pop(conversation_id, None)
        if conversation is None:
            return
        ending = asyncio.ensure_future(self._end(conversation))
        self._closing[conversation_id] = ending
        ending.add_done_callback(lambda _ending: self._closing.pop(conversation_id))
        await asyncio.shield(ending)  # whoever asked may be cancelled; what is said is saved all the same

    async def close_idle(self, shown: OpenConversation) -> None:
        """Close the longest unused ones that do nothing, beyond a few."""
        idle = [c for c in self._open.values() if c is not shown and not c.is_busy and not c.session.state.queued]
        for conversation in idle[: max(0, len(idle) - _KEPT_IDLE)]:
            await self.close(conversation.id)

    async def aclose(self) -> None:
        """Close all, side by side: one that hangs takes no time from the others."""
        await asyncio.gather(*(self.close(conversation_id) for conversation_id in list(self._open)))
        if self._closing:
            await asyncio.wait(self._closing.values())

    def _adopt(self, bus: MessageBus) -> OpenConversation:
        autosave = self._library.attach(bus)
        session = self._new_session(bus, autosave)
        drafts = self._library.drafts
        session.hold(QueuedMessage(each.text, each.parts) for each in drafts.load(bus.conversation_id).queued)
        conversation = OpenConversation(bus, session, autosave, MessageListModel(bus))
        conversation.endings.append(session.subscribe(lambda state: self._hear(conversation, state)))
        self._open[bus.conversation_id] = conversation
        return conversation

    def _hear(self, conversation: OpenConversation, state: SessionState) -> None:
        """What is queued was said, too: it is kept as drafts are, until it is sent."""
        queued = tuple(Unsent(text=each.text, parts=each.parts) for each in state.queued)
        self._library.drafts.save_queued(conversation.id, queued)
        self._on_state(conversation, state)

    def _hear_trouble(self, problem: StorageError) -> None:
        """Where nothing can be written any more, what is queued waits for the person, and the composer says it."""
        for conversation in tuple(self._open.values()):
            if problem.kind == "newer" and conversation.id == problem.detail:
                session = conversation.session
                session.hold([session.remove_queued(0) for _each in session.state.queued])
            if problem.solved or conversation.id == problem.detail:
                self._on_state(conversation, conversation.session.state)

    async def _end(self, conversation: OpenConversation) -> None:
        for end in conversation.endings:
            end()
        await conversation.session.aclose()
        self._on_close(conversation.id)
        try:
            await conversation.autosave.save_now()
        except SamError as error:  # told by the library, which keeps the text and tries again
            log.warning("a conversation was closed before it could be saved: %s", error)
        conversation.autosave.close()
        conversation.model.detach()
        conversation.model.deleteLater()
