"""ChatContext: what a person sees and decides of how much of a conversation the model gets."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from sam_py.agent.state import SessionState
from sam_py.agent.summaries import originals_of
from sam_py.bus.deltas import Delta, Inserted, Reset
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.message import DeveloperMessage, Message
from sam_py.settings.model import Settings
from sam_py.transcript.plan import Plan
from sam_py.ui.chat.chat_plan import ChatPlan
from sam_py.ui.chat.context_strip import ContextStrip, StripNote
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.open_conversations import OpenConversation
from sam_py.ui.services import Services

if TYPE_CHECKING:
    from sam_py.ui.chat.reply_elsewhere import ReplyElsewhere

Handler = Callable[[OpenConversation, str], None]


class ChatContext(QObject):
    """Keeps the rows' signs and the strip above the composer up to date, and does what is asked there.

    The strip says one thing at a time, the most urgent first: a reply is written on another branch, a summary is being
    made, it failed, the window is exceeded, a summary was made, messages no longer fit. What is put away is not said
    again in this conversation.
    """

    offered = Signal(str, object)
    """Words about what was done, and what undoes it."""
    model_requested = Signal()

    def __init__(self, services: Services, rows: RowContext, timeline: Timeline, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self._timeline = timeline
        self._conversation: OpenConversation | None = None
        self._off: Callable[[], None] | None = None
        self._state = SessionState()
        self._made: str | None = None
        """The summary that was just made."""
        self._put_away: set[tuple[str, str]] = set()
        self._asked: list[tuple[str, ...] | None] = []
        """What the person asked for a summary of last; empty: they did not."""
        self.strip = ContextStrip(services.icons, parent)
        self.strip.acted.connect(self._acted)
        self._elsewhere: ReplyElsewhere | None = None
        """None until a reply was first written on a branch that was not shown."""
        rows.calls.questions_changed.connect(self._refresh)
        self.plan = ChatPlan(rows.fates, services.tasks.spawn, self)
        self.plan.shown.connect(lambda _plan: self._refresh())
        self._chat = services.settings.current.chat
        services.settings.subscribe(self._settings_changed)

    def attach(self, conversation: OpenConversation) -> None:
        """Follow another conversation."""
        self.detach()
        self._conversation = conversation
        self._state = conversation.session.state
        self._off = conversation.bus.subscribe(self._on_delta)
        self.plan.attach(conversation)
        self._refresh()

    def detach(self) -> None:
        if self._off is not None:
            self._off()
            self._off = None
        self.plan.detach()
        self._conversation = None
        self._made = None
        self._asked = []
        self.strip.show_note(None)

    def show_state(self, state: SessionState) -> None:
        """The session of the conversation that is shown says something."""
        if state.is_busy and not self._state.is_busy:
            self._made = None  # the conversation goes on
        self._state = state
        self.plan.hear_state()
        self._refresh()

    def summarise(self, message_ids: Iterable[str] | None = None) -> None:
        """Let the model summarise these messages, or all before the last turns; the strip says how it goes."""
        conversation = self._conversation
        if conversation is None or self._state.is_summarising:
            return
        self._put_away.discard((conversation.id, "trouble"))
        wanted = tuple(message_ids) if message_ids is not None else None
        self._asked = [wanted]
        self._services.tasks.spawn(_summarised(conversation, wanted), "summarise")

    def handlers(self) -> dict[str, Handler]:
        """What the actions of a message do that concern its place in requests."""
        return {
            "keep": lambda conversation, id_: self._set(conversation, id_, "keep"),
            "never": lambda conversation, id_: self._set(conversation, id_, "never"),
            "covered": self._go_to_covered,
            "summary": self._go_to_summary,
        }

    def removed(self, conversation: OpenConversation, message: Message) -> None:
        """A message was deleted: of a summary it is said what that means, and it can come back."""
        if not isinstance(message, DeveloperMessage) or not message.covers:
            return
        bus = conversation.bus
        left = {each for each in message.covers if each in bus}
        if left and left <= _summarised_in(bus):
            words = self.tr("The summary is removed. Another one tells the model what it said.")
        else:
            words = self.tr(
                "The summary is removed. The messages that it stood for are sent again, as far as they fit."
            )
        self.offered.emit(words, lambda: _put_back(bus, message))

    # What is done

    def _set(self, conversation: OpenConversation, message_id: str, wanted: str) -> None:
        bus = conversation.bus
        before = bus.get(message_id).context
        after = "" if before == wanted else wanted
        bus.annotate(message_id, context=after)
        match after:
            case "keep":
                words = self.tr("Every request holds this message from now on.")
            case "never":
                words = self.tr("The model does not get this message any more.")
            case _:
                words = self.tr("This message is sent as it fits again.")
        self.offered.emit(words, lambda: _annotated_again(bus, message_id, before))

    def _go_to_covered(self, conversation: OpenConversation, message_id: str) -> None:
        message = conversation.bus.get(message_id)
        covers = message.covers if isinstance(message, DeveloperMessage) else ()
        first = next((each for each in covers if conversation.bus.index_of(each) is not None), None)
        if first is not None and self._timeline.show_message(first):
            self._timeline.set_current(first)

    def _go_to_summary(self, conversation: OpenConversation, message_id: str) -> None:
        summary = summary_of(conversation.bus, message_id)
        if summary is not None and self._timeline.show_message(summary):
            self._timeline.set_current(summary)

    def _go_to_reply(self, conversation: OpenConversation) -> None:
        """Turn to the branch on which the reply is written."""
        at = self._elsewhere.place(conversation) if self._elsewhere is not None else None
        if at is None:
            return
        conversation.session.select_branch(at)
        if conversation.is_busy:
            self._timeline.go_to_end()
        else:
            self._timeline.show_message(at)

    # What is said

    def _refresh(self) -> None:
        conversation = self._conversation
        if conversation is None:
            self.strip.show_note(None)
            return
        for note in self._notes(conversation, self.plan.plan):
            if (conversation.id, note.kind) not in self._put_away:
                self.strip.show_note(note)
                return
        self.strip.show_note(None)

    def _notes(self, conversation: OpenConversation, plan: Plan | None) -> Iterable[StripNote]:
        """What there is to say, the most urgent first."""
        yield from self._notes_of_reply(conversation)
        state = self._state
        if state.is_summarising:
            words = self.tr("The model summarises earlier messages. You can go on meanwhile.")
            yield StripNote("busy", "text", "muted", words, (("cancel", self.tr("Cancel")),), busy=True)
        if state.summary_trouble:
            words = self.tr("No summary was made. {trouble}").replace("{trouble}", state.summary_trouble)
            yield StripNote("trouble", "error", "error", words, (("again", self.tr("Try again")),))
        if plan is not None and plan.warning:
            choose = (("model", self.tr("Choose a model")),)
            yield StripNote("warning", "warning", "warning", plan.warning, choose)
        if self._made is not None and self._made in conversation.bus:
            message = conversation.bus.get(self._made)
            count = originals_of(message) if isinstance(message, DeveloperMessage) else 0
            words = self._counted(
                count,
                self.tr("A summary now stands for an earlier message."),
                self.tr("A summary now stands for {count} earlier messages."),
            )
            yield StripNote("made", "text", "muted", words, (("summary", self.tr("Show it")),))
        left_out = len(plan.dropped) if plan is not None else 0
        if left_out and not conversation.session.defaults.auto_summary:
            words = self._counted(
                left_out,
                self.tr("An earlier message no longer fits and is not sent. It is dimmed."),
                self.tr("{count} earlier messages no longer fit and are not sent. They are dimmed."),
            )
            actions = (("summarise", self.tr("Summarise")), ("show", self.tr("Show")))
            yield StripNote("left_out", "eye-off", "muted", words, actions)

    def _notes_of_reply(self, conversation: OpenConversation) -> Iterable[StripNote]:
        if self._elsewhere is None:
            at, bus = conversation.session.works_at, conversation.bus
            if at is None or at not in bus or bus.index_of(at) is not None:
                return ()
            from sam_py.ui.chat.reply_elsewhere import ReplyElsewhere

            self._elsewhere = ReplyElsewhere(self._services.tools)
        return self._elsewhere.notes(conversation)

    def _counted(self, count: int, one: str, many: str) -> str:
        return one if count == 1 else many.replace("{count}", self._timeline.locale().toString(count))

    def _acted(self, kind: str, action: str) -> None:
        conversation = self._conversation
        plan = self.plan.plan
        if conversation is None:
            return
        match action:
            case "elsewhere":
                self._go_to_reply(conversation)
            case "dismiss" if kind == "elsewhere_ended" and self._elsewhere is not None:
                self._elsewhere.forget()
            case "cancel":
                conversation.session.stop_summarising()
            case "again":
                by_itself = plan.dropped if plan is not None else None
                self.summarise(self._asked[0] if self._asked else by_itself)
            case "summarise":
                self.summarise(plan.dropped if plan is not None else None)
            case "model":
                self.model_requested.emit()
            case "show":
                left_out = (each.message_id for each in plan.fates if each.message_id in plan.dropped) if plan else ()
                shown = [each for each in left_out if conversation.bus.index_of(each) is not None]
                if shown:  # the last one: from there on all is sent
                    self._timeline.show_message(shown[-1])
            case "summary":
                if self._made is not None:
                    self._timeline.show_message(self._made)
                self._made = None
            case _:
                self._put_away.add((conversation.id, kind))
                if kind == "made":
                    self._made = None
                    self._put_away.discard((conversation.id, kind))
        self._refresh()

    def _on_delta(self, delta: Delta) -> None:
        match delta:
            case Inserted(message=DeveloperMessage(covers=covers) as message) if covers:
                self._made = message.id
                self._refresh()
            case Reset():  # perhaps another branch
                self._refresh()
            case _:
                pass

    def _settings_changed(self, settings: Settings) -> None:
        if settings.chat != self._chat:
            self._chat = settings.chat
            self.plan.look_soon()
            self._refresh()


def summary_of(bus: MessageBus, message_id: str) -> str | None:
    """The summary on the path that stands for a message. O(messages), but only summaries are read."""
    for index in reversed(range(len(bus))):  # one of summaries stands below those
        if bus.role_at(index) == "developer":
            message = bus.at(index)
            if isinstance(message, DeveloperMessage) and message_id in message.covers and message.context != "never":
                return message.id
    return None


def _summarised_in(bus: MessageBus) -> set[str]:
    """All that summaries on the path stand for."""
    notes = [bus.at(index) for index in range(len(bus)) if bus.role_at(index) == "developer"]
    return {
        each for note in notes if isinstance(note, DeveloperMessage) and note.context != "never" for each in note.covers
    }


async def _summarised(conversation: OpenConversation, message_ids: tuple[str, ...] | None) -> None:
    with contextlib.suppress(SamError):  # the session's state says why, and the strip shows it
        await conversation.session.summarise(message_ids)


def _annotated_again(bus: MessageBus, message_id: str, context: str) -> None:
    if message_id in bus:
        bus.annotate(message_id, context=context)


def _put_back(bus: MessageBus, summary: DeveloperMessage) -> None:
    """Let a summary that was removed stand where it stood; where what is above it is gone, it stays away."""
    above = bus.index_of(summary.parent_id or "")
    if summary.id in bus or above is None:
        return
    if above + 1 < len(bus) and bus.is_streaming(bus.id_at(above + 1)):
        return
    bus.insert(summary)
